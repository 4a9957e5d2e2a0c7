"""The feed kept going by this process: taken in, signed, and those who wait for it woken."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Final

from events.checkpoints import LogInconsistent, Signed, Signer, newest
from events.database import Database, DatabaseFault
from events.feed import Deposed, Sequencer, state_of
from events.signing import Purpose
from service.logs import Logger
from service.settings import SettingRefused, Settings
from service.signals import CAUGHT_UP, CHECKPOINTS, FEED_ENTRIES, FEED_LAG
from service.signing_keys import SigningKeys

_REFRESH_SECONDS: Final = 10.0  # how soon keys that another process made are known
_UNKEPT_SECONDS: Final = 6.0  # a lease that nobody has for so long waits for no take-over
_CHECKPOINT_MS: Final = 1000  # how long the newest checkpoint is told without looking again


class Feeding:
    """Runs in every process; the one that holds the lease does the work, the others look in.

    Without a sequencer this process never tries for the lease.
    """

    def __init__(
        self,
        database: Database,
        sequencer: Sequencer | None,
        keys: SigningKeys,
        settings: Settings,
        clock: Callable[[], int],
        log: Logger,
    ) -> None:
        self._database = database
        self._is_shared = database.dialect == "postgresql"
        self._sequencer = sequencer
        self._signer = Signer(database)
        self._keys = keys
        self._settings = settings
        self._clock = clock
        self._log = log
        self._epoch: int | None = None
        self._stirred = asyncio.Event()
        self._rung = asyncio.Event()
        self._turn = asyncio.Lock()
        self._is_ahead = True  # the feed may have grown since the last checkpoint
        self._signed_at = float("-inf")
        self._refreshed_at = float("-inf")
        self._inconsistent = False
        self._waits = False  # for the database
        self._is_kept = True
        self._kept_at = float("inf")
        self._told: tuple[float, Signed | None] = (float("-inf"), None)

    def stir(self) -> None:
        """Something was committed here."""
        if self._epoch is not None:
            self._stirred.set()

    @property
    def leads(self) -> bool:
        """Whether this process holds the lease, as far as it knows."""
        return self._epoch is not None

    @property
    def waits(self) -> bool:
        """For the database, which did not answer the last round."""
        return self._waits

    @property
    def is_kept(self) -> bool:
        """Somebody holds the lease or tries for it: this process does, or did see another do so."""
        return self._is_kept

    @property
    def is_inconsistent(self) -> bool:
        """Nothing is signed any more."""
        return self._inconsistent

    @property
    def news(self) -> asyncio.Event:
        """Set when this process adds to the feed. Get it before reading; it rings once."""
        return self._rung

    async def size(self) -> int:
        """How many positions are taken."""
        return (await self._database.read(state_of)).size

    async def checkpoint(self) -> Signed | None:
        """The newest, at most a second old."""
        since, known = self._told
        now = asyncio.get_running_loop().time()
        if known is None or now - since > _CHECKPOINT_MS / 1000:
            known = await self._database.read(newest)
            self._told = (now, known)
        return known

    async def catch_up(self) -> None:
        """Take in and sign all there is, if this process may. Raises: DatabaseFault."""
        async with self._turn:
            with suppress(Deposed):
                await self._take_in()
                await self._sign()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        task = asyncio.create_task(self._run())
        try:
            yield
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            if self._sequencer is not None:
                # It may have got the lease by what it was cut off in.
                with suppress(DatabaseFault):
                    await self._sequencer.resign()

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            began = loop.time()
            try:
                async with self._turn:
                    await self._once()
                self._waits = False
            except Deposed:
                self._epoch = None
            except DatabaseFault as fault:
                if not self._waits:
                    self._log.warning("feed_waits", error=type(fault).__name__)
                self._waits = True
            except Exception as error:
                self._log.error("feed_failed", exc_info=error)
            # So that a burst of commits becomes few rows.
            await asyncio.sleep(max(0.0, began + self._settings.feed_seconds - loop.time()))
            await self._wait()

    async def _wait(self) -> None:
        if self._epoch is not None and self._is_shared and not self._waits:
            # Other processes commit as well, and nothing stirs this one when they do.
            return
        seconds = self._settings.tick_seconds
        if self._is_ahead and self._epoch is not None and not self._inconsistent:
            seconds = min(seconds, max(0.01, self._due()))
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._stirred.wait()
        self._stirred.clear()

    async def _once(self) -> None:
        await self._refresh()
        await self._take_in()
        if self._due() <= 0:
            await self._sign()

    async def _refresh(self) -> None:
        now = asyncio.get_running_loop().time()
        if now - self._refreshed_at < _REFRESH_SECONDS:
            return
        self._refreshed_at = now
        try:
            await self._keys.refresh()
        except SettingRefused as refused:
            self._log.error("signing_keys_do_not_open", variable=refused.variable)

    async def _look(self) -> None:
        state = await self._database.read(state_of)
        now = asyncio.get_running_loop().time()
        if state.lease_until > state.now or self._kept_at > now:
            self._kept_at = now
        self._is_kept = now - self._kept_at <= _UNKEPT_SECONDS

    async def _take_in(self) -> None:
        if self._sequencer is None:
            await self._look()
            return
        epoch = await self._sequencer.lead()
        if epoch is None or epoch != self._epoch:
            self._is_ahead = True
        self._epoch = epoch
        if epoch is None:
            return
        while True:
            taken = await self._sequencer.round(epoch)
            FEED_LAG.set(taken)
            if taken:
                FEED_ENTRIES.inc(taken)
                self._is_ahead = True
                rung, self._rung = self._rung, asyncio.Event()
                rung.set()
            if not self._sequencer.is_behind:
                CAUGHT_UP.set(self._clock() / 1000)
                return

    def _due(self) -> float:
        """Seconds until the next checkpoint may be signed."""
        now = asyncio.get_running_loop().time()
        return self._signed_at + self._settings.checkpoint_seconds - now

    async def _sign(self) -> None:
        if self._epoch is None or not self._is_ahead or self._inconsistent:
            return
        keys = [each.private for each in self._keys.active(Purpose.CHECKPOINTS)]
        try:
            while signed := await self._signer.sign(self._epoch, keys, self._clock()):
                self._told = (asyncio.get_running_loop().time(), signed)
                CHECKPOINTS.inc()
        except LogInconsistent as error:
            # Nothing that is told from now on could be held against what was told before.
            self._inconsistent = True
            self._log.error("log_is_inconsistent_nothing_is_signed", reason=str(error))
        self._is_ahead = False
        self._signed_at = asyncio.get_running_loop().time()
