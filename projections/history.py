"""The events of a match as one viewer saw them, page by page, with texts and proofs joined on."""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Protocol, TypeAlias
from weakref import WeakValueDictionary

import msgspec

from events import chain
from events.batching import Line
from events.canonical import canonical, decoded
from events.dealer import Dealer
from events.match import Folding, Match, rewind_goal
from events.observe import facets
from events.proof import proof_for
from events.sealing import Sealed
from events.texts import places
from events.types import Record, TextRow
from games.core.game import ALL, SPECTATOR, Viewer

DealerOf = Callable[[str], Awaitable[Dealer]]
_Range: TypeAlias = tuple[str, int, int]  # match, after a version, through another


class Log(Protocol):
    """What history reads of the store."""

    async def records(self, match_id: str, after: int, limit: int) -> list[Record]: ...

    async def texts(self, match_id: str, after: int, through: int) -> list[TextRow]: ...


class Entry(msgspec.Struct, frozen=True):
    """One event for one viewer: a JSON object.

    It is the observation with, outside what the chain commits to, `texts` ({field: {text, salt}})
    and `proof`. For ALL it is the event itself. One that `has_texts` is not to be kept: they may be
    erased at any moment, by any process.
    """

    version: int
    body: bytes
    has_texts: bool = False


class _Seen(msgspec.Struct, frozen=True):
    """The facets of one event without the full one, and whether it came with texts.

    `shown` is what was made of them without proofs, so that all viewers of a class share it.
    """

    facets: tuple[bytes, ...]
    has_texts: bool
    shown: dict[Viewer, Entry] = {}


class History:
    """Pages of observations; those of recent events are kept, bounded, shared by all viewers.

    Texts are not: they are read whenever they are shown, so none is shown once it is erased.
    """

    def __init__(
        self, log: Log, dealer_of: DealerOf, most: int = 20_000, most_folded: int = 1_000
    ) -> None:
        self._log = log
        self._dealer_of = dealer_of
        self._most = most
        self._most_folded = most_folded
        self._folds: OrderedDict[str, Match] = OrderedDict()  # where the last fold ended
        self._kept: OrderedDict[tuple[str, int], _Seen] = OrderedDict()
        self._lanes: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        # Watchers wake together: those who ask for the same meanwhile share the next read.
        self._texts: Line[_Range, tuple[TextRow, ...]] = Line(self._texts_of, None)

    def remember(
        self, match_id: str, sealed: Iterable[Sealed], texts: Sequence[TextRow] = ()
    ) -> None:
        """Keep what was just committed, so that watchers need no fold. Call after the commit."""
        for each in sealed:
            version = each.record.version
            has_texts = any(row.version == version for row in texts)
            self._keep(match_id, version, _Seen(each.facets[:-1], has_texts))

    def forget(self, match_id: str) -> None:
        """What was read of the match is not its log any more: read it again."""
        self._folds.pop(match_id, None)
        for key in [key for key in self._kept if key[0] == match_id]:
            del self._kept[key]

    async def page(
        self, match_id: str, viewer: Viewer, after: int, limit: int, *, through: int, proof: bool
    ) -> list[Entry]:
        """Entries `after` + 1 … at most `limit` of them, none above version `through`.

        Fewer if the log does not reach that far: a hint may have told too much.
        `viewer` is a seat, SPECTATOR, or ALL (revealed matches only; the caller sees to it).
        """
        last = min(through, after + limit)
        if last <= after:
            return []
        if viewer == ALL:
            return await self._full(match_id, after, last, proof)
        at_hand = None if proof else self._at_hand(match_id, viewer, after, last)
        if at_hand is not None:
            return at_hand
        seen = await self._seen(match_id, after, last)
        records = await self._with_previous(match_id, after, last) if proof else []
        spoken = [after + place for place, each in enumerate(seen, 1) if each.has_texts]
        texts: tuple[TextRow, ...] = ()
        if spoken:
            texts = await self._texts.ask((match_id, spoken[0] - 1, spoken[-1]))
        return [
            _entry(version, each, viewer, records, after, _own(texts, version))
            for version, each in zip(range(after + 1, last + 1), seen, strict=False)
        ]

    def _at_hand(self, match_id: str, viewer: Viewer, after: int, last: int) -> list[Entry] | None:
        """What was made for a page before, if that is all of it: it is, for most of a crowd."""
        entries = []
        for version in range(after + 1, last + 1):
            seen = self._kept.get((match_id, version))
            entry = None if seen is None or seen.has_texts else seen.shown.get(viewer)
            if entry is None:
                return None
            self._kept.move_to_end((match_id, version))
            entries.append(entry)
        return entries

    async def facets(self, match_id: str, viewer: Viewer, through: int) -> list[bytes]:
        """The bytes the chain commits to for a seat or SPECTATOR, of events 1 to `through`."""
        seen = await self._seen(match_id, 0, through)
        return [_facet(each, viewer) for each in seen]

    async def _full(self, match_id: str, after: int, last: int, proof: bool) -> list[Entry]:
        records = await self._with_previous(match_id, after, last)
        texts = await self._log.texts(match_id, after, last)
        entries = []
        for record in records:
            if record.version <= after:
                continue
            extra = _texts(record.body, _own(texts, record.version))
            has_texts = bool(extra)
            if proof:
                extra["proof"] = _proof(record.version, ALL, records, after)
            entries.append(Entry(record.version, _joined(record.body, extra), has_texts))
        return entries

    async def _texts_of(self, asked: Sequence[_Range]) -> list[tuple[TextRow, ...]]:
        found = {each: tuple(await self._log.texts(*each)) for each in dict.fromkeys(asked)}
        return [found[each] for each in asked]

    async def _seen(self, match_id: str, after: int, last: int) -> list[_Seen]:
        found = self._found(match_id, after, last)
        if found is None:
            # Those who watch a match wake together: one of them folds for all.
            async with self._lane(match_id):
                found = self._found(match_id, after, last)
                if found is None:
                    found = await self._folded(match_id, after, last)
        return found

    def _found(self, match_id: str, after: int, last: int) -> list[_Seen] | None:
        """What is kept, if all of it is."""
        found = []
        for version in range(after + 1, last + 1):
            seen = self._kept.get((match_id, version))
            if seen is None:
                return None
            self._kept.move_to_end((match_id, version))
            found.append(seen)
        return found

    def _lane(self, match_id: str) -> asyncio.Lock:
        lane = self._lanes.get(match_id)
        if lane is None:
            lane = self._lanes[match_id] = asyncio.Lock()
        return lane

    async def _folded(self, match_id: str, after: int, last: int) -> list[_Seen]:
        """Observe the events asked for, folding on from where the last fold ended if it helps.

        So a process that follows a match another one writes folds each event once.
        """
        dealer = await self._dealer_of(match_id)
        texts = await self._log.texts(match_id, after, last)
        current = self._folds.get(match_id)
        if current is not None and current.version > after:
            current = None
        start = 0 if current is None else current.version
        records = await self._log.records(match_id, start, last - start)
        if any((goal := rewind_goal(each)) is not None and goal < start for each in records):
            current, records = None, await self._log.records(match_id, 0, last)
        folding = Folding(records, current)
        seen: list[_Seen] = []
        for record in records:
            before = folding.current
            event = folding.take(record)
            if record.version > after:
                seats = len(record.facets) // chain.COMMITMENT_BYTES - 2
                opened = facets(before, event, seats, dealer)
                seen.append(_Seen(opened[:-1], bool(_own(texts, record.version))))
                self._keep(match_id, record.version, seen[-1])
        current = folding.current
        assert current is not None
        self._folds[match_id] = current
        self._folds.move_to_end(match_id)
        if len(self._folds) > self._most_folded:
            self._folds.popitem(last=False)
        return seen

    async def _with_previous(self, match_id: str, after: int, last: int) -> list[Record]:
        """The records after `after`, and the one at `after` before them if there is one."""
        first = max(0, after - 1)
        return await self._log.records(match_id, first, last - first)

    def _keep(self, match_id: str, version: int, seen: _Seen) -> None:
        self._kept[(match_id, version)] = seen
        self._kept.move_to_end((match_id, version))
        if len(self._kept) > self._most:
            self._kept.popitem(last=False)


