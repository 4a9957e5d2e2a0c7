"""Offers and `take`: what is offered is taken, listed, counted and sampled, and nothing else."""

from collections.abc import Sequence
from enum import Enum, StrEnum
from itertools import islice
from math import factorial
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.core.moves import (
    Choice,
    Field,
    IllegalMove,
    Move,
    Number,
    Offer,
    Pick,
    Text,
    count,
    move_type,
    moves,
    offer,
    one_of,
    sample,
    shown_offer,
    snake,
    take,
    text_fields,
    wire_move,
    wire_offer,
)
from games.core.shown import sample_shown


class Suit(StrEnum):
    CLUB = "club"
    HEART = "heart"


class Level(Enum):
    LOW = 1
    HIGH = 2


class One(Move, frozen=True):
    pick: Any


class Many(Move, frozen=True):
    picks: tuple[Any, ...]


class Mixed(Move, frozen=True):
    pick: int | None
    picks: tuple[str, ...]
    level: int


class PassSuit(Move, frozen=True):
    suit: Suit
    level: Level


class Say(Move, frozen=True):
    text: str
    to: int


class Nod(Move, frozen=True):
    pass


OPTIONS: tuple[Pick, ...] = ("a", "b", 1, 2, True, False, Suit.CLUB, Level.HIGH, "1")


def choices(most_options: int = 4) -> st.SearchStrategy[Choice]:
    def sized(options: Sequence[Pick]) -> st.SearchStrategy[Choice]:
        low = st.integers(0, 3)
        return st.builds(
            lambda least, more, ordered, repeats: Choice(
                tuple(options), least, least + more, ordered, repeats
            ),
            low,
            st.integers(0, 2),
            st.booleans(),
            st.booleans(),
        )

    distinct = st.lists(st.sampled_from(range(len(OPTIONS))), unique=True, max_size=most_options)
    # Level.HIGH and 2 have one wire form, so they do not stand in one choice.
    return distinct.map(
        lambda places: [OPTIONS[p] for p in places if not (p == 7 and 3 in places)]
    ).flatmap(sized)


def offer_lists() -> st.SearchStrategy[list[Offer]]:
    scalars = choices().map(lambda c: Choice(c.options, min(c.least, 1), 1, c.ordered, c.repeats))
    numbers = st.builds(
        lambda low, more: Number(low, low + more), st.integers(-3, 3), st.integers(-1, 3)
    )
    one = st.one_of(scalars, numbers).map(lambda field: offer(One, pick=field))
    many = choices().map(lambda field: offer(Many, picks=field))
    mixed = st.builds(
        lambda pick, picks, level: offer(Mixed, pick=pick, picks=picks, level=level),
        scalars,
        choices(3),
        numbers,
    )
    return st.tuples(one, many, mixed, st.just(offer(Nod))).map(list)


def only_moves(offers: list[Offer]) -> list[Move]:
    return [move for move in islice(moves(offers), 3000) if isinstance(move, Move)]


@given(offer_lists())
def test_every_listed_move_is_taken_as_itself(offers: list[Offer]) -> None:
    for move in only_moves(offers):
        assert repr(take(offers, wire_move(move))) == repr(move)


@given(offer_lists())
def test_as_many_moves_are_listed_as_counted_and_all_differ(offers: list[Offer]) -> None:
    for each in offers:
        listed = list(islice(moves([each]), 3001))
        if len(listed) <= 3000:
            assert count([each]) == len(listed)
            assert len({repr(move) for move in listed}) == len(listed)
    assert count(offers) == sum(count([each]) or 0 for each in offers)


@given(offer_lists(), st.integers())
def test_a_sample_is_one_of_the_moves_listed(offers: list[Offer], seed: int) -> None:
    move = sample(offers, Random(seed))
    assert repr(take(offers, wire_move(move))) == repr(move)


@pytest.mark.parametrize(
    "choice",
    [
        Choice((1, 2, 3), 0, 3),
        Choice((1, 2, 3), 1, 2, ordered=True),
        Choice((1, 2, 3), 0, 3, repeats=True),
        Choice((1, 2), 1, 3, ordered=True, repeats=True),
    ],
)
def test_samples_cover_all_moves_about_equally(choice: Choice) -> None:
    offers = [offer(Many, picks=choice), offer(Nod)]
    total = count(offers)
    assert total is not None
    rng = Random(7)
    drawn = [sample(offers, rng) for _ in range(200 * total)]
    times = {move: drawn.count(move) for move in moves(offers) if isinstance(move, Move)}
    assert len(times) == total
    assert min(times.values()) > 120
    assert max(times.values()) < 300


