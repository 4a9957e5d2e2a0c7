"""GraphQL over WebSocket: the protocol `graphql-transport-ws`, and no other."""

import asyncio
from contextlib import suppress
from typing import Any, Final

import msgspec
from graphql import OperationType

from service.errors import (
    Malformed,
    MatchNotFound,
    NoCredentials,
    OtherSeat,
    ParameterInvalid,
    TooManyRequests,
    TooManyStreams,
    row_of,
)
from service.graphql.arriving import announced
from service.graphql.faults import GraphqlTooManySubscriptions
from service.graphql.running import Asked, Operation, Runner, Told, refused
from service.graphql.visitor import Visitor
from service.http import Receive, Request, Scope, Send
from service.repeated import refuse_repeated
from service.streams import SlowReader, at_once

PROTOCOL: Final = "graphql-transport-ws"
INIT_SECONDS: Final = 10.0
OPERATIONS: Final = 50  # open at a time
REASON_BYTES: Final = 123  # of a closing (RFC 6455, 5.5)

BAD_REQUEST: Final = (4400, "Bad request")
UNAUTHORIZED: Final = (4401, "Unauthorized")
FORBIDDEN: Final = (4403, "Forbidden")
BAD_PROTOCOL: Final = (4406, "Subprotocol not acceptable")
INIT_TIMEOUT: Final = (4408, "Connection initialisation timeout")
TAKEN: Final = (4409, "Subscriber already exists")
TOO_MANY_INITS: Final = (4429, "Too many initialisation requests")
TOO_MANY_REQUESTS: Final = (4429, "Too many requests")
RESTART: Final = (1012, "Service restart")
FULL: Final = (1013, "Too many streams, try again later")
SLOW: Final = (1013, "Read faster, and go on after the last version")
FAILED: Final = (1011, "Internal error")

Close = tuple[int, str]


class Frame(msgspec.Struct, frozen=True):
    """A message of a client."""

    type: str
    id: str | None = None
    payload: dict[str, Any] | None = None


_FRAME: Final = msgspec.json.Decoder(Frame)


class Closing(Exception):
    """The connection is to be closed with this code and reason."""

    def __init__(self, close: Close) -> None:
        super().__init__(close[1])
        self.close = close


class Gone(Exception):
    """The client is gone."""


async def serve_socket(runner: Runner, scope: Scope, receive: Receive, send: Send) -> None:
    await receive()
    is_spoken = PROTOCOL in scope.get("subprotocols", ())
    try:
        await send({"type": "websocket.accept", "subprotocol": PROTOCOL if is_spoken else None})
    except OSError:  # It has left already.
        return
    if not is_spoken:
        await _close(send, BAD_PROTOCOL, runner.parts.settings.send_seconds)
        return
    try:
        runner.parts.streams.require_room()
    except TooManyStreams:
        await _close(send, FULL, runner.parts.settings.send_seconds)
        return
    await Socket(runner, scope, receive, send).run()


