"""An operator's tables: checked at the start, for new matches, while old ones keep theirs."""

import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest

from games import ambagibus, registry
from service.app import build
from service.settings import SettingRefused, Settings, from_environment
from tests.service.client import Table
from tests.service.conftest import Clock, Door
from tests.service.graphql.asking import ask, ref
from tests.service.grouping import played


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    return sqlite_url


@pytest.fixture(autouse=True)
def _own_tables_again() -> Iterator[None]:
    yield
    for game in registry.games():
        registry.choose(game.slug, None)


@pytest.fixture(autouse=True)
def _every_answer_is_documented() -> None:
    """GraphQL, which is asked as well, is no part of the document."""


def small_deck() -> bytes:
    """Half of the deck under a name of its own."""
    deck = json.loads(ambagibus.TABLES)
    tunnels = [card for card in deck["cards"] if card["kind"] == "tunnel"]
    others = [card for card in deck["cards"] if card["kind"] != "tunnel"]
    kept = tunnels[::2]
    deck |= {"deck_id": "small-1", "status": "printed", "cards": [*kept, *others]}
    deck["counts"]["tunnel"] = len(kept)
    return json.dumps(deck).encode()


@asynccontextmanager
async def running(settings: Settings, folder: Path | None) -> AsyncIterator[Door]:
    own, clock = msgspec.structs.replace(settings, game_tables=folder), Clock()
    async with build(own, clock=clock).running() as app:
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url="http://door") as http:
            yield Door(http, app, clock)


async def digest_of(door: Door) -> str:
    games = (await door.get("/v1/games")).json()["games"]
    (found,) = (each["data_digest"] for each in games if each["slug"] == "ambagibus")
    return str(found)


async def pinned(door: Door, table: Table) -> str:
    return str((await door.get(table.path)).json()["data_digest"])


async def test_new_matches_have_other_tables_and_old_ones_keep_theirs(
    settings: Settings, tmp_path: Path
) -> None:
    folder = tmp_path / "decks"
    folder.mkdir()
    async with running(settings, None) as door:
        old = await door.table("ambagibus", 1)
        own = await digest_of(door)
    (folder / "ambagibus.json").write_bytes(small_deck())
    async with running(settings, folder) as door:
        new = await door.table("ambagibus", 1)
        other = await digest_of(door)
        assert other != own
        assert (await pinned(door, old), await pinned(door, new)) == (own, other)
        shown = await ask(
            door, "query($match: MatchRef!) { view(match: $match) { view { __typename } } }",
            match=ref(new.match_id),
        )  # fmt: skip
        assert shown["view"]["view"]["__typename"] == "AmbagibusView"
    registry.choose("ambagibus", None)
    for made in list(registry._made):
        if made[2] == other:  # As in a process that has never seen the file.
            del registry._made[made]
            registry._tables.pop(("ambagibus", other))
    async with running(settings, None) as door:
        assert await digest_of(door) == own
        for table, digest in ((old, own), (new, other)):
            await played(door, table)
            match: dict[str, Any] = (await door.get(table.path)).json()
            assert (match["status"], match["data_digest"]) == ("over", digest)
            named = (match["options"]["deck"], match["reconstructed"])
            assert named == (("ambagibus-recon-1", True) if table is old else ("small-1", False))
        view = (await door.get(new.path + "/view", new.tokens[0])).json()
        assert view["view"] is not None


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("whist.json", b"{}", "whist.json: there is no game whist"),
        ("ambagibus.json", b"{", "ambagibus.json: "),
        ("ambition_tricks.json", b"[]", "ambition_tricks.json: "),
    ],
)
async def test_a_wrong_file_ends_the_start_and_is_named(
    settings: Settings, tmp_path: Path, name: str, content: bytes, told: str
) -> None:
    folder = tmp_path / "decks"
    folder.mkdir()
    (folder / name).write_bytes(content)
    with pytest.raises(SettingRefused) as refused:
        async with running(settings, folder):
            pass
    assert refused.value.variable == "PLYSCRIBE_GAME_TABLES"
    assert refused.value.reason.startswith(told)


async def test_the_place_in_a_wrong_file_is_named(settings: Settings, tmp_path: Path) -> None:
    deck = json.loads(small_deck())
    deck["cards"][3]["edges"] = [1, 0, 9, 0]
    (tmp_path / "ambagibus.json").write_text(json.dumps(deck))
    with pytest.raises(SettingRefused, match=r"ambagibus\.json: .*3") as refused:
        async with running(settings, tmp_path):
            pass
    assert len(refused.value.reason) < 200


async def test_a_folder_that_is_not_there_is_refused(settings: Settings, tmp_path: Path) -> None:
    with pytest.raises(SettingRefused, match="the folder can't be read"):
        async with running(settings, tmp_path / "nowhere"):
            pass
    set_to = {"PLYSCRIBE_GAME_TABLES": str(tmp_path)}
    assert from_environment(set_to).game_tables == tmp_path
