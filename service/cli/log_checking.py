"""`plyscribe log check`: the log in a database against what was published of it."""

from pathlib import Path
from typing import Final

import msgspec
from sqlalchemy import Connection

from events.checkpoints import newest
from events.database import Database
from events.notes import Checkpoint
from events.restored import Restored, restored
from service.cli.configuration import DataDir, Flag, configured
from service.cli.signing import note_in, signed_checkpoint, with_keys
from service.cli.terminal import write, write_json
from service.signing_keys import SigningKeys

BROKEN = 1
_SHOWN: Final = 5
_OWN: Final = "the last checkpoint in the database"


class Compared(msgspec.Struct, frozen=True):
    """A checkpoint of `size` entries. `lost` of them are not here; else `same` says whether the
    first entries here are those.
    """

    name: str
    size: int
    lost: int
    same: bool


class Report(msgspec.Struct, frozen=True):
    """`torn` are positions of entries without the events that they are of."""

    ok: bool
    origin: str
    size: int
    torn: tuple[int, ...]
    checkpoints: tuple[Compared, ...]


def check(
    *files: Path,
    json: Flag = False,
    database_url: str | None = None,
    data_dir: DataDir = None,
) -> int:
    """Check that the log in a database is the one whose checkpoints were published.

    For after a restore, before the service starts. Reads the whole log, hashes every entry anew and
    looks for the events it is of; nothing is changed. Exits with 1 if entries of a checkpoint are
    lost or others than they were, or if events of an entry are not there.

    Parameters
    ----------
    files
        Checkpoints that were kept, as GET /v1/log/checkpoint gave them. The last one in the
        database is looked at in any case.
    json
        One JSON object.
    database_url
        The service's own database if left out.
    data_dir
        Where the key file of the service is.
    """
    settings = configured(database_url=database_url, data_dir=data_dir)
    notes = [(path, note_in(path)) for path in files]

    async def work(database: Database, keys: SigningKeys) -> Report:
        given = [(str(path), signed_checkpoint(keys, path, note)) for path, note in notes]
        return await database.read(lambda c: _report(c, keys.origin, given))

    report = with_keys(settings, work, read_only=True)
    if json:
        write_json(report)
    else:
        _tell(report)
    return 0 if report.ok else BROKEN


def _report(connection: Connection, origin: str, given: list[tuple[str, Checkpoint]]) -> Report:
    own = newest(connection)
    known = given if own is None else [*given, (_OWN, own.checkpoint)]
    log = restored(connection, [each.size for _, each in known])
    compared = tuple(_compared(name, log, each) for name, each in known)
    ok = not log.torn and all(each.same for each in compared)
    return Report(ok, origin, log.size, log.torn, compared)


def _compared(name: str, log: Restored, checkpoint: Checkpoint) -> Compared:
    lost = max(0, checkpoint.size - log.size)
    return Compared(name, checkpoint.size, lost, bool(log.begins_with(checkpoint)))


def _tell(report: Report) -> None:
    write(f"{report.origin}: {report.size} entries")
    for each in report.checkpoints:
        write(f"{each.name}: {_verdict(each)}")
    if report.torn:
        places = ", ".join(map(str, report.torn[:_SHOWN]))
        more = "" if len(report.torn) <= _SHOWN else f" and {len(report.torn) - _SHOWN} more"
        write(f"WRONG: not the events that the log has: position {places}{more}")


def _verdict(found: Compared) -> str:
    if found.lost:
        return (
            f"LOST: {found.lost} of its {found.size} entries are not here. What came after the "
            "backup is gone; give the log another name: plyscribe log new-origin"
        )
    if not found.same:
        return f"WRONG: the first {found.size} entries here are not those that were signed"
    return f"its {found.size} entries are the first of these"
