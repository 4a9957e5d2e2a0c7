"""Parts take the servers of the tests, which are there already."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from bench import served
from service.cli.demo.server import Server
from tests.servers import POSTGRES, REDIS


class Shared(Server):
    """A service that outlives the part which is done with it."""

    def stop(self) -> None:
        """Not yet: others go on with it."""

    def end(self) -> None:
        super().stop()


@pytest.fixture(autouse=True)
def _servers(postgres_server: str, redis_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(POSTGRES, postgres_server)
    monkeypatch.setenv(REDIS, redis_url)


@pytest.fixture(scope="session")
def _shared(
    tmp_path_factory: pytest.TempPathFactory, postgres_server: str, redis_url: str
) -> Iterator[dict[bool, Shared]]:
    """By whether it is on PostgreSQL; started when it is asked for."""
    made: dict[bool, Shared] = {}
    yield made
    for each in made.values():
        each.end()


@pytest.fixture
def shared_services(
    _shared: dict[bool, Shared],
    postgres_server: str,
    redis_url: str,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One service on either database for all parts: to start one takes longer than a tiny run."""

    def given(_folder: Path, url: str | None = None, **_more: object) -> Server:
        is_postgres = url is not None
        if is_postgres not in _shared:
            folder = tmp_path_factory.mktemp("service")
            database = served.fresh(postgres_server) if is_postgres else None
            more = {"redis_url": redis_url} if is_postgres else {}
            _shared[is_postgres] = Shared(folder, database, **more)
        return _shared[is_postgres]

    monkeypatch.setattr(served, "Server", given)
