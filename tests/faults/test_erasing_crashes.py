"""kill -9 while something is erased: event and text go together, and what broke off goes on."""

from collections import Counter
from typing import Any
from uuid import uuid4

import httpx
import pytest
from sqlalchemy import select

from events.database import Database
from events.store import Store
from events.tables import HELD
from events.types import TextRow
from tests.faults import builds
from tests.faults.players import GAME, REPLAYED, insisting_client, open_table
from tests.faults.serving import KEY, Service, plain_client
from tests.faults.stored import assert_sound, records_of
from tests.faults.test_crash_points import POINTS, lost
from tests.service.client import bearer, create

MATCHES = 3
LONG = [
    pytest.param(each, marks=pytest.mark.soak) for each in ("before_commit:1", "after_commit:2")
]


async def speak(http: httpx.AsyncClient, match_id: str, token: str) -> int:
    """The version of the event."""
    body = {"decision": None, "move": {"type": "speak", "text": "to be erased"}}
    headers = {**bearer(token), "idempotency-key": uuid4().hex}
    said = await http.post(f"/v1/matches/{match_id}/moves", json=body, headers=headers)
    assert said.status_code == 200, said.text
    return int(said.json()["first"])


async def texts_of(served: Service, match_id: str) -> list[TextRow]:
    database = await Database.open(served.database_url, read_only=True)
    try:
        return await Store(database).texts(match_id, 0, 1000)
    finally:
        await database.close()


async def erasures_in(served: Service, match_id: str) -> int:
    return Counter(record.kind for record in await records_of(served, match_id))["erased"]


@pytest.mark.parametrize(("point", "is_stored"), POINTS[:2])
async def test_killed_while_a_text_is_erased(
    served: Service, http: httpx.AsyncClient, point: str, is_stored: bool
) -> None:
    await _killed_at(served, http, point, is_stored)


async def test_who_erases_a_text_after_its_event_is_found_out(on_sqlite: Service) -> None:
    on_sqlite.build = builds.erasing_later
    async with insisting_client(on_sqlite.url) as http:
        with pytest.raises(AssertionError, match="the event and not the text"):
            await _killed_at(on_sqlite, http, "before_commit", is_stored=False)


async def _killed_at(served: Service, http: httpx.AsyncClient, point: str, is_stored: bool) -> None:
    await served.start()
    table = await open_table(http)
    said = await speak(http, table.match_id, table.tokens[0])
    await served.kill()
    await served.start(f"{point}:1")
    path, body = f"{table.path}/erasures", {"event": said, "field": "text"}
    async with plain_client(served.url) as once:
        await lost(once.post(path, json=body, headers=bearer(KEY)), served)
    left = [row.text for row in await texts_of(served, table.match_id)]
    assert left == ([] if is_stored else ["to be erased"])
    told = await erasures_in(served, table.match_id)
    assert told == int(is_stored), "the event and not the text"

    await served.start()
    done = await http.post(path, json=body, headers=bearer(KEY))
    assert (done.status_code, REPLAYED in done.headers) == (200, is_stored)
    assert await texts_of(served, table.match_id) == []
    assert await erasures_in(served, table.match_id) == 1
    await assert_sound(served, table.match_id)


@pytest.mark.parametrize("point", ["before_commit:2", *LONG])
async def test_an_account_whose_erasure_broke_off_goes_on(
    served: Service, http: httpx.AsyncClient, point: str
) -> None:
    await served.start()
    account, matches = uuid4().hex, []
    for _ in range(MATCHES):
        match_id = await create(http, KEY, GAME, 2)
        for seat in range(2):
            path = f"/v1/matches/{match_id}/seats/{seat}/claim"
            named = {"account": account if seat == 0 else "another"}
            claimed = await http.post(path, json=named, headers=bearer(KEY))
            if seat == 0:
                token = claimed.json()["token"]
        await speak(http, match_id, token)
        matches.append(match_id)
    await served.kill()
    await served.start(point)
    asked: dict[str, Any] = {"json": {"account": account}, "headers": bearer(KEY)}
    async with plain_client(served.url) as once:
        await lost(once.post("/v1/erasures", **asked), served)
    counts = [await erasures_in(served, each) for each in matches]
    assert sum(counts) == {"before_commit:1": 0, "before_commit:2": 1, "after_commit:2": 2}[point]
    for each, count in zip(matches, counts, strict=True):
        assert len(await texts_of(served, each)) == 1 - count

    await served.start()
    done = (await http.post("/v1/erasures", **asked)).json()
    # A match whose words went with its event is not done twice.
    assert (done["matches"], done["failed"], done["more"]) == (MATCHES - sum(counts), [], False)
    for each in matches:
        assert await texts_of(served, each) == []
        assert await erasures_in(served, each) == 1
        await assert_sound(served, each)
    assert account not in await held(served)


async def held(served: Service) -> list[str]:
    database = await Database.open(served.database_url, read_only=True)
    try:
        return await database.read(lambda c: list(c.execute(select(HELD.c.account)).scalars()))
    finally:
        await database.close()
