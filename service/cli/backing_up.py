"""`plyscribe backup`: a copy of the SQLite database as it is at one moment."""

import os
import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from urllib.parse import quote

from events.database import parsed_url
from service.cli.configuration import DataDir, configured
from service.cli.files import keep_name, part_of
from service.cli.terminal import CannotDo, first_line, say, write
from service.cli.troubles import assert_readable, naming_the_database


def backup(file: Path, /, *, database_url: str | None = None, data_dir: DataDir = None) -> None:
    """Copy the SQLite database into a new file, as it is at this moment; the service may run.

    The copy is checked before it gets its name, so a file of that name is whole. It holds all that
    is hidden in running matches; the key file is not in it.

    Parameters
    ----------
    file
        The copy, which must not be there yet.
    database_url
        The service's own database if left out.
    data_dir
        Where the SQLite file is.
    """
    settings = configured(database_url=database_url, data_dir=data_dir)
    with naming_the_database(settings):
        url = parsed_url(settings.database_url)
        if url.get_backend_name() != "sqlite":
            raise CannotDo("copies SQLite alone; PostgreSQL is backed up by pg_dump")
        source = Path(os.path.realpath(str(url.database)))
        if not source.exists():
            raise CannotDo(f"{source}: there is no database yet")
        assert_readable(settings)
    if file.exists():
        raise CannotDo(f"{file}: is there already")
    handle, part = part_of(file)
    try:
        _copy(source, part)
        os.fsync(handle)
        os.rename(part, file)
        keep_name(file.parent)
    except sqlite3.Error as error:
        raise CannotDo(f"{source}: {first_line(error)}") from error
    finally:
        os.close(handle)
        for left in (part, Path(f"{part}-wal"), Path(f"{part}-shm")):
            with suppress(FileNotFoundError):
                left.unlink()
    write(str(file))
    say(f"{file.stat().st_size} bytes, checked; the key that opens its seeds is not in it")


def _copy(source: Path, part: Path) -> None:
    """Raises: CannotDo, sqlite3.Error."""
    # It never writes to the source and never checkpoints. All pages in one step are one moment.
    address = f"file:{quote(str(source))}?mode=ro"
    with closing(sqlite3.connect(address, uri=True)) as original:
        original.execute("PRAGMA wal_autocheckpoint = 0")
        with closing(sqlite3.connect(part)) as copy:
            original.backup(copy)
            # The log beside it is for databases in use; a backup is one file.
            copy.execute("PRAGMA journal_mode = DELETE")
            found = [row[0] for row in copy.execute("PRAGMA integrity_check(3)")]
            if found != ["ok"]:
                raise CannotDo(f"{source}: is damaged: {found[0]}")
            if copy.execute("SELECT count(*) FROM alembic_version").fetchone() == (0,):
                raise CannotDo(f"{source}: is no database of this service")
