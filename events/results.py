"""The result of a match as a function of its log: how it ended, who did how well, what is settled.

It needs no rules and no position, only the events of `KINDS`: whoever has those of a log says the
same of it, however old its rules.
"""

from collections.abc import Iterable, Sequence
from enum import StrEnum
from itertools import pairwise
from typing import Any, Final, TypeAlias

import msgspec
from msgspec.structs import replace

from events.attended import PresenceChecked
from events.clocks import Flag
from events.rulings import ForceMove, Forfeit, Replay, SetResult, Void
from events.scheduling import NoShow
from events.timed import FlagFell
from events.types import (
    DisputeAppealed,
    DisputeClosed,
    DisputeOpened,
    DisputeRuled,
    Event,
    MatchCancelled,
    MatchCreated,
    MatchEnded,
    MatchRevealed,
    MatchRewound,
    Outcome,
    SeatResigned,
    Terminal,
)

RESULT_FORM: Final = 1  # counts up when the same result comes to be written another way


class ResultStatus(StrEnum):
    PENDING = "pending"  # there is none, or none any more
    PROVISIONAL = "provisional"  # it may change: not revealed, or a dispute is not settled
    FINAL = "final"


class Ending(StrEnum):
    """Every way a match can end, with a result or without."""

    NORMAL = "normal"
    RESIGNED = "resigned"
    FORFEITED = "forfeited"
    ADJUDICATED = "adjudicated"
    CLOSED = "closed"
    TIMED_OUT = "timed_out"
    ABANDONED = "abandoned"
    AGREED = "agreed"
    NO_SHOW = "no_show"
    CANCELLED = "cancelled"  # without a result
    VOID = "void"  # it does not count: ruled by an arbiter, or a seat did not come
    REPLAYED = "replayed"  # it does not count, another match is played in its place


WITHOUT_RESULT: Final = (Ending.CANCELLED, Ending.VOID, Ending.REPLAYED)


class SeatOutcome(StrEnum):
    """By the rank alone: rank 1 for oneself, shared, or not rank 1."""

    WIN = "win"
    DRAW = "draw"
    LOSS = "loss"


class SeatResult(msgspec.Struct, frozen=True):
    """Rank, score and outcome are None where the match has no result, or the game no scores.

    `timed_out`: out because its time was over. `forfeit`: ruled out, out because it did not come,
    forfeited at the closing time, or of a match in which nobody moved any more. `penalties` are the
    versions of rulings against the seat: forfeits and forced moves, also those that a rewind has
    left behind.
    """

    seat: int
    rank: int | None
    score: int | None
    outcome: SeatOutcome | None
    resigned: bool
    timed_out: bool
    forfeit: bool
    penalties: tuple[int, ...]


class Result(msgspec.Struct, frozen=True):
    """`revision` counts what the result was said to be. `version` is the event since which all of
    this holds, so of two results of a match the one with the higher version is the newer.
    `replaced_by` is the match that is played in place of this one.
    """

    status: ResultStatus
    revision: int
    version: int
    terminal: Ending | None
    replaced_by: str | None
    seats: tuple[SeatResult, ...]


class _By(StrEnum):
    """What put a seat out."""

    ITSELF = "itself"
    CLOCK = "clock"
    RULING = "ruling"
    ABSENCE = "absence"


_Gone: TypeAlias = tuple[tuple[int, _By], ...]


class _Known(msgspec.Struct, frozen=True):
    """What the log has said so far. `gone` are seats that are out, in order, and by what.

    `falls_out`: a seat whose flag falls is out.
    """

    seats: int
    falls_out: bool
    no_show: NoShow | None = None
    revision: int = 0
    outcome: Outcome | None = None
    ending: Ending | None = None
    replaced_by: str | None = None
    is_revealed: bool = False
    unsettled: frozenset[int] = frozenset()
    gone: _Gone = ()
    penalties: tuple[tuple[int, int], ...] = ()  # version, seat


_SAID_LATER: Final = (MatchCreated, SeatResigned, FlagFell)
_SAID_AT_ONCE: Final = (
    PresenceChecked,
    MatchEnded,
    MatchCancelled,
    MatchRevealed,
    MatchRewound,
    DisputeOpened,
    DisputeRuled,
    DisputeAppealed,
    DisputeClosed,
)
# The kinds of events that a result depends on, and those it can change with: while there is none,
# nothing is said of a seat.
CHANGING: Final = tuple(str(each.__struct_config__.tag) for each in _SAID_AT_ONCE)
KINDS: Final = (*(str(each.__struct_config__.tag) for each in _SAID_LATER), *CHANGING)


def result_in(events: Iterable[Event]) -> Result:
    """The result after the events of a log from the first on; those not of `KINDS` may be left out.

    There has to be one.
    """
    return _results(events)[-1]


def changes_in(events: Sequence[Event]) -> list[Result]:
    """Every result there was, each from the version on that made it so, beginning with none at all.

    One that its own append already replaced – a match without a window is revealed with its end –
    is left out.
    """
    results = _results(events)
    passing = {before.version for before, after in pairwise(events) if _is_passing(before, after)}
    kept: list[Result] = []
    for each in results:
        if each.version in passing and each is not results[-1]:
            continue
        if not kept or _said(kept[-1]) != _said(each):
            kept.append(each)
    return kept


def endings_in(events: Iterable[Event]) -> dict[int, Ending]:
    """Each end a match came to while it was played, how, by the version that ended it.

    After a rewind it may come to another one; a correction of an end is none.
    """
    return {
        after.version: after.terminal
        for before, after in pairwise(_results(events))
        if before.terminal is None and after.terminal is not None
    }


