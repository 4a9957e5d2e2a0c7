"""Results reported by this process: wanted by the feed, told when due, and what came of it noted.

Every process has one, and over each connection one of them tells one result at a time: platforms
count requests, and order is kept. Whoever dies between telling and noting has told it; it is told
again, and the platform is found to say so already.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Final

import msgspec
from sqlalchemy import Connection

from events.batching import CrashPoint
from events.database import Database
from service import result_rows
from service.keeping_up import Follower
from service.logs import Logger
from service.pauses import Pauses
from service.platforms import connections, links, wanting
from service.platforms.attempting import MOST_CALLS, Attempt
from service.platforms.connections import Account, Held
from service.platforms.links import Link, Try
from service.platforms.told import (
    HELD,
    STRAINED,
    Credentials,
    Ended,
    Outcome,
    Target,
    Told,
)
from service.rounds import News, Rounds, pause_after
from service.settings import Settings
from service.signals import REPORTS, Work
from service.vault import Vault, VaultLocked

OF_ORG: Final = 8  # at once, in one process
AT_ALL: Final = 64
_LONGEST_PAUSE: Final = 86_400  # seconds, whatever a platform asks for
_LONGEST_STRAIN: Final = 1800  # seconds without asking a platform whether it is well again


class Due(msgspec.Struct, frozen=True):
    """What is to be told next over a connection; `told` is None if a seat is nobody there."""

    account: Account
    link: Link
    told: Told | None


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
        self._follower = Follower(database, wanting.CONSUMER, wanting.taking(clock), clock, log)
        self._database = database
        self._vault = vault
        self._settings = settings
        self._clock = clock
        self._crash_at = crash_at
        self._log = log
        self._pauses = Pauses(Work.PLATFORMS)
        self._rounds = Rounds[Account]("platforms", news, log, settings.tick_seconds)

    def stir(self) -> None:
        """Something became due here."""
        self._rounds.stir()

    def running(self) -> AbstractAsyncContextManager[None]:
        """What is on its way at the end is told again by whoever comes next."""
        return self._rounds.running(self._once)

    async def _once(self) -> None:
        await self._follower.catch_up()
        going = [account.org for account in self._rounds.going]
        for due in await self._database.read(lambda connection: self._due(connection, going)):
            await self._begin(due)

    def _due(self, connection: Connection, going: Sequence[str]) -> list[Due]:
        """As much as may go on at once beside what goes on for the organisations `going`."""
        now, of_org, found = self._clock(), Counter(going), list[Due]()
        for identity, org in connections.due(connection, now):
            if len(going) + len(found) >= AT_ALL:
                break
            if of_org[org] >= OF_ORG:
                continue
            due = self._next(connection, identity, org, now)
            if due is not None:
                of_org[org] += 1
                found.append(due)
        return found

    def _next(self, connection: Connection, identity: str, org: str, now: int) -> Due | None:
        """What is told next over a connection. One that can't be read here keeps no other."""

        def unread(match_id: str | None, error: Exception) -> None:
            name = match_id or identity
            if not self._pauses.rests(name, now):
                self._pauses.failed(name, now)
                said = {"connection": identity, "match_id": match_id}
                self._log.error("report_not_read", **said, exc_info=error)

        link = links.next_due(connection, identity, now, unread)
        try:
            account = connections.find(connection, identity, org)
            if account is None or link is None:
                return None
            return Due(account, link, _told(connection, account, link))
        except (msgspec.MsgspecError, ValueError) as error:
            unread(None, error)
            return None

    async def _begin(self, due: Due) -> None:
        now = self._clock()
        # Longer than an attempt can take, even if a clock goes wrong a little.
        until = now + int(1000 * (MOST_CALLS + 2) * self._settings.webhook_seconds)
        won = await self._database.write(lambda connection: _claimed(connection, due, now, until))
        self._crash_at("result_claimed")
        if won is not None:
            self._rounds.begin(self._tell(won, due.link.begun), won.account)

    async def _tell(self, due: Due, ours: tuple[Told, ...]) -> None:
        account, link = due.account, due.link
        assert link.wanted is not None
        loop = asyncio.get_running_loop()
        at, began = self._clock(), loop.time()
        attempt, fault = Attempt(self._settings), None
        try:
            ended = await self._attempted(attempt, due, ours)
        except Exception as error:  # A fault of ours counts like one of theirs, and is told below.
            ended, fault = Ended(Outcome.UNAVAILABLE), error
        self._crash_at("result_sent")
        took = int(1000 * (loop.time() - began))
        outcome = attempt.unreached or str(ended.outcome)
        REPORTS.labels(account.platform, outcome).inc()
        tried = Try(at, took, link.wanted.revision, attempt.status, outcome, ended.detail)
        now, asked = self._clock(), min(attempt.retry_after or 0, _LONGEST_PAUSE)
        step = pause_after(link.attempts)
        strain = None
        if ended.outcome in STRAINED:
            strain = max(min(pause_after(account.strain + 1) or 0, _LONGEST_STRAIN), asked)

        def work(connection: Connection) -> None:
            connections.told(connection, account, now, strain)
            pause = None if step is None else max(step, asked)
            links.ended(connection, link, tried, outcome, now, pause)
            if outcome in HELD:
                connections.hold(connection, account, Held(outcome), now)

        await self._database.write(work)
        if fault is not None:
            raise fault

    async def _attempted(self, attempt: Attempt, due: Due, ours: tuple[Told, ...]) -> Ended:
        account = due.account
        if due.told is None:
            no_one = "a seat has no participant of the platform"
            return Ended(Outcome.UNKNOWN_PARTICIPANT, no_one)
        try:
            opened = self._vault.open_connection(account.id, account.credentials)
        except VaultLocked:
            return Ended(Outcome.UNREADABLE)
        known = msgspec.json.decode(opened, type=Credentials)
        to = Target(account.address, account.tournament, due.link.target, known)
        return await attempt.made(account, due.told, to, ours)


def _claimed(connection: Connection, due: Due, now: int, until: int) -> Due | None:
    """What is due, if it is ours to tell."""
    account = connections.claimed(connection, due.account, now, until)
    if account is None:
        return None
    link = links.claimed(connection, due.link, due.told, account.claims)
    if link is None:
        connections.released(connection, account, now)
        return None
    return Due(account, link, due.told)


def _told(connection: Connection, account: Account, link: Link) -> Told | None:
    assert link.wanted is not None
    names = result_rows.accounts(connection, {link.match_id})
    seats = range(len(link.wanted.seats))
    found = link.participants or tuple(
        account.participants.get(names.get((link.match_id, seat), ""), "") for seat in seats
    )
    if len(found) != len(seats) or not all(found):
        return None
    game = result_rows.games(connection, {link.match_id}).get(link.match_id, "")
    return Told(link.match_id, game, link.wanted, found)
