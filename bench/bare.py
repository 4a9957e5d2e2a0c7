"""The least a push to many can cost: a uvloop server that writes the same bytes to every socket.

`push N` and a newline from any connection sends N bytes that look like event 0 to all who are
connected and have not pushed. Run as a program it prints its port.
"""

import asyncio
from typing import ClassVar

import uvloop


class Bare(asyncio.Protocol):
    open: ClassVar[set[asyncio.Transport]] = set()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport: asyncio.Transport = transport  # type: ignore[assignment]
        self.open.add(self._transport)

    def connection_lost(self, error: Exception | None) -> None:
        self.open.discard(self._transport)

    def data_received(self, data: bytes) -> None:
        if not data.startswith(b"push "):
            return
        self.open.discard(self._transport)
        pushed = b"id: 0\ndata: ".ljust(int(data[5:]), b"x")
        for each in self.open:
            each.write(pushed)


async def serve() -> None:
    server = await asyncio.get_running_loop().create_server(Bare, "127.0.0.1", 0, backlog=2048)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(serve())
