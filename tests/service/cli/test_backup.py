"""Backup and restore as docs/operations.md tells it: its very commands, run by a shell."""

import asyncio
import shutil
import stat
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import msgspec
import pytest
from sqlalchemy.engine import make_url

from tests import servers
from tests.service.cli.conftest import Run, damage
from tests.service.cli.restoring import (
    WORD,
    Player,
    assert_holds,
    commands,
    does,
    published,
    settled,
    started,
    texts,
)
from tests.service.cli.shelled import Shell, shell
from tests.service.conftest import SECRET
from tests.service.process import Server, server
from tests.waiting import eventually

# By nobody here.
NOTE = b"log\n1\n" + b64encode(bytes(32)) + b"\n\n\xe2\x80\x94 x AAAA\n"


@pytest.fixture(params=["sqlite", "postgresql"])
def backend(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture
def prompt(
    backend: str, request: pytest.FixtureRequest, tmp_path: Path, _sqlite_template: Path
) -> Iterator[Shell]:
    """Beside a database that is migrated and has nothing in it."""
    data, name = tmp_path / "data", f"restored_{uuid4().hex}"
    data.mkdir()
    common = {"PLYSCRIBE_SECRET_KEY": SECRET, "PLYSCRIBE_DATA_DIR": str(data), "RESTORED": name}
    if backend == "sqlite":
        shutil.copy(_sqlite_template, data / "plyscribe.db")
        own = f"sqlite:///{data}/plyscribe.db"
        with shell(tmp_path, **common, PLYSCRIBE_DATABASE_URL=own) as made:
            yield made
        return
    admin, own = (request.getfixturevalue(each) for each in ("postgres_server", "postgres_url"))
    at = make_url(admin).set(database="").render_as_string(hide_password=False).rstrip("/")
    with shell(tmp_path, **common, SERVER=at, PLYSCRIBE_DATABASE_URL=own) as made:
        yield made
    servers.drop_database(admin, name)


async def test_a_service_that_plays_is_backed_up_and_restored(prompt: Shell, backend: str) -> None:
    with started(prompt) as served:
        prompt.environ["SERVICE"] = served.address
        async with served.client() as http:
            player = Player(http)
            match_id, token = await player.seated()
            event = (await player.say(match_id, token, WORD))["first"]
            async with player.playing():
                before = dict(player.said)
                await does(prompt, f"backup-{backend}")
            await player.post(f"/{match_id}/erasures", event=event, field="text")
            await player.say(match_id, token, "after the backup")
            await settled(prompt, served)
        await does(prompt, "beside")
        assert served.stop() == 0
    assert WORD not in texts(prompt)

    await does(prompt, f"restore-{backend}")
    assert WORD in texts(prompt)
    await assert_holds(prompt, before)
    told = await asyncio.to_thread(prompt.run, commands("check"))
    assert (told.returncode, "LOST" in told.stdout, "WRONG" in told.stdout) == (1, True, False)
    await does(prompt, "declare")
    await does(prompt, "erase-again")
    assert WORD not in texts(prompt)
    with started(prompt) as served:
        async with served.client() as http:
            await Player(http).say(match_id, token, "it goes on")

            async def name() -> str:
                return str((await http.get("/v1/log")).json()["origin"])

            await eventually(name, lambda found: found == "log.example/plyscribe-2")
        assert served.stop() == 0
    await assert_holds(prompt, before)


@pytest.mark.parametrize("backend", ["sqlite"])
async def test_of_a_service_that_was_stopped_nothing_is_lost(prompt: Shell) -> None:
    with started(prompt) as served:
        prompt.environ["SERVICE"] = served.address
        async with served.client() as http:
            player = Player(http)
            match_id, token = await player.seated()
            await player.say(match_id, token, "last words")
        await settled(prompt, served)
        await does(prompt, "beside")
        assert served.stop() == 0
    await does(prompt, "backup-sqlite")
    await does(prompt, "restore-sqlite")
    assert "WRONG" not in await does(prompt, "check")
    await assert_holds(prompt, player.said)


CHANGES = {
    "UPDATE feed SET head = zeroblob(32) WHERE position = (SELECT max(position) FROM feed)": (
        "WRONG: the first"
    ),
    'DELETE FROM event WHERE (match_id, version) IN (SELECT match_id, "last" FROM feed)': (
        "WRONG: not the events"
    ),
    "DELETE FROM feed WHERE position = (SELECT max(position) FROM feed)": "LOST: 1 of its",
    "DELETE FROM feed WHERE position = 2": "LOST",
}


def test_every_change_of_a_restored_log_is_found(
    run: Run, sqlite_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLYSCRIBE_SECRET_KEY", SECRET)

    async def play(served: Server) -> None:
        async with served.client() as http:
            await Player(http).seated()
        await published(served, 3)

    with server(sqlite_url, tmp_path / "data") as served:
        asyncio.run(play(served))
        assert served.stop() == 0
    file = Path(sqlite_url.removeprefix("sqlite:///"))
    whole = file.read_bytes()
    for change, said in CHANGES.items():
        file.write_bytes(whole)
        damage(sqlite_url, change)
        told = run("log", "check", "--database-url", sqlite_url)
        assert (told.code, said in told.out) == (1, True), (change, told)


def test_a_backup_is_one_whole_file_of_its_owner(
    run: Run, played: tuple[str, str], tmp_path: Path
) -> None:
    url, match_id = played
    told = run("backup", tmp_path / "copy.db", "--database-url", url)
    assert (told.code, told.out.strip()) == (0, str(tmp_path / "copy.db")), told.err
    assert stat.S_IMODE((tmp_path / "copy.db").stat().st_mode) == 0o600
    assert {each.name for each in tmp_path.glob("copy*")} == {"copy.db"}
    read = run("replay", match_id, "--json", "--database-url", f"sqlite:///{tmp_path / 'copy.db'}")
    assert read.lines[-1]["ok"], read.err


def test_what_can_not_be_backed_up_leaves_nothing_behind(
    run: Run, played: tuple[str, str], tmp_path: Path
) -> None:
    (tmp_path / "there.db").write_text("kept")
    (tmp_path / "other.db").write_text("no database at all, only a text in a file" * 20)
    (tmp_path / "empty.db").touch()
    damaged = tmp_path / "damaged.db"
    data = bytearray(Path(played[0].removeprefix("sqlite:///")).read_bytes())
    data[len(data) // 2 : len(data) // 2 + 8192] = bytes(8192)
    damaged.write_bytes(data)
    for source, file, reason in (
        (played[0], "there.db", "is there already"),
        (played[0], "none/copy.db", "none/copy.db: No such"),
        ("postgresql://localhost/x", "copy.db", "pg_dump"),
        (f"sqlite:///{tmp_path}/missing.db", "copy.db", "no database yet"),
        (f"sqlite:///{tmp_path}/other.db", "copy.db", "not a database"),
        (f"sqlite:///{tmp_path}/empty.db", "copy.db", "alembic_version"),
        (f"sqlite:///{damaged}", "copy.db", "damaged"),
    ):
        told = run("backup", tmp_path / file, "--database-url", source)
        assert (told.code, reason in told.err) == (2, True), (source, told)
        assert not list(tmp_path.glob("*copy*"))
    assert (tmp_path / "there.db").read_text() == "kept"


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"nothing", "note: is no checkpoint"),
        (b"\xff\xfe", "note: is no checkpoint"),
        (NOTE, "note: no key of this service"),
    ],
)
def test_what_is_no_checkpoint_is_refused(
    run: Run, sqlite_url: str, tmp_path: Path, content: bytes, reason: str, monkeypatch: Any
) -> None:
    monkeypatch.setenv("PLYSCRIBE_SECRET_KEY", SECRET)
    (tmp_path / "note").write_bytes(content)
    with server(sqlite_url, tmp_path / "data") as served:
        assert served.stop() == 0
    told = run("log", "check", tmp_path / "note", "--database-url", sqlite_url)
    assert (told.code, reason in told.err) == (2, True), told
    sound = run("log", "check", "--json", "--database-url", sqlite_url)
    (report,) = (msgspec.convert(line, dict) for line in sound.lines)
    assert (sound.code, report["ok"], report["torn"]) == (0, True, [])
