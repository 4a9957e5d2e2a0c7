"""`plyscribe archive`: what it tells, what it moves, that it can be killed, and the way back."""

import asyncio
import os
import shutil
import signal
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path

import httpx
import msgspec
import pytest

from events.bundle import TEXTS
from events.engines import FileLock
from events.verify_bundle import verify_bundle
from service.app import build
from service.settings import Settings
from tests import installing
from tests.events.bundled import members
from tests.forking import nothing, typed
from tests.service import builds
from tests.service.archived import rested
from tests.service.cli.conftest import KEY, Run, damage
from tests.service.conftest import KEY as ADMIN
from tests.service.conftest import Clock, Door
from tests.service.process import PATIENCE, prepared

MATCHES = 3
Counts = tuple[int, int, int]
Build = Callable[[], None]


class Kept(msgspec.Struct, frozen=True):
    """A database with matches that rest, in the order of their ids."""

    url: str
    ids: tuple[str, ...]

    @property
    def database(self) -> tuple[str, str]:
        return "--database-url", self.url

    @property
    def file(self) -> Path:
        return Path(self.url.removeprefix("sqlite:///"))

    def rows(self) -> Counts:
        """Of events, of commands, of archives."""
        with closing(sqlite3.connect(self.file)) as connection:
            counts = [
                connection.execute(f"SELECT count(*) FROM {name}").fetchone()[0]
                for name in ("event", "command", "archive")
            ]
        return counts[0], counts[1], counts[2]


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory, _sqlite_template: Path) -> Kept:
    """Made once, for all tests to copy."""
    installing.install()
    folder = tmp_path_factory.mktemp("kept")
    shutil.copy(_sqlite_template, folder / "plyscribe.db")
    return asyncio.run(_kept(f"sqlite:///{folder / 'plyscribe.db'}", folder))


