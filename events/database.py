"""Access to the database: functions over a SQLAlchemy connection, run where they belong.

PostgreSQL runs them on a pool of asyncpg connections. SQLite runs writes on one thread with the
only writing connection, and reads on a few threads with read-only ones.
"""

import asyncio
import fcntl
import os
import sqlite3
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.ext.asyncio import create_async_engine


class DatabaseFault(Exception):
    """The database can't do its work; nothing is half-done."""


class DatabaseUnreachable(DatabaseFault):
    """No connection, or it was lost. A write that was under way may or may not be committed."""


class DatabaseBusy(DatabaseFault):
    """Another process holds the SQLite file, or a lock was not to be had in time."""


class DatabaseContended(DatabaseFault):
    """The transaction lost a deadlock or a serialisation race; it was rolled back."""


class SchemaBehind(DatabaseFault):
    """The tables are not those this program needs."""

    def __init__(self, found: str | None, wanted: str) -> None:
        super().__init__(f"the schema is at {found or 'nothing'}, this program needs {wanted}")
        self.found = found
        self.wanted = wanted


class UrlUnsupported(DatabaseFault):
    """Neither `sqlite:///path` nor `postgresql://…`."""


T = TypeVar("T")
Work = Callable[[Connection], T]

_LOST = ("08", "57P", "53300")  # SQLSTATE prefixes: connection lost or refused
_CONTENDED = ("40001", "40P01")
_SQLITE_BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
_SQLITE_LOST = {
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_NOTADB,
    sqlite3.SQLITE_READONLY,
}
_WAL_RESET_FIXED = (3, 51, 3)


class Database(ABC):
    """`warnings` are sentences for the operator about the way this database is run."""

    def __init__(self, url: URL, warnings: tuple[str, ...] = ()) -> None:
        self.url = url
        self.warnings = warnings

    @staticmethod
    async def open(url: str, *, read_only: bool = False, connections: int = 5) -> "Database":
        """A database that answers; `connections` bounds the pool. Belongs to the running loop.

        Raises: UrlUnsupported, DatabaseUnreachable, DatabaseBusy.
        """
        parsed = parsed_url(url)
        database: Database
        if parsed.get_backend_name() == "sqlite":
            database = _Sqlite(parsed, read_only)
        else:
            database = _Postgres(parsed, read_only, connections)
        try:
            # On SQLite the file and its WAL must exist before the first reader opens them.
            await (database.read if read_only else database.write)(_ping)
            await database.read(_ping)
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

    @abstractmethod
    async def read(self, work: Work[T]) -> T:
        """Run `work`, which only reads; each statement sees what is committed when it starts."""

    @abstractmethod
    async def close(self) -> None: ...

    async def revision(self) -> str | None:
        """The revision of the schema, None where there is none. Raises: DatabaseUnreachable."""
        return await self.read(_revision)

    async def require(self, wanted: str) -> None:
        """Raises: SchemaBehind, DatabaseUnreachable."""
        found = await self.revision()
        if found != wanted:
            raise SchemaBehind(found, wanted)


def parsed_url(url: str) -> URL:
    """Raises: UrlUnsupported."""
    try:
        parsed = make_url(url)
    except ArgumentError:
        raise UrlUnsupported("not a database URL") from None
    backend = parsed.get_backend_name()
    if backend == "postgres":
        parsed, backend = parsed.set(drivername="postgresql"), "postgresql"
    if backend not in ("sqlite", "postgresql"):
        raise UrlUnsupported("use sqlite:///path or postgresql://user@host/name")
    if backend == "sqlite" and parsed.database in (None, "", ":memory:"):
        raise UrlUnsupported("SQLite needs a file: sqlite:///path")
    return parsed


def sqlite_warnings(version: tuple[int, int, int]) -> tuple[str, ...]:
    """What to tell the operator about a version of the SQLite library."""
    if version >= _WAL_RESET_FIXED:
        return ()
    number = ".".join(map(str, version))
    return (
        f"SQLite {number} can corrupt a WAL database that several connections write or "
        "checkpoint at once (fixed in 3.51.3): let no other program write to this file.",
    )


def writing_sqlite(path: Path) -> Engine:
    """The one writing connection: WAL, durable, every transaction BEGIN IMMEDIATE."""
    engine = create_engine(
        URL.create("sqlite+pysqlite", database=str(path)),
        connect_args={"isolation_level": None, "check_same_thread": False, "timeout": 5},
        pool_size=1,
        max_overflow=0,
    )

    @event.listens_for(engine, "connect")
    def prepare(connection: sqlite3.Connection, _record: object) -> None:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA temp_store = MEMORY")
        connection.execute("PRAGMA wal_autocheckpoint = 4000")

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE")

    return engine


def fault_of(error: Exception) -> Exception:
    """The fault an error of a driver stands for, or the error itself."""
    if isinstance(error, DBAPIError):
        return _driver_fault(error) or error
    if isinstance(error, OSError | TimeoutError | PoolTimeout):
        return DatabaseUnreachable(str(error) or type(error).__name__)
    if type(error).__module__.startswith("asyncpg"):
        # Errors while connecting come as the driver's own.
        state = getattr(error, "sqlstate", None) or "08000"
        if state.startswith(_LOST):
            return DatabaseUnreachable(str(error))
    return error


