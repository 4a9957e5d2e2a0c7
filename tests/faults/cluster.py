"""A PostgreSQL of a test's own that can be killed, all its processes, and started again."""

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

from tests import servers
from tests.faults.serving import SECONDS


class Cluster:
    """Not started yet. The address and the data stay the same over all its lives.

    With a `disk` its data is there, and its write-ahead log, which it can't do without, is not.
    """

    def __init__(self, folder: Path, disk: Path | None = None) -> None:
        self._data = (disk or folder) / "data"
        self._log = folder / "log"
        self._port = servers.free_port()
        self._process: subprocess.Popen[bytes] | None = None
        self.url = f"postgresql://postgres@127.0.0.1:{self._port}/postgres"
        initdb = [self._program("initdb"), "-D", self._data, "-U", "postgres", "-A", "trust"]
        apart = [] if disk is None else ["--waldir", folder / "wal"]
        servers._run(*initdb, "-E", "UTF8", *apart)

    def start(self) -> None:
        """Returns when it takes connections."""
        options = ["-p", self._port, "-k", "", *servers._POSTGRES_OPTIONS]
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

    def close(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self.kill()

    def _program(self, name: str) -> Path:
        return servers.postgres_binaries() / name


@contextmanager
def cluster(disk: Path | None = None) -> Iterator[Cluster]:
    """Gone after the block, with its data. Raises: ServerMissing."""
    folder = Path(tempfile.mkdtemp(prefix="plyscribe-"))
    made = None
    try:
        user = servers._user()
        for each in (folder, disk):
            if user is not None and each is not None:
                shutil.chown(each, user)
        made = Cluster(folder, disk)
        made.start()
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
