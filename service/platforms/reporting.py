"""Results reported by this process: wanted by the feed, told when due, and what came of it noted.

Every process has one, and each link is told by one of them at a time. Whoever dies between telling
and noting has told it; it is told again, and the platform is found to say so already.
"""

import asyncio
import secrets
from collections import Counter
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Final

import msgspec
from sqlalchemy import Connection

from events.batching import CrashPoint
from events.consumers import Consumer
from events.database import Database
from service import result_rows
from service.logs import Logger
from service.platforms import connections, links, wanting
from service.platforms.adapters import ADAPTERS
from service.platforms.connections import Account, Held
from service.platforms.links import Link, Try
from service.platforms.told import (
    DETAIL_LENGTH,
    HELD,
    Credentials,
    Ended,
    Outcome,
    Stopped,
    Target,
    Told,
)
from service.reaching import Reply, Unreached, reach
from service.rounds import JITTER, News, Rounds, catch_up
from service.settings import Settings
from service.vault import Vault, VaultLocked
from service.webhooks.deliveries import STEPS

OF_ORG: Final = 8  # at once, in one process
AT_ALL: Final = 64
MOST_CALLS: Final = 6  # of one attempt
MOST_ANSWER: Final = 256 * 1024  # bytes
_LONGEST_PAUSE: Final = 86_400  # seconds, whatever a platform asks for
_ROWS: Final = 200  # of the feed, in one transaction


class Reporting:
    """`running` tells platforms what links want. `news` rings when the feed has grown."""

    def __init__(
        self,
        database: Database,
        vault: Vault,
        settings: Settings,
        clock: Callable[[], int],
        crash_at: CrashPoint,
        log: Logger,
        news: News,
    ) -> None:
        self._consumer = Consumer(database, wanting.CONSUMER, wanting.taking(clock), _ROWS)
        self._database = database
        self._vault = vault
        self._settings = settings
        self._clock = clock
        self._crash_at = crash_at
        self._rounds = Rounds[Account]("platforms", news, log, settings.tick_seconds)

    def stir(self) -> None:
        """Something became due here."""
        self._rounds.stir()

    def running(self) -> AbstractAsyncContextManager[None]:
        """What is on its way at the end is told again by whoever comes next."""
        return self._rounds.running(self._once)

    async def _once(self) -> None:
        await catch_up(self._consumer)
        for account, link, told in self._within_bounds(await self._database.read(self._due)):
            await self._begin(account, link, told)

    def _due(self, connection: Connection) -> list[tuple[Account, Link, Told | None]]:
        due = links.due(connection, self._clock())
        if not due:
            return []
        accounts = connections.named(connection, {each.connection_id for each in due})
        ids = {each.match_id for each in due}
        names = result_rows.accounts(connection, ids)
        games = links.games(connection, ids)
        return [
            (account, each, _told(each, account, names, games.get(each.match_id, "")))
            for each in due
            if (account := accounts.get(each.connection_id)) is not None
        ]

    def _within_bounds(
        self, due: list[tuple[Account, Link, Told | None]]
    ) -> list[tuple[Account, Link, Told | None]]:
        """One at a time for each connection: platforms count requests, and order is kept."""
        telling = self._rounds.going
        busy = {account.id for account in telling}
        of_org = Counter(account.org for account in telling)
        picked: list[tuple[Account, Link, Told | None]] = []
        for account, link, told in due:
            room = len(telling) + len(picked) < AT_ALL and of_org[account.org] < OF_ORG
            if room and account.id not in busy:
                busy.add(account.id)
                of_org[account.org] += 1
                picked.append((account, link, told))
        return picked

    async def _begin(self, account: Account, link: Link, told: Told | None) -> None:
        now = self._clock()
        # Longer than an attempt can take, even if a clock goes wrong a little.
        until = now + int(1000 * (MOST_CALLS + 2) * self._settings.webhook_seconds)
        won = await self._database.write(lambda c: links.claimed(c, link, told, until))
        self._crash_at("result_claimed")
        if won is None:
            return
        self._rounds.begin(self._tell(account, won, told, link.begun), account)

    async def _tell(
        self, account: Account, link: Link, told: Told | None, ours: tuple[Told, ...]
    ) -> None:
        assert link.wanted is not None
        loop = asyncio.get_running_loop()
        at, began = self._clock(), loop.time()
        attempt = _Attempt(self._settings)
        if told is None:
            ended = Ended(Outcome.UNKNOWN_PARTICIPANT, "a seat has no participant of the platform")
        else:
            ended = await self._attempted(attempt, account, link, told, ours)
        self._crash_at("result_sent")
        took = int(1000 * (loop.time() - began))
        outcome = attempt.unreached or ended.outcome
        tried = Try(at, took, link.wanted.revision, attempt.status, str(outcome), ended.detail)
        now, pause = self._clock(), _pause(link.attempts, attempt.retry_after)

        def work(connection: Connection) -> None:
            links.ended(connection, link, tried, str(outcome), now, pause)
            if outcome in HELD:
                connections.hold(connection, account, Held(str(outcome)), now)

        await self._database.write(work)

    async def _attempted(
        self,
        attempt: "_Attempt",
        account: Account,
        link: Link,
        told: Told,
        ours: tuple[Told, ...],
    ) -> Ended:
        try:
            opened = self._vault.open_connection(account.id, account.credentials)
        except VaultLocked:
            return Ended(Outcome.UNREADABLE)
        known = msgspec.json.decode(opened, type=Credentials)
        to = Target(account.address, account.tournament, link.target, known)
        ended = await attempt.made(account, told, to, ours)
        return msgspec.structs.replace(ended, detail=_clean(ended.detail, known))


