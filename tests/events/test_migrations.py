"""The migrations make what the program's tables say, however many run them at once."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from uuid import uuid4

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import BigInteger, Engine, Inspector, Integer, create_engine, inspect, text
from sqlalchemy.engine import make_url

from events.database import DatabaseUnreachable
from events.tables import DISTRIBUTED, METADATA
from service import migrate
from tests import servers
from tests.conftest import BACKENDS

# What needs no more than 32 bits: seats, rules and schemas; places in a batch or series, which are
# bounded; the one row of a table; levels of a tree; what an operator changes by hand; attempts,
# each of which waits for the one before. Versions, positions, sizes and times need more.
NARROW = {
    *(("match", "rules_version"), ("match", "seats"), ("event", "schema"), ("request", "status")),
    *((table, "seat") for table in ("seat", "listed", "refusal", "erasure", "presence", "token")),
    *((table, "number") for table in ("batch_match", "series", "series_match")),
    *((table, "attempt") for table in ("batch_match", "series_match")),
    *(("series_entrant", "entrant"), ("pulse", "id"), ("feed_state", "id"), ("tile", "level")),
    *((table, "revision") for table in ("api_key", "issuer", "series")),
    *((table, "revision") for table in ("webhook", "platform_connection")),
    *((table, "strain") for table in ("webhook", "platform_connection")),
    *((table, "attempts") for table in ("delivery", "platform_link")),
    *(("platform_connection", "claims"), ("platform_link", "claim")),
}


@pytest.fixture(params=BACKENDS)
def empty_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path}/empty.db"
        return
    server: str = request.getfixturevalue("postgres_server")
    name = f"empty_{uuid4().hex}"
    yield servers.create_database(server, name)
    servers.drop_database(server, name)


def test_the_migrated_schema_is_that_of_the_tables(empty_url: str) -> None:
    migrate.upgrade(empty_url)
    engine = _engine(empty_url)
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, METADATA) == []
        inspector = inspect(connection)
        if engine.dialect.name == "postgresql":
            assert set(narrow(inspector)) == NARROW
        for table in METADATA.tables.values():
            key = inspector.get_pk_constraint(table.name)["constrained_columns"]
            assert key == [column.name for column in table.primary_key.columns], table.name
    engine.dispose()


def narrow(inspector: Inspector) -> Iterator[tuple[str, str]]:
    """The columns of whole numbers of 32 bits."""
    for name in METADATA.tables:
        for column in inspector.get_columns(name):
            if isinstance(column["type"], Integer) and not isinstance(column["type"], BigInteger):
                yield name, column["name"]


def test_a_database_goes_from_nothing_to_the_head(empty_url: str) -> None:
    assert migrate.current_revision(empty_url) is None
    migrate.upgrade(empty_url)
    assert migrate.current_revision(empty_url) == migrate.head_revision()
    migrate.upgrade(empty_url)
    assert migrate.current_revision(empty_url) == migrate.head_revision()


def test_revisions_compare_as_numbers_of_four_digits() -> None:
    found = migrate.revisions()
    assert found == [f"{number:04}" for number in range(1, len(found) + 1)]


def test_a_newer_schema_stays_as_it_is(empty_url: str) -> None:
    migrate.upgrade(empty_url)
    engine = _engine(empty_url)
    with engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    engine.dispose()
    migrate.upgrade(empty_url)
    assert migrate.current_revision(empty_url) == "9999"


def test_many_processes_may_upgrade_at_once(empty_url: str) -> None:
    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(migrate.upgrade, [empty_url] * 4)) == [None] * 4
    assert migrate.current_revision(empty_url) == migrate.head_revision()


def test_a_database_that_is_not_there_is_a_typed_error() -> None:
    with pytest.raises(DatabaseUnreachable):
        migrate.upgrade("postgresql://nobody@127.0.0.1:1/nothing")


def test_tables_of_matches_can_be_spread_by_match() -> None:
    for table in DISTRIBUTED:
        assert next(iter(table.columns)).name == "match_id"
        assert not table.foreign_keys
        keys = [index.columns for index in table.indexes if index.unique]
        assert all("match_id" in key for key in (table.primary_key.columns, *keys))


def _engine(url: str) -> Engine:
    parsed = make_url(url)
    if parsed.get_backend_name() == "postgresql":
        parsed = parsed.set(drivername="postgresql+psycopg")
    return create_engine(parsed)
