"""Toornament, API v2: a token is fetched, a match read, and its opponents' results changed.

Two seats are a duel, with results; more are a free-for-all, with ranks.
"""

from collections.abc import Generator, Sequence
from typing import Final
from urllib.parse import urlencode

from events.results import SeatOutcome, SeatResult
from service.platforms.told import (
    Call,
    Credentials,
    Ended,
    Json,
    Outcome,
    Steps,
    Stopped,
    Target,
    Told,
    decoded,
    fields_of,
    items_of,
    json_call,
    path_part,
    require_done,
)
from service.reaching import Reply

ADDRESS: Final = "https://api.toornament.com"
SCOPE: Final = "organizer:result"
MOST_SEATS: Final = 100  # of a free-for-all
_RESULTS: Final = {SeatOutcome.WIN: "win", SeatOutcome.DRAW: "draw", SeatOutcome.LOSS: "loss"}


def report(told: Told, to: Target, ours: Sequence[Told]) -> Steps:
    """Raises: Stopped."""
    if told.has_result and not 2 <= len(told.participants) <= MOST_SEATS:
        raise Stopped(Outcome.WRONG_SEATS)
    place = f"{to.address}/organizer/v2/matches/{path_part(to.match)}"
    token = yield from _token(to)
    headers = {"x-api-key": to.credentials.api_key, "authorization": f"Bearer {token}"}
    found = _taken((yield json_call("GET", place, headers)))
    numbers = _numbers(found, told)
    wanted = _wanted(told, numbers)
    if found.get("status") == "completed":
        if told.has_result and _says(found, wanted):
            return Ended(Outcome.ALREADY)
        if not any(_says(found, _wanted(each, numbers)) for each in ours if each.has_result):
            raise Stopped(Outcome.OTHER_RESULT)
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
    reply = yield Call("POST", f"{to.address}/oauth/v2/token", headers, urlencode(form).encode())
    answer = decoded(reply)
    if reply.status == 400:  # as OAuth 2 says that these are not the client's credentials
        raise Stopped(Outcome.UNAUTHORIZED, str(answer.get("error_description", "")))
    require_done(reply, str(answer.get("error_description", "")))
    token = answer.get("access_token")
    if not isinstance(token, str):
        raise Stopped(Outcome.UNAVAILABLE)
    return token


def _taken(reply: Reply) -> Json:
    """Raises: Stopped."""
    answer = decoded(reply)
    errors = items_of(answer.get("errors"))
    require_done(reply, str(errors[0].get("message", "")) if errors else "")
    if answer.get("status") not in ("pending", "running", "completed"):
        raise Stopped(Outcome.UNAVAILABLE)
    return answer


def _numbers(found: Json, told: Told) -> dict[str, int]:
    """The number of each participant in the match. Raises: Stopped."""
    listed = items_of(found.get("opponents"))
    known = {
        str(fields_of(each.get("participant")).get("id")): each.get("number", 0)
        for each in listed
        if each.get("participant") is not None
    }
    if not told.has_result:
        return known
    if len(known) < len(listed):
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


def _says(found: Json, wanted: list[Json]) -> bool:
    """Whether all that would be sent is there, of every opponent."""
    there = {each.get("number"): each for each in items_of(found.get("opponents"))}
    same = [
        {**there.get(each["number"], {}), **each} == there.get(each["number"]) for each in wanted
    ]
    return len(same) == len(there) and all(same)
