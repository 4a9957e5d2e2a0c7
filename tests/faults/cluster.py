"""A PostgreSQL of a test's own that can be killed, all its processes, and started again."""

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import psycopg

from tests import servers
from tests.faults.serving import SECONDS

STANDBY = "standby"  # the name by which a primary knows it


class Cluster:
    """Not started yet. The address and the data stay the same over all its lives.

    A standby begins as a copy of the running server at `primary_url`, and goes on copying from it.
    With a `disk` its data is there, and its write-ahead log, which it can't do without, is not.
    With a `log_disk` that log alone is there, in segments of 1 MiB.
    """

    def __init__(
        self,
        folder: Path,
        primary_url: str | None = None,
        disk: Path | None = None,
        log_disk: Path | None = None,
    ) -> None:
        self._data = (disk or folder) / "data"
        self._log = folder / "log"
        self._port = servers.free_port()
        self._process: subprocess.Popen[bytes] | None = None
        self.url = f"postgresql://postgres@127.0.0.1:{self._port}/postgres"
        if primary_url is None:
            initdb = [self._program("initdb"), "-D", self._data, "-U", "postgres", "-A", "trust"]
            apart = [] if disk is None else ["--waldir", folder / "wal"]
            if log_disk is not None:
                apart = ["--waldir", log_disk / "wal", "--wal-segsize", "1"]
            servers._run(*initdb, "-E", "UTF8", *apart)
        else:
            self.copy(primary_url)

    def copy(self, primary_url: str) -> None:
        """Be a standby of that server, whatever it was before; it is not running."""
        shutil.rmtree(self._data, ignore_errors=True)
        source = f"{primary_url}?application_name={STANDBY}"
        copy = [self._program("pg_basebackup"), "-D", self._data, "-d", source]
        servers._run(*copy, "-R", "--checkpoint=fast")

    def start(self, *more: str) -> None:
        """Returns when it takes connections. `more` are options of the server."""
        options = ["-p", self._port, "-k", "", *servers._POSTGRES_OPTIONS, *more]
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                list(map(str, [self._program("postgres"), "-D", self._data, *options])),
                user=servers._user(),
                stdout=log,
                stderr=log,
                cwd="/",
            )
        servers._until(lambda: psycopg.connect(self.url, connect_timeout=5).close(), psycopg.Error)

    def kill(self) -> None:
        """kill -9 of the server and of every process it has started."""
        assert self._process is not None
        # Held still it starts no more, and the ids of its dead are given to nobody else.
        self._process.send_signal(signal.SIGSTOP)
        backends = _children(self._process.pid)
        assert backends
        for pid in backends:
            os.kill(pid, signal.SIGKILL)
        deadline = time.monotonic() + SECONDS
        while not all(_state(pid) in "ZX" for pid in backends):
            assert time.monotonic() < deadline
            time.sleep(0.01)
        self._process.kill()
        self._process.wait()

    def promote(self) -> None:
        """A standby takes writes from now on."""
        self.run("SELECT pg_promote()")

    def run(self, *statements: str) -> None:
        """Each a transaction by itself, as the superuser."""
        with psycopg.connect(self.url, autocommit=True) as admin:
            for each in statements:
                admin.execute(each.encode())

    def found(self, query: str) -> object:
        """The first value it finds, None where there is no row."""
        with psycopg.connect(self.url, autocommit=True) as admin:
            row = admin.execute(query.encode()).fetchone()
        return None if row is None else row[0]

    def ended(self) -> int:
        """Its exit code, once it has ended by itself."""
        assert self._process is not None
        return self._process.wait(SECONDS)

    def close(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self.kill()

    def _program(self, name: str) -> Path:
        return servers.postgres_binaries() / name


@contextmanager
def cluster(
    primary_url: str | None = None,
    options: Sequence[str] = (),
    disk: Path | None = None,
    log_disk: Path | None = None,
) -> Iterator[Cluster]:
    """Started with the options; gone after the block, with its data. Raises: ServerMissing."""
    folder = Path(tempfile.mkdtemp(prefix="plyscribe-"))
    made = None
    try:
        user = servers._user()
        for each in (folder, disk, log_disk):
            if user is not None and each is not None:
                shutil.chown(each, user)
        made = Cluster(folder, primary_url, disk, log_disk)
        made.start(*options)
        yield made
    finally:
        if made is not None:
            made.close()
        shutil.rmtree(folder, ignore_errors=True)


def _children(parent: int) -> list[int]:
    pids = [int(each.name) for each in Path("/proc").iterdir() if each.name.isdigit()]
    return [pid for pid in pids if _status(pid)[1:2] == [str(parent)]]


def _state(pid: int) -> str:
    return _status(pid)[0]


def _status(pid: int) -> list[str]:
    """The state and the parent of a process, and what the kernel says after that."""
    try:
        # The name before them stands in brackets and may hold anything.
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return ["X"]
