"""`plyscribe export` and `import`: out and in again, all of a match or nothing."""

import asyncio
import shutil
import zipfile
from hashlib import sha256
from pathlib import Path

import msgspec
import pytest

from events.bundle import ALWAYS, EVENTS, SEED, TEXTS
from events.database import Database
from events.store import MatchFilter, Store
from events.verify_bundle import verify_bundle
from service.cli.archive import INDEX, Index
from tests.events.bundled import forged, members
from tests.service.cli.conftest import KEY, Run, damage, stored_match

Played = tuple[str, str]
Urls = tuple[str, str]
ORGANISATION = "INSERT INTO org (id, name, created_at) VALUES ('main', 'Main', 1)"


@pytest.fixture
def keyed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLYSCRIBE_SECRET_KEY", KEY)


@pytest.fixture
def empty(_sqlite_template: Path, tmp_path: Path) -> str:
    """Another database, with the organisation and nothing else."""
    target = tmp_path / "target.db"
    shutil.copy(_sqlite_template, target)
    damage(f"sqlite:///{target}", ORGANISATION)
    return f"sqlite:///{target}"


@pytest.fixture
def urls(played: Played, empty: str, keyed: None) -> Urls:
    """A database with one match, and an empty one; both have the organisation."""
    damage(played[0], ORGANISATION)
    return played[0], empty


def index_of(folder: Path) -> Index:
    return msgspec.json.decode((folder / INDEX).read_bytes(), type=Index)


def stored(url: str) -> list[str]:
    async def ids() -> list[str]:
        database = await Database.open(url)
        try:
            return [r.match_id for r in await Store(database).list_matches("main", MatchFilter())]
        finally:
            await database.close()

    return asyncio.run(ids())


@pytest.mark.parametrize("place", ["folder", "all.zip"])
def test_what_comes_in_goes_out_the_same(
    run: Run, urls: Urls, played: Played, tmp_path: Path, place: str
) -> None:
    source, target = urls
    first, second = tmp_path / place, tmp_path / f"again-{place}"
    assert run("export", first, "--database-url", source).code == 0
    told = run("import", first, "--database-url", target)
    assert (told.code, told.out.strip()) == (0, f"{played[1]}  taken in"), told.err
    assert run("export", second, "--database-url", target).code == 0
    if place == "folder":
        assert index_of(first).matches == index_of(second).matches
        name = index_of(first).matches[0].file
        data = (first / name).read_bytes()
        assert (second / name).read_bytes() == data
        assert verify_bundle(data).fault is None
    else:
        with zipfile.ZipFile(first) as one, zipfile.ZipFile(second) as other:
            assert {n: one.read(n) for n in one.namelist()} == {
                n: other.read(n) for n in other.namelist()
            }
    replayed = run("replay", played[1], "--viewer", "all", "--database-url", target)
    assert (replayed.code, "all of it holds" in replayed.out) == (0, True)


def test_importing_again_changes_nothing(run: Run, urls: Urls, tmp_path: Path) -> None:
    source, target = urls
    run("export", tmp_path / "out", "--database-url", source)
    assert "taken in" in run("import", tmp_path / "out", "--database-url", target).out
    for url in (target, source):
        told = run("import", tmp_path / "out", "--database-url", url)
        assert (told.code, "there already" in told.out) == (0, True)


def test_a_match_moves_between_worlds_of_one_kind_alone(
    run: Run, urls: Urls, tmp_path: Path
) -> None:
    source, target = urls
    run("export", tmp_path / "out", "--database-url", source)
    told = run("import", tmp_path / "out", "--org", "main/test", "--database-url", target)
    assert (told.code, "is no test match" in told.out) == (1, True), told
    assert stored(target) == []
    told = run("export", tmp_path / "empty", "--org", "main/test", "--database-url", source)
    assert (told.code, index_of(tmp_path / "empty").org) == (0, "main/test")
    assert index_of(tmp_path / "empty").matches == ()


def test_an_unrevealed_match_leaves_with_the_operator_alone_and_plays_on(
    run: Run, running: Played, empty: str, tmp_path: Path, keyed: None
) -> None:
    damage(running[0], ORGANISATION)
    told = run("export", tmp_path / "out", "--database-url", running[0])
    assert (told.code, "left out: it is not revealed" in told.out) == (0, True)
    assert index_of(tmp_path / "out").matches == ()
    assert run("export", tmp_path / "op", "--operator", "--database-url", running[0]).code == 0
    (told_of,) = index_of(tmp_path / "op").matches
    assert told_of.seed is not None
    assert SEED not in members((tmp_path / "op" / told_of.file).read_bytes())
    assert run("import", tmp_path / "op", "--database-url", empty).code == 0
    replayed = run("replay", running[1], "--database-url", empty, "--json").lines[-1]
    assert (replayed["ok"], replayed["unchecked"]) == (True, [])


