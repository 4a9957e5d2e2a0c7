"""`plyscribe export-trf` and `export-pods`, beside a service that runs."""

import asyncio
from pathlib import Path
from typing import Any

import msgspec
import pytest

from service.cli import main
from service.trf.report import Cell
from tests.service.batching import batched, seated
from tests.service.client import seat_all
from tests.service.conftest import Door
from tests.service.platforms.test_reporting import over, played, ruled
from tests.service.trf.reading import read

Json = dict[str, Any]


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    return sqlite_url


class Desk:
    """An organiser's folder beside the database."""

    def __init__(self, door: Door, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self._door, self._folder, self._capsys = door, folder, capsys
        self.out = folder / "out"

    async def export(self, command: str, event: Any, *more: str) -> tuple[int, str]:
        """The exit code and what was complained of."""
        given = self._folder / "event.json"
        given.write_bytes(msgspec.json.encode(event))
        self.out.unlink(missing_ok=True)
        return await self.run(command, str(given), *more)

    async def run(self, command: str, given: str, *more: str) -> tuple[int, str]:
        url = self._door.app.settings.database_url
        words = [command, given, str(self.out), "--database-url", url, *more]
        code = await asyncio.to_thread(main, words)
        return code, self._capsys.readouterr().err


@pytest.fixture
def desk(door: Door, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Desk:
    folder = tmp_path / "desk"
    folder.mkdir()
    return Desk(door, folder, capsys)


def event(*games: Json, **more: Any) -> Json:
    players = [{"id": each, "name": each.upper()} for each in "ab"]
    rounds = [{"games": [each]} for each in games]
    return {"name": "Cup", "players": players, "rounds": rounds, **more}


def game(**match: str) -> Json:
    return {"players": ["a", "b"], **match}


@pytest.mark.parametrize("command", ["export-trf", "export-pods"])
async def test_a_file_that_is_there_stays(door: Door, desk: Desk, command: str) -> None:
    desk.out.write_text("mine")
    given = desk.out.with_name("event.json")
    given.write_bytes(msgspec.json.encode(event()))
    code, complaint = await desk.run(command, str(given))
    assert code != 0
    assert "is there already" in complaint
    assert desk.out.read_text() == "mine"


async def test_a_file_without_an_end_is_not_read_to_it(door: Door, desk: Desk) -> None:
    code, complaint = await desk.run("export-trf", "/dev/zero")
    assert code != 0
    assert "has more than" in complaint
    assert not desk.out.exists()


async def test_rounds_come_out_as_they_were_played(door: Door, desk: Desk) -> None:
    first = await played(door)
    await played(door, external_id="round 2")
    third = await played(door)
    await ruled(door, third, type="set_result", ranks=[1, 1], scores=None)
    fourth = await played(door)
    await ruled(door, fourth, type="void")
    given = event(
        game(match=first.match_id),
        game(external_id="round 2"),
        game(match=third.match_id),
        game(match=fourth.match_id),
    )
    assert (await desk.export("export-trf", given))[0] == 0
    report = read(desk.out.read_bytes())
    assert [each.points for each in report.players] == [25, 5]
    assert report.players[0].cells == (
        Cell(2, "w", "1"),
        Cell(2, "w", "1"),
        Cell(2, "w", "="),
        Cell(0, "-", " "),
    )
    assert (await desk.export("export-pods", given))[0] == 0
    told = msgspec.json.decode(desk.out.read_bytes())
    statuses = [each["tables"][0]["status"] for each in told["rounds"]]
    assert statuses == ["Completed", "Completed", "Completed", "Pending"]
    assert [each["points"] for each in told["standings"]] == [2.5, 0.5]


async def test_a_replayed_match_counts_as_the_one_in_its_place(door: Door, desk: Desk) -> None:
    table = await played(door)
    await ruled(door, table, type="replay")
    replacement = (await door.get(table.path + "/result")).json()["replaced_by"]
    given = event(game(match=table.match_id))
    code, why = await desk.export("export-trf", given)
    assert (code, "not over" in why) == (2, True)
    await over(door, await seat_all(door.http, door.key, replacement, 2))
    assert (await desk.export("export-trf", given))[0] == 0
    assert read(desk.out.read_bytes()).players[0].cells == (Cell(2, "w", "1"),)


async def test_what_is_not_over_is_written_if_it_may_be(door: Door, desk: Desk) -> None:
    table = await door.table(seats=2)
    given = event(game(match=table.match_id))
    assert (await desk.export("export-trf", given))[0] == 2
    assert not desk.out.exists()
    assert (await desk.export("export-trf", given, "--unfinished"))[0] == 0
    assert read(desk.out.read_bytes()).players[0].cells == (Cell(2, "w", " "),)


async def test_what_may_still_change_is_said(door: Door, desk: Desk) -> None:
    table = await played(door, reveal_after_seconds=60)
    code, said = await desk.export("export-trf", event(game(match=table.match_id)))
    assert (code, "1 of 1 results may still change" in said) == (0, True)


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"name": "x"}, "is no event"),
        (event(game(match="x")), "has no match x"),
        (event(game(match="01890a5d-ac96-774b-bcce-b302099a8057")), "has no match"),
        (event(game(external_id="x")), "has no match x"),
        (event(game()), "has a match, or an external_id"),
        (event(name="two\nlines"), "is no single line"),
    ],
)
async def test_what_can_not_be_done_is_said(desk: Desk, given: Json, why: str) -> None:
    code, said = await desk.export("export-trf", given)
    assert (code, why in " ".join(said.split())) == (2, True), said
    assert not desk.out.exists()


async def test_matches_of_others_are_not_there(door: Door, desk: Desk, other_key: str) -> None:
    table = await played(door)
    given = event(game(match=table.match_id))
    code, said = await desk.export("export-trf", given, "--org", "others")
    assert (code, "has no match" in said) == (2, True)


@pytest.mark.parametrize("command", ["export-trf", "export-pods"])
async def test_players_who_sit_elsewhere_are_refused(door: Door, desk: Desk, command: str) -> None:
    batch = await batched(door, ["a", "b"], ["somebody", None])
    own, strangers = (each["match_id"] for each in batch["matches"])
    for match in batch["matches"]:
        await over(door, await seated(door, match))
    turned = {"players": ["b", "a"], "match": own}
    code, said = await desk.export(command, event(turned))
    assert (code, f"seat 0 of match {own} is a's, not b's" in " ".join(said.split())) == (2, True)
    assert not desk.out.exists()
    # Whoever is no player of the event by that name may be anybody of it.
    right = event(game(match=own), {"players": ["b", "a"], "match": strangers})
    assert (await desk.export(command, right))[0] == 0


async def test_an_external_id_of_two_matches_names_none(door: Door, desk: Desk) -> None:
    for _ in range(2):
        await played(door, external_id="x")
    code, said = await desk.export("export-trf", event(game(external_id="x")))
    assert (code, "several matches" in said) == (2, True)
