"""Toornament, API v2: a token is fetched, a match read, and its opponents' results changed.

Two seats are a duel, with results; more are a free-for-all, with ranks.
"""

from collections.abc import Generator, Mapping, Sequence
from typing import Annotated, Any, Final, Literal
from urllib.parse import urlencode

import msgspec

from events.results import SeatOutcome, SeatResult
from service.platforms.told import (
    Call,
    Credentials,
    Ended,
    Id,
    Json,
    Outcome,
    Steps,
    Stopped,
    Target,
    Told,
    json_call,
    place_of,
    read,
    require_done,
    require_ours,
    required,
)
from service.reaching import Reply

ADDRESS: Final = "https://api.toornament.com"
SCOPE: Final = "organizer:result"
MOST_SEATS: Final = 100  # of a free-for-all
_RESULTS: Final = {SeatOutcome.WIN: "win", SeatOutcome.DRAW: "draw", SeatOutcome.LOSS: "loss"}


class _Participant(msgspec.Struct, frozen=True):
    id: Id


class _Opponent(msgspec.Struct, frozen=True):
    number: int
    participant: _Participant | None = None
    result: str | None = None
    rank: int | None = None
    score: int | float | None = None
    forfeit: bool | None = None


class _Match(msgspec.Struct, frozen=True):
    status: Literal["pending", "running", "completed"]
    opponents: tuple[_Opponent, ...] | None = None

    def __post_init__(self) -> None:
        numbers = [each.number for each in self.sides]
        if len(set(numbers)) < len(numbers):
            raise ValueError("a number twice")

    @property
    def sides(self) -> tuple[_Opponent, ...]:
        return self.opponents or ()


class _Token(msgspec.Struct, frozen=True):
    access_token: Annotated[str, msgspec.Meta(pattern=r"^[!-~]+\Z")]


class _NoToken(msgspec.Struct, frozen=True):
    error_description: str = ""


class _Error(msgspec.Struct, frozen=True):
    message: str = ""


class _Refused(msgspec.Struct, frozen=True):
    errors: tuple[_Error, ...] = ()


def report(told: Told, to: Target, ours: Sequence[Told]) -> Steps:
    """Raises: Stopped."""
    if told.has_result and not 2 <= len(told.participants) <= MOST_SEATS:
        raise Stopped(Outcome.WRONG_SEATS)
    place = place_of(to, "organizer", "v2", "matches", to.match)
    token = yield from _token(to)
    headers = {"x-api-key": to.credentials.api_key, "authorization": f"Bearer {token}"}
    found = _taken((yield json_call("GET", place, headers)))
    numbers = _numbers(found, told)
    wanted = _wanted(told, numbers)
    if found.status == "completed":
        if told.has_result and _says(found, wanted):
            return Ended(Outcome.ALREADY)
        require_ours(ours, lambda each: _says(found, _wanted(each, numbers)))
    elif not told.has_result:
        return Ended(Outcome.NOTHING)
    _taken((yield json_call("PATCH", place, headers, {"opponents": wanted})))
    return Ended(Outcome.REPORTED)


def _token(to: Target) -> Generator[Call, Reply, str]:
    """Raises: Stopped."""
    known: Credentials = to.credentials
    form = {
        "grant_type": "client_credentials",
        "client_id": known.client_id,
        "client_secret": known.client_secret,
        "scope": SCOPE,
    }
    headers = {
        "accept": "application/json",
        "content-type": "application/x-www-form-urlencoded",
    }
    place = place_of(to, "oauth", "v2", "token")
    reply = yield Call("POST", place, headers, urlencode(form).encode())
    refused = read(reply, _NoToken) or _NoToken()
    if reply.status == 400:  # as OAuth 2 says that these are not the client's credentials
        raise Stopped(Outcome.UNAUTHORIZED, refused.error_description)
    require_done(reply, refused.error_description)
    return required(reply, _Token).access_token


def _taken(reply: Reply) -> _Match:
    """Raises: Stopped."""
    refused = read(reply, _Refused)
    require_done(reply, refused.errors[0].message if refused and refused.errors else "")
    return required(reply, _Match)


def _numbers(found: _Match, told: Told) -> dict[str, int]:
    """The number of each participant in the match. Raises: Stopped."""
    known = {
        str(each.participant.id): each.number
        for each in found.sides
        if each.participant is not None
    }
    if not told.has_result:
        return known
    if len(known) < len(found.sides):
        raise Stopped(Outcome.NOT_READY)
    if set(known) != set(told.participants):
        raise Stopped(Outcome.UNKNOWN_PARTICIPANT)
    return known


def _wanted(told: Told, numbers: dict[str, int]) -> list[Json]:
    """By number; without a result all is taken back."""
    if not told.has_result:
        none = {"result": None, "rank": None, "score": None, "forfeit": False}
        return [{"number": each, **none} for each in sorted(numbers.values())]
    is_duel = len(told.participants) == 2
    sides = [
        {"number": numbers[who], **_side(seat, is_duel)}
        for who, seat in told.sides
        if who in numbers
    ]
    return sorted(sides, key=lambda each: int(each["number"]))


def _side(seat: SeatResult, is_duel: bool) -> Json:
    """A game without scores takes back those of an older result."""
    assert seat.outcome is not None
    own = {"result": _RESULTS[seat.outcome]} if is_duel else {"rank": seat.rank}
    return {**own, "score": seat.score, "forfeit": seat.forfeit}


def _says(found: _Match, wanted: list[Json]) -> bool:
    """Whether all that would be sent is there, of every opponent."""
    there: Mapping[int, Json] = {each.number: _fields(each) for each in found.sides}
    is_same = [{**there.get(each["number"], {}), **each} for each in wanted]
    return is_same == [there.get(each["number"]) for each in wanted] and len(wanted) == len(there)


def _fields(opponent: _Opponent) -> dict[str, Any]:
    return msgspec.structs.asdict(opponent)
