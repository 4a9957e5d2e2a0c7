"""The database of the service, opened by a command for one piece of work."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

from sqlalchemy import Connection

from events.database import Database, DatabaseBusy, SchemaBehind, parsed_url
from service.cli.terminal import CannotDo
from service.cli.troubles import assert_readable, naming_the_database, place_of, run_migrate
from service.migrate import head_revision
from service.settings import Settings

T = TypeVar("T")
Work = Callable[[Connection], T]
Task = Callable[[Database], Awaitable[T]]


def read(settings: Settings, work: Work[T]) -> T:
    """What `work` finds; the service may run meanwhile. Raises: CannotDo."""
    return reading(settings, lambda database: database.read(work))


def write(settings: Settings, work: Work[T]) -> T:
    """What `work` did, in one transaction. Raises: CannotDo, also where a service holds SQLite."""
    return writing(settings, lambda database: database.write(work))


def reading(settings: Settings, task: Task[T]) -> T:
    """What `task` finds by several reads. Raises: CannotDo."""
    with naming_the_database(settings):
        assert_readable(settings)
        return asyncio.run(_done(settings, task, read_only=True))


def writing(
    settings: Settings, task: Task[T], addresses: str | None = "/v1/keys and /v1/orgs"
) -> T:
    """What `task` did in as many transactions as it liked. Raises: CannotDo, as `write`.

    `addresses` are those of the service that do the same, if there are any.
    """
    with naming_the_database(settings):
        _assert_there(settings)
        try:
            return asyncio.run(_done(settings, task, read_only=False))
        except DatabaseBusy as busy:
            instead = f", or ask it ({addresses} do the same)" if addresses else ""
            raise CannotDo(f"{busy}: stop it first{instead}") from busy


async def _done(settings: Settings, task: Task[T], *, read_only: bool) -> T:
    database = await Database.open(settings.database_url, read_only=read_only, connections=1)
    try:
        await database.require(head_revision())
        return await task(database)
    except SchemaBehind as behind:
        raise run_migrate(behind) from behind
    finally:
        await database.close()


def _assert_there(settings: Settings) -> None:
    """Writing to SQLite would make a file where there is none."""
    url = parsed_url(settings.database_url)
    if url.get_backend_name() == "sqlite" and not Path(str(url.database)).exists():
        raise CannotDo(f"there is no database in {place_of(settings.database_url)} yet")
