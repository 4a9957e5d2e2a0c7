"""Services that are killed, on each database, and clients that do not give up."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import httpx
import pytest

from tests import servers
from tests.faults.cluster import Cluster, cluster
from tests.faults.players import insisting_client
from tests.faults.serving import Service, service


@pytest.fixture
async def served(database_url: str, tmp_path: Path) -> AsyncIterator[Service]:
    """Not started yet, once on every database."""
    async with service(tmp_path, database_url) as made:
        yield made


@pytest.fixture
async def on_sqlite(sqlite_url: str, tmp_path: Path) -> AsyncIterator[Service]:
    async with service(tmp_path, sqlite_url) as made:
        yield made


@pytest.fixture
async def http(served: Service) -> AsyncIterator[httpx.AsyncClient]:
    """A client of `served` that asks until it is answered."""
    async with insisting_client(served.url) as client:
        yield client


@pytest.fixture
def own_cluster() -> Iterator[Cluster]:
    """A PostgreSQL to be killed, which nobody else uses."""
    try:
        with cluster() as made:
            yield made
    except servers.ServerMissing as missing:
        pytest.skip(str(missing))
