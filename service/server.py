"""The server process: uvicorn on uvloop and httptools around the application."""

import asyncio
import signal
import socket
from collections.abc import Callable

import msgspec
import uvicorn
import uvloop

from service import logs
from service.app import App, build
from service.settings import Settings


class Started(msgspec.Struct, frozen=True):
    """What to tell the operator once the door is open.

    `first_key` is the admin key made by this very start and never shown again; else None.
    """

    address: str
    first_key: str | None
    warnings: tuple[str, ...]


def serve(settings: Settings, on_started: Callable[[Started], None]) -> None:
    """Serve until SIGINT or SIGTERM; blocks.

    Raises: SettingRefused, DatabaseFault; OSError if the address can't be had.
    """
    logs.configure(settings)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(_serve(build(settings), on_started))


async def _serve(app: App, on_started: Callable[[Started], None]) -> None:
    settings = app.settings
    listening = _bound(settings)
    try:
        async with app.running():
            # Uvicorn raises the signal again when it is done; by then it has served its purpose.
            for each in (signal.SIGINT, signal.SIGTERM):
                signal.signal(each, lambda *_: None)
            address = f"http://{_named(settings.host)}:{listening.getsockname()[1]}"
            warnings = app.parts.database.warnings
            on_started_once = Started(address, app.first_key, warnings)
            server = _Server(_config(app), app, lambda: on_started(on_started_once))
            await server.serve(sockets=[listening])
    finally:
        listening.close()


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, app: App, on_started: Callable[[], None]) -> None:
        super().__init__(config)
        self._app = app
        self._on_started = on_started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._on_started()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._app.stop_streams()
        await super().shutdown(sockets)


def _config(app: App) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        loop="uvloop",
        http="httptools",
        ws="none",
        lifespan="off",
        access_log=False,
        log_config=None,
        server_header=False,
        date_header=True,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=15,
        backlog=2048,
    )


def _bound(settings: Settings) -> socket.socket:
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((settings.host, settings.port))
    except OSError:
        listening.close()
        raise
    return listening


def _named(host: str) -> str:
    return f"[{host}]" if ":" in host else host
