"""The check of a whole log: that it says what the rules, the seed and the chain allow, no more.

What cannot be checked with what is at hand is listed apart from what is wrong.
"""

from collections.abc import Iterable
from contextlib import suppress
from uuid import UUID

import msgspec

from events import chain
from events.allowing import target_of
from events.asking import newly_asked, still_asked
from events.canonical import canonical, decoded, raw
from events.dealer import SEED_BYTES, Dealer, SeedDealer, commitment
from events.echo import Echo
from events.following import following
from events.legality import Fault, Verdict, Wrong, check, check_at, check_closing, check_window
from events.match import Match, decode, evolve, options_of
from events.observe import shown_facets
from events.rulings import ForceMove
from events.schema import NEWEST, UnknownSchema
from events.seat_keys import RESIGNING, SeatSignatureWrong, check_signed
from events.signing import SKEW_MS
from events.texts import digest_of, places
from events.types import (
    FORMAT,
    By,
    ChanceDrawn,
    Dispute,
    Erased,
    Event,
    MatchCreated,
    MatchRevealed,
    MatchRewound,
    MovePlayed,
    PositionSet,
    Record,
    SeatResigned,
    SeatSignature,
    TextRow,
    kind_of,
)
from events.verify_view import OVERDUE_MS, verify_view
from games.core.chance import ALGORITHM
from games.core.game import OptionsRefused, Seat
from games.registry import UnknownGame

__all__ = ["OVERDUE_MS", "Fault", "Verdict", "opens", "verify_log", "verify_view"]

KNOWN = (FORMAT, ALGORITHM)  # what event 1 may pin in this release; and reveal, and steerable
STEERABLE = (None, "operator")
NOT_REVEALED = "the seed is not revealed"
OF_THE_OPERATOR = "when answers arrived, and that nobody was served, is the operator's word"
OF_THE_RECORD = ("columns", "bodies", "chain")
OF_THE_RULES = (
    *("facets", "moves", "signatures", "decisions", "following", "entropy"),
    *("draws", "answers", "outcome"),
)


def verify_log(
    records: Iterable[Record],
    *,
    seed: bytes | None = None,
    texts: Iterable[TextRow] = (),
    allow_position: bool = False,
    now: int = 0,
) -> Verdict:
    """Check the full log of one match from event 1, as far as it goes.

    `now` (ms) is for telling that a reveal is overdue, which is a fault.

    The seed is taken from the reveal, if there is one; before it, who knows the seed may give it.
    A log that opens from a set position is a test's and a fault unless allowed. Never raises.
    """
    listed = tuple(records)
    audit = _Audit(listed, _revealed(listed) or seed, tuple(texts), allow_position)
    for version, record in enumerate(listed, 1):
        try:
            audit.take(version, record)
        except _CannotCheck as limit:
            return audit.verdict(version - 1, None, str(limit))
        except Wrong as wrong:
            return audit.verdict(version - 1, Fault(version, wrong.code, wrong.reason))
        except Exception as error:
            reason = f"does not fold: {type(error).__name__}"
            return audit.verdict(version - 1, Fault(version, "fold", reason))
    return audit.verdict(len(listed), audit.at_the_end(now))


class _CannotCheck(Exception):
    """From here on this code cannot tell."""


