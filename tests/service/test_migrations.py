"""Migrations only add: whatever an older program writes and reads is there at every later revision.

So processes of two releases can serve one database while it is upgraded. A migration that takes
something away is the second half of two: it may run once no program that needs it runs any more,
and it is listed here with what such a program loses.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
import sqlalchemy as sa
from alembic import command
from sqlalchemy import Connection, Engine, MetaData, Table

from service import migrate
from tests import servers
from tests.conftest import BACKENDS

# By revision: what `losses` finds, and nothing else.
TAKEN_AWAY: Mapping[str, tuple[str, ...]] = {}


@pytest.fixture(params=BACKENDS)
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    """Of an empty database."""
    if request.param == "sqlite":
        made = migrate._engine(f"sqlite:///{tmp_path}/empty.db")
        yield made
        made.dispose()
        return
    server: str = request.getfixturevalue("postgres_server")
    name = f"empty_{uuid4().hex}"
    made = migrate._engine(servers.create_database(server, name))
    yield made
    made.dispose()
    servers.drop_database(server, name)


def test_migrations_take_nothing_from_an_older_program(engine: Engine) -> None:
    tables: dict[str, Table] = {}
    for revision in migrate.revisions():
        with engine.begin() as connection:
            command.upgrade(migrate._config(connection), revision)
            after = _tables(connection)
            assert losses(tables, after) == list(TAKEN_AWAY.get(revision, ())), revision
        tables = after


def test_what_each_older_program_inserts_is_taken_at_the_head(engine: Engine) -> None:
    written: dict[str, list[Table]] = {}
    for revision in migrate.revisions():
        with engine.begin() as connection:
            command.upgrade(migrate._config(connection), revision)
            for name, table in _tables(connection).items():
                known = written.setdefault(name, [])
                if not known or known[-1].columns.keys() != table.columns.keys():
                    known.append(table)
    assert any(len(forms) > 1 for forms in written.values())
    with engine.connect() as connection:
        for forms in written.values():
            for number, form in enumerate(forms):
                _insert(connection, form, number + 1_000_000)
        connection.rollback()


def losses(before: Mapping[str, Table], after: Mapping[str, Table]) -> list[str]:
    """What a program that knows `before` can't do any more."""
    found = []
    for name, old in sorted(before.items()):
        new = after.get(name)
        if new is None:
            found.append(f"{name} is gone")
            continue
        found += [f"{name}.{each}" for each in _column_losses(old, new)]
        found += [f"{name}: {each} must be unique" for each in _unique(new) - _unique(old)]
        if [c.name for c in old.primary_key] != [c.name for c in new.primary_key]:
            found.append(f"{name} has another key")
        for kind in (sa.CheckConstraint, sa.ForeignKeyConstraint):
            if _count(new, kind) > _count(old, kind):
                found.append(f"{name} has a new {kind.__name__}")
    return found


def _column_losses(old: Table, new: Table) -> Iterator[str]:
    for column in old.columns:
        now = new.columns.get(column.name)
        if now is None:
            yield f"{column.name} is gone"
        elif str(now.type) != str(column.type):
            yield f"{column.name} was {column.type} and is {now.type}"
        elif column.nullable and not now.nullable:
            yield f"{column.name} must be there"
        elif column.server_default is not None and now.server_default is None:
            yield f"{column.name} has no default any more"
    for column in new.columns:
        is_optional = column.nullable or column.server_default is not None
        if column.name not in old.columns and not is_optional:
            yield f"{column.name} is new and must be there"


def _unique(table: Table) -> set[str]:
    indexes = {", ".join(i.columns.keys()) for i in table.indexes if i.unique}
    constraints = {
        ", ".join(each.columns.keys())
        for each in table.constraints
        if isinstance(each, sa.UniqueConstraint)
    }
    return indexes | constraints


def _count(table: Table, kind: type[sa.Constraint]) -> int:
    return sum(isinstance(each, kind) for each in table.constraints)


def _tables(connection: Connection) -> dict[str, Table]:
    found = MetaData()
    found.reflect(connection)
    return {name: each for name, each in found.tables.items() if name != "alembic_version"}


def _insert(connection: Connection, table: Table, number: int) -> None:
    row = {column.name: _value(column, number) for column in table.columns}
    connection.execute(table.insert(), row)


def _value(column: sa.Column[Any], number: int) -> object:
    if isinstance(column.type, sa.Uuid):
        return uuid4()
    if isinstance(column.type, sa.LargeBinary):
        return number.to_bytes(32, "big")
    if isinstance(column.type, sa.Boolean):
        return False
    return number if isinstance(column.type, sa.Integer) else str(number)


@contextmanager
def _changed(*statements: str) -> Iterator[tuple[dict[str, Table], dict[str, Table]]]:
    """A small schema before and after."""
    engine = sa.create_engine("sqlite://")
    with engine.begin() as connection:
        for each in (
            "CREATE TABLE piece (id INTEGER PRIMARY KEY, name TEXT, size INTEGER DEFAULT 1)",
            "CREATE TABLE other (id INTEGER PRIMARY KEY)",
        ):
            connection.exec_driver_sql(each)
        before = _tables(connection)
        for each in statements:
            connection.exec_driver_sql(each)
        yield before, _tables(connection)
    engine.dispose()


ANEW = "DROP TABLE piece", "CREATE TABLE piece ({})"


@pytest.mark.parametrize(
    ("statements", "found"),
    [
        (("DROP TABLE other",), "other is gone"),
        (("ALTER TABLE piece DROP COLUMN name",), "piece.name is gone"),
        (("ALTER TABLE piece RENAME COLUMN name TO title",), "piece.name is gone"),
        (("CREATE UNIQUE INDEX one ON piece (name)",), "piece: name must be unique"),
        ("id INTEGER PRIMARY KEY, name TEXT NOT NULL, size INTEGER DEFAULT 1", "name must be"),
        ("id INTEGER PRIMARY KEY, name TEXT, size INTEGER", "size has no default"),
        ("id INTEGER PRIMARY KEY, name BLOB, size INTEGER DEFAULT 1", "was TEXT and is BLOB"),
        ("id INTEGER, name TEXT PRIMARY KEY, size INTEGER DEFAULT 1", "has another key"),
        ("id INTEGER PRIMARY KEY, name TEXT, size INTEGER DEFAULT 1, x INT NOT NULL", "x is new"),
        (
            "id INTEGER PRIMARY KEY, name TEXT, size INTEGER DEFAULT 1, CHECK (size > 0)",
            "new CheckConstraint",
        ),
    ],
)
def test_every_kind_of_loss_is_found(statements: tuple[str, ...] | str, found: str) -> None:
    if isinstance(statements, str):
        statements = (ANEW[0], ANEW[1].format(statements))
    with _changed(*statements) as (before, after):
        told = losses(before, after)
    assert any(found in each for each in told), told


def test_what_is_added_is_no_loss() -> None:
    more = (
        "ALTER TABLE piece ADD COLUMN weight INTEGER",
        "ALTER TABLE piece ADD COLUMN kind TEXT NOT NULL DEFAULT 'x'",
        "CREATE TABLE third (id INTEGER PRIMARY KEY)",
        "CREATE INDEX by_name ON piece (name)",
    )
    with _changed(*more) as (before, after):
        assert losses(before, after) == []
