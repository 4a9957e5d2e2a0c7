"""Transactions through a proxy that gives each of them another connection to the server.

Nothing outlives a transaction there: no prepared statement, no setting. So every piece of work is
one, begun together with its settings, and statements have no names.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

import asyncpg
from sqlalchemy import Connection

from events.faults import DatabaseUnreachable

WITHOUT_NAMES: Final[Mapping[str, Any]] = {
    "statement_cache_size": 0,
    "prepared_statement_cache_size": 0,
    "prepared_statement_name_func": str,  # the empty name: parsed with every use
}


def beginning(settings: Mapping[str, str], *, to_read: bool) -> str:
    """What begins a transaction. One that reads is refused by a standby, which may be behind."""
    # READ WRITE is what a standby refuses; it overrules a default of the server, so no writer says
    # it: a server that is set to take no writes must stay so.
    words = ["BEGIN READ WRITE", "SET TRANSACTION READ ONLY"] if to_read else ["BEGIN"]
    return "; ".join(words + [f"SET LOCAL {name} = {value}" for name, value in settings.items()])


@contextmanager
def transaction(connection: Connection, begin: str) -> Iterator[None]:
    """The block is one transaction on a connection that is set to AUTOCOMMIT.

    Raises: DatabaseUnreachable for a standby; what the driver raises.
    """
    try:
        try:
            _say(connection, begin)
        except asyncpg.FeatureNotSupportedError as error:
            raise DatabaseUnreachable(str(error)) from error
        yield
        _say(connection, "COMMIT")
    except Exception as error:
        if isinstance(error, OSError) or connection.invalidated:
            raise
        try:
            _say(connection, "ROLLBACK")
        except Exception:
            connection.invalidate()
        raise
    except BaseException:
        # Whoever waited has gone; nobody knows where in its transaction the connection is.
        connection.invalidate()
        raise


def _say(connection: Connection, words: str) -> None:
    """In one go, by the simple protocol."""
    driver: Any = connection.connection.dbapi_connection
    driver.run_async(lambda raw: raw.execute(words))
