"""Commands: every one in every status, decision ids, and all that follows in one append."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from msgspec.structs import replace as replaced

from events import seating
from events.canonical import decoded
from events.decide import (
    AlreadyResigned,
    CancelMatch,
    ClaimSeat,
    Command,
    DecisionClosed,
    MatchAlreadyStarted,
    MatchEndedAlready,
    MatchNotRunning,
    OfferGone,
    PlayMove,
    Refused,
    ReleaseSeat,
    Resign,
    SeatFree,
    SeatsUnclaimed,
    SeatTaken,
    StartMatch,
)
from events.types import By, MatchEnded, MovePlayed, Outcome, Start, Status, Terminal, kind_of
from games import registry
from games.core.game import OptionsRefused
from games.core.moves import IllegalMove
from tests.events.scripted import ScriptedDealer, Table
from tests.games.high_card.game import Options

GAME = registry.game("high_card")
DECK = (9, 1, 8, 2, 7, 3, 6, 4, 5, 10)
DEALER = ScriptedDealer({"round 1 deal": DECK, "round 2 deal": DECK, "round 3 deal": DECK})


def table(seats: int = 3, rounds: int = 2, start: Start = Start.AUTO) -> Table:
    """A match whose seat s holds DECK[2s : 2s + 2] in every round."""
    return Table(GAME, seats, Options(rounds=rounds), dealer=DEALER, start=start)


def unseated(seats: int = 2, start: Start = Start.AUTO) -> Table:
    return Table(GAME, seats, start=start, is_seated=False)


def arranged(at: Table) -> Table:
    decision = at.current.decision
    assert decision is not None
    (leader,) = decision.offers
    at.play(leader, {"type": "arrange", "cards": list(DECK[2 * leader : 2 * leader + 2])})
    return at


def chosen(at: Table, *seats: int) -> Table:
    for seat in seats:
        at.play(seat, {"type": "choose", "card": DECK[2 * seat]})
    return at


def kinds(at: Table) -> list[str]:
    return [kind_of(event) for event in at.events]


# Seats and the start


def test_creation_is_event_1_and_pins_everything() -> None:
    at = unseated()
    assert kinds(at) == ["match_created"]
    body = decoded(at.records[0].body)
    assert body["options"] == {"rounds": 2, "talk": True}
    assert body["data_digest"] == GAME.data_digest
    assert (body["format"], body["reveal"], body["steerable"]) == (1, "at_end", "operator")


def test_creation_refuses_what_the_game_refuses() -> None:
    with pytest.raises(OptionsRefused):
        Table(GAME, 7)


def test_the_last_claim_starts_the_match_and_deals_in_one_append() -> None:
    at = unseated()
    at.do(ClaimSeat(1, "bob"))
    steps = at.do(ClaimSeat(0, "ann"))
    assert [kind_of(s.event) for s in steps] == ["seat_claimed", "match_started", "chance_drawn"]
    assert at.current.holders == ("ann", "bob")
    assert at.current.status is Status.RUNNING


def test_a_manual_match_waits_for_its_start() -> None:
    at = table(2, start=Start.MANUAL)
    assert at.current.status is Status.SEATING
    at.do(ReleaseSeat(1))
    with pytest.raises(SeatsUnclaimed):
        at.do(StartMatch())
    at.do(ClaimSeat(1, "eve"))
    steps = at.do(StartMatch())
    assert [kind_of(s.event) for s in steps] == ["match_started", "chance_drawn"]


def test_a_seat_is_claimed_once_and_released_once() -> None:
    at = unseated()
    with pytest.raises(SeatFree):
        at.do(ReleaseSeat(0))
    at.do(ClaimSeat(0, "ann"))
    with pytest.raises(SeatTaken):
        at.do(ClaimSeat(0, "bob"))
    at.do(ReleaseSeat(0))
    assert at.current.holders == (None, None)


@pytest.mark.parametrize("command", [ClaimSeat(0, "x"), ReleaseSeat(0), StartMatch()])
def test_seats_change_hands_before_the_start_only(command: Command) -> None:
    with pytest.raises(MatchAlreadyStarted):
        table().do(command)


@pytest.mark.parametrize("command", [ClaimSeat(0, "x"), ReleaseSeat(0), StartMatch()])
def test_a_match_that_was_cancelled_before_its_start_is_over(command: Command) -> None:
    at = unseated()
    at.do(CancelMatch())
    with pytest.raises(MatchEndedAlready):
        at.do(command)


def test_who_stands_apart_from_a_deal_group_learns_of_no_end() -> None:
    running = table().current
    running = replaced(running, created=replaced(running.created, deal_group="g"))
    ended = replaced(running, status=Status.OVER)
    for each in (running, ended):
        with pytest.raises(MatchAlreadyStarted):
            seating.arranged(each, StartMatch(), 0)
    told = (replaced(ended, seed="00"), replaced(ended, status=Status.CANCELLED, state=None))
    for each in told:
        with pytest.raises(MatchEndedAlready):
            seating.arranged(each, StartMatch(), 0)


@pytest.mark.parametrize(
    "command", [Resign(0), PlayMove(0, None, {}, b""), PlayMove(0, "1.0", {}, b"")]
)
def test_before_the_start_nobody_plays(command: Command) -> None:
    with pytest.raises(MatchNotRunning):
        unseated().do(command)


@pytest.mark.parametrize("seat", [-1, 2])
def test_a_seat_that_does_not_exist_is_the_callers_mistake(seat: int) -> None:
    with pytest.raises(AssertionError):
        unseated().do(ClaimSeat(seat, "x"))


# Moves


def test_a_move_is_logged_in_canonical_order_with_its_decision() -> None:
    at = table()
    assert at.current.decision_of(0) == "6.0"
    (step,) = at.play(0, {"cards": [1, 9], "type": "arrange"})
    assert isinstance(step.event, MovePlayed)
    assert bytes(step.event.move) == b'{"cards":[1,9],"type":"arrange"}'
    assert (step.event.decision, step.event.by) == ("6.0", By.SEAT)
    assert step.event.asks == (0, 1, 2)


@pytest.mark.parametrize(
    "wire",
    [None, 5, {}, {"type": "waive"}, {"type": "arrange"}, {"type": "arrange", "cards": [9]},
     {"type": "arrange", "cards": [9, 9]}, {"type": "arrange", "cards": [9, 1], "x": 1}],
)  # fmt: skip
def test_what_no_offer_takes_is_refused_without_trace(wire: object) -> None:
    at = table()
    before = at.current
    with pytest.raises(IllegalMove):
        at.play(0, wire)
    assert at.current == before


def test_a_refusal_names_the_type_and_no_more() -> None:
    with pytest.raises(IllegalMove) as error:
        table().play(0, {"type": "arrange", "cards": [7, 3]})
    assert str(error.value) == "move not offered: arrange"


@pytest.mark.parametrize("decision", ["6.1", "5.0", "0.0", "6", "", "seat"])
def test_a_decision_that_is_not_open_for_the_seat_is_closed(decision: str) -> None:
    with pytest.raises(DecisionClosed):
        table().do(PlayMove(0, decision, {"type": "waive"}, b""))


def test_a_seat_that_is_not_asked_has_no_decision() -> None:
    with pytest.raises(DecisionClosed):
        table().play(1, {"type": "arrange", "cards": [8, 2]})


def test_an_offer_is_gone_once_events_came_since_the_decision_opened() -> None:
    at = arranged(table())
    wrong = {"type": "choose", "card": 99}
    with pytest.raises(IllegalMove):
        at.play(1, wrong)
    chosen(at, 0)
    with pytest.raises(OfferGone):
        at.play(1, wrong)


def test_an_aside_is_taken_at_any_time_and_ends_no_decision() -> None:
    at = table()
    (step,) = at.say(2, {"type": "speak", "text": "hello"})
    assert isinstance(step.event, MovePlayed)
    assert (step.event.decision, step.event.asks, step.event.sealed) == (None, (), None)
    assert at.current.decision_of(0) == "6.0"
    with pytest.raises(IllegalMove):
        at.say(2, {"type": "waive"})
    with pytest.raises(IllegalMove):
        table().play(0, {"type": "speak", "text": "no answer"})


def test_a_text_lies_beside_the_log_and_its_digest_within() -> None:
    at = table()
    (step,) = at.say(2, {"type": "speak", "text": "geheim: Ü"})
    (row,) = step.texts
    assert (row.version, row.field, row.text, len(row.salt)) == (7, "text", "geheim: Ü", 32)
    said = decoded(at.records[-1].body)["move"]["text"]
    assert len(said) == 64
    assert b"geheim" not in at.records[-1].body


# Decision ids


def test_a_seat_keeps_its_decision_through_moves_of_others_and_asides() -> None:
    at = arranged(table())
    own = at.current.decision_of(1)
    chosen(at, 0)
    at.say(2, {"type": "speak", "text": "hm"})
    at.say(1, {"type": "speak", "text": "hm"})
    assert at.current.decision_of(1) == own
    assert at.current.decision_of(0) is None


def test_who_answers_or_was_not_asked_gets_a_new_decision() -> None:
    at = chosen(arranged(table()), 0, 1, 2)
    version = at.current.version
    assert [at.current.decision_of(seat) for seat in range(3)] == [
        f"{version}.{seat}" for seat in range(3)
    ]


def test_in_an_open_decision_the_offers_change_and_the_ids_of_the_others_stay() -> None:
    at = chosen(arranged(table()), 0, 1, 2)
    opened = at.current.version
    at.play(2, {"type": "waive"})  # The match goes on with a draw and asks seat 1 alone.
    assert at.current.decision_of(1) == f"{opened}.1"  # It was asked before and has not answered.
    assert at.current.decision_of(0) is None
    arranged(at)
    assert at.current.decision_of(0) == f"{at.current.version}.0"  # It was out of the offers.


def test_a_draw_in_between_renews_nothing() -> None:
    at = chosen(arranged(table(2, rounds=3)), 0, 1)
    own = at.current.decision_of(1)
    steps = at.play(0, {"type": "waive"})
    assert kind_of(steps[-1].event) == "chance_drawn"
    assert steps[-1].event.asks == ()
    assert at.current.decision_of(1) == own


# The end


def test_the_last_move_ends_and_reveals_in_one_append() -> None:
    at = chosen(arranged(table(2, rounds=1)), 0, 1)
    steps = at.play(0, {"type": "ring", "stake": 2})
    assert [kind_of(s.event) for s in steps] == ["move_played", "match_ended", "match_revealed"]
    assert at.current.outcome == Outcome(Terminal.NORMAL, (1, 2), (5, 0), "")
    assert len({step.event.at for step in steps}) == 1


@pytest.mark.parametrize("command", [Resign(0), PlayMove(0, "9.0", {"type": "waive"}, b"")])
def test_after_the_end_nobody_plays(command: Command) -> None:
    at = chosen(arranged(table(2, rounds=1)), 0, 1)
    at.play(0, {"type": "waive"})
    with pytest.raises(MatchNotRunning):
        at.do(command)
    with pytest.raises(MatchEndedAlready):
        at.do(CancelMatch())


@pytest.mark.parametrize("make", [unseated, table])
def test_a_cancelled_match_reveals_too(make: Callable[[], Table]) -> None:
    at = make()
    steps = at.do(CancelMatch())
    assert [kind_of(s.event) for s in steps] == ["match_cancelled", "match_revealed"]
    assert (at.current.status, at.current.outcome) == (Status.CANCELLED, None)
    with pytest.raises(MatchEndedAlready):
        at.do(CancelMatch())


# Resignation


def test_with_one_seat_left_the_match_ends() -> None:
    at = table(2)
    steps = at.do(Resign(0))
    assert [kind_of(s.event) for s in steps] == ["seat_resigned", "match_ended", "match_revealed"]
    assert at.current.outcome == Outcome(Terminal.RESIGNED, (2, 1), None, "")


def test_an_earlier_resignation_ranks_lower() -> None:
    at = table(4)
    for seat in (3, 0, 2):
        at.do(Resign(seat))
    assert at.current.outcome == Outcome(Terminal.RESIGNED, (3, 1, 2, 4), None, "")


def test_a_resigned_seat_is_played_by_its_fallback() -> None:
    at = table(3)
    steps = at.do(Resign(0))
    fallbacks = [s.event for s in steps if isinstance(s.event, MovePlayed)]
    assert [(e.seat, e.by, decoded(e.move)["type"]) for e in fallbacks] == [
        (0, By.FALLBACK, "arrange"),
        (0, By.FALLBACK, "choose"),
    ]
    chosen(at, 1, 2)
    assert decoded(at.events[-1].move)["type"] == "choose"  # type: ignore[union-attr, arg-type]
    at.play(1, {"type": "waive"})  # In an open decision the absent seat is not waited for.
    assert at.current.decision is not None
    assert set(at.current.decision.offers) == {1}


def test_a_resigned_seat_ranks_last_whatever_it_scores() -> None:
    at = table(3, rounds=1)
    at.do(Resign(0))
    chosen(at, 1, 2).play(1, {"type": "waive"})
    assert at.current.outcome == Outcome(Terminal.NORMAL, (3, 1, 1), (3, 0, 0), "")


def test_a_match_ends_when_all_who_have_not_resigned_are_out() -> None:
    at = Table(replace(GAME, out=lambda state: (0, 1)), 4, dealer=DEALER)
    at.do(Resign(2))
    assert at.current.status is Status.RUNNING
    at.do(Resign(3))
    assert at.current.outcome == Outcome(Terminal.RESIGNED, (1, 1, 4, 3), None, "")


@pytest.mark.parametrize("decision", [None, "6.0"])
def test_a_resigned_seat_does_nothing_more(decision: str | None) -> None:
    at = table(3)
    at.do(Resign(0))
    with pytest.raises(AlreadyResigned):
        at.do(Resign(0))
    with pytest.raises(AlreadyResigned):
        at.do(PlayMove(0, decision, {"type": "speak", "text": "x"}, b"s"))


def test_a_resigned_seat_cannot_act_in_an_open_decision() -> None:
    at = chosen(arranged(table(3)), 0, 1, 2)
    at.do(Resign(2))
    assert not isinstance(at.events[-1], MatchEnded)
    with pytest.raises(AlreadyResigned):
        at.play(2, {"type": "waive"})


def test_every_refusal_is_one_kind_of_error() -> None:
    for each in (AlreadyResigned, DecisionClosed, OfferGone, SeatTaken, SeatFree, SeatsUnclaimed):
        assert issubclass(each, Refused)