@given(offer_lists(), st.integers())
def test_a_sample_of_what_is_shown_is_taken(offers: list[Offer], seed: int) -> None:
    shown = [shown_offer(each) for each in offers]
    assert take(offers, sample_shown(shown, Random(seed)))


def test_samples_of_what_is_shown_are_the_same_as_of_the_offers_but_for_texts() -> None:
    picks = Choice((1, 2, 3), 0, 3)
    offers = [offer(Many, picks=picks), offer(Nod), offer(One, pick=Choice((True, 1), 0, 1))]
    shown = [shown_offer(each) for each in offers]
    for seed in range(50):
        here, there = sample(offers, Random(seed)), sample_shown(shown, Random(seed))
        assert wire_move(here) == there
    talk = [offer(Say, text=Text(4), to=Number(2, 2))]
    said = sample_shown([shown_offer(each) for each in talk], Random(1))
    assert said == {"type": "say", "text": "well", "to": 2}
    with pytest.raises(ValueError):
        sample_shown([], Random(1))


def test_unordered_picks_are_taken_in_any_order_and_stored_in_that_of_the_options() -> None:
    offers = [offer(Many, picks=Choice(("c", "a", "b"), 2, 3))]
    assert take(offers, {"type": "many", "picks": ["b", "c"]}) == Many(("c", "b"))
    assert take(offers, {"type": "many", "picks": ["a", "b", "c"]}) == Many(("c", "a", "b"))


def test_ordered_picks_stay_as_they_come() -> None:
    offers = [offer(Many, picks=Choice(("c", "a", "b"), 2, 2, ordered=True))]
    assert take(offers, {"type": "many", "picks": ["b", "c"]}) == Many(("b", "c"))


def test_enum_members_travel_as_their_values() -> None:
    offers = [offer(PassSuit, suit=one_of(list(Suit)), level=one_of(list(Level)))]
    move = take(offers, {"type": "pass_suit", "suit": "heart", "level": 2})
    assert move == PassSuit(Suit.HEART, Level.HIGH)
    assert type(getattr(move, "suit", None)) is Suit
    assert wire_move(move) == {"type": "pass_suit", "suit": "heart", "level": 2}


NUMBERS: Field = Number(0, 5)


@pytest.mark.parametrize(
    ("field", "wire"),
    [
        (NUMBERS, True),
        (NUMBERS, 1.0),
        (NUMBERS, "1"),
        (NUMBERS, 6),
        (NUMBERS, -1),
        (NUMBERS, None),
        (NUMBERS, [1]),
        (one_of([1, 2]), True),
        (one_of([1, 2]), 1.0),
        (one_of([True]), 1),
        (one_of(["a"]), ["a"]),
        (one_of(["a"]), {"a": 1}),
        (one_of(["a"]), None),
        (one_of([Suit.CLUB]), "CLUB"),
        (one_of([]), None),
        (Text(3), ""),
        (Text(3), " \t\n"),
        (Text(3), "\N{NO-BREAK SPACE}"),
        (Text(3), "four"),
        (Text(3), "\ud800"),
        (Text(3), "a\0"),
        (Text(3), ["a"]),
        (Text(3), None),
        (Text(3), 1),
    ],
)
def test_a_scalar_field_refuses(field: Field, wire: object) -> None:
    with pytest.raises(IllegalMove):
        take([offer(One, pick=field)], {"type": "one", "pick": wire})


@pytest.mark.parametrize(
    "wire",
    ["a", None, [], ["a"], ["a", "a"], ["a", "b", "c"], ["a", "d"], ["a", None], ["a", ["b"]]],
)
def test_a_tuple_field_refuses(wire: object) -> None:
    with pytest.raises(IllegalMove):
        take([offer(Many, picks=Choice(("a", "b", "c"), 2, 2))], {"type": "many", "picks": wire})