def _changed(folder: Path, change: str) -> None:
    """One of the ways an export can be wrong, where all but one thing fits."""
    index = index_of(folder)
    (match,) = index.matches
    place = folder / match.file
    data = place.read_bytes()
    match change:
        case "another file":
            place.write_bytes(data + b"x")
            return
        case "an event":
            data = forged(data, {EVENTS: members(data)[EVENTS].replace(b'"at":4', b'"at":5', 1)})
        case "a text":
            found = members(data).get(TEXTS, b"")
            row = b'{"field":"text","salt":"00","text":"no","version":2}\n'
            data = forged(data, {TEXTS: found + row})
        case "cut short":
            whole = members(data)
            data = forged(
                data, {each: whole[each][:-32] for each in ALWAYS if each.endswith("bin")}
            )
        case "missing":
            place.unlink()
            return
        case "holder":
            seats = ({"seat": 0, "holder": "p_x", "account": None},)
            changed = {**msgspec.to_builtins(match), "seats": seats}
            told = {**msgspec.to_builtins(index), "matches": [changed]}
            (folder / INDEX).write_bytes(msgspec.json.encode(told))
            return
    place.write_bytes(data)
    fitting = msgspec.structs.replace(match, sha256=sha256(data).hexdigest())
    again = msgspec.structs.replace(index, matches=(fitting,))
    (folder / INDEX).write_bytes(msgspec.json.encode(again))


@pytest.mark.parametrize(
    "change", ["another file", "an event", "a text", "cut short", "missing", "holder"]
)
def test_what_does_not_hold_is_refused_and_nothing_of_it_is_stored(
    run: Run, urls: Urls, tmp_path: Path, change: str
) -> None:
    source, target = urls
    folder = tmp_path / "out"
    run("export", folder, "--database-url", source)
    _changed(folder, change)
    told = run("import", folder, "--database-url", target)
    assert (told.code, "refused: " in told.out) == (1, True), told.out
    assert stored(target) == []


def test_the_others_are_taken_in_beside_one_that_is_refused(
    run: Run, urls: Urls, played: Played, tmp_path: Path
) -> None:
    source, target = urls
    other = asyncio.run(stored_match(source))
    folder = tmp_path / "out"
    run("export", folder, "--database-url", source)
    (folder / f"{played[1]}.zip").write_bytes(b"")
    told = run("import", folder, "--database-url", target)
    assert told.code == 1
    assert stored(target) == [other]


def test_another_log_under_the_same_id_is_refused(
    run: Run, urls: Urls, played: Played, tmp_path: Path
) -> None:
    source, target = urls
    run("export", tmp_path / "out", "--database-url", source)
    run("import", tmp_path / "out", "--database-url", target)
    damage(target, "UPDATE match SET org = 'others'")
    told = run("import", tmp_path / "out", "--database-url", target)
    assert (told.code, "another organisation" in told.out) == (1, True)
    damage(target, "UPDATE match SET org = 'main', head = x'00'")
    damage(target, "DELETE FROM command")
    told = run("import", tmp_path / "out", "--database-url", target)
    assert (told.code, "another log" in told.out) == (1, True)


@pytest.mark.parametrize(
    "how",
    [
        "DELETE FROM event WHERE version = 3",
        "UPDATE event SET body = x'7b' WHERE version = 1",
    ],
)
def test_a_damaged_match_is_left_out_and_said(
    run: Run, urls: Urls, tmp_path: Path, how: str
) -> None:
    damage(urls[0], how)
    told = run("export", tmp_path / "out", "--database-url", urls[0])
    assert (told.code, "can't be read" in told.out) == (1, True)


def test_an_export_never_writes_over_anything(run: Run, urls: Urls, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    assert run("export", tmp_path / "out", "--database-url", urls[0]).code == 2
    assert run("export", tmp_path / "new", "--org", "nobody", "--database-url", urls[0]).code == 2
    assert not (tmp_path / "new").exists()
    assert not (tmp_path / "new.part").exists()


@pytest.mark.parametrize(
    "index",
    [b"", b"[]", b'{"format":"other","org":"main","name":"","matches":[]}',
     b'{"format":"plyscribe/export/1","org":"main","name":"","matches":'
     b'[{"match_id":"../../x","sha256":""}]}'],
)  # fmt: skip
def test_a_crafted_index_is_refused(run: Run, urls: Urls, tmp_path: Path, index: bytes) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / INDEX).write_bytes(index)
    assert run("import", tmp_path / "in", "--database-url", urls[1]).code == 2


def test_a_crafted_archive_is_refused(run: Run, urls: Urls, tmp_path: Path) -> None:
    bomb, twice = tmp_path / "bomb.zip", tmp_path / "twice.zip"
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(INDEX, b" " * (1 << 20))
    with zipfile.ZipFile(twice, "w") as archive:
        archive.writestr(INDEX, b"{}")
        with pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr(INDEX, b"{}")
    (tmp_path / "no.zip").write_bytes(b"nothing")
    for name in ("bomb", "twice", "no", "missing"):
        told = run("import", tmp_path / f"{name}.zip", "--database-url", urls[1])
        assert told.code == 2, name


@pytest.mark.parametrize(
    ("at", "value"), [(6, 100), (8, 1)], ids=("newer than any zip we read", "encrypted")
)
def test_a_zip_of_a_kind_unknown_is_refused(
    run: Run, urls: Urls, tmp_path: Path, at: int, value: int
) -> None:
    path = tmp_path / "in.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(INDEX, b"{}")
    data = bytearray(path.read_bytes())
    directory = data.rindex(b"PK\x01\x02")
    data[directory + at] = value
    data[at - 2] = value  # the same in the file's own header, which lacks the first two bytes
    path.write_bytes(data)
    told = run("import", path, "--database-url", urls[1])
    assert (told.code, "index.json can't be read" in told.err or "is no zip" in told.err) == (
        2,
        True,
    )
