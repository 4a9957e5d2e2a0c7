"""The schema brought to what this program needs. Safe to run by many processes at once."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from alembic.util.exc import CommandError
from sqlalchemy import Connection, Engine, create_engine, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

from events.engines import (
    FileLock,
    has_waiting_commits,
    reading_sqlite,
    writing_sqlite,
)
from events.faults import DatabaseFault, SchemaForeign, fault_of
from events.tables import MATCH
from events.urls import parsed_url, psycopg_url
from service.migrations.citus import distribute, unspread

# Taken before the current revision is read, so that the second of two waits and finds it done.
# A lock on a table, because advisory locks do not survive a pooling proxy.
_ONE_AT_A_TIME = "LOCK TABLE alembic_version IN ACCESS EXCLUSIVE MODE"
_VERSIONS = (
    "CREATE TABLE IF NOT EXISTS alembic_version (version_num VARCHAR(32) NOT NULL,"
    " CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num))"
)
_ALREADY_THERE = {"23505", "42P07", "42710"}  # how a race to create a table is lost


def upgrade(url: str) -> None:
    """Run what is missing, in one transaction; a newer schema stays as it is. Blocking.

    Raises: DatabaseFault; DatabaseBusy for an SQLite file that is being served, SchemaForeign for
    a database of another program.
    """
    found = current_revision(url)
    if found is not None and found >= head_revision():
        return
    parsed = parsed_url(url)
    is_sqlite = parsed.get_backend_name() == "sqlite"
    lock = FileLock(Path(parsed.database or ""), seconds=10) if is_sqlite else None
    engine = _engine(url)
    try:
        if not is_sqlite:
            _create_versions(engine)
        with engine.begin() as connection:
            if not is_sqlite:
                connection.execute(text(_ONE_AT_A_TIME))
            command.upgrade(_config(connection), "head")
    except CommandError as error:
        raise DatabaseFault(str(error)) from error
    except Exception as error:
        raise fault_of(error) from error
    finally:
        engine.dispose()
        if lock is not None:
            lock.release()


def spread(url: str, *, only_look: bool = False) -> tuple[str, ...]:
    """Tables of matches that a cluster had on one node, spread over all of it now; their rows are
    copied, and appends wait for that. The schema is at the head. Blocking. Raises: DatabaseFault.
    """
    if parsed_url(url).get_backend_name() == "sqlite":
        return ()
    engine = _engine(url)
    try:
        with engine.begin() as connection:
            connection.execute(text(_ONE_AT_A_TIME))
            found = unspread(connection)
            if found and not only_look:
                distribute(connection, *found)
            return found
    except Exception as error:
        raise fault_of(error) from error
    finally:
        engine.dispose()


def head_revision() -> str:
    """The revision this program needs: a number of four digits, so that revisions compare."""
    return revisions()[-1]


def revisions() -> list[str]:
    """All revisions, oldest first."""
    walk = ScriptDirectory.from_config(_config()).walk_revisions()
    return [script.revision for script in walk][::-1]


def current_revision(url: str) -> str | None:
    """The revision a database is at, None if it has none. Changes nothing. Blocking.

    Raises: DatabaseFault; SchemaForeign for a database of another program.
    """
    parsed = parsed_url(url)
    if parsed.get_backend_name() == "sqlite":
        path = Path(parsed.database or "")
        if not path.exists():
            return None
        engine = reading_sqlite(path, immutable=not has_waiting_commits(path))
    else:
        engine = _engine(url)
    try:
        with engine.connect() as connection:
            # In this order: whoever makes the tables at this moment commits both at once.
            has_tables = engine.dialect.has_table(connection, MATCH.name)
            return _checked(_revision(connection), has_tables)
    except Exception as error:
        raise fault_of(error) from error
    finally:
        engine.dispose()


def _revision(connection: Connection) -> str | None:
    if not connection.dialect.has_table(connection, "alembic_version"):
        return None
    found = connection.scalar(text("SELECT version_num FROM alembic_version"))
    return None if found is None else str(found)


def _checked(found: str | None, has_tables: bool) -> str | None:
    known = revisions()
    if found is None:
        is_ours = not has_tables
    else:
        is_number = found.isdecimal() and len(found) == len(known[-1])
        is_ours = found in known or (is_number and found > known[-1])
    if not is_ours:
        raise SchemaForeign(found)
    return found


def _create_versions(engine: Engine) -> None:
    try:
        with engine.begin() as connection:
            connection.execute(text(_VERSIONS))
    except DBAPIError as error:
        if getattr(error.orig, "sqlstate", None) not in _ALREADY_THERE:
            raise


def _engine(url: str) -> Engine:
    parsed = parsed_url(url)
    if parsed.get_backend_name() == "sqlite":
        return writing_sqlite(Path(parsed.database or ""))
    # A pooling proxy would give statements that are prepared here to others.
    unprepared = {"prepare_threshold": None}
    return create_engine(psycopg_url(parsed), poolclass=NullPool, connect_args=unprepared)


def _config(connection: Connection | None = None) -> Config:
    config = Config()
    folder = Path(__file__).parent / "migrations"
    config.set_main_option("script_location", str(folder).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    return config
