"""Tables of matches are spread over a cluster when they are made, or when it has become one."""

from collections.abc import Iterator
from uuid import uuid4

import psycopg
import pytest

from events.tables import DISTRIBUTED
from service import migrate
from service.migrations import citus
from service.settings import PREFIX
from tests import servers
from tests.events.citus import spread, stand_in
from tests.service.cli.conftest import KEY, Run

NAMES = [table.name for table in DISTRIBUTED]
BESIDE = {name: "none" if name == "match" else "match" for name in NAMES}


@pytest.fixture
def empty_url(postgres_server: str) -> Iterator[str]:
    name = f"empty_{uuid4().hex}"
    yield servers.create_database(postgres_server, name)
    servers.drop_database(postgres_server, name)


@pytest.fixture
def extended(empty_url: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """With what Citus adds. It can't be among the extensions, so that is said for it."""
    stand_in(empty_url)
    monkeypatch.setattr(citus, "has_citus", lambda connection: True)
    return empty_url


def test_migrations_spread_every_table_of_matches_and_no_other(extended: str) -> None:
    migrate.upgrade(extended)
    assert spread(extended) == BESIDE
    assert migrate.spread(extended) == ()


def test_without_a_cluster_nothing_is_spread(empty_url: str, sqlite_url: str) -> None:
    migrate.upgrade(empty_url)
    assert migrate.spread(empty_url) == ()
    assert migrate.spread(sqlite_url) == ()


def test_what_was_made_before_it_was_a_cluster_is_spread_afterwards(
    run: Run, empty_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    migrate.upgrade(empty_url)
    stand_in(empty_url)
    monkeypatch.setattr(citus, "has_citus", lambda connection: True)
    monkeypatch.setenv(PREFIX + "SECRET_KEY", KEY)
    told = run("migrate", "--check", "--database-url", empty_url)
    assert told.code == 1
    assert "on one node: match, event" in told.err
    examined = run("doctor", "--database-url", empty_url)
    assert "plyscribe migrate" in examined.out
    assert spread(empty_url) == {}
    done = run("migrate", "--database-url", empty_url)
    assert done.code == 0
    assert spread(empty_url) == BESIDE
    again = run("migrate", "--check", "--database-url", empty_url)
    assert (again.code, "nothing to do" in again.err) == (0, True)
    assert "plyscribe migrate" not in run("doctor", "--database-url", empty_url).out


def test_a_part_that_is_missing_is_made_up_for(extended: str) -> None:
    migrate.upgrade(extended)
    with psycopg.connect(extended) as connection:
        connection.execute("DELETE FROM pg_dist_partition WHERE logicalrelid = 'seat'::regclass")
    assert migrate.spread(extended, only_look=True) == ("seat",)
    assert migrate.spread(extended) == ("seat",)
    assert spread(extended) == BESIDE
