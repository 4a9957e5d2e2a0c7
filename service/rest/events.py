"""Events of a match: as a JSON page, a long poll, server-sent events, or a line each."""

from collections.abc import AsyncIterator
from functools import lru_cache
from typing import Final

import msgspec

from games.core.game import ALL
from projections.history import Entry
from service import live, tickets
from service.admitting import counted
from service.auth import Caller
from service.errors import Fault, ParameterInvalid
from service.http import JSON, NDJSON, SSE, Answer, Header, Request, Stream, tagged
from service.live import Feed, Page
from service.parts import Parts
from service.rest.inputs import SEAT, caller_of, match_id_of
from service.rest.play import FORM, viewer_tag

MEDIA: Final = (JSON, SSE, NDJSON)
RETRY_MS: Final = 2000
MOST: Final = 2**53 - 1
LONGEST_WAIT: Final = 3600
_QUIET: Final = b": nothing new\n\n"
UNCACHED: Final[tuple[Header, ...]] = ((b"cache-control", b"no-store"),)


async def get_events(parts: Parts, request: Request) -> Answer | Stream:
    caller = await _caller(parts, request)
    feed = await live.open_feed(
        parts,
        caller,
        match_id_of(request),
        after_in(request),
        full=request.one_of("perspective", ("own", "full"), "own") == "full",
        proof=request.flag("proof"),
    )
    if request.media != JSON:
        parts.streams.require_room()
    match request.media:
        case media if media == SSE:
            return Stream(_server_sent(parts, feed), SSE, UNCACHED)
        case media if media == NDJSON:
            return Stream(_lines(parts, feed), NDJSON, UNCACHED)
        case _:
            return await _json(parts, request, feed)


async def _caller(parts: Parts, request: Request) -> Caller:
    """By the header, or for a stream by a ticket in its place."""
    names = ("after", "wait", "limit", "proof", "perspective", "ticket", SEAT)
    ticket = request.query("ticket")
    if ticket is None or request.header(b"authorization") is not None or request.media == JSON:
        return await caller_of(parts, request, *names)
    request.only(*names)
    caller = await tickets.redeemed(parts, ticket, request.scope["path"])
    request.limit = (await counted(parts, caller)).headers
    return caller


async def _json(parts: Parts, request: Request, feed: Feed) -> Answer:
    most = parts.settings.page_limit
    # More than allowed is cut short: who reads or waits has to ask again anyhow.
    limit = min(request.whole("limit", 100, 1, MOST), most)
    seconds = min(request.whole("wait", 0, 0, LONGEST_WAIT), parts.settings.long_poll_seconds)
    if seconds:
        page = await live.awaited_page(parts, feed, limit, seconds)
    else:
        page = await live.page(parts, feed, limit)
    return tagged(request, _tag(feed, page, limit), _body(parts, feed, page))


def _body(parts: Parts, feed: Feed, page: Page) -> bytes:
    """`after` is the cursor to go on from; `evidence` signs `version` and `head`."""
    after = page.entries[-1].version if page.entries else feed.after
    entries = b",".join(entry.body for entry in page.entries)
    signed = parts.notary.head(feed.match_id, page.version, page.head)
    form = b'{"match_id":"%b","events":[%b],"after":%d,"version":%d,"head":"%b","evidence":%b}'
    return form % (
        feed.match_id.encode(),
        entries,
        after,
        page.version,
        page.head.encode(),
        msgspec.json.encode(signed),
    )


def _tag(feed: Feed, page: Page, limit: int) -> str:
    viewer = f"{FORM}.{page.version}.full"
    if feed.viewer != ALL:
        viewer = viewer_tag(page.version, feed.viewer)
    return f"{viewer}.{feed.after}.{limit}{'.proof' if feed.proof else ''}"


async def _server_sent(parts: Parts, feed: Feed) -> AsyncIterator[bytes]:
    """`id` is the version, so Last-Event-ID goes on where the stream broke off."""
    yield b"retry: %d\n\n" % RETRY_MS
    after = feed.after
    async for entries in live.follow(parts, feed):
        if not entries:
            yield await _head(parts, feed, after, b"event: head\ndata: %b\n\n") or _QUIET
            continue
        after = entries[-1].version
        yield b"".join(map(_event, entries))
    yield await _head(parts, feed, after, b"event: head\ndata: %b\n\n")
    yield b'id: %d\nevent: end\ndata: {"version":%d}\n\n' % (after, after)


async def _lines(parts: Parts, feed: Feed) -> AsyncIterator[bytes]:
    """An empty line keeps the connection alive."""
    after = feed.after
    async for entries in live.follow(parts, feed):
        if entries:
            after = entries[-1].version
            yield b"".join(map(_line, entries))
        else:
            yield await _head(parts, feed, after, b'{"evidence":%b}\n') or b"\n"
    yield await _head(parts, feed, after, b'{"evidence":%b}\n')


async def _head(parts: Parts, feed: Feed, after: int, form: bytes) -> bytes:
    """For who asked for proofs, what was sent last is signed when the stream rests or ends."""
    signed = await live.signed_head(parts, feed, after) if feed.proof and after else None
    return b"" if signed is None else form % msgspec.json.encode(signed)


def _event(entry: Entry) -> bytes:
    return _event_of(entry) if entry.has_texts else _kept_event(entry)


def _line(entry: Entry) -> bytes:
    return _line_of(entry) if entry.has_texts else _kept_line(entry)


def _event_of(entry: Entry) -> bytes:
    return b"id: %d\ndata: %b\n\n" % (entry.version, entry.body)


def _line_of(entry: Entry) -> bytes:
    return entry.body + b"\n"


# Made once for all who are shown the same; never of what may be erased.
_kept_event = lru_cache(maxsize=1024)(_event_of)
_kept_line = lru_cache(maxsize=1024)(_line_of)


def after_in(request: Request) -> int:
    """Where to go on: Last-Event-ID, which a browser sends by itself, before the query."""
    last, after = request.header(b"last-event-id"), request.whole("after", 0, 0, MOST)
    if last is None:
        return after
    if not (last.isascii() and last.isdigit() and len(last) <= 16):
        raise ParameterInvalid(Fault("Last-Event-ID", "not-a-number", "is not a number"))
    return int(last) if request.media == SSE else after
