"""`plyscribe export-trf` and `export-pods`: the rounds of an event as a file others read."""

import sys
from collections.abc import Callable
from pathlib import Path

import msgspec
from sqlalchemy import Connection

from events.results import Result
from service.callers import FIRST_ORG
from service.cli import files, opening
from service.cli.configuration import DataDir, Flag, configured
from service.cli.orgs import assert_org
from service.cli.terminal import CannotDo, say
from service.trf import matches, tables
from service.trf.event import EVENT, Event, EventRefused, Game, checked, report_of
from service.trf.report import TrfRefused
from service.trf.writing import written

LARGEST = 16 * 1024 * 1024  # bytes of an event

Results = dict[Game, Result]


def export_trf(
    event: Path,
    out: Path | None = None,
    /,
    *,
    org: str = FIRST_ORG,
    unfinished: Flag = False,
    database_url: str | None = None,
    data_dir: DataDir = None,
) -> int:
    """Write rounds of two-seat matches as FIDE's Tournament Report File (TRF26).

    The database is opened read-only; the service may run meanwhile.

    Parameters
    ----------
    event
        Players, rounds and byes as JSON, and which match is which game; see docs/tournaments.md.
    out
        The new file; the terminal if left out.
    org
        Whose matches they are.
    unfinished
        Also where matches are not over: their games have no result yet.
    database_url
        The service's own database if left out.
    data_dir
        Where the database of the service is.
    """
    return _export(
        event,
        out,
        lambda given, results: written(report_of(given, results)),
        org=org,
        unfinished=unfinished,
        database_url=database_url,
        data_dir=data_dir,
    )


def export_pods(
    event: Path,
    out: Path | None = None,
    /,
    *,
    org: str = FIRST_ORG,
    unfinished: Flag = False,
    database_url: str | None = None,
    data_dir: DataDir = None,
) -> int:
    """Write rounds of tables of any number of seats, and standings, as plain JSON.

    The database is opened read-only; the service may run meanwhile.

    Parameters
    ----------
    event
        Players, rounds and byes as JSON, and which match is which table; see docs/tournaments.md.
    out
        The new file; the terminal if left out.
    org
        Whose matches they are.
    unfinished
        Also where matches are not over: their tables are pending.
    database_url
        The service's own database if left out.
    data_dir
        Where the database of the service is.
    """
    return _export(
        event,
        out,
        lambda given, results: (
            msgspec.json.format(msgspec.json.encode(tables.document(given, results))) + b"\n"
        ),
        org=org,
        unfinished=unfinished,
        database_url=database_url,
        data_dir=data_dir,
    )


def _export(
    path: Path,
    out: Path | None,
    made: Callable[[Event, Results], bytes],
    *,
    org: str,
    unfinished: bool,
    database_url: str | None,
    data_dir: Path | None,
) -> int:
    """Raises: CannotDo, OSError."""
    settings = configured(database_url=database_url, data_dir=data_dir)
    try:
        event = _event(path)

        def work(connection: Connection) -> Results:
            assert_org(connection, org)
            return matches.results_of(connection, org, event)

        results = opening.read(settings, work)
        _refuse_unfinished(results, unfinished)
        data = made(event, results)
    except (EventRefused, TrfRefused) as error:
        raise CannotDo(f"{path}: {error}") from None
    if out is None:
        sys.stdout.buffer.write(data)
    else:
        files.make(out, data)
    later = len(matches.provisional(results))
    if later:
        say(f"{later} of {len(results)} results may still change")
    return 0


def _event(path: Path) -> Event:
    """Raises: CannotDo, EventRefused, OSError."""
    data = files.contents(path, LARGEST)
    try:
        return checked(EVENT.decode(data))
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise CannotDo(f"{path}: is no event ({error})") from None


def _refuse_unfinished(results: Results, are_fine: bool) -> None:
    """Raises: EventRefused."""
    left = matches.unfinished(results)
    if left and not are_fine:
        first = left[0].match or left[0].external_id
        raise EventRefused(f"{len(left)} matches are not over, the first is {first}")
