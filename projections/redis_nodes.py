"""Where Redis is: one server, the master its Sentinels name, or the nodes of a Cluster.

redis://host:port and rediss:// (TLS), unix:///path · redis+sentinel://host:port,host:port/service
· redis+cluster://host:port,host:port; rediss+… with TLS. A user and a password before the @ are
those of the servers; `sentinel_password` in the query is that of the Sentinels.
"""

import asyncio
import math
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Final, Protocol
from urllib.parse import parse_qsl, quote, urlencode, urlsplit
from zlib import crc32

from redis.asyncio import ConnectionPool
from redis.asyncio.connection import AbstractConnection
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.cluster import key_slot  # type: ignore[attr-defined,unused-ignore]
from redis.exceptions import RedisError

from events.urls import TORN, is_torn

BUCKETS: Final = 256
SECONDS: Final = 2.0  # for connecting, and for the answer to a command

Place = str  # the URL of one server
Layout = Mapping[Place, frozenset[int]]  # which buckets each server carries


class RedisRefused(Exception):
    """A URL that names no Redis; never repeats it, as it may hold a password."""


class Nodes(Protocol):
    """`is_sharded`: channels belong to servers, and have to be used through them."""

    is_sharded: bool

    async def layout(self) -> Layout:
        """Raises: RedisError, OSError, TimeoutError."""
        ...


def nodes_at(url: str) -> Nodes:
    """Raises: RedisRefused."""
    scheme, _, kind = urlsplit(url).scheme.partition("+")
    if is_torn(_behind_who(url)):
        raise RedisRefused(TORN)
    try:
        match kind:
            case "" if scheme in ("redis", "rediss", "unix"):
                connection_to(url)
                return _Single(url)
            case "sentinel" | "cluster" if scheme in ("redis", "rediss"):
                made = _Sentinels(url) if kind == "sentinel" else _Cluster(url)
                connection_to(made.seeds[0])
                return made
    except ValueError as error:
        raise RedisRefused("can't be read as the URL of a Redis") from error
    raise RedisRefused("has to begin with redis://, rediss://, unix://, or redis+sentinel:// …")


def _behind_who(url: str) -> str:
    """As `urlsplit` divides it."""
    rest = url.partition("://")[2]
    authority = re.split("[/?#]", rest, maxsplit=1)[0]
    return rest[authority.rfind("@") + 1 :]


def connection_to(place: Place) -> AbstractConnection:
    """Not open yet. It never opens itself again: that would lose hints without a word."""
    pool: Any = ConnectionPool.from_url(
        place,
        protocol=2,
        retry=Retry(NoBackoff(), 0),
        socket_connect_timeout=SECONDS,
        socket_timeout=None,
        socket_keepalive=True,
        client_name="plyscribe",
    )
    connection: AbstractConnection = pool.make_connection()
    return connection


async def opened(connection: AbstractConnection) -> None:
    """Raises: RedisError, OSError, TimeoutError."""
    connect: Callable[[], Awaitable[None]] = connection.connect
    async with asyncio.timeout(SECONDS):
        await connect()


def bucket_of(match_id: str) -> int:
    return crc32(match_id.encode()) % BUCKETS


def channel_tag(bucket: int) -> str:
    """What decides on the slot of a bucket's channels."""
    return f"plyscribe:{{{bucket}}}"


async def asked(place: Place, *command: str) -> Any:
    """One command over a connection of its own. Raises: RedisError, OSError, TimeoutError."""
    connection = connection_to(place)
    try:
        await opened(connection)
        async with asyncio.timeout(SECONDS):
            await connection.send_command(*command, check_health=False)
            return await connection.read_response(timeout=math.inf)
    finally:
        await connection.disconnect(nowait=True)


class _Single:
    is_sharded = False

    def __init__(self, url: str) -> None:
        self._layout = {url: frozenset(range(BUCKETS))}

    async def layout(self) -> Layout:
        return self._layout


class _Several:
    """Servers found by asking any of those named in the URL, its `seeds`."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._scheme = parts.scheme.partition("+")[0]
        self._user, _, hosts = parts.netloc.rpartition("@")
        self._path = parts.path.strip("/")
        self._query = dict(parse_qsl(parts.query))
        self._hosts = hosts.split(",")

    @property
    def seeds(self) -> Sequence[Place]:
        return [self._place(host) for host in self._hosts]

    def _place(self, at: str) -> Place:
        user = f"{self._user}@" if self._user else ""
        query = f"?{urlencode(self._query)}" if self._query else ""
        return f"{self._scheme}://{user}{at}{query}"

    async def _asked(self, *command: str) -> tuple[Place, Any]:
        """The first answer that one of the seeds gives, and who gave it."""
        trouble: Exception = RedisError("nobody to ask")
        for place in self.seeds:
            try:
                answer = await asked(place, *command)
            except (RedisError, OSError, TimeoutError) as error:
                trouble = error
            else:
                if answer:
                    return place, answer
        raise trouble


class _Sentinels(_Several):
    is_sharded = False

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self._password = self._query.pop("sentinel_password", None)
        if not self._path:
            raise ValueError("no service")

    @property
    def seeds(self) -> Sequence[Place]:
        user = f":{quote(self._password, safe='')}@" if self._password else ""
        return [f"{self._scheme}://{user}{host}" for host in self._hosts]

    async def layout(self) -> Layout:
        command = ("SENTINEL", "GET-MASTER-ADDR-BY-NAME", self._path)
        _, (host, port) = await self._asked(*command)
        return {self._place(_address(host, int(port))): frozenset(range(BUCKETS))}


class _Cluster(_Several):
    is_sharded = True

    async def layout(self) -> Layout:
        place, ranges = await self._asked("CLUSTER", "SLOTS")
        own: dict[Place, set[int]] = {}
        slots = {bucket: key_slot(channel_tag(bucket).encode()) for bucket in range(BUCKETS)}
        for first, last, (host, port, *_), *_ in ranges:
            # A node that does not know its own name says nothing: it is the one we asked.
            at = self._place(_address(host or (urlsplit(place).hostname or "").encode(), port))
            found = {bucket for bucket, slot in slots.items() if first <= slot <= last}
            if found:
                own.setdefault(at, set()).update(found)
        return {at: frozenset(buckets) for at, buckets in own.items()}


def _address(host: bytes, port: int) -> str:
    name = host.decode()
    return f"[{name}]:{port}" if ":" in name else f"{name}:{port}"
