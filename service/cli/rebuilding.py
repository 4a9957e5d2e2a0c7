"""A match rebuilt from its database alone: read-only, beside a running service or without one."""

from collections.abc import Sequence
from contextlib import suppress
from uuid import UUID

import msgspec

from events.database import Database
from events.dealer import Dealer, SeedDealer
from events.match import LogBroken, Match, decode, evolve
from events.schema import UnknownSchema
from events.store import PAGE, MatchRow, Store
from events.types import Event, MatchCreated, MatchRevealed, Record, TextRow
from games import registry
from games.core.moves import Offer
from service.cli.terminal import CannotDo
from service.settings import Settings
from service.vault import VaultLocked, unlocked


class Log(msgspec.Struct, frozen=True):
    """Everything stored of a match. `seed` is None where neither reveal nor key opens it."""

    row: MatchRow
    records: tuple[Record, ...]
    texts: tuple[TextRow, ...]
    seed: bytes | None


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
        raise CannotDo(f"{match_id} is not a match id") from None
    database = await Database.open(settings.database_url, read_only=True, connections=1)
    try:
        return await _read(Store(database), settings, match_id)
    finally:
        await database.close()


def steps(log: Log) -> tuple[Step, ...]:
    """The fold, step by step, as far as the log folds."""
    current: Match | None = None
    made = []
    with suppress(LogBroken, UnknownSchema, msgspec.MsgspecError):
        for record in log.records:
            event = decode(record)
            after = evolve(current, event)
            msgspec.structs.force_setattr(after, "head", record.hash)
            made.append(Step(current, event, after))
            current = after
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
        raise CannotDo("there is no log in this database yet")
    row = await store.match(match_id)
    if row is None:
        raise CannotDo(f"there is no match {match_id} in this database")
    await _install_tables(store, row)
    records = await _records(store, match_id, row.version)
    texts = await store.texts(match_id, 0, row.version)
    return Log(row, records, tuple(texts), await _seed(store, settings, match_id, records))


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


async def _seed(
    store: Store, settings: Settings, match_id: str, records: Sequence[Record]
) -> bytes | None:
    revealed = _revealed(records)
    if revealed is not None:
        return revealed
    owner = _deal_group(records) or match_id
    secret = await store.secret(owner)
    if secret is None or not _has_key(settings):
        return None
    try:
        return unlocked(settings).open(owner, secret.ciphertext)
    except VaultLocked:
        return None


def _has_key(settings: Settings) -> bool:
    # Asked first, because the vault makes a key where there is none.
    return settings.secret_key is not None or (settings.data_dir / "secret.key").exists()


def _revealed(records: Sequence[Record]) -> bytes | None:
    events = (decode(record) for record in records if record.kind == "match_revealed")
    seeds = (event.seed for event in events if isinstance(event, MatchRevealed))
    return next((bytes.fromhex(seed) for seed in seeds), None)


def _deal_group(records: Sequence[Record]) -> str | None:
    first = decode(records[0]) if records else None
    return first.deal_group if isinstance(first, MatchCreated) else None
