"""What is kept of who was there: by match, until it is written down, and no longer than needed."""

from typing import Any

import pytest

from events.database import DatabaseFault
from service.callers import Caller, Kind
from service.presence import Presence, expect
from tests.service.conftest import Door

MATCH = "0199c82c-e134-7a8b-a68f-4659d94628b4"
OTHER = "0199c82c-e134-7a8b-a68f-4659d94628b5"


def sitting(match_id: str, seat: int | None = 0) -> Caller:
    return Caller(org="main", hash=b"x", kind=Kind.SEAT, match_id=match_id, seat=seat)


@pytest.fixture
async def presence(door: Door) -> Presence:
    parts = door.app.parts
    await parts.database.write(lambda c: expect(c, MATCH, 3))
    return Presence(parts.database, parts.clock)


async def test_the_latest_use_of_a_seat_counts(door: Door, presence: Presence) -> None:
    began = door.clock.now
    presence.note(sitting(MATCH, 1))
    door.clock.now += 5
    presence.note(sitting(MATCH, 1))
    presence.note(sitting(MATCH, None))
    await presence.flush()
    assert await presence.used(MATCH, 3) == (None, began + 5, None)
    door.clock.now -= 5  # The clock of another machine.
    presence.note(sitting(MATCH, 1))
    await presence.flush()
    assert await presence.used(MATCH, 3) == (None, began + 5, None)


class Counted:
    """A database whose writes are counted, and fail while it is `down`."""

    def __init__(self, database: Any) -> None:
        self._database = database
        self.writes = 0
        self.down = False

    async def write(self, work: Any) -> Any:
        self.writes += 1
        if self.down:
            raise DatabaseFault("down")
        return await self._database.write(work)

    async def read(self, work: Any) -> Any:
        return await self._database.read(work)


async def test_nothing_is_written_of_matches_that_will_not_ask(door: Door) -> None:
    counted: Any = Counted(door.app.parts.database)
    presence = Presence(counted, door.clock)
    presence.note(sitting(OTHER))
    await presence.flush()
    assert await presence.used(OTHER, 1) == (None,)
    presence.note(sitting(OTHER))
    await presence.flush()
    assert counted.writes == 1


async def test_what_could_not_be_written_is_written_later(door: Door) -> None:
    counted: Any = Counted(door.app.parts.database)
    presence = Presence(counted, door.clock)
    await counted.write(lambda c: expect(c, MATCH, 3))
    presence.note(sitting(MATCH))
    counted.down = True
    with pytest.raises(DatabaseFault):
        await presence.flush()
    counted.down = False
    await presence.flush()
    assert (await presence.used(MATCH, 1))[0] == door.clock.now


async def test_what_is_expected_twice_is_not_forgotten(door: Door, presence: Presence) -> None:
    presence.note(sitting(MATCH))
    await presence.flush()
    await door.app.parts.database.write(lambda c: expect(c, MATCH, 3))
    assert (await presence.used(MATCH, 1))[0] == door.clock.now
    await presence.forget(MATCH, 0)
    assert await presence.used(MATCH, 1) == (None,)
