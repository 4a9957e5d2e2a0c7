"""A headless Chromium, driven by its own protocol; it can reach this machine and nothing else."""

import json
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx
from websockets.sync.client import ClientConnection, connect

from tests.waiting import PATIENCE, until

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
PROGRAM = next(filter(None, map(shutil.which, PROGRAMS)), None)

Json = dict[str, Any]


class Page:
    """One page. `asked` are the addresses it asked for, sockets too, `said` what was logged."""

    def __init__(self, wire: ClientConnection) -> None:
        self.asked: list[str] = []
        self.said: list[str] = []
        self._wire = wire
        self._calls = 0
        for domain in ("Page", "Network", "Runtime", "Log"):
            self.call(domain + ".enable")

    def open(self, url: str) -> None:
        self.call("Page.navigate", url=url)

    def call(self, method: str, **parameters: Any) -> Json:
        self._calls += 1
        self._wire.send(json.dumps({"id": self._calls, "method": method, "params": parameters}))
        while True:
            told = json.loads(self._wire.recv(PATIENCE))
            if told.get("id") == self._calls:
                assert "error" not in told, told
                result: Json = told["result"]
                return result
            self._heard(told)

    def value(self, script: str) -> Any:
        """Of an expression of JavaScript."""
        told = self.call("Runtime.evaluate", expression=script, returnByValue=True)
        assert "exceptionDetails" not in told, told
        return told["result"].get("value")

    def until(self, script: str) -> Any:
        """The value once it is a true one."""
        deadline = time.monotonic() + PATIENCE
        while not (found := self.value(script)):
            assert time.monotonic() < deadline, (script, self.said)
            time.sleep(0.05)
        return found

    def _heard(self, told: Json) -> None:
        given = told["params"]
        match told["method"]:
            case "Network.requestWillBeSent":
                self.asked.append(given["request"]["url"])
            case "Network.webSocketCreated":
                self.asked.append(given["url"])
            case "Log.entryAdded":
                self.said.append(given["entry"]["text"])
            case "Runtime.consoleAPICalled":
                self.said.append(" ".join(str(each.get("value")) for each in given["args"]))
            case "Runtime.exceptionThrown":
                self.said.append(str(given["exceptionDetails"]))


@contextmanager
def page(folder: Path) -> Iterator[Page]:
    """An empty page of a browser that knows nothing yet."""
    command = [
        str(PROGRAM),
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--disable-background-networking",
        "--disable-component-update",
        "--no-first-run",
        "--no-proxy-server",
        "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
        "--remote-debugging-port=0",
        f"--user-data-dir={folder}",
        "about:blank",
    ]
    with ExitStack() as stack:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        stack.callback(process.wait, 30)
        stack.callback(process.terminate)
        port = _port(folder / "DevToolsActivePort", process)
        listed = httpx.get(
            f"http://127.0.0.1:{port}/json/list", trust_env=False, timeout=PATIENCE
        ).json()
        address = next(each for each in listed if each["type"] == "page")["webSocketDebuggerUrl"]
        yield Page(stack.enter_context(connect(address, max_size=None, proxy=None)))


def _port(told: Path, process: "subprocess.Popen[bytes]") -> int:
    def first_line() -> str:
        assert process.poll() is None, "the browser ended"
        return told.read_text().partition("\n")[0] if told.exists() else ""

    return int(until(first_line))
