"""Folded matches kept at hand: in this process, and as a discardable cache in the database.

The log stays the only truth. A kept match is completed by reading newer records, and a snapshot
counts only if everything that shaped it is what runs now.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from enum import StrEnum
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
from events.answers import Answers
from events.attended import PresenceChecked
from events.attending import Presence
from events.batching import Line
from events.canonical import canonical, prefixed, raw
from events.charging import Clocks
from events.clocks import Clock
from events.database import DatabaseFault
from events.disputes import Dispute, GoBack, Takeback
from events.entropy import Entropy
from events.kept import Kept
from events.match import LogBroken, Match, TargetUnknown, decode, fold, lasting
from events.pinned import hold_alone
from events.rulings import ForceMove
from events.scheduling import Schedule
from events.schema import UnknownSchema
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
CHECK_EVERY = 128  # of so many matches begun from a snapshot one is folded from its log as well
PAGE = 500  # records folded without letting others run
_LOOKUPS = 1000  # heads asked for in one query
# What can't be read by this process, or not just now, may be sound.
_ELSEWHERE = (DatabaseFault, UnknownSchema, registry.UnknownGame)

Head = tuple[int, bytes]  # version and hash of the last event; of no match 0 and nothing


class Wrong(StrEnum):
    """What does not agree with the log."""

    LOG = "log"  # itself: it does not fold, or an event of it is missing
    SNAPSHOT = "snapshot"  # it is another match than the log folds to


class MatchCache:
    """The matches of a process, folded. Bounded by count and by estimated bytes.

    `load` is always as new as the database when it was called; `peek` may be old.

    `lost` is told of a match whose events, as they were read here, are not in the log: a server
    took over that has fewer than the one before. `wrong` is told what else does not agree with the
    log. One of `check_every` matches that were begun from a snapshot, the first among them, is
    folded from its log as well.
    """

    def __init__(
        self,
        store: Store,
        most: int = 10_000,
        most_bytes: int = 256 << 20,
        every: int = EVERY,
        lost: Callable[[str], None] = lambda _match_id: None,
        wrong: Callable[[str, Wrong], None] = lambda _match_id, _what: None,
        check_every: int = CHECK_EVERY,
    ) -> None:
        self._store = store
        self._every = every
        self._lost = lost
        self._wrong = wrong
        self._check_every = check_every
        self._restored = 0
        self._kept = Kept(most, most_bytes)
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
                    self._wrong(match_id, Wrong.LOG)
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
        task = asyncio.create_task(self._told(match_id, self._read(match_id, kept, wanted)))
        self._reading[match_id] = task

        def done(_task: asyncio.Task[Match | None]) -> None:
            del self._reading[match_id]
            if not task.cancelled():
                task.exception()  # Whoever waits gets it; if nobody does, nobody misses it.

        task.add_done_callback(done)
        return task

    async def _told(self, match_id: str, reading: Awaitable[Match | None]) -> Match | None:
        try:
            return await reading
        except _ELSEWHERE:
            raise
        except Exception:
            self._wrong(match_id, Wrong.LOG)
            raise

    async def _read(self, match_id: str, kept: Match | None, wanted: int) -> Match | None:
        restored = None
        if kept is None and wanted >= self._every:
            restored = await saved(self._store, match_id)
            if restored is not None and self._is_sampled() and not await self._agrees(restored):
                restored = None
        try:
            return await self._completed(match_id, kept or restored)
        except _ELSEWHERE:
            raise
        except Exception:
            if restored is None or await self._agrees(restored):
                raise
            return await self._completed(match_id, None)

    async def _completed(self, match_id: str, start: Match | None) -> Match | None:
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

    def _is_sampled(self) -> bool:
        self._restored += 1
        return (self._restored - 1) % self._check_every == 0

    async def _agrees(self, restored: Match) -> bool:
        """Whether the log folds to that; if not, it is told, and a fold takes the snapshot's place.

        One that is not of this log is another matter, which shows by its hash.
        """
        match_id, whole = restored.match_id, None
        while (at := whole.version if whole else 0) < restored.version:
            most = min(PAGE, restored.version - at)
            page = await self._store.records(match_id, at, most)
            if not page:
                return True
            whole = await self._folded(match_id, page, whole)
        if whole is None or whole.head != restored.head or _encoded(whole) == _encoded(restored):
            return True
        self._wrong(match_id, Wrong.SNAPSHOT)
        return False

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


class Saved(msgspec.Struct, frozen=True):
    """A match without its game; the state is canonical JSON. Mirrors `Match`, a test sees to it."""

    match_id: str
    created: MatchCreated
    version: int
    head: bytes
    status: Status
    holders: tuple[str | None, ...]
    asked: tuple[int, ...]
    answers: tuple[Answers, ...]
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
    row = {
        "match_id": current.match_id,
        "version": current.version,
        "fingerprint": fingerprint(current.game),
        "state": _encoded(current),
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


def _encoded(current: Match) -> bytes:
    """All of a match but its game: equal bytes are equal matches."""
    fields = {name: getattr(current, name) for name in Saved.__struct_fields__}
    return msgspec.json.encode(Saved(**{**fields, "state": raw(current.state)}))


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
        *(Presence, PresenceChecked, Schedule, DrawOffer, Answers, Entropy),
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
