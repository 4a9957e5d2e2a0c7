"""The push bench measures what it says, in a small run."""

import asyncio

from bench import push
from bench.connections import Tally
from bench.receivers import Receiver


def test_the_bare_server_reaches_everybody() -> None:
    with push._bare() as url:
        assert 0 < push._run(push._bare_fanout(url, 20, 200)) < 5_000


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
