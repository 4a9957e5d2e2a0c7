"""Accounts erased while something is about to write their names: it does not bring them back."""

import asyncio
from typing import Any
from uuid import uuid4

import msgspec
import pytest
from sqlalchemy import select

from events.tables import HELD, LISTED
from service import forgetting, repeating, replacing
from service.series import opening
from service.settings import Settings
from tests.service.client import Table
from tests.service.conftest import Door
from tests.service.grouping import wanted
from tests.service.personal import stored
from tests.service.test_disputes import reviewed
from tests.service.test_erasing import claimed, forget
from tests.service.test_series import made, shown, won

Json = dict[str, Any]
MATCH: Json = {"game": "high_card", "seats": 2}


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return msgspec.structs.replace(settings, private_webhooks=True)


@pytest.fixture
def ada() -> str:
    """Of the test's own, as databases are shared."""
    return f"account-{uuid4().hex}"


async def named(door: Door, name: str) -> set[str]:
    """The columns that hold an account's name."""
    rows = await door.app.parts.database.read(stored)
    return {".".join(column) for column, data in rows.items() if name.encode() in data}


class Between:
    """Lets an account be erased before the next write, once it was told to."""

    def __init__(self, door: Door, account: str, patch: pytest.MonkeyPatch) -> None:
        self.is_due, self.erased = False, asyncio.Event()
        database = door.app.parts.database
        write = database.write

        async def writing(work: Any) -> Any:
            if self.is_due:
                self.is_due = False
                await forget(door, account)
                self.erased.set()
            return await write(work)

        patch.setattr(database, "write", writing)

    def then(self, honest: Any) -> Any:
        """The same function, that tells so."""

        def told(*about: Any, **more: Any) -> Any:
            self.is_due = not self.erased.is_set()
            return honest(*about, **more)

        return told


