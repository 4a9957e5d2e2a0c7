"""What a connection may send before it is heard: a real server, spoken to byte by byte."""

import asyncio
import re
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from service.cli import protocol
from service.cli.demo.server import Server
from service.http import Receive, Scope, Send
from tests.waiting import PATIENCE

pytestmark = pytest.mark.asyncio


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder: Path = tmp_path_factory.mktemp("connections")
    running = Server(folder)
    yield running
    running.stop()


async def told(server: Server, sent: bytes) -> bytes:
    """All that comes back until the server closes the connection."""
    host, port = server.url.removeprefix("http://").split(":")
    reading, writing = await asyncio.open_connection(host, int(port))
    writing.write(sent)
    async with asyncio.timeout(PATIENCE):
        answer = await reading.read(-1)
    writing.close()
    return answer


@pytest.mark.parametrize(
    "head",
    [
        b"GET /livez HTTP/1.1\r\nhost: x\r\nlong: " + b"a" * protocol.HEAD_BYTES + b"\r\n\r\n",
        b"GET /livez HTTP/1.1\r\nhost: x\r\n" + b"a: b\r\n" * 200 + b"\r\n",
        b"GET /livez?" + b"a" * protocol.HEAD_BYTES + b" HTTP/1.1\r\nhost: x\r\n\r\n",
    ],
)
async def test_a_head_that_is_too_large_is_refused(server: Server, head: bytes) -> None:
    assert_problem(await told(server, head), 431)


@pytest.mark.parametrize(
    "sent",
    [
        b"hello\r\n\r\n",
        b"GET /livez HTTP/1.1\r\nno colon\r\n\r\n",
        b"GET /livez HTTP/1.1\r\nhost: x\r\ncontent-length: many\r\n\r\n",
    ],
)
async def test_what_is_no_request_is_refused(server: Server, sent: bytes) -> None:
    assert_problem(await told(server, sent), 400)


async def test_refusals_of_what_is_no_request_have_ids_of_their_own(server: Server) -> None:
    answers = [await told(server, b"hello\r\n\r\n") for _ in range(2)]
    first, second = (assert_problem(each, 400)["x-request-id"] for each in answers)
    assert first != second


def assert_problem(answer: bytes, status: int) -> dict[str, str]:
    """One whole answer in the form of all refusals; its headers."""
    head, _, body = answer.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    headers = dict(line.lower().split(": ", 1) for line in lines)
    assert first.startswith(f"HTTP/1.1 {status} ")
    assert headers["content-type"] == "application/problem+json"
    assert re.fullmatch("[0-9a-f]{16}", headers["x-request-id"])
    assert (headers["connection"], headers["content-length"]) == ("close", str(len(body)))
    problem = msgspec.json.decode(body)
    assert (problem["status"], problem["type"]) == (status, "about:blank")
    assert problem["title"]
    assert problem["detail"]
    return headers


async def test_a_body_declared_too_large_is_refused_before_it_is_sent(server: Server) -> None:
    head = (
        b"POST /v1/matches HTTP/1.1\r\nhost: x\r\nauthorization: Bearer " + server.key.encode()
    ) + b"\r\ncontent-type: application/json\r\ncontent-length: 99999999999\r\n\r\n"
    answer = await told(server, head)
    assert answer.startswith(b"HTTP/1.1 413 ")


async def test_other_requests_are_heard_as_ever(server: Server) -> None:
    head = b"GET /livez HTTP/1.1\r\nhost: x\r\nconnection: close\r\n" + b"a: b\r\n" * 50 + b"\r\n"
    assert (await told(server, head)).startswith(b"HTTP/1.1 200 ")


@pytest.mark.parametrize("sent", [b"", b"GET /liv", b"POST /v1/matches HTTP/1.1\r\nhost: x\r\n"])
async def test_a_request_that_is_not_whole_in_time_ends_its_connection(
    sent: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(protocol, "REQUEST_SECONDS", 0.05)
    loop = asyncio.get_running_loop()
    listening = await loop.create_server(lambda: _bare(loop), "127.0.0.1", 0)
    port = listening.sockets[0].getsockname()[1]
    reading, writing = await asyncio.open_connection("127.0.0.1", port)
    writing.write(sent)
    assert await _ended(reading)
    writing.close()
    listening.close()


async def _ended(reading: asyncio.StreamReader) -> bool:
    """Whether the peer ends the connection, in whatever way."""
    async with asyncio.timeout(PATIENCE):
        try:
            return await reading.read(-1) == b""
        except ConnectionError:
            return True


def _bare(loop: asyncio.AbstractEventLoop) -> protocol.Protocol:
    from uvicorn import Config
    from uvicorn.server import ServerState

    async def never(scope: Scope, receive: Receive, send: Send) -> None:
        await asyncio.Event().wait()

    config = Config(never, lifespan="off", log_config=None, ws="none")
    return protocol.Protocol(config, ServerState(), {}, loop)
