"""`plyscribe verify`, and `plyscribe replay` of a bundle."""

from pathlib import Path

import pytest

from events.bundle import EVENTS
from events.notes import verifier_key
from games import registry
from games.core.game import ALL, SPECTATOR, Viewer
from tests.events.bundled import KEY, ORIGIN, OTHER_KEY, bundle, bundled, forged, members, table
from tests.events.scripted import Table
from tests.service.cli.conftest import Run

VERIFIER = verifier_key(ORIGIN, KEY.public.public)


def written(name: str, viewer: Viewer, folder: Path) -> Path:
    path = folder / f"{name}.{viewer}.zip"
    path.write_bytes(bundle(name, viewer))
    return path


def test_sound_bundles_are_told_so(run: Run, tmp_path: Path) -> None:
    files = [written("ambition_tricks", each, tmp_path) for each in (ALL, SPECTATOR, 0, 1)]
    told = run("verify", *files, "--keys", VERIFIER)
    assert told.code == 0, told.out
    assert told.out.count("all that can be checked holds") == 4
    assert "not checked: moves, decisions, draws" in told.out
    assert "nothing is wrong" in told.err


def test_the_first_fault_is_named_with_its_place(run: Run, tmp_path: Path) -> None:
    data = bundle("high_card", ALL)
    lines = members(data)[EVENTS].split(b"\n")
    lines[4] = lines[4].replace(b'"at":1', b'"at":2')
    path = tmp_path / "bad.zip"
    path.write_bytes(forged(data, {EVENTS: b"\n".join(lines)}))
    told = run("verify", path)
    assert told.code == 1
    assert "WRONG at event 5" in told.out
    (verdict,) = run("verify", path, "--json").lines
    assert not verdict["ok"]
    (file,) = verdict["files"]
    (fault,) = file["faults"]
    assert (fault["place"], fault["code"], file["ok"]) == ("event 5", "commitment", False)


def test_two_logs_of_one_match_are_a_fork(run: Run, tmp_path: Path) -> None:
    paths = []
    for number in (1, 2):
        at = Table(registry.game("ambition_tricks"), 4, seed=bytes([number]) * 32)
        path = tmp_path / f"{number}.zip"
        path.write_bytes(bundled(at, 0, proved=False))
        paths.append(path)
    told = run("verify", *paths)
    assert told.code == 1
    assert f"FORK: {paths[0]} and {paths[1]}: event 1 is not the same" in told.out


def test_keys_are_a_file_or_a_verifier_key(run: Run, tmp_path: Path) -> None:
    path, keys = written("high_card", ALL, tmp_path), tmp_path / "keys"
    keys.write_text(VERIFIER)
    assert run("verify", path, "--keys", keys).code == 0
    other = verifier_key(ORIGIN, OTHER_KEY.public.public)
    told = run("verify", path, "--keys", other)
    assert (told.code, "WRONG at proof.tlog-proof" in told.out) == (1, True)
    assert run("verify", path, "--keys", "nothing").code == 2


def test_what_is_no_file_can_t_be_checked(run: Run, tmp_path: Path) -> None:
    assert run("verify").code == 2
    assert run("verify", tmp_path / "missing.zip").code == 2
    (tmp_path / "no.zip").write_bytes(b"no zip")
    told = run("verify", tmp_path / "no.zip")
    assert (told.code, "WRONG at zip" in told.out) == (1, True)


def test_a_full_bundle_is_replayed_like_a_database(run: Run, tmp_path: Path) -> None:
    path = written("high_card", ALL, tmp_path)
    told = run("replay", path, "--viewer", 1)
    assert told.code == 0, told.err
    assert "match revealed" in told.out
    assert "Ü" in told.out
    *events, verdict = run("replay", path, "-v", "all", "--json").lines
    assert len(events) == len(table("high_card").records)
    assert (verdict["ok"], verdict["status"]) == (True, "over")
    assert run("replay", path, "--at", 6, "--json").lines[0]["version"] == 6