class _Audit:
    """The match folded so far and what is needed beside it to judge the next record."""

    def __init__(
        self,
        ahead: tuple[Record, ...],
        seed: bytes | None,
        texts: tuple[TextRow, ...],
        allow_position: bool,
    ) -> None:
        self._seed = seed
        self._texts = texts
        self._allow_position = allow_position
        self._echo = Echo()
        self._dealer: Dealer = self._echo
        self._knows_seed = False
        self._current: Match | None = None
        self._prev = b""
        self._heads: list[str] = []  # of event 1, 2 …
        self._match_id, self._seats = "", 0
        self._waiting: frozenset[Seat] = frozenset()
        self._labels: frozenset[tuple[str, int]] = frozenset()  # drawn in this line of play
        self._goals = _goals(ahead)
        self._kept: dict[int, tuple[Match, frozenset[tuple[str, int]]]] = {}
        self._blind, self._limit = "", ""
        self._unchecked: list[str] = []

    def take(self, version: int, record: Record) -> None:
        """Judge one more record. Raises: Wrong, _CannotCheck."""
        try:
            event = self._read(version, record)
            self._link(record)
        except UnknownSchema as unknown:
            raise self._unreadable(record, unknown) from None
        if self._limit:
            self._check_full(record)
            raise _CannotCheck(self._limit)
        if self._blind:
            self._check_full(record)
            return
        try:
            self._judge(event, record)
        except Wrong:
            self._check_full(record)  # The plainer reason: the body was touched afterwards.
            raise

    def at_the_end(self, now: int) -> Fault | None:
        """What is missing after the last record."""
        if self._blind:
            return None
        if self._current is None:
            return Fault(1, "missing", "there are no events")
        self._echo.event = None
        if isinstance(self._current.due, ForceMove):
            return Fault(self._current.version + 1, "missing", "the move of an arbiter is due")
        due = following(self._current, self._dealer, now - OVERDUE_MS)
        if due is None:
            return self._overdue(now)
        return Fault(due.version, "missing", f"{kind_of(due)} is due")

    def _overdue(self, now: int) -> Fault | None:
        current = self._current
        assert current is not None
        is_promised = current.created.reveal_by is not None and not current.is_revealed
        if not is_promised or now <= self._promised() + SKEW_MS:
            return None
        return Fault(current.version + 1, "overdue", "event 1 promised the reveal by then")

    def _promised(self) -> int:
        """The latest time of the reveal; disputes alone put it off."""
        current = self._current
        assert current is not None
        window = 0 if current.reveal_at is None else current.reveal_at + OVERDUE_MS
        return max(current.created.reveal_by or 0, window)

    def verdict(self, events: int, fault: Fault | None, limit: str = "") -> Verdict:
        unchecked = [*self._unchecked, *([limit] if limit else [])]
        if self._blind:
            return Verdict(events, fault, OF_THE_RECORD, (self._blind, *unchecked))
        if not self._knows_seed and self._current is not None:
            unchecked.append(f"draws and answers: {NOT_REVEALED}")
        done = tuple(c for c in OF_THE_RULES if self._knows_seed or c not in ("draws", "answers"))
        if self._current is not None and self._current.clocks is not None:
            done = (*done, "clocks")
            unchecked.append(f"clocks: {OF_THE_OPERATOR}")
        return Verdict(events, fault, (*OF_THE_RECORD, *done), tuple(unchecked))

    def _read(self, version: int, record: Record) -> Event:
        if record.version != version:
            raise Wrong("version", f"version {record.version} stands in place {version}")
        try:
            event = decode(record)
        except msgspec.MsgspecError:
            raise Wrong("body", "the body is no event") from None
        if record.kind != kind_of(event) or record.at != event.at:
            raise Wrong("columns", "a column says something else than the body")
        check_at(event.at)
        again = canonical(event if record.schema == NEWEST[record.kind] else decoded(record.body))
        if again != record.body:
            raise Wrong("body", "the body is not canonical")
        if version == 1:
            self._begin(event)
        return event

    def _begin(self, event: Event) -> None:
        if not isinstance(event, MatchCreated):
            raise Wrong("missing", "a log begins with match_created")
        check_window(event.reveal, event.window)
        pinned = (event.format, event.algorithm, event.reveal, event.steerable)
        reveal = "at_end" if event.window is None else "after_window"
        known = [(*KNOWN, reveal, each) for each in STEERABLE]
        if pinned not in known:
            self._limit = f"everything: pinned are {pinned}, known here {known}"
        check_closing(event)
        if event.deal_group is not None and event.window is not None:
            raise Wrong("created", "a match of a deal group has no window of its own")
        if event.match_id != str(UUID(event.match_id)) or not 1 <= event.seats < 1 << 15:
            raise Wrong("created", "no match id in canonical form, or no possible seat count")
        clock_fault = None if event.clock is None else event.clock.fault(event.seats)
        if clock_fault is not None:
            raise Wrong("created", f"clock{clock_fault[0]} {clock_fault[1]}")
        self._match_id, self._seats = event.match_id, event.seats
        self._prev = chain.genesis(event.match_id, event.seats, event.format)
        self._waiting = frozenset()
        if self._seed is not None and opens(self._seed, event):
            self._dealer, self._knows_seed = SeedDealer(self._seed), True

    def _link(self, record: Record) -> None:
        if len(record.facets) != (self._seats + 2) * chain.COMMITMENT_BYTES:
            raise Wrong("facets", "not one commitment for each viewer")
        if len(record.salt) != chain.SALT_BYTES:
            raise Wrong("salt", f"not {chain.SALT_BYTES} bytes")
        if record.hash != chain.link(self._prev, record.version, record.facets):
            raise Wrong("hash", "the hash does not continue the chain")
        self._prev = record.hash
        self._heads.append(record.hash.hex())

    def _judge(self, event: Event, record: Record) -> None:
        before = self._current
        target, labels = self._kept.get(target_of(event) or 0, (None, self._labels))
        self._echo.event = event
        if before is not None:
            check(before, event, self._dealer, knows_seed=self._knows_seed, target=target)
            self._check_extras(event)
        try:
            after = evolve(before, event, target)
        except UnknownGame as unknown:
            self._blind = f"{', '.join(OF_THE_RULES)}: the game is not here ({unknown})"
            self._check_full(record)
            return
        if before is None:
            _check_options(after)
        elif isinstance(event, PositionSet) and raw(after.state) != event.state:
            raise Wrong("body", "the position is not in canonical form")
        if event.asks != newly_asked(self._waiting, event, after):
            raise Wrong("asks", "not the seats that are newly asked")
        self._check_texts(event)
        self._check_facets(before, event, record)
        self._waiting = still_asked(self._waiting, event, after)
        self._current = after
        if isinstance(event, MatchRewound):
            self._labels = labels
        if event.version in self._goals:
            self._kept[event.version] = (after, self._labels)

    def _check_extras(self, event: Event) -> None:
        match event:
            case ChanceDrawn(label=label, redraw=redraw):
                if (label, redraw) in self._labels:
                    raise Wrong("label", f"{label!r} was drawn before")
                self._labels |= {(label, redraw)}
            case MovePlayed(seat=seat, by=by) if by is By.SEAT:
                self._check_signed(seat, event.decision, bytes(event.move), event.signed)
            case SeatResigned(seat=seat):
                self._check_signed(seat, RESIGNING, b"{}", event.signed)
            case PositionSet() if not self._allow_position:
                raise Wrong("position", "opened from a set position")
            case MatchRevealed(seed=seed):
                assert self._current is not None
                created = self._current.created
                if not opens(bytes.fromhex(seed), created):
                    raise Wrong("seed", "the seed does not open its commitment")
                end = self._current.reveal_at
                if end is not None and event.at > end + OVERDUE_MS:
                    raise Wrong("overdue", "revealed long after the window for disputes")
                if created.reveal_by is not None and event.at > self._promised() + SKEW_MS:
                    raise Wrong("overdue", "revealed later than event 1 promised")
            case _:
                pass

    def _check_signed(
        self, seat: Seat, decision: str | None, what: bytes, signed: SeatSignature | None
    ) -> None:
        assert self._current is not None
        try:
            check_signed(self._current, seat, decision, what, signed)
        except SeatSignatureWrong as wrong:
            raise Wrong("signature", str(wrong)) from None
        if signed is not None and self._heads[signed.version - 1] != signed.head:
            raise Wrong("signature", f"seat {seat} had seen another event {signed.version}")

    def _check_texts(self, event: Event) -> None:
        for row in self._texts:
            if row.version != event.version:
                continue
            if len(row.salt) != chain.SALT_BYTES:
                raise Wrong("text", f"the salt of {row.field} is not {chain.SALT_BYTES} bytes")
            if places(decoded(canonical(event))).get(row.field) != digest_of(row):
                raise Wrong("text", f"{row.field} is not the text that was said")

    def _check_facets(self, before: Match | None, event: Event, record: Record) -> None:
        self._echo.was_asked_for_a_salt = False
        shown = shown_facets(before, event, self._seats, self._dealer)
        if self._echo.was_asked_for_a_salt:
            self._unchecked.append(f"facets of event {event.version}: it opens answers")
            self._check_full(record)
            return
        opened = (*shown, record.body)
        joined = chain.commitments(self._match_id, record.version, record.salt, opened)
        if joined != record.facets:
            self._check_full(record)
            raise Wrong("facet", f"not what {_differing(joined, record.facets)} was shown")

    def _check_full(self, record: Record) -> None:
        """That the body is what the chain commits to."""
        index = self._seats + 1
        salt = chain.facet_salt(record.salt, index)
        bound = chain.id_bytes(self._match_id)
        full = chain.commit(salt, bound, record.version, index, record.body)
        if full != record.facets[-chain.COMMITMENT_BYTES :]:
            raise Wrong("commitment", "body or salt are not what the chain commits to")

    def _unreadable(self, record: Record, unknown: UnknownSchema) -> Exception:
        """Damage, or an event of a newer release: then the chain holds."""
        try:
            body = decoded(record.body)
            self._link(record)
            self._check_full(record)
            said = (body["version"], body["kind"], body["schema"], body["at"])
            columns = (record.version, record.kind, record.schema, record.at)
        except Exception:
            return Wrong("columns", "kind or schema do not exist")
        if said != columns or record.schema < 1:
            return Wrong("columns", "a column says something else than the body")
        return _CannotCheck(f"everything from there on: {unknown}")


