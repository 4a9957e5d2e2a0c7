"""One Redis server: hints published to it and heard from it, over two connections of our own.

The connections are watched, not trusted: a heartbeat goes out over the one and has to come back
over the other. If anything is wrong both are made anew, and what was watched is doubted.
"""

import asyncio
import math
import random
from collections.abc import Iterable, Mapping
from secrets import token_hex
from time import monotonic
from typing import Final, Protocol

from redis.asyncio.connection import AbstractConnection

from projections.news import Hint
from projections.redis_nodes import SECONDS, Place, bucket_of, channel_tag, connection_to, opened

BEAT_SECONDS: Final = 0.5
SILENT_SECONDS: Final = 2.5  # without a heartbeat of our own
QUEUE: Final = 10_000  # matches; what does not fit is dropped, the tick makes up for it
_PAUSES: Final = (0.05, 0.1, 0.2, 0.5, 1.0)  # seconds between attempts, before jitter


class Silent(Exception):
    """Our own heartbeats do not come back."""


class Moved(Exception):
    """The server does not carry a bucket any more."""


class Listener(Protocol):
    """Who is told what a link hears."""

    def wanted(self, bucket: int) -> bool: ...

    def hear(self, hints: Iterable[Hint]) -> None: ...

    def doubt(self, bucket: int) -> None:
        """The subscription begins now: what came before was not heard."""

    def trouble(self, link: "Link", error: Exception) -> None: ...


class Link:
    """Keeps itself connected to one server, for the buckets it carries."""

    def __init__(
        self, place: Place, buckets: frozenset[int], is_sharded: bool, listener: Listener
    ) -> None:
        self.buckets = buckets
        self.is_up = False
        self._place = place
        self._listener = listener
        self._verbs = ("SPUBLISH", "SSUBSCRIBE", "SUNSUBSCRIBE")
        if not is_sharded:
            self._verbs = ("PUBLISH", "SUBSCRIBE", "UNSUBSCRIBE")
        self._channels = {_channel(bucket): bucket for bucket in buckets}
        self._control = f"{channel_tag(min(buckets))}:beat:{token_hex(8)}".encode()
        self._outbox: dict[str, int] = {}
        self._is_beat_due = False
        self._stirred = asyncio.Event()
        self._tuned = asyncio.Event()
        self._subscribed: set[int] = set()
        self._heard = 0.0

    def send(self, match_id: str, version: int) -> None:
        """Queued; of hints about one match the newest is sent. Dropped if the queue is full."""
        outbox = self._outbox
        if len(outbox) < QUEUE or match_id in outbox:
            outbox[match_id] = max(version, outbox.get(match_id, 0))
            self._stirred.set()

    def tune(self) -> None:
        """Which buckets are wanted has changed."""
        self._tuned.set()

    async def keep(self) -> None:
        """Connected for ever: connects again, with pauses, whenever it has to."""
        failures = 0
        while True:
            began = monotonic()
            try:
                await self._run()
            except Exception as error:
                self.is_up = False
                failures = 0 if monotonic() - began > 5 else failures + 1
                self._listener.trouble(self, _first(error))
            pause = _PAUSES[min(failures, len(_PAUSES) - 1)]
            # Jitter, so that not all processes come back in the same moment.
            await asyncio.sleep(pause * (0.5 + random.random()))  # noqa: S311

    async def _run(self) -> None:
        ear, mouth = connection_to(self._place), connection_to(self._place)
        try:
            await opened(ear)
            await opened(mouth)
            async with asyncio.timeout(SECONDS):
                await ear.send_command(self._verbs[1], self._control, check_health=False)
            self._subscribed.clear()
            self._heard = monotonic()
            self._tuned.set()
            async with asyncio.TaskGroup() as tasks:
                for work in (self._listen(ear), self._tune(ear), self._speak(mouth), self._beat()):
                    tasks.create_task(work)
        finally:
            self.is_up = False
            await ear.disconnect(nowait=True)
            await mouth.disconnect(nowait=True)

    async def _listen(self, ear: AbstractConnection) -> None:
        while True:
            kind, channel, data = await ear.read_response(timeout=math.inf)
            match kind:
                case b"message" | b"smessage" if channel == self._control:
                    self._heard = monotonic()
                    self.is_up = True
                case b"message" | b"smessage":
                    self._listener.hear(_hints(data))
                case b"subscribe" | b"ssubscribe" if channel in self._channels:
                    self._listener.doubt(self._channels[channel])
                case b"unsubscribe" | b"sunsubscribe" if (
                    self._channels.get(channel) in self._subscribed or channel == self._control
                ):
                    raise Moved

    async def _tune(self, ear: AbstractConnection) -> None:
        """Subscribe to what is wanted. What is not wanted any more is left at the next change."""
        while True:
            await self._tuned.wait()
            self._tuned.clear()
            wanted = {bucket for bucket in self.buckets if self._listener.wanted(bucket)}
            gone, new = self._subscribed - wanted, wanted - self._subscribed
            self._subscribed = wanted
            commands = [(self._verbs[2], _channel(bucket)) for bucket in sorted(gone)]
            commands += [(self._verbs[1], _channel(bucket)) for bucket in sorted(new)]
            if commands:
                async with asyncio.timeout(SECONDS):
                    await ear.send_packed_command(ear.pack_commands(commands), check_health=False)

    async def _speak(self, mouth: AbstractConnection) -> None:
        """All that waits goes out in one write; whatever comes meanwhile is the next."""
        while True:
            await self._stirred.wait()
            self._stirred.clear()
            sent, self._outbox = self._outbox, {}
            messages = _packed(sent)
            if self._is_beat_due:
                messages[self._control] = b""
                self._is_beat_due = False
            try:
                async with asyncio.timeout(SECONDS):
                    await self._publish(mouth, messages)
            except Exception:
                # Hints that may be lost are sent again; doubled ones do no harm.
                for match_id, version in sent.items():
                    self.send(match_id, version)
                raise

    async def _publish(self, mouth: AbstractConnection, messages: Mapping[bytes, bytes]) -> None:
        commands = [(self._verbs[0], channel, data) for channel, data in messages.items()]
        await mouth.send_packed_command(mouth.pack_commands(commands), check_health=False)
        for _ in commands:
            await mouth.read_response(timeout=math.inf)

    async def _beat(self) -> None:
        while True:
            if monotonic() - self._heard > SILENT_SECONDS:
                raise Silent
            self._is_beat_due = True
            self._stirred.set()
            await asyncio.sleep(BEAT_SECONDS)


def _channel(bucket: int) -> bytes:
    return f"{channel_tag(bucket)}:hints".encode()


def _packed(hints: Mapping[str, int]) -> dict[bytes, bytes]:
    """One message a channel: a line for each hint."""
    lines: dict[bytes, list[str]] = {}
    for match_id, version in hints.items():
        lines.setdefault(_channel(bucket_of(match_id)), []).append(f"{match_id} {version}")
    return {channel: "\n".join(each).encode() for channel, each in lines.items()}


def _hints(data: bytes) -> list[Hint]:
    """What is no hint is passed over: anybody may write into a channel."""
    found: list[Hint] = []
    for line in data.decode("ascii", "replace").split("\n"):
        match_id, _, version = line.partition(" ")
        if version.isdecimal() and len(version) <= 15:
            found.append((match_id, int(version)))
    return found


def _first(error: Exception) -> Exception:
    """What went wrong, of the tasks of a link that went down together."""
    while isinstance(error, ExceptionGroup):
        error = error.exceptions[0]
    return error