def test_a_viewer_s_bundle_is_replayed_as_that_viewer_saw_it(run: Run, tmp_path: Path) -> None:
    path = written("ambition_tricks", 0, tmp_path)
    told = run("replay", path, "-v", 0, "--json")
    assert told.code == 0, told.err
    *events, verdict = told.lines
    assert [each["event"]["version"] for each in events] == [*range(1, len(events) + 1)]
    assert verdict["status"] == "over"
    assert run("replay", path, "-v", "1").code == 2
    assert run("replay", path, "--at", "3").code == 2
    assert run("replay", written("ambition_tricks", SPECTATOR, tmp_path)).code == 0


@pytest.mark.parametrize("viewer", ["0", "all"])
def test_an_unrevealed_full_bundle_shows_hidden_things_to_operators_alone(
    run: Run, tmp_path: Path, viewer: str
) -> None:
    path = tmp_path / "running.zip"
    path.write_bytes(bundled(Table(registry.game("ambition_tricks"), 4), ALL, proved=False))
    assert run("replay", path, "-v", viewer).code == 2
    assert run("replay", path, "-v", viewer, "--operator").code == 0


@pytest.mark.parametrize(
    "data", [b"\xff\xfe\x00\x81", '{"a": 1}'.encode("utf-16"), b"no JSON", None]
)
def test_a_file_that_cannot_be_read_hides_nothing_in_others(
    data: bytes | None, run: Run, tmp_path: Path
) -> None:
    unread = tmp_path / "unread"
    if data is not None:
        unread.write_bytes(data)
    sound = written("high_card", ALL, tmp_path)
    told = run("verify", unread, sound)
    assert told.code == 2
    assert f"{unread}: can't be read" in told.out
    assert "all that can be checked holds" in told.out
    bad = tmp_path / "bad.zip"
    bad.write_bytes(sound.read_bytes()[:-9])
    for command in (("verify",), ("receipt", "check")):
        told = run(*command, unread, bad, sound, "--json")
        assert told.code == 1
        (summary,) = told.lines
        kinds = {each["file"]: (each["kind"], each["ok"]) for each in summary["files"]}
        assert kinds[str(unread)] == ("unreadable", False)
        assert kinds[str(sound)] == ("bundle", True)
        assert kinds[str(bad)] == ("bundle", False)


def test_a_seat_that_was_never_refused_has_nothing_to_check(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "refusals.json"
    path.write_bytes(b'{"refusals":[],"next":null}')
    told = run("verify", path)
    assert (told.code, "nothing is wrong" in told.err) == (0, True)


@pytest.mark.parametrize("head", [b"", b"HTTP/1.1 200 OK\r\n\r\n", b"{}\n"])
def test_a_member_given_twice_is_not_read(head: bytes, run: Run, tmp_path: Path) -> None:
    path = tmp_path / "receipt.json"
    path.write_bytes(head + b'{"tag":"plyscribe/head/1","payload":{"head":"a","head":"b"}}')
    told = run("verify", path)
    assert (told.code, "given twice" in told.out) == (2, True)


def test_keys_are_an_answer_that_tells_of_the_log(run: Run, tmp_path: Path) -> None:
    path, keys = written("high_card", ALL, tmp_path), tmp_path / "log.json"
    keys.write_text(f'{{"origin":"{ORIGIN}","verifier_keys":["{VERIFIER}"]}}')
    assert run("verify", path, "--keys", keys).code == 0
    other = verifier_key(ORIGIN, OTHER_KEY.public.public)
    keys.write_text(f'{{"verifier_keys":["{other}"]}}')
    assert run("verify", path, "--keys", keys).code == 1


@pytest.mark.parametrize("data", [b"PK\x03\x04\xff", b"\xff\xfe"])
def test_keys_that_are_no_text_are_told_so(data: bytes, run: Run, tmp_path: Path) -> None:
    path, keys = written("high_card", ALL, tmp_path), tmp_path / "keys"
    keys.write_bytes(data)
    told = run("verify", path, "--keys", keys)
    assert (told.code, "give a JWK set or verifier keys" in told.err) == (2, True)
