"""`plyscribe signing-keys` and `plyscribe log`: what the service signs with, and in whose name."""

import asyncio
from base64 import b64encode
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, TypeVar

from cyclopts import Parameter
from sqlalchemy import Connection

from events.checkpoints import newest
from events.database import Database
from events.notes import (
    Checkpoint,
    NoteWrong,
    checkpoint_in,
    is_name,
    unverified,
    verified,
    verifier_key,
)
from events.signing import PublicKey, Purpose
from service.cli.configuration import DataDir, configured
from service.cli.terminal import CannotDo, plain_table, say, show, write, write_json
from service.cli.troubles import naming_the_database
from service.clock import wall_clock
from service.entropy import POOL
from service.migrate import head_revision
from service.settings import Settings
from service.signing_keys import OVERLAP_MS, SigningKeys, is_used
from service.vault import unlocked

T = TypeVar("T")
Work = Callable[[Database, SigningKeys], Awaitable[T]]


def listing(
    *,
    json: Annotated[bool, Parameter(negative="")] = False,
    database_url: str | None = None,
    data_dir: DataDir = None,
) -> None:
    """List the keys the service signs with, the newest first.

    The database is opened read-only.

    Parameters
    ----------
    json
        A line of JSON for each key.
    database_url
        The service's own database if left out.
    data_dir
        Where the key file of the service is.
    """
    settings = configured(database_url=database_url, data_dir=data_dir)
    keys, origin = with_keys(settings, _known, read_only=True)
    if json:
        for key in keys:
            write_json({**key.jwk(), **_vkey(key, origin)})
        return
    table = plain_table(None, "purpose", "kid", "since", "until")
    for key in keys:
        until = "in use" if key.retired_at is None else _shown(key.retired_at)
        table.add_row(key.purpose.value, key.kid, _shown(key.created_at), until)
    show(table)


def rotate(
    purpose: str,
    /,
    *,
    database_url: str | None = None,
    data_dir: DataDir = None,
) -> None:
    """Make a new key for one purpose and retire the one before, which signs on for a minute.

    On PostgreSQL the service may run meanwhile: all its processes use the new key within that
    minute. On SQLite it has to be stopped. The log says of both that and when it happened.

    Parameters
    ----------
    purpose
        checkpoints, receipts or webhooks.
    database_url
        The service's own database if left out.
    data_dir
        Where the key file of the service is.
    """
    if purpose not in set(Purpose):
        raise CannotDo(f"there are no keys for {purpose}: use {', '.join(Purpose)}")
    settings = configured(database_url=database_url, data_dir=data_dir)
    made = with_keys(settings, lambda _, keys: keys.rotate(Purpose(purpose)))
    write(made.kid)
    say(f"the key before it signs for another {OVERLAP_MS // 1000} seconds")


def new_origin(
    origin: str,
    /,
    *,
    reason: str,
    last: Path | None = None,
    database_url: str | None = None,
    data_dir: DataDir = None,
) -> None:
    """Give the log another name, with a signed statement of the break.

    Needed after a restore that lost leaves: under the old name other leaves were signed at the same
    places. The service has to be stopped; start it with PLYSCRIBE_LOG_ORIGIN set to the new name,
    or not set.

    Parameters
    ----------
    origin
        The new name: host/path, without + and spaces.
    reason
        What happened, for everybody to read.
    last
        A file with the last checkpoint that was published under the old name, if somebody has it;
        else the last one in the database is named.
    database_url
        The service's own database if left out.
    data_dir
        Where the key file of the service is.
    """
    if not is_name(origin):
        raise CannotDo(f"{origin!r} is no name for a log: use host/path, without + and spaces")
    note = None if last is None else note_in(last)
    settings = configured(database_url=database_url, data_dir=data_dir)

    async def work(database: Database, keys: SigningKeys) -> str:
        if origin == keys.origin:
            raise CannotDo(f"the log is called {origin} already")
        before = await _last(database, keys, last, note)
        await keys.change_origin(origin, _told(keys.origin, before), reason)
        return keys.origin

    write(with_keys(settings, work))


async def _known(database: Database, keys: SigningKeys) -> tuple[list[PublicKey], str]:
    return list(keys.public), keys.origin


async def _last(
    database: Database, keys: SigningKeys, path: Path | None, note: str | None
) -> Checkpoint | None:
    """Raises: CannotDo for a note that no key of this service signed."""
    if path is None or note is None:
        return await database.read(_newest)
    return signed_checkpoint(keys, path, note)


def note_in(path: Path) -> str:
    """A signed checkpoint, by whomever. Raises: CannotDo, OSError."""
    try:
        note = path.read_text("utf-8")
        checkpoint_in(unverified(note))
    except (UnicodeDecodeError, NoteWrong):
        raise CannotDo(f"{path}: is no checkpoint") from None
    return note


def signed_checkpoint(keys: SigningKeys, path: Path, note: str) -> Checkpoint:
    """Raises: CannotDo for a note that no key of this service signed."""
    for key in (each for each in keys.public if each.purpose is Purpose.CHECKPOINTS):
        try:
            return checkpoint_in(verified(note, keys.origin, key.public))
        except NoteWrong:
            continue
    raise CannotDo(f"{path}: no key of this service signed that checkpoint for {keys.origin}")


def _newest(connection: Connection) -> Checkpoint | None:
    found = newest(connection)
    return None if found is None else found.checkpoint


def _told(origin: str, before: Checkpoint | None) -> dict[str, Any]:
    if before is None:
        return {"origin": origin, "root": None, "size": 0}
    root = b64encode(before.root).decode()
    return {"origin": before.origin, "root": root, "size": before.size}


def with_keys(settings: Settings, work: Work[T], *, read_only: bool = False) -> T:
    """What `work` does with the database and the keys in it. Raises: CannotDo, SettingRefused."""
    with naming_the_database(settings):
        return asyncio.run(_opened(settings, work, read_only))


async def _opened(settings: Settings, work: Work[T], read_only: bool) -> T:
    database = await Database.open(settings.database_url, read_only=read_only, connections=1)
    try:
        await database.require(head_revision())
        if not await is_used(database):
            raise CannotDo("there are no keys yet: the service makes them at its first start")
        keys = SigningKeys(database, unlocked(settings, is_used=True), wall_clock, POOL)
        await keys.refresh()
        return await work(database, keys)
    finally:
        await database.close()


def _vkey(key: PublicKey, origin: str) -> dict[str, str]:
    is_of_log = key.purpose is Purpose.CHECKPOINTS
    return {"verifier_key": verifier_key(origin, key.public)} if is_of_log else {}


def _shown(at: int) -> str:
    return datetime.fromtimestamp(at / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
