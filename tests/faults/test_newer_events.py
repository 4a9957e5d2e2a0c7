"""Events that a newer release wrote: an older process says that it can't read the match, and it
neither guesses nor fails.
"""

from collections.abc import AsyncIterator
from pathlib import Path
from random import Random
from typing import Any

import httpx
import pytest

from events import chain
from events.append import Append, Appended
from events.canonical import canonical
from events.database import Database
from events.store import Store
from events.types import Record, Status
from service.cli.checking import checked
from tests.faults import releases
from tests.faults.players import give, next_answers, open_table, play_out
from tests.faults.serving import KEY, Service, plain_client, service
from tests.faults.stored import assert_sound, log_of
from tests.faults.subscribing import subscribed
from tests.service.client import Table, bearer
from tests.waiting import eventually

NEWER = {
    "kind": {"kind": "seat_mused", "schema": 1, "seat": 0},
    "schema": {"kind": "seat_token_issued", "schema": 2, "seat": 0},
    "field": {"kind": "seat_token_issued", "schema": 1, "seat": 0, "colour": "red"},
}
Json = dict[str, Any]


@pytest.fixture
async def old(postgres_url: str, tmp_path: Path) -> AsyncIterator[Service]:
    async with service(tmp_path, postgres_url) as made:
        yield made


@pytest.mark.parametrize("body", NEWER.values(), ids=NEWER)
async def test_what_a_newer_release_wrote_is_refused(old: Service, body: Json) -> None:
    await old.start()
    await _refused(old, body)


async def test_it_is_found_when_an_unknown_field_is_passed_over(old: Service) -> None:
    old.build = releases.careless_release
    await old.start()
    with pytest.raises(AssertionError, match="read what it does not know"):
        await _refused(old, NEWER["field"])


async def _refused(old: Service, body: Json) -> None:
    async with plain_client(old.url) as http:
        table, other = await open_table(http), await open_table(http)
        (ask,) = await next_answers(http, table, Random(1))
        async with subscribed(old.url, table, KEY) as watcher:
            written = await _written(old, table, body)
            await watcher.until(written - 1)
            for answer in (
                *[await _got(http, table, path) for path in ("", "/view", "/decision", "/events")],
                await give(http, table, ask),
            ):
                assert answer.status_code != 200, "it read what it does not know"
                assert (answer.status_code, answer.json()["code"]) == (503, "other-release")
                assert int(answer.headers["retry-after"]) > 0
            await eventually(_starts_of(watcher), lambda starts: starts >= 1)
            assert watcher.versions == list(range(1, written))
            assert watcher.cuts == 0
        await play_out(http, other)
        listed = await http.get("/v1/matches", headers=bearer(KEY))
        assert listed.status_code == 200
        assert table.match_id in listed.text
    await assert_sound(old, other.match_id)
    verdict = checked(await log_of(old, table.match_id))
    assert verdict.ok
    assert f"everything from there on: event {written}: " in verdict.unchecked[-1]


def _starts_of(watcher: Any) -> Any:
    async def starts() -> int:
        found: int = watcher.starts
        return found

    return starts


async def _got(http: httpx.AsyncClient, table: Table, path: str) -> httpx.Response:
    return await http.get(table.path + path, headers=bearer(table.tokens[0]))


async def _written(old: Service, table: Table, body: Json) -> int:
    """The version of an event with that body, as a newer release would append it."""
    log = await log_of(old, table.match_id)
    last = log.records[-1]
    version = last.version + 1
    data = canonical({**body, "version": version, "at": last.at})
    salt, shown = bytes(32), (b"{}",) * (log.row.seats + 1)
    facets = chain.commitments(table.match_id, version, salt, (*shown, data))
    head = chain.link(last.hash, version, facets)
    record = Record(version, body["kind"], body["schema"], last.at, data, salt, facets, head)
    append = Append(
        match_id=table.match_id,
        key="newer",
        request=b"",
        expected_version=last.version,
        expected_hash=last.hash,
        records=(record,),
        status=Status.RUNNING,
    )
    database = await Database.open(old.database_url)
    try:
        assert isinstance(await Store(database).append(append), Appended)
    finally:
        await database.close()
    return version
