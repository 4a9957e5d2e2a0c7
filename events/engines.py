"""How each database is connected to: drivers, settings, and the lock beside an SQLite file."""

import fcntl
import os
import sqlite3
import time
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from events.connecting import Connector
from events.faults import DatabaseBusy, DatabaseUnreachable
from events.pooled import WITHOUT_NAMES
from events.urls import is_pooled

READERS = 3  # reading connections and threads of SQLite
_WAL_RESET_FIXED = (3, 51, 3)


def writing_sqlite(path: Path) -> Engine:
    """The one writing connection: WAL, durable, every transaction BEGIN IMMEDIATE.

    A new file is its owner's alone, and so are the files that SQLite puts beside it: the log of a
    running match holds what is hidden.
    """
    with suppress(OSError):  # SQLite itself says what is wrong with a path.
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
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
        # What is erased must not linger in free pages.
        connection.execute("PRAGMA secure_delete = ON")
        connection.execute("PRAGMA wal_autocheckpoint = 4000")

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE")

    return engine


def reading_sqlite(path: Path, *, immutable: bool = False) -> Engine:
    """Connections that can't write and never checkpoint.

    An immutable file is read without a lock and without files beside it: nothing may write to it.
    """
    query = {"mode": "ro", "uri": "true"} | ({"immutable": "1"} if immutable else {})
    engine = create_engine(
        URL.create("sqlite+pysqlite", database=f"file:{quote(str(path))}", query=query),
        connect_args={"isolation_level": None, "check_same_thread": False, "timeout": 5},
        pool_size=READERS,
        max_overflow=0,
    )

    @event.listens_for(engine, "connect")
    def prepare(connection: sqlite3.Connection, _record: object) -> None:
        connection.execute("PRAGMA query_only = ON")
        connection.execute("PRAGMA wal_autocheckpoint = 0")

    return engine


def is_writable(path: Path) -> bool:
    """Whether SQLite can make the files it needs beside this one."""
    return os.access(os.path.dirname(os.path.realpath(path)), os.W_OK)


def has_waiting_commits(path: Path) -> bool:
    """Whether some are in the log beside the file and not yet, or not all, in it."""
    try:
        return os.path.getsize(f"{os.path.realpath(path)}-wal") > 0
    except FileNotFoundError:
        return False


def writing_asyncpg(url: URL, timeout: float) -> AsyncEngine:
    """Few connections of their own, so that no crowd of readers stands before an append."""
    connector = Connector(url, to_read_only=False, forbids_writing=False)
    return _asyncpg(url, connector, timeout, pool_size=2)


def without_transactions(engine: AsyncEngine) -> AsyncEngine:
    """The same connections; each statement is committed by itself."""
    return engine.execution_options(isolation_level="AUTOCOMMIT")


def reading_asyncpg(
    url: URL, timeout: float, connections: int, *, of_any_server: bool
) -> AsyncEngine:
    """At most that many connections; they can't write, and need no transaction to read.

    They are those of a server that could be written to, unless any will do.
    """
    connector = Connector(url, to_read_only=of_any_server, forbids_writing=not is_pooled(url))
    return _asyncpg(url, connector, timeout, pool_size=connections, isolation_level="AUTOCOMMIT")


def _asyncpg(url: URL, connector: Connector, timeout: float, **more: Any) -> AsyncEngine:
    connecting: dict[str, Any] = {"command_timeout": timeout, "server_settings": _NAMED}
    if is_pooled(url):
        more |= {"isolation_level": "AUTOCOMMIT"}
        connecting |= WITHOUT_NAMES
    else:
        connecting["server_settings"] = _NAMED | PLANNING
    return create_async_engine(
        "postgresql+asyncpg://",
        max_overflow=0,
        pool_timeout=timeout,
        connect_args={**connecting, "async_creator_fn": connector.connect},
        **more,
    )


def sqlite_warnings(version: tuple[int, int, int]) -> tuple[str, ...]:
    """What to tell the operator about a version of the SQLite library."""
    if version >= _WAL_RESET_FIXED:
        return ()
    number = ".".join(map(str, version))
    return (
        f"SQLite {number} can corrupt a WAL database that several connections write or "
        "checkpoint at once (fixed in 3.51.3): let no other program write to this file.",
    )


class FileLock:
    """Held beside an SQLite file by the one process that may write it.

    Waits at most `seconds` for another to let go. Raises: DatabaseBusy, DatabaseUnreachable.
    """

    def __init__(self, path: Path, seconds: float = 0) -> None:
        path = Path(os.path.realpath(path))  # Two names of one file are one lock.
        try:
            self._file = os.open(f"{path}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise DatabaseUnreachable(f"{error.filename}: {error.strerror}") from error
        deadline = time.monotonic() + seconds
        while not self._is_taken():
            if time.monotonic() >= deadline:
                os.close(self._file)
                raise DatabaseBusy(
                    f"another process serves {path.name} in {path.parent}; SQLite takes one, "
                    "PostgreSQL takes many"
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


_NAMED = {"application_name": "plyscribe"}

# Every query here looks rows up by key. A plan kept from when the tables were empty must not scan
# them for ever, and joins with the arrays of a batch must stay nested loops over an index.
PLANNING = {
    "enable_hashjoin": "off",
    "enable_mergejoin": "off",
    "enable_seqscan": "off",
    "jit": "off",
}
