"""A real server process for a demonstration or a measurement, on a free port of this machine."""

import os
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


class Server:
    """`plyscribe serve` as a process of its own. `key` is its admin key.

    `more` are settings by the name of their field.
    """

    def __init__(self, data_dir: Path, database_url: str | None = None, **more: object) -> None:
        self._more = more
        self.key = new_api_key()
        self.url = f"http://127.0.0.1:{_free_port()}"
        self.data_dir = data_dir
        self.database_url = database_url or sqlite_url(data_dir / "plyscribe.db")
        self._log = data_dir / "server.log"
        with self._log.open("ab") as log:
            self._process = start(
                [sys.executable, "-m", "service.cli", "serve"],
                env=self._environment(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        try:
            self._until_ready()
        except BaseException:
            self.kill()
            raise

    @property
    def pid(self) -> int:
        return self._process.pid

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
        while time.monotonic() < deadline and self._process.poll() is None:
            try:
                if httpx.get(f"{self.url}/readyz", trust_env=False).is_success:
                    return
            except httpx.TransportError:
                pass
            time.sleep(0.05)
        said = self._log.read_text(errors="replace").strip().splitlines()
        raise CannotDo(f"the server did not start: {said[-1] if said else 'it said nothing'}")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