def _facet(seen: _Seen, viewer: Viewer) -> bytes:
    own = seen.facets[chain.PUBLIC if viewer == SPECTATOR else viewer + 1]
    return seen.facets[chain.PUBLIC] if own == chain.SAME else own


def _entry(
    version: int,
    seen: _Seen,
    viewer: Viewer,
    records: list[Record],
    after: int,
    texts: tuple[TextRow, ...],
) -> Entry:
    body = seen.facets[chain.PUBLIC] if viewer == SPECTATOR else seen.facets[viewer + 1]
    shown_to = viewer
    if body == chain.SAME:
        body, shown_to = seen.facets[chain.PUBLIC], SPECTATOR
    extra = _texts(body, texts)
    if records:
        proof = _proof(version, viewer, records, after)
        return Entry(version, _joined(body, {**extra, "proof": proof}), bool(extra))
    if extra:
        return Entry(version, _joined(body, extra), has_texts=True)
    entry = seen.shown.get(shown_to)
    if entry is None:
        entry = seen.shown[shown_to] = Entry(version, body)
    seen.shown[viewer] = entry
    return entry


def _own(texts: Sequence[TextRow], version: int) -> tuple[TextRow, ...]:
    return tuple(row for row in texts if row.version == version) if texts else ()


def _texts(body: bytes, rows: tuple[TextRow, ...]) -> dict[str, object]:
    """The texts of an event that the body shows (by their digests)."""
    if not rows:
        return {}
    said = places(decoded(body))
    shown = {
        row.field: {"text": row.text, "salt": row.salt.hex()}
        for row in rows
        if said.get(row.field) is not None
    }
    return {"texts": shown} if shown else {}


def _proof(version: int, viewer: Viewer, records: list[Record], after: int) -> object:
    by_version = {record.version: record for record in records}
    prev = by_version.get(version - 1)
    seats = len(by_version[version].facets) // chain.COMMITMENT_BYTES - 2
    return proof_for(by_version[version], None if prev is None else prev.hash, viewer, seats)


def _joined(body: bytes, extra: dict[str, object]) -> bytes:
    """The object `body` with further members."""
    return body if not extra else body[:-1] + b"," + canonical(extra)[1:]
