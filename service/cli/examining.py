"""The checks of `plyscribe doctor`. Each only reads, and finds one thing with one remedy."""

import asyncio
import os
import resource
import shutil
import stat
import time
from collections.abc import Awaitable, Callable
from enum import StrEnum
from pathlib import Path
from typing import Final

import msgspec
from sqlalchemy import Connection, select, text
from sqlalchemy.exc import SQLAlchemyError

from events import feedsql
from events.consumers import all_aside
from events.database import Database, DatabaseFault, SchemaBehind, UrlUnsupported, parsed_url
from events.feed import state_of
from events.store import Store
from events.tables import PULSE
from projections.redis_check import RedisUnfit, tried
from projections.redis_nodes import RedisRefused
from service.cli.terminal import CannotDo, first_line
from service.cli.troubles import assert_readable, place_of, reason_of, sqlstate_of
from service.clock import wall_clock
from service.entropy import POOL
from service.migrate import head_revision
from service.migrations.citus import unspread
from service.settings import PREFIX, SettingRefused, Settings
from service.signing_keys import SigningKeys, is_used
from service.vault import KEY_FILE, unlocked

SKEW_MS: Final = 1000  # from here on a warning
SKEW_MOST_MS: Final = 5000
FREE_BYTES: Final = 1 << 30  # below, a warning
FREE_LEAST: Final = 100 << 20
ROLES_SECONDS: Final = 6.0  # a lease lasts 5
_PAUSE_SECONDS: Final = 0.25
_OF_SCHEMA: Final = ("keys", "roles", "matches")  # checks that need the schema as it is
_NAMED: Final = 5  # matches
SPARE_FILES: Final = 200  # besides those of streams
PATIENCE: Final = 5  # seconds
_LET_WRITE: Final = "let the service write there"
_MAKE_WRITABLE: Final = "name the primary, or let it be written to (its disk may be full)"


class Status(StrEnum):
    OK = "ok"
    WARNING = "warning"
    FAILED = "failed"
    SKIPPED = "skipped"


class Finding(msgspec.Struct, frozen=True):
    """What one check found; the remedy is empty where none is needed."""

    check: str
    status: Status
    found: str
    remedy: str = ""


async def findings(settings: Settings) -> list[Finding]:
    """One for each check, in order. Those that need what failed before them are skipped."""
    about_database = await _of_database(settings)
    return [*about_database, await _redis(settings), _disk(settings), _files(settings)]


async def _of_database(settings: Settings) -> list[Finding]:
    try:
        database = await _opened(settings)
    except (DatabaseFault, SQLAlchemyError, CannotDo, OSError) as error:
        remedy = _remedy(settings, error)
        found = [Finding("database", Status.FAILED, _named(settings, error), remedy)]
        more = ("schema", "clock", *_OF_SCHEMA)
        return found + [_skipped(each, "database") for each in more]
    try:
        found = [await _tried("database", _writable, database, settings)]
        found.append(await _tried("schema", _schema, database, settings))
        found.append(await _tried("clock", _clock, database, settings))
        if found[1].status is Status.FAILED:
            return [*found, *(_skipped(each, "schema") for each in _OF_SCHEMA)]
        found.append(await _tried("keys", _keys, database, settings))
        found.append(await _tried("roles", _roles, database, settings))
        return [*found, await _tried("matches", _matches, database, settings)]
    finally:
        await database.close()


async def _opened(settings: Settings) -> Database:
    try:
        assert_readable(settings)
    except UrlUnsupported as error:
        raise CannotDo(first_line(error)) from error
    return await Database.open(
        settings.database_url, read_only=True, connections=1, patience=PATIENCE
    )


def _named(settings: Settings, error: Exception) -> str:
    """The trouble and its place; a URL that can't be read is not repeated."""
    reason = reason_of(error)
    try:
        place = place_of(settings.database_url)
    except UrlUnsupported:
        return reason
    return reason if place in reason else f"{place}: {reason}"


async def _tried(
    check: str,
    look: Callable[[Database, Settings], Awaitable[Finding]],
    database: Database,
    settings: Settings,
) -> Finding:
    """Whatever the database says to a check is the finding."""
    try:
        return await look(database, settings)
    except (DatabaseFault, SQLAlchemyError) as error:
        return Finding(check, Status.FAILED, reason_of(error), "see what the database says")


def _remedy(settings: Settings, error: Exception) -> str:
    """For a database that can't be opened."""
    variable, state = f"{PREFIX}DATABASE_URL", sqlstate_of(error) or ""
    if state.startswith("28"):
        return f"set the user and the password of {variable}, or let the server admit them"
    if state == "3D000":
        return f"make the database, or correct {variable}"
    if state:
        return "see what the database says"
    try:
        is_sqlite = parsed_url(settings.database_url).get_backend_name() == "sqlite"
    except UrlUnsupported:
        return f"correct {variable}"
    more = "; a new file is made by serve" if is_sqlite else ""
    return f"{'' if is_sqlite else 'start it, or '}set {variable}{more}"