def _driver_fault(error: DBAPIError) -> DatabaseFault | None:
    state = getattr(error.orig, "sqlstate", None)
    if state in _CONTENDED:
        return DatabaseContended(state)
    if state is not None:
        return DatabaseUnreachable(state) if state.startswith(_LOST) else None
    code = getattr(error.orig, "sqlite_errorcode", None)
    if code is not None:
        if code & 0xFF in _SQLITE_BUSY:
            return DatabaseBusy(str(error.orig))
        return DatabaseUnreachable(str(error.orig)) if code & 0xFF in _SQLITE_LOST else None
    lost = error.connection_invalidated or isinstance(error, InterfaceError | OperationalError)
    return DatabaseUnreachable(str(error.orig)) if lost else None


def _ping(connection: Connection) -> None:
    connection.execute(text("SELECT 1"))


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
        self._reader = _reading_sqlite(path)
        self._write_thread = ThreadPoolExecutor(1, "plyscribe-write")
        self._read_threads = ThreadPoolExecutor(_READERS, "plyscribe-read")

    async def write(self, work: Work[T]) -> T:
        assert self._writer is not None, "opened read-only"
        return await self._run(self._write_thread, self._writer, work)

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


_READERS = 3


def _reading_sqlite(path: Path) -> Engine:
    engine = create_engine(
        URL.create("sqlite+pysqlite", database=f"file:{path}", query={"mode": "ro", "uri": "true"}),
        connect_args={"isolation_level": None, "check_same_thread": False, "timeout": 5},
        pool_size=_READERS,
        max_overflow=0,
    )

    @event.listens_for(engine, "connect")
    def prepare(connection: sqlite3.Connection, _record: object) -> None:
        connection.execute("PRAGMA query_only = ON")
        connection.execute("PRAGMA wal_autocheckpoint = 0")

    return engine


class FileLock:
    """Held beside an SQLite file by the one process that may write it.

    Waits at most `seconds` for another to let go. Raises: DatabaseBusy, DatabaseUnreachable.
    """

    def __init__(self, path: Path, seconds: float = 0) -> None:
        try:
            self._file = os.open(f"{path}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise DatabaseUnreachable(str(error)) from error
        deadline = time.monotonic() + seconds
        while not self._is_taken():
            if time.monotonic() >= deadline:
                os.close(self._file)
                raise DatabaseBusy(
                    f"another process serves {path.name}; SQLite takes one, PostgreSQL takes many"
                )
            time.sleep(0.02)

    def release(self) -> None:
        os.close(self._file)

    def _is_taken(self) -> bool:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True


class _Postgres(Database):
    def __init__(self, url: URL, read_only: bool, connections: int) -> None:
        super().__init__(url)
        self._engine = create_async_engine(
            asyncpg_url(url),
            pool_size=connections,
            max_overflow=0,
            pool_timeout=10,
            connect_args={
                "timeout": 5,
                "command_timeout": 15,
                "server_settings": _SETTINGS
                | ({"default_transaction_read_only": "on"} if read_only else {}),
            },
        )
        self._reading = self._engine.execution_options(isolation_level="AUTOCOMMIT")

    async def write(self, work: Work[T]) -> T:
        try:
            async with self._engine.connect() as connection:
                try:
                    result = await connection.run_sync(work)
                    await connection.commit()
                except (OSError, TimeoutError):
                    # Whatever was under way on it, this connection can't be trusted again.
                    await connection.invalidate()
                    raise
                return result
        except Exception as error:
            fault = fault_of(error)
            if fault is error:
                raise
            raise fault from error

    async def read(self, work: Work[T]) -> T:
        try:
            return await self._read(work)
        except DatabaseUnreachable:
            # A pooled connection may have died of old age; a read can always be done again.
            return await self._read(work)

    async def _read(self, work: Work[T]) -> T:
        try:
            async with self._reading.connect() as connection:
                try:
                    return await connection.run_sync(work)
                except (OSError, TimeoutError):
                    await connection.invalidate()
                    raise
        except Exception as error:
            fault = fault_of(error)
            if fault is error:
                raise
            raise fault from error

    async def close(self) -> None:
        await self._engine.dispose()


# Every query here looks rows up by key. A plan kept from when the tables were empty must not scan
# them for ever, and joins with the arrays of a batch must stay nested loops over an index.
_SETTINGS: dict[str, Any] = {
    "application_name": "plyscribe",
    "enable_hashjoin": "off",
    "enable_mergejoin": "off",
    "enable_seqscan": "off",
    "jit": "off",
}


def asyncpg_url(url: URL) -> URL:
    """The URL for asyncpg; libpq's `sslmode` becomes its `ssl`."""
    query = {("ssl" if name == "sslmode" else name): value for name, value in url.query.items()}
    return url.set(drivername="postgresql+asyncpg", query=query)
