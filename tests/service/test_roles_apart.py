"""Doors and work in processes of their own on one PostgreSQL: together, alone, and killed."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Final

import pytest
from sqlalchemy import Connection, update

from events.canonical import decoded
from events.database import Database
from events.feed import state_of
from events.store import Store
from events.tables import FEED_STATE
from service.clock import wall_clock
from tests.service.client import Table, bearer, open_table
from tests.service.followed import is_sound
from tests.service.process import Server, server
from tests.service.receiving import receiver
from tests.service.test_deal_groups_crashes import opened
from tests.soak.checking import feed_faults, is_all_fed
from tests.waiting import eventually

WEB: Final = {"ROLE": "web", "FLAG_GRACE_SECONDS": "0.1", "PRIVATE_WEBHOOKS": "true"}
WORKER: Final = {**WEB, "ROLE": "worker"}
QUICK: Final = {"time": {"type": "per_move", "move": 300}, "abandon_after": 1}
ONCE: Final = ("match_closed", "match_cancelled", "match_ended", "match_revealed")


@pytest.fixture
def postgres_url(own_url: str) -> str:
    """A database of the test's own, in which nobody has had the feed before."""
    return own_url


@pytest.fixture
async def database(postgres_url: str) -> AsyncIterator[Database]:
    found = await Database.open(postgres_url)
    yield found
    await found.close()


class Logs:
    """What is stored of matches, read past the doors: nobody looks, so nothing follows of it."""

    def __init__(self, database: Database) -> None:
        self._store = Store(database)

    async def kinds(self, match_id: str) -> list[str]:
        return [each.kind for each in await self._store.records(match_id)]

    async def bodies(self, match_id: str, kind: str) -> list[Any]:
        found = await self._store.records(match_id)
        return [decoded(each.body) for each in found if each.kind == kind]

    async def revealed(self, match_id: str) -> list[str]:
        """The kinds of its events, once it is revealed."""
        return await eventually(lambda: self.kinds(match_id), lambda k: "match_revealed" in k)


async def test_what_a_door_leaves_workers_do_once(
    postgres_url: str, database: Database, tmp_path: Path
) -> None:
    logs = Logs(database)
    async with receiver() as there:
        with server(postgres_url, tmp_path, **WEB) as web:
            clocked, windowed, grouped = await _left(web, there.url)
            matches = [clocked.match_id, windowed.match_id, *grouped]
            before = [await logs.kinds(each) for each in matches]
            await asyncio.sleep(1.2)  # All of it is due by then.
            assert [await logs.kinds(each) for each in matches] == before
            assert (await database.read(state_of)).holder is None
            assert (await database.read(state_of)).size == 0
            assert there.got == []
            dying = {"TEST": "1", "TEST_CRASH_AT": "after_flag:1"}
            with server(postgres_url, tmp_path, **WORKER, **dying) as first:
                await first.has_died()
            await database.write(_over)
            with server(postgres_url, tmp_path, **WORKER) as second:
                for kinds in [await logs.revealed(each) for each in matches]:
                    assert all(kinds.count(kind) <= 1 for kind in ONCE)
                falls = await logs.bodies(clocked.match_id, "flag_fell")
                assert len(falls) == len({each["decision"] for each in falls}) > 0
                await eventually(lambda: is_all_fed(database))
                assert await feed_faults(database) == []
                told = await there.until(len(matches))
                assert sorted(each.event["data"]["match_id"] for each in told) == sorted(matches)
                await _is_no_door(second)
            assert await is_sound(web, clocked, "clocks")


def _over(connection: Connection) -> None:
    """The lease of who died, some seconds early."""
    connection.execute(update(FEED_STATE).values(lease_until=0))


async def _left(web: Server, hook: str) -> tuple[Table, Table, list[str]]:
    """A match whose flag falls, one whose window ends, and those of a group that is closed."""
    own = bearer(web.key)
    async with web.client() as http:
        made = await http.post(
            "/v1/webhooks", json={"url": hook, "types": ["match.revealed"]}, headers=own
        )
        assert made.status_code == 201, made.text
        windowed = await open_table(http, web.key, "high_card", 2, reveal_after_seconds=1)
        assert (await http.post(windowed.path + "/cancel", headers=own)).status_code == 200
        group = await opened(http, web.key)
        closed = await http.post(f"/v1/deal-groups/{group['id']}/close", headers=own)
        assert closed.status_code == 200, closed.text
        clocked = await open_table(http, web.key, "high_card", 2, clock=QUICK)
    return clocked, windowed, [each["match_id"] for each in group["tables"]]


async def _is_no_door(worker: Server) -> None:
    async with worker.client() as http:
        for path in ("/v1/me", "/v1/matches", "/graphql", "/", "/livez/x"):
            for method in ("GET", "POST", "OPTIONS"):
                got = await http.request(method, path, headers={"accept": "text/event-stream"})
                assert (got.status_code, got.json()["code"]) == (421, "misdirected")
        for path in ("/livez", "/startupz", "/readyz"):
            assert (await http.get(path)).json() == {"status": "ok"}


async def test_a_worker_alone_serves_nobody(
    postgres_url: str, database: Database, tmp_path: Path
) -> None:
    """Nobody can move while the doors are away, so no flag falls, and the time is given back."""
    clock = {"time": {"type": "per_move", "move": 1_500}, "flag": "forfeit"}
    logs = Logs(database)
    with server(postgres_url, tmp_path, **WORKER):
        with server(postgres_url, tmp_path, **WEB) as first:
            async with first.client() as http:
                over = 0
                while wall_clock() > over - 1_000:  # On a busy machine it may be too late.
                    table = await open_table(http, first.key, "high_card", 2, clock=clock)
                    (started,) = await logs.bodies(table.match_id, "match_started")
                    over = started["at"] + 1_500
            first.kill()
        await asyncio.sleep(max(0, over + 700 - wall_clock()) / 1000)
        assert "flag_fell" not in await logs.kinds(table.match_id)
        with server(postgres_url, tmp_path, **WEB) as second:
            await logs.revealed(table.match_id)
            (credit,) = await logs.bodies(table.match_id, "time_credited")
            (fall,) = await logs.bodies(table.match_id, "flag_fell")
            assert credit["since"] <= over < credit["until"]
            ran = max(0, credit["since"] - started["at"])
            assert fall["fell"] == credit["until"] + 1_500 - ran
            assert await is_sound(second, table, "clocks")
