"""How those who play in several matches compare: what each result is worth, and the sum of it."""

from collections.abc import Iterable
from itertools import pairwise
from typing import Annotated, Final, TypeAlias

import msgspec
from msgspec import Meta

from events.results import WITHOUT_RESULT, Result, ResultStatus, SeatOutcome, SeatResult
from service.errors import Fault

Points = Annotated[int, Meta(ge=-1_000_000, le=1_000_000)]
MOST_RANKS: Final = 64


class _Scoring(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="by"):
    pass


class ByOutcome(_Scoring, frozen=True, tag="outcome"):
    """Points for rank 1 alone, for rank 1 shared, and for any other."""

    win: Points = 2
    draw: Points = 1
    loss: Points = 0


class ByRank(_Scoring, frozen=True, tag="rank"):
    """Points of rank 1, rank 2 and so on; those below get none."""

    points: Annotated[tuple[Points, ...], Meta(min_length=1, max_length=MOST_RANKS)]


class ByScore(_Scoring, frozen=True, tag="score"):
    """The scores of the game themselves; where it gave none, `win` for rank 1 alone."""

    win: Annotated[int, Meta(ge=0, le=1_000_000)] = 0


Scoring: TypeAlias = ByOutcome | ByRank | ByScore


class Played(msgspec.Struct, frozen=True):
    """The result of one match, None if there is none yet, and by seat whom it is counted for."""

    result: Result | None
    names: dict[int, str]


class StandingLine(msgspec.Struct, frozen=True, kw_only=True):
    """`rank` is by points, ties share one. `score` is the sum of the game's own scores."""

    rank: int
    external_id: str
    points: int
    played: int
    wins: int
    draws: int
    losses: int
    forfeits: int
    score: int


def faults_in(scoring: Scoring) -> list[Fault]:
    """Where doing worse would be worth more, by pointers into the scoring."""
    match scoring:
        case ByOutcome(win=win, draw=draw, loss=loss):
            worth_more = {"/draw": draw > win, "/loss": loss > min(win, draw)}
        case ByRank(points=points):
            worth_more = {f"/points/{at}": b > a for at, (a, b) in enumerate(pairwise(points), 1)}
        case ByScore():
            worth_more = {}
    reason = "is worth more than what is better"
    return [Fault(at, "impossible", reason) for at, is_wrong in worth_more.items() if is_wrong]


def counts(result: Result | None) -> bool:
    """Whether there are ranks to be counted."""
    if result is None:
        return False
    has_none = result.terminal is None or result.terminal in WITHOUT_RESULT
    return not has_none and result.status is not ResultStatus.PENDING


def worth(scoring: Scoring, seat: SeatResult) -> int:
    """The points of a seat of a match with a result."""
    match scoring:
        case ByOutcome(win=win, draw=draw, loss=loss):
            return {SeatOutcome.WIN: win, SeatOutcome.DRAW: draw}.get(
                seat.outcome or SeatOutcome.LOSS, loss
            )
        case ByRank(points=points):
            place = (seat.rank or len(points) + 1) - 1
            return points[place] if place < len(points) else 0
        case ByScore(win=win):
            if seat.score is not None:
                return seat.score
            return win if seat.outcome is SeatOutcome.WIN else 0


def standings(scoring: Scoring, played: Iterable[Played]) -> tuple[StandingLine, ...]:
    """By rank; those who share one by their name."""
    sums: dict[str, dict[str, int]] = {}
    for each in played:
        for seat, name in each.names.items():
            own = sums.setdefault(name, dict.fromkeys(_SUMMED, 0))
            if counts(each.result):
                assert each.result is not None
                _add(own, scoring, each.result.seats[seat])
    ordered = sorted(sums.items(), key=_order)
    better = _ranks([own["points"] for _, own in ordered])
    return tuple(
        StandingLine(rank=better[own["points"]], external_id=name, **own) for name, own in ordered
    )


def _add(own: dict[str, int], scoring: Scoring, seat: SeatResult) -> None:
    own["points"] += worth(scoring, seat)
    own["played"] += 1
    own["wins"] += seat.outcome is SeatOutcome.WIN
    own["draws"] += seat.outcome is SeatOutcome.DRAW
    own["losses"] += seat.outcome is SeatOutcome.LOSS
    own["forfeits"] += seat.forfeit
    own["score"] += seat.score or 0


def _order(line: tuple[str, dict[str, int]]) -> tuple[int, str]:
    return -line[1]["points"], line[0]


def _ranks(points: list[int]) -> dict[int, int]:
    """By points, one more than how many have more of them."""
    found: dict[int, int] = {}
    for place, each in enumerate(points, 1):
        found.setdefault(each, place)
    return found


_SUMMED: Final = tuple(
    name for name in StandingLine.__struct_fields__ if name not in ("rank", "external_id")
)
