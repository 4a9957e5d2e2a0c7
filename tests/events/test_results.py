"""Results as a function of the log: every ending has its word, every correction its revision."""

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import get_args

import pytest

from events.clocks import Flag
from events.decide import CancelMatch, CloseMatch, OfGroup, Resign, RevealMatch, overdue
from events.disputes import is_provisional
from events.disputing import StartReview
from events.match import Folding, Match, decode
from events.offering import AnswerDraw, OfferDraw
from events.refusals import Refused
from events.results import KINDS, Ending, Result, ResultStatus, changes_in, result_in
from events.rulings import (
    ForceMove,
    Forfeit,
    Note,
    Replay,
    Rewind,
    Ruling,
    SetResult,
    Void,
)
from events.scheduling import NoShow
from events.types import DONE, Closing, Event, Terminal
from games import registry
from games.core.moves import sample, wire_move
from tests.events.clocked import MOVE, Clocked
from tests.events.disputed import ARBITER, appealed, closed, opened, reviewed, ruled
from tests.events.scheduled import absent
from tests.events.scripted import GROUP_ID, NOON, OTHER_ID, Table
from tests.events.test_logs import LOGS, read

GAME = registry.game("high_card")
WINDOW = 60_000
# They change no result: play, seats, what seats put into the seed, and looks.
BESIDE = {
    *("seat_claimed", "seat_released", "match_started", "position_set", "chance_drawn"),
    *("move_played", "match_closed", "entropy_committed", "entropy_closed", "entropy_opened"),
    *("takeback_asked", "takeback_answered", "review_started"),
    *("match_paused", "match_resumed", "time_added", "time_credited"),
    *("seating_opened", "stand_in_seated", "draw_offered", "draw_answered"),
    *("seat_token_issued", "seat_tokens_revoked", "look_taken", "erased"),
}


def windowed(seats: int = 2) -> Table:
    return Table(GAME, seats, window=WINDOW).play_on(Random(3))


def revealed(at: Table) -> Table:
    at.at += 2 * WINDOW
    at._log(overdue(at.current, at.dealer, at.at))
    return at


def grouped(closing: Closing) -> Table:
    group = OfGroup(GROUP_ID, NOON + 3_600_000, closing)
    return Table(GAME, 2, group=group)


def result(at: Table) -> Result:
    return result_in(at.events)


def short(each: Result) -> tuple[str, int, str | None]:
    return each.status.value, each.revision, each.terminal and each.terminal.value


def told(at: Table) -> list[tuple[str, int, str | None]]:
    return [short(each) for each in changes_in(at.events)]


def test_every_kind_of_event_is_known_to_matter_or_not() -> None:
    every = {str(each.__struct_config__.tag) for each in get_args(Event)}
    assert set(KINDS) | BESIDE == every
    assert set(KINDS) & BESIDE == set()


def test_every_terminal_has_its_ending() -> None:
    assert {each.value for each in Terminal} < {each.value for each in Ending}


def test_a_match_that_is_not_over_has_none() -> None:
    at = Table(GAME, 3)
    (only,) = changes_in(at.events)
    assert short(only) == ("pending", 0, None)
    assert [(s.rank, s.score, s.outcome, s.resigned, s.forfeit) for s in only.seats] == [
        (None, None, None, False, False)
    ] * 3


def test_without_a_window_the_end_is_final_at_once() -> None:
    at = Table(GAME, 2).play_on(Random(1))
    assert told(at) == [("pending", 0, None), ("final", 1, "normal")]
    assert result(at).version == at.events[-1].version


def test_within_the_window_it_is_provisional() -> None:
    at = windowed()
    assert told(at) == [("pending", 0, None), ("provisional", 1, "normal")]
    assert told(revealed(at))[-1] == ("final", 1, "normal")


def test_words_of_the_seats() -> None:
    at = windowed(3)
    for ranks, words in [((1, 2, 3), "win loss loss"), ((1, 1, 3), "draw draw loss")]:
        ruled(at, SetResult(ranks=ranks, scores=(9, 8, 7)))
        assert " ".join(str(each.outcome) for each in result(at).seats) == words
        assert tuple(each.rank for each in result(at).seats) == ranks
        assert tuple(each.score for each in result(at).seats) == (9, 8, 7)
    alone = Table(registry.game("ambagibus"), 1, window=WINDOW).play_on(Random(1))
    for rank, word in ((1, "win"),):
        ruled(alone, SetResult(ranks=(rank,), scores=None))
        assert [each.outcome for each in result(alone).seats] == [word]


def resigned() -> Table:
    at = Table(GAME, 2, window=WINDOW)
    at.do(Resign(1))
    return at


def forfeited() -> Table:
    at = Table(GAME, 2, window=WINDOW)
    ruled(at, Forfeit(seat=1))
    return at


def adjudicated() -> Table:
    at = windowed()
    ruled(at, SetResult(ranks=(2, 1), scores=None))
    return at


def cancelled() -> Table:
    at = Table(GAME, 2, window=WINDOW, is_seated=False)
    at.do(CancelMatch())
    return at


