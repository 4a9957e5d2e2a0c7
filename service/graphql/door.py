"""GraphQL over HTTP: JSON answers by the GraphQL-over-HTTP draft, and server-sent events.

Streams are those of the `graphql-sse` protocol in distinct connections mode, with an `id` to each
event, so that Last-Event-ID goes on where a stream broke off.
"""

from collections.abc import AsyncIterator
from typing import Any, Final

import msgspec
from graphql import OperationType

from service.errors import (
    Fault,
    Malformed,
    MatchNotFound,
    MethodNotAllowed,
    NoCredentials,
    NotAcceptable,
    OtherSeat,
    ParameterInvalid,
    UnsupportedMedia,
    headers_of,
    row_of,
)
from service.faulting import fault_in
from service.graphql.arriving import visitor_of
from service.graphql.context import Context
from service.graphql.documents import Documents, trusted_in
from service.graphql.faults import GraphqlInvalid
from service.graphql.page import page
from service.graphql.running import Asked, Operation, Runner, Source, Told, refused
from service.graphql.schema import graph
from service.graphql.sockets import serve_socket
from service.graphql.visitor import Visitor
from service.http import HTML, JSON, SSE, Answer, Receive, Request, Scope, Send, Stream
from service.parts import Parts
from service.repeated import refuse_repeated
from service.rest.endpoint import Endpoint

PATH: Final = "/graphql"
GRAPHQL: Final = b"application/graphql-response+json; charset=utf-8"
_NAMED: Final = b"application/graphql-response+json"
_PARTIAL: Final = 294  # of the draft: data and errors
_RETRY_MS: Final = 2000
_ASKED: Final = msgspec.json.Decoder(Asked)
_OBJECT: Final = msgspec.json.Decoder(dict[str, Any])


class Graphql:
    """The GraphQL door of a running service, as an ASGI application for HTTP and WebSocket."""

    def __init__(self, parts: Parts) -> None:
        """Raises: SettingRefused."""
        self._parts = parts
        self._trusted = trusted_in(parts.settings.graphql_operations)
        self._made: Runner | None = None
        methods = {"POST": self._post, "GET": self._get}
        self._newer = Endpoint(PATH, methods, (GRAPHQL, JSON, SSE))
        self._older = Endpoint(PATH, methods, (JSON, GRAPHQL, SSE))
        self._shown = Endpoint(PATH, methods, (JSON, GRAPHQL, SSE, HTML))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await serve_socket(self._runner, scope, receive, send)
            return
        await self._endpoint(scope).serve(self._parts, scope, receive, send, {})

    def _endpoint(self, scope: Scope) -> Endpoint:
        """Who does not name the newer media type gets the older one, or the page if that is what
        is wanted.
        """
        accepted = [value for name, value in scope["headers"] if name == b"accept"]
        if any(_NAMED in value for value in accepted):
            return self._newer
        is_page = scope["method"] in ("GET", "HEAD") and any(b"text/html" in a for a in accepted)
        return self._shown if is_page else self._older

    @property
    def _runner(self) -> Runner:
        """Made by the first request: a process that gets none has no schema to pay for."""
        if self._made is None:
            made = graph()
            documents = Documents(made.schema, self._trusted)
            self._made = Runner(self._parts, made, documents)
        return self._made

    async def _post(self, parts: Parts, request: Request) -> Answer | Stream:
        media = (request.header(b"content-type") or "").partition(";")[0].strip().lower()
        if media != "application/json":
            raise UnsupportedMedia(headers=((b"accept", JSON),))
        return await self._told(request, await request.body(parts.settings.body_limit))

    async def _get(self, parts: Parts, request: Request) -> Answer | Stream:
        if request.media == HTML:
            return page()
        return await self._told(request, None)

    async def _told(self, request: Request, body: bytes | None) -> Answer | Stream:
        """What was asked, in a body or (None) in the query."""
        arrived = self._parts.clock()
        try:
            asked = _asked(request) if body is None else _decoded(body)
            visitor = visitor_of(self._parts, request)
            if request.header(b"authorization") is not None and visitor.is_known_alone:
                await visitor.caller()
                _tell_limit(request, visitor)
            operation = self._runner.operation(asked)
            if body is None and operation.kind is OperationType.MUTATION:
                raise MethodNotAllowed(headers=((b"allow", b"POST"),))
            if request.media == SSE:
                self._parts.streams.require_room()
            elif operation.kind is OperationType.SUBSCRIPTION:
                only = "a subscription is given as text/event-stream"
                raise NotAcceptable(Fault("Accept", "unknown-value", only))
            context = self._runner.context(visitor, arrived, _resume(request))
            told = await self._begun(operation, context)
            if visitor.refused is not None:
                # A user is let in once the operation has named a match: nothing of it was done.
                raise visitor.refused
        except Exception as error:
            if row_of(error).status >= 500:
                raise
            return _refused(request, error)
        _tell_limit(request, visitor)
        if request.media == SSE:
            return Stream(self._events(told), SSE, (_UNCACHED,))
        assert isinstance(told, Told)
        return _answer(request, told)

    async def _begun(self, operation: Operation, context: Context) -> Source | Told:
        if operation.kind is OperationType.SUBSCRIPTION:
            return await self._runner.opened(operation, context)
        return await self._runner.once(operation, context)

    async def _events(self, told: Source | Told) -> AsyncIterator[bytes]:
        yield b"retry: %d\n\n" % _RETRY_MS
        if isinstance(told, Told):
            yield _event(told.body, None)
        else:
            try:
                async for each in self._runner.items(told):
                    yield _event(each.body, each.version)
            except (NoCredentials, MatchNotFound, OtherSeat) as ended:
                yield _event(refused(ended).body, None)
        yield b"event: complete\ndata:\n\n"


