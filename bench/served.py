"""Servers of ours, as users run them, each on a database of its own."""

from collections.abc import Callable
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from uuid import uuid4

import psycopg

from service import migrate
from service.cli.demo.server import Server
from tests import servers


def served(
    stack: ExitStack, folder: Path, url: str | None = None, redis: str | None = None
) -> Server:
    """`plyscribe serve` until the stack ends; without a database's URL on SQLite in the folder."""
    folder.mkdir(exist_ok=True)
    more = {} if redis is None else {"redis_url": redis}
    server = Server(folder, url, **more)
    stack.callback(server.stop)
    return server


def fresh(postgres: str, *, waits_for_disk: bool = True) -> str:
    """The URL of a new database with our tables.

    One that does not wait acknowledges a commit before it is on disk.
    """
    name = f"bench_{uuid4().hex}"
    url = servers.create_database(postgres, name, _template(postgres))
    if not waits_for_disk:
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(f'ALTER DATABASE "{name}" SET synchronous_commit = off'.encode())
    return url


@cache
def _template(postgres: str) -> str:
    """A database with our tables that others are copies of."""
    name = f"template_{uuid4().hex}"
    migrate.upgrade(servers.create_database(postgres, name))
    return name


def anew(
    stack: ExitStack, folder: Path, url: str, redis: str | None = None
) -> Callable[[], Server]:
    """Each call ends the server of the one before and gives one that has nothing at hand."""
    running: list[Server] = []

    def start() -> Server:
        if running:
            running.pop().stop()
        running.append(served(stack, folder, url, redis))
        return running[-1]

    return start


def forget_snapshots(url: str) -> None:
    """So that whoever asks next has its match folded from the log."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("DELETE FROM snapshot")
