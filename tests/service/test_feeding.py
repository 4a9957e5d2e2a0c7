"""Whoever holds the lease of the feed takes in what is committed elsewhere, too."""

from uuid import uuid4

import pytest
from msgspec.structs import replace

from events.database import Database
from events.feed import entries_after
from events.store import Store
from service.settings import Settings
from tests.events.appends import creation
from tests.service.conftest import Door
from tests.waiting import eventually


@pytest.fixture
def database_url(postgres_url: str) -> str:
    return postgres_url


@pytest.fixture
def settings(settings: Settings) -> Settings:
    """A tick that does not come while anybody waits for it."""
    return replace(settings, tick_seconds=100_000.0)


async def test_what_another_process_commits_is_fed_without_a_word_from_it(
    door: Door, database_url: str
) -> None:
    async def leads() -> bool:
        return door.app.parts.feeding.leads

    await eventually(leads)
    match_id = str(uuid4())
    other = await Database.open(database_url)
    try:
        await Store(other).append(creation(match_id))

        async def fed() -> bool:
            entries = await other.read(lambda c: entries_after(c, 0, 1000))
            return match_id in {each.match_id for each in entries}

        await eventually(fed)
    finally:
        await other.close()
