"""What an append is answered and what it stores: one contract for every database."""

import asyncio
from collections.abc import AsyncIterator
from typing import cast
from uuid import uuid4

import pytest
from msgspec.structs import replace
from sqlalchemy import Connection, insert, select, text
from sqlalchemy.exc import DBAPIError

from events.append import (
    Append,
    Appended,
    Conflict,
    KeyReused,
    NotFound,
    Replayed,
    SeatRow,
)
from events.database import Database
from events.store import MatchFilter, Store
from events.tables import TOKEN
from events.types import Status, TextRow
from tests.events.appends import NEW, creation, following, hashes, line, said
from tests.events.citus import stand_in


@pytest.fixture(params=("sqlite_url", "postgres_url", "cluster"))
async def store(request: pytest.FixtureRequest) -> AsyncIterator[Store]:
    """On PostgreSQL also the way that a cluster takes: one statement a table."""
    is_cluster = request.param == "cluster"
    url = request.getfixturevalue("postgres_url" if is_cluster else request.param)
    if is_cluster:
        stand_in(url)
    database = await Database.open(url)
    database.is_cluster = is_cluster
    yield Store(database)
    await database.close()


async def created(store: Store) -> Append:
    first = creation()
    assert await store.append(first) == Appended(1, 1, first.last.hash)
    return first


async def test_an_unknown_match_is_not_found_and_nothing_is_stored(store: Store) -> None:
    append = following(creation(), "move")
    assert await store.append(append) == NotFound()
    assert await store.match(append.match_id) is None
    assert await store.records(append.match_id) == []


async def test_a_creation_inserts_the_head(store: Store) -> None:
    first = creation(created=replace(NEW, external_id="x", org="o"))
    await store.append(first)
    row = await store.match(first.match_id)
    assert row is not None
    assert (row.match_id, row.org, row.external_id) == (first.match_id, "o", "x")
    assert (row.version, row.head, row.status) == (1, first.last.hash, "seating")


async def test_a_creation_again_is_replayed(store: Store) -> None:
    first = await created(store)
    assert await store.append(first) == Replayed(1, 1, first.last.hash)


async def test_a_creation_of_a_match_that_exists_conflicts(store: Store) -> None:
    first = await created(store)
    other = creation(first.match_id, key="another")
    assert await store.append(other) == Conflict(1, first.last.hash)
    assert await store.records(first.match_id) == list(first.records)


async def test_an_append_stores_events_head_command_and_mark(store: Store) -> None:
    first = await created(store)
    second = following(first, "move", count=3, status=Status.OVER, result=b"{}")
    assert await store.append(second) == Appended(2, 4, second.last.hash)
    row = await store.match(first.match_id)
    assert row is not None
    assert (row.version, row.head, row.status) == (4, second.last.hash, "over")
    assert row.result == b"{}"
    assert await store.records(first.match_id) == [*first.records, *second.records]
    command = await store.command(first.match_id, "move")
    assert command is not None
    assert (command.first, command.last, command.head) == (2, 4, second.last.hash)
    assert command.request_hash == second.request
    assert await _mark(store, first.match_id) == 4


async def test_a_known_key_is_replayed_even_if_the_version_moved_on(store: Store) -> None:
    first = await created(store)
    second = following(first, "move", count=2)
    third = following(second, "next")
    await store.append(second)
    await store.append(third)
    assert await store.append(second) == Replayed(2, 3, second.last.hash)
    decided_again = following(third, "move", request=second.request)
    assert await store.append(decided_again) == Replayed(2, 3, second.last.hash)
    assert len(await store.records(first.match_id)) == 4


async def test_a_key_used_for_another_request_is_refused_before_the_version(store: Store) -> None:
    first = await created(store)
    second = following(first, "move")
    await store.append(second)
    assert await store.append(replace(second, request=b"other")) == KeyReused()
    assert await store.append(following(second, "move", request=b"other")) == KeyReused()


async def test_a_key_belongs_to_its_match(store: Store) -> None:
    one, other = await created(store), await created(store)
    assert isinstance(await store.append(following(one, "move")), Appended)
    assert isinstance(await store.append(following(other, "move", request=b"other")), Appended)


@pytest.mark.parametrize("status", [Status.OVER, Status.CANCELLED])
async def test_a_match_that_is_over_still_takes_events(store: Store, status: Status) -> None:
    first = await created(store)
    over = following(first, "end", status=status, result=b"{}")
    await store.append(over)
    assert isinstance(await store.append(following(over, "reveal", status=status)), Appended)
    row = await store.match(first.match_id)
    assert row is not None
    assert row.result == b"{}"