async def _writable(database: Database, settings: Settings) -> Finding:
    """Whether it takes writes as well, as the service would make them; none is made."""
    place = place_of(settings.database_url)
    if database.dialect == "sqlite":
        if not os.access(place, os.W_OK):
            return Finding("database", Status.FAILED, f"{place} is not writable", _LET_WRITE)
        return Finding("database", Status.OK, f"{place} answers")
    try:
        writing = await Database.open(settings.database_url, connections=1, patience=PATIENCE)
        try:
            refused = await writing.write(_refused)
        finally:
            await writing.close()
    except DatabaseFault as error:
        refused = reason_of(error)
    if refused:
        found = f"{place} answers, but not to who wants to write: {refused}"
        return Finding("database", Status.FAILED, found, _MAKE_WRITABLE)
    return Finding("database", Status.OK, f"{place} answers and takes writes")


def _refused(connection: Connection) -> str:
    """Why it would, empty if it would not. Through a pooler a connection does not tell."""
    is_closed = connection.scalar(text("SHOW transaction_read_only")) == "on"
    return "the server is read-only" if is_closed else ""


async def _schema(database: Database, _settings: Settings) -> Finding:
    wanted = head_revision()
    try:
        await database.require(wanted)
    except SchemaBehind as behind:
        return Finding("schema", Status.FAILED, str(behind), "run plyscribe migrate")
    except DatabaseFault as error:
        remedy = f"set {PREFIX}DATABASE_URL to the database of this service"
        return Finding("schema", Status.FAILED, str(error), remedy)
    found = await database.revision()
    if found == wanted:
        if tables := await database.read(unspread):
            lying = f"at {found}; the cluster has these tables on one node: {', '.join(tables)}"
            return Finding("schema", Status.WARNING, lying, "run plyscribe migrate")
        return Finding("schema", Status.OK, f"at {found}, as this version needs it")
    newer = f"at {found}, newer than this program, which knows {wanted}"
    return Finding("schema", Status.WARNING, newer, "upgrade the program")


async def _clock(database: Database, _settings: Settings) -> Finding:
    """The clock that the service goes by, against this machine's and its own last sign of life."""
    now, last = await database.read(lambda c: (feedsql.now(c), _last_alive(c)))
    ahead = 0 if last is None else last - now
    if ahead >= SKEW_MS:
        status = Status.FAILED if ahead >= SKEW_MOST_MS else Status.WARNING
        found = f"it was set back: the service was last alive {ahead} ms from now"
        return Finding("clock", status, found, "set it right by NTP while no clock of a match runs")
    if database.dialect == "sqlite":
        return Finding("clock", Status.OK, "SQLite goes by the clock of this machine")
    began = time.monotonic_ns()
    own = wall_clock()
    there = await database.read(feedsql.now)
    pause = (time.monotonic_ns() - began) // 1_000_000
    # It was read some time within the pause; what that explains is no skew.
    skew = there - own
    beyond = max(0, skew - pause, -skew)
    found = f"the database's is {abs(skew)} ms {'ahead' if skew >= 0 else 'behind'}"
    if beyond < SKEW_MS:
        return Finding("clock", Status.OK, found)
    status = Status.FAILED if beyond >= SKEW_MOST_MS else Status.WARNING
    return Finding("clock", status, found, "set both clocks by NTP")


def _last_alive(connection: Connection) -> int | None:
    """The last beat (ms) of any process, None before the first."""
    if not connection.dialect.has_table(connection, PULSE.name):
        return None
    found: int | None = connection.scalar(select(PULSE.c.beat_at))
    return found


async def _keys(database: Database, settings: Settings) -> Finding:
    seeds = await Store(database).secret_of_each_key()
    used = await is_used(database)
    path = settings.data_dir / KEY_FILE
    if settings.secret_key is None and not path.exists() and not (seeds or used):
        return Finding("keys", Status.OK, "none yet: the first start makes them")
    try:
        # It is there, or needed: in neither case is one made.
        vault = unlocked(settings, seeds, is_used=True)
        await SigningKeys(database, vault, wall_clock, POOL).refresh()
    except SettingRefused as refused:
        remedy = f"set {PREFIX}SECRET_KEY to the key this database was begun with, or restore it"
        return Finding("keys", Status.FAILED, refused.reason, remedy)
    except OSError as error:
        return Finding("keys", Status.FAILED, reason_of(error), f"let the service read {path}")
    if settings.secret_key is None and stat.S_IMODE(path.stat().st_mode) & 0o077:
        return Finding("keys", Status.WARNING, f"others may read {path}", f"chmod 600 {path}")
    opened = "seeds and signing keys" if seeds else "signing keys" if used else "nothing sealed yet"
    return Finding("keys", Status.OK, f"the secret key opens them ({opened})")


