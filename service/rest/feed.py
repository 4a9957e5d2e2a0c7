"""The feed of an organisation: a JSON page, a long poll, server-sent events, or a line each."""

from collections.abc import AsyncIterator
from typing import Final

import msgspec

from service import exporting
from service.auth import Caller
from service.http import JSON, NDJSON, SSE, Answer, Request, Stream, json
from service.parts import Parts
from service.rest.events import LONGEST_WAIT, MOST, RETRY_MS, UNCACHED, after_in
from service.rest.inputs import caller_of


async def get_feed(parts: Parts, request: Request) -> Answer | Stream:
    caller = await caller_of(parts, request, "after", "wait", "limit")
    after = after_in(request)
    await exporting.require_position(parts, caller, after)
    if request.media != JSON:
        parts.streams.require_room()
    match request.media:
        case media if media == SSE:
            return Stream(_server_sent(parts, caller, after), SSE, UNCACHED)
        case media if media == NDJSON:
            return Stream(_lines(parts, caller, after), NDJSON, UNCACHED)
        case _:
            return await _json(parts, request, caller, after)


async def _json(parts: Parts, request: Request, caller: Caller, after: int) -> Answer:
    limit = min(request.whole("limit", 100, 1, MOST), parts.settings.page_limit)
    seconds = min(request.whole("wait", 0, 0, LONGEST_WAIT), parts.settings.long_poll_seconds)
    if seconds:
        page = await exporting.awaited_page(parts, caller, after, limit, seconds)
    else:
        page = await exporting.page(parts, caller, after, limit)
    return json(200, page)


async def _server_sent(parts: Parts, caller: Caller, after: int) -> AsyncIterator[bytes]:
    """`id` is the position, so Last-Event-ID goes on where the stream broke off."""
    yield b"retry: %d\n\n" % RETRY_MS
    async for entries in exporting.follow(parts, caller, after):
        told = (b"id: %d\ndata: %b\n\n" % (e.position, _ENCODE(e)) for e in entries)
        yield b"".join(told) or b": nothing new\n\n"


async def _lines(parts: Parts, caller: Caller, after: int) -> AsyncIterator[bytes]:
    """An empty line keeps the connection alive."""
    async for entries in exporting.follow(parts, caller, after):
        yield b"".join(_ENCODE(each) + b"\n" for each in entries) or b"\n"


_ENCODE: Final = msgspec.json.Encoder().encode
