"""The service as its clients see it: asked again until it answers, however often it dies."""

import asyncio
import random
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from types import TracebackType
from typing import Any, Final

import httpx
import msgspec

_FIRST_PAUSE, _LONGEST_PAUSE = 0.05, 0.8  # seconds between two attempts
_SECONDS: Final = 40  # longer than any long poll
_LATER: Final = (429, 503)
_RUNNING: Final = "request-running"


class Unexpected(Exception):
    """An answer with which a client that did nothing wrong can't go on."""


class Answer(msgspec.Struct, frozen=True):
    """`body` is what the JSON says, or the bytes of anything else."""

    status: int
    body: Any

    @property
    def code(self) -> str:
        """Of a problem, else empty."""
        is_problem = isinstance(self.body, dict) and self.status >= 400
        return str(self.body.get("code", "")) if is_problem else ""


class Api:
    """Anybody's connections to the service; who asks is said each time by a token."""

    def __init__(self, url: str) -> None:
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=None)
        self._http = httpx.AsyncClient(
            base_url=url, timeout=_SECONDS, limits=limits, trust_env=False
        )
        self.requests = 0
        self.again = 0

    async def __aenter__(self) -> "Api":
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._http.aclose()

    async def get(self, path: str, token: str, fine: tuple[int, ...] = (), **query: object) -> Any:
        """The body of the answer. Raises: Unexpected."""
        params = {name: str(value) for name, value in query.items()}
        return (await self.ask("GET", path, token, params=params, fine=fine)).body

    async def post(
        self,
        path: str,
        token: str,
        body: object = None,
        key: str | None = None,
        fine: tuple[int, ...] = (),
    ) -> Answer:
        """Under `key` as an Idempotency-Key: without one it has to be harmless to ask again.

        Statuses in `fine` are answers as well. Raises: Unexpected.
        """
        more: dict[str, Any] = {} if body is None else {"json": body}
        headers = {} if key is None else {"idempotency-key": key}
        return await self.ask("POST", path, token, headers=headers, fine=fine, **more)

    async def ask(
        self,
        method: str,
        path: str,
        token: str,
        *,
        headers: Mapping[str, str] | None = None,
        fine: tuple[int, ...] = (),
        **more: Any,
    ) -> Answer:
        """Raises: Unexpected."""
        own = {"authorization": f"Bearer {token}", **(headers or {})}
        pause = _FIRST_PAUSE
        while True:
            self.requests += 1
            try:
                answer = _read(await self._http.request(method, path, headers=own, **more))
            except httpx.TransportError:
                answer = None
            if answer is not None and answer.status not in _LATER and answer.code != _RUNNING:
                break
            self.again += 1
            await asyncio.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)
        if answer.status < 300 or answer.status in fine:
            return answer
        raise Unexpected(f"{method} {path}: {answer.status} {answer.code}: {answer.body}")

    async def follow(self, path: str, token: str) -> AsyncGenerator[Any, None]:
        """Server-sent events from the first on, each once; None whenever the stream broke or ended.

        Raises: Unexpected.
        """
        own = {"authorization": f"Bearer {token}", "accept": "text/event-stream"}
        last = 0
        while True:
            self.requests += 1
            headers = {**own, "last-event-id": str(last)}
            try:
                async with self._http.stream("GET", path, headers=headers) as answer:
                    if answer.status_code != 200 and answer.status_code not in _LATER:
                        raise Unexpected(f"GET {path}: {answer.status_code}")
                    async for event in _sent(answer):
                        last = event["version"]
                        yield event
            except httpx.TransportError:
                self.again += 1
            yield None
            await asyncio.sleep(_FIRST_PAUSE + random.random() * _LONGEST_PAUSE)  # noqa: S311


async def _sent(answer: httpx.Response) -> AsyncIterator[Any]:
    """The events among what is sent; the data of each is a line."""
    identity = ""
    async for line in answer.aiter_lines():
        if line.startswith("id:"):
            identity = line
        elif line.startswith("data:") and identity:
            event = msgspec.json.decode(line[5:])
            if "kind" in event:
                yield event
        elif not line:
            identity = ""


def _read(answer: httpx.Response) -> Answer:
    kind = answer.headers.get("content-type", "")
    return Answer(answer.status_code, answer.json() if "json" in kind else answer.content)
