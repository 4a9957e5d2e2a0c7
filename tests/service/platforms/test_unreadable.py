"""A match or a link that can't be read keeps no other from being told to platforms."""

import pytest
from sqlalchemy import update

from service.pauses import LONGEST_MS
from service.platforms.tables import CONNECTION, LINK
from tests.service.conftest import Door
from tests.service.platforms.serving import Served, linked, pass_time, settled
from tests.service.platforms.test_reporting import challonge, over
from tests.service.spoiling import _nothing_is_put_aside, spoiled, whole_again

__all__ = ["_nothing_is_put_aside"]

ONE = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)


@ONE
async def test_results_of_other_matches_are_told(door: Door, there: Served) -> None:
    connection, _ = await challonge(door, there)
    bad, other = [await door.table(seats=2) for _ in range(2)]
    for each in (bad, other):
        await linked(door, connection, each.match_id, "77", "a", "b")
    body = await spoiled(door, bad)
    await over(door, bad)
    await over(door, other)
    await settled(door, connection, other.match_id, "reported")
    await settled(door, connection, bad.match_id, "waiting")
    await whole_again(door, bad, body)
    pass_time(door, LONGEST_MS)
    await settled(door, connection, bad.match_id, "reported")


@ONE
async def test_other_links_and_connections_go_on(door: Door, there: Served) -> None:
    first, second = [(await challonge(door, there))[0] for _ in range(2)]
    bad, other, third = [await door.table(seats=2) for _ in range(3)]
    for connection, each in ((first, bad), (first, other), (second, third)):
        await linked(door, connection, each.match_id, "77", "a", "b")
    one = update(LINK).where(LINK.c.match_id == bad.match_id)
    spoilt = one.values(log=b"{", state="pending", due_at=0)
    await door.app.parts.database.write(lambda c: c.execute(spoilt))
    await over(door, other)
    await settled(door, first, other.match_id, "reported")
    own = update(CONNECTION).where(CONNECTION.c.id == first["id"])
    await door.app.parts.database.write(lambda c: c.execute(own.values(participants=b"{")))
    await over(door, third)
    await settled(door, second, third.match_id, "reported")
