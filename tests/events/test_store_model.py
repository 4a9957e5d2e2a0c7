"""The store against a dict: appends in any order, again, from stale writers, same answers; also of
matches that are archived and restored between them."""

import asyncio
from collections.abc import Iterator
from contextlib import suppress
from typing import cast
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test
from msgspec.structs import astuple
from sqlalchemy import Connection, delete

from events import stored
from events.append import Answer, Append, Appended, Conflict, KeyReused, NotFound, Replayed
from events.archiving import Rests, put_away, put_back
from events.database import Database
from events.store import Store
from events.tables import MARK
from events.types import Record
from tests.events.appends import GENESIS, NEW, chained, creation

KEYS = ("a", "b", "c", "d")
SLOTS = st.integers(0, 2)


class Model:
    """What the store promises, in a few lines."""

    def __init__(self) -> None:
        self.logs: dict[str, list[Record]] = {}
        self.keys: dict[tuple[str, str], tuple[bytes, int, int]] = {}

    def append(self, append: Append) -> Answer:
        log = self.logs.get(append.match_id)
        if log is None:
            if append.created is None:
                return NotFound()
            log = self.logs[append.match_id] = []
        known = self.keys.get((append.match_id, append.key))
        if known is not None and known[0] == append.request:
            return Replayed(known[1], known[2], log[known[2] - 1].hash)
        if known is not None:
            return KeyReused()
        head = log[-1].hash if log else GENESIS
        if (len(log), head) != (append.expected_version, append.expected_hash):
            return Conflict(len(log), head)
        log.extend(append.records)
        first, last = append.records[0].version, append.last.version
        self.keys[append.match_id, append.key] = (append.request, first, last)
        return Appended(first, last, append.last.hash)


class Machine(RuleBasedStateMachine):
    def __init__(self, runner: asyncio.Runner, store: Store) -> None:
        super().__init__()
        self.runner = runner
        self.store = store
        self.model = Model()
        self.ids = [str(uuid4()) for _ in range(3)]

    def check(self, *appends: Append) -> None:
        """Different matches go together; the answers are those of one after another."""

        async def go() -> list[Answer]:
            return await asyncio.gather(*map(self.store.append, appends))

        assert self.runner.run(go()) == [self.model.append(each) for each in appends]

    def made(self, slot: int, key: str, back: int, count: int, request: str, fork: bool) -> Append:
        """An append on top of the version `back` before the head, or beside the head."""
        match_id = self.ids[slot]
        log = self.model.logs.get(match_id, [])[: -back or None]
        version, head = len(log), log[-1].hash if log else GENESIS
        start = b"fork" * 8 if fork else head
        return creation(
            match_id,
            key,
            request=request.encode(),
            expected_version=version,
            expected_hash=start,
            records=chained(start, version, count, key),
            created=NEW if version == 0 and not fork else None,
        )

    @rule(
        slot=SLOTS,
        key=st.sampled_from(KEYS),
        back=st.integers(0, 2),
        count=st.integers(1, 3),
        request=st.sampled_from("xy"),
        fork=st.integers(0, 9).map(lambda n: n == 0),
    )
    def one(self, slot: int, key: str, back: int, count: int, request: str, fork: bool) -> None:
        self.check(self.made(slot, key, back, count, request, fork))

    @rule(key=st.sampled_from(KEYS), back=st.lists(st.integers(0, 1), min_size=3, max_size=3))
    def all_at_once(self, key: str, back: list[int]) -> None:
        self.check(*(self.made(slot, key, back[slot], 1, "x", False) for slot in range(3)))

    @rule(slot=SLOTS, key=st.sampled_from(KEYS), times=st.integers(2, 5))
    def the_same_many_times(self, slot: int, key: str, times: int) -> None:
        self.check(*[self.made(slot, key, 0, 2, "x", False)] * times)

    @rule(slot=SLOTS)
    def archived(self, slot: int) -> None:
        """As often as it comes, and whether or not there is anything new."""
        match_id = self.ids[slot]

        def work(connection: Connection) -> None:
            connection.execute(delete(MARK).where(MARK.c.match_id == match_id))
            found = stored.whole(connection, match_id)
            if found is not None:
                with suppress(Rests):
                    put_away(connection, found, at=1)

        self.runner.run(self.store.database.write(work))

    @rule(slot=SLOTS)
    def restored(self, slot: int) -> None:
        self.runner.run(self.store.database.write(lambda c: put_back(c, self.ids[slot])))

    @rule(slot=SLOTS, after=st.integers(0, 6), limit=st.integers(1, 6))
    def a_page(self, slot: int, after: int, limit: int) -> None:
        log = self.model.logs.get(self.ids[slot], [])
        found = self.runner.run(self.store.records(self.ids[slot], after, limit))
        assert found == log[after : after + limit]

    @rule(slot=SLOTS, key=st.sampled_from(KEYS))
    def what_a_key_was_answered(self, slot: int, key: str) -> None:
        known = self.model.keys.get((self.ids[slot], key))
        head = known and self.model.logs[self.ids[slot]][known[2] - 1].hash
        found = self.runner.run(self.store.command(self.ids[slot], key))
        assert (found and (*astuple(found),)) == (known and (*known, head))

    @invariant()
    def logs_are_equal(self) -> None:
        async def go() -> list[list[Record]]:
            return [await self.store.records(match_id) for match_id in self.ids]

        assert self.runner.run(go()) == [self.model.logs.get(each, []) for each in self.ids]


@pytest.fixture
def runner() -> Iterator[asyncio.Runner]:
    with asyncio.Runner() as running:
        yield running


def play(runner: asyncio.Runner, url: str, examples: int, steps: int) -> None:
    database = runner.run(Database.open(url))
    try:
        run_state_machine_as_test(
            cast("type[RuleBasedStateMachine]", lambda: Machine(runner, Store(database))),
            settings=settings(
                max_examples=examples,
                stateful_step_count=steps,
                suppress_health_check=list(HealthCheck),
            ),
        )
    finally:
        runner.run(database.close())


def test_the_store_does_what_the_model_says(runner: asyncio.Runner, database_url: str) -> None:
    play(runner, database_url, examples=25, steps=15)


@pytest.mark.fuzz
def test_the_store_does_what_the_model_says_for_long(
    runner: asyncio.Runner, database_url: str
) -> None:
    play(runner, database_url, examples=400, steps=40)
