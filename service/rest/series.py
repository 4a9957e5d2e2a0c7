"""Series: created with their first match, looked at, called off, and where links lead."""

from typing import Final

import msgspec

from events.canonical import canonical
from service import credentials
from service.errors import Fault, NoCredentials, ParameterInvalid, TooManyRequests
from service.http import PRIVATE, Answer, Request, json
from service.ids import match_id_in
from service.limits import Policy
from service.parts import Parts
from service.repeating import once
from service.rest import lists
from service.rest.inputs import caller_of, idempotency_key
from service.rest.play import FORM
from service.series import creating, viewing
from service.series.bodies import SERIES, SeriesBody
from service.series.terms import SeriesState
from service.tournament_errors import SeriesNotFound

_ROUTE: Final = "POST /v1/series"
_BEARER: Final = "Bearer "


async def post_series(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request)
    key = idempotency_key(request)
    body: SeriesBody = await request.decoded(SERIES, parts.settings.body_limit)

    async def make(series_id: str | None) -> Answer:
        made = await creating.create_series(parts, caller, body, series_id)
        return Answer(201, made.encode())

    asked = canonical([FORM, msgspec.json.encode(body).decode()])
    done = await once(parts, caller, creating.RIGHT, _ROUTE, key, asked, make)
    series_id = done.body.decode()
    # Its links are secrets: they are made again for every answer, and stored in none.
    made = await viewing.made_series(parts, caller, series_id)
    location = (b"location", f"/v1/series/{series_id}".encode())
    return json(201, made, (location, *done.headers))


async def get_all_series(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request, "external_id", "state", *lists.PAGING)
    narrowed = {"external_id": request.query("external_id"), "state": _state(request)}
    bound_to = canonical(["series", caller.org, narrowed])
    asked = lists.wanted(parts, request, bound_to, *lists.BROAD)
    found = await viewing.list_series(parts, caller, narrowed, asked.place, asked.one_more)
    return lists.page(parts, request, asked, "series", found, lambda each: each.id)


async def get_series(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request)
    return lists.told(request, await viewing.series_of(parts, caller, _id_of(request)))


async def post_cancel(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request)
    await request.nothing(parts.settings.body_limit)
    return json(200, await viewing.cancel_series(parts, caller, _id_of(request)))


async def get_current(parts: Parts, request: Request) -> Answer:
    """For the token of an entrant's link, which is good for nothing else."""
    request.only()
    token = (request.header(b"authorization") or "").removeprefix(_BEARER).strip()
    failures = Policy("failures", parts.settings.failures_per_minute)
    left = await parts.limits.take(failures, request.address, 0)
    if not left.is_ok:
        raise TooManyRequests.until(left)
    try:
        if not token.startswith(credentials.SERIES_TOKEN) or not token.isascii():
            raise NoCredentials
        found = await viewing.current_seat(parts, token, _id_of(request))
    except NoCredentials:
        await parts.limits.take(failures, request.address)
        raise
    requests = Policy("requests", parts.settings.requests_per_minute)
    taken = await parts.limits.take(requests, credentials.stored(token).hex()[:32])
    if not taken.is_ok:
        raise TooManyRequests.until(taken)
    request.limit = taken.headers
    return json(200, found, PRIVATE)


def _state(request: Request) -> str | None:
    given = request.query("state")
    if given is not None and given not in list(SeriesState):
        reason = f"has to be one of {', '.join(SeriesState)}"
        raise ParameterInvalid(Fault("state", "unknown-value", reason))
    return given


def _id_of(request: Request) -> str:
    """Raises: SeriesNotFound."""
    series_id = match_id_in(request.path["series"])
    if series_id is None:
        raise SeriesNotFound
    return series_id
