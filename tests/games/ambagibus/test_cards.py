"""The deck and its file: what is in the house's deck, and what a file is refused for."""

from collections import Counter
from typing import Any

import pytest

from games.ambagibus import GAME, TABLES, cards, make
from games.ambagibus.cards import DeckRefused, Kind
from games.ambagibus.fitting import rotated, rotations_by_pattern
from games.ambagibus.moves import Place, Shuffle
from games.ambagibus.state import Options, Table
from games.core.game import CHANCE, Decision, OptionsRefused
from games.core.moves import moves, wire_move
from games.core.tables import digest
from tests.games.ambagibus.build import deck_of, given

DECK = cards.load(TABLES)


def test_ab_01_one_seat_plays() -> None:
    assert GAME.seats == (1,)
    with pytest.raises(OptionsRefused) as refused:
        GAME.new(Options(), 2)
    assert refused.value.pointer == "/seats"


def test_ab_02_the_deck_is_36_tunnels_and_two_of_each_special_or_less() -> None:
    assert Counter(card.kind for card in DECK.cards.values()) == {
        Kind.TUNNEL: 36,
        Kind.BOMB: 2,
        Kind.CAVE_IN: 2,
    }
    assert len(GAME.new(Options(), 1).deck) == 40
    fewer = GAME.new(Options(bombs=1, cave_ins=0), 1).deck
    assert set(DECK.cards) - set(fewer) == {"bomb2", "cave1", "cave2"}
    assert GAME.bound(Options(), 1) == 39


def test_ab_02_each_number_is_on_20_of_80_openings() -> None:
    edges = [edge for card in DECK.cards.values() for edge in card.edges if edge]
    assert Counter(edges) == {1: 20, 2: 20, 3: 20, 4: 20}
    shapes = Counter(card.shape for card in DECK.cards.values() if card.shape)
    assert shapes == {"dead_end": 8, "straight": 6, "corner": 12, "tee": 4, "cross": 6}


def test_ab_03_cards_are_turned_by_quarter_turns() -> None:
    assert [rotated((1, 2, 3, 4), r) for r in range(4)] == [
        (1, 2, 3, 4),
        (4, 1, 2, 3),
        (3, 4, 1, 2),
        (2, 3, 4, 1),
    ]


def test_ab_03_rotations_that_look_the_same_are_offered_once() -> None:
    assert set(rotations_by_pattern((1, 1, 1, 1))) == {(), (0,)}
    assert set(rotations_by_pattern((2, 0, 2, 0))) == {(), (0,), (1,)}


@pytest.mark.parametrize(
    ("options", "pointer"),
    [
        (Options(bombs=3), "/bombs"),
        (Options(bombs=-1), "/bombs"),
        (Options(cave_ins=3), "/cave_ins"),
        (Options(table=Table.HARD_EDGE, table_width=2), "/table_width"),
        (Options(table_height=22), "/table_height"),
        (Options(deck="another"), "/deck"),
    ],
)
def test_options_are_refused_with_a_pointer(options: Options, pointer: str) -> None:
    with pytest.raises(OptionsRefused) as refused:
        GAME.new(options, 1)
    assert refused.value.pointer == pointer


def test_a_deck_with_fewer_specials_refuses_more() -> None:
    game = make(deck_of(["D1a", "D1b", "bomb1"]))
    with pytest.raises(OptionsRefused) as refused:
        game.new(Options(), 1)
    assert (refused.value.pointer, refused.value.reason) == ("/bombs", "the deck in use has 1")
    assert game.new(Options(bombs=1, cave_ins=0, deck="scenario"), 1).deck == (
        "D1a",
        "D1b",
        "bomb1",
    )


def test_the_record_names_the_digest_of_its_deck() -> None:
    assert GAME.data_digest == digest(TABLES)
    other = deck_of(["D1a", "D1b"])
    assert make(other).data_digest == digest(other) != GAME.data_digest
    assert GAME.new(Options(deck="ambagibus-recon-1"), 1).options.deck == "ambagibus-recon-1"


def row(**changes: Any) -> dict[str, Any]:
    return {"id": "D1a", "kind": "tunnel", "edges": [1, 0, 0, 0], **changes}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"schema": 2}, "schema: is 2, this game reads 1"),
        ({"game": "chess"}, "game: is 'chess', not 'ambagibus'"),
        ({"deck_id": "my deck"}, "deck_id: 'my deck' is not 1 to 40 of A-Z a-z 0-9 _ . -"),
        ({"edge_order": ["N", "W", "S", "E"]}, "edge_order: is not N, E, S, W"),
        ({"cards": [row(), row()]}, "cards: the id D1a is there 2 times"),
        ({"cards": [row(id="a b")]}, "cards[0] (a b): the id is not 1 to 40 of"),
        ({"cards": [row(edges=[1, 0, 0])]}, "cards[0] (D1a): has 3 edges, not four"),
        ({"cards": [row(edges=[1, 5, 0, 0])]}, "cards[0] (D1a): edge E is 5, not 0 to 4"),
        ({"cards": [row(edges=[0, 0, 0, -1])]}, "cards[0] (D1a): edge W is -1, not 0 to 4"),
        ({"cards": [row(edges=[0, 0, 0, 0])]}, "cards[0] (D1a): a tunnel has at least one"),
        ({"cards": [row(kind="bomb")]}, "cards[0] (D1a): a bomb has no edges"),
        ({"counts": {"tunnel": 2}}, "counts.tunnel: says 2, but 1 are listed"),
        ({"counts": {"tunnel": 1, "bomb": 1}}, "counts.bomb: says 1, but 0 are listed"),
        ({"cards": [], "counts": {}}, "cards: there is no tunnel"),
        (
            {
                "cards": [row(id=f"X{n}", edges=[4, 4, 4, 4]) for n in range(63)],
                "counts": {"tunnel": 63},
            },
            "cards: the printed numbers add up to 1008, above 999",
        ),
        ({"cards": [row(edges=[1, 0, 0, "2"])]}, "deck: Expected `int`, got `str` - at `$.cards"),
        ({"cards": [row(kind="tower")]}, "deck: Invalid enum value 'tower' - at `$.cards[0]"),
        ({"surplus": 1}, "deck: Object contains unknown field `surplus`"),
    ],
)
def test_a_deck_is_refused_with_the_place_and_the_reason(
    changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(DeckRefused) as refused:
        make(deck_of(["D1a"], **changes))
    assert str(refused.value).startswith(message)


def test_a_file_that_is_no_json_is_refused() -> None:
    with pytest.raises(DeckRefused, match=r"^deck: "):
        make(b"{")


def test_another_deck_is_played_with_its_own_faces() -> None:
    faces = [row(id="A", edges=[2, 0, 2, 0]), row(id="B", edges=[3, 3, 3, 3])]
    game = make(deck_of([], deck_id="other", cards=faces, counts={"tunnel": 2}))
    state = game.new(Options(bombs=0, cave_ins=0), 1)
    state = game.apply(state, CHANCE, Shuffle(("A", "B")))
    assert game.invariants(state) is None
    turn = game.turn(state)
    assert isinstance(turn, Decision)
    listed = [wire_move(move) for move in moves(turn.offers[0]) if isinstance(move, Place)]
    assert listed == [
        {"type": "place", "cell": "0,-1", "rotation": 0},
        {"type": "place", "cell": "0,1", "rotation": 0},
    ]


def test_one_card_alone_ends_at_once() -> None:
    given("D1a").then(over="exhausted 1", decisions=0, left=0)
