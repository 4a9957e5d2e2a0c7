"""Results: of one match, and of all matches of an organisation since a position of the feed."""

from collections.abc import AsyncIterator
from hashlib import sha256
from typing import Final

import msgspec

from service import exporting, results
from service.auth import Caller
from service.http import JSON, NDJSON, PRIVATE, Answer, Request, Stream, json, tagged
from service.parts import Parts
from service.rest.events import LONGEST_WAIT, MOST, UNCACHED, after_in
from service.rest.inputs import caller_of, match_id_of
from service.rest.play import FORM
from service.results import MatchResult

MEDIA: Final = (JSON, NDJSON)


async def get_result(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request)
    found = await results.result_of(parts, caller, match_id_of(request))
    return tagged(request, tag_of(found), msgspec.json.encode(found), more=PRIVATE)


async def get_results(parts: Parts, request: Request) -> Answer | Stream:
    caller = await caller_of(parts, request, "after", "wait", "limit")
    after = after_in(request)
    await exporting.require_position(parts, caller, after)
    if request.media == NDJSON:
        parts.streams.require_room()
        return Stream(lines(parts, caller, after), NDJSON, UNCACHED)
    limit = min(request.whole("limit", 100, 1, MOST), parts.settings.page_limit)
    seconds = min(request.whole("wait", 0, 0, LONGEST_WAIT), parts.settings.long_poll_seconds)
    if seconds:
        return json(200, await results.awaited_page(parts, caller, after, limit, seconds))
    return json(200, await results.page(parts, caller, after, limit))


async def lines(
    parts: Parts, caller: Caller, after: int, batch_id: str | None = None
) -> AsyncIterator[bytes]:
    """A line each of all there is by now. Raises: NoCredentials when the caller may no more."""
    pages = results.everything(parts, caller, after, batch_id)
    async for entries in exporting.while_allowed(parts, caller, pages):
        yield b"".join(_ENCODE(each) + b"\n" for each in entries)


def tag_of(result: MatchResult) -> str:
    """Of public values, and whether the caller is told who sits where: that may change."""
    names = msgspec.json.encode([each.external_id for each in result.seats])
    digest = sha256(names).hexdigest()[:16]
    return f"{FORM}.{result.version}.{result.status}.{digest}"


_ENCODE: Final = msgspec.json.Encoder().encode
