"""Requests to addresses that somebody typed in: to public ones alone, following nothing.

The name is resolved once, all of its addresses are looked at, and the connection goes to one of
those. Neither the time an answer may take nor how much of it is taken depends on who answers.
"""

import asyncio
import socket
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from email.utils import parsedate_to_datetime
from functools import cache
from ipaddress import IPv6Address, IPv6Network, ip_address
from ssl import SSLContext
from typing import Final
from urllib.parse import SplitResult, urlsplit

import httpx
import msgspec

_NAT64: Final = IPv6Network("64:ff9b::/96")
# Names that are slow to resolve hold a thread each: of these, so that nobody else waits for one.
_RESOLVERS: Final = 64


class Unreached(Exception):
    """There is no answer. `reason` is one word or two, and tells nothing of what is there."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Reply(msgspec.Struct, frozen=True):
    """`body` is what was taken of it: one byte more than asked for, if there was more.

    `retry_after` (seconds) is what the answer asks to wait, if it does.
    """

    status: int
    body: bytes
    retry_after: int | None = None


async def reach(
    method: str,
    uri: str,
    *,
    seconds: float,
    most: int = 0,
    allow_private: bool = False,
    headers: dict[str, str] | None = None,
    body: bytes | None = None,
) -> Reply:
    """The answer, up to `most` bytes of its body; of 0 nothing is waited for but its head.

    `seconds` are for all of it together. Raises: Unreached.
    """
    try:
        async with asyncio.timeout(seconds):
            return await _reached(method, uri, most, allow_private, headers or {}, body)
    except TimeoutError:
        raise Unreached("timeout") from None
    except (OSError, ValueError, httpx.HTTPError, httpx.InvalidURL) as error:
        raise Unreached("no answer") from error


def is_address(uri: str, *, allow_private: bool) -> bool:
    """What can be told of an address without asking for it. One with a fragment is none."""
    if "#" in uri:
        return False
    try:
        parts = urlsplit(uri)
        httpx.URL(uri)
        is_fine = bool(parts.hostname) and parts.port != 0 and parts.username is None
    except (ValueError, httpx.InvalidURL):
        return False
    if not is_fine or parts.scheme not in _schemes(allow_private):
        return False
    try:
        return allow_private or is_public(parts.hostname or "")
    except ValueError:
        return True  # A name; where it leads is seen when it is asked for.


def is_public(address: str) -> bool:
    """Whether an address lies in the open, also the one inside of an IPv6 address that wraps it.

    Raises: ValueError for what is no address.
    """
    parsed = ip_address(address.partition("%")[0])
    if isinstance(parsed, IPv6Address):
        if parsed in _NAT64:
            return is_public(str(ip_address(int(parsed) & 0xFFFFFFFF)))
        wrapped = parsed.ipv4_mapped or parsed.sixtofour
        if wrapped is not None:
            return is_public(str(wrapped))
        if parsed.teredo is not None:
            return False
    return parsed.is_global and not parsed.is_multicast


async def addresses_of(host: str, port: int) -> list[str]:
    """All that the name resolves to now."""
    loop = asyncio.get_running_loop()
    found = await loop.run_in_executor(_threads(), _looked_up, host, port)
    return [str(each[4][0]) for each in found]


def wait_named(headers: Mapping[str, str]) -> int | None:
    """The seconds of `retry-after`. A moment is held against the `date` of the same answer, so
    that it does not matter whose clock is right.
    """
    named = headers.get("retry-after", "")
    if named.isascii() and named.isdigit() and len(named) < 8:
        return int(named)
    try:
        then, now = (parsedate_to_datetime(each) for each in (named, headers.get("date", "")))
        return max(0, int((then - now).total_seconds()))
    except (TypeError, ValueError, OverflowError):  # Also of two where one has no zone.
        return None


async def _reached(
    method: str,
    uri: str,
    most: int,
    allow_private: bool,
    headers: dict[str, str],
    body: bytes | None,
) -> Reply:
    parts = urlsplit(uri)
    host = parts.hostname
    if host is None or parts.scheme not in _schemes(allow_private):
        raise Unreached("no https address")
    address = await _allowed(host, _port(parts), allow_private)
    # Pinned: the name is not resolved a second time, but the certificate has to be the name's.
    pinned = httpx.URL(uri).copy_with(host=address)
    own = {"host": parts.netloc.rpartition("@")[2], "accept-encoding": "identity", **headers}
    async with httpx.AsyncClient(
        trust_env=False,
        follow_redirects=False,
        timeout=None,  # noqa: S113 - all of it together has its time
        verify=_trust(),
    ) as client:
        request = client.build_request(
            method, pinned, headers=own, content=body, extensions={"sni_hostname": host}
        )
        answer = await client.send(request, stream=True)
        try:
            body_taken = await _taken(answer, most)
            return Reply(answer.status_code, body_taken, wait_named(answer.headers))
        finally:
            await answer.aclose()


async def _allowed(host: str, port: int, allow_private: bool) -> str:
    """An address of the host. One that is not public among them refuses all."""
    found = await addresses_of(host, port)
    if not found or not (allow_private or all(map(is_public, found))):
        raise Unreached("no public address")
    return found[0]


async def _taken(answer: httpx.Response, most: int) -> bytes:
    body = b""
    if most:
        async for part in answer.aiter_raw():
            body += part
            if len(body) > most:
                break
    return body[: most + 1]


def _port(parts: SplitResult) -> int:
    return parts.port or (443 if parts.scheme == "https" else 80)


def _schemes(allow_private: bool) -> tuple[str, ...]:
    return ("https", "http") if allow_private else ("https",)


def _looked_up(host: str, port: int) -> list[tuple[object, object, object, object, tuple[object]]]:
    found: list[tuple[object, object, object, object, tuple[object]]]
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)  # type: ignore[assignment]
    return found


@cache
def _threads() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(_RESOLVERS, "plyscribe-resolve")


@cache
def _trust() -> SSLContext:
    """Reading the certificates costs more than a request."""
    return httpx.create_ssl_context(trust_env=False)
