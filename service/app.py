"""The application: joins all parts, opens and closes them, and answers ASGI."""

import os
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from uuid import uuid4

from events.batching import CrashPoint
from events.database import Database
from events.dealer import Dealer, SeedDealer
from events.feed import Sequencer
from events.sealing import Entropy
from events.snapshots import MatchCache, Wrong
from events.store import Store
from projections.history import History
from projections.news import News
from projections.projection import Encodings
from projections.redis_limits import RedisBuckets
from projections.redis_news import RedisWire
from projections.redis_nodes import RedisRefused
from service import (
    flags,
    logs,
    result_keeping,
    revealing,
    signing_keys,
    traces,
)
from service.auth import Doorkeeper
from service.clock import OwnClock, SharedClock, shared_clock, wall_clock
from service.closer import Closer
from service.crashing import crash_point
from service.ending import due_groups, finish
from service.entropy import POOL
from service.errors import NotFound
from service.feeding import Feeding
from service.graphql import door as graphql
from service.http import Receive, Scope, Send
from service.limits import Limits, LocalLimits, SharedLimits
from service.migrate import head_revision
from service.notary import Notary
from service.others_pulse import OthersPulse
from service.parts import Clock, DealerFactory, Dealers, Parts
from service.past import Past
from service.platforms.reporting import Reporting
from service.presence import Presence
from service.pulse import Pulse
from service.recording import Recording
from service.rest.endpoint import refuse_socket
from service.rest.probes import Probes
from service.rest.routes import Rest
from service.roles import Misdirected
from service.rounds import News as Ringing
from service.sampling import sampling
from service.series import opening
from service.settings import PREFIX, SettingRefused, Settings, from_environment
from service.signals import LOST, MISMATCHES, observe_commit
from service.signing_keys import SigningKeys
from service.starting import first_key, opened_database
from service.streams import Streams
from service.tables import choose_tables
from service.users import Users
from service.vault import Vault, unlocked
from service.webhooks.delivering import Delivering


def seed_dealer(match_id: str, seed: bytes) -> Dealer:
    return SeedDealer(seed)


