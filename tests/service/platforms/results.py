"""Results of every kind, as a log of a match would give them."""

from collections.abc import Sequence
from typing import Any

import msgspec

from events.results import (
    WITHOUT_RESULT,
    Ending,
    Result,
    ResultStatus,
    SeatOutcome,
    SeatResult,
)
from service.platforms.told import Told

MATCH = "0199c82c-e134-7a8b-a68f-4659d94628b4"
PLAYERS = ("a", "b", "c")


def result(
    ending: Ending | None,
    ranks: Sequence[int | None],
    *,
    scores: Sequence[int | None] | None = None,
    revision: int = 1,
    version: int = 9,
    status: ResultStatus = ResultStatus.FINAL,
) -> Result:
    """Who is last gave up, where the ending says that somebody did."""
    seats = tuple(
        SeatResult(
            seat=seat,
            rank=rank,
            score=None if scores is None else scores[seat],
            outcome=_outcome(ranks, rank),
            resigned=ending is Ending.RESIGNED and rank == len(ranks),
            timed_out=ending is Ending.TIMED_OUT and rank == len(ranks),
            forfeit=ending in (Ending.CLOSED, Ending.ABANDONED)
            or (ending in (Ending.FORFEITED, Ending.NO_SHOW) and rank == len(ranks)),
            penalties=(),
        )
        for seat, rank in enumerate(ranks)
    )
    return Result(status, revision, version, ending, None, seats)


def told(ending: Ending | None, ranks: Sequence[int | None], **more: Any) -> Told:
    found = result(ending, ranks, **more)
    return Told(MATCH, "high_card", found, PLAYERS[: len(ranks)])


# How the first column of the table in docs/tournaments.md calls results, by seat.
SHAPES: dict[str, tuple[int | None, ...]] = {
    "one first": (1, 2),
    "first shared": (1, 1),
    "nobody first": (2, 2),
    "three seats": (1, 2, 3),
    "other players": (1, 2),
    "never told": (None, None),
    "after a result": (None, None),
}


def shaped(ending: Ending | None, shape: str) -> Told:
    assert (SHAPES[shape][0] is None) == (ending is None or ending in WITHOUT_RESULT)
    scores = (None, (5, 3), (5, 3, 1))[len(SHAPES[shape]) - 1]
    is_scored = ending in (Ending.NORMAL, Ending.ADJUDICATED)
    scored = scores if is_scored and shape != "first shared" else None
    found = told(ending, SHAPES[shape], scores=scored, revision=2, version=12)
    others = ("a", "x") if shape == "other players" else found.participants
    return msgspec.structs.replace(found, participants=others)


def earlier() -> Told:
    """What was told before it was taken back."""
    return told(Ending.NORMAL, (1, 2), scores=(5, 3))


def _outcome(ranks: Sequence[int | None], rank: int | None) -> SeatOutcome | None:
    if rank is None:
        return None
    if rank != 1:
        return SeatOutcome.LOSS
    return SeatOutcome.WIN if list(ranks).count(1) == 1 else SeatOutcome.DRAW
