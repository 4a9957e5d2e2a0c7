"""A PostgreSQL with a standby that has to have every commit, and a line between them to cut."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass

from sqlalchemy.engine import make_url

from service import migrate
from tests import servers
from tests.faults.cluster import STANDBY, Cluster, cluster
from tests.proxy import Proxy, proxied
from tests.waiting import until

NAME = "plyscribe"


@dataclass(frozen=True)
class Pair:
    """The standby reaches the primary by `line`."""

    primary: Cluster
    standby: Cluster
    line: Proxy

    @property
    def url(self) -> str:
        """Of both, as operators write it."""
        at = [make_url(each.url) for each in (self.primary, self.standby)]
        places = ",".join(f"{each.host}:{each.port}" for each in at)
        return f"postgresql://postgres@{places}/{NAME}?target_session_attrs=read-write"


@asynccontextmanager
async def pair() -> AsyncIterator[Pair]:
    """Gone after the block. Raises: ServerMissing."""
    stack = ExitStack()
    try:
        primary = await asyncio.to_thread(stack.enter_context, cluster())
        url = servers.create_database(primary.url, NAME)
        await asyncio.to_thread(migrate.upgrade, url)
        async with proxied(primary.url) as (through, line):
            standby = await asyncio.to_thread(stack.enter_context, cluster(through))
            await asyncio.to_thread(wait_for_standby, primary)
            try:
                yield Pair(primary, standby, line)
            finally:
                # Before the line between them, which waits for its ends.
                await asyncio.to_thread(stack.close)
    finally:
        await asyncio.to_thread(stack.close)


def wait_for_standby(primary: Cluster) -> None:
    """From now on its commits do. Returns when there is one."""
    primary.run(
        f"ALTER SYSTEM SET synchronous_standby_names = '{STANDBY}'", "SELECT pg_reload_conf()"
    )
    until(lambda: primary.found("SELECT sync_state FROM pg_stat_replication") == "sync")
