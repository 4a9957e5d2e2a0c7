"""Hostile targets: slow ones, huge answers, redirects inwards, names that change their place."""

import asyncio
import socket
from collections.abc import AsyncIterator
from typing import Any

import msgspec
import pytest

from service.reaching import Unreached, is_address, reach
from service.settings import Settings
from tests.service.conftest import Door
from tests.service.hooking import hooked, sent_test, settled
from tests.service.receiving import Receiver, receiver

INWARDS = "https://internal.example/hooks"


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    return sqlite_url


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return msgspec.structs.replace(settings, private_webhooks=True, webhook_seconds=60)


@pytest.fixture
async def there() -> AsyncIterator[Receiver]:
    async with receiver() as opened:
        yield opened


def hurry(door: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    """Webhooks are given little time from now on."""
    brief = msgspec.structs.replace(door.app.settings, webhook_seconds=0.3)
    monkeypatch.setattr(door.app.parts.webhooks, "_settings", brief)


async def outcome(door: Door, url: str, state: str = "pending") -> tuple[str, int | None]:
    """What came of the first attempt."""
    hook = await hooked(door, url)
    await sent_test(door, hook)
    first = (await settled(door, hook, state, 1))["log"][0]
    return first["outcome"], first["status"]


async def test_one_that_never_answers_is_left(
    door: Door, there: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    hurry(door, monkeypatch)
    there.gate = asyncio.Event()
    assert await outcome(door, there.url) == ("timeout", None)


async def test_one_that_drips_its_head_is_left(door: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    hurry(door, monkeypatch)
    left = asyncio.Event()

    async def dripping(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 204 x\r\n")
        try:
            while True:
                writer.write(b"x: y\r\n")
                await writer.drain()
                await asyncio.sleep(0.02)
        except ConnectionError:
            writer.transport.abort()
        finally:
            left.set()

    server = await asyncio.start_server(dripping, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        assert await outcome(door, f"http://localhost:{port}/") == ("timeout", None)
        await left.wait()  # or the loop would be closed above an open connection
        await asyncio.sleep(0)


async def test_a_head_without_end_is_no_answer(door: Door, there: Receiver) -> None:
    there.raw = b"HTTP/1.1 204 x\r\n" + b"x: " + b"y" * 1_000_000
    assert await outcome(door, there.url) == ("no answer", None)


async def test_a_body_without_end_is_not_read(door: Door, there: Receiver) -> None:
    there.raw = b"HTTP/1.1 200 x\r\ncontent-length: 99999999999\r\n\r\n" + b"y" * 1_000_000
    assert await outcome(door, there.url, "delivered") == ("delivered", 200)


@pytest.mark.parametrize("raw", [b"", b"garbage\r\n\r\n", b"HTTP/1.1 999999 x\r\n\r\n"])
async def test_what_is_no_answer_is_none(door: Door, there: Receiver, raw: bytes) -> None:
    there.raw = raw
    assert await outcome(door, there.url) == ("no answer", None)


@pytest.mark.parametrize("status", [301, 302, 307, 308])
async def test_redirects_are_not_followed(door: Door, there: Receiver, status: int) -> None:
    async with receiver() as inside:
        there.status, there.more = status, {"location": inside.url}
        assert await outcome(door, there.url) == ("redirect", status)
        assert inside.asked == 0


@pytest.mark.parametrize("status", [100, 400, 404, 429, 500, 503])
async def test_no_status_but_2xx_means_that_it_arrived(
    door: Door, there: Receiver, status: int
) -> None:
    there.status = status
    found, given = await outcome(door, there.url)
    assert found in (
        "refused",
        "busy",
        "no answer",
        "timeout",
    )  # 100 says that an answer is to come
    assert given in (status, None)


async def test_where_nobody_listens_is_no_answer(door: Door) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    assert await outcome(door, f"http://127.0.0.1:{port}/") == ("no answer", None)


def resolving(monkeypatch: pytest.MonkeyPatch, *answers: list[str]) -> list[str]:
    """Names lead to each of the answers in turn, and to the last one from then on."""
    asked: list[str] = []

    async def found(host: str, port: int) -> list[str]:
        asked.append(host)
        return answers[min(len(asked), len(answers)) - 1]

    monkeypatch.setattr("service.reaching.addresses_of", found)
    return asked


@pytest.mark.parametrize(
    "found",
    [
        ["127.0.0.1"],
        ["10.0.0.7"],
        ["169.254.169.254"],
        ["::1"],
        ["fd00::1"],
        ["::ffff:127.0.0.1"],
        ["93.184.216.34", "127.0.0.1"],
        [],
    ],
)
async def test_a_name_that_leads_inwards_is_not_asked(
    monkeypatch: pytest.MonkeyPatch, found: list[str]
) -> None:
    resolving(monkeypatch, found)
    connected = connections(monkeypatch)
    with pytest.raises(Unreached, match="no public address"):
        await reach("POST", INWARDS, seconds=5, body=b"{}")
    assert connected == []


def connections(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int]]:
    """Where TCP connections are opened to; none of them is."""
    found: list[tuple[str, int]] = []

    async def refused(self: Any, host: str, port: int, *_: Any, **__: Any) -> Any:
        found.append((host, port))
        raise OSError("refused by the test")

    monkeypatch.setattr("httpcore._backends.auto.AutoBackend.connect_tcp", refused)
    return found


async def test_the_connection_goes_where_it_was_looked(monkeypatch: pytest.MonkeyPatch) -> None:
    """A name that leads outwards when it is looked at, and inwards right after."""
    asked = resolving(monkeypatch, ["93.184.216.34"], ["127.0.0.1"])
    connected = connections(monkeypatch)
    with pytest.raises(Unreached, match="no answer"):
        await reach("POST", INWARDS, seconds=5, body=b"{}")
    assert (asked, connected) == (["internal.example"], [("93.184.216.34", 443)])
    with pytest.raises(Unreached, match="no public address"):
        await reach("POST", INWARDS, seconds=5, body=b"{}")
    assert connected == [("93.184.216.34", 443)]


async def test_a_name_that_takes_too_long_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    async def slow(host: str, port: int) -> list[str]:
        await asyncio.sleep(60)
        return []

    monkeypatch.setattr("service.reaching.addresses_of", slow)
    with pytest.raises(Unreached, match="timeout"):
        await reach("POST", INWARDS, seconds=0.05)


async def test_plain_http_is_not_spoken(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = resolving(monkeypatch, ["93.184.216.34"])
    for uri in ("http://play.example.org/", "ftp://play.example.org/", "file:///etc/passwd"):
        with pytest.raises(Unreached, match="no https address"):
            await reach("POST", uri, seconds=5)
        assert not is_address(uri, allow_private=False)
    assert asked == []


@pytest.mark.parametrize(
    "uri",
    [
        "https://0177.0.0.1/",
        "https://0x7f000001/",
        "https://2130706433/",
        "https://127.1/",
        "https://localhost/",
        "https://[::ffff:7f00:1]/",
    ],
)
async def test_other_spellings_of_loopback_lead_nowhere(uri: str) -> None:
    with pytest.raises(Unreached):
        await reach("POST", uri, seconds=5)
