"""The API as a seat's token sees it; what may pass is waited out, all else has a type."""

import asyncio
import re
from collections.abc import Mapping
from typing import Any, Final

import httpx

from service.cli.bot.failures import Away, Misfit, ShutOut

PASSING: Final = frozenset((408, 425, 429, 500, 502, 503, 504))
_CODE: Final = re.compile(r"[a-z-]{1,64}")  # nothing else is printed of what a server says
_SHUT: Final = frozenset((401, 403, 404))
_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 5.0  # seconds between tries


class Refused(Exception):
    """A refusal that a player has to deal with: a problem of status 409, 422 or the like."""

    def __init__(self, status: int, code: str) -> None:
        super().__init__(f"{code} ({status})")
        self.status = status
        self.code = code


class Door:
    """One token's way into the service. `patience` is how many seconds it may be away."""

    def __init__(self, http: httpx.AsyncClient, token: str, patience: float) -> None:
        self._http = http
        self._headers = {"authorization": f"Bearer {token}"}
        self._patience = patience

    async def get(self, path: str, **query: object) -> Any:
        """Raises: ShutOut, Away, Misfit, Refused."""
        return await self._asked("GET", path, params={k: str(v) for k, v in query.items()})

    async def send(self, method: str, path: str, body: object, key: str | None = None) -> Any:
        """As `get`. It is sent again until it is answered: a `key` or a decision makes it once."""
        headers = {} if key is None else {"idempotency-key": key}
        return await self._asked(method, path, json=body, headers=headers)

    async def _asked(self, method: str, path: str, **parts: Any) -> Any:
        headers = {**self._headers, **parts.pop("headers", {})}
        clock = asyncio.get_running_loop().time
        pause, until = _FIRST_PAUSE, clock() + self._patience
        while True:
            answer, trouble = None, ""
            try:
                answer = await self._http.request(method, path, headers=headers, **parts)
                if answer.status_code not in PASSING:
                    return _told(answer)
                trouble = f"answers {answer.status_code}"
            except httpx.TransportError as error:
                trouble = f"does not answer ({type(error).__name__})"
            pause = min(pause * 2, _LONGEST_PAUSE)
            asked = max(pause, _asked_to_wait(answer))
            if clock() + asked > until:
                raise Away(f"the service {trouble}")
            await asyncio.sleep(asked)


def _told(answer: httpx.Response) -> Any:
    """Raises: ShutOut, Misfit, Refused."""
    try:
        body = answer.json()
    except ValueError:
        body = None
    if answer.is_success and isinstance(body, Mapping):
        return body
    code = body.get("code") if isinstance(body, Mapping) else None
    if not isinstance(code, str) or not _CODE.fullmatch(code) or answer.status_code < 400:
        raise Misfit(f"{answer.url.path}: answers {answer.status_code} in another form than ours")
    if answer.status_code in _SHUT and code != "not-found":  # That is an address of another API.
        raise ShutOut(f"its link does not play it: {code} ({answer.status_code})")
    raise Refused(answer.status_code, code)


def _asked_to_wait(answer: httpx.Response | None) -> float:
    """Seconds, as `Retry-After` says them."""
    named = "" if answer is None else answer.headers.get("retry-after", "")
    return float(named) if named.isascii() and named.isdigit() else 0.0
