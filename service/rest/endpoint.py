"""One address: its methods, and how what they return or raise becomes an answer."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import cache
from time import perf_counter
from typing import Final

import msgspec

from events.schema import UnknownSchema
from service import traces
from service.entropy import POOL
from service.errors import (
    PROBLEM_JSON,
    MethodNotAllowed,
    NoCredentials,
    NotFound,
    Refusal,
    body_of,
    headers_of,
    row_of,
)
from service.http import (
    HTML,
    JSON,
    WHOLE,
    Answer,
    Disconnected,
    Header,
    Receive,
    Request,
    Scope,
    Send,
    Stream,
    Whole,
    preferred,
)
from service.parts import Parts
from service.rest import cors
from service.signals import PROBLEMS, SLOW_READERS, count_request
from service.streams import ABORT, SlowReader, at_once

Handler = Callable[[Parts, Request], Awaitable[Answer | Stream]]

_NO_BODY: Final = frozenset({204, 304})
_OFTEN: Final = frozenset({200, 304})  # none of these closes its connection
_ID: Final = frozenset("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_.")
_SECURITY: Final[tuple[Header, ...]] = (
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
)
_POLICY: Final[Header] = (
    b"content-security-policy",
    b"default-src 'none'; frame-ancestors 'none'",
)
_UNCACHED: Final[Header] = (b"cache-control", b"no-store")


@dataclass(frozen=True)
class Endpoint:
    """`media` are the types its answers can have, the preferred one first.

    `is_negotiated`: one address answers in each of them. `is_deep`: its last parameter takes all
    that is left of the address. Without a route it is no address at all: a method it does not
    have is answered with `missing`.
    """

    route: str
    methods: Mapping[str, Handler]
    media: tuple[bytes, ...] = (JSON,)
    is_negotiated: bool = False
    is_deep: bool = False
    missing: type[Refusal] = NotFound

    @property
    def pattern(self) -> str:
        return self.route.removesuffix("}") + ":path}" if self.is_deep else self.route

    @property
    def allow(self) -> str:
        names = set(self.methods) | {"OPTIONS"} | ({"HEAD"} if "GET" in self.methods else set())
        return ", ".join(sorted(names))

    async def serve(
        self, parts: Parts, scope: Scope, receive: Receive, send: Send, path: dict[str, str]
    ) -> None:
        request = Request(scope, receive, path)
        identity = _request_id(request)
        started = perf_counter()
        with traces.door(request, self.route) as span:
            try:
                answer = await self._answered(parts, request)
            except Disconnected:
                return
            except Exception as error:
                answer = problem(error)
                span.set_attribute(traces.CODE, row_of(error).code)
                if answer.status >= 500:
                    self._log_failure(parts, identity, answer.status, error)
            span.set_attribute(traces.STATUS, 200 if isinstance(answer, Stream) else answer.status)
        more = self._around(parts, request, answer)
        if isinstance(answer, Stream):
            count_request(self.route, 200, 0.0)
            await _send_stream(parts, answer, request, send, more, identity)
            return
        await _send_answer(request, send, answer, more, identity)
        spent = perf_counter() - started
        count_request(self.route, answer.status, spent)
        if parts.settings.log_level == "debug":
            parts.log.debug(
                "request",
                request_id=identity.decode(),
                method=request.method,
                route=self.route,
                status=answer.status,
                milliseconds=round(spent * 1000, 3),
            )

    def _around(
        self, parts: Parts, request: Request, answer: Answer | Stream
    ) -> tuple[Header, ...]:
        """Headers that depend on the request alone: its limit, where its page is from."""
        has_limit = any(name == b"ratelimit" for name, _ in answer.headers)
        more = () if has_limit else request.limit
        if self.is_negotiated:
            more = (*more, (b"vary", b"Accept"))
        if parts.settings.cors_origins:
            more = (*more, *cors.headers(parts.settings.cors_origins, request, self.allow))
        return more

    async def _answered(self, parts: Parts, request: Request) -> Answer | Stream:
        handler = self.methods.get("GET" if request.method == "HEAD" else request.method)
        if handler is None:
            if not self.route:
                raise self.missing
            allow = ((b"allow", self.allow.encode()),)
            if request.method == "OPTIONS":
                return Answer(204, headers=allow)
            raise MethodNotAllowed(headers=allow)
        request.media = preferred(request, self.media)
        return await handler(parts, request)

    def _log_failure(self, parts: Parts, identity: bytes, status: int, error: Exception) -> None:
        parts.log.error(
            "request_failed",
            request_id=identity.decode(),
            route=self.route,
            status=status,
            code=row_of(error).code,
            exc_info=error,
        )


def problem(error: Exception) -> Answer:
    row = row_of(error)
    PROBLEMS.labels(row.code).inc()
    return Answer(
        row.status,
        msgspec.json.encode(body_of(error)),
        PROBLEM_JSON,
        headers_of(error),
    )


async def refuse_socket(scope: Scope, send: Send, error: Exception) -> None:
    """Answer a WebSocket's handshake as a request is answered; a server that can't answers 403."""
    if "websocket.http.response" not in scope.get("extensions", {}):
        await send({"type": "websocket.close", "code": 1000})
        return
    answer = problem(error)
    headers = [*_headers(answer.headers, answer.media), *answer.headers]
    headers.append((b"content-length", b"%d" % len(answer.body)))
    head = {"type": "websocket.http.response.start", "status": answer.status, "headers": headers}
    await send(head)
    await send({"type": "websocket.http.response.body", "body": answer.body})


def _request_id(request: Request) -> bytes:
    given = request.header(b"x-request-id")
    if given is not None and 0 < len(given) <= 64 and _ID.issuperset(given):
        return given.encode()
    return POOL(8).hex().encode()


def _headers(own: tuple[Header, ...], media: bytes | None) -> tuple[Header, ...]:
    """Those that every answer of the kind has, besides its own."""
    given = {name for name, _ in own}
    return _fixed(media, _POLICY[0] not in given, _UNCACHED[0] not in given)


@cache
def _fixed(media: bytes | None, has_policy: bool, is_uncached: bool) -> tuple[Header, ...]:
    headers = _SECURITY if media is None else ((b"content-type", media), *_SECURITY)
    policy = (_POLICY,) if has_policy else ()
    return (*headers, *policy, _UNCACHED) if is_uncached else (*headers, *policy)


@cache
def _lines(headers: tuple[Header, ...]) -> bytes:
    return b"".join(b"%b: %b\r\n" % each for each in headers)


async def _send_answer(
    request: Request, send: Send, answer: Answer, more: tuple[Header, ...], identity: bytes
) -> None:
    has_body = answer.status not in _NO_BODY
    fixed = _headers(answer.headers, answer.media if has_body and answer.media else None)
    headers = [*answer.headers, (b"x-request-id", identity), *more]
    if has_body:
        headers.append((b"content-length", b"%d" % len(answer.body)))
    body = answer.body if has_body and request.method != "HEAD" else b""
    whole: Whole | None = request.scope.get("extensions", {}).get(WHOLE)
    if whole is not None and answer.status in _OFTEN:
        await whole(send, answer.status, _lines(fixed), headers, body)
        return
    start = {"type": "http.response.start", "status": answer.status}
    await send({**start, "headers": [*fixed, *headers]})
    await send({"type": "http.response.body", "body": body})


async def _send_stream(
    parts: Parts,
    stream: Stream,
    request: Request,
    send: Send,
    more: tuple[Header, ...],
    identity: bytes,
) -> None:
    headers = [*_headers(stream.headers, stream.media), *stream.headers, *more]
    headers += ((b"x-request-id", identity), (b"x-accel-buffering", b"no"))
    await send({"type": "http.response.start", "status": 200, "headers": headers})

    async def write(data: bytes) -> None:
        await send({"type": "http.response.body", "body": data, "more_body": True})

    if request.method != "HEAD":
        try:
            now = at_once(request.scope, send)
            is_there = await parts.streams.run(stream.parts, write, request.receive, now)
        except (NoCredentials, UnknownSchema):
            is_there = True  # Whoever may, or can, read on elsewhere asks again.
        except SlowReader:
            SLOW_READERS.inc()
            parts.log.warning("slow_reader", request_id=identity.decode())
            _abort(request, send)
            return
        except Exception as error:
            # Told here, because the server would write out what the error says.
            parts.log.error("stream_failed", request_id=identity.decode(), exc_info=error)
            return
        if not is_there:
            return
    await send({"type": "http.response.body", "body": b""})


def _abort(request: Request, send: Send) -> None:
    """Drop the connection with all that waits in it: closing would wait for the reader."""
    abort = request.scope.get("extensions", {}).get(ABORT)
    if abort is not None:
        abort(send)


def page(html: str, headers: tuple[Header, ...] = ()) -> Answer:
    return Answer(200, html.encode(), HTML, headers)
