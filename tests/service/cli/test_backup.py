"""Backup and restore as docs/operations.md tells it: its very commands, run by a shell."""

import asyncio
import shutil
import sqlite3
import stat
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import msgspec
import psycopg
import pytest
from sqlalchemy.engine import make_url

from service.cli.checking import checked
from service.cli.rebuilding import read_log
from service.settings import Settings
from tests import installing, servers
from tests.service.cli.conftest import ROOT, Run, damage
from tests.service.cli.shelled import Shell, shell
from tests.service.client import bearer
from tests.service.conftest import KEY, SECRET
from tests.service.process import Server, server
from tests.waiting import eventually

MANUAL = (ROOT / "docs" / "operations.md").read_text("utf-8")
WORD = "said-and-erased"

Json = dict[str, Any]


def commands(block: str) -> str:
    """The text of a block of the manual, as it stands there."""
    (_, found, rest) = MANUAL.partition(f"```sh {block}\n")
    assert found, block
    return rest.partition("```")[0]


async def does(prompt: Shell, block: str) -> str:
    """What the commands of a block print, when they go well."""
    done = await asyncio.to_thread(prompt.run, commands(block))
    assert done.returncode == 0, done.stderr
    return done.stdout


class Player:
    """Makes matches and talks in them without a pause; `said` are versions that were answered."""

    def __init__(self, http: httpx.AsyncClient) -> None:
        self._http = http
        self.said: dict[str, int] = {}

    async def post(self, path: str, token: str = KEY, **body: Any) -> Json:
        headers = {**bearer(token), "idempotency-key": uuid4().hex}
        got = await self._http.post(f"/v1/matches{path}", json=body, headers=headers)
        assert got.status_code in (200, 201), got.text
        found: Json = got.json()
        return found

    async def seated(self) -> tuple[str, str]:
        """A match that runs, and the token of its seat 0."""
        made = (await self.post("", game=installing.SLUG, seats=2))["match_id"]
        tokens = [(await self.post(f"/{made}/seats/{seat}/claim"))["token"] for seat in (0, 1)]
        return made, tokens[0]

    async def say(self, match_id: str, token: str, word: str) -> Json:
        move = {"type": "speak", "text": word}
        done = await self.post(f"/{match_id}/moves", token, decision=None, move=move)
        self.said[match_id] = done["last"]
        return done

    async def play(self) -> None:
        while True:
            match_id, token = await self.seated()
            for number in range(10):
                await self.say(match_id, token, f"word {number}")

    @asynccontextmanager
    async def playing(self) -> AsyncIterator[None]:
        task = asyncio.create_task(self.play())
        try:
            await eventually(self._count, lambda count: count >= 3)
            yield
        finally:
            assert not task.done() or task.exception() is None
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def _count(self) -> int:
        return len(self.said)


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


def started(prompt: Shell) -> Any:
    return server(prompt.environ["PLYSCRIBE_DATABASE_URL"], prompt.folder / "data")


async def published(served: Server, past: int) -> int:
    """The size of the log as it is signed, when it is more than `past`."""
    async with served.client() as http:

        async def size() -> int:
            got = await http.get("/v1/log/checkpoint")
            return int(got.text.splitlines()[1]) if got.status_code == 200 else 0

        return await eventually(size, lambda found: found > past)


async def assert_holds(prompt: Shell, said: dict[str, int]) -> None:
    """Every match whole up to the version that was answered at least."""
    own = {"database_url": prompt.environ["PLYSCRIBE_DATABASE_URL"], "secret_key": SECRET}
    settings = Settings(data_dir=prompt.folder / "data", **own)  # type: ignore[arg-type]
    for match_id, version in said.items():
        log = await read_log(settings, match_id)
        assert len(log.records) >= version
        assert checked(log).ok


def texts(prompt: Shell) -> list[str]:
    url = prompt.environ["PLYSCRIBE_DATABASE_URL"]
    query = "SELECT text FROM text"
    if url.startswith("sqlite"):
        with sqlite3.connect(url.removeprefix("sqlite:///")) as connection:
            return [str(row[0]) for row in connection.execute(query)]
    with psycopg.connect(url) as connection:
        return [str(row[0]) for row in connection.execute(query).fetchall()]


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
            size = await published(served, 0)
            await player.say(match_id, token, "after the backup")
            await published(served, size)
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
        await published(served, 0)
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
        (played[0], "none/copy.db", "none"),
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
    ("content", "reason"), [(b"nothing", "no key of this service"), (b"\xff\xfe", "no checkpoint")]
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
