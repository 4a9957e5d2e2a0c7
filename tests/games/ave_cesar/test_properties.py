"""Random matches against what must hold whatever happens, and against figures measured before."""

import os
from collections.abc import Iterator
from itertools import islice
from secrets import token_hex
from statistics import mean

import pytest

from games.ave_cesar import GAME, TRIALS
from games.ave_cesar.agenda import Actions
from games.ave_cesar.invariants import cards
from games.ave_cesar.moves import Appoint, Build, Demand, EndPhase, Give, Keep, Pay, Steal, Take
from games.ave_cesar.state import Options, Phase, State
from games.core.game import CHANCE, Decision, Over
from games.core.moves import Move, count, moves, sample, take, wire_move
from games.core.walk import Step, random_match, seeded
from tests.games.ave_cesar.build import DECK, given

LONG = int(os.environ.get("PLYSCRIBE_FUZZ", "3000"))
BY_SEATS = pytest.mark.parametrize("seats", [4, 5, 6, 7])


def steps(seats: int, seed: str, options: Options | None = None) -> Iterator[Step]:
    yield from random_match(GAME, options or Options(), seats, seeded(seed))


def _hold(seats: int, seed: str, options: Options) -> State:
    """Plays a match, holding every state; the last one."""
    last = GAME.new(options, seats)
    in_round = 0
    for step in steps(seats, seed, options):
        before, after = step.before, step.after
        assert isinstance(after, State)
        assert sorted(cards(after)) == sorted(DECK.cards)
        wrong = GAME.invariants(after)
        assert wrong is None, wrong
        assert all(old <= new for old, new in zip(before.points, after.points, strict=True))
        for old, new in zip(before.cities, after.cities, strict=True):
            assert [each.card for each in new[: len(old)]] == [each.card for each in old]
        in_round = 0 if before.round != after.round else in_round + (step.seat != CHANCE)
        assert before.phase is Phase.SETUP or in_round <= 8 * seats + 9
        last = after
    assert isinstance(GAME.turn(last), Over)
    return last


@BY_SEATS
def test_cards_points_and_cities_hold_in_random_matches(seats: int) -> None:
    for number in range(8):
        assert _hold(seats, f"hold {seats}/{number}", Options()).ending is not None


@pytest.mark.fuzz
def test_cards_points_and_cities_hold_in_thousands_of_matches() -> None:
    seed = token_hex(8)
    for number in range(LONG):
        options, seats = TRIALS[number % len(TRIALS)]
        assert isinstance(options, Options)
        _hold(seats, f"{seed}/{number}", options)


@BY_SEATS
def test_a_round_has_no_more_moves_than_the_bound_says(seats: int) -> None:
    for limit in (1, 3):
        bound = GAME.bound(Options(round_limit=limit), seats)
        assert bound is not None
        assert bound <= seats + limit * (8 * seats + 9)
        for number in range(10):
            played = steps(seats, f"bound {number}", Options(round_limit=limit))
            assert sum(step.seat != CHANCE for step in played) <= bound
    assert GAME.bound(Options(), seats) is None


@pytest.mark.parametrize(("seats", "most"), [(4, 44), (5, 49), (6, 57), (7, 65)])
def test_the_bound_of_one_round_is_what_its_characters_can_ask_for(seats: int, most: int) -> None:
    """Each seat keeps, picks, is asked for the token, builds, pays, demands, is given: 7.

    The characters add 6 (Architect: survey, look, a second building), 3 (Centurion), 2 (Spy,
    Philosopher), 1 (all others); with four seats there are three discards.
    """
    assert GAME.bound(Options(round_limit=1), seats) == most


