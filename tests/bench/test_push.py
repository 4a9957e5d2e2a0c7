"""The push bench measures what it says, in a small run."""

import asyncio
from contextlib import ExitStack
from pathlib import Path

import pytest

from bench import push
from bench.connections import Connection, Tally
from bench.plans import plans
from bench.receivers import Receiver
from service.cli.demo.server import Server


def test_the_bare_server_reaches_everybody() -> None:
    with push._bare() as url:
        assert 0 < push._run(push._bare_fanout(url, 20, 200)) < 5_000


@pytest.mark.parametrize("subscribe", push.DOORS.values(), ids=["rest", "graphql"])
async def test_a_subscriber_of_either_door_hears_of_a_move(
    sqlite_url: str, tmp_path: Path, subscribe: push.Subscribe
) -> None:
    with ExitStack() as stack:
        server = Server(tmp_path, sqlite_url)
        stack.callback(server.stop)
        (plan,) = await plans(server, 1, "heard")
        receiver = await subscribe(server.url, push._path(plan), server.key)
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


def test_every_goal_is_about_a_figure() -> None:
    tally = Tally()
    tally.latencies = [0.001, 0.002]
    assert tally.milliseconds(0.99) == 2
    assert all(must > stretch for must, stretch in push.GOALS.values())
