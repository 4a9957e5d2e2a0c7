"""WebSockets as the server speaks them: most messages are written without a word about them."""

from typing import Any, Final

from uvicorn._types import ASGISendEvent
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.protocol import State

from service.http import Send
from service.streams import PART

_TEXT: Final = 0x81  # the first byte of a text message that comes in one frame
_SHORT: Final = 126  # from this size on two bytes tell it
_MOST: Final = 1 << 16


class Messages(WebSocketsSansIOProtocol):
    """A connection that takes a text at once, as its bytes, where nothing is in the way.

    It must not have agreed to compress.
    """

    async def run_asgi(self) -> None:
        self.scope["extensions"] = _EXTENSIONS
        await super().run_asgi()

    async def send(self, message: ASGISendEvent) -> None:
        await super().send(message)
        if self.initial_response is not None and self.close_sent:
            # A handshake that is answered by HTTP is over too: else uvicorn complains of it.
            self.handshake_complete = True


def _part(send: Send, data: bytes) -> bool:
    """A text message; False, with nothing done, where `send` may have to wait or to refuse it."""
    own: WebSocketsSansIOProtocol = send.__self__  # type: ignore[attr-defined]
    is_open = own.handshake_complete and not (own.close_sent or own.disconnected)
    if not (is_open and own.writable.is_set() and own.conn.state is State.OPEN):
        return False
    size = len(data)
    if size < _SHORT:
        head = bytes((_TEXT, size))
    elif size < _MOST:
        head = bytes((_TEXT, _SHORT, size >> 8, size & 0xFF))
    else:
        return False
    own.transport.write(head + data)
    return True


# The same for all connections, as for requests.
_EXTENSIONS: Final[dict[Any, Any]] = {"websocket.http.response": {}, PART: _part}