@pytest.fixture
def kept(template: Kept, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Kept:
    monkeypatch.setenv("PLYSCRIBE_SECRET_KEY", KEY)
    shutil.copy(template.file, tmp_path / "plyscribe.db")
    return Kept(f"sqlite:///{tmp_path / 'plyscribe.db'}", template.ids)


async def _kept(url: str, folder: Path) -> Kept:
    clock = Clock()
    settings = Settings(
        data_dir=folder,
        database_url=url,
        secret_key=KEY,
        admin_key=ADMIN,
        feed_seconds=0.02,
        checkpoint_seconds=0.05,
    )
    async with (
        build(settings, clock=clock).running() as app,
        httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://door") as http,
    ):
        door, ids = Door(http, app, clock), []
        for _ in range(MATCHES):
            clock.now += 1000
            ids.append((await rested(door)).match_id)
        return Kept(url, tuple(ids))


def exported(run: Run, kept: Kept, place: Path) -> dict[str, bytes]:
    told = run("export", place, *kept.database)
    assert told.code == 0, told.err
    return {each.name: each.read_bytes() for each in place.iterdir()}


def test_what_rests_is_archived_once_and_put_back(run: Run, kept: Kept, tmp_path: Path) -> None:
    before, files = kept.rows(), exported(run, kept, tmp_path / "before")
    dry = run("archive", "--dry-run", *kept.database)
    assert (dry.code, kept.rows()) == (0, before), dry.err
    assert dry.out.splitlines() == [f"{each}  would be archived" for each in kept.ids]
    done = run("archive", *kept.database)
    assert done.code == 0, done.err
    assert [line.split(":")[0] for line in done.out.splitlines()] == [
        f"{each}  archived" for each in kept.ids
    ]
    assert f"3 archived, 0 broken: {sum(before):,} rows became 3" in done.err
    assert kept.rows() == (0, 0, 3)
    assert exported(run, kept, tmp_path / "after") == files
    for words in (("log", "check"), ("replay", kept.ids[0], "--viewer", "all")):
        told = run(*words, *kept.database)
        assert told.code == 0, told.err
    again = run("archive", "--json", *kept.database)
    assert (again.code, again.lines[0]["archived"], again.lines[0]["left"]) == (0, 0, {})
    for each in kept.ids:
        assert run("archive", "--restore", each, *kept.database).code == 0
    assert kept.rows() == before
    assert exported(run, kept, tmp_path / "restored") == files
    refused = run("archive", "--restore", kept.ids[0], *kept.database)
    assert (refused.code, "is not archived" in refused.err) == (2, True)


def test_it_takes_no_more_than_it_is_told_and_nothing_that_is_too_new(run: Run, kept: Kept) -> None:
    newer = run("archive", "--older-than", "100000d", "--json", *kept.database)
    assert (newer.code, newer.lines[0]["archived"], kept.rows()[2]) == (0, 0, 0)
    for count in (1, 2, 3):
        told = run("archive", "--limit", 1, "--json", *kept.database)
        (report,) = told.lines
        assert (told.code, report["archived"], report["rows_after"]) == (0, 1, 1)
        assert report["bytes_before"] > report["bytes_after"] > 0
        assert kept.rows()[2] == count
    for words in (("--older-than", "-1d"), ("--older-than", "soon"), ("--limit", 0)):
        assert run("archive", *words, *kept.database).code == 2
    assert run("archive", "--restore", "no-match", *kept.database).code == 2


def test_a_service_that_holds_the_file_has_to_be_stopped(run: Run, kept: Kept) -> None:
    lock = FileLock(kept.file)
    try:
        told = run("archive", *kept.database)
        assert run("archive", "--dry-run", *kept.database).code == 0
    finally:
        lock.release()
    assert told.code == 2
    assert told.err.strip().endswith("stop it first")


def test_bundles_go_to_a_folder_without_texts(run: Run, kept: Kept, tmp_path: Path) -> None:
    place = tmp_path / "cold"
    refused = run("archive", "--to", place, *kept.database)
    assert (refused.code, kept.rows()[2]) == (2, 0)
    place.mkdir()
    (place / f"{kept.ids[0]}.zip").write_bytes(b"of an earlier day")
    assert run("archive", "--to", place, *kept.database).code == 0
    assert sorted(each.name for each in place.iterdir()) == [f"{each}.zip" for each in kept.ids]
    for each in place.iterdir():
        data = each.read_bytes()
        found = verify_bundle(data)
        assert found.fault is None
        assert "proof" in found.checked
        assert TEXTS not in members(data)
        assert each.stat().st_mode & 0o777 == 0o600


def test_a_log_that_does_not_hold_stays_and_the_others_go(run: Run, kept: Kept) -> None:
    damage(
        kept.url,
        f"UPDATE event SET salt = zeroblob(32) WHERE match_id = '{kept.ids[1]}' AND version = 2",
    )
    told = run("archive", *kept.database)
    assert told.code == 1
    assert [line.split(":")[0].split()[1] for line in told.out.splitlines()] == [
        "archived",
        "broken",
        "archived",
    ]
    assert kept.rows()[2] == 2
    assert run("log", "check", *kept.database).code == 0


def test_the_check_of_the_log_finds_a_damaged_archive(run: Run, kept: Kept) -> None:
    assert run("archive", *kept.database).code == 0
    damage(
        kept.url,
        f"UPDATE archive SET log = substr(log, 1, 99) WHERE match_id = '{kept.ids[1]}'",
    )
    told = run("log", "check", *kept.database)
    assert (told.code, "WRONG: not the events" in told.out) == (1, True)
    broken = run("archive", "--restore", kept.ids[1], *kept.database)
    assert (broken.code, "its archive can't be read" in broken.err) == (2, True)
    assert kept.rows()[2] == MATCHES


def test_a_backup_has_what_is_archived(run: Run, kept: Kept, tmp_path: Path) -> None:
    before = exported(run, kept, tmp_path / "before")
    assert run("archive", *kept.database).code == 0
    assert run("backup", tmp_path / "backup.db", *kept.database).code == 0
    copy = Kept(f"sqlite:///{tmp_path / 'backup.db'}", kept.ids)
    assert run("log", "check", *copy.database).code == 0
    assert exported(run, copy, tmp_path / "after") == before


POINTS = {"archive_checked": 1, "bundle_kept": 1, "before_archive": 1, "after_archive": 2}
SHORT = ("before_archive",)


@pytest.mark.parametrize(
    "point", [p if p in SHORT else pytest.param(p, marks=pytest.mark.soak) for p in POINTS]
)
def test_killed_at_any_moment_it_goes_on_where_it_was(
    run: Run, kept: Kept, tmp_path: Path, point: str
) -> None:
    _killed_at(run, kept, tmp_path, point)


@pytest.mark.soak
@pytest.mark.parametrize(
    ("build", "point", "found"),
    [
        (builds.deleting_before_it_archives, "before_archive", "left out: can't be read"),
        (builds.deleting_what_it_has_checked, "archive_checked", "left out: can't be read"),
        (builds.taking_a_bundle_for_an_archive, "bundle_kept", "not all are archived"),
        (builds.keeping_bundles_of_what_is_archived, "after_archive", "a bundle is missing"),
    ],
)
def test_who_archives_otherwise_is_found_out(
    run: Run, kept: Kept, tmp_path: Path, build: Build, point: str, found: str
) -> None:
    with pytest.raises(AssertionError, match=found):
        _killed_at(run, kept, tmp_path, point, build)


def _killed_at(run: Run, kept: Kept, tmp_path: Path, point: str, build: Build = nothing) -> None:
    before = exported(run, kept, tmp_path / "before")
    place = tmp_path / "cold"
    place.mkdir()
    crash = {"PLYSCRIBE_TEST": "1", "PLYSCRIBE_TEST_CRASH_AT": f"{point}:2"}
    words = ("archive", "--to", place, *kept.database)
    assert _ran(build, tmp_path, *words, **crash) == -signal.SIGKILL
    assert kept.rows()[2] == POINTS[point]
    assert exported(run, kept, tmp_path / "between") == before
    assert run("log", "check", *kept.database).code == 0
    assert _ran(build, tmp_path, *words) == 0
    assert kept.rows() == (0, 0, MATCHES), "not all are archived"
    assert exported(run, kept, tmp_path / "after") == before
    names = {each.name for each in place.iterdir()}
    assert names >= {f"{each}.zip" for each in kept.ids}, "a bundle is missing"
    assert all(verify_bundle(each.read_bytes()).is_sound for each in place.glob("*.zip"))


def _ran(build: Build, folder: Path, *words: object, **more: str) -> int | None:
    """The exit code of the command in a process of its own; `more` is of its environment."""
    log = folder / "said.log"
    log.touch()
    first = partial(prepared, build)
    process = typed({**os.environ, **more}, log, *map(str, words), first=first)
    process.join(PATIENCE)
    sys.stderr.write(log.read_text())
    return process.exitcode
