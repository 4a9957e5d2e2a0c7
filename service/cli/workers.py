"""Serving processes: one here, or several that share a socket and are started again if they die."""

import asyncio
import gc
import multiprocessing
import signal
import socket
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, contextmanager
from multiprocessing.context import SpawnProcess

import uvloop
from uvicorn import Config, Server

from service import logs
from service.app import App, build
from service.cli.messages import Messages
from service.cli.protocol import Protocol
from service.settings import Settings

GRACE_SECONDS = 10
IDLE_SECONDS = 30  # a kept-alive connection without a request is closed after
GARBAGE = 20_000  # objects made and still there before Python searches the youngest for garbage
SIGNALS = (signal.SIGINT, signal.SIGTERM)


async def run_server(app: App, listening: socket.socket, announce: Callable[[], None]) -> None:
    """Serve an opened app until a signal ends it; requests are finished, streams cut resumably.

    `announce` is called as soon as signals are heeded. Raises: DatabaseFault.
    """
    stack = AsyncExitStack()
    server = _Server(
        Config(
            app,
            loop="none",
            http=Protocol,
            ws=Messages,
            ws_per_message_deflate=False,
            ws_max_size=app.settings.body_limit,
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_keep_alive=IDLE_SECONDS,
            timeout_graceful_shutdown=GRACE_SECONDS,
        ),
        lambda: stack.enter_async_context(app.serving()),
    )

    def stop() -> None:
        # A second signal does not wait any longer.
        server.force_exit = server.should_exit
        server.should_exit = True
        app.stop_streams()

    loop = asyncio.get_running_loop()
    for each in SIGNALS:
        loop.add_signal_handler(each, stop)
    _stop_with_the_supervisor(loop, stop)
    _collect_rarely()
    announce()
    async with stack:
        await server.serve(sockets=[listening])


def run_workers(
    settings: Settings, listening: socket.socket, count: int, died: Callable[[int], None]
) -> None:
    """Keep so many processes serving until a signal ends them all; `died` is told each that did."""
    stopping = False

    def stop(number: int, frame: object) -> None:
        nonlocal stopping
        stopping = True

    for each in SIGNALS:
        signal.signal(each, stop)
    workers = [_started(settings, listening) for _ in range(count)]
    while not stopping:
        time.sleep(0.2)
        dead = [place for place, worker in enumerate(workers) if not worker.is_alive()]
        for place in dead:
            logs.logger(settings).error("worker_died")
            died(_pid(workers[place]))
            time.sleep(0.5)  # One that can't start must not be started in a tight loop.
            workers[place] = _started(settings, listening)
    for worker in workers:
        worker.terminate()
    for worker in workers:
        worker.join(GRACE_SECONDS + 5)
        worker.kill()


def _collect_rarely() -> None:
    """What is imported stays for ever and need not be searched for garbage again and again.

    A move makes hardly any garbage in cycles, but many objects that stay, and these alone decide
    how often Python looks. A full search holds up every answer.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(GARBAGE, 10, 10)


def _stop_with_the_supervisor(loop: asyncio.AbstractEventLoop, stop: Callable[[], None]) -> None:
    """A worker without one would hold the address for ever."""
    supervisor = multiprocessing.parent_process()
    if supervisor is None:
        return
    sentinel = supervisor.sentinel

    def orphaned() -> None:
        loop.remove_reader(sentinel)
        stop()

    loop.add_reader(sentinel, orphaned)


def _started(settings: Settings, listening: socket.socket) -> SpawnProcess:
    worker = multiprocessing.get_context("spawn").Process(
        target=_work, args=(settings, listening), daemon=True
    )
    worker.start()
    return worker


def _pid(worker: SpawnProcess) -> int:
    assert worker.pid is not None, "not started"
    return worker.pid


def _work(settings: Settings, listening: socket.socket) -> None:
    logs.configure(settings)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(_serving(settings, listening))


async def _serving(settings: Settings, listening: socket.socket) -> None:
    app = build(settings)
    async with app.opened():
        await run_server(app, listening, lambda: None)


class _Server(Server):
    """`accepting` is awaited once connections are accepted.

    Signals are handled by `run_server`: this one would raise them again before we are done.
    """

    def __init__(self, config: Config, accepting: Callable[[], Awaitable[None]]) -> None:
        super().__init__(config)
        self._accepting = accepting

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        await self._accepting()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield
