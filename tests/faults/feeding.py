"""Processes that append to matches, and processes that bring it into the feed, to be killed."""

import asyncio
import multiprocessing
import os
import random
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import TextIO
from uuid import uuid4

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from msgspec.structs import asdict, replace
from sqlalchemy import Connection, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import IntegrityError

from events import feed, feedsql
from events.append import Append, Appended, Replayed
from events.checkpoints import Signer
from events.database import Database, DatabaseFault
from events.feed import Deposed, Gathered, Sequencer
from events.store import MatchRow, Store
from events.tables import FEED, FEED_STATE
from events.types import Status
from tests.events.appends import chained, creation

KEY = Ed25519PrivateKey.from_private_bytes(b"k" * 32)
ORIGIN = "log.example/faults"
LEASE_MS = 400
OWN_MATCHES = 6
DEPOSED, CAUGHT = "wrote without the lease", "was stopped by a key of the table"
_DYING = 0.003  # how often a sequencer dies at a named point
_STOPPING = 0.25  # how often it stands still between reading and writing

_FORKING = multiprocessing.get_context("forkserver")
_FORKING.set_forkserver_preload(["tests.faults.feeding"])


class Worker:
    """A process that is started again under another name whenever it was killed."""

    def __init__(
        self, run: str, url: str, folder: Path, shared: list[str], fault: str = ""
    ) -> None:
        self._run = run
        self._arguments = (url, folder, shared, fault)
        self.name = ""
        self._process: BaseProcess | None = None

    @property
    def pid(self) -> int:
        assert self._process is not None
        assert self._process.pid is not None
        return self._process.pid

    def ensure(self) -> None:
        if self._process is not None and self._process.exitcode is None:
            return
        self.name = f"{self._run}-{uuid4()}"
        target = {"write": _write, "sequence": _sequence}[self._run]
        self._process = _FORKING.Process(
            target=target, args=(self.name, *self._arguments), daemon=True
        )
        self._process.start()

    def signal(self, number: int) -> None:
        if self._process is not None and self._process.exitcode is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """kill -9, whatever state it is in."""
        if self._process is not None:
            self._process.kill()
            self._process.join()


def acknowledged(folder: Path) -> dict[str, int]:
    """The highest version that a writer was told of, by match."""
    found: dict[str, int] = {}
    for path in folder.glob("write-*"):
        whole, _, _ = path.read_text().rpartition("\n")  # It may have died in the middle of a line.
        for line in whole.splitlines():
            match_id, version = line.split()
            found[match_id] = max(found.get(match_id, 0), int(version))
    return found


def misdeeds(folder: Path) -> set[str]:
    """What sequencers noted of themselves: DEPOSED, CAUGHT."""
    return {line for path in folder.glob("sequence-*") for line in path.read_text().splitlines()}


def following(row: MatchRow, key: str) -> Append:
    """One to three events on top of a match as it is stored."""
    return Append(
        match_id=row.match_id,
        key=key,
        request=key.encode(),
        expected_version=row.version,
        expected_hash=row.head,
        records=chained(row.head, row.version, random.randint(1, 3), key),
        status=Status.RUNNING,
    )


def _write(name: str, url: str, folder: Path, shared: list[str], fault: str) -> None:
    asyncio.run(_writing(name, url, folder, shared))


async def _writing(name: str, url: str, folder: Path, shared: list[str]) -> None:
    """Moves matches of its own and such that all writers move, and notes what is acknowledged."""
    database = await Database.open(url)
    store = Store(database)
    with (folder / name).open("a", buffering=1) as log:
        own = [str(uuid4()) for _ in range(OWN_MATCHES)]
        for match_id in own:
            await store.append(creation(match_id))
        while True:
            chosen = random.sample([*own, *shared], 4)
            await asyncio.gather(*(_move(store, each, log) for each in chosen))
            await asyncio.sleep(random.uniform(0, 0.05))  # Others need the processor too.


async def _move(store: Store, match_id: str, log: TextIO) -> None:
    with suppress(DatabaseFault):
        row = await store.match(match_id)
        assert row is not None
        answer = await store.append(following(row, str(uuid4())))
        if isinstance(answer, Appended | Replayed):
            print(match_id, answer.last, file=log)


def _sequence(name: str, url: str, folder: Path, shared: list[str], fault: str) -> None:
    FAULTS[fault]()
    asyncio.run(_sequencing(name, url, folder))


async def _sequencing(name: str, url: str, folder: Path) -> None:
    """Takes in and signs as fast as it can; stands still or dies now and then where it hurts.

    Notes what must never happen to it.
    """
    database = await Database.open(url)
    with (folder / name).open("a", buffering=1) as log:
        own = _Watched(database, name, log)
        signer = Signer(database)
        while True:
            try:
                epoch = await own.lead()
                if epoch is not None:
                    await own.round(epoch)
                    await signer.sign(epoch, [KEY], 1)
            except (Deposed, DatabaseFault):
                pass
            except IntegrityError:
                print(CAUGHT, file=log)
            await asyncio.sleep(0.01)


class _Watched(Sequencer):
    """Looks, when it has written, whether it was the one to write."""

    def __init__(self, database: Database, name: str, log: TextIO) -> None:
        super().__init__(database, name, LEASE_MS, crash_at=_die, most=20)
        self._log = log

    def _write(self, connection: Connection, found: Gathered) -> None:
        super()._write(connection, found)
        # It has locked the row, so nobody takes over before the end of the transaction.
        if feed.state_of(connection).epoch != found.epoch:
            print(DEPOSED, file=self._log)


def _die(name: str) -> None:
    if name == "feed_gathered" and random.random() < _STOPPING:
        # It may wake before whoever took over has written anything, or long after.
        time.sleep(random.uniform(1, 3) * LEASE_MS / 1000)
    elif random.random() < _DYING:
        os.kill(os.getpid(), signal.SIGKILL)


def _advancing(*conditions: str) -> Callable[[], None]:
    """`_advance` with these alone of its conditions."""

    def advance(connection: Connection, found: Gathered, size: int, lease_ms: int) -> bool:
        held = [FEED_STATE.c[name] == getattr(found, name) for name in conditions]
        until = feedsql.now(connection) + lease_ms
        moved = update(FEED_STATE).where(*held).values(size=size, lease_until=until)
        return connection.execute(moved).rowcount == 1

    return lambda: setattr(feed, "_advance", advance)


def _placing_anew() -> None:
    """Who has lost the lease takes the next positions, past every net there is."""

    def write(self: Sequencer, connection: Connection, found: Gathered) -> None:
        feedsql.bound_pause(connection, LEASE_MS)
        size = feed.state_of(connection).size
        for each in found.entries:
            row = asdict(replace(each, position=size + 1))
            # What is there already, it takes for its own.
            one = insert(FEED).values(**row).on_conflict_do_nothing()
            size += connection.execute(one).rowcount
        connection.execute(update(FEED_STATE).values(size=size))
        self._crash_at("before_feed")

    Sequencer._write = write  # type: ignore[method-assign]


def _forgetting_first() -> None:
    """Marks are deleted before what they mark is in the feed."""
    integrate = Sequencer.integrate

    async def forgetting(self: Sequencer, found: Gathered) -> None:
        await self.forget(found)
        await integrate(self, found)

    Sequencer.integrate = forgetting  # type: ignore[method-assign]


FAULTS: dict[str, Callable[[], None]] = {
    "": lambda: None,
    "no epoch": _advancing("size"),
    "no epoch, no size": _advancing(),
    "placing anew": _placing_anew,
    "forgetting first": _forgetting_first,
}
