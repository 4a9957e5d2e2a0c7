"""The push bench measures what it says, in a small run."""

import asyncio
from contextlib import ExitStack
from pathlib import Path

import pytest

from bench import push
from bench.connections import Connection
from bench.plans import path_of, plans
from bench.receivers import Receiver
from bench.rounds import runs
from service.cli.demo.server import Server


def test_the_bare_server_reaches_everybody() -> None:
    with push._bare() as url:
        assert 0 < runs(push._bare_fanout(url, 20, 200)) < 5_000


@pytest.mark.parametrize("subscribe", push.DOORS.values(), ids=["rest", "graphql"])
async def test_a_subscriber_of_either_door_hears_of_a_move(
    sqlite_url: str, tmp_path: Path, subscribe: push.Subscribe
) -> None:
    with ExitStack() as stack:
        server = Server(tmp_path, sqlite_url)
        stack.callback(server.stop)
        (plan,) = await plans(server, 1, "heard")
        receiver = await subscribe(server.url, path_of(plan), server.key)
        connection = await Connection.open(server.url)
        receipt = push._RECEIPT.decode(await connection.send(plan[0]))
        assert await receiver.until(receipt.last) == receiver.came[receipt.last]
        assert set(receiver.came) == set(range(1, receipt.last + 1))
        receiver.close()
        connection.close()


async def test_a_receiver_notes_when_versions_come() -> None:
    receiver = Receiver()
    waiting = asyncio.create_task(receiver.until(3))
    await asyncio.sleep(0)
    receiver.data_received(b"2a\r\nid: 2\ndata: {}\n\nid: 3\ndata: {}\n\n\r\n")
    assert await waiting == receiver.came[2] == receiver.came[3]


async def test_a_version_that_comes_in_two_reads_is_heard_once_and_others_are_strange() -> None:
    receiver = Receiver()
    told = [b"id: %d\ndata: {}\n\n" % version for version in (1, 2, 3, 3, 5)]
    whole = b"".join(told)
    for start in range(0, len(whole), 7):
        receiver.data_received(whole[start : start + 7])
    assert set(receiver.came) == {1, 2, 3, 5}
    assert receiver.strange == 2


async def test_the_end_of_a_stream_is_no_version() -> None:
    receiver = Receiver()
    for data in (b"id: 1\ndata: {}\n\nid: 1\n", b'event: end\ndata: {"version":1}\n\n'):
        receiver.data_received(data)
    assert set(receiver.came) == {1}
    assert receiver.strange == 0


@pytest.mark.usefixtures("shared_services")
def test_a_tiny_run_has_every_figure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(push, "MATCHES", 2)
    monkeypatch.setattr(push, "RATE", 20)
    monkeypatch.setattr(push, "PUSHES", 2)
    found = push.run(1, 0.3, spectators=5)
    figures = {name: each["median"] for name, each in found["figures"].items()}
    for name in ("paced", "paced_largest"):
        assert figures[f"{name}_answer_p99_ms"] > 0
        assert figures[f"{name}_acknowledged"] > 0
    assert [name for name, value in figures.items() if name.endswith("astray") and value] == []
    assert {"fanout / bare", "graphql_fanout / bare"} <= set(found["ratios"])
