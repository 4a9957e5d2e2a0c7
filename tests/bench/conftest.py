"""Parts take the servers of the tests, which are there already."""

import pytest

from tests.servers import POSTGRES, REDIS


@pytest.fixture(autouse=True)
def _servers(postgres_server: str, redis_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(POSTGRES, postgres_server)
    monkeypatch.setenv(REDIS, redis_url)