class App:
    """An ASGI application. `parts` and `first_key` are there while it runs.

    `first_key` is the admin key made by this very start, to be shown once; else None.
    """

    def __init__(
        self,
        settings: Settings,
        dealer: DealerFactory,
        clock: Clock,
        entropy: Entropy,
        crash_at: CrashPoint,
    ) -> None:
        self.settings = settings
        self.first_key: str | None = None
        self._dealer = dealer
        self._given_clock = clock
        self._clock: SharedClock = OwnClock(clock)
        self._entropy = entropy
        self._crash_at = crash_at
        self._log = logs.logger(settings)
        self._parts: Parts | None = None
        self._rest: Rest | Probes | None = None
        self._graphql: graphql.Graphql | None = None

    @property
    def parts(self) -> Parts:
        assert self._parts is not None, "not running"
        return self._parts

    @asynccontextmanager
    async def running(self) -> AsyncIterator["App"]:
        """Open, and serving for as long as it is: for whoever answers as soon as this is entered.

        Raises: what `opened` and `serving` raise.
        """
        async with self.opened(), self.serving():
            yield self

    @asynccontextmanager
    async def opened(self) -> AsyncIterator["App"]:
        """Open the database, make keys where there are none, and close all of it afterwards.

        SQLite is brought to the newest schema first. Nothing that is due by the time happens until
        `serving` is entered. Raises: DatabaseFault (SchemaBehind for another database that is not),
        SettingRefused.
        """
        choose_tables(self.settings.game_tables)
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(traces.tracing(self.settings, self._log))
            schema = head_revision()
            database = await opened_database(self.settings, schema)
            stack.push_async_callback(database.close)
            self._clock = await shared_clock(database, self._given_clock)
            await self._tell_newer(database, schema)
            seeds = await Store(database).secret_of_each_key()
            vault = unlocked(self.settings, seeds, is_used=await signing_keys.is_used(database))
            self._parts = self._joined(database, schema, vault, self._limits(stack))
            stack.push_async_callback(self._parts.store.drained)
            stack.push_async_callback(self._parts.cache.close)
            await self._parts.keys.open(self.settings.log_origin)
            self.first_key = await first_key(database, self.settings, self._clock())
            presence = self._parts.presence
            await stack.enter_async_context(presence.flushing(self._log_unwritten))
            heads = self._parts.store.heads
            news = self._parts.news
            await stack.enter_async_context(news.ticking(heads, self.settings.tick_seconds))
            news.on_commit(self._parts.feeding.stir)
            await stack.enter_async_context(self._parts.feeding.running())
            if self.settings.role.has_work:
                await stack.enter_async_context(self._parts.webhooks.running())
                await stack.enter_async_context(self._parts.reporting.running())
            if self.settings.redis_url is not None:
                wire = self._wire(self.settings.redis_url, news)
                news.connect(wire)
                await stack.enter_async_context(wire.running())
            await stack.enter_async_context(sampling(self._parts))
            if self.settings.role.has_doors:
                self._rest = Rest(self._parts)
                self._graphql = graphql.Graphql(self._parts)
            else:
                self._rest = Probes(self._parts)
            try:
                yield self
            finally:
                self._parts.streams.stop()
                self._rest = self._graphql = None

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[None]:
        """Say that matches are served, and do what is due, while this is open: it is entered once
        connections are accepted, or clocks would run before anybody can answer. Of both a process
        does what its role says.

        Raises: DatabaseFault.
        """
        parts = self.parts
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(parts.pulse.beating(self._log_missed_beat))
            if self.settings.role.has_work:
                for each in (
                    parts.recording.running(self._following),
                    self._closing(parts),
                    flags.falling(parts),
                    revealing.watching(parts),
                ):
                    await stack.enter_async_context(each)
            yield

    def stop_streams(self) -> None:
        """End open streams, resumably; a server calls it before it waits for its connections."""
        if self._parts is not None:
            self._parts.streams.stop()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            assert self._rest is not None, "not running"
            graph = self._graphql if scope["path"] == graphql.PATH else None
            await (graph or self._rest)(scope, receive, send)
        elif scope["type"] == "lifespan":
            await self._lifespan(receive, send)
        elif scope["path"] == graphql.PATH and self._graphql is not None:
            await self._graphql(scope, receive, send)
        else:
            missing = Misdirected if self._graphql is None else NotFound
            await refuse_socket(scope, send, missing())

    async def _lifespan(self, receive: Receive, send: Send) -> None:
        await receive()
        try:
            async with self.running():
                await send({"type": "lifespan.startup.complete"})
                await receive()
        except Exception as error:
            self._log_failed_start(error)
            await send({"type": "lifespan.startup.failed", "message": type(error).__name__})
            return
        await send({"type": "lifespan.shutdown.complete"})

    async def _tell_newer(self, database: Database, schema: str) -> None:
        found = await database.revision()
        if found is not None and found > schema:
            self._log.warning("schema_is_newer_than_this_program", schema=found)

    def _wire(self, url: str, news: News) -> RedisWire:
        """Raises: SettingRefused."""
        try:
            return RedisWire(url, news, self._log_lost_redis)
        except RedisRefused as error:
            raise _refused(error) from None

    def _log_missed_beat(self, error: Exception) -> None:
        self._log.warning("pulse_missed", error=type(error).__name__)

    def _log_unwritten(self, error: Exception) -> None:
        self._log.warning("presence_not_written", error=type(error).__name__)

    def _log_lost_redis(self, error: Exception) -> None:
        self._log.warning("redis_lost", error=type(error).__name__)

    def _closing(self, parts: Parts) -> AbstractAsyncContextManager[None]:
        """Deal groups come to their end while this is open."""

        def failed(group_id: str | None, error: Exception) -> None:
            self._log.error("closing_failed", deal_group=group_id, exc_info=error)

        return parts.closer.watching(
            lambda: due_groups(parts),
            lambda group_id: finish(parts, group_id),
            failed,
            self.settings.tick_seconds,
        )

    async def _following(self) -> None:
        """What follows of results."""
        await opening.sweep(self.parts)

    def _log_failed_start(self, error: Exception) -> None:
        self._log.error("start_failed", exc_info=error)

    def _limits(self, stack: AsyncExitStack) -> Limits:
        """Shared through Redis where there is one. Raises: SettingRefused."""
        url = self.settings.redis_url
        if url is None:
            return LocalLimits(self._clock)
        try:
            buckets = RedisBuckets(url)
        except RedisRefused as error:
            raise _refused(error) from None
        stack.push_async_callback(buckets.close)
        return SharedLimits(buckets, self._clock)

    def _joined(self, database: Database, schema: str, vault: Vault, limits: Limits) -> Parts:
        settings = self.settings
        store = Store(database, self._crash_at, observe=observe_commit)
        room = settings.room
        dealers = Dealers(store, vault, self._dealer, room(10_000))
        history = History(store, dealers.of, room(20_000), room(1_000))
        past = Past(store, room(512), room(4096), room(50_000))
        lost = self._forgetting(history, past)
        keys = SigningKeys(database, vault, self._clock, self._entropy)
        feeding = self._feeding(database, keys)
        pulse = Pulse if settings.role.has_doors else OthersPulse
        presence = Presence(database, self._clock, room(50_000))
        return Parts(
            settings=settings,
            database=database,
            schema=schema,
            store=store,
            cache=MatchCache(store, settings.cached_matches, lost=lost, wrong=self._mismatched),
            vault=vault,
            dealers=dealers,
            history=history,
            encodings=Encodings(room(4_096)),
            news=News(),
            past=past,
            doorkeeper=self._doorkeeper(store, presence),
            presence=presence,
            limits=limits,
            streams=Streams(settings.send_seconds, settings.stream_limit),
            keys=keys,
            notary=Notary(keys, room(8_192)),
            feeding=feeding,
            webhooks=self._webhooks(database, keys, vault, lambda: feeding.news),
            reporting=self._reporting(database, vault, lambda: feeding.news),
            recording=Recording(
                database,
                result_keeping.record,
                self._clock,
                lambda: feeding.news,
                self._log,
                settings.tick_seconds,
            ),
            closer=Closer(heeds=settings.role.has_work),
            pulse=pulse(database, self._clock, round(settings.outage_seconds * 1000)),
            clock=self._clock,
            entropy=self._entropy,
            crash_at=self._crash_at,
            log=self._log,
        )

    def _doorkeeper(self, store: Store, presence: Presence) -> Doorkeeper:
        settings, clock = self.settings, self._clock
        users = Users(store, clock, allow_private=settings.private_issuers)
        most = settings.room(50_000)
        return Doorkeeper(store, clock, settings.token_seconds, users, presence.note, most)

    def _forgetting(self, history: History, past: Past) -> Callable[[str], None]:
        def forget(match_id: str) -> None:
            MISMATCHES.labels(LOST).inc()
            self._log.warning("events_that_were_read_are_lost", match_id=match_id)
            history.forget(match_id)
            past.forget(match_id)

        return forget

    def _mismatched(self, match_id: str, what: Wrong) -> None:
        MISMATCHES.labels(what).inc()
        self._log.error(f"{what}_is_wrong", match_id=match_id)

    def _feeding(self, database: Database, keys: SigningKeys) -> Feeding:
        sequencer = None
        if self.settings.role.has_work:
            sequencer = Sequencer(database, str(uuid4()), crash_at=self._crash_at)
        return Feeding(database, sequencer, keys, self.settings, self._clock, self._log)

    def _webhooks(
        self, database: Database, keys: SigningKeys, vault: Vault, news: Ringing
    ) -> Delivering:
        return Delivering(
            database,
            keys,
            vault,
            self.settings,
            self._clock,
            self._crash_at,
            self._log,
            news,
        )

    def _reporting(self, database: Database, vault: Vault, news: Ringing) -> Reporting:
        return Reporting(
            database, vault, self.settings, self._clock, self._crash_at, self._log, news
        )


def _refused(error: RedisRefused) -> SettingRefused:
    return SettingRefused(PREFIX + "REDIS_URL", str(error))


def build(
    settings: Settings,
    *,
    dealer: DealerFactory = seed_dealer,
    clock: Clock = wall_clock,
    entropy: Entropy = POOL,
    crash_at: CrashPoint | None = None,
) -> App:
    """The application; the keywords are what tests replace."""
    return App(settings, dealer, clock, entropy, crash_at or crash_point(settings))


def from_env() -> App:
    """For ASGI servers that take a factory: `uvicorn --factory service.app:from_env`."""
    settings = from_environment(os.environ)
    logs.configure(settings)
    return build(settings)