def _results(events: Iterable[Event]) -> list[Result]:
    """Each that says something else than the one before it."""
    known: _Known | None = None
    gone: list[tuple[int, _Gone]] = [(0, ())]
    found: list[Result] = []
    for event in events:
        if known is None:
            assert isinstance(event, MatchCreated), "a log begins with match_created"
            flag = None if event.clock is None else event.clock.flag
            known = _Known(
                event.seats,
                falls_out=flag not in (None, Flag.FALLBACK),
                no_show=None if event.schedule is None else event.schedule.no_show,
            )
        else:
            known = _after(known, event, gone)
        if gone[-1][1] != known.gone:
            gone.append((event.version, known.gone))
        result = _told(known, event.version)
        if not found or _said(found[-1]) != _said(result):
            found.append(result)
    return found


def _is_passing(before: Event, after: Event) -> bool:
    """What `before` said held for no time at all."""
    is_next = after.version == before.version + 1 and after.at == before.at
    return is_next and isinstance(after, MatchRevealed)


def _after(known: _Known, event: Event, gone: Sequence[tuple[int, _Gone]]) -> _Known:
    match event:
        case SeatResigned(seat=seat):
            return replace(known, gone=(*known.gone, (seat, _By.ITSELF)))
        case FlagFell(seat=seat) if known.falls_out:
            return replace(known, gone=(*known.gone, (seat, _By.CLOCK)))
        case PresenceChecked():
            return _checked(known, event)
        case MatchEnded(outcome=outcome):
            return _ended(known, _ending_of(outcome.terminal), outcome)
        case MatchCancelled():
            return _ended(known, Ending.CANCELLED, None)
        case MatchRevealed():
            return replace(known, is_revealed=True)
        case MatchRewound(to=to):
            then = next(each for version, each in reversed(gone) if version <= to)
            return replace(known, gone=then, outcome=None, ending=None, replaced_by=None)
        case DisputeOpened(version=dispute) | DisputeAppealed(dispute=dispute):
            return replace(known, unsettled=known.unsettled | {dispute})
        case DisputeClosed(dispute=dispute):
            return replace(known, unsettled=known.unsettled - {dispute})
        case DisputeRuled():
            return _ruled(known, event)
        case _:
            return known


def _checked(known: _Known, event: PresenceChecked) -> _Known:
    out = {seat for seat, _ in known.gone}
    absent = [s for s, seen in enumerate(event.seen) if seen is None and s not in out]
    if absent and known.no_show is NoShow.VOID:
        return _ended(known, Ending.VOID, None)
    if known.no_show is not NoShow.FORFEIT:
        return known
    return replace(known, gone=(*known.gone, *((seat, _By.ABSENCE) for seat in absent)))


def _ruled(known: _Known, event: DisputeRuled) -> _Known:
    known = replace(known, unsettled=known.unsettled - {event.dispute})
    match event.ruling:
        case Forfeit(seat=seat):
            penalties = (*known.penalties, (event.version, seat))
            return replace(known, gone=(*known.gone, (seat, _By.RULING)), penalties=penalties)
        case ForceMove(seat=seat):
            return replace(known, penalties=(*known.penalties, (event.version, seat)))
        case SetResult(ranks=ranks, scores=scores):
            outcome = Outcome(Terminal.ADJUDICATED, ranks, scores, "")
            return _ended(known, Ending.ADJUDICATED, outcome)
        case Void():
            return _ended(known, Ending.VOID, None)
        case Replay(match_id=match_id):
            return replace(_ended(known, Ending.REPLAYED, None), replaced_by=match_id)
        case _:
            return known


def _ended(known: _Known, ending: Ending, outcome: Outcome | None) -> _Known:
    revision = known.revision + 1
    return replace(known, ending=ending, outcome=outcome, revision=revision, replaced_by=None)


def _ending_of(terminal: Terminal) -> Ending:
    return Ending(terminal.value)


def _told(known: _Known, version: int) -> Result:
    status = ResultStatus.PENDING
    if known.ending is not None:
        is_open = not known.is_revealed or bool(known.unsettled)
        status = ResultStatus.PROVISIONAL if is_open else ResultStatus.FINAL
    return Result(
        status=status,
        revision=known.revision,
        version=version,
        terminal=known.ending,
        replaced_by=known.replaced_by,
        seats=tuple(_seat(known, seat) for seat in range(known.seats)),
    )


def _seat(known: _Known, seat: int) -> SeatResult:
    """While there is no result, nothing is said of a seat."""
    outcome, ending = known.outcome, known.ending
    gone = () if ending is None else known.gone
    penalties = () if ending is None else known.penalties
    scores = None if outcome is None else outcome.scores
    return SeatResult(
        seat=seat,
        rank=None if outcome is None else outcome.ranks[seat],
        score=None if scores is None else scores[seat],
        outcome=None if outcome is None else _outcome(outcome.ranks, seat),
        resigned=(seat, _By.ITSELF) in gone,
        timed_out=(seat, _By.CLOCK) in gone,
        forfeit=(seat, _By.RULING) in gone
        or (seat, _By.ABSENCE) in gone
        or ending in (Ending.CLOSED, Ending.ABANDONED),
        penalties=tuple(version for version, own in penalties if own == seat),
    )


def _outcome(ranks: tuple[int, ...], seat: int) -> SeatOutcome:
    if ranks[seat] != 1:
        return SeatOutcome.LOSS
    return SeatOutcome.WIN if ranks.count(1) == 1 else SeatOutcome.DRAW


def _said(result: Result) -> dict[str, Any]:
    """All of it but since when."""
    said = msgspec.structs.asdict(result)
    del said["version"]
    return said
