"""Erasing texts of a match: the rows and the event that says so, in one transaction.

Neither needs a running service: the doors and `plyscribe erase` both work with an `Eraser`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import msgspec
from msgspec.structs import asdict, replace
from sqlalchemy import Connection, bindparam, select

from events.append import Appended, Conflict, KeyReused, NotFound, Replayed
from events.canonical import canonical, decoded, prefixed
from events.dealer import Dealer
from events.decide import decide
from events.disputing import EraseTexts
from events.erasing import Erasing, erase
from events.erasure import ERASED, Holders, Line, holders, names
from events.match import LogBroken, Match, decode, fold
from events.observe import observe
from events.refusals import TextNotFound
from events.sealing import Entropy, Sealed, seal
from events.snapshots import MatchCache
from events.store import Store
from events.tables import REFUSAL
from events.texts import is_digest
from events.types import Record
from games.core.game import SPECTATOR
from games.registry import UnknownGame
from service.bundling import records_of
from service.committing import ATTEMPTS, Done, append_of
from service.errors import (
    IdempotencyKeyReused,
    Internal,
    MatchNotFound,
    SeatNotFound,
    TryAgain,
)
from service.parts import Clock, Dealers
from service.receipts import Receipt
from service.vault import Vault

_SAID_IN: Final = {
    "dispute_opened": "claim",
    "dispute_ruled": "reason",
    "dispute_appealed": "reason",
}


class Target(msgspec.Struct, frozen=True):
    """The text `field` of event `of`; or all that `seat` said so far, or said while `holder` had
    it, and whom that holder stood for.
    """

    of: int | None = None
    field: str | None = None
    seat: int | None = None
    holder: str | None = None


class Order(msgspec.Struct, frozen=True):
    """In whose name something is erased, and why; `key` is an Idempotency-Key if there is one.

    `again`: it was erased before, in a database of which this is an earlier state.
    """

    principal: str
    reason: str | None = None
    key: str | None = None
    again: bool = False


@dataclass(frozen=True)
class Eraser:
    """What erasing works with. `told` is called with a match and its new events once stored,
    `stopped` with the hashes of tokens that work no more.
    """

    store: Store
    cache: MatchCache
    dealers: Dealers
    vault: Vault
    clock: Clock
    entropy: Entropy
    told: Callable[[Match, Sequence[Sealed]], None]
    stopped: Callable[[Sequence[bytes]], None]


class _Log(msgspec.Struct, frozen=True):
    """A match with its whole log: `lines` are the bodies, `held` who held what after each."""

    current: Match
    records: list[Record]
    lines: list[dict[str, Any]]
    held: list[Holders]


async def erase_texts(eraser: Eraser, match_id: str, target: Target, order: Order) -> Done:
    """Erase what is meant. If the log says already that it was, and nothing of it came since, what
    rows there still are go without another event.

    With `order.again` what came since does not matter, and stays.
    Raises: MatchNotFound, SeatNotFound, TextNotFound, IdempotencyKeyReused, TryAgain, Internal,
    DatabaseFault.
    """
    own = order.key or eraser.entropy(16).hex()
    key = f"EraseTexts:{order.principal}:{own}"
    request = eraser.vault.request_hash(
        prefixed(order.principal, "EraseTexts", canonical([asdict(target), order.reason]))
    )
    for _ in range(ATTEMPTS):
        known = await eraser.store.command(match_id, key)
        if known is not None and known.request_hash != request:
            raise IdempotencyKeyReused
        log = await _read(eraser, match_id)
        dealer = await eraser.dealers.of(match_id)
        hidden = _hidden(log, target, dealer)
        before = _said_before(log, target, again=order.again)
        until = before.version if before is not None and order.again else log.current.version + 1
        erasing = await _rows(eraser, log, target, order.reason, until)
        if before is not None:
            await _again(eraser, match_id, erasing)
            return Done(Receipt(before.version, before.version, before.hash.hex()), replayed=True)
        command = EraseTexts(**asdict(target), hidden=hidden)
        done = await _append(eraser, log.current, command, erasing, key, request)
        if done is not None:
            return done
    raise TryAgain


def seats_of(records: Sequence[Record]) -> dict[str, int]:
    """The seat of every holder there ever was."""
    held = holders(decoded(record.body) for record in records)
    return {holder: seat for each in held for seat, holder in each.items()}


async def _append(
    eraser: Eraser,
    current: Match,
    command: EraseTexts,
    erasing: Erasing,
    key: str,
    request: bytes,
) -> Done | None:
    """None if the match moved on meanwhile. Raises: as `erase_texts`."""
    dealer = await eraser.dealers.of(current.match_id)
    steps = decide(current, command, dealer, eraser.clock())
    sealed = seal(steps, dealer, eraser.entropy)
    append = replace(append_of(steps, sealed, key, request), erases=erasing)
    answer = await eraser.store.append(append)
    match answer:
        case Appended():
            await eraser.store.database.shed()
            eraser.told(steps[-1].after, sealed)
            return Done(Receipt(answer.first, answer.last, answer.head.hex()))
        case Replayed():
            return Done(Receipt(answer.first, answer.last, answer.head.hex()), replayed=True)
        case Conflict():
            return None
        case KeyReused():
            raise IdempotencyKeyReused
        case NotFound():
            raise MatchNotFound


async def _again(eraser: Eraser, match_id: str, erasing: Erasing) -> None:
    await eraser.store.database.write(lambda connection: erase(connection, match_id, erasing))
    await eraser.store.database.shed()


async def _read(eraser: Eraser, match_id: str) -> _Log:
    """Raises: MatchNotFound; Internal where the log or its game can't be read."""
    try:
        current = await eraser.cache.load(match_id)
        if current is None:
            raise MatchNotFound
        records = await records_of(eraser.store, match_id, current.version)
    except (UnknownGame, LogBroken) as broken:
        raise Internal from broken
    lines = [decoded(record.body) for record in records]
    return _Log(current, records, lines, holders(lines))


