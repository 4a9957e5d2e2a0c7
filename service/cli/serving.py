"""`plyscribe serve` and `plyscribe migrate`."""

import asyncio
import os
import sys
from collections.abc import Coroutine
from pathlib import Path
from socket import socket
from typing import Annotated, Any

import uvloop
from cyclopts import Parameter
from cyclopts.validators import Number
from msgspec.structs import replace

from events.database import SchemaBehind, parsed_url
from service import logs
from service import migrate as schema
from service.app import App, build
from service.cli.configuration import DataDir, configured
from service.cli.exposing import exposed, of_all_workers
from service.cli.listening import address, bound, usable
from service.cli.terminal import CannotDo, say, write
from service.cli.troubles import naming_the_database, place_of, run_migrate
from service.cli.workers import run_server, run_workers
from service.roles import Role
from service.settings import PREFIX, Settings
from service.signals import REGISTRY

BEHIND = 1
Port = Annotated[int | None, Parameter(validator=Number(gte=0, lte=65535))]


def serve(
    *,
    host: str | None = None,
    port: Port = None,
    metrics_port: Port = None,
    database_url: str | None = None,
    data_dir: DataDir = None,
    workers: Annotated[int | None, Parameter(validator=Number(gte=1, lte=256))] = None,
    role: Role | None = None,
    log_level: str | None = None,
    log_format: str | None = None,
) -> None:
    """Start the service. Without options it runs on SQLite in ./data.

    SQLite is brought to the newest schema by itself; for PostgreSQL run plyscribe migrate. Every
    option can be set by an environment variable as well: PLYSCRIBE_HOST, PLYSCRIBE_PORT, …

    Parameters
    ----------
    host
        The address to listen on; 127.0.0.1 if left out.
    port
        8000 if left out; 0 takes a free one.
    metrics_port
        Where Prometheus finds metrics, on the same host; they are not told if left out.
    database_url
        sqlite:///path or postgresql://user@host/name.
    data_dir
        Where the SQLite file and the key file are.
    workers
        Processes; 1 if left out, more need PostgreSQL.
    role
        all if left out; web (the doors) and worker (what waits behind them) need PostgreSQL.
    log_level
        debug, info, warning or error.
    log_format
        json or console; console if left out on a terminal.
    """
    settings = configured(
        host=host,
        port=port,
        metrics_port=metrics_port,
        database_url=database_url,
        data_dir=data_dir,
        workers=workers,
        role=role,
        log_level=log_level,
        log_format=log_format or _format(),
    )
    _run(settings)


def migrate(
    *,
    database_url: str | None = None,
    data_dir: DataDir = None,
    check: Annotated[bool, Parameter(negative="")] = False,
) -> int:
    """Bring the schema of the database to what this version needs. Safe to run again.

    Parameters
    ----------
    database_url
        The service's own database if left out.
    data_dir
        Where the SQLite file is.
    check
        Change nothing; exit with 1 if something is missing.
    """
    settings = configured(database_url=database_url, data_dir=data_dir)
    with naming_the_database(settings):
        return _migrate(settings, check)


def _migrate(settings: Settings, check: bool) -> int:
    wanted = schema.head_revision()
    found = schema.current_revision(settings.database_url)
    if found == wanted:
        return _spread(settings, check, f"the schema is at {wanted}: nothing to do")
    if found is not None and found > wanted:
        say(f"the schema is at {found}, newer than this program, which knows {wanted}: unchanged")
        return 0
    if check:
        say(f"the schema is at {found or 'nothing'}, this version needs {wanted}")
        return BEHIND
    _make_folder(settings)
    schema.upgrade(settings.database_url)
    return _spread(settings, check, f"the schema went from {found or 'nothing'} to {wanted}")


def _spread(settings: Settings, check: bool, done: str) -> int:
    """A database may have become a cluster since its tables were made."""
    tables = schema.spread(settings.database_url, only_look=check)
    if not tables:
        say(done)
        return 0
    names = ", ".join(tables)
    if check:
        say(f"the cluster has these tables on one node: {names}")
        return BEHIND
    say(f"{done}; spread over the cluster: {names}")
    return 0


def _run(settings: Settings) -> None:
    _assert_one_writer(settings)
    with naming_the_database(settings):
        _listen(settings)


def _listen(settings: Settings) -> None:
    logs.configure(settings)
    listening = bound(settings.host, settings.port)
    settings = replace(settings, port=listening.getsockname()[1])
    with listening:
        if settings.workers == 1:
            with exposed(settings, REGISTRY) as told:
                _run_loop(_serve(told, listening))
            return
        with of_all_workers(settings) as (registry, died), exposed(settings, registry) as told:
            _run_loop(_check(told))
            run_workers(told, listening, told.workers, died)


def _run_loop(work: Coroutine[Any, Any, None]) -> None:
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(work)


async def _serve(settings: Settings, listening: socket) -> None:
    app = build(settings)
    try:
        async with app.opened():
            await run_server(app, listening, lambda: _announce(app))
    except SchemaBehind as behind:
        raise run_migrate(behind) from behind


async def _check(settings: Settings) -> None:
    """What every worker needs is there: the schema, the first key. It is told once, from here."""
    app = build(settings)
    try:
        async with app.opened():
            _announce(app)
    except SchemaBehind as behind:
        raise run_migrate(behind) from behind


def _announce(app: App) -> None:
    settings = app.settings
    at = address(usable(settings.host), settings.port)
    write(f"database   {place_of(settings.database_url)}")
    write(f"address    {at}")
    if usable(settings.host) != settings.host:
        write(f"           and every other address of this machine ({settings.host})")
    if settings.role is not Role.ALL:
        write(f"role       {settings.role}")
    if settings.role.has_doors:
        write(f"docs       {at}/docs")
    if settings.metrics_port is not None:
        write(f"metrics    {address(usable(settings.host), settings.metrics_port)}/metrics")
    if app.first_key is not None:
        write(f"first key  {app.first_key}")
        write("           an admin key; it is shown this once, so keep it")
    sys.stdout.flush()
    for warning in app.parts.database.warnings:
        say(warning)


def _assert_one_writer(settings: Settings) -> None:
    """Raises: CannotDo for several processes on SQLite."""
    if settings.workers > 1 and _is_sqlite(settings):
        raise CannotDo(
            "SQLite takes one writing process: --workers above 1 needs PostgreSQL "
            "(--database-url postgresql://user@host/name)"
        )


def _is_sqlite(settings: Settings) -> bool:
    return parsed_url(settings.database_url).get_backend_name() == "sqlite"


def _make_folder(settings: Settings) -> None:
    if _is_sqlite(settings):
        Path(str(parsed_url(settings.database_url).database)).parent.mkdir(
            mode=0o700, parents=True, exist_ok=True
        )


def _format() -> str | None:
    is_set = bool(os.environ.get(PREFIX + "LOG_FORMAT"))
    return "console" if sys.stderr.isatty() and not is_set else None
