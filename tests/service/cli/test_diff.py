"""`plyscribe diff` of a bundle and of a database."""

from pathlib import Path
from random import Random

from games import registry
from games.core.game import ALL, SPECTATOR
from tests.events.bundled import bundle, bundled
from tests.events.scripted import Table
from tests.service.cli.conftest import Run


def test_two_positions_of_a_bundle(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "full.zip"
    path.write_bytes(bundle("ambition_tricks", ALL))
    told = run("diff", path, "--from", 6, "--to", 9, "--viewer", 1, "--json")
    assert told.code == 0, told.err
    (found,) = told.lines
    assert found["before"] == {"version": 6, "viewer": 1}
    assert found["after"] == {"version": 9, "viewer": 1}
    assert found["changes"]
    plain = run("diff", path, "--from", 6, "--to", 9, "--viewer", 1)
    assert len(plain.out.splitlines()) == len(found["changes"])
    assert f"{len(found['changes'])} differences" in plain.err
    (one,) = [each for each in found["changes"] if each["path"] == "seats[0].waited_for"] or [None]
    assert one is None or one["kind"] == "changed"


def test_two_viewers_of_a_position(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "full.zip"
    path.write_bytes(bundle("ambition_tricks", ALL))
    (found,) = run("diff", path, "--to", 9, "-v", 0, "--against", "all", "--json").lines
    assert (found["before"]["viewer"], found["after"]["viewer"]) == (0, "all")
    assert all(each["path"].startswith(("view", "decision")) for each in found["changes"])


def test_what_can_t_be_compared_is_refused(run: Run, tmp_path: Path) -> None:
    path, own = tmp_path / "full.zip", tmp_path / "own.zip"
    path.write_bytes(bundle("ambition_tricks", ALL))
    own.write_bytes(bundle("ambition_tricks", SPECTATOR))
    for words in (
        (path,),
        (path, "--from", 5, "--to", 5),
        (path, "--from", 1, "--to", 99_999),
        (path, "--from", 0),
        (path, "--from", 1, "--viewer", 9),
        (own, "--from", 1),
        ("nothing", "--from", 1),
    ):
        assert run("diff", *words).code == 2, words


def test_hidden_things_of_a_running_match_are_for_operators(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "running.zip"
    at = Table(registry.game("ambition_tricks"), 4).play_on(Random(1), most=5)
    path.write_bytes(bundled(at, ALL, proved=False))
    assert run("diff", path, "--from", 5).code == 0
    for words in (
        ("--from", 5, "-v", 0),
        ("--against", "all"),
        ("-v", 1, "--against", "spectator"),
    ):
        assert run("diff", path, *words).code == 2
        assert run("diff", path, *words, "--operator").code == 0


def test_a_database_is_read_as_well(run: Run, played: tuple[str, str]) -> None:
    url, match_id = played
    told = run("diff", match_id, "--from", 4, "--database-url", url, "--json")
    assert told.code == 0, told.err
    assert told.lines[0]["match_id"] == match_id
