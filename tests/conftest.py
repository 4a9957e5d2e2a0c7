"""Servers and databases for every test: one server a session, one database a module."""

import gc
import shutil
from collections import Counter
from collections.abc import AsyncIterator, Generator, Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, settings

from events.database import Database
from events.store import Store
from service import migrate
from tests import servers

TESTS = Path(__file__).parent
BACKENDS = ("sqlite", "postgresql")
LONG = {"fuzz", "soak"}
GARBAGE = 20_000  # objects made and still there before Python searches the youngest for garbage
# Files with few tests that take long. Of several processes none shall begin one of them when the
# others are about to end.
FIRST = (
    "secrecy/test_interference.py",
    "secrecy/test_webhooks.py",
    "faults/test_tournament.py",
    "faults/test_wrong_clocks.py",
    "service/test_schemathesis.py",
    "service/cli/test_metrics.py",
    "service/platforms/test_crashes.py",
    "service/graphql/test_schemathesis.py",
    "games/test_laws.py",
    "verifier/test_lies.py",
    "soak/test_soak.py",
)

gc.disable()  # While everything is imported: see `pytest_collection`.

# A machine that is busy is no fault: nothing here is judged by its time. What everybody runs tries
# the same examples each time; new ones are looked for where a marker is given.
settings.register_profile(
    "search", deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.register_profile("short", settings.get_profile("search"), derandomize=True)


def pytest_configure(config: pytest.Config) -> None:
    settings.load_profile("search" if config.option.markexpr else "short")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """What was imported until now stays to the end and is not searched for garbage any more."""
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.set_threshold(GARBAGE, 10, 10)
        gc.enable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Long runs are asked for by marker (`-m fuzz`) or by name, else left out."""
    if hasattr(config, "workerinput"):
        _bring_forward(items)
    if config.option.markexpr or any("::" in argument for argument in config.args):
        return
    long = [item for item in items if LONG & {mark.name for mark in item.iter_markers()}]
    config.hook.pytest_deselected(items=long)
    items[:] = [item for item in items if item not in long]


def _bring_forward(items: list[pytest.Item]) -> None:
    """Those of `FIRST`, then files with many tests: for `--no-loadscope-reorder`."""
    rank = {TESTS / name: place for place, name in enumerate(FIRST)}
    count = Counter(item.path for item in items)
    items.sort(key=lambda item: (rank.get(item.path, len(FIRST)), -count[item.path]))


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """The URL of the administrative database."""
    with servers.postgres() as url:
        yield url


@pytest.fixture(scope="session")
def redis_url() -> Iterator[str]:
    with servers.redis() as url:
        yield url


@pytest.fixture(scope="session")
def _postgres_template(postgres_server: str) -> Iterator[str]:
    name = f"template_{uuid4().hex}"
    migrate.upgrade(servers.create_database(postgres_server, name))
    yield name
    servers.drop_database(postgres_server, name)


@pytest.fixture(scope="session")
def _sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("template") / "plyscribe.db"
    migrate.upgrade(f"sqlite:///{path}")
    return path


@pytest.fixture(scope="module")
def postgres_url(postgres_server: str, _postgres_template: str) -> Iterator[str]:
    """A migrated database of the module's own."""
    name = f"test_{uuid4().hex}"
    yield servers.create_database(postgres_server, name, _postgres_template)
    servers.drop_database(postgres_server, name)


@pytest.fixture
def sqlite_url(tmp_path: Path, _sqlite_template: Path) -> str:
    """A migrated file of the test's own."""
    path = tmp_path / "plyscribe.db"
    shutil.copy(_sqlite_template, path)
    return f"sqlite:///{path}"


@pytest.fixture(params=BACKENDS)
def database_url(request: pytest.FixtureRequest) -> str:
    """A migrated database, once on every backend. Tests use match ids of their own."""
    name = "sqlite_url" if request.param == "sqlite" else "postgres_url"
    url: str = request.getfixturevalue(name)
    return url


@pytest.fixture
async def database(database_url: str) -> AsyncIterator[Database]:
    opened = await Database.open(database_url)
    yield opened
    await opened.close()


@pytest.fixture
def store(database: Database) -> Store:
    return Store(database)


@pytest.fixture
def own_url(postgres_server: str, _postgres_template: str) -> Iterator[str]:
    """A PostgreSQL database that no other test has used."""
    name = f"test_{uuid4().hex}"
    yield servers.create_database(postgres_server, name, _postgres_template)
    servers.drop_database(postgres_server, name)
