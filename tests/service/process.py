"""A real server process on a free port, to be killed, stopped and started again."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from tests.service.conftest import KEY, SECRET

ROOT = Path(__file__).parents[2]
PATIENCE = 120  # seconds: more than anything here takes, on a very busy machine too


@dataclass(frozen=True)
class Server:
    """`address` is what to talk to; `process` is the server itself."""

    address: str
    process: "subprocess.Popen[str]"
    key: str = KEY

    def client(self) -> httpx.AsyncClient:
        return httpx.AsyncClient(base_url=self.address, timeout=PATIENCE)

    def kill(self) -> None:
        """As by kill -9."""
        self.process.kill()
        self.process.wait(PATIENCE)

    def stop(self) -> int:
        """Ask it to stop; its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(PATIENCE)


@contextmanager
def server(database_url: str, folder: Path, **more: str) -> Iterator[Server]:
    """A server until the end of the block; `more` are settings by the name of their variable."""
    environ = {name: v for name, v in os.environ.items() if not name.startswith("PLYSCRIBE_")}
    own = {"DATABASE_URL": database_url, "DATA_DIR": str(folder), **more}
    own |= {"ADMIN_KEY": KEY, "SECRET_KEY": SECRET, "TICK_SECONDS": "0.3"}
    environ |= {"PLYSCRIBE_" + name: value for name, value in own.items()}
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.service.serving"],
        cwd=ROOT,
        env=environ,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield Server(_address(process), process)
    finally:
        process.kill()
        process.wait(PATIENCE)
        assert process.stdout is not None
        process.stdout.close()


def _address(process: "subprocess.Popen[str]") -> str:
    """What the server says its address is, once it listens."""
    assert process.stdout is not None
    for line in process.stdout:
        name, _, value = line.partition(" ")
        if name == "address":
            return value.strip()
    raise AssertionError(f"the server ended with {process.wait(PATIENCE)}")


def session_of(leader: int) -> list[int]:
    """The processes of a session: whose parent has gone is among them."""
    found = []
    for each in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            words = each.read_text().rpartition(")")[2].split()
            if int(words[3]) == leader:
                found.append(int(each.parent.name))
    return found


def until(ask: Callable[[], Any]) -> Any:
    """What it answers, once that is something."""
    deadline = time.monotonic() + PATIENCE
    while not (answer := ask()):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return answer
