"""A match of which a consumer can make nothing is put aside, and taken up again in its order."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from uuid import uuid4

import pytest
from sqlalchemy import Connection, delete, insert, select

from events.append import Append
from events.consumers import Consumer
from events.database import Database
from events.feed import Entry
from events.store import Store
from events.tables import CONSUMER, ORG
from tests.events.appends import creation
from tests.events.test_feed import database, expired, grown, leading, sequencer

__all__ = ["database"]
pytestmark = pytest.mark.parametrize("database", ["sqlite_url", "postgres_url"], indirect=True)


class Unreadable(Exception):
    pass


class Maker:
    """Writes down what it takes, and can make nothing of the matches in `bad`."""

    def __init__(self, database: Database, most: int = 500) -> None:
        self.bad: set[str] = set()
        self.aside: list[str] = []
        self.mark = str(uuid4())
        self.database = database
        self.consumer = self.another(most)

    def another(self, most: int = 500) -> Consumer:
        def told(match_id: str, error: Exception) -> None:
            assert isinstance(error, Unreadable)
            self.aside.append(match_id)

        return Consumer(self.database, self.mark, self.take, most, told)

    def take(self, connection: Connection, rows: Sequence[Entry]) -> None:
        for each in rows:
            row = {"id": f"{self.mark} {each.position:9}", "name": each.match_id, "created_at": 1}
            connection.execute(insert(ORG), [row])
            if each.match_id in self.bad:
                raise Unreadable

    async def made(self) -> list[str]:
        """Of which matches something was made, in the order of the feed."""
        found = select(ORG.c.name).where(ORG.c.id.startswith(self.mark)).order_by(ORG.c.id)
        return await self.database.read(lambda c: list(c.execute(found).scalars()))

    async def caught_up(self) -> None:
        while await self.consumer.step():
            pass


@pytest.fixture
async def maker(database: Database) -> AsyncIterator[Maker]:
    own = Maker(database)
    # Of what other tests left, nothing is looked at.
    await own.caught_up()
    await database.write(lambda c: c.execute(delete(ORG).where(ORG.c.id.startswith(own.mark))))
    yield own
    of_its = CONSUMER.c.name.startswith(own.mark)
    await database.write(lambda c: c.execute(delete(CONSUMER).where(of_its)))


async def fed(database: Database, *before: Append) -> list[Append]:
    """So many new matches, or one more event of each of these; each a row of the feed."""
    store, made = Store(database), list[Append]()
    own = sequencer(database, str(uuid4()))
    for each in before or [None] * 3:
        if each is None:
            made.append(creation())
            await store.append(made[-1])
        else:
            made.append(await grown(store, each))
        await expired(database)
        await own.round(await leading(own))
    return made


async def test_what_can_not_be_taken_is_put_aside_and_all_else_is_taken(
    database: Database, maker: Maker
) -> None:
    one, two, three = await fed(database)
    maker.bad = {two.match_id}
    assert await maker.consumer.step() == 3
    await fed(database, two, three)
    await maker.caught_up()
    assert await maker.made() == [one.match_id, three.match_id, three.match_id]
    assert (maker.aside, await maker.consumer.aside()) == ([two.match_id], [two.match_id])


async def test_while_it_can_not_be_taken_it_stays_as_it_is(
    database: Database, maker: Maker
) -> None:
    _, two, _ = await fed(database)
    maker.bad = {two.match_id}
    await maker.caught_up()
    before = await maker.made()
    with pytest.raises(Unreadable):
        await maker.consumer.take_owed(two.match_id)
    assert (await maker.made(), await maker.consumer.aside()) == (before, [two.match_id])


@pytest.mark.parametrize("most", [1, 500])
async def test_it_gets_all_it_is_owed_once_it_can_be_taken(
    database: Database, maker: Maker, most: int
) -> None:
    one, two, three = await fed(database)
    maker.bad = {two.match_id}
    await maker.caught_up()
    (two,) = await fed(database, two)
    await maker.caught_up()
    maker.bad.clear()
    consumer = maker.another(most)
    while await consumer.aside():
        await consumer.take_owed(two.match_id)
    after = [each.match_id for each in (one, two, three, two)]
    assert await maker.made() == after
    await fed(database, two)
    await maker.caught_up()
    assert await maker.made() == [*after, two.match_id]


async def test_of_several_that_take_it_up_at_once_one_does(
    database: Database, maker: Maker
) -> None:
    _, two, _ = await fed(database)
    maker.bad = {two.match_id}
    await maker.caught_up()
    maker.bad.clear()
    await asyncio.gather(*(maker.another().take_owed(two.match_id) for _ in range(4)))
    assert (await maker.made()).count(two.match_id) == 1  # A second row of it would be refused.
    assert await maker.consumer.aside() == []