async def _rows(
    eraser: Eraser, log: _Log, target: Target, reason: str | None, until: int
) -> Erasing:
    """What there is to delete of events before version `until`."""
    match_id = log.current.match_id
    texts = await eraser.store.texts(match_id, 0, until - 1)
    meant = asdict(target)
    places = tuple(
        (row.version, row.field)
        for row in texts
        if (row.version, row.field) == (target.of, target.field)
        or names(meant, log.lines[row.version - 1], log.held[row.version - 1])
    )
    refused: tuple[tuple[int, int], ...] = ()
    if target.seat is not None:
        refused = await _refused(eraser, log, target.seat, target.holder, until)
    return Erasing(**meant, reason=reason, texts=places, refusals=refused)


async def _refused(
    eraser: Eraser, log: _Log, seat: int, holder: str | None, until: int
) -> tuple[tuple[int, int], ...]:
    """The kept refusals of the seat, or of those while the holder had it."""
    query, of = _REFUSALS, {"of": log.current.match_id, "by": seat}

    def work(connection: Connection) -> list[tuple[int, bytes]]:
        return [(number, bytes(evidence)) for number, evidence in connection.execute(query, of)]

    found = await eraser.store.database.read(work)
    return tuple(
        (seat, number)
        for number, evidence in found
        if (version := _version(evidence)) < until or until > log.current.version
        if holder is None or _held_at(log, version, seat) == holder
    )


def _version(evidence: bytes) -> int:
    """Where the match was when the move was refused."""
    return int(msgspec.json.decode(evidence)["payload"]["version"])


def _held_at(log: _Log, version: int, seat: int) -> str | None:
    """What was refused beyond the log that was read is of who holds the seat now."""
    return log.held[min(version, len(log.held)) - 1].get(seat)


def _said_before(log: _Log, target: Target, *, again: bool) -> Record | None:
    """The event that says so already, unless the seat has said something since."""
    meant = asdict(target)
    for place in range(len(log.lines) - 1, -1, -1):
        line = log.lines[place]
        if line["kind"] == ERASED and all(line.get(name) == meant[name] for name in meant):
            return log.records[place]
        if not again and names(meant, line, log.held[place]):
            return None
    return None


def _hidden(log: _Log, target: Target, dealer: Dealer) -> bool:
    """Whether the public can't tell if there is a text.

    Nothing else but what the public saw decides, so that neither the answer nor the event tells
    anybody of a text that is hidden. Raises: SeatNotFound, TextNotFound.
    """
    if target.seat is not None and not 0 <= target.seat < log.current.seats:
        raise SeatNotFound
    if target.of is None:
        return False
    if not 1 <= target.of <= log.current.version:
        raise TextNotFound
    line: Line = log.lines[target.of - 1]
    if line["kind"] != "move_played":
        if _SAID_IN.get(line["kind"]) != target.field:
            raise TextNotFound
        return False
    move = line["move"] if log.current.is_revealed else _public_move(log, target.of, dealer)
    if move is None:
        return True
    said = move.get(target.field or "", "")
    if said is None:
        return True
    if not is_digest(said):
        raise TextNotFound
    return False


def _public_move(log: _Log, version: int, dealer: Dealer) -> dict[str, Any] | None:
    before = fold(log.records[: version - 1])
    seen = observe(before, decode(log.records[version - 1]), SPECTATOR, dealer)
    return None if seen.move is None else decoded(seen.move)


_REFUSALS: Final = select(REFUSAL.c.number, REFUSAL.c.evidence).where(
    REFUSAL.c.match_id == bindparam("of"),
    REFUSAL.c.seat == bindparam("by"),
    REFUSAL.c.move.is_not(None) | REFUSAL.c.salt.is_not(None),
)
