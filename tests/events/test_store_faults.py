"""The store when the database, the network or another process gets in the way."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import cast
from uuid import uuid4

import psycopg
import pytest
from msgspec.structs import replace
from sqlalchemy import Engine, event
from sqlalchemy.exc import IntegrityError

from events.append import Append, Appended, Conflict, Replayed
from events.batching import ATTEMPTS, CrashPoint
from events.database import Database, DatabaseContended, DatabaseUnreachable
from events.faults import DatabaseFull, SchemaAhead
from events.store import Store
from tests.events.appends import creation, following, line, said
from tests.proxy import proxied


@asynccontextmanager
async def opened(url: str, patience: float = 15) -> AsyncIterator[Store]:
    database = await Database.open(url, patience=patience)
    try:
        yield Store(database)
    finally:
        await database.close()


@contextmanager
def failing(url: str, sqlstate: str, times: int) -> Iterator[None]:
    """The next inserts of commands fail; the sequence counts them even as they roll back."""
    with psycopg.connect(url, autocommit=True) as admin:
        admin.execute("CREATE SEQUENCE failures")
        admin.execute(
            "CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
            f" IF nextval('failures') <= {times} THEN"
            f" RAISE EXCEPTION 'injected' USING ERRCODE = '{sqlstate}'; END IF;"
            " RETURN NULL; END $$".encode()
        )
        admin.execute(
            "CREATE TRIGGER failing AFTER INSERT ON command"
            " FOR EACH STATEMENT EXECUTE FUNCTION fail()"
        )
        try:
            yield
        finally:
            admin.execute("DROP TRIGGER failing ON command")
            admin.execute("DROP FUNCTION fail")
            admin.execute("DROP SEQUENCE failures")


async def test_a_commit_whose_answer_is_lost_is_replayed(postgres_url: str) -> None:
    async with proxied(postgres_url) as (url, proxy), opened(url) as store:
        first = creation()
        await store.append(first)
        move = following(first, "move")
        proxy.losses = 1
        assert await store.append(move) == Replayed(2, 2, move.last.hash)
        assert proxy.lost == 1
        assert len(await store.records(first.match_id)) == 2


async def test_a_commit_that_is_met_with_silence_is_replayed(postgres_url: str) -> None:
    async with proxied(postgres_url) as (url, proxy), opened(url, patience=0.5) as store:
        first = creation()
        await store.append(first)
        move = following(first, "move")
        proxy.losses, proxy.is_silent = 1, True
        assert await store.append(move) == Replayed(2, 2, move.last.hash)


async def test_a_batch_whose_commit_answer_is_lost_is_replayed(postgres_url: str) -> None:
    async with proxied(postgres_url) as (url, proxy), opened(url) as store:
        firsts = [creation() for _ in range(20)]
        await asyncio.gather(*map(store.append, firsts))
        proxy.losses = 2
        moves = [following(first, "move") for first in firsts]
        answers = await asyncio.gather(*map(store.append, moves))
        assert [said(a) for a in answers] == [(2, 2, move.last.hash) for move in moves]
        assert proxy.lost == 2


async def test_a_database_that_goes_away_is_a_typed_error_and_comes_back(
    postgres_url: str,
) -> None:
    async with proxied(postgres_url) as (url, proxy), opened(url) as store:
        first = creation()
        await store.append(first)
        await proxy.stop()
        move = following(first, "move")
        with pytest.raises(DatabaseUnreachable):
            await store.append(move)
        with pytest.raises(DatabaseUnreachable):
            await store.records(first.match_id)
        await proxy.start()
        assert len(await store.records(first.match_id)) == 1
        assert await store.append(move) == Appended(2, 2, move.last.hash)


async def test_a_short_outage_is_bridged(postgres_url: str) -> None:
    async with proxied(postgres_url) as (url, proxy), opened(url) as store:
        first = creation()
        await store.append(first)
        await proxy.stop()
        move = asyncio.ensure_future(store.append(following(first, "move")))
        await asyncio.sleep(0.03)
        await proxy.start()
        assert isinstance(await move, Appended)


async def test_a_terminated_connection_is_replaced(postgres_url: str) -> None:
    async with opened(postgres_url) as store:
        first = creation()
        await store.append(first)
        with psycopg.connect(postgres_url, autocommit=True) as admin:
            admin.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND application_name = 'plyscribe'"
            )
        assert len(await store.records(first.match_id)) == 1
        assert isinstance(await store.append(following(first, "move")), Appended)


async def test_callers_that_leave_give_their_connections_back(postgres_url: str) -> None:
    async with opened(postgres_url) as store:
        first = creation()
        await store.append(first)
        for number in range(60):
            leaving = asyncio.ensure_future(store.records(first.match_id))
            await asyncio.sleep(0.0002 * (number % 6))
            leaving.cancel()
            await asyncio.gather(leaving, return_exceptions=True)
        reads = [store.records(first.match_id) for _ in range(20)]
        assert await asyncio.gather(*reads) == [list(first.records)] * 20


async def test_a_database_that_is_not_there_is_a_typed_error() -> None:
    with pytest.raises(DatabaseUnreachable):
        await Database.open("postgresql://nobody@127.0.0.1:1/nothing")


@pytest.mark.parametrize("sqlstate", ["40P01", "40001"])
async def test_a_lost_deadlock_is_run_again(postgres_url: str, sqlstate: str) -> None:
    async with opened(postgres_url) as store:
        firsts = [creation() for _ in range(5)]
        await asyncio.gather(*map(store.append, firsts))
        with failing(postgres_url, sqlstate, times=2):
            moves = [store.append(following(first, "move")) for first in firsts]
            answers = await asyncio.gather(*moves)
        assert all(isinstance(answer, Appended) for answer in answers)


async def test_deadlocks_without_end_are_a_typed_error_and_store_nothing(
    postgres_url: str,
) -> None:
    async with opened(postgres_url) as store:
        first = creation()
        await store.append(first)
        with (
            failing(postgres_url, "40P01", times=ATTEMPTS),
            pytest.raises(DatabaseContended),
        ):
            await store.append(following(first, "move"))
        assert len(await store.records(first.match_id)) == 1


@pytest.mark.parametrize(
    ("sqlstate", "kind"),
    [("53100", DatabaseFull), *((state, SchemaAhead) for state in ("42703", "42P01"))],
)
async def test_what_can_not_be_done_now_is_a_typed_error_and_is_told_at_once(
    postgres_url: str, sqlstate: str, kind: type[Exception]
) -> None:
    async with opened(postgres_url) as store:
        first = creation()
        await store.append(first)
        with failing(postgres_url, sqlstate, times=1):
            with pytest.raises(kind):
                await store.append(following(first, "move"))
            assert store.is_full is (kind is DatabaseFull)
            assert isinstance(await store.append(following(first, "move")), Appended)
        assert not store.is_full


@pytest.mark.parametrize(
    ("change", "back"),
    [
        ("command ADD COLUMN newer bigint NOT NULL", "command DROP COLUMN newer"),
        (
            "match ALTER COLUMN external_id SET NOT NULL",
            "match ALTER COLUMN external_id DROP NOT NULL",
        ),
    ],
)
async def test_what_a_newer_schema_asks_for_is_told_as_that(
    postgres_url: str, change: str, back: str
) -> None:
    """A column that is not known here, or one that was free to be NULL."""
    with psycopg.connect(postgres_url, autocommit=True) as admin:
        admin.execute("TRUNCATE match, command")
        admin.execute(f"ALTER TABLE {change}".encode())
        try:
            async with opened(postgres_url) as store:
                with pytest.raises(SchemaAhead):
                    await store.append(creation())
        finally:
            admin.execute(f"ALTER TABLE {back}".encode())


async def test_null_where_this_program_knows_better_is_its_own_mistake(postgres_url: str) -> None:
    async with opened(postgres_url) as store:
        first = creation()
        await store.append(first)
        nameless = replace(following(first, "move").last, kind=cast("str", None))
        with pytest.raises(IntegrityError, match="kind"):
            await store.append(following(first, "move", records=(nameless,)))


async def test_nothing_else_is_run_again(postgres_url: str) -> None:
    async with opened(postgres_url) as store:
        first = creation()
        await store.append(first)
        with (
            failing(postgres_url, "P0001", times=1),
            pytest.raises(Exception, match="injected"),
        ):
            await store.append(following(first, "move"))


async def test_two_processes_on_one_match_take_turns(postgres_url: str) -> None:
    async with opened(postgres_url) as one, opened(postgres_url) as other:
        first = creation()
        await one.append(first)
        stored = {1: first}

        async def play(store: Store, name: str) -> int:
            conflicts = 0
            for number in range(25):
                append = following(stored[max(stored)], f"{name} {number}")
                while isinstance(answer := await store.append(append), Conflict):
                    conflicts += 1
                    await asyncio.sleep(0)
                    append = following(stored[max(stored)], f"{name} {number}")
                assert isinstance(answer, Appended)
                stored[answer.last] = append
            return conflicts

        await asyncio.gather(play(one, "one"), play(other, "other"))
        versions = [record.version for record in await one.records(first.match_id)]
        assert versions == list(range(1, 52))


async def test_two_processes_on_many_matches_do_not_deadlock(postgres_url: str) -> None:
    async with opened(postgres_url) as one, opened(postgres_url) as other:
        lines = [line(str(uuid4()), 6) for _ in range(32)]

        async def play(store: Store, appends: list[Append]) -> list[tuple[int, int, bytes]]:
            return [said(await store.append(append)) for append in appends]

        # Both send the same, so each append is stored by one and replayed to the other.
        answers = await asyncio.gather(
            *(play(store, each) for each in lines for store in (one, other))
        )
        assert answers[0::2] == answers[1::2]
        counts = [len(await one.records(each[0].match_id)) for each in lines]
        assert counts == [6] * 32


async def test_a_crash_before_the_commit_stores_nothing(database: Database) -> None:
    first = creation()
    await Store(database).append(first)
    crashing = Store(database, crash_at=_crash("before_commit"))
    with pytest.raises(_Crash):
        await crashing.append(following(first, "move"))
    assert await Store(database).records(first.match_id) == list(first.records)
    assert await Store(database).command(first.match_id, "move") is None


async def test_a_crash_after_the_commit_is_replayed(database: Database) -> None:
    first = creation()
    await Store(database).append(first)
    move = following(first, "move")
    with pytest.raises(_Crash):
        await Store(database, crash_at=_crash("after_commit")).append(move)
    assert await Store(database).append(move) == Replayed(2, 2, move.last.hash)


async def test_a_full_batch_takes_one_statement(postgres_url: str) -> None:
    statements: list[str] = []

    def note(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        statements.append(statement)

    event.listen(Engine, "before_cursor_execute", note)
    try:
        async with opened(postgres_url) as store:
            firsts = [creation() for _ in range(64)]
            await asyncio.gather(*map(store.append, firsts))
            statements.clear()
            await asyncio.gather(*(store.append(following(first, "move")) for first in firsts))
            assert len(statements) == 1
    finally:
        event.remove(Engine, "before_cursor_execute", note)


class _Crash(Exception):
    pass


def _crash(at: str) -> CrashPoint:
    def crash_at(name: str) -> None:
        if name == at:
            raise _Crash

    return crash_at
