"""What the model of the store does not reach: an archive is put away only as what there is, and one
that is damaged is said to be.
"""

from collections.abc import Callable
from uuid import uuid4

import pytest
from msgspec.structs import replace
from sqlalchemy import Connection, delete, func, select, update

from events import stored
from events.append import Append, KeyReused, Replayed
from events.archive import Archive, packed, unpacked
from events.archiving import Moved, Rests, put_away, put_back
from events.match import LogBroken
from events.store import Store
from events.tables import ARCHIVE, COMMAND, EVENT, MARK
from tests.events.appends import following, line, said


@pytest.fixture
async def last(store: Store) -> Append:
    """The last of three appends to a match that the feed has taken in."""
    made = line(str(uuid4()), 3)
    for each in made:
        said(await store.append(each))
    await fed(store, made[-1])
    return made[-1]


async def fed(store: Store, append: Append) -> None:
    gone = delete(MARK).where(MARK.c.match_id == append.match_id)
    await store.database.write(lambda c: c.execute(gone))


async def found(store: Store, append: Append) -> Archive:
    whole = await store.database.read(lambda c: stored.whole(c, append.match_id))
    assert whole is not None
    return whole


async def rows(store: Store, append: Append) -> list[int]:
    """How many there are of events, of commands, of archives."""

    def work(connection: Connection) -> list[int]:
        counts = (
            select(func.count()).select_from(each).where(each.c.match_id == append.match_id)
            for each in (EVENT, COMMAND, ARCHIVE)
        )
        return [connection.scalar(each) or 0 for each in counts]

    return await store.database.read(work)


async def test_a_row_stands_in_place_of_all_others_and_gives_them_back(
    store: Store, last: Append
) -> None:
    whole = await found(store, last)
    assert await rows(store, last) == [3, 3, 0]
    await store.database.write(lambda c: put_away(c, whole, at=1))
    assert await rows(store, last) == [0, 0, 1]
    assert await found(store, last) == whole
    with pytest.raises(Rests):
        await store.database.write(lambda c: put_away(c, whole, at=2))
    assert await found(store, last) == whole
    assert await store.database.write(lambda c: put_back(c, last.match_id)) == whole
    assert await rows(store, last) == [3, 3, 0]
    assert await store.database.write(lambda c: put_back(c, last.match_id)) is None


async def test_what_came_since_is_in_the_next_archive(store: Store, last: Append) -> None:
    first = await found(store, last)
    await store.database.write(lambda c: put_away(c, first, at=1))
    more = following(last, "more", 2)
    said(await store.append(more))
    assert await rows(store, last) == [2, 1, 1]
    await fed(store, last)
    second = await found(store, last)
    await store.database.write(lambda c: put_away(c, second, at=2))
    assert await rows(store, last) == [0, 0, 1]
    assert (await found(store, last)).records == (*first.records, *more.records)


async def test_what_is_not_all_there_is_is_not_put_away(store: Store, last: Append) -> None:
    whole = await found(store, last)
    said(await store.append(following(last, "meanwhile")))
    with pytest.raises(Moved):  # The feed has not seen it either.
        await store.database.write(lambda c: put_away(c, whole, at=1))
    await fed(store, last)
    with pytest.raises(Moved):
        await store.database.write(lambda c: put_away(c, whole, at=1))
    assert await rows(store, last) == [4, 4, 0]


async def test_rows_that_were_changed_under_an_archive_are_not_put_away(
    store: Store, last: Append
) -> None:
    whole = await found(store, last)
    other = update(EVENT).where(EVENT.c.match_id == last.match_id, EVENT.c.version == 2)
    await store.database.write(lambda c: c.execute(other.values(salt=b"t" * 32)))
    with pytest.raises(Moved):
        await store.database.write(lambda c: put_away(c, whole, at=1))
    assert await rows(store, last) == [3, 3, 0]


async def test_a_match_the_feed_has_not_taken_in_is_not_put_away(
    store: Store, last: Append
) -> None:
    whole = await found(store, last)
    mark = {"match_id": last.match_id, "version": 3}
    await store.database.write(lambda c: c.execute(MARK.insert(), [mark]))
    with pytest.raises(Moved):
        await store.database.write(lambda c: put_away(c, whole, at=1))


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "cut": lambda data: data[:-9],
    "flipped": lambda data: data[:20] + bytes([data[20] ^ 1]) + data[21:],
    "empty": lambda _: b"",
}


@pytest.mark.parametrize("damage", DAMAGE)
async def test_a_damaged_archive_is_said_to_be_damaged_and_stays(
    store: Store, last: Append, damage: str
) -> None:
    whole = await found(store, last)
    await store.database.write(lambda c: put_away(c, whole, at=1))
    own = update(ARCHIVE).where(ARCHIVE.c.match_id == last.match_id)
    harmed = own.values(log=DAMAGE[damage](packed(whole)))
    await store.database.write(lambda c: c.execute(harmed))
    with pytest.raises(LogBroken):
        await store.records(last.match_id)
    with pytest.raises(LogBroken):
        await store.database.write(lambda c: put_back(c, last.match_id))
    with pytest.raises(LogBroken):
        await store.append(following(last, "more"))
    assert await rows(store, last) == [0, 0, 1]


async def test_hashes_that_are_not_as_many_as_the_events_are_damage(
    store: Store, last: Append
) -> None:
    whole = await found(store, last)
    with pytest.raises(LogBroken):
        unpacked(last.match_id, whole.hashes[:-32], packed(whole))


async def test_keys_stand_for_what_they_stood_for(store: Store, last: Append) -> None:
    whole = await found(store, last)
    await store.database.write(lambda c: put_away(c, whole, at=1))
    # As if whoever asks had not looked whether the key is known.
    again = following(last, last.key, request=last.request)
    assert await store.append(again) == Replayed(3, 3, last.last.hash)
    assert await store.append(replace(again, request=b"other")) == KeyReused()
    assert await rows(store, last) == [0, 0, 1]
    said(await store.append(following(last, "more")))
    assert await store.append(again) == Replayed(3, 3, last.last.hash)
    assert await rows(store, last) == [1, 1, 1]
