"""Every game by slug, rules version and component tables: the only file that names a game.

A game is a package with GAME, `make(tables: bytes) -> Game` and TABLES, the bytes GAME was made
from (b"" without tables); if they are a JSON file of the package as it stands, the file is found
by its digest and TABLES may be left out. OLD_RULES, if there is one, maps earlier rules versions
to their `make` for as long as logs of theirs are kept. Further packages come through the entry
point group `plyscribe.games`, named by slug.
"""

from collections.abc import Callable
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from importlib.resources import files
from types import ModuleType
from typing import Any, TypeAlias

import msgspec

from games import ambagibus, ambition_characters, ambition_tricks, ave_cesar, star_realms
from games.core.game import AnyGame, Game
from games.core.tables import digest

GROUP = "plyscribe.games"
HOUSE: tuple[ModuleType, ...] = (
    ambagibus,
    ambition_characters,
    ambition_tricks,
    ave_cesar,
    star_realms,
)

Make: TypeAlias = Callable[[bytes], AnyGame]


class UnknownGame(Exception):
    """No game of that slug, rules version or data digest."""


class PluginRefused(Exception):
    """A game from outside cannot be used; the message names the entry point and the reason."""


class TablesRefused(Exception):
    """A game cannot be made from the tables given; the message says why."""


class _Entry(msgspec.Struct, frozen=True):
    """A game as installed: how to make each rules version, and its default tables."""

    newest: int
    makes: dict[int, Make]
    tables: bytes


def games() -> tuple[AnyGame, ...]:
    """Every game by its newest rules and the tables chosen for it, in the order of slugs."""
    return tuple(game(slug) for slug in sorted(_entries()))


def game(slug: str, rules_version: int | None = None, data_digest: str | None = None) -> AnyGame:
    """The one record of a game, by default of its newest rules and the tables chosen for it.

    Other tables have to be installed first, in every process. Raises: UnknownGame.
    """
    entry = _entry(slug)
    version = entry.newest if rules_version is None else rules_version
    if version not in entry.makes:
        raise UnknownGame(f"{slug} has no rules version {version}")
    if data_digest is None:
        data_digest = _chosen.get(slug, digest(entry.tables))
    known = _made.get((slug, version, data_digest))
    return known or install(slug, tables_of(slug, data_digest), version)


def install(slug: str, tables: bytes, rules_version: int | None = None) -> AnyGame:
    """The record of a game for a table set, made once.

    Raises: UnknownGame; TablesRefused if the game cannot be made from them.
    """
    entry = _entry(slug)
    version = entry.newest if rules_version is None else rules_version
    if version not in entry.makes:
        raise UnknownGame(f"{slug} has no rules version {version}")
    key = (slug, version, digest(tables))
    if key not in _made:
        try:
            made = entry.makes[version](tables)
        except Exception as error:
            raise TablesRefused(f"{slug}: {error}") from error
        if made.data_digest != digest(tables):
            raise TablesRefused(f"{slug}: made with the data digest {made.data_digest!r}")
        _made.setdefault(key, made)
        _tables.setdefault((slug, key[2]), tables)
    return _made[key]


def choose(slug: str, tables: bytes | None) -> None:
    """What a game is played with in this process where no tables are named; None: its own again.

    Matches there are keep theirs. Raises: UnknownGame, TablesRefused.
    """
    if tables is None:
        _chosen.pop(slug, None)
    else:
        _chosen[slug] = install(slug, tables).data_digest


def tables_of(slug: str, data_digest: str) -> bytes:
    """The bytes of a table set that was installed or is the default. Raises: UnknownGame."""
    default = _entry(slug).tables
    if data_digest == digest(default):
        return default
    try:
        return _tables[slug, data_digest]
    except KeyError:
        raise UnknownGame(f"{slug} has no tables {data_digest}") from None


_made: dict[tuple[str, int, str], AnyGame] = {}
_tables: dict[tuple[str, str], bytes] = {}
_chosen: dict[str, str] = {}  # digests by slug


def _entry(slug: str) -> _Entry:
    try:
        return _entries()[slug]
    except KeyError:
        raise UnknownGame(slug) from None


@cache
def _entries() -> dict[str, _Entry]:
    """All games. Raises: PluginRefused."""
    found = {package.GAME.slug: _admitted(package) for package in HOUSE}
    for point in sorted(entry_points(group=GROUP), key=lambda each: (each.name, each.value)):
        if point.name in found:
            raise PluginRefused(f"{_named(point)}: there is a game {point.name!r} already")
        try:
            found[point.name] = _admitted(point.load(), point.name)
        except Exception as error:
            raise PluginRefused(f"{_named(point)}: {error!r}") from error
    return found


def _admitted(package: Any, slug: str | None = None) -> _Entry:
    record, make = package.GAME, package.make
    tables = package.TABLES if hasattr(package, "TABLES") else _file_of(package, record)
    if not isinstance(record, Game) or not callable(make) or not isinstance(tables, bytes):
        raise TypeError("GAME is no Game, make no function or TABLES no bytes")
    if slug is not None and record.slug != slug:
        raise ValueError(f"its slug is {record.slug!r}")
    if record.data_digest != digest(tables):
        raise ValueError("GAME.data_digest is not the digest of TABLES")
    _made.setdefault((record.slug, record.rules_version, record.data_digest), record)
    makes = {**getattr(package, "OLD_RULES", {}), record.rules_version: make}
    return _Entry(record.rules_version, makes, tables)


def _file_of(package: Any, record: AnyGame) -> bytes:
    """The JSON file that GAME was made from."""
    for each in files(package).iterdir():
        if each.name.endswith(".json") and digest(each.read_bytes()) == record.data_digest:
            return each.read_bytes()
    raise AttributeError("no TABLES, and no JSON file with the digest of GAME")


def _named(point: EntryPoint) -> str:
    return f"entry point {point.name} = {point.value} of {GROUP}"
