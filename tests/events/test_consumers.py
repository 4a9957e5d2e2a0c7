"""A consumer takes every row of the feed once, however often it dies or runs beside itself."""

from collections.abc import Sequence
from uuid import uuid4

import pytest
from sqlalchemy import Connection, func, insert, select
from sqlalchemy.exc import IntegrityError

from events import consumers
from events.consumers import Consumer, Overtaken
from events.database import Database
from events.feed import Entry, entries_after
from events.store import Store
from events.tables import CONSUMER, ORG
from tests.events.appends import creation
from tests.events.test_feed import database, expired, leading, sequencer

__all__ = ["database"]


class Died(BaseException):
    """The process, and not what it was at."""


def noted(connection: Connection, rows: Sequence[Entry]) -> None:
    """Writes a row for each; a second one for the same would be refused."""
    for each in rows:
        row = {"id": f"note {each.match_id}", "name": str(each.position), "created_at": 1}
        connection.execute(insert(ORG), [row])


async def notes(database: Database) -> int:
    found = select(func.count()).select_from(ORG).where(ORG.c.id.like("note %"))
    count: int = await database.read(lambda c: c.execute(found).scalar_one())
    return count


async def filled(database: Database, count: int) -> None:
    store = Store(database)
    for _ in range(count):
        await store.append(creation())
    await expired(database)
    own = sequencer(database, str(uuid4()))
    await own.round(await leading(own))


async def test_every_row_is_taken_once(database: Database) -> None:
    before = await notes(database)
    await filled(database, 5)
    own = Consumer(database, str(uuid4()), noted, most=2)
    assert [await own.step() for _ in range(4)] == [2, 2, 1, 0]
    assert (await notes(database) - before, await own.position()) == (5, 5)


async def test_what_it_wrote_and_its_position_stand_or_fall_together(database: Database) -> None:
    before = await notes(database)
    await filled(database, 3)

    def dying(connection: Connection, rows: Sequence[Entry]) -> None:
        noted(connection, rows)
        raise Died

    name = str(uuid4())
    with pytest.raises(Died):
        await Consumer(database, name, dying).step()
    again = Consumer(database, name, noted)
    assert (await notes(database), await again.position()) == (before, 0)
    await again.step()
    assert (await notes(database) - before, await again.position()) == (3, 3)


async def overtaken(database: Database) -> None:
    """One reads its rows and is slow; the same consumer elsewhere takes them; the first goes on."""
    await filled(database, 2)
    name = str(uuid4())
    slow, fast = Consumer(database, name, noted, most=1), Consumer(database, name, noted, most=1)
    await slow.step()
    position = await slow.position()
    rows = await database.read(lambda c: entries_after(c, position, 1))
    await fast.step()
    await database.write(lambda c: slow._write(c, position, rows))


async def test_one_that_was_overtaken_writes_nothing(database: Database) -> None:
    before = await notes(database)
    with pytest.raises(Overtaken):
        await overtaken(database)
    assert await notes(database) == before + 2


async def test_without_the_check_of_its_position_it_would(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(consumers, "_moved", lambda *_: True)
    with pytest.raises(IntegrityError):
        await overtaken(database)


async def test_two_that_begin_at_once_take_nothing_twice(database: Database) -> None:
    await filled(database, 1)
    name = str(uuid4())
    rows = await database.read(lambda c: entries_after(c, 0, 1))
    own = Consumer(database, name, noted)
    await database.write(lambda c: own._write(c, 0, rows))
    with pytest.raises(Overtaken):
        await database.write(lambda c: own._write(c, 0, rows))
    assert (
        await database.read(
            lambda c: c.execute(select(CONSUMER.c.position).where(CONSUMER.c.name == name)).scalar()
        )
        == 1
    )