def void() -> Table:
    at = windowed()
    ruled(at, Void())
    return at


def replayed() -> Table:
    at = windowed()
    ruled(at, Replay(match_id=OTHER_ID))
    return at


def forfeited_at_the_closing_time() -> Table:
    at = grouped(Closing.FORFEIT)
    at.at = NOON + 3_600_000
    at.do(CloseMatch(early=False))
    return at


def cancelled_at_the_closing_time() -> Table:
    at = grouped(Closing.CANCEL)
    at.at = NOON + 3_600_000
    at.do(CloseMatch(early=False))
    return at


def timed_out() -> Table:
    at = Clocked("high_card", 2, MOVE, flag=Flag.REMOVE)
    at.fire(10_001)
    return at


def abandoned() -> Table:
    at = Clocked("high_card", 2, MOVE)
    for _ in range(100):
        if at.current.status in DONE:
            break
        at.fire(10_001)
    return at


def not_come() -> Table:
    return absent(NoShow.FORFEIT, 2)


def agreed_on() -> Table:
    at = Table(GAME, 2, agreed_draw=True)
    at.do(OfferDraw(0))
    at.do(AnswerDraw(1, at.current.version, accepts=True))
    return at


def voided_by_absence() -> Table:
    return absent(NoShow.VOID)


ENDINGS: dict[Callable[[], Table], str] = {
    windowed: "normal",
    resigned: "resigned",
    forfeited: "forfeited",
    adjudicated: "adjudicated",
    cancelled: "cancelled",
    void: "void",
    replayed: "replayed",
    forfeited_at_the_closing_time: "closed",
    cancelled_at_the_closing_time: "cancelled",
    timed_out: "timed_out",
    abandoned: "abandoned",
    not_come: "no_show",
    voided_by_absence: "void",
    agreed_on: "agreed",
}


_REVEALED = (timed_out, abandoned, not_come, voided_by_absence, agreed_on)


@pytest.mark.parametrize(("made", "word"), ENDINGS.items(), ids=[each.__name__ for each in ENDINGS])
def test_every_way_to_end_has_its_word(made: Callable[[], Table], word: str) -> None:
    found = result(made())
    assert found.terminal == word
    assert found.status == ("final" if made in _REVEALED else "provisional")
    assert found.revision >= 1


def test_the_words_are_all_there_are() -> None:
    assert set(ENDINGS.values()) == {each.value for each in Ending}


def test_a_match_without_a_result_has_no_ranks() -> None:
    for made in (cancelled, void, replayed):
        assert {each.rank for each in result(made()).seats} == {None}
        assert {each.outcome for each in result(made()).seats} == {None}
    assert result(replayed()).replaced_by == OTHER_ID
    assert result(void()).replaced_by is None


def test_who_gave_up_and_who_was_ruled_out_are_told_apart() -> None:
    assert [(s.resigned, s.forfeit) for s in result(resigned()).seats] == [
        (False, False),
        (True, False),
    ]
    at = forfeited()
    first, second = result(at).seats
    assert (first.penalties, first.forfeit, second.forfeit) == ((), False, True)
    (version,) = second.penalties
    assert at.events[version - 1].version == version
    assert {s.forfeit for s in result(forfeited_at_the_closing_time()).seats} == {True}


def test_a_flag_that_puts_out_is_told_as_such() -> None:
    found = result(timed_out())
    assert sorted((s.timed_out, s.resigned, s.forfeit) for s in found.seats) == [
        (False, False, False),
        (True, False, False),
    ]
    found = result(abandoned())
    assert {(s.timed_out, s.forfeit, s.outcome) for s in found.seats} == {(False, True, "loss")}


def test_a_forced_move_is_a_penalty() -> None:
    at = Table(GAME, 2, window=WINDOW)
    decision = at.current.decision
    assert decision is not None
    seat = min(decision.offers)
    move = wire_move(sample(decision.offers[seat], Random(1)))
    identity = at.current.decision_of(seat)
    assert identity is not None
    ruled(at, ForceMove(seat=seat, decision=identity), move=move)
    at.play_on(Random(1))
    assert len(result(at).seats[seat].penalties) == 1


def test_corrections_raise_the_revision() -> None:
    at = windowed()
    ruled(at, SetResult(ranks=(2, 1), scores=None))
    ruled(at, Void())
    ruled(at, SetResult(ranks=(1, 1), scores=None))
    ruled(at, Replay(match_id=OTHER_ID))
    assert [each[1] for each in told(at)] == [0, 1, 2, 3, 4, 5]
    assert [each[2] for each in told(at)][1:] == [
        *("normal", "adjudicated", "void", "adjudicated", "replayed")
    ]


