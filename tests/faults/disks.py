"""Disks that get full: a small file system where one may be mounted, or SQLite's own bound."""

import os
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic
from typing import TypeVar

from sqlalchemy import Connection, Engine, event

from events import engines
from events.append import Append, Appended
from events.batching import Batcher, Way
from events.database import DatabaseFull

T = TypeVar("T")

QUOTA = "TEST_QUOTA"  # of the server's environment: a file, the bound while it is there
_NO_BOUND = 1_000_000_000
_CHUNK = 64 << 10


class MountRefused(Exception):
    """Nobody may mount here."""


class Disk:
    """`path` is where to put things; `first` is for servers to call before they start."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.build: Callable[[], None] = _nothing
        self.environ: dict[str, str] = {}
        self._ballast = path / "ballast"

    def fill(self) -> None:
        """From now on there is no room, to the last byte."""
        with suppress(OSError), self._ballast.open("ab", buffering=0) as file:
            for chunk in (_CHUNK, 1):
                with suppress(OSError):
                    while file.write(bytes(chunk)):
                        pass

    def free(self) -> None:
        self._ballast.unlink()


class Quota(Disk):
    """A bound on the pages of an SQLite file, for whoever may not mount anything."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.build = bounded
        self.environ = {QUOTA: str(self._ballast)}

    def fill(self) -> None:
        self._ballast.touch()


@contextmanager
def small_disk(mib: int) -> Iterator[Disk]:
    """A file system of its own in memory. Raises: MountRefused."""
    folder = tempfile.mkdtemp(prefix="plyscribe-")
    mount = ["mount", "-t", "tmpfs", "-o", f"size={mib}m,mode=0700", "tmpfs", folder]
    try:
        try:
            done = subprocess.run(mount, capture_output=True)
        except FileNotFoundError as error:
            raise MountRefused(str(error)) from error
        if done.returncode:
            raise MountRefused(done.stderr.decode())
        try:
            yield Disk(Path(folder))
        finally:
            subprocess.run(["umount", "--lazy", folder], check=True)
    finally:
        os.rmdir(folder)


def bounded() -> None:
    """SQLite's file takes no page more than it has while the file that QUOTA names is there."""
    quota, plain = Path(os.environ.pop(QUOTA)), engines.writing_sqlite

    def writing(path: Path) -> Engine:
        engine = plain(path)

        @event.listens_for(engine, "begin")
        def bound(connection: Connection) -> None:
            # It can't be set below what there is, so that is what 1 stands for.
            most = 1 if quota.exists() else _NO_BOUND
            connection.exec_driver_sql(f"PRAGMA max_page_count = {most}")

        return engine

    from events import database

    database.writing_sqlite = writing  # type: ignore[attr-defined]


def lying() -> None:
    """Broken: what there was no room for is acknowledged all the same."""
    bounded()

    async def by(self: Batcher, way: Way[T], appends: Sequence[Append]) -> Sequence[T | Exception]:
        try:
            return await self._persistently(way, appends)
        except DatabaseFull:
            self._full_at = monotonic()
            return [Appended(a.records[0].version, a.last.version, a.last.hash) for a in appends]  # type: ignore[misc]

    Batcher._by = by  # type: ignore[method-assign]


def _nothing() -> None: ...
