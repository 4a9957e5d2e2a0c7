"""Folded matches kept at hand: in this process, and as a discardable cache in the database.

The log stays the only truth. A kept match is completed by reading newer records, and a snapshot
counts only if everything that shaped it is what runs now.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from sys import modules
from typing import Any

import msgspec
from sqlalchemy import Connection, bindparam, delete, insert, select
from sqlalchemy.exc import SQLAlchemyError

from events import match as folding
from events.agreeing import DrawOffer
from events.attended import PresenceChecked
from events.attending import Presence
from events.batching import Line
from events.canonical import canonical, prefixed, raw
from events.charging import Clocks
from events.clocks import Clock
from events.database import DatabaseFault
from events.disputes import Dispute, GoBack, Takeback
from events.entropy import Entropy
from events.match import Answer, LogBroken, Match, TargetUnknown, decode, fold, lasting
from events.pinned import hold_alone
from events.rulings import ForceMove
from events.scheduling import Schedule
from events.store import Store
from events.tables import SNAPSHOT
from events.timed import FlagFell
from events.types import (
    ChanceDrawn,
    MatchClosed,
    MatchCreated,
    MovePlayed,
    Outcome,
    Record,
    Status,
)
from games import core, registry
from games.core.game import Game, Seat

EVERY = 100  # a fold of that many events is saved
PAGE = 500  # records folded without letting others run
_LOOKUPS = 1000  # heads asked for in one query

Head = tuple[int, bytes]  # version and hash of the last event; of no match 0 and nothing


class MatchCache:
    """The matches of a process, folded. Bounded by count and by estimated bytes.

    `load` is always as new as the database when it was called; `peek` may be old.

    `lost` is told of a match whose events, as they were read here, are not in the log: a server
    took over that has fewer than the one before.
    """

    def __init__(
        self,
        store: Store,
        most: int = 10_000,
        most_bytes: int = 256 << 20,
        every: int = EVERY,
        lost: Callable[[str], None] = lambda _match_id: None,
    ) -> None:
        self._store = store
        self._every = every
        self._lost = lost
        self._kept = _Kept(most, most_bytes)
        self._heads: Line[str, Head] = Line(self._heads_of, None, _LOOKUPS)
        self._reading: dict[str, asyncio.Task[Match | None]] = {}
        self._saving: set[asyncio.Task[None]] = set()

    def __len__(self) -> int:
        return len(self._kept)

    async def load(self, match_id: str) -> Match | None:
        """The match as it is now, None if there is none. Callers at the same time share reads.

        Raises: DatabaseFault; LogBroken, UnknownSchema or UnknownGame where a log can't be read.
        """
        doubted: Match | None = None
        while True:
            wanted, head = await self._heads.ask(match_id)
            if wanted == 0:
                return None
            kept = self._kept.get(match_id)
            if kept is not None and (kept.version, kept.head) == (wanted, head):
                return kept
            if kept is None or kept.version < wanted:
                reading = self._reading.get(match_id)
                is_own = reading is None
                found = await asyncio.shield(reading or self._start_reading(match_id, kept, wanted))
                if found is not None and found.version >= wanted:
                    return found
                if is_own:
                    raise LogBroken(wanted, "is missing")
            elif kept is doubted:
                self._forget(match_id)
            else:
                # It was stored after the head was read, or is no more: a second look tells.
                doubted = kept

    def peek(self, match_id: str) -> Match | None:
        """The match as last seen here: for a decision that the append will check."""
        return self._kept.get(match_id)

    def put(self, current: Match) -> None:
        """Keep a match whose last event is stored, unless a newer one is kept."""
        self._kept.put(current)

    async def close(self) -> None:
        """Waits for snapshots that are being written."""
        if self._saving:
            await asyncio.wait(self._saving)

    def _forget(self, match_id: str) -> None:
        self._kept.drop(match_id)
        self._lost(match_id)

    async def _heads_of(self, ids: Sequence[str]) -> Sequence[Head]:
        found = await self._store.latest(list(dict.fromkeys(ids)))
        return [found.get(match_id, (0, b"")) for match_id in ids]

    def _start_reading(
        self, match_id: str, kept: Match | None, wanted: int
    ) -> asyncio.Task[Match | None]:
        task = asyncio.create_task(self._read(match_id, kept, wanted))
        self._reading[match_id] = task

        def done(_task: asyncio.Task[Match | None]) -> None:
            del self._reading[match_id]
            if not task.cancelled():
                task.exception()  # Whoever waits gets it; if nobody does, nobody misses it.

        task.add_done_callback(done)
        return task

    async def _read(self, match_id: str, kept: Match | None, wanted: int) -> Match | None:
        start = kept
        if kept is None and wanted >= self._every:
            start = await saved(self._store, match_id)
        page = await self._store.records(match_id, start.version - 1 if start else 0, PAGE)
        if start is not None and [each.hash for each in page[:1]] != [start.head]:
            self._forget(match_id)
            start, page = None, await self._store.records(match_id, 0, PAGE)
        is_last = len(page) < PAGE
        current = await self._folded(match_id, page[1:] if start else page, start)
        while not is_last:
            page = await self._store.records(match_id, current.version if current else 0, PAGE)
            current = await self._folded(match_id, page, current)
            is_last = len(page) < PAGE
        if current is not None:
            hold_alone(current.last)
            self._kept.put(current)
            if current.version - (start.version if start else 0) >= self._every:
                self._save_later(current)
        return current

    async def _folded(self, match_id: str, page: list[Record], onto: Match | None) -> Match | None:
        try:
            return fold(page, onto)
        except TargetUnknown:
            # Rewinds are rare, and a match that was rewound is then kept as it is.
            return fold(await self._store.records(match_id, 0, page[-1].version))
        except registry.UnknownGame:
            if not await install_tables(self._store, decode(page[0])):
                raise
            return fold(page, onto)

    def _save_later(self, current: Match) -> None:
        task = asyncio.create_task(save(self._store, current))
        self._saving.add(task)
        task.add_done_callback(self._saving.discard)


class _Kept:
    """Least recently used first."""

    def __init__(self, most: int, most_bytes: int) -> None:
        self._most = most
        self._most_bytes = most_bytes
        self._bytes = 0
        self._entries: OrderedDict[str, tuple[Match, int, int]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, match_id: str) -> Match | None:
        entry = self._entries.get(match_id)
        if entry is None:
            return None
        self._entries.move_to_end(match_id)
        return entry[0]

    def drop(self, match_id: str) -> None:
        entry = self._entries.pop(match_id, None)
        if entry is not None:
            self._bytes -= entry[1]

    def put(self, current: Match) -> None:
        match_id = current.match_id
        entry = self._entries.get(match_id)
        if entry is None:
            weight, weighed = _weight(current), current.version
        else:
            before, weight, weighed = entry
            if before.version >= current.version:
                return
            self._bytes -= weight
            # Weighing costs more than a fold, and a state grows slowly.
            if current.version >= weighed + 32:
                weight, weighed = _weight(current), current.version
        self._bytes += weight
        self._entries[match_id] = (current, weight, weighed)
        self._entries.move_to_end(match_id)
        while len(self._entries) > self._most or self._bytes > self._most_bytes:
            _, (_, weight, _) = self._entries.popitem(last=False)
            self._bytes -= weight


def _weight(current: Match) -> int:
    """About how many bytes a match takes; objects take several times their encoding."""
    return 4096 + 8 * len(canonical(current.state))


class Saved(msgspec.Struct, frozen=True):
    """A match without its game; the state is canonical JSON. Mirrors `Match`, a test sees to it."""

    match_id: str
    created: MatchCreated
    version: int
    head: bytes
    status: Status
    holders: tuple[str | None, ...]
    asked: tuple[int, ...]
    answers: tuple[tuple[Answer, ...], ...]
    resigned: tuple[Seat, ...]
    state: msgspec.Raw
    outcome: Outcome | None
    seed: str | None
    keys: tuple[str | None, ...]
    signed: tuple[int, ...]
    entropy: Entropy | None
    last: MovePlayed | ChanceDrawn | None
    takeback: Takeback | None
    disputes: tuple[Dispute, ...]
    redraws: tuple[tuple[str, int], ...]
    forfeited: tuple[Seat, ...]
    due: GoBack | ForceMove | None
    revision: int
    reveal_at: int | None
    closed: MatchClosed | None
    clocks: Clocks | None
    presence: Presence | None
    draw_offer: DrawOffer | None
    at: int


async def save(store: Store, current: Match) -> None:
    """Store a snapshot in place of the match's older ones; a cache, so it may fail in silence."""
    fields = {name: getattr(current, name) for name in Saved.__struct_fields__}
    state = msgspec.json.encode(Saved(**{**fields, "state": raw(current.state)}))
    row = {
        "match_id": current.match_id,
        "version": current.version,
        "fingerprint": fingerprint(current.game),
        "state": state,
    }

    def work(connection: Connection) -> None:
        connection.execute(_DROP, {"of": current.match_id})
        connection.execute(insert(SNAPSHOT), row)

    with suppress(DatabaseFault, SQLAlchemyError):
        await store.database.write(work)


