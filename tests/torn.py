"""Transactions of SQLite that are made two, as a careless program would: for broken builds."""

from collections.abc import Callable
from typing import Concatenate, ParamSpec, TypeVar

from sqlalchemy import Connection

P = ParamSpec("P")
T = TypeVar("T")
Work = Callable[Concatenate[Connection, P], T]


def in_two(work: Work[P, T], *, is_before: bool = False) -> Work[P, T]:
    """`work`, with all that was done so far committed after it, or before it."""

    def done(connection: Connection, /, *given: P.args, **named: P.kwargs) -> T:
        if is_before:
            commit(connection)
        found = work(connection, *given, **named)
        if not is_before:
            commit(connection)
        return found

    return done


def commit(connection: Connection) -> None:
    """In the middle of a transaction, which goes on as another."""
    connection.exec_driver_sql("COMMIT")
    connection.exec_driver_sql("BEGIN IMMEDIATE")
