"""An SQLite file: one service writes it, others read, and what a dead one leaves stops nobody."""

import asyncio
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random

import msgspec
import pytest

from events.database import parsed_url
from tests.faults import builds
from tests.faults.history import faults
from tests.faults.players import (
    REPLAYED,
    give,
    insisting_client,
    next_answers,
    open_table,
    play_out,
)
from tests.faults.serving import Service, service
from tests.faults.stored import assert_sound, final_of, records_of
from tests.service.client import Table

REFUSED = 2  # the exit code of a command that can't be done


def file_of(served: Service) -> Path:
    return Path(str(parsed_url(served.database_url).database))


async def assert_served_once(served: Service) -> None:
    """A second service on the same file is refused in one line."""
    async with service(served.data_dir, served.database_url) as second:
        second.build = served.build
        await second.start(is_awaited=False)
        with suppress(AssertionError):
            await second.until_ready()
        assert not second.is_running, "a second process writes to the file"
        assert await second.exit_code() == REFUSED
        (line,) = second.said().splitlines()
        assert "another process serves plyscribe.db" in line


async def replayed(served: Service, table: Table) -> list[msgspec.Raw]:
    """What `plyscribe replay` says, a line of JSON for each event and one for the verdict."""
    words = ["replay", table.match_id, "--json", "--database-url", served.database_url]
    command = [sys.executable, "-m", "service.cli", *words, "--data-dir", str(served.data_dir)]
    process = await asyncio.create_subprocess_exec(
        *command, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    out, err = await process.communicate()
    assert process.returncode == 0, err.decode()
    return [msgspec.Raw(line) for line in out.splitlines()]


async def test_others_may_read_while_one_writes(on_sqlite: Service) -> None:
    served = on_sqlite
    await served.start()
    await assert_served_once(served)
    async with insisting_client(served.url) as http:
        table = await open_table(http, rounds=6)
        begun = len(await records_of(served, table.match_id))
        playing = asyncio.create_task(play_out(http, table))
        told = await replayed(served, table)
        history = await playing
    final = final_of(await assert_sound(served, table.match_id))
    assert begun < len(told) <= final.version + 1
    assert faults(history, final) == []
    last = msgspec.json.decode(told[-1])
    assert (last["ok"], last["head"]) == (True, final.heads[last["version"] - 1])


async def test_a_second_writer_is_noticed(on_sqlite: Service) -> None:
    on_sqlite.build = builds.locking_nothing
    await on_sqlite.start()
    with pytest.raises(AssertionError, match="a second process writes"):
        await assert_served_once(on_sqlite)


async def test_what_a_killed_service_leaves_behind_stops_nobody(on_sqlite: Service) -> None:
    await _goes_on_from_what_is_left(on_sqlite)


@pytest.mark.parametrize(
    ("build", "found"),
    [
        pytest.param(builds.locking_by_the_file_itself, "it did not start", marks=pytest.mark.soak),
        (builds.clearing_up, "what was acknowledged is lost"),
    ],
)
async def test_who_does_not_go_on_from_what_is_left_is_found_out(
    on_sqlite: Service, build: Callable[[], None], found: str
) -> None:
    on_sqlite.build = build
    with pytest.raises(AssertionError, match=found):
        await _goes_on_from_what_is_left(on_sqlite)


async def _goes_on_from_what_is_left(on_sqlite: Service) -> None:
    """A lock file with rubbish in it, a torn end of the write-ahead log, no index of that log."""
    served, path = on_sqlite, file_of(on_sqlite)
    async with insisting_client(served.url) as http:
        await served.start()
        table = await open_table(http)
        (ask,) = await next_answers(http, table, Random(1))
        receipt = await give(http, table, ask)
        stored = await records_of(served, table.match_id)
        await served.kill()
        for torn in (b"\xff" * 3, b"", b"12345\n" * 1000):
            lock, log = (path.with_name(path.name + end) for end in (".lock", "-wal"))
            lock.write_bytes(torn)
            with log.open("ab") as tail:
                tail.write(torn + log.read_bytes()[32:2000])
            path.with_name(path.name + "-shm").unlink()
            await served.start()
            again = await give(http, table, ask)
            assert again.status_code == 200, "what was acknowledged is lost"
            assert await records_of(served, table.match_id) == stored
            assert (again.headers[REPLAYED], again.content) == ("true", receipt.content)
            await served.kill()
        await served.start()
        await assert_served_once(served)
        await play_out(http, table)
    await assert_sound(served, table.match_id)
