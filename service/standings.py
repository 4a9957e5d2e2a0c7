"""How the matches of a deal group compare: by the game's own scores, seat by seat."""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Final, TypeAlias

import msgspec

from events.match import Match
from events.types import DONE, Terminal
from games.core.game import Seat
from service.auth import Caller
from service.callers import Kind, Scope
from service.committing import loaded
from service.deal_groups import visible
from service.group_rows import GroupState, Table
from service.parts import Parts

Key: TypeAlias = tuple[int, int, int]

OPEN_TO: Final = Scope.ARBITRATE  # while the group runs


class Finish(StrEnum):
    """How a seat came to the end of its match."""

    NORMAL = "normal"
    RESIGNED = "resigned"  # the seat itself or by an arbiter's ruling; or every other one
    TIMED_OUT = "timed_out"  # the seat's own time was over; or every other one's
    ABANDONED = "abandoned"  # nobody moved any more
    CLOSED = "closed"  # forfeited at the closing time
    ADJUDICATED = "adjudicated"  # an arbiter set the result, or ruled every other seat out
    CANCELLED = "cancelled"  # without a result: cancelled or void


class Standing(msgspec.Struct, frozen=True):
    """One seat of one match that is over.

    `rank` is among those who sat at the same seat with the same draws: 1 is best, ties share a
    rank; null while the group runs, unless an arbiter asks, and for a match without a result.
    `match_rank` is the one within the match. `entrant` is told to the organisation's keys alone.
    """

    seat: int
    rank: int | None
    match_id: str
    entrant: str | None
    finish: Finish
    score: int | None
    match_rank: int | None


class Standings(msgspec.Struct, frozen=True):
    """The lines by seat, the best first.

    `final`: the group is revealed, nothing is played any more; a ruling may still change a result.
    """

    group_id: str
    state: GroupState
    final: bool
    standings: tuple[Standing, ...]


async def standings_of(parts: Parts, caller: Caller, group_id: str) -> Standings:
    """What the caller may know: all once the group is revealed, an arbiter all that are over.

    Before, a seat is told of itself once its match is over, and nobody of anybody else.
    Raises: DealGroupNotFound, ScopeMissing.
    """
    row = await visible(parts, caller, group_id)
    is_final = row.state is GroupState.REVEALED
    is_open = is_final or OPEN_TO in caller.scopes
    names = caller.kind is Kind.KEY
    lines: list[tuple[Standing, Key]] = []
    for table in row.terms.tables:
        if not is_open and caller.match_id != table.match_id:
            continue
        current = await loaded(parts, table.match_id)
        seats = range(current.seats) if is_open else _own(caller)
        if current.status in DONE:
            lines += [_line(current, seat, table if names else None) for seat in seats]
    ranked = _ranked(lines) if is_open else [each for each, _ in lines]
    return Standings(group_id, row.state, is_final, tuple(ranked))


def _own(caller: Caller) -> tuple[Seat, ...]:
    if caller.user is not None:
        return caller.user.seats
    return () if caller.seat is None else (caller.seat,)


def _line(current: Match, seat: Seat, named: Table | None) -> tuple[Standing, Key]:
    """A line still without its rank, and what it is ordered by; the lower the better."""
    outcome = current.outcome
    score = None if outcome is None or outcome.scores is None else outcome.scores[seat]
    rank = None if outcome is None else outcome.ranks[seat]
    finish = _finish(current, seat)
    line = Standing(
        seat=seat,
        rank=None,
        match_id=current.match_id,
        entrant=None if named is None else named.entrants[seat],
        finish=finish,
        score=score,
        match_rank=rank,
    )
    gone = (Finish.RESIGNED, Finish.TIMED_OUT)
    has_resigned = finish in gone and seat in current.resigned
    return line, _key(line, has_resigned=has_resigned)


def _finish(current: Match, seat: Seat) -> Finish:
    if current.outcome is None:
        return Finish.CANCELLED
    terminal = current.outcome.terminal
    if seat in current.resigned and terminal is not Terminal.ADJUDICATED:
        return Finish.TIMED_OUT if _is_timed_out(current, seat) else Finish.RESIGNED
    return _FINISHES[terminal]


def _is_timed_out(current: Match, seat: Seat) -> bool:
    return current.clocks is not None and any(each == seat for each, _ in current.clocks.out)


_FINISHES: Final[Mapping[Terminal, Finish]] = {
    Terminal.NORMAL: Finish.NORMAL,
    Terminal.RESIGNED: Finish.RESIGNED,
    Terminal.FORFEITED: Finish.ADJUDICATED,
    Terminal.ADJUDICATED: Finish.ADJUDICATED,
    Terminal.TIMED_OUT: Finish.TIMED_OUT,
    Terminal.ABANDONED: Finish.ABANDONED,
    Terminal.CLOSED: Finish.CLOSED,
    # Of no match in a deal group.
    Terminal.NO_SHOW: Finish.ADJUDICATED,
    Terminal.AGREED: Finish.NORMAL,
}


def _key(line: Standing, *, has_resigned: bool) -> Key:
    """Scores first, more is better; then those without one by their rank; then who resigned."""
    if line.match_rank is None:
        return (3, 0, 0)
    if has_resigned:
        return (2, 0, 0)
    if line.score is None:
        return (1, 0, line.match_rank)
    return (0, -line.score, line.match_rank)


def _ranked(lines: Iterable[tuple[Standing, Key]]) -> list[Standing]:
    """With ranks, seat by seat; those of a match without a result come last and have none."""
    ordered = sorted(lines, key=lambda each: (each[0].seat, each[1], each[0].match_id))
    ranked: list[Standing] = []
    seat, place, rank, last = -1, 0, 0, (-1, 0, 0)
    for line, key in ordered:
        if line.seat != seat:
            seat, place, last = line.seat, 0, (-1, 0, 0)
        place += 1
        if key != last:
            rank, last = place, key
        has_result = line.match_rank is not None
        ranked.append(msgspec.structs.replace(line, rank=rank if has_result else None))
    return ranked
