"""What readers of the feed ask of the log, on every database."""

from msgspec.structs import replace

from events.database import Database
from events.feedsql import versions_of_kinds
from events.store import Store
from tests.events.appends import creation, following


async def test_events_of_a_kind_are_found_in_the_parts_asked_for_alone(database_url: str) -> None:
    database = await Database.open(database_url)
    try:
        store, matches = Store(database), []
        for _ in range(2):
            one = creation()
            moves = following(one, "moves", 5)
            ended = tuple(
                replace(each, kind="match_ended") if each.version in (3, 5) else each
                for each in moves.records
            )
            await store.append(one)
            await store.append(replace(moves, records=ended))
            matches.append(one.match_id)
        first, second = matches
        asked = [(first, 1, 3), (first, 6, 6), (second, 4, 6)]
        found = await database.read(
            lambda c: versions_of_kinds(c, asked, ("match_ended", "match_revealed"))
        )
        assert found == {first: [3], second: [5]}
        none = await database.read(lambda c: versions_of_kinds(c, [], ("match_ended",)))
        assert none == {}
        other = await database.read(lambda c: versions_of_kinds(c, asked, ("match_revealed",)))
        assert other == {}
    finally:
        await database.close()