_UNCACHED: Final = (b"cache-control", b"no-store")


def _event(body: bytes, version: int | None) -> bytes:
    if version is None:
        return b"event: next\ndata: %b\n\n" % body
    return b"id: %d\nevent: next\ndata: %b\n\n" % (version, body)


def _decoded(body: bytes) -> Asked:
    """Raises: Malformed, GraphqlInvalid, all of them 400 as the draft has it."""
    try:
        asked = _ASKED.decode(body)
        refuse_repeated(body)
    except msgspec.ValidationError as error:
        raise GraphqlInvalid(fault_in(error, _ASKED.type)) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise Malformed from None
    return _complete(asked)


def _asked(request: Request) -> Asked:
    """Raises: ParameterInvalid, GraphqlInvalid."""
    return _complete(
        Asked(
            query=request.query("query"),
            document_id=request.query("documentId"),
            operation_name=request.query("operationName") or None,
            variables=_object(request, "variables"),
            extensions=_object(request, "extensions"),
        )
    )


def _object(request: Request, name: str) -> dict[str, Any] | None:
    given = request.query(name)
    if not given:
        return None
    try:
        return _OBJECT.decode(given)
    except (msgspec.DecodeError, RecursionError):
        raise ParameterInvalid(Fault(name, "wrong-shape", "has to be a JSON object")) from None


def _complete(asked: Asked) -> Asked:
    if asked.query is None and asked.document_id is None:
        raise GraphqlInvalid(Fault("query", "missing", "or a documentId has to be given"))
    return asked


def _resume(request: Request) -> int | None:
    last = request.header(b"last-event-id")
    if last is None or request.media != SSE:
        return None
    if not (last.isascii() and last.isdigit() and len(last) <= 16):
        raise ParameterInvalid(Fault("Last-Event-ID", "not-a-number", "is not a version"))
    return int(last)


def _tell_limit(request: Request, visitor: Visitor) -> None:
    if visitor.taken is not None:
        request.limit = visitor.taken.headers


def _answer(request: Request, told: Told) -> Answer:
    """In the older media type whatever is GraphQL is 200."""
    if request.media == JSON:
        return Answer(200, told.body, JSON)
    return Answer(told.status or (_PARTIAL if told.is_partial else 200), told.body, GRAPHQL)


def _refused(request: Request, error: Exception) -> Answer:
    told = refused(error)
    media = JSON if request.media == JSON else GRAPHQL
    is_about_the_document = row_of(error).code.startswith("graphql-") and request.media == JSON
    is_read = not isinstance(error, GraphqlInvalid) or hasattr(error, "errors")
    status = 200 if is_about_the_document and is_read else told.status or 200
    return Answer(status, told.body, media, headers_of(error))