@pytest.mark.parametrize(
    "wire",
    [
        None,
        [],
        "nod",
        {},
        {"type": "Nod"},
        {"type": ["nod"]},
        {"type": "nod", "extra": None},
        {"type": "one"},
        {"pick": 1},
    ],
)
def test_anything_but_a_move_of_the_offered_form_is_refused(wire: object) -> None:
    with pytest.raises(IllegalMove):
        take([offer(Nod), offer(One, pick=one_of([1]))], wire)


def test_a_refusal_names_the_type_and_nothing_else() -> None:
    with pytest.raises(IllegalMove, match=r"^move not offered: one$"):
        take([offer(One, pick=one_of(["secret"]))], {"type": "one", "pick": "guess"})
    with pytest.raises(IllegalMove, match=r"^move not offered: \?$"):
        take([], {"type": {"of": "no string"}})


def test_two_offers_of_one_type_are_tried_in_turn() -> None:
    offers = [offer(One, pick=one_of(["a"])), offer(One, pick=one_of(["b"]))]
    assert take(offers, {"type": "one", "pick": "b"}) == One("b")
    with pytest.raises(IllegalMove):
        take(offers, {"type": "one", "pick": "c"})


def test_an_optional_scalar_takes_null() -> None:
    offers = [offer(One, pick=Choice(("a",), least=0))]
    assert take(offers, {"type": "one", "pick": None}) == One(None)
    assert list(moves(offers)) == [One(None), One("a")]
    assert count(offers) == 2


def test_an_offer_with_a_text_counts_null_and_is_listed_once() -> None:
    say = offer(Say, text=Text(9), to=one_of([0, 1]))
    assert count([offer(Nod), say]) is None
    assert list(moves([offer(Nod), say])) == [Nod(), say]
    assert text_fields(say) == ("text",)
    assert take([say], wire_move(sample([say], Random(1))))
    assert take([say], {"type": "say", "text": "123456789", "to": 1}) == Say("123456789", 1)


def test_a_shuffle_of_many_cards_is_listed_lazily_counted_exactly_and_sampled() -> None:
    shuffle = [offer(Many, picks=Choice(tuple(range(200)), 200, 200, ordered=True))]
    assert count(shuffle) == factorial(200)
    assert next(moves(shuffle)) == Many(tuple(range(200)))
    assert sorted(wire_move(sample(shuffle, Random(1)))["picks"]) == list(range(200))
    two = [offer(Mixed, pick=one_of([1]), picks=shuffle[0].fields["picks"], level=Number(0, 1))]
    assert len(list(islice(moves(two), 5))) == 5
    assert sample([*shuffle, offer(Nod)], Random(1)) != Nod()


def test_nothing_can_be_sampled_from_no_moves() -> None:
    assert count([]) == count([offer(One, pick=one_of([]))]) == 0
    with pytest.raises(ValueError):
        sample([offer(One, pick=one_of([]))], Random(1))


def test_offers_as_json() -> None:
    each = offer(Mixed, pick=Choice((1,), 0), picks=Choice(("a", "b"), 2, 2, True), level=NUMBERS)
    assert wire_offer(each) == {
        "type": "mixed",
        "fields": {
            "pick": {"options": [1], "least": 0, "most": 1, "ordered": False, "repeats": False},
            "picks": {
                "options": ["a", "b"],
                "least": 2,
                "most": 2,
                "ordered": True,
                "repeats": False,
            },
            "level": {"low": 0, "high": 5},
        },
    }
    assert wire_offer(offer(Say, text=Text(9), to=one_of([])))["fields"]["text"] == {
        "text": {"most": 9}
    }


def test_offers_are_shown_with_the_form_of_their_picks() -> None:
    each = offer(Mixed, pick=Choice((1,), 0), picks=Choice(("a",)), level=NUMBERS)
    fields = shown_offer(each)["fields"]
    assert [fields[name].get("list") for name in ("pick", "picks", "level")] == [False, True, None]


def test_wire_names_are_snake_case() -> None:
    names = [snake(name) for name in ("PassCard", "Nod", "Take2Cards", "EndTurn")]
    assert names == ["pass_card", "nod", "take2_cards", "end_turn"]
    assert move_type(PassSuit) == move_type(PassSuit(Suit.CLUB, Level.LOW)) == "pass_suit"
