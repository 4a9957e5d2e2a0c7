"""Asking a service in this process over ASGI, and what came back, byte for byte."""

import asyncio
import re
from base64 import b64decode
from typing import Any

import msgspec

from events.bundle import FACETS, HEADS, MANIFEST, ORDER, PROOF
from events.zips import unzipped
from tests.waiting import PATIENCE

Headers = tuple[tuple[bytes, bytes], ...]

# Whatever commits to hidden things may differ; that it is there, and how long it is, may not.
_PUBLISHED = re.compile(
    rb'"(before|body|commitment|head|head_after|head_before|hash|prev|sealed)":"[0-9a-f]{64}"'
)
_SIGNATURE = re.compile(rb'"signature":"[A-Za-z0-9_-]{86}"')
_COMMITMENTS = re.compile(rb'"commitments":\[((?:"[0-9a-f]{64}",?)*)\]')
_ROOTS = re.compile(rb'"[A-Za-z0-9+/]{43}="')  # a hash in base64, wherever one stands
_EXTRA = re.compile(rb"^extra (\S+)$", re.MULTILINE)
_NOTED = re.compile(rb"^(\xe2\x80\x94 \S+ )?([A-Za-z0-9+/]{43,}=*)$", re.MULTILINE)
_LEFT = re.compile(rb";r=\d+;t=\d+")
_DIGEST = re.compile(rb'(?<="sha256":")[0-9a-f]{64}')
_HEX = re.compile(rb"[0-9a-f]{64}")


class Asked(msgspec.Struct, frozen=True):
    """One request. `token` is None for nobody; `body` is JSON."""

    method: str
    path: str
    token: str | None
    body: Any = None
    headers: Headers = ()

    def __str__(self) -> str:
        return f"{self.method} {self.path} {self.headers} {self.body}"


class Got(msgspec.Struct, frozen=True):
    """An answer, published hashes blanked."""

    status: int
    headers: Headers
    body: bytes

    def json(self) -> Any:
        return msgspec.json.decode(self.body)


class Door:
    """The service's ASGI application, called as a server would."""

    def __init__(self, app: Any) -> None:
        self._app = app

    async def ask(self, asked: Asked) -> Got:
        return _got(await self._messages(asked))

    async def bytes_of(self, asked: Asked) -> bytes:
        """All that is sent, headers included, as it is."""
        start, *rest = await self._messages(asked)
        headers = [name + b": " + value for name, value in start["headers"]]
        return b"\n".join([*headers, *(each.get("body", b"") for each in rest)])

    async def json_of(self, asked: Asked) -> Any:
        """The body decoded, nothing blanked."""
        _, *rest = await self._messages(asked)
        return msgspec.json.decode(b"".join(each.get("body", b"") for each in rest))

    async def _messages(self, asked: Asked) -> list[dict[str, Any]]:
        body = b"" if asked.body is None else msgspec.json.encode(asked.body)
        messages: list[dict[str, Any]] = []

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": body}

        async def send(message: Any) -> None:
            messages.append(message)

        await self._app(_scope(asked), receive, send)
        return messages

    def stream(self, asked: Asked) -> "Listening":
        return Listening(self._app, asked)


class Listening:
    """An open stream and what it has said so far."""

    def __init__(self, app: Any, asked: Asked) -> None:
        self._messages: list[dict[str, Any]] = []
        self._gone = asyncio.Event()
        self._news = asyncio.Event()
        self._begun = False
        self._task = asyncio.create_task(app(_scope(asked), self._receive, self._send))

    async def until(self, version: int) -> None:
        """Waits until the event `version` has come, or the stream has ended."""
        mark = re.compile(rb'"version":%d[,}]' % version)
        async with asyncio.timeout(PATIENCE):
            while not mark.search(self.said()) and not self._task.done():
                self._news.clear()
                waiting = asyncio.create_task(self._news.wait())
                await asyncio.wait((waiting, self._task), return_when=asyncio.FIRST_COMPLETED)
                waiting.cancel()

    async def close(self) -> Got:
        """Hang up; everything that was said."""
        self._gone.set()
        await self._task
        return _got(self._messages)

    def said(self) -> bytes:
        return b"".join(each.get("body", b"") for each in self._messages)

    async def _receive(self) -> dict[str, Any]:
        if not self._begun:
            self._begun = True
            return {"type": "http.request", "body": b""}
        await self._gone.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: Any) -> None:
        self._messages.append(message)
        self._news.set()


def blanked(body: bytes) -> bytes:
    """Published hashes as zeros of the same length."""
    body = _PUBLISHED.sub(rb'"\1":"' + b"0" * 64 + b'"', body)
    body = _COMMITMENTS.sub(lambda found: _HEX.sub(b"0" * 64, found.group()), body)
    body = _SIGNATURE.sub(b'"signature":"' + b"A" * 86 + b'"', body)
    return _ROOTS.sub(b'"' + b"A" * 44 + b'"', body)


def unsigned(note: bytes) -> bytes:
    """A proof or a checkpoint without its hashes and signatures; how long they are stays."""
    opened = _EXTRA.sub(lambda found: b"extra " + blanked(b64decode(found[1])), note)
    return _NOTED.sub(lambda found: (found[1] or b"") + b"A" * len(found[2]), opened)


def unbound(bundle: bytes) -> bytes:
    """The members of a bundle with their names, without hashes; how long they are stays."""
    found = unzipped(bundle, ORDER) if bundle else {}
    for name in (FACETS, HEADS):
        found[name] = bytes(len(found.get(name, b"")))
    found[PROOF] = unsigned(found.get(PROOF, b""))
    found[MANIFEST] = _DIGEST.sub(b"0" * 64, found.get(MANIFEST, b""))
    return b"\n".join(blanked(name.encode() + b":" + data) for name, data in found.items())


def _scope(asked: Asked) -> dict[str, Any]:
    path, _, query = asked.path.partition("?")
    headers = [(b"host", b"test"), (b"x-request-id", b"request"), *asked.headers]
    if asked.token is not None:
        headers.append((b"authorization", b"Bearer " + asked.token.encode()))
    if asked.body is not None:
        headers.append((b"content-type", b"application/json"))
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": asked.method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "query_string": query.encode(),
        "headers": headers,
        "client": ("127.0.0.1", 1),
        "server": ("test", 80),
    }


def _got(messages: list[dict[str, Any]]) -> Got:
    start = messages[0]
    body = b"".join(each.get("body", b"") for each in messages[1:])
    match dict(start["headers"]).get(b"content-type", b""):
        case b"application/octet-stream":  # hashes and nothing else
            body = bytes(len(body))
        case b"text/plain; charset=utf-8":
            body = unsigned(body)
        case b"application/zip":
            body = unbound(body)
        case _:
            body = blanked(body)
    return Got(start["status"], tuple(map(_uncounted, start["headers"])), body)


def _uncounted(header: tuple[bytes, bytes]) -> tuple[bytes, bytes]:
    """Without what is left of a limit: a viewer's own requests overtake each other.

    What is signed about a body is held to what is held of bodies.
    """
    name, value = header
    if name == b"plyscribe-evidence":
        return name, blanked(value)
    return (name, _LEFT.sub(b";r=0;t=0", value)) if name == b"ratelimit" else header
