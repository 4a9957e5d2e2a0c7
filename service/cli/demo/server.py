"""A real server process for a demonstration or a measurement, on a free port of this machine."""

import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import httpx

from service.cli.configuration import environment
from service.cli.demo.programs import start
from service.cli.terminal import CannotDo
from service.credentials import new_api_key
from service.settings import sqlite_url

START_SECONDS = 120  # of a process that lives: one that has ended is told at once
STOP_SECONDS = 20
_PORTS = range(18_000, 32_000)


class Server:
    """`plyscribe serve` as a process of its own. `key` is its admin key.

    `more` are settings by the name of their field. The address, the key and the data stay the same
    when it is started again.
    """

    def __init__(self, data_dir: Path, database_url: str | None = None, **more: object) -> None:
        self._more = more
        self.key = new_api_key()
        self.url = f"http://127.0.0.1:{_quiet_port()}"
        self.data_dir = data_dir
        self.database_url = database_url or sqlite_url(data_dir / "plyscribe.db")
        self._log = data_dir / "server.log"
        self.begin()
        try:
            self._until_ready()
        except BaseException:
            self.kill()
            raise

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def is_running(self) -> bool:
        return self._process.poll() is None

    def begin(self) -> None:
        """Start the process and do not wait for it; the one before has ended."""
        with self._log.open("ab") as log:
            self._process = start(
                [sys.executable, "-m", "service.cli", "serve"],
                env=self._environment(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )

    def kill(self) -> None:
        """End it as a crash would, without a word."""
        self._process.kill()
        self._process.wait()

    def stop(self) -> None:
        """End it as an operator would; killed if it takes too long."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
        try:
            self._process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()

    def _environment(self) -> Mapping[str, str]:
        host, port = self.url.removeprefix("http://").split(":")
        return environment(
            host=host,
            port=port,
            data_dir=self.data_dir,
            database_url=self.database_url,
            admin_key=self.key,
            log_level="warning",
            **self._more,
        ) | {"PYTHONPATH": os.pathsep.join(sys.path)}

    def _until_ready(self) -> None:
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline and self.is_running:
            try:
                if httpx.get(f"{self.url}/readyz", trust_env=False).is_success:
                    return
            except httpx.TransportError:
                pass
            time.sleep(0.05)
        raise self.silent()

    def silent(self) -> CannotDo:
        """That it did not start, with the last it said if it has ended."""
        if self.is_running:
            return CannotDo("the server was started, and does not answer")
        said = self._log.read_text(errors="replace").strip().splitlines()
        return CannotDo(f"the server did not start: {said[-1] if said else 'it said nothing'}")


def _quiet_port() -> int:
    """A free port that the kernel gives nobody by itself.

    Whoever keeps calling a dead server at one that it does give away is connected to itself one
    day, and the server can't come back.
    """
    while True:
        port = random.choice(_PORTS)  # noqa: S311 - no secret
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        return port
