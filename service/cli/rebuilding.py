"""A match rebuilt from its database alone: read-only, beside a running service or without one."""

from collections.abc import Sequence
from contextlib import suppress
from uuid import UUID

import msgspec

from events.database import Database
from events.dealer import Dealer, SeedDealer
from events.match import Folding, LogBroken, Match, decode
from events.schema import UnknownSchema
from events.store import PAGE, MatchRow, Store
from events.types import Event, MatchCreated, MatchRevealed, Record, TextRow
from games import registry
from games.core.moves import Offer
from service.cli.terminal import CannotDo
from service.cli.troubles import assert_readable, place_of
from service.settings import Settings
from service.vault import VaultLocked, unlocked

BROKEN = (LogBroken, UnknownSchema, msgspec.MsgspecError)  # what a damaged record raises


class Log(msgspec.Struct, frozen=True):
    """Everything stored of a match.

    `seed` is None where neither reveal nor key opens it; `misfit` says that there is a key, of
    another database.
    """

    row: MatchRow
    records: tuple[Record, ...]
    texts: tuple[TextRow, ...]
    seed: bytes | None
    misfit: bool = False


class Step(msgspec.Struct, frozen=True):
    """One event with the match before and after it."""

    before: Match | None
    event: Event
    after: Match


async def read_log(settings: Settings, match_id: str) -> Log:
    """Raises: CannotDo, DatabaseFault."""
    try:
        match_id = str(UUID(match_id))
    except ValueError:
        raise CannotDo(f"MATCH: {match_id!r} is not a match id") from None
    assert_readable(settings)
    database = await Database.open(settings.database_url, read_only=True, connections=1)
    try:
        return await _read(Store(database), settings, match_id)
    finally:
        await database.close()


def steps(log: Log) -> tuple[Step, ...]:
    """The fold, step by step, as far as the log folds."""
    made: list[Step] = []
    with suppress(*BROKEN):
        folding = Folding(log.records)
        for record in log.records:
            before = folding.current
            event = folding.take(record)
            assert folding.current is not None
            made.append(Step(before, event, folding.current))
    return tuple(made)


def dealer_of(log: Log) -> Dealer:
    """Without the seed, opened answers are shown without what they open."""
    return _Keyless() if log.seed is None else SeedDealer(log.seed)


class _Keyless:
    """In place of a dealer for a log whose seed is not known: it knows no salt and never draws."""

    def places(self, label: str, offer: Offer, redraw: int = 0) -> tuple[int, ...]:
        raise AssertionError("a fold never draws")

    def answer_salt(self, match_id: str, decision: str) -> bytes:
        return b""

    def seed(self) -> bytes:
        return b""


async def _read(store: Store, settings: Settings, match_id: str) -> Log:
    if await store.database.revision() is None:
        raise CannotDo(f"there is no log in {place_of(settings.database_url)} yet")
    row = await store.match(match_id)
    if row is None:
        raise CannotDo(f"there is no match {match_id} in {place_of(settings.database_url)}")
    await _install_tables(store, row)
    records = await _records(store, match_id, row.version)
    texts = await store.texts(match_id, 0, row.version)
    log = Log(row, records, tuple(texts), _revealed(records))
    return log if log.seed is not None else await _opened(log, store, settings)


async def _records(store: Store, match_id: str, version: int) -> tuple[Record, ...]:
    """The records up to the version of the head that was read; later ones may come meanwhile."""
    found: list[Record] = []
    while len(found) < version:
        page = await store.records(match_id, len(found), min(PAGE, version - len(found)))
        if not page:
            break
        found += page
    return tuple(found)


async def _install_tables(store: Store, row: MatchRow) -> None:
    try:
        registry.game(row.game, row.rules_version, row.data_digest)
    except registry.UnknownGame:
        tables = await store.tables(row.data_digest)
        if tables is None:
            raise
        registry.install(row.game, tables, row.rules_version)


async def _opened(log: Log, store: Store, settings: Settings) -> Log:
    """The log with its sealed seed, if there is a key here and it fits."""
    secret = await store.secret(_deal_group(log.records) or log.row.match_id)
    if secret is None or not _has_key(settings):
        return log
    try:
        seed = unlocked(settings).open(secret.id, secret.ciphertext)
    except VaultLocked:
        return msgspec.structs.replace(log, misfit=True)
    return msgspec.structs.replace(log, seed=seed)


def _has_key(settings: Settings) -> bool:
    # Asked first, because the vault makes a key where there is none.
    return settings.secret_key is not None or (settings.data_dir / "secret.key").exists()


def _revealed(records: Sequence[Record]) -> bytes | None:
    with suppress(*BROKEN, ValueError):
        for record in records:
            event = decode(record) if record.kind == "match_revealed" else None
            if isinstance(event, MatchRevealed):
                return bytes.fromhex(event.seed)
    return None


def _deal_group(records: Sequence[Record]) -> str | None:
    with suppress(*BROKEN):
        first = decode(records[0]) if records else None
        return first.deal_group if isinstance(first, MatchCreated) else None
    return None
