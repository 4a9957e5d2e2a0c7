"""What is fixed of a series, and what follows of the results of its matches: pure functions."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Any, Final

import msgspec

from events.results import WITHOUT_RESULT, Result, ResultStatus
from events.scheduling import NoShow
from service.batches.points import ByOutcome, ByRank, ByScore, Scoring, counts, worth

MOST_ATTEMPTS: Final = 3  # at one match of a series, before somebody has to look


class Length(StrEnum):
    BEST_OF = "best_of"  # it ends as soon as it is decided
    FIXED = "fixed"  # all matches are played


class Rotation(StrEnum):
    """Who sits where from match to match."""

    ROTATE = "rotate"  # everybody moves on by a seat
    ALTERNATE = "alternate"  # every other match in reverse
    GIVEN = "given"


class OpensOn(StrEnum):
    """What the result of a match has to be for the next one to open."""

    PROVISIONAL = "provisional"
    FINAL = "final"


class SeriesState(StrEnum):
    RUNNING = "running"
    DECIDED = "decided"
    STALLED = "stalled"  # a match came to no result too often
    CANCELLED = "cancelled"


class Join(msgspec.Struct, frozen=True):
    """How long a match waits for its entrants from when it opens, and what becomes of it then."""

    within_seconds: int
    no_show: NoShow

    def schedule(self, opened_at: int) -> dict[str, Any]:
        """What a match that opens then (ms) is created with."""
        return {"join_by": opened_at + 1000 * self.within_seconds, "no_show": self.no_show}


class Terms(msgspec.Struct, frozen=True, kw_only=True):
    """`match` is what each match is created with; `seatings` are there if they are given."""

    length: Length
    games: int
    rotation: Rotation
    seatings: tuple[tuple[int, ...], ...]
    scoring: Scoring
    opens_on: OpensOn
    game: str
    match: dict[str, Any]
    join: Join | None = None


class Game(msgspec.Struct, frozen=True):
    """A match of a series; `seating` is the entrant at each seat. No result is one to come."""

    number: int
    attempt: int
    match_id: str
    seating: tuple[int, ...]
    result: Result | None


class Tally(msgspec.Struct, frozen=True):
    """By entrant what counts so far. `winner` is None while there is none, and if it is a draw."""

    state: SeriesState
    points: tuple[int, ...]
    played: int
    winner: int | None


class Open(msgspec.Struct, frozen=True):
    """The next match to be opened."""

    number: int
    attempt: int


class Adopt(msgspec.Struct, frozen=True):
    """A match that is played in place of one of the series, as its next attempt."""

    instead: Game
    match_id: str
    attempt: int


Next = Open | Adopt | None


def seating(terms: Terms, number: int, entrants: int) -> tuple[int, ...]:
    """Who sits where in a match, counted from 0."""
    match terms.rotation:
        case Rotation.ROTATE:
            return tuple((seat + number) % entrants for seat in range(entrants))
        case Rotation.ALTERNATE:
            order = tuple(range(entrants))
            return order[::-1] if number % 2 else order
        case Rotation.GIVEN:
            return terms.seatings[number]


def follows(terms: Terms, entrants: int, games: Sequence[Game]) -> tuple[Tally, Next]:
    """How the series stands by its matches, and what has to follow; matches in their order.

    Matches beyond the one that decided it do not count, though they may have been played.
    """
    points = [0] * entrants
    for number in range(terms.games):
        own = [each for each in games if each.number == number]
        if not own:
            return _tally(SeriesState.RUNNING, points, number, None), Open(number, 0)
        elsewhere = _elsewhere(own)
        if elsewhere is not None:
            return _tally(SeriesState.RUNNING, points, number, None), elsewhere
        counted = counted_of(own)
        result = counted.result
        if _is_without(counted):
            return _again(own[-1], points, number)
        if result is None or not _counts(terms, result):
            return _tally(SeriesState.RUNNING, points, number, None), None
        for seat, entrant in enumerate(counted.seating):
            points[entrant] += worth(terms.scoring, result.seats[seat])
        left = terms.games - number - 1
        if left == 0 or (terms.length is Length.BEST_OF and _decided(terms, points, left)):
            return _tally(SeriesState.DECIDED, points, number + 1, _leader(points)), None
    raise AssertionError("the last match decides")


def counted_of(own: Sequence[Game]) -> Game:
    """Of the attempts at one match, in their order, the one that counts: the newest that has a
    result or may still come to one, so that a ruling can give one to any of them.
    """
    return next((each for each in reversed(own) if not _is_without(each)), own[-1])


def _is_without(game: Game) -> bool:
    """It came to its end without a result."""
    return game.result is not None and game.result.terminal in WITHOUT_RESULT


def _elsewhere(own: Sequence[Game]) -> Adopt | None:
    """A match that is played in place of one of these, and is not among them yet."""
    known = {each.match_id for each in own}
    for each in own:
        instead = None if each.result is None else each.result.replaced_by
        if instead is not None and instead not in known:
            return Adopt(each, instead, own[-1].attempt + 1)
    return None


def _again(last: Game, points: Sequence[int], number: int) -> tuple[Tally, Next]:
    """What came to no result is played again, a few times."""
    if last.attempt + 1 >= MOST_ATTEMPTS:
        return _tally(SeriesState.STALLED, points, number, None), None
    return _tally(SeriesState.RUNNING, points, number, None), Open(number, last.attempt + 1)


def _tally(state: SeriesState, points: Sequence[int], played: int, winner: int | None) -> Tally:
    return Tally(state, tuple(points), played, winner)


def _counts(terms: Terms, result: Result) -> bool:
    is_settled = result.status is ResultStatus.FINAL or terms.opens_on is OpensOn.PROVISIONAL
    return is_settled and counts(result)


def _leader(points: Sequence[int]) -> int | None:
    best = max(points)
    return points.index(best) if points.count(best) == 1 else None


def _decided(terms: Terms, points: Sequence[int], left: int) -> bool:
    """Nobody can come up to the leader any more."""
    swing, leader = _swing(terms.scoring), _leader(points)
    if swing is None or leader is None:
        return False
    behind = max(each for entrant, each in enumerate(points) if entrant != leader)
    return points[leader] > behind + left * swing


def _swing(scoring: Scoring) -> int | None:
    """How much one match can bring two entrants together at most; None if it is not bounded."""
    match scoring:
        case ByOutcome(win=win, draw=draw, loss=loss):
            return max(win, draw, loss) - min(win, draw, loss)
        case ByRank(points=points):
            return max(*points, 0) - min(*points, 0)
        case ByScore():
            return None