@BY_SEATS
def test_hands_of_others_change_only_by_what_takes_from_them(seats: int) -> None:
    for number in range(5):
        for step in steps(seats, f"hands {seats}/{number}"):
            before, after = step.before, step.after
            if before.phase is not Phase.CONSTRUCTION:
                continue
            turned = {before.actor, after.actor}
            for seat in range(seats):
                if len(before.hands[seat]) <= len(after.hands[seat]) or seat in turned:
                    continue
                if isinstance(step.move, Steal | Take | Give):
                    continue
                # AV-52: an only card is given without a question.
                assert isinstance(step.move, Appoint | Build | Pay | Demand), step.move
                assert len(before.hands[seat]) == 1


@BY_SEATS
def test_a_turn_without_anything_else_brings_two_cards(seats: int) -> None:
    """The difference of a hand is that of the rule: + 2 + harvest, − 1 − cost for a building."""
    turns = 0
    for number in range(6):
        for step in steps(seats, f"two {seats}/{number}"):
            before, after = step.before, step.after
            begins = after.actor >= 0 and after.actor != before.actor
            if not begins or not isinstance(step.move, EndPhase) or after.reshuffles:
                continue
            seat = after.actor
            sown = sum(bool(each.sown) for each in before.cities[seat])
            if not isinstance(after.steps[0], Actions):
                continue
            turns += 1
            assert len(after.hands[seat]) == len(before.hands[seat]) + 2 + sown
    assert turns > 20


def test_large_offers_are_counted_sampled_and_taken_without_being_listed() -> None:
    """A hand of 24 cards that is robbed has 2,704,156 answers, and one more."""
    held = ", ".join(DECK.cards[:24])
    match = given(f"K1; call 7; spy senator; P2 hand {held}; deck port.1-2")
    offers = match.offers_of(1)
    assert count(offers) == 2_704_157
    move = sample(offers, seeded("large"))
    assert isinstance(move, Steal)
    assert take(offers, wire_move(move)) == move
    reordered = {"type": "steal", "cards": list(reversed(move.cards))}
    assert take(offers, reordered) == move
    first = list(islice(moves(offers), 2))
    assert first == [Steal(DECK.cards[:12]), Steal((*DECK.cards[:11], DECK.cards[12]))]


def test_the_order_of_sealed_answers_changes_nothing() -> None:
    states: list[State] = [step.after for step in islice(steps(5, "sealed"), 2)]
    answers: dict[int, Move] = {}
    turn = GAME.turn(states[-1])
    assert isinstance(turn, Decision)
    for seat, offers in turn.offers.items():
        answers[seat] = sample(offers, seeded(f"answer {seat}"))
        assert isinstance(answers[seat], Keep)
    ends = []
    for order in ((0, 1, 2, 3, 4), (4, 3, 2, 1, 0), (2, 0, 4, 1, 3)):
        state = states[-1]
        for seat in order:
            state = GAME.apply(state, seat, answers[seat])  # type: ignore[arg-type]
        ends.append(state)
    assert ends[0] == ends[1] == ends[2]


# Means of 500 random matches by an engine of its own: rounds, reshuffles, decisions, score.
MEASURED = {
    4: (10.1, 0.46, 177, 19.9),
    5: (9.8, 0.95, 180, 18.6),
    6: (9.7, 1.13, 214, 18.1),
    7: (9.5, 1.73, 247, 17.6),
}


@BY_SEATS
def test_random_matches_are_as_long_as_measured(seats: int) -> None:
    rounds, reshuffles, decisions, points = [], [], [], []
    for number in range(60):
        played = list(steps(seats, f"figures {seats}/{number}"))
        last = played[-1].after
        rounds.append(last.round)
        reshuffles.append(last.reshuffles)
        decisions.append(sum(step.seat != CHANCE for step in played))
        points.append(mean(GAME.turn(last).scores))  # type: ignore[union-attr]
        assert last.ending == "city_complete"
    expected = MEASURED[seats]
    assert mean(rounds) == pytest.approx(expected[0], rel=0.06)
    assert mean(reshuffles) == pytest.approx(expected[1], abs=0.3)
    assert mean(decisions) == pytest.approx(expected[2], rel=0.06)
    assert mean(points) == pytest.approx(expected[3], rel=0.1)
