"""Matches of a door in this process whose log can't be read, and made whole again."""

import pytest
from sqlalchemy import Connection, select, update

from events.tables import EVENT
from tests.service.client import Table
from tests.service.conftest import Door


@pytest.fixture
def _nothing_is_put_aside() -> None:
    """Something is, in the modules that have this one."""


async def spoiled(door: Door, table: Table, version: int = 1) -> bytes:
    """Damages the body of an event of it; what that was. Moves go on where it is kept in memory."""
    return await _put(door, table, version, b'{"kind":"damaged')


async def whole_again(door: Door, table: Table, body: bytes, version: int = 1) -> None:
    await _put(door, table, version, body)


def forgotten(door: Door, table: Table) -> None:
    """The match is not kept in memory any more, as after a start."""
    door.app.parts.cache._kept.drop(table.match_id)


async def _put(door: Door, table: Table, version: int, body: bytes) -> bytes:
    own = (EVENT.c.match_id == table.match_id, EVENT.c.version == version)

    def work(connection: Connection) -> bytes:
        before = connection.execute(select(EVENT.c.body).where(*own)).scalar_one()
        connection.execute(update(EVENT).where(*own).values(body=body))
        return bytes(before)

    return await door.app.parts.database.write(work)
