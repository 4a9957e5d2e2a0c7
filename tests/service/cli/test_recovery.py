"""PostgreSQL brought to a moment by the commands of docs/operations.md, run by a shell."""

import asyncio
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from service import migrate
from tests import servers
from tests.service.cli.restoring import (
    WORD,
    Player,
    assert_holds,
    commands,
    does,
    settled,
    started,
    texts,
)
from tests.service.cli.shelled import Shell, shell
from tests.service.conftest import SECRET

LOCAL = "listen_addresses = '127.0.0.1'\nunix_socket_directories = ''\nport = {port}\n"


@contextmanager
def administered() -> Iterator[Shell]:
    """The shell of PostgreSQL's own user beside a server that runs. Raises: ServerMissing."""
    with servers._folder() as folder:
        port, user = servers.free_port(), servers._user()
        data, archive = folder / "data", folder / "archive"
        programs = servers.postgres_binaries()
        servers._run(programs / "initdb", "-D", data, "-U", "postgres", "-A", "trust")
        with (data / "postgresql.conf").open("a") as file:
            file.write(LOCAL.format(port=port))
        archive.mkdir()
        if user is not None:
            shutil.chown(archive, user)
        environ = {
            "PATH": f"{programs}:{os.environ['PATH']}",
            "SERVER": f"postgresql://postgres@127.0.0.1:{port}",
            "PGDATA": str(data),
            "ARCHIVE": str(archive),
            "BASE": str(folder / "base"),
            "RECOVERED": str(folder / "recovered"),
        }
        prompt = Shell(folder, environ, user)
        ran(prompt, 'pg_ctl --wait --log="$PGDATA/server.log" start')
        try:
            yield prompt
        finally:
            for each in ("PGDATA", "RECOVERED"):
                prompt.run(f'pg_ctl --pgdata="${each}" --mode=immediate stop')


def ran(prompt: Shell, text: str) -> None:
    done = prompt.run(text)
    assert done.returncode == 0, done.stderr


@pytest.fixture
def admin() -> Iterator[Shell]:
    try:
        with administered() as made:
            yield made
    except servers.ServerMissing as missing:
        pytest.skip(str(missing))


@pytest.fixture
def prompt(admin: Shell, tmp_path: Path) -> Iterator[Shell]:
    """Beside a database of that server that is migrated and has nothing in it."""
    (tmp_path / "data").mkdir()
    own = servers.create_database(admin.environ["SERVER"] + "/postgres", "played")
    migrate.upgrade(own)
    more = {"PLYSCRIBE_SECRET_KEY": SECRET, "PLYSCRIBE_DATA_DIR": str(tmp_path / "data")}
    with shell(tmp_path, **more, PLYSCRIBE_DATABASE_URL=own) as made:
        yield made


def moment(prompt: Shell) -> str:
    """By the clock of the server."""
    with psycopg.connect(prompt.environ["PLYSCRIBE_DATABASE_URL"]) as connection:
        (now,) = connection.execute("SELECT clock_timestamp()").fetchone() or ("",)
    return str(now)


@pytest.mark.soak
async def test_a_server_is_recovered_to_a_moment(prompt: Shell, admin: Shell) -> None:
    await does(admin, "archive")
    with started(prompt) as served:
        prompt.environ["SERVICE"] = served.address
        async with served.client() as http:
            player = Player(http)
            match_id, token = await player.seated()
            event = (await player.say(match_id, token, WORD))["first"]
            async with player.playing():
                await does(admin, "base")
                before = dict(player.said)
            await settled(prompt, served)
            await does(prompt, "beside")
            earlier = (prompt.folder / "checkpoint.txt").rename(prompt.folder / "earlier.txt")
            early = moment(prompt)
            await player.post(f"/{match_id}/erasures", event=event, field="text")
            await player.say(match_id, token, "after the moment")
            await settled(prompt, served)
            await does(prompt, "beside")
            late, everything = moment(prompt), dict(player.said)
            await player.say(match_id, token, "after all of it")
        assert served.stop() == 0
    ran(admin, "pg_ctl --mode=fast stop")

    # A moment after the last checkpoint that was published: it holds.
    admin.environ["MOMENT"] = late
    await does(admin, "recover")
    assert "LOST" not in await does(prompt, "check")
    await assert_holds(prompt, everything)
    assert WORD not in texts(prompt)
    ran(admin, 'pg_ctl --pgdata="$RECOVERED" --mode=fast stop && rm -r "$RECOVERED"')

    # One before it: that is told, and that what was published before is here.
    admin.environ["MOMENT"] = early
    await does(admin, "recover")
    told = await asyncio.to_thread(prompt.run, commands("check"))
    assert (told.returncode, "LOST" in told.stdout, "WRONG" in told.stdout) == (1, True, False)
    ran(prompt, f"plyscribe log check {earlier}")
    await does(admin, "promote")
    assert WORD in texts(prompt)
    await assert_holds(prompt, before)
    await does(prompt, "declare")
    await does(prompt, "erase-again")
    assert WORD not in texts(prompt)
    with started(prompt) as served:
        async with served.client() as http:
            await Player(http).say(match_id, token, "it goes on")
        assert served.stop() == 0
    await assert_holds(prompt, before)
