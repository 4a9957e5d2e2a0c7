"""A Redis of a test's own that is killed, held still, robbed of its clients and started again."""

import asyncio
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import pairwise
from pathlib import Path

from redis import Redis
from redis.cluster import key_slot  # type: ignore[attr-defined,unused-ignore]
from redis.exceptions import RedisError

from projections.redis_nodes import BUCKETS, bucket_of, channel_tag
from tests import servers
from tests.waiting import PATIENCE

SLOTS = 16384


class RedisServer:
    """Not started yet; always at the same address."""

    def __init__(self, folder: Path, *options: str) -> None:
        self._folder = folder
        self._options = options
        self._process: subprocess.Popen[bytes] | None = None
        self.port = servers.free_port()
        # By default the port of a Cluster's bus lies where the kernel gives ports away.
        self.bus = servers.free_port()
        self.url = f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        """Returns when it answers."""
        options: list[object] = [
            "--port",
            self.port,
            "--bind",
            "127.0.0.1",
            "--save",
            "",
            "--appendonly",
            "no",
        ]
        options += ["--cluster-port", self.bus, "--dir", self._folder]
        command = [servers.redis_binary(), *options, *self._options]
        self._process = subprocess.Popen(
            list(map(str, command)), stdout=subprocess.DEVNULL, user=servers._user(), cwd="/"
        )
        servers._until(lambda: self.say("PING"), RedisError)

    def kill(self) -> None:
        """kill -9."""
        assert self._process is not None
        self._process.kill()
        self._process.wait()

    def hold(self) -> None:
        """Its connections stay open and are silent."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)

    def release(self) -> None:
        assert self._process is not None
        self._process.send_signal(signal.SIGCONT)

    def cut(self, kind: str) -> None:
        """Close the connections of its clients of that type: normal or pubsub."""
        self.say("CLIENT", "KILL", "TYPE", kind)

    def say(self, *command: str) -> object:
        with Redis(port=self.port, socket_timeout=PATIENCE) as client:
            return client.execute_command(*command)

    def replication(self) -> dict[str, object]:
        """Its role, and who follows it."""
        with Redis(port=self.port, socket_timeout=PATIENCE) as client:
            told: dict[str, object] = client.info("replication")
        return told

    async def channels(self, least: int, kind: str = "CHANNELS") -> list[bytes]:
        """The channels of hints that somebody hears, as soon as there are so many."""
        async with asyncio.timeout(PATIENCE):
            while True:
                found = self.say("PUBSUB", kind, "*:hints")
                assert isinstance(found, list)
                if len(found) >= least:
                    return found
                await asyncio.sleep(0.02)

    def close(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self.kill()


@contextmanager
def redis_server(*options: str) -> Iterator[RedisServer]:
    """Running; gone after the block. Raises: ServerMissing."""
    folder = Path(tempfile.mkdtemp(prefix="plyscribe-"))
    made = None
    try:
        user = servers._user()
        if user is not None:
            shutil.chown(folder, user)
        made = RedisServer(folder, *options)
        made.start()
        yield made
    finally:
        if made is not None:
            made.close()
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def redis_cluster(*options: str, count: int = 2) -> Iterator[list[RedisServer]]:
    """Nodes with an equal part of the slots each. Raises: ServerMissing."""
    more = ("--cluster-enabled", "yes", *options)
    with ExitStack() as stack:
        nodes = [stack.enter_context(redis_server(*more)) for _ in range(count)]
        starts = [-(-number * SLOTS // count) for number in range(count + 1)]
        for node, (first, after) in zip(nodes, pairwise(starts), strict=True):
            node.say("CLUSTER", "ADDSLOTSRANGE", str(first), str(after - 1))
            if node is not nodes[0]:
                nodes[0].say("CLUSTER", "MEET", "127.0.0.1", str(node.port), str(node.bus))
        servers._until(lambda: _assert_whole(nodes), AssertionError)
        yield nodes


def cluster_url(nodes: list[RedisServer]) -> str:
    return "redis+cluster://" + ",".join(f"127.0.0.1:{each.port}" for each in nodes)


def one_of_each(nodes: int) -> list[str]:
    """Names whose buckets lie at each of so many nodes."""
    found = {slot_of(str(number)) * nodes // SLOTS: str(number) for number in range(10 * BUCKETS)}
    return [found[part] for part in range(nodes)]


def slot_of(name: str) -> int:
    slot: int = key_slot(channel_tag(bucket_of(name)).encode())
    return slot


def _assert_whole(nodes: list[RedisServer]) -> None:
    for node in nodes:
        told = str(node.say("CLUSTER", "INFO"))
        assert "cluster_state:ok" in told
        assert f"cluster_known_nodes:{len(nodes)}" in told
