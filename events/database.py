"""Access to the database: functions over a SQLAlchemy connection, run where they belong.

PostgreSQL runs them on a pool of asyncpg connections. SQLite runs writes on one thread with the
only writing connection, and reads on a few threads with read-only ones.
"""

import asyncio
import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from sqlalchemy import Connection, Engine, text
from sqlalchemy.engine import URL
from sqlalchemy.ext.asyncio import AsyncEngine
from sqlalchemy.util import greenlet_spawn

from events import pooled
from events.engines import (
    PLANNING,
    READERS,
    FileLock,
    has_waiting_commits,
    is_writable,
    reading_asyncpg,
    reading_sqlite,
    sqlite_warnings,
    without_transactions,
    writing_asyncpg,
    writing_sqlite,
)
from events.faults import (
    DatabaseBusy,
    DatabaseContended,
    DatabaseFault,
    DatabaseFull,
    DatabaseUnreachable,
    SchemaAhead,
    SchemaBehind,
    SchemaForeign,
    UrlUnsupported,
    fault_of,
    is_closed_to_writing,
)
from events.urls import is_pooled, parsed_url

__all__ = [
    "Database",
    "DatabaseBusy",
    "DatabaseContended",
    "DatabaseFault",
    "DatabaseFull",
    "DatabaseUnreachable",
    "SchemaAhead",
    "SchemaBehind",
    "SchemaForeign",
    "UrlUnsupported",
    "Work",
    "parsed_url",
]

T = TypeVar("T")
Work = Callable[[Connection], T]


class Database(ABC):
    """`warnings` are sentences for the operator about the way this database is run.

    `is_cluster` says that it is PostgreSQL with Citus.
    """

    is_cluster = False

    def __init__(self, url: URL, warnings: tuple[str, ...] = ()) -> None:
        self.url = url
        self.warnings = warnings

    @staticmethod
    async def open(
        url: str, *, read_only: bool = False, connections: int = 5, patience: float = 15
    ) -> "Database":
        """A database that answers. Belongs to the running loop.

        On PostgreSQL `connections` bounds the readers, and a statement or a wait for a connection
        may take `patience` seconds.

        Raises: UrlUnsupported, DatabaseUnreachable, DatabaseBusy.
        """
        parsed = parsed_url(url)
        database: Database
        if parsed.get_backend_name() == "sqlite":
            database = _Sqlite(parsed, read_only)
        else:
            database = _Postgres(parsed, read_only, connections, patience)
        try:
            # On SQLite the file and its WAL must exist before the first reader opens them.
            await (database.read if read_only else database.write)(_ping)
            database.is_cluster = await database.read(_has_citus)
        except BaseException:
            await database.close()
            raise
        return database

    @property
    def dialect(self) -> str:
        """sqlite or postgresql."""
        return self.url.get_backend_name()

    @abstractmethod
    async def write(self, work: Work[T]) -> T:
        """Run `work` in one transaction that is durable when this returns.

        Raises: DatabaseFault; a SQLAlchemy error where the statement itself is refused.
        """

    async def write_once(self, work: Work[T]) -> T:
        """Run `work`, which runs one statement: that is a transaction by itself.

        Raises: as `write`.
        """
        return await self.write(work)

    @abstractmethod
    async def shed(self) -> None:
        """Let no file of the database keep what was just deleted, as far as that can be asked for:
        SQLite empties its write-ahead log, PostgreSQL leaves it to its vacuum.
        """

    @abstractmethod
    async def read(self, work: Work[T]) -> T:
        """Run `work`, which only reads; each statement sees what is committed when it starts."""

    @abstractmethod
    async def close(self) -> None:
        """Wait for what is under way, and close all connections; what is asked later is a
        RuntimeError.
        """

    async def revision(self) -> str | None:
        """The revision of the schema, None where there is none. Raises: DatabaseUnreachable."""
        return await self.read(_revision)

    async def require(self, wanted: str) -> None:
        """A newer schema will do: it only ever adds to what an older program needs.

        Revisions are numbers of equal length. Raises: SchemaBehind, SchemaForeign,
        DatabaseUnreachable.
        """
        found = await self.revision()
        if found is not None and not (found.isdecimal() and len(found) == len(wanted)):
            raise SchemaForeign(found)
        if found is None or found < wanted:
            raise SchemaBehind(found, wanted)


def _ping(connection: Connection) -> None:
    connection.execute(text("SELECT 1"))


def _has_citus(connection: Connection) -> bool:
    if connection.dialect.name != "postgresql":
        _ping(connection)
        return False
    found = connection.scalar(text("SELECT 1 FROM pg_extension WHERE extname = 'citus'"))
    return found is not None


