"""Opening databases: who may, and what is said to those who may not."""

import asyncio
import os
import time
from pathlib import Path

import pytest
from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError

from events.database import (
    Database,
    DatabaseBusy,
    DatabaseUnreachable,
    SchemaBehind,
    UrlUnsupported,
)
from events.engines import sqlite_warnings
from events.store import Store
from service import migrate
from tests.events.appends import creation, following


@pytest.mark.parametrize(
    "url", ["mysql://host/name", "sqlite://", "sqlite:///:memory:", "nonsense"]
)
async def test_other_urls_are_refused(url: str) -> None:
    with pytest.raises(UrlUnsupported):
        await Database.open(url)


async def test_a_second_process_may_not_serve_a_file(sqlite_url: str) -> None:
    database = await Database.open(sqlite_url)
    with pytest.raises(DatabaseBusy, match="another process serves"):
        await Database.open(sqlite_url)
    await database.close()
    await (await Database.open(sqlite_url)).close()


async def test_a_file_being_served_can_be_read(sqlite_url: str) -> None:
    database = await Database.open(sqlite_url)
    first = creation()
    await Store(database).append(first)
    reader = await Database.open(sqlite_url, read_only=True)
    assert await Store(reader).records(first.match_id) == list(first.records)
    await Store(database).append(following(first, "move"))
    assert len(await Store(reader).records(first.match_id)) == 2
    await reader.close()
    await database.close()


async def test_a_file_nobody_serves_can_be_read(sqlite_url: str) -> None:
    database = await Database.open(sqlite_url)
    first = creation()
    await Store(database).append(first)
    await database.close()
    reader = await Database.open(sqlite_url, read_only=True)
    assert await Store(reader).records(first.match_id) == list(first.records)
    await reader.close()


async def test_a_reader_can_not_write(database_url: str) -> None:
    reader = await Database.open(database_url, read_only=True)
    with pytest.raises((DBAPIError, DatabaseUnreachable)):
        await reader.read(lambda connection: connection.execute(text("DELETE FROM event")))
    await reader.close()


async def test_a_folder_that_is_missing_is_unreachable(tmp_path: Path) -> None:
    with pytest.raises(DatabaseUnreachable):
        await Database.open(f"sqlite:///{tmp_path}/missing/plyscribe.db")


async def test_a_file_that_is_missing_is_not_made_by_a_reader(tmp_path: Path) -> None:
    with pytest.raises(DatabaseUnreachable):
        await Database.open(f"sqlite:///{tmp_path}/plyscribe.db", read_only=True)
    assert os.listdir(tmp_path) == []


async def test_a_file_that_is_no_database_is_unreachable(tmp_path: Path) -> None:
    (tmp_path / "plyscribe.db").write_text("no database at all, only a text of some length" * 50)
    with pytest.raises(DatabaseUnreachable):
        await Database.open(f"sqlite:///{tmp_path}/plyscribe.db")


async def test_a_schema_that_is_behind_is_named(database: Database) -> None:
    await database.require(migrate.head_revision())
    with pytest.raises(SchemaBehind, match="this program needs 9999"):
        await database.require("9999")


async def test_a_schema_that_is_ahead_will_do(database: Database) -> None:
    await database.require("0000")


async def test_sqlite_is_durable_and_in_wal_mode(sqlite_url: str) -> None:
    database = await Database.open(sqlite_url)
    for pragma, value in (("synchronous", 2), ("journal_mode", "wal")):
        query = text(f"PRAGMA {pragma}")
        assert await database.write(lambda c, query=query: c.scalar(query)) == value  # type: ignore[misc]
    await database.close()


def test_old_sqlite_is_warned_about() -> None:
    assert sqlite_warnings((3, 51, 3)) == ()
    (warning,) = sqlite_warnings((3, 51, 2))
    assert "3.51.2" in warning


async def test_a_new_file_and_those_beside_it_are_their_owners_alone(tmp_path: Path) -> None:
    path = tmp_path / "new.db"
    migrate.upgrade(f"sqlite:///{path}")
    database = await Database.open(f"sqlite:///{path}")
    try:
        open_to_others = {
            name: os.stat(tmp_path / name).st_mode & 0o077 for name in os.listdir(tmp_path)
        }
        assert open_to_others.keys() >= {"new.db", "new.db-wal"}
        assert set(open_to_others.values()) == {0}
    finally:
        await database.close()


async def test_closing_waits_for_what_is_under_way(database_url: str) -> None:
    database = await Database.open(database_url)
    running, loop = asyncio.Event(), asyncio.get_running_loop()

    def slow(connection: Connection) -> int:
        loop.call_soon_threadsafe(running.set)
        if connection.dialect.name == "postgresql":
            connection.execute(text("SELECT pg_sleep(0.3)"))
        else:
            time.sleep(0.3)
        return 1

    reading = asyncio.create_task(database.read(slow))
    await running.wait()
    await database.close()
    assert reading.done()
    assert await reading == 1
    with pytest.raises(RuntimeError):
        await database.read(slow)