class _Attempt:
    """`status` is that of the last answer, `unreached` why there was none in the end."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.status: int | None = None
        self.unreached: str | None = None
        self.retry_after: int | None = None

    async def made(self, account: Account, told: Told, to: Target, ours: tuple[Told, ...]) -> Ended:
        """The adapter's requests, one after the other."""
        steps = ADAPTERS[account.platform].report(told, to, ours)
        reply: Reply | None = None
        try:
            for _ in range(MOST_CALLS + 1):
                call = next(steps) if reply is None else steps.send(reply)
                self.status = None
                reply = await reach(
                    call.method,
                    call.url,
                    seconds=self._settings.webhook_seconds,
                    most=MOST_ANSWER,
                    allow_private=self._settings.private_webhooks,
                    headers={"user-agent": "plyscribe-results", **call.headers},
                    body=call.body,
                )
                self.status, self.retry_after = reply.status, reply.retry_after
        except StopIteration as stop:
            ended: Ended = stop.value
            return ended
        except Stopped as stopped:
            return stopped.ended
        except Unreached as error:
            self.unreached = error.reason
            return Ended(Outcome.UNAVAILABLE)
        raise AssertionError("an adapter that does not end")


def _told(
    link: Link, account: Account, names: dict[tuple[str, int], str], game: str
) -> Told | None:
    """None if a seat is nobody the platform knows."""
    assert link.wanted is not None
    seats = range(len(link.wanted.seats))
    found = link.participants or tuple(
        account.participants.get(names.get((link.match_id, seat), ""), "") for seat in seats
    )
    if len(found) != len(seats) or not all(found):
        return None
    return Told(link.match_id, game, link.wanted, found)


def _pause(attempts: int, asked: int | None) -> float:
    step = STEPS[min(attempts, len(STEPS)) - 1]
    jitter = JITTER * (secrets.randbelow(2001) / 1000 - 1)
    return max(step * (1 + jitter), min(asked or 0, _LONGEST_PAUSE))


def _clean(detail: str, known: Credentials) -> str:
    """What a platform said in so many words, without anything we were told in confidence."""
    for secret in msgspec.structs.astuple(known):
        if secret:
            detail = detail.replace(secret, "…")
    return "".join(each for each in detail if each.isprintable())[:DETAIL_LENGTH]
