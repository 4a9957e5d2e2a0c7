"""A real server process on a free port, to be killed, stopped and started again."""

import asyncio
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from multiprocessing.process import BaseProcess
from pathlib import Path
from uuid import uuid4

import httpx

from tests import installing
from tests.forking import nothing, started
from tests.service.conftest import KEY, SECRET
from tests.waiting import PATIENCE as PATIENCE

ROOT = Path(__file__).parents[2]


class Process:
    """What tests ask of a process, forked or not."""

    def __init__(self, forked: BaseProcess) -> None:
        self._forked = forked

    @property
    def pid(self) -> int:
        assert self._forked.pid is not None
        return self._forked.pid

    @property
    def returncode(self) -> int | None:
        return self._forked.exitcode

    def wait(self, seconds: float = PATIENCE) -> int:
        """Its exit code. Raises: AssertionError if it does not end."""
        self._forked.join(seconds)
        code = self._forked.exitcode
        assert code is not None, "it does not end"
        return code

    def kill(self) -> None:
        self._forked.kill()

    def send_signal(self, number: int) -> None:
        os.kill(self.pid, number)


@dataclass(frozen=True)
class Server:
    """`address` is what to talk to; `process` is the server itself."""

    address: str
    process: Process
    key: str = KEY

    def client(self) -> httpx.AsyncClient:
        return httpx.AsyncClient(base_url=self.address, timeout=PATIENCE)

    def kill(self) -> None:
        """As by kill -9."""
        self.process.kill()
        self.process.wait()

    def stop(self) -> int:
        """Ask it to stop; its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait()

    async def has_died(self) -> None:
        """Returns when a crash point has done its work."""
        assert await asyncio.to_thread(self.process.wait) == -signal.SIGKILL


@contextmanager
def server(
    database_url: str, folder: Path, build: Callable[[], None] = nothing, /, **more: str
) -> Iterator[Server]:
    """A server until the end of the block; `more` are settings by the name of their variable.

    `build`, a function of a module, changes the program before it starts.
    """
    folder.mkdir(exist_ok=True)
    environ = {name: v for name, v in os.environ.items() if not name.startswith("PLYSCRIBE_")}
    own = {"DATABASE_URL": database_url, "DATA_DIR": str(folder), **more}
    own |= {"ADMIN_KEY": KEY, "SECRET_KEY": SECRET, "TICK_SECONDS": "0.3"}
    environ |= {"PLYSCRIBE_" + name: value for name, value in own.items()}
    log = folder / f"server-{uuid4().hex}.log"
    log.touch()
    process = Process(started(environ, log, "--port", "0", first=partial(prepared, build)))
    try:
        yield Server(_address(process, log), process)
    finally:
        process.kill()
        process.wait()
        sys.stderr.write(log.read_text(errors="replace"))


def prepared(build: Callable[[], None]) -> None:
    """High card as if it were installed, and the program changed by `build`."""
    installing.install()
    build()


def _address(process: Process, log: Path) -> str:
    """What the server says its address is, once it listens."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        has_ended = process.returncode is not None
        for line in log.read_text(errors="replace").splitlines():
            name, _, value = line.partition(" ")
            if name == "address":
                return value.strip()
        assert not has_ended, f"the server ended with {process.returncode}"
        time.sleep(0.01)
    raise AssertionError("the server does not start")


def session_of(leader: int) -> list[int]:
    """The processes of a session: whose parent has gone is among them."""
    found = []
    for each in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            words = each.read_text().rpartition(")")[2].split()
            if int(words[3]) == leader:
                found.append(int(each.parent.name))
    return found
