"""`plyscribe archive`: the logs of matches that rest, out of their rows into archives, and back."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Final
from uuid import UUID

import msgspec
from cyclopts import Parameter
from cyclopts.validators import Number

from events.archiving import Kept, put_back
from events.batching import CrashPoint
from events.database import Database
from events.match import LogBroken
from events.store import Store
from service import archiving
from service.archiving import Broken, Left, Put
from service.cli import opening
from service.cli.configuration import DataDir, configured
from service.cli.files import keep
from service.cli.terminal import CannotDo, progress, say, write, write_json
from service.clock import wall_clock
from service.crashing import crash_point
from service.ids import match_id_in
from service.settings import Settings

BROKEN: Final = 1
_LOWEST: Final = str(UUID(int=0))
_MONTH: Final = timedelta(days=30)

Most = Annotated[
    int | None, Parameter(validator=Number(gte=1), help="The most matches to archive now.")
]


class Order(msgspec.Struct, frozen=True):
    """Matches at rest since `before` (ms), at most so many; `put` keeps their bundles as well."""

    before: int
    most: int | None
    is_dry: bool
    is_quiet: bool
    put: Put | None
    crash_at: CrashPoint


class Report(msgspec.Struct):
    """`left` counts by reason; `broken` says by match what is wrong. Bytes are those of values."""

    archived: int = 0
    rows_before: int = 0
    rows_after: int = 0
    bytes_before: int = 0
    bytes_after: int = 0
    left: dict[str, int] = {}
    broken: dict[str, str] = {}
    dry_run: bool = False

    def add(self, kept: Kept) -> None:
        self.archived += 1
        self.rows_before += kept.rows_before
        self.rows_after += 1
        self.bytes_before += kept.bytes_before
        self.bytes_after += kept.bytes_after


def _said(help_text: str) -> Parameter:
    return Parameter(help=help_text)


def archive(
    *,
    older_than: Annotated[
        timedelta, _said("How long nothing has happened in a match: 30d, 12h, 90m.")
    ] = _MONTH,
    limit: Most = None,
    to: Annotated[
        Path | None, _said("A folder in which full bundles are kept as well, without texts.")
    ] = None,
    dry_run: Annotated[
        bool, Parameter(negative="", help="Only tell which would go, unchecked; changes nothing.")
    ] = False,
    restore: Annotated[
        str | None, _said("Instead: put the log of this match back into rows.")
    ] = None,
    json: Annotated[bool, Parameter(negative="", help="One JSON object.")] = False,
    database_url: Annotated[str | None, _said("The service's own if left out.")] = None,
    data_dir: Annotated[DataDir, _said("Where the SQLite file is.")] = None,
) -> int:
    """Move the logs of finished matches out of their rows into one compressed row each.

    They are served as before, byte for byte, and take disputes and erasures as before. A match goes
    if it is over, revealed and at rest for so long, nothing waits for it, and all of its log holds
    as it reads out of the archive. Each goes in one transaction, so the command may be stopped at
    any moment and started again. On PostgreSQL the service may run meanwhile, if all its processes
    are of a version that knows archives; on SQLite it has to be stopped, except with --dry-run.
    Exits with 1 if the log of a match does not hold; such a match stays as it is.
    """
    settings = configured(database_url=database_url, data_dir=data_dir)
    if restore is not None:
        return _restore(settings, restore)
    if older_than < timedelta():
        raise CannotDo("--older-than: is less than nothing")
    if to is not None and not to.is_dir():
        raise CannotDo(f"{to}: is no folder")
    crash_at = crash_point(settings)
    put = None if to is None else _putting(to, crash_at)
    before = wall_clock() - older_than // timedelta(milliseconds=1)
    order = Order(before, limit, dry_run, json, put, crash_at)
    if dry_run:
        report = opening.reading(settings, lambda database: _all(database, order))
    else:
        report = opening.writing(settings, lambda database: _all(database, order), None)
    if json:
        write_json(report)
    else:
        _tell(report)
    return BROKEN if report.broken else 0


def _putting(folder: Path, crash_at: CrashPoint) -> Put:
    def put(match_id: str, data: bytes) -> None:
        keep(folder / f"{match_id}.zip", data)
        crash_at("bundle_kept")

    return put


async def _all(database: Database, order: Order) -> Report:
    store, report = Store(database), Report(dry_run=order.is_dry)
    after, number = _LOWEST, 0
    total = await database.read(lambda c: archiving.count(c, order.before))
    with progress("matches", total) as done:
        while ids := await database.read(lambda c, a=after: archiving.page(c, order.before, a)):  # type: ignore[misc]
            waiting = await database.read(lambda c, i=ids: archiving.waiting(c, i))  # type: ignore[misc]
            for match_id in ids:
                if report.archived == order.most:
                    return report
                await _one(store, match_id, waiting.get(match_id), order, report)
                number += 1
                done(number)
            after = ids[-1]
    return report


async def _one(
    store: Store, match_id: str, waiting: str | None, order: Order, report: Report
) -> None:
    told: Callable[[str], None] = (lambda _: None) if order.is_quiet else write
    try:
        if waiting is not None:
            raise Left(waiting)
        if order.is_dry:
            await archiving.assert_settled(store, match_id)
            report.archived += 1
            told(f"{match_id}  would be archived")
            return
        kept = await archiving.archive_match(
            store, match_id, wall_clock(), order.put, order.crash_at
        )
        report.add(kept)
        told(f"{match_id}  archived: {kept.rows_before} rows, {_change(kept)}")
    except Left as left:
        report.left[str(left)] = report.left.get(str(left), 0) + 1
    except Broken as broken:
        report.broken[match_id] = str(broken)
        told(f"{match_id}  broken: {broken}")


def _change(of: Kept | Report) -> str:
    return f"{of.bytes_before:,} bytes became {of.bytes_after:,}"


def _tell(report: Report) -> None:
    for reason, count in sorted(report.left.items()):
        say(f"{count} left: {reason}")
    if report.dry_run:
        say(f"{report.archived} would be archived, {len(report.broken)} can't be read")
        return
    rows = f"{report.rows_before:,} rows became {report.rows_after:,}"
    say(f"{report.archived} archived, {len(report.broken)} broken: {rows}, {_change(report)}")


def _restore(settings: Settings, match_id: str) -> int:
    if match_id_in(match_id) is None:
        raise CannotDo(f"{match_id!r} is no match id")

    async def task(database: Database) -> int:
        try:
            found = await database.write(lambda c: put_back(c, match_id))
        except LogBroken as broken:
            raise CannotDo(f"{match_id}: {broken}") from None
        if found is None:
            raise CannotDo(f"{match_id}: is not archived")
        write(f"{match_id}  restored: {len(found.records)} events")
        return 0

    return opening.writing(settings, task, None)
