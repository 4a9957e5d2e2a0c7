"""`plyscribe serve` as a process that is killed and started again at the same address."""

import asyncio
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from multiprocessing.process import BaseProcess
from pathlib import Path

import httpx

from service.cli.configuration import configured, environment
from service.settings import PREFIX, Settings
from tests.forking import nothing, started
from tests.servers import free_port
from tests.waiting import PATIENCE

KEY = "pk_faults_" + "a" * 48
SECRET = "5a" * 32
SECONDS = PATIENCE
TICK_SECONDS = 0.2


class Service:
    """Not started yet. The address, the keys and the data stay the same over all its lives.

    `more` are settings by the name of their field. `build`, a function of a module, changes the
    program before it starts, with `environ` in its environment.
    """

    def __init__(self, data_dir: Path, database_url: str, **more: object) -> None:
        self.more = more
        self.data_dir = data_dir
        self.database_url = database_url
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.log = data_dir / f"serve-{self.port}.log"
        self.build: Callable[[], None] = nothing
        self.environ: dict[str, str] = {}
        self._process: BaseProcess | None = None

    @property
    def settings(self) -> Settings:
        """What a command needs to read the same log."""
        return configured(data_dir=self.data_dir, database_url=self.database_url, secret_key=SECRET)

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.exitcode is None

    @property
    def pid(self) -> int:
        assert self._process is not None
        assert self._process.pid is not None
        return self._process.pid

    async def start(self, crash_at: str | None = None, *, is_awaited: bool = True) -> None:
        """Returns when it is ready, or at once if that is not awaited."""
        assert not self.is_running
        self._process = started(self._environment(crash_at), self.log, first=self.build)
        if is_awaited:
            await self.until_ready()

    async def until_ready(self, seconds: float = SECONDS) -> None:
        """Raises: AssertionError if it has ended, or is not ready by then."""
        async with plain_client(self.url) as http:
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    while self.is_running:
                        with suppress(httpx.TransportError):
                            if (await http.get("/readyz")).status_code == 200:
                                return
                        await asyncio.sleep(0.02)
        fault = "is not ready" if self.is_running else "did not start"
        raise AssertionError(f"it {fault}:\n{self.said()}")

    async def kill(self) -> None:
        """kill -9."""
        assert self._process is not None
        self._process.kill()
        await self._ended()

    async def has_died(self) -> None:
        """Returns when a crash point has done its work."""
        assert await self._ended() == -signal.SIGKILL, self.said()

    def ask_to_stop(self) -> None:
        assert self._process is not None
        self._process.terminate()

    async def stop(self) -> int:
        """The exit code after SIGTERM."""
        self.ask_to_stop()
        return await self.exit_code()

    async def exit_code(self) -> int:
        return await self._ended()

    def said(self) -> str:
        return self.log.read_text(errors="replace")[-4000:]

    def close(self) -> None:
        """Whatever happened, nothing of it is left running."""
        if self._process is not None:
            self._process.kill()
            self._process.join()

    async def _ended(self) -> int:
        assert self._process is not None
        await asyncio.to_thread(self._process.join, SECONDS)
        code = self._process.exitcode
        assert code is not None, f"it does not end:\n{self.said()}"
        return code

    def _environment(self, crash_at: str | None) -> dict[str, str]:
        given: dict[str, object] = {"tick_seconds": TICK_SECONDS, **self.more}
        own = self.environ | environment(
            host="127.0.0.1",
            port=self.port,
            data_dir=self.data_dir,
            database_url=self.database_url,
            admin_key=KEY,
            secret_key=SECRET,
            log_level="warning",
            log_format="json",
            **given,
        )
        if crash_at is not None:
            own |= {PREFIX + "TEST": "1", PREFIX + "TEST_CRASH_AT": crash_at}
        return own


@asynccontextmanager
async def service(data_dir: Path, database_url: str, **more: object) -> AsyncIterator[Service]:
    """A service that is not started yet, gone after the block."""
    made = Service(data_dir, database_url, **more)
    try:
        yield made
    finally:
        made.close()


@asynccontextmanager
async def built(
    build: Callable[[], None], data_dir: Path, database_url: str
) -> AsyncIterator[Service]:
    """One of another build (`tests/faults/builds.py`)."""
    async with service(data_dir, database_url) as made:
        made.build = build
        yield made


def plain_client(url: str) -> httpx.AsyncClient:
    return httpx.AsyncClient(base_url=url, timeout=SECONDS, trust_env=False)