async def saved(store: Store, match_id: str) -> Match | None:
    """The newest snapshot of a match, None if there is none that counts."""

    def work(connection: Connection) -> Any:
        return connection.execute(_NEWEST, {"of": match_id}).first()

    row = await store.database.read(work)
    if row is None:
        return None
    with suppress(msgspec.MsgspecError, registry.UnknownGame):
        found = msgspec.json.decode(row.state, type=Saved)
        created = found.created
        await install_tables(store, created)
        game = registry.game(created.game, created.rules_version, created.data_digest)
        if row.fingerprint == fingerprint(game):
            return _restored(found, game)
    return None


@cache
def fingerprint(game: Game[Any, Any]) -> bytes:
    """Of all that shapes a fold: the forms saved, the rules, their code, the component data."""
    forms = msgspec.json.schema_components([Saved, game.state])
    pinned = prefixed(game.slug, game.rules_version, game.data_digest)
    return sha256(prefixed(pinned, canonical(forms), _code(game))).digest()


def _restored(found: Saved, game: Game[Any, Any]) -> Match:
    fields = msgspec.structs.asdict(found)
    state = msgspec.json.decode(found.state, type=game.state | None)
    created = lasting(found.created, game)
    return Match(game=game, **{**fields, "created": created, "state": state})


