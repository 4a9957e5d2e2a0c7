"""What can be wrong with a database or a file, as one line that names it."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from events.database import DatabaseFault, SchemaBehind, UrlUnsupported, parsed_url
from events.engines import has_waiting_commits, is_writable
from events.urls import PORT, places_of
from service.cli.terminal import CannotDo, first_line
from service.settings import Settings


@contextmanager
def naming_the_database(settings: Settings) -> Iterator[None]:
    """Raises: CannotDo for whatever is wrong with it, SchemaBehind and UrlUnsupported as before."""
    try:
        yield
    except (SchemaBehind, UrlUnsupported):
        raise
    except (DatabaseFault, SQLAlchemyError) as error:
        place, reason = place_of(settings.database_url), reason_of(error)
        raise CannotDo(reason if place in reason else f"{place}: {reason}") from error


def run_migrate(behind: SchemaBehind) -> CannotDo:
    return CannotDo(f"{behind}: run plyscribe migrate")


def assert_readable(settings: Settings) -> None:
    """Raises: CannotDo for an SQLite file whose newest commits are out of reach."""
    url = parsed_url(settings.database_url)
    path = Path(url.database or "")
    if url.get_backend_name() != "sqlite" or is_writable(path) or not has_waiting_commits(path):
        return
    if not Path(f"{os.path.realpath(path)}-shm").exists():
        raise CannotDo(
            f"{path}: its newest commits are in {path.name}-wal, which can't be read in a folder "
            "that is not writable: copy both to one that is"
        )


def place_of(url: str) -> str:
    """Where a database is: the path of its file, or host, port and name. Never the password."""
    parsed = parsed_url(url)
    if parsed.get_backend_name() == "sqlite":
        return os.path.abspath(parsed.database or "")
    places = places_of(parsed)
    if len(places) > 1:
        named = ", ".join(f"{host}:{port or PORT}" for host, port in places)
        return f"PostgreSQL on {named}, database {parsed.database}"
    ((host, port),) = places
    return f"PostgreSQL on {host or 'localhost'}, port {port or PORT}, database {parsed.database}"


def reason_of(error: Exception) -> str:
    """One line about an error that is not a mistake of this program."""
    match error:
        case DBAPIError(orig=BaseException() as said):
            more = ": damaged, or not a database of this version" if _is_of_content(said) else ""
            return first_line(said) + more
        case FileExistsError(filename=str() as name):
            return f"{name}: is a file, not a folder"
        case OSError(filename=str() | bytes() as name, strerror=str() as said):
            return f"{os.fsdecode(name)}: {said}"
        case _:
            return first_line(error)


def sqlstate_of(error: BaseException | None) -> str | None:
    """What a PostgreSQL server told with an error, or with the one it came of; None for others."""
    while error is not None:
        state = getattr(getattr(error, "orig", error), "sqlstate", None)
        if isinstance(state, str):
            return state
        error = error.__cause__
    return None


def _is_of_content(said: BaseException) -> bool:
    """Whether a database refuses a statement for what is in it, not for who asks, or how."""
    if isinstance(said, sqlite3.Error):
        return True
    state = sqlstate_of(said) or ""
    return state.startswith(_CONTENT) and state not in _NOT_CONTENT


_CONTENT = ("22", "23", "42", "XX")  # data, constraints, names, damage
_NOT_CONTENT = ("42501", "42704")  # no right to it; no such parameter