async def test_another_version_conflicts(store: Store) -> None:
    first = await created(store)
    second = following(first, "move")
    await store.append(second)
    assert await store.append(following(first, "late")) == Conflict(2, second.last.hash)
    ahead = following(following(second, "unstored"), "ahead")
    assert await store.append(ahead) == Conflict(2, second.last.hash)
    assert await store.command(first.match_id, "late") is None


async def test_another_hash_conflicts(store: Store) -> None:
    first = await created(store)
    forked = following(first, "move", expected_hash=b"x" * 32)
    assert await store.append(forked) == Conflict(1, first.last.hash)


async def test_equal_appends_at_once_store_one_event_and_get_one_answer(store: Store) -> None:
    first = await created(store)
    move = following(first, "move")
    answers = await asyncio.gather(*(store.append(move) for _ in range(20)))
    assert {said(answer) for answer in answers} == {(2, 2, move.last.hash)}
    assert sum(isinstance(answer, Appended) for answer in answers) == 1
    assert hashes(await store.records(first.match_id)) == [first.last.hash, move.last.hash]


async def test_rival_appends_at_once_store_one(store: Store) -> None:
    first = await created(store)
    rivals = [following(first, f"move {number}") for number in range(20)]
    answers = await asyncio.gather(*map(store.append, rivals))
    won = [answer for answer in answers if isinstance(answer, Appended)]
    assert len(won) == 1
    assert answers.count(Conflict(2, won[0].head)) == 19


async def test_many_matches_at_once_each_keep_their_order(store: Store) -> None:
    lines = [line(str(uuid4()), 5) for _ in range(100)]

    async def play(appends: list[Append]) -> None:
        for append in appends:
            assert isinstance(await store.append(append), Appended)

    await asyncio.gather(*map(play, lines))
    for appends in lines:
        stored = await store.records(appends[0].match_id)
        assert stored == [record for append in appends for record in append.records]


async def test_appends_of_one_match_wait_in_the_order_they_came(store: Store) -> None:
    appends = line(str(uuid4()), 12)
    answers = await asyncio.gather(*map(store.append, appends))
    assert all(isinstance(answer, Appended) for answer in answers)


async def test_a_poison_append_hurts_only_itself(store: Store) -> None:
    good = [following(await created(store), "move") for _ in range(9)]
    victim = await created(store)
    nameless = replace(victim.last, version=2, kind=cast("str", None))
    poison = following(victim, "poison", records=(nameless,))
    answers = await asyncio.gather(
        *(store.append(append) for append in (*good[:4], poison, *good[4:])),
        return_exceptions=True,
    )
    assert isinstance(answers.pop(4), DBAPIError)
    assert all(isinstance(answer, Appended) for answer in answers)
    row = await store.match(victim.match_id)
    assert row is not None
    assert row.version == 1
    assert isinstance(await store.append(following(victim, "poison")), Appended)


async def test_losers_of_a_batch_do_not_disturb_the_rest(store: Store) -> None:
    firsts = [await created(store) for _ in range(3)]
    answers = await asyncio.gather(
        store.append(following(firsts[0], "move")),
        store.append(following(firsts[1], "move", expected_hash=b"x")),
        store.append(following(creation(), "move")),
        store.append(replace(firsts[2], request=b"other")),
    )
    kinds = [type(answer) for answer in answers]
    assert kinds == [Appended, Conflict, NotFound, KeyReused]


async def test_appends_of_any_shape_are_stored_together(store: Store) -> None:
    firsts = [await created(store) for _ in range(5)]
    result = {"status": Status.OVER, "result": b"{}"}
    appends = [
        following(firsts[0], "one"),
        following(firsts[1], "three", count=3),
        following(firsts[2], "two", count=2, **result),
        following(firsts[3], "text", texts=(TextRow(2, "words", b"s" * 32, "hello"),)),
        following(firsts[4], "late", count=2, expected_hash=b"x"),
        creation(),
    ]
    answers = await asyncio.gather(*map(store.append, appends))
    kinds = [type(answer) for answer in answers]
    assert kinds == [Appended, Appended, Appended, Appended, Conflict, Appended]
    for first, append in zip(firsts[:4], appends, strict=False):
        assert await store.records(first.match_id) == [*first.records, *append.records]
        assert await _mark(store, first.match_id) == append.last.version
        again = await store.append(append)
        assert again == Replayed(2, append.last.version, append.last.hash)
    assert await store.records(firsts[4].match_id) == list(firsts[4].records)
    row = await store.match(firsts[2].match_id)
    assert row is not None
    assert (row.version, row.status, row.result) == (3, "over", b"{}")