def _revision(connection: Connection) -> str | None:
    if not connection.dialect.has_table(connection, "alembic_version"):
        return None
    found = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    return None if found is None else str(found)


class _Sqlite(Database):
    def __init__(self, url: URL, read_only: bool) -> None:
        super().__init__(url, sqlite_warnings(sqlite3.sqlite_version_info[:3]))
        path = Path(url.database or "")
        self._lock = None if read_only else FileLock(path)
        self._writer = None if read_only else writing_sqlite(path)
        at_rest = read_only and not is_writable(path) and not has_waiting_commits(path)
        self._reader = reading_sqlite(path, immutable=at_rest)
        self._write_thread = ThreadPoolExecutor(1, "plyscribe-write")
        self._read_threads = ThreadPoolExecutor(READERS, "plyscribe-read")

    async def write(self, work: Work[T]) -> T:
        assert self._writer is not None, "opened read-only"
        return await self._run(self._write_thread, self._writer, work)

    async def shed(self) -> None:
        assert self._writer is not None, "opened read-only"
        writer = self._writer

        def run() -> None:
            connection = writer.raw_connection()
            try:
                connection.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            finally:
                connection.close()

        # Readers are waited for a few seconds; what stays then goes with the next one.
        await asyncio.get_running_loop().run_in_executor(self._write_thread, run)

    async def read(self, work: Work[T]) -> T:
        return await self._run(self._read_threads, self._reader, work)

    async def _run(self, threads: ThreadPoolExecutor, engine: Engine, work: Work[T]) -> T:
        def run() -> T:
            with engine.begin() as connection:
                return work(connection)

        try:
            return await asyncio.get_running_loop().run_in_executor(threads, run)
        except Exception as error:
            fault = fault_of(error)
            if fault is error:
                raise
            raise fault from error

    async def close(self) -> None:
        # Closing the writing connection last lets it checkpoint.
        await asyncio.to_thread(self._close)

    def _close(self) -> None:
        self._read_threads.shutdown()
        self._write_thread.shutdown()
        self._reader.dispose()
        if self._writer is not None:
            self._writer.dispose()
        if self._lock is not None:
            self._lock.release()


class _Postgres(Database):
    def __init__(self, url: URL, read_only: bool, connections: int, patience: float) -> None:
        super().__init__(url)
        self._writer = None if read_only else writing_asyncpg(url, patience)
        self._writer_once = self._writer and without_transactions(self._writer)
        self._reader = reading_asyncpg(url, patience, connections, of_any_server=read_only)
        self._is_pooled = is_pooled(url)
        self._closed = False
        self._under_way = 0
        self._idle = asyncio.Event()
        self._idle.set()

    async def write(self, work: Work[T]) -> T:
        assert self._writer is not None, "opened read-only"
        return await self._run(self._writer, work)

    async def write_once(self, work: Work[T]) -> T:
        # Neither BEGIN nor COMMIT: two round trips less while others wait.
        assert self._writer_once is not None, "opened read-only"
        return await self._run(self._writer_once, work)

    async def shed(self) -> None:
        pass

    async def read(self, work: Work[T]) -> T:
        try:
            return await self._run(self._reader, work)
        except DatabaseUnreachable:
            # A pooled connection may have died of old age; a read can always be done again.
            return await self._run(self._reader, work)

    async def _run(self, engine: AsyncEngine, work: Work[T]) -> T:
        def run() -> T:
            with engine.sync_engine.connect() as connection:
                try:
                    with self._whole(connection, to_read=engine is self._reader):
                        return work(connection)
                except Exception as error:
                    # Whatever was under way on it, it can't be trusted again; or it leads to a
                    # server that was written to once and is a standby now.
                    if isinstance(error, OSError) or is_closed_to_writing(error):
                        connection.invalidate()
                    raise

        if self._closed:
            raise RuntimeError("this database is closed")
        self._under_way += 1
        self._idle.clear()
        try:
            # One hop for all of it: an AsyncConnection takes one for every call.
            return await greenlet_spawn(run)
        except Exception as error:
            fault = fault_of(error)
            if fault is error:
                raise
            raise fault from error
        finally:
            self._under_way -= 1
            if not self._under_way:
                self._idle.set()

    @contextmanager
    def _whole(self, connection: Connection, *, to_read: bool) -> Iterator[None]:
        if self._is_pooled:
            with pooled.transaction(connection, pooled.beginning(PLANNING, to_read=to_read)):
                yield
        else:
            yield
            connection.commit()

    async def close(self) -> None:
        self._closed = True
        # A connection that comes back to its pool after that was disposed of is never closed.
        await self._idle.wait()
        for engine in (self._writer, self._reader):
            if engine is not None:
                await engine.dispose()
