"""Batches: created with all their matches, looked at, directed, compared."""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Final

import msgspec

from events.canonical import canonical
from service import exporting, results
from service.auth import Caller
from service.batches import acting, creating, viewing
from service.batches.acting import BatchAction
from service.batches.bodies import BATCH, LARGEST, BatchBody
from service.batches.creating import WantedBatch
from service.batches.rows import Place
from service.batches.viewing import BatchMatch
from service.callers import Scope
from service.clock_bodies import EXTEND
from service.http import NDJSON, Answer, Request, Stream, json
from service.ids import match_id_in
from service.parts import Parts
from service.repeating import once
from service.rest import lists
from service.rest.disputes import account_in
from service.rest.events import MOST, UNCACHED, after_in
from service.rest.inputs import caller_of, idempotency_key
from service.rest.play import FORM
from service.rest.results import lines
from service.tournament_errors import BatchNotFound

_ROUTE: Final = "POST /v1/batches"
_AT_ONCE: Final = 200  # matches that are read together where all are told

Act = Callable[[Parts, Caller, str, str | None], Awaitable[BatchAction]]


class CheckedBatch(msgspec.Struct, frozen=True):
    """The batch could be made as it is; nothing was."""

    valid: bool
    match_count: int


async def post_batch(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request)
    key = idempotency_key(request)
    limit = max(parts.settings.body_limit, LARGEST)
    body: BatchBody = await request.decoded(BATCH, limit)
    wanted = wanted_of(body)
    if body.dry_run:
        await creating.check_batch(parts, caller, wanted)
        return json(200, CheckedBatch(valid=True, match_count=len(body.matches)))

    async def make(batch_id: str | None) -> Answer:
        made = await creating.create_batch(parts, caller, wanted, batch_id)
        return Answer(201, made.encode())

    asked = canonical([FORM, msgspec.json.encode(body).decode()])
    right = creating.right_to(wanted)
    done = await once(parts, caller, right, _ROUTE, key, asked, make)
    batch_id = done.body.decode()
    # Its links are secrets: they are made again for every answer, and stored in none.
    made = await viewing.made_batch(parts, caller, batch_id, wanted.arbiters)
    location = (b"location", f"/v1/batches/{batch_id}".encode())
    return json(201, made, (location, *done.headers))


async def get_batches(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request, "external_id", *lists.PAGING)
    name = request.query("external_id")
    bound_to = canonical(["batches", caller.org, name])
    asked = lists.wanted(parts, request, bound_to, *lists.BROAD)
    found = await viewing.list_batches(parts, caller, name, asked.place, asked.one_more)
    return lists.page(parts, request, asked, "batches", found, lambda each: each.id)


async def get_batch(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request)
    return lists.told(request, await viewing.batch_of(parts, caller, _id_of(request)))


async def get_matches(parts: Parts, request: Request) -> Answer | Stream:
    caller = await caller_of(parts, request, *lists.PAGING)
    row = await viewing.visible(parts, caller, _id_of(request))
    if request.media == NDJSON:
        parts.streams.require_room()
        return Stream(_match_lines(parts, caller, row.id), NDJSON, UNCACHED)
    asked = lists.wanted(parts, request, canonical(["batch matches", row.id]))
    found = await viewing.matches_of(parts, row.id, _after(asked.place), asked.one_more)
    return lists.page(parts, request, asked, "matches", found, _place, batch_id=row.id)


async def get_results(parts: Parts, request: Request) -> Answer | Stream:
    caller = await caller_of(parts, request, "after", "limit")
    row = await viewing.visible(parts, caller, _id_of(request))
    after = after_in(request)
    await exporting.require_position(parts, caller, after)
    if request.media == NDJSON:
        parts.streams.require_room()
        return Stream(lines(parts, caller, after, row.id), NDJSON, UNCACHED)
    limit = min(request.whole("limit", 100, 1, MOST), parts.settings.page_limit)
    return json(200, await results.page(parts, caller, after, limit, row.id))


async def get_standings(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request)
    return lists.told(request, await viewing.standings_of(parts, caller, _id_of(request)))


async def post_start(parts: Parts, request: Request) -> Answer:
    return await _act(parts, request, acting.start_batch)


async def post_cancel(parts: Parts, request: Request) -> Answer:
    return await _act(parts, request, acting.cancel_batch)


async def post_start_clocks(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request)
    body = await account_in(parts, request)
    batch_id, key = _id_of(request), idempotency_key(request)
    return json(200, await acting.start_clocks(parts, caller, batch_id, body.account, key))


async def post_pause(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request)
    body = await account_in(parts, request)
    batch_id, key = _id_of(request), idempotency_key(request)
    return json(200, await acting.pause_batch(parts, caller, batch_id, body.account, key))


async def post_resume(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request)
    body = await account_in(parts, request)
    batch_id, key = _id_of(request), idempotency_key(request)
    return json(200, await acting.resume_batch(parts, caller, batch_id, body.account, key))


async def post_extend(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request)
    body = await request.decoded(EXTEND, parts.settings.body_limit)
    batch_id, key = _id_of(request), idempotency_key(request)
    given = (body.seat, body.ms, body.account)
    return json(200, await acting.extend_batch(parts, caller, batch_id, *given, key))


def wanted_of(body: BatchBody) -> WantedBatch:
    return WantedBatch(
        external_id=body.external_id,
        defaults=body.defaults,
        matches=body.matches,
        spectators=None if body.spectators is None else body.spectators.wanted,
        scoring=body.scoring,
    )


async def _act(parts: Parts, request: Request, act: Act) -> Answer:
    caller = await caller_of(parts, request)
    await request.nothing(parts.settings.body_limit)
    key = idempotency_key(request)
    return json(200, await act(parts, caller, _id_of(request), key))


async def _match_lines(parts: Parts, caller: Caller, batch_id: str) -> AsyncIterator[bytes]:
    """Raises: NoCredentials when the caller may not read them any more."""
    pages = _all_matches(parts, batch_id)
    async for found in exporting.while_allowed(parts, caller, pages, Scope.MATCHES_READ):
        yield b"".join(msgspec.json.encode(each) + b"\n" for each in found)


async def _all_matches(parts: Parts, batch_id: str) -> AsyncIterator[list[BatchMatch]]:
    after: Place | None = None
    while found := await viewing.matches_of(parts, batch_id, after, _AT_ONCE):
        yield found
        after = (found[-1].number, found[-1].attempt, found[-1].match_id)


def _place(each: BatchMatch) -> str:
    return f"{each.number} {each.attempt} {each.match_id}"


def _after(place: str | None) -> Place | None:
    if place is None:
        return None
    number, attempt, match_id = place.split(" ")
    return int(number), int(attempt), match_id


def _id_of(request: Request) -> str:
    """Raises: BatchNotFound."""
    batch_id = match_id_in(request.path["batch"])
    if batch_id is None:
        raise BatchNotFound
    return batch_id
