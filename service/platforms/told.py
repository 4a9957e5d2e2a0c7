"""What an adapter is given, what it asks for, and what came of it.

An adapter is a generator of requests: it yields a `Call`, is sent the `Reply`, and returns how it
ended, or raises `Stopped`. It opens no connection and knows no clock, so all of it can be tested
against answers that are written down.
"""

from collections.abc import Callable, Generator, Sequence
from enum import StrEnum
from typing import Any, Final, TypeAlias, TypeVar
from urllib.parse import quote

import msgspec

from events.results import Result, SeatOutcome, SeatResult
from service.reaching import Reply

T = TypeVar("T")
Json: TypeAlias = dict[str, Any]
Id: TypeAlias = str | int  # of something of a platform's, as its answers have it


class Platform(StrEnum):
    CHALLONGE = "challonge"
    STARTGG = "startgg"
    TOORNAMENT = "toornament"
    PODS = "pods"  # whoever takes a table as plain JSON


class Outcome(StrEnum):
    """What came of an attempt to report a result."""

    REPORTED = "reported"
    ALREADY = "already"  # the platform said the same
    NOTHING = "nothing"  # there is no result, nor is there one to take back
    # Not for ever: it is tried again.
    BUSY = "busy"  # too many requests
    UNAVAILABLE = "unavailable"  # a fault of the platform, or an answer that can't be read
    NOT_READY = "not_ready"  # the platform does not know yet who plays
    # Until the connection is changed.
    UNAUTHORIZED = "unauthorized"
    UNREADABLE = "secret_not_readable"
    # Until there is another result, or the link is changed.
    NO_DRAWS = "no_draws"
    NO_WINNER = "no_winner"
    WRONG_SEATS = "wrong_seats"  # more or fewer than the platform takes
    OTHER_RESULT = "other_result"  # somebody else put a result there
    UNKNOWN_TARGET = "unknown_target"
    UNKNOWN_PARTICIPANT = "unknown_participant"
    REJECTED = "rejected"


UP: Final = (".", "..")  # no ids of anything

DONE: Final = (Outcome.REPORTED, Outcome.ALREADY, Outcome.NOTHING)
AGAIN: Final = (Outcome.BUSY, Outcome.UNAVAILABLE, Outcome.NOT_READY)
HELD: Final = (Outcome.UNAUTHORIZED, Outcome.UNREADABLE)
STRAINED: Final = (Outcome.BUSY, Outcome.UNAVAILABLE)  # all over the connection waits a while


class Told(msgspec.Struct, frozen=True):
    """The result of a match; `participants` are the platform's ids of its seats, in order."""

    match_id: str
    game: str
    result: Result
    participants: tuple[str, ...]

    @property
    def winner(self) -> str | None:
        """Whoever alone has rank 1."""
        return self._who(SeatOutcome.WIN)

    @property
    def is_draw(self) -> bool:
        """Rank 1 is shared."""
        return self._who(SeatOutcome.DRAW) is not None

    @property
    def has_result(self) -> bool:
        return all(each.rank is not None for each in self.result.seats)

    @property
    def sides(self) -> tuple[tuple[str, SeatResult], ...]:
        return tuple(zip(self.participants, self.result.seats, strict=True))

    def _who(self, outcome: SeatOutcome) -> str | None:
        return next((who for who, seat in self.sides if seat.outcome is outcome), None)


class Credentials(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a platform knows its callers by; each uses some of these."""

    api_key: str = ""
    access_token: str = ""
    client_id: str = ""
    client_secret: str = ""


class Target(msgspec.Struct, frozen=True):
    """Where a result goes. `match` is the platform's id of its match, set or table."""

    address: str
    tournament: str
    match: str
    credentials: Credentials


class Call(msgspec.Struct, frozen=True):
    method: str
    url: str
    headers: dict[str, str]
    body: bytes | None = None


class Ended(msgspec.Struct, frozen=True):
    """`detail` is what the platform said, if it said no; it has not been cleaned."""

    outcome: Outcome
    detail: str = ""


class Stopped(Exception):
    """The report came to an end here."""

    def __init__(self, outcome: Outcome, detail: str = "") -> None:
        super().__init__(outcome)
        self.ended = Ended(outcome, detail)


Steps: TypeAlias = Generator[Call, Reply, Ended]
# What is to be told, where to, and what of this match was sent there before.
Report: TypeAlias = Callable[[Told, Target, Sequence[Told]], Steps]


def place_of(to: Target, *parts: str) -> str:
    """The address of something of the platform's, whatever the ids in it hold. Raises: Stopped."""
    # These two lead elsewhere however they are spelt, so nothing can be called so.
    if any(part in UP for part in parts):
        raise Stopped(Outcome.UNKNOWN_TARGET)
    return "/".join([to.address.rstrip("/"), *(quote(part, safe="") for part in parts)])


def json_call(method: str, url: str, headers: dict[str, str], body: Any = None) -> Call:
    if body is None:
        return Call(method, url, {"accept": "application/json", **headers})
    encoded = msgspec.json.encode(body)
    own = {"accept": "application/json", "content-type": "application/json", **headers}
    return Call(method, url, own, encoded)


def read(reply: Reply, kind: type[T]) -> T | None:
    """An answer of that shape; None for any other."""
    try:
        return msgspec.json.decode(reply.body, type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None


def required(reply: Reply, kind: type[T]) -> T:
    """Raises: Stopped for an answer of another shape."""
    found = read(reply, kind)
    if found is None:
        raise Stopped(Outcome.UNAVAILABLE)
    return found


def require_done(reply: Reply, detail: str) -> None:
    """By the status alone. Raises: Stopped."""
    match reply.status:
        case status if 200 <= status < 300:
            return
        case 401 | 403:
            outcome = Outcome.UNAUTHORIZED
        case 404 | 410:
            outcome = Outcome.UNKNOWN_TARGET
        case 408 | 425 | 429:
            outcome = Outcome.BUSY
        case status if status >= 500:
            outcome = Outcome.UNAVAILABLE
        case _:
            outcome = Outcome.REJECTED
    raise Stopped(outcome, detail)


def require_ours(ours: Sequence[Told], is_there: Callable[[Told], bool]) -> None:
    """What an organiser put there by hand is left there. Raises: Stopped."""
    if not any(is_there(each) for each in ours if each.has_result):
        raise Stopped(Outcome.OTHER_RESULT)


def require_two(told: Told) -> None:
    """Raises: Stopped."""
    if len(told.participants) != 2:
        raise Stopped(Outcome.WRONG_SEATS)


def scores_of(told: Told) -> tuple[int, ...]:
    """The game's scores; where it gave none, 1 for having won."""
    scores = [each.score for each in told.result.seats]
    if any(each is None for each in scores):
        return tuple(int(each.outcome is SeatOutcome.WIN) for each in told.result.seats)
    return tuple(each for each in scores if each is not None)
