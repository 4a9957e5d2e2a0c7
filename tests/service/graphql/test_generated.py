"""Types made from structs of all shapes; no game that exists has all of them."""

from dataclasses import replace
from enum import Enum
from typing import Annotated, Any, Literal

import msgspec
import pytest
from graphql import graphql_sync

from games.core.moves import Move
from service.graphql.schema import Graph, graph_of
from tests.games.high_card import GAME


class Suit(Enum):
    RED = "red"
    DARK_BLUE = "dark blue"


class Level(Enum):
    LOW = 1
    HIGH = 2


class Odd(Enum):
    mro_ = "a b"
    true = "x"


class Coin(msgspec.Struct, frozen=True, tag="coin"):
    worth: int


class Card(msgspec.Struct, frozen=True, tag="card"):
    suit: Suit
    partner: Suit | None


class Inner(msgspec.Struct, frozen=True):
    pass


class View(msgspec.Struct, frozen=True):
    piles: tuple[Coin | Card, ...]
    top: Coin | Card | None
    grid: tuple[tuple[int | None, ...], ...]
    pair: tuple[int, int]
    mixed: tuple[int, str]
    mode: Literal["fast", "slow"]
    odd: Odd
    level: Level
    first: int | Literal["random"]
    counts: dict[str, int]
    inner: Inner
    share: float
    chips: Annotated[int, msgspec.Meta(ge=0, le=2**53 - 1)]
    debt: Annotated[int, msgspec.Meta(extra_json_schema={"minimum": -(2**40)})] | None
    stack: Annotated[int, msgspec.Meta(ge=0, le=2**31 - 1)]
    class_: int = msgspec.field(name="class")


class Options(msgspec.Struct, frozen=True):
    mode: Literal["fast", "slow"] = "fast"
    suits: tuple[Suit, ...] = ()
    first: int | Literal["random"] = 1
    extra: Coin | Card | None = None
    bets: tuple[Annotated[int, msgspec.Meta(le=2**53 - 1)], ...] = ()


class Put(Move, frozen=True):
    suits: tuple[Suit, ...]
    level: Level | None


class Suits(Move, frozen=True):
    pass


SHOWN = View(
    piles=(Coin(3), Card(Suit.RED, None)),
    top=Card(Suit.DARK_BLUE, Suit.RED),
    grid=((1, None), ()),
    pair=(1, 2),
    mixed=(1, "b"),
    mode="slow",
    odd=Odd.true,
    level=Level.HIGH,
    first="random",
    counts={"a": 1},
    inner=Inner(),
    share=0.5,
    chips=2**53 - 1,
    debt=-(2**40),
    stack=2**31 - 1,
    class_=4,
)


@pytest.fixture(scope="module")
def odd() -> Graph:
    game: Any = replace(GAME, slug="odd", views=View, options=Options, move=Put | Suits)
    return graph_of((game, GAME))


def test_every_shape_has_its_type(odd: Graph) -> None:
    text = odd.text()
    for wanted in (
        "piles: [OddOptionsExtra!]!",
        "union OddOptionsExtra = OddCoin | OddCard",
        "top: OddOptionsExtra\n",
        "grid: [[Int]!]!",
        "pair: [Int!]!",
        "mixed: JSON!",
        "mode: OddOptionsMode!",
        "odd: Pick!",
        "level: OddLevel!",
        "first: Pick!",
        "counts: JSON!",
        "inner: OddInner!",
        "share: Float!",
        "chips: WholeNumber!",
        "debt: WholeNumber\n",
        "stack: Int!",
        "bets: [WholeNumber!]\n",
        "class: Int!",
        "input OddMoveInput @oneOf",
        "suits: NothingInput",
        "level: OddLevel = null",
        "suits: [OddSuit]\n",
    ):
        assert wanted in text, wanted


def test_a_value_of_every_shape_is_shown(odd: Graph) -> None:
    (types, _) = odd.types.values()
    kind = odd.schema.type_map["OddView"]
    shown = types.shown_view(msgspec.to_builtins(SHOWN))
    probe = type(odd.schema)(query=kind, types=list(odd.schema.type_map.values()))  # type: ignore[arg-type]
    query = """{ piles { ... on OddCoin { type worth } ... on OddCard { suit partner } }
      top { ... on OddCard { suit partner } } grid pair mixed mode odd level first counts share
      class viewJson }"""
    told = graphql_sync(probe, query, shown)
    assert told.errors is None
    assert told.data is not None
    wire_form = told.data.pop("viewJson")
    assert wire_form == msgspec.to_builtins(SHOWN)
    assert told.data["piles"] == [
        {"type": "coin", "worth": 3},
        {"suit": "RED", "partner": None},
    ]
    assert told.data["top"] == {"suit": "DARK_BLUE", "partner": "RED"}
    assert told.data["grid"] == [[1, None], []]
    assert (told.data["mode"], told.data["odd"], told.data["level"]) == ("slow", "x", "HIGH")
    assert told.data["class"] == 4