def opens(seed: bytes, created: MatchCreated) -> bool:
    """Whether it is the seed that event 1 committed to."""
    bound = chain.id_bytes(created.deal_group or created.match_id)
    return len(seed) == SEED_BYTES and commitment(seed, bound).hex() == created.seed_commitment


def _revealed(records: tuple[Record, ...]) -> bytes | None:
    """The seed that a reveal opens: rulings and erasures may follow it."""
    for record in reversed(records):
        try:
            event = decode(record)
            if isinstance(event, MatchRevealed):
                return bytes.fromhex(event.seed)
        except Exception:
            return None
        if not isinstance(event, Dispute | Erased):
            return None
    return None


def _goals(records: tuple[Record, ...]) -> frozenset[int]:
    """The versions that later events name to go back to."""
    goals = set()
    for record in records:
        if record.kind in _NAMING:
            with suppress(Exception):  # What can't be read is found when it is its turn.
                goals.add(target_of(decode(record)) or 0)
    return frozenset(goals)


_NAMING = ("match_rewound", "dispute_ruled", "takeback_asked")


def _check_options(after: Match) -> None:
    options = options_of(after)
    if after.created.agreed_draw and not after.game.agreed_draw(options, after.seats):
        raise Wrong("created", "its game allows no draw by agreement")
    if raw(options) != after.created.options:
        raise Wrong("options", "not whole, or not in canonical form")
    try:
        after.game.new(options, after.seats)
    except OptionsRefused as refused:
        raise Wrong("options", str(refused)) from None


def _differing(joined: bytes, facets: bytes) -> str:
    width = chain.COMMITMENT_BYTES
    places = range(0, len(joined), width)
    index = next(i // width for i in places if joined[i : i + width] != facets[i : i + width])
    return "the public" if index == chain.PUBLIC else f"seat {index - 1}"
