"""Erased accounts that a platform knows: who they are there is forgotten, also meanwhile."""

import asyncio
from typing import Any
from uuid import uuid4

import httpx
import msgspec
import pytest

from tests.service.client import Table
from tests.service.conftest import Door
from tests.service.personal import stored
from tests.service.platforms.serving import (
    CONNECTIONS,
    Served,
    link_path,
    linked,
    put,
    settled,
)
from tests.service.platforms.test_reporting import challonge, over
from tests.service.test_erasing import forget

Json = dict[str, Any]


class Names(msgspec.Struct, frozen=True):
    """An account and who it is at the platform: of the test's own, as databases are shared."""

    account: str
    person: str

    @property
    def known(self) -> dict[str, str]:
        return {self.account: self.person, "bob": "person-bob"}


@pytest.fixture
def ada() -> Names:
    own = uuid4().hex
    return Names(f"account-{own}", f"person-{own}")


async def table_of(door: Door, ada: Names) -> Table:
    return await door.table(seats=2, accounts=[ada.account, "bob"])


async def named(door: Door, *names: str) -> set[str]:
    """The columns that hold any of the names."""
    rows = await door.app.parts.database.read(stored)
    found = [column for column, data in rows.items() if any(n.encode() in data for n in names)]
    return {".".join(column) for column in found}


async def shown(door: Door, connection: Json) -> httpx.Response:
    return await door.get(f"{CONNECTIONS}/{connection['id']}")


async def test_a_connection_forgets_an_account_and_comes_to_a_new_revision(
    door: Door, there: Served, ada: Names, other_key: str
) -> None:
    connection, _ = await challonge(door, there, participants=ada.known, enabled=False)
    alike, _ = await challonge(door, there, participants={"x": ada.account}, enabled=False)
    body = {"platform": "startgg", "credentials": {"access_token": "x"}, "participants": ada.known}
    theirs = (await door.post(CONNECTIONS, other_key, json=body)).json()
    stale = (await shown(door, connection)).headers["etag"]
    await forget(door, ada.account)
    after = await shown(door, connection)
    assert after.json()["participants"] == {"bob": "person-bob"}
    path = f"{CONNECTIONS}/{connection['id']}"
    headers = {"Authorization": f"Bearer {door.key}", "If-Match": stale}
    refused = await door.http.patch(path, json={"participants": ada.known}, headers=headers)
    assert refused.status_code == 412
    assert (await shown(door, alike)).json() == alike
    kept = await door.get(f"{CONNECTIONS}/{theirs['id']}", other_key)
    assert kept.json()["participants"] == ada.known


async def test_a_result_that_is_still_to_be_told_is_refused(
    door: Door, there: Served, ada: Names
) -> None:
    connection, _ = await challonge(door, there, participants=ada.known)
    found, given = await table_of(door, ada), await table_of(door, ada)
    await linked(door, connection, found.match_id, "77")
    await linked(door, connection, given.match_id, "77", ada.person, "person-bob")
    await forget(door, ada.account)
    for table in (found, given):
        await over(door, table)
        refused = await settled(door, connection, table.match_id, "refused")
        assert refused["log"][-1]["outcome"] == "unknown_participant"
    link = (await door.get(link_path(connection, given.match_id))).json()
    assert link["participants"] == ["", "person-bob"]
    assert there.calls == []
    again = {"target": "77", "participants": ["a", "b"]}
    assert (await put(door, link_path(connection, given.match_id), again)).status_code == 200
    await settled(door, connection, given.match_id, "reported")


async def test_an_id_goes_from_every_link_of_its_connection(
    door: Door, there: Served, ada: Names
) -> None:
    """Also from those of a match in which the account has no seat."""
    connection, _ = await challonge(door, there, participants=ada.known)
    table = await door.table(seats=2)
    await over(door, table)
    await linked(door, connection, table.match_id, "77", ada.person, "b")
    await settled(door, connection, table.match_id, "refused")  # It is nobody's there.
    assert "platform_link.begun" in await named(door, ada.person)
    await forget(door, ada.account)
    assert await named(door, ada.account, ada.person) == set()


@pytest.mark.parametrize("is_given", [False, True])
async def test_who_is_telling_at_the_moment_does_not_bring_it_back(
    door: Door, there: Served, ada: Names, is_given: bool
) -> None:
    participants = (ada.person, "person-bob") if is_given else ()
    connection, _ = await challonge(door, there, participants=ada.known)
    table, there.gate = await table_of(door, ada), asyncio.Event()
    await linked(door, connection, table.match_id, "77", *participants)
    await over(door, table)
    await there.until(1)
    assert "platform_link.begun" in await named(door, ada.person)
    await forget(door, ada.account)
    there.gate.set()
    await settled(door, connection, table.match_id, "refused")
    assert await named(door, ada.account, ada.person) == set()