class Socket:
    """One connection. Each operation is a task; whatever ends the connection ends them all."""

    def __init__(self, runner: Runner, scope: Scope, receive: Receive, send: Send) -> None:
        self._runner = runner
        self._receive = receive
        self._raw_send = send
        self._at_once = at_once(scope, send)
        self._request = Request({"query_string": b"", **scope, "method": "GET"}, receive, {})
        self._visitor: Visitor | None = None
        self._late: asyncio.TimerHandle | None = None
        self._open: dict[str, asyncio.Task[None]] = {}
        self._ended: asyncio.Future[Close | None] = asyncio.get_running_loop().create_future()

    async def run(self) -> None:
        """Until the client goes or the connection has to be closed."""
        streams = self._runner.parts.streams
        with streams.held(self._ended):
            reading = asyncio.create_task(self._read())
            try:
                close = await self._ended
            except asyncio.CancelledError:
                close = RESTART
                if not streams.stopping:
                    raise
            finally:
                if self._late is not None:
                    self._late.cancel()
                tasks = (reading, *self._open.values())
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)
        if close is not None:
            await _close(self._raw_send, close, self._runner.parts.settings.send_seconds)

    def _end(self, close: Close | None) -> None:
        if not self._ended.done():
            self._ended.set_result(close)

    async def _read(self) -> None:
        try:
            await self._initialised()
            while True:
                await self._take(await self._frame())
        except Closing as closing:
            self._end(closing.close)
        except Gone:
            self._end(None)
        except Exception as error:
            self._failed(error)

    async def _initialised(self) -> None:
        """Raises: Closing, Gone."""
        try:
            async with asyncio.timeout(INIT_SECONDS):
                while (frame := await self._frame()).type != "connection_init":
                    await self._before_init(frame)
        except TimeoutError:
            raise Closing(INIT_TIMEOUT) from None
        try:
            visitor = announced(self._runner.parts, self._request, frame.payload or {})
            if visitor.is_known_alone:
                await visitor.caller()
            else:
                loop = asyncio.get_running_loop()
                self._late = loop.call_later(INIT_SECONDS, self._require_let_in, visitor)
        except ParameterInvalid:
            raise Closing(BAD_REQUEST) from None
        except (NoCredentials, OtherSeat):
            raise Closing(UNAUTHORIZED) from None
        except TooManyRequests:
            raise Closing(TOO_MANY_REQUESTS) from None
        self._visitor = visitor
        await self._send(b'{"type":"connection_ack"}')

    def _require_let_in(self, visitor: Visitor) -> None:
        """A user who named no match has had the time to: nobody else's socket is held open."""
        if not visitor.is_let_in:
            self._end(UNAUTHORIZED)

    async def _before_init(self, frame: Frame) -> None:
        match frame.type:
            case "ping":
                await self._send(b'{"type":"pong"}')
            case "pong":
                pass
            case "subscribe":
                raise Closing(UNAUTHORIZED)
            case _:
                raise Closing(BAD_REQUEST)

    async def _take(self, frame: Frame) -> None:
        match frame:
            case Frame(type="subscribe", id=str(identity), payload=dict(payload)) if identity:
                await self._subscribe(identity, payload)
            case Frame(type="complete", id=str(identity)):
                task = self._open.pop(identity, None)
                if task is not None:
                    task.cancel()
            case Frame(type="ping"):
                await self._send(b'{"type":"pong"}')
            case Frame(type="pong"):
                pass
            case Frame(type="connection_init"):
                raise Closing(TOO_MANY_INITS)
            case _:
                raise Closing(BAD_REQUEST)

    async def _subscribe(self, identity: str, payload: dict[str, Any]) -> None:
        if identity in self._open:
            raise Closing((TAKEN[0], f"Subscriber for {identity} already exists"))
        if len(self._open) >= OPERATIONS:
            await self._errors(identity, refused(GraphqlTooManySubscriptions()))
            return
        try:
            asked = msgspec.convert(payload, Asked)
        except msgspec.ValidationError:
            raise Closing(BAD_REQUEST) from None
        if asked.query is None and asked.document_id is None:
            raise Closing(BAD_REQUEST)
        arrived = self._runner.parts.clock()
        self._open[identity] = asyncio.create_task(self._operate(identity, asked, arrived))

    async def _operate(self, identity: str, asked: Asked, arrived: int) -> None:
        try:
            await self._answered(identity, asked, arrived)
        except Closing as closing:
            self._end(closing.close)
        except Gone:
            self._end(None)
        except NoCredentials:
            self._end(FORBIDDEN)
        except Exception as error:
            self._failed(error)
        finally:
            if self._open.get(identity) is asyncio.current_task():
                del self._open[identity]

    async def _answered(self, identity: str, asked: Asked, arrived: int) -> None:
        visitor = self._visitor
        assert visitor is not None
        try:
            await visitor.once_more()
            operation = self._runner.operation(asked)
        except NoCredentials:
            raise
        except Exception as error:
            if row_of(error).status >= 500:
                raise
            await self._errors(identity, refused(error))
            return
        prefix = b'{"id":%b,"type":"next","payload":' % msgspec.json.encode(identity)
        if operation.kind is OperationType.SUBSCRIPTION:
            try:
                with self._runner.parts.streams.counted():
                    if not await self._followed(visitor, identity, operation, prefix):
                        return
            except TooManyStreams as full:
                await self._errors(identity, refused(full))
                return
        else:
            context = self._runner.context(visitor, arrived)
            told = await self._runner.once(operation, context)
            _require_counted(visitor)
            if told.status is not None:
                await self._errors(identity, told)
                return
            await self._send(prefix + told.body + b"}")
        if self._open.pop(identity, None) is not None:
            await self._send(b'{"id":%b,"type":"complete"}' % msgspec.json.encode(identity))

    async def _followed(
        self, visitor: Visitor, identity: str, operation: Operation, prefix: bytes
    ) -> bool:
        """Whether it ended by itself."""
        context = self._runner.context(visitor)
        try:
            source = await self._runner.opened(operation, context)
            _require_counted(visitor)
            if isinstance(source, Told):
                await self._errors(identity, source)
                return False
            async for each in self._runner.items(source):
                await self._send(prefix + each.body + b"}")
        except (MatchNotFound, OtherSeat):
            raise Closing(FORBIDDEN) from None
        return True

    async def _errors(self, identity: str, told: Told) -> None:
        """An operation that could not be run; the connection stays."""
        self._open.pop(identity, None)
        errors = msgspec.json.decode(told.body, type=dict[str, msgspec.Raw])["errors"]
        head = b'{"id":%b,"type":"error","payload":' % msgspec.json.encode(identity)
        await self._send(head + bytes(errors) + b"}")

    async def _frame(self) -> Frame:
        """Raises: Closing, Gone."""
        message = await self._receive()
        if message["type"] == "websocket.disconnect":
            raise Gone
        text = message.get("text")
        if text is None or len(text) > self._runner.parts.settings.body_limit:
            raise Closing(BAD_REQUEST)
        try:
            frame = _FRAME.decode(text)
            refuse_repeated(text.encode())
            return frame
        except (msgspec.DecodeError, UnicodeEncodeError, RecursionError, Malformed):
            raise Closing(BAD_REQUEST) from None

    async def _send(self, data: bytes) -> None:
        """Raises: Closing if the client does not read, Gone."""
        if self._at_once(data):
            return
        message = {"type": "websocket.send", "text": data.decode()}
        try:
            await self._runner.parts.streams.written(self._raw_send(message))
        except SlowReader:
            raise Closing(SLOW) from None
        except OSError:
            # So ASGI has it that it left; the message that says so may come later.
            raise Gone from None

    def _failed(self, error: Exception) -> None:
        self._runner.parts.log.error("socket_failed", code=row_of(error).code, exc_info=error)
        self._end(FAILED)


async def _close(send: Send, close: Close, seconds: float) -> None:
    """Who has not read for a while may read now, and learn why; else it sees the end alone."""
    reason = close[1].encode()[:REASON_BYTES].decode(errors="ignore")
    with suppress(Exception):
        async with asyncio.timeout(seconds):
            await send({"type": "websocket.close", "code": close[0], "reason": reason})


def _require_counted(visitor: Visitor) -> None:
    """A user is let in once an operation has named a match, or comes too often: nothing of it was
    done then. Raises: Closing.
    """
    if visitor.refused is not None:
        raise Closing(TOO_MANY_REQUESTS)
