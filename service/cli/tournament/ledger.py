"""What the platform keeps of results: of each match what was told with the highest version."""

import asyncio
from typing import Any

import msgspec


class Kept(msgspec.Struct, frozen=True):
    """The result of a match since the event `version`; by seat, None where there is none."""

    match_id: str
    version: int
    revision: int
    status: str
    terminal: str | None
    ranks: tuple[int | None, ...]
    scores: tuple[int | None, ...]

    @property
    def is_there(self) -> bool:
        return self.status != "pending"

    @property
    def counts(self) -> bool:
        """Whether there are ranks."""
        return self.is_there and None not in self.ranks


class Message(msgspec.Struct, frozen=True):
    """A message of a webhook about a result; `of` is its `webhook-id`."""

    of: str
    type: str
    match_id: str
    version: int
    revision: int
    status: str
    terminal: str | None


def kept(said: Any) -> Kept:
    """A result as an answer of the API has it."""
    return Kept(
        match_id=said["match_id"],
        version=said["version"],
        revision=said["revision"],
        status=said["status"],
        terminal=said["terminal"],
        ranks=tuple(each["rank"] for each in said["seats"]),
        scores=tuple(each["score"] for each in said["seats"]),
    )


class Ledger:
    """Results by match. `news` wakes whoever waits for more."""

    def __init__(self) -> None:
        self.newest: dict[str, Kept] = {}
        self._news = asyncio.Event()

    def take(self, result: Kept) -> None:
        """Older ones than what is known are passed over."""
        known = self.newest.get(result.match_id)
        if known is None or result.version > known.version:
            self.newest[result.match_id] = result
            self._news.set()
            self._news = asyncio.Event()

    async def changed(self, seconds: float) -> None:
        """Until there is something new, or for so long."""
        try:
            async with asyncio.timeout(seconds):
                await self._news.wait()
        except TimeoutError:
            return

    def has(self, match_id: str) -> bool:
        found = self.newest.get(match_id)
        return found is not None and found.is_there