def test_a_dispute_after_the_reveal_opens_the_result_again() -> None:
    at = revealed(windowed())
    dispute = opened(at)
    assert told(at)[-1] == ("provisional", 1, "normal")
    at.do(StartReview(dispute, ARBITER, False))
    ruled(at, Note(), dispute)
    assert told(at)[-1] == ("final", 1, "normal")
    appealed(at, dispute)
    assert told(at)[-1] == ("provisional", 1, "normal")
    at.do(StartReview(dispute, ARBITER, False))
    ruled(at, SetResult(ranks=(2, 1), scores=None), dispute)
    assert told(at)[-1] == ("final", 2, "adjudicated")
    again = opened(at)
    closed(at, again, seat=0)
    assert [each[0] for each in told(at)][-2:] == ["provisional", "final"]


def test_a_rewind_takes_the_result_back() -> None:
    at = windowed()
    started = next(e.version for e in at.events if str(e.__struct_config__.tag) == "chance_drawn")
    ruled(at, Rewind(to=started, boundary=None))
    assert told(at)[-1] == ("pending", 1, None)
    at.play_on(Random(5))
    assert told(at)[-1] == ("provisional", 2, "normal")


def test_what_a_seat_gave_up_in_what_is_skipped_is_not_given_up() -> None:
    at = Table(GAME, 3, window=WINDOW)
    before = at.current.version
    at.do(Resign(1))
    after = at.current.version
    ruled(at, Rewind(to=before, boundary=None))
    ruled(at, Rewind(to=after, boundary=None))  # To what was skipped: it is a version like others.
    gone = at.current
    assert gone.resigned == (1,)
    at.play_on(Random(2))
    assert [each.resigned for each in result(at).seats] == [False, True, False]


@pytest.mark.parametrize("path", sorted(LOGS.glob("*.jsonl")), ids=lambda path: path.stem)
def test_it_agrees_with_the_fold_of_old_logs(path: Path) -> None:
    records, _ = read(path)
    folding = Folding(records)
    for number, record in enumerate(records, 1):
        folding.take(record)
        assert folding.current is not None
        agrees(folding.current, result_in([decode(each) for each in records[:number]]))


@pytest.mark.parametrize("made", ENDINGS, ids=[each.__name__ for each in ENDINGS])
def test_it_agrees_with_the_fold_however_the_match_ended(made: Callable[[], Table]) -> None:
    at = made()
    for step in at.steps:
        is_as_settled(step.after, result_in(at.events[: step.event.version]))


@pytest.mark.parametrize("number", range(25))
def test_it_agrees_with_the_fold_of_random_histories(number: int) -> None:
    rng = Random(number)
    at = Table(GAME, rng.choice((2, 3)), window=rng.choice((None, WINDOW)))
    for _ in range(12):
        try:
            _something(at, rng)
        except Refused:
            continue
    for step in at.steps:
        agrees(step.after, result_in(at.events[: step.event.version]))
    by_kind = [each for each in at.events if str(each.__struct_config__.tag) in KINDS]
    assert changes_in(by_kind) == changes_in(at.events)


def _something(at: Table, rng: Random) -> None:
    match rng.randrange(6):
        case 0 | 1:
            at.play_on(rng, most=rng.choice((3, 20, 200)))
        case 2:
            at.do(Resign(rng.randrange(at.current.seats)))
        case 3:
            ruled(at, _ruling(at, rng), reviewed(at, rng.choice((None, 0)), pause=False))
        case 4:
            opened(at, rng.choice((None, 0, 1)))
        case 5:
            at.at += rng.choice((0, WINDOW))
            due = overdue(at.current, at.dealer, at.at) if at.current.status in DONE else ()
            if due:
                at._log(due)


def _ruling(at: Table, rng: Random) -> Ruling:
    seats = at.current.seats
    back = Rewind(to=rng.randint(2, at.current.version), boundary=None)
    result = SetResult(ranks=(1,) * seats, scores=None)
    forfeit = Forfeit(seat=rng.randrange(seats))
    return rng.choice((back, back, back, result, Void(), forfeit, forfeit, Note()))


def is_as_settled(current: Match, found: Result) -> None:
    """Which result it is, and whether it may yet change."""
    assert (found.status is ResultStatus.PENDING) == (current.status not in DONE)
    assert found.revision == current.revision
    assert (found.status is ResultStatus.PROVISIONAL) == is_provisional(current)


def agrees(current: Match, found: Result) -> None:
    """With everything that both know."""
    is_as_settled(current, found)
    is_over = current.status in DONE
    if current.outcome is None:
        assert {each.rank for each in found.seats} == {None}
    else:
        assert tuple(each.rank for each in found.seats) == current.outcome.ranks
        assert found.terminal is not None
        assert found.terminal.value == current.outcome.terminal.value
    if is_over:
        gone = {s.seat for s in found.seats if s.resigned or s.timed_out or s.forfeit}
        is_closed = found.terminal in (Ending.CLOSED, Ending.ABANDONED)
        assert is_closed or gone == set(current.resigned)
        assert is_closed or {s.seat for s in found.seats if s.forfeit} == set(current.forfeited)


def test_a_group_is_told_of_its_reveal_as_of_an_end() -> None:
    at = forfeited_at_the_closing_time()
    at.do(RevealMatch())
    assert told(at)[-1] == ("final", 1, "closed")