def _code(game: Game[Any, Any]) -> bytes:
    """Digest of the files of the game's package, of the core and of the fold."""
    package = Path(str(modules[game.state.__module__].__file__)).parent
    shaping = (
        *(MatchCreated, Dispute, ForceMove, Clock, Clocks, FlagFell),
        *(Presence, PresenceChecked, Schedule, DrawOffer),
    )
    own = [Path(str(modules[each.__module__].__file__)) for each in shaping]
    fold_files = [Path(folding.__file__), *own]
    files = [*_sources(package), *_sources(Path(core.__path__[0])), *fold_files]
    return sha256(prefixed(*(part for f in files for part in (f.name, f.read_bytes())))).digest()


def _sources(folder: Path) -> list[Path]:
    return sorted(f for f in folder.rglob("*") if f.suffix in (".py", ".json"))


async def install_tables(store: Store, created: Any) -> bool:
    """Make a game with stored component tables known to this process; whether that was due."""
    assert isinstance(created, MatchCreated)
    with suppress(registry.UnknownGame):
        registry.game(created.game, created.rules_version, created.data_digest)
        return False
    tables = await store.tables(created.data_digest)
    if tables is None:
        return False
    registry.install(created.game, tables, created.rules_version)
    return True


_DROP = delete(SNAPSHOT).where(SNAPSHOT.c.match_id == bindparam("of"))
_NEWEST = (
    select(SNAPSHOT.c.fingerprint, SNAPSHOT.c.state)
    .where(SNAPSHOT.c.match_id == bindparam("of"))
    .order_by(SNAPSHOT.c.version.desc())
    .limit(1)
)
