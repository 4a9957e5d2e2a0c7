"""What can be wrong with a database, told apart by SQLSTATE or SQLite's error code."""

import re
import sqlite3

from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from events.tables import METADATA


class DatabaseFault(Exception):
    """The database can't do its work; nothing is half-done."""


class DatabaseUnreachable(DatabaseFault):
    """No connection, or it was lost. A write that was under way may or may not be committed."""


class DatabaseBusy(DatabaseFault):
    """Another process holds the SQLite file, or a lock was not to be had in time."""


class DatabaseContended(DatabaseFault):
    """The transaction lost a deadlock or a serialisation race; it was rolled back."""


class DatabaseFull(DatabaseFault):
    """There is no room for what was to be written; the transaction was rolled back."""


class SchemaBehind(DatabaseFault):
    """The tables are older than this program needs."""

    def __init__(self, found: str | None, wanted: str) -> None:
        super().__init__(f"the schema is at {found or 'nothing'}, this program needs {wanted}")
        self.found = found
        self.wanted = wanted


class SchemaForeign(DatabaseFault):
    """The tables are those of another program, or damaged: nothing is known about them."""

    def __init__(self, found: str | None) -> None:
        at = "its tables have no revision" if found is None else f"its revision is {found!r}"
        super().__init__(f"no database of this program: {at}")
        self.found = found


class SchemaAhead(DatabaseFault):
    """The tables lack what this program writes or reads, or ask for what it does not write: a newer
    release has taken something away too early. The transaction was rolled back.
    """


class UrlUnsupported(DatabaseFault):
    """Neither `sqlite:///path` nor `postgresql://…`."""


def fault_of(error: Exception) -> Exception:
    """The fault an error of a driver stands for, or the error itself."""
    if isinstance(error, DBAPIError):
        return _driver_fault(error) or error
    if isinstance(error, OSError | TimeoutError | PoolTimeout):
        return DatabaseUnreachable(str(error) or "no answer in time")
    if type(error).__module__.startswith("asyncpg"):
        # Errors while connecting come as the driver's own.
        state = getattr(error, "sqlstate", None) or "08000"
        if state.startswith(_LOST):
            return DatabaseUnreachable(str(error))
    return error


def is_closed_to_writing(error: Exception) -> bool:
    """Whether a server refused to write at all: a standby, or one that was set to."""
    state = getattr(getattr(error, "orig", error), "sqlstate", None)
    return state == _READ_ONLY


def _driver_fault(error: DBAPIError) -> DatabaseFault | None:
    state = getattr(error.orig, "sqlstate", None)
    if state in _CONTENDED:
        return DatabaseContended(state)
    if state in _AHEAD or (state == _NULL and not _is_ours(error)):
        return SchemaAhead(_words(error))
    if state == _FULL:
        return DatabaseFull(_words(error))
    if state is not None:
        return DatabaseUnreachable(_words(error)) if state.startswith(_LOST) else None
    code = getattr(error.orig, "sqlite_errorcode", None)
    if code is not None:
        if code & 0xFF in _SQLITE_BUSY:
            return DatabaseBusy(str(error.orig))
        if code & 0xFF == sqlite3.SQLITE_FULL:
            return DatabaseFull(str(error.orig))
        return DatabaseUnreachable(str(error.orig)) if code & 0xFF in _SQLITE_LOST else None
    lost = error.connection_invalidated or isinstance(error, InterfaceError | OperationalError)
    return DatabaseUnreachable(str(error.orig)) if lost else None


def _is_ours(error: DBAPIError) -> bool:
    """Whether this program knows that the column takes no NULL: then it is its own mistake."""
    cause = getattr(error.orig, "__cause__", None) or error.orig
    # On a cluster it is a shard's: the table's name and a number.
    name = re.sub(r"_\d+$", "", getattr(cause, "table_name", None) or "")
    table = METADATA.tables.get(name)
    column = None if table is None else table.c.get(getattr(cause, "column_name", None) or "")
    return column is not None and not column.nullable


def _words(error: DBAPIError) -> str:
    """What the server said; adapters put the name of a class before it."""
    said = str(getattr(error.orig, "__cause__", None) or error.orig)
    return said.splitlines()[0] if said else type(error.orig).__name__


_READ_ONLY = "25006"
_LOST = ("08", "28", "3D000", "53300", "57P", _READ_ONLY)  # SQLSTATE prefixes: lost or refused
_CONTENDED = ("40001", "40P01")
_FULL = "53100"
_AHEAD = ("42703", "42P01")  # no such column, no such table
_NULL = "23502"  # where none may be
_SQLITE_BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
_SQLITE_LOST = {
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_NOTADB,
    sqlite3.SQLITE_READONLY,
}