async def test_the_next_match_of_a_series_is_open_to_who_has_the_link(
    door: Door, ada: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    series = await made(door, ada, "bob")
    between = Between(door, ada, monkeypatch)
    monkeypatch.setattr(opening, "ready", between.then(opening.ready))  # type: ignore[attr-defined]
    await won(door, series, 1)
    async with asyncio.timeout(15):
        after = await shown(door, series)
        while len(after["matches"]) < 2:
            await asyncio.sleep(0.02)
            after = await shown(door, series)
    assert between.erased.is_set()
    assert [each["external_id"] for each in after["entrants"]] == ["", "bob"]
    query = select(LISTED.c.account).where(LISTED.c.match_id == after["matches"][1]["match_id"])
    found = await door.app.parts.database.read(lambda c: c.execute(query).scalars().all())
    assert found == ["bob"]
    assert await named(door, ada) == set()


async def test_series_are_forgotten_before_any_match(
    door: Door, ada: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However long that takes, what opens meanwhile is without the name."""
    from service import erasures

    monkeypatch.setattr(erasures, "MOST_MATCHES", 1)
    for _ in range(2):
        await claimed(door, ada, "bob")
    series = await made(door, ada, "bob")
    assert (await forget(door, ada))["more"]
    entrants = (await shown(door, series))["entrants"]
    assert [each["external_id"] for each in entrants] == ["", "bob"]


async def replayed(door: Door, table: Table) -> str:
    path = await reviewed(door, table, pause=False)
    body = {"ruling": {"type": "replay"}, "reason": "Again"}
    done = await door.post(path + "/rulings", json=body)
    assert done.status_code == 200, done.text
    match_id: str = done.json()["replacement"]
    return match_id


async def test_a_match_that_is_played_again_is_open_to_anybody(
    door: Door, ada: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = await claimed(door, ada, "bob")
    between = Between(door, ada, monkeypatch)
    monkeypatch.setattr(replacing, "ready", between.then(replacing.ready))  # type: ignore[attr-defined]
    again = await replayed(door, table)
    assert between.erased.is_set()
    query = select(LISTED.c.account).where(LISTED.c.match_id == again)
    found = await door.app.parts.database.read(lambda c: c.execute(query).scalars().all())
    assert found == ["bob"]
    assert await named(door, ada) == set()
    held = select(HELD.c.account).where(HELD.c.match_id == table.match_id)
    left = await door.app.parts.database.read(lambda c: c.execute(held).scalars().all())
    assert left == ["bob"]


class CutOff(Exception):
    """The process ends here."""


async def test_a_match_that_is_played_again_while_its_names_go_is_found_by_who_erases_them(
    door: Door, ada: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its id is older than that of the last match that the erasure came to."""
    table = await claimed(door, ada, "bob")
    path = await reviewed(door, table, pause=False)
    door.clock.now += 1000
    await claimed(door, ada, "bob")
    honest, made = forgetting._erase_match, list[str]()

    async def replayed_first(*about: Any) -> None:
        if not made:
            body = {"ruling": {"type": "replay"}, "reason": "Again"}
            headers = {"Idempotency-Key": ada[8:]}  # by which the id follows from the dispute
            done = await door.post(path + "/rulings", json=body, headers=headers)
            made.append(done.json()["replacement"])
            query = select(LISTED.c.account).where(LISTED.c.match_id == made[0])
            found = await door.app.parts.database.read(lambda c: c.execute(query).scalars().all())
            assert set(found) == {ada, "bob"}
        await honest(*about)

    monkeypatch.setattr(forgetting, "_erase_match", replayed_first)
    await forget(door, ada)
    assert made
    assert await named(door, ada) == set()


async def test_a_match_that_was_not_stored_names_nobody(
    door: Door, ada: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Cut off before its match, a name would lie where no erasure looks."""

    async def never(append: Any) -> Any:
        raise CutOff

    with monkeypatch.context() as patch:
        patch.setattr(door.app.parts.store, "append", never)
        made = await door.post("/v1/matches", json={**MATCH, "accounts": [ada, "bob"]})
        assert made.status_code == 500
    assert await named(door, ada) == set()
    kept = await door.post("/v1/matches", json={**MATCH, "accounts": [ada, "bob"]})
    assert kept.status_code == 201
    assert await named(door, ada) == {"listed.account"}
    await forget(door, ada)
    assert await named(door, ada) == set()


@pytest.mark.parametrize("number", [1, 2])
async def test_an_answer_that_is_kept_after_an_erasure_is_without_the_name(
    door: Door, ada: str, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also of an account that was erased before, and came back."""
    honest = repeating._made

    async def erased_after(*about: Any) -> Any:
        answer = await honest(*about)
        await forget(door, ada)
        return answer

    with monkeypatch.context() as patch:
        patch.setattr(repeating, "_made", erased_after)
        for turn in range(number):
            door.clock.now += 3_600_000
            body = wanted(door, [ada], ["bob"])
            headers = {"Idempotency-Key": f"{ada[8:]} {turn}"}
            made = await door.post("/v1/deal-groups", json=body, headers=headers)
            assert made.json()["tables"][0]["entrants"] == [ada]
    again = await door.post("/v1/deal-groups", json=body, headers=headers)
    assert again.headers["plyscribe-replayed"] == "true"
    assert [each["entrants"] for each in again.json()["tables"]] == [[""], ["bob"]]
    assert await named(door, ada) == set()


async def test_whoever_comes_back_after_an_erasure_is_named_in_answers(
    door: Door, ada: str
) -> None:
    await claimed(door, ada, "bob")
    await forget(door, ada)
    door.clock.now += 3_600_000
    body, headers = wanted(door, [ada], ["bob"]), {"Idempotency-Key": ada[8:]}
    for _ in range(2):
        made = await door.post("/v1/deal-groups", json=body, headers=headers)
        assert made.json()["tables"][0]["entrants"] == [ada]
