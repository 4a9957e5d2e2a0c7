"""The platform: its keys, its webhook, what it is told, and the players it sends to their seats."""

import asyncio
import time
from collections.abc import Iterable, Sequence
from random import Random
from typing import Any, Final

import msgspec

from service.cli.tournament.api import Api, Unexpected
from service.cli.tournament.bots import Play, Seat, Temper, claim, play
from service.cli.tournament.hooks import Receiver
from service.cli.tournament.ledger import Ledger, Message, kept

RESULTS: Final = (
    "result.provisional",
    "result.final",
    "result.revised",
    "result.void",
    "result.withdrawn",
)
_DIRECTOR: Final = (
    "matches:create",
    "matches:read",
    "matches:manage",
    "seats:issue",
    "observe",
    "webhooks:manage",
)
_ARBITER: Final = ("matches:read", "observe", "arbitrate")
_SOON_MS: Final = 8_000  # a delivery that is to be tried later than that is asked for again
_LOOK_SECONDS: Final = 1.0


def now_ms() -> int:
    return time.time_ns() // 1_000_000


class Fixture(msgspec.Struct, frozen=True):
    """A match of the event; `players` by seat."""

    match_id: str
    event: str
    name: str
    players: tuple[str, ...]


class Platform:
    """`told` is what webhooks led to, `listed` what the list of results says.

    `messages` are those about results, each once by its id; `came` is by match and seat when the
    seat's player had it (ms since 1970); `faults` are answers that nobody who plays by the rules
    should get.
    """

    def __init__(self, api: Api, admin: str, seed: int) -> None:
        self.api = api
        rng = Random(f"{seed}/receiver")  # noqa: S311 - no secret
        self.receiver = Receiver(rng, self.take)
        self.director = self.arbiter = admin
        self.told, self.listed = Ledger(), Ledger()
        self.messages: list[Message] = []
        self.fixtures: dict[str, Fixture] = {}
        self.tempers: dict[tuple[str, int], Temper] = {}
        self.came: dict[tuple[str, int], int] = {}
        self.faults: list[str] = []
        self.plays: list[Play] = []
        self.redelivered = 0
        self._admin, self._seed = admin, seed
        self._asked: asyncio.Queue[str] = asyncio.Queue()
        self._hook = ""

    async def open(self) -> None:
        """Keys and the webhook; what they are told once must not be lost, so nobody kills yet."""
        self.director = await self._key("director", _DIRECTOR)
        self.arbiter = await self._key("arbiter", _ARBITER)
        body = {"url": self.receiver.url, "name": "platform", "types": RESULTS}
        made = (await self.api.post("/v1/webhooks", self.director, body)).body
        self.receiver.secret, self._hook = made["secret"], made["id"]

    def take(self, identity: str, event: Any) -> None:
        """A new message of the webhook."""
        if event["type"] not in RESULTS:
            return
        data, said = event["data"], event["data"]["result"]
        self.messages.append(
            Message(
                of=identity,
                type=event["type"],
                match_id=data["match_id"],
                version=data["version"],
                revision=said["revision"],
                status=said["status"],
                terminal=said["terminal"],
            )
        )
        self._asked.put_nowait(data["match_id"])

    async def read_told(self) -> None:
        """For ever: of each match that a message named, its result."""
        while True:
            match_id = await self._asked.get()
            said = await self.api.get(f"/v1/matches/{match_id}/result", self.director)
            self.told.take(kept(said))

    async def read_list(self) -> None:
        """For ever: the list of results, from where it was read last."""
        after = 0
        while True:
            page = await self.api.get("/v1/results", self.director, after=after, wait=20)
            for each in page["results"]:
                self.listed.take(kept(each))
            after = page["after"]

    async def nudge(self) -> None:
        """For ever: asks for what would not be tried again for minutes."""
        while True:
            await asyncio.sleep(_LOOK_SECONDS)
            await self.nudged()

    async def nudged(self) -> int:
        """How many deliveries wait; those that wait for long are asked for again."""
        path = f"/v1/webhooks/{self._hook}/deliveries"
        page = await self.api.get(path, self.director, state="pending", limit=200)
        soon = now_ms() + _SOON_MS
        for each in page["deliveries"]:
            if each["next_at"] > soon:
                # 404: it has arrived and is forgotten by now.
                again = f"{path}/{each['id']}/redeliver"
                await self.api.post(again, self.director, fine=(404,))
                self.redelivered += 1
        return len(page["deliveries"])

    async def results(self, ids: Sequence[str]) -> None:
        """Until each of the matches has a result, by a webhook or by the list."""
        while not all(self.told.has(each) or self.listed.has(each) for each in ids):
            waiting = (self.told.changed(1), self.listed.changed(1))
            tasks = [asyncio.ensure_future(each) for each in waiting]
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for each in tasks:
                each.cancel()

    def add(self, fixture: Fixture) -> None:
        self.fixtures[fixture.match_id] = fixture

    async def send(self, seat: Seat, temper: Temper = Temper.PLAYS) -> None:
        """A player to a seat, to the end of the match; what goes wrong is a fault."""
        place = (seat.match_id, seat.seat)
        self.tempers[place] = temper
        if temper is Temper.ABSENT:
            return
        rng = Random(f"{self._seed}/{seat.match_id}/{seat.seat}")  # noqa: S311 - no secret
        try:
            if not seat.is_taken:
                await claim(self.api, seat)
            self.came[place] = now_ms()
            self.plays.append(await play(self.api, seat, rng, temper))
        except Unexpected as error:
            self.faults.append(str(error)[:300])

    async def everything(self, path: str, name: str) -> list[Any]:
        """All pages of a list."""
        found: list[Any] = []
        cursor: str | None = None
        while True:
            more: dict[str, Any] = {} if cursor is None else {"cursor": cursor}
            page = await self.api.get(path, self.director, limit=100, **more)
            found += page[name]
            cursor = page["next"]
            if cursor is None:
                return found

    async def _key(self, name: str, scopes: Iterable[str]) -> str:
        body = {"name": name, "scopes": list(scopes)}
        secret: str = (await self.api.post("/v1/keys", self._admin, body)).body["secret"]
        return secret