async def _roles(database: Database, settings: Settings) -> Finding:
    """Whether somebody has the doors and somebody does what waits, if anybody is there at all."""
    if database.dialect == "sqlite":
        return Finding("roles", Status.OK, "on SQLite one process does all")
    silence, ends = round(settings.outage_seconds * 1000), time.monotonic() + ROLES_SECONDS
    is_served, is_kept = await database.read(lambda c: _there(c, silence))
    # One that is being replaced, or was killed just now, is not missing yet.
    while is_served is not is_kept and time.monotonic() < ends:
        await asyncio.sleep(_PAUSE_SECONDS)
        is_served, is_kept = await database.read(lambda c: _there(c, silence))
    if is_served and is_kept:
        return Finding("roles", Status.OK, "the doors are served, and what waits is done")
    if is_served:
        found = "no process does what waits: no flags, feed, results, webhooks"
        return Finding("roles", Status.FAILED, found, "start one with --role worker (or all)")
    if is_kept:
        found = "no process has the doors: nobody can play, and clocks stand"
        return Finding("roles", Status.FAILED, found, "start one with --role web (or all)")
    return Finding("roles", Status.OK, "no process of the service runs")


async def _matches(database: Database, settings: Settings) -> Finding:
    """Whether what follows of every match that has news was done, as far as that can be read."""
    by_match: dict[str, list[str]] = {}
    for name, match_id in await database.read(all_aside):
        by_match.setdefault(match_id, []).append(name)
    if not by_match:
        return Finding("matches", Status.OK, "none is put aside")
    named = [f"{each} ({', '.join(names)})" for each, names in by_match.items()][:_NAMED]
    more = "" if len(named) == len(by_match) else f" and {len(by_match) - len(named)} more"
    found = f"{len(by_match)} can't be read and wait: {', '.join(named)}{more}"
    remedy = 'see "Matches that are put aside" in docs/operations.md'
    return Finding("matches", Status.WARNING, found, remedy)


def _there(connection: Connection, silence: int) -> tuple[bool, bool]:
    """Whether a process with doors was alive within `silence` (ms), and whether one that works
    holds the lease of the feed, which only such a one does, and one of them always."""
    last, state = _last_alive(connection), state_of(connection)
    is_served = last is not None and -SKEW_MS < state.now - last <= silence
    return is_served, state.lease_until > state.now


async def _redis(settings: Settings) -> Finding:
    variable = PREFIX + "REDIS_URL"
    if settings.redis_url is None:
        return Finding("redis", Status.OK, "none is set: one machine can do without")
    try:
        count = await tried(settings.redis_url)
    except RedisRefused as error:
        return Finding("redis", Status.FAILED, str(error), f"correct {variable}")
    except RedisUnfit as error:
        remedy = f"start it, correct {variable}, or grant the commands in docs/operations.md"
        return Finding("redis", Status.FAILED, str(error), remedy)
    servers = "1 server" if count == 1 else f"{count} servers"
    return Finding("redis", Status.OK, f"{servers} took a hint and counted a request")


def _disk(settings: Settings) -> Finding:
    folder = _existing(_folder(settings))
    free = shutil.disk_usage(folder).free
    found = f"{free >> 20} MiB free in {folder}"
    if not os.access(folder, os.W_OK) and _is_sqlite(settings):
        return Finding("disk", Status.FAILED, f"{folder} is not writable", _LET_WRITE)
    if free >= FREE_BYTES:
        return Finding("disk", Status.OK, found)
    status = Status.FAILED if free < FREE_LEAST else Status.WARNING
    if not _is_sqlite(settings):
        status = Status.WARNING  # PostgreSQL's own disk is elsewhere, and can't be seen from here.
    return Finding("disk", status, found, "make room: without it no move can be stored")


def _files(settings: Settings) -> Finding:
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = settings.stream_limit + SPARE_FILES
    if soft == resource.RLIM_INFINITY or soft >= needed:
        return Finding("files", Status.OK, "as many may be open as there may be streams")
    found = f"{soft} may be open, {settings.stream_limit} streams of a process need {needed}"
    remedy = f"raise the limit (ulimit -n), or lower {PREFIX}STREAM_LIMIT"
    return Finding("files", Status.WARNING, found, remedy)


def _skipped(check: str, because: str) -> Finding:
    return Finding(check, Status.SKIPPED, f"not checked without the {because}")


def _is_sqlite(settings: Settings) -> bool:
    try:
        return parsed_url(settings.database_url).get_backend_name() == "sqlite"
    except UrlUnsupported:
        return False


def _folder(settings: Settings) -> Path:
    if not _is_sqlite(settings):
        return settings.data_dir
    return Path(os.path.realpath(str(parsed_url(settings.database_url).database))).parent


def _existing(folder: Path) -> Path:
    """The folder, or the nearest above it that is there."""
    whole = Path(os.path.abspath(folder))
    return next(each for each in (whole, *whole.parents) if each.exists())