async def test_a_caller_that_leaves_does_not_stop_the_others(store: Store) -> None:
    first, other = await created(store), await created(store)
    leaving = asyncio.ensure_future(store.append(following(first, "move")))
    staying = asyncio.ensure_future(store.append(following(other, "move")))
    await asyncio.sleep(0)
    leaving.cancel()
    assert isinstance(await staying, Appended)
    await store.drained()


async def test_texts_are_kept_beside_the_log(store: Store) -> None:
    first = await created(store)
    texts = (TextRow(2, "text", b"salt", "höh \U0001f0a1"), TextRow(3, "text", b"salt", ""))
    await store.append(following(first, "talk", count=2, texts=texts))
    assert await store.texts(first.match_id, 0, 3) == list(texts)
    assert await store.texts(first.match_id, 2, 3) == [texts[1]]
    assert await store.texts(first.match_id, 0, 1) == []


async def test_seats_are_set_and_freed(store: Store) -> None:
    held = (SeatRow(1, "holder-b", "account"), SeatRow(0, "holder-a"))
    first = creation(seats=held)
    await store.append(first)
    assert await store.seats(first.match_id) == sorted(held, key=lambda seat: seat.seat)
    changed = following(first, "seats", seats=(SeatRow(0, None), SeatRow(1, "holder-c")))
    await store.append(changed)
    assert await store.seats(first.match_id) == [SeatRow(1, "holder-c")]


async def test_records_come_in_pages(store: Store) -> None:
    first = await created(store)
    await store.append(following(first, "moves", count=9))
    versions = [r.version for r in await store.records(first.match_id, after=3, limit=4)]
    assert versions == [4, 5, 6, 7]
    assert await store.records(first.match_id, after=10) == []


async def test_heads_are_of_matches_that_exist(store: Store) -> None:
    first = await created(store)
    move = following(first, "move")
    await store.append(move)
    asked = [first.match_id, str(uuid4())]
    assert await store.heads(asked) == {first.match_id: 2}
    assert await store.latest(asked) == {first.match_id: (2, move.last.hash)}
    assert await store.heads([]) == {}


async def test_matches_are_listed_newest_first_for_their_organisation(store: Store) -> None:
    org = f"org-{uuid4()}"
    ids = sorted((str(uuid4()) for _ in range(5)), reverse=True)
    for number, match_id in enumerate(ids):
        new = replace(NEW, org=org, external_id=f"x{number % 2}")
        await store.append(creation(match_id, created=new))
    await store.append(creation())
    assert [row.match_id for row in await store.list_matches(org)] == ids
    page = await store.list_matches(org, before_id=ids[1], limit=2)
    assert [row.match_id for row in page] == ids[2:4]
    by_external = await store.list_matches(org, MatchFilter(external_id="x1"))
    assert [row.match_id for row in by_external] == [ids[1], ids[3]]
    assert await store.list_matches(org, MatchFilter(status="over")) == []
    assert len(await store.list_matches(org, MatchFilter(status="seating", game="high_card"))) == 5


async def _mark(store: Store, match_id: str) -> int | None:
    def work(connection: Connection) -> int | None:
        query = text("SELECT version FROM mark WHERE match_id = :of")
        version: int | None = connection.scalar(query, {"of": match_id})
        return version

    return await store.database.read(work)


async def test_who_gives_up_a_seat_loses_its_tokens_in_the_same_transaction(
    store: Store,
) -> None:
    first = creation(seats=(SeatRow(0, "holder-a"), SeatRow(1, "holder-b")))
    await store.append(first)
    rows = [
        {
            "hash": uuid4().bytes,
            "match_id": first.match_id,
            "seat": seat,
            "kind": "seat",
            "created_at": 1,
        }
        for seat in (0, 1)
    ]
    await store.database.write(lambda connection: connection.execute(insert(TOKEN), rows))
    await store.append(following(first, "release", seats=(SeatRow(0, None),)))
    revoked = (
        select(TOKEN.c.seat, TOKEN.c.revoked_at)
        .where(TOKEN.c.match_id == first.match_id)
        .order_by(TOKEN.c.seat)
    )
    found = await store.database.read(lambda connection: connection.execute(revoked).all())
    assert [(row[0], row[1] is None) for row in found] == [(0, False), (1, True)]
