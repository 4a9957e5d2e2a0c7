"""Refused moves kept as evidence: signed for the seat, chained, read again by it and by arbiters.

Chained by seat, not by match: how often others were refused is nobody's business.
"""

from typing import Any, Final, TypeAlias

import msgspec
from sqlalchemy import Connection, bindparam, insert, select, tuple_
from sqlalchemy.exc import IntegrityError

from events.canonical import canonical, prefixed
from events.database import DatabaseFault
from events.evidence import (
    FIRST_REFUSAL,
    REFUSAL,
    Evidence,
    RefusalOf,
    link,
    payload_of,
    submission,
)
from events.match import Match
from events.refused import KeptRefusal as InBundle
from events.tables import REFUSAL as REFUSALS
from games.core.game import Seat
from service.arbitration import arbiter_of
from service.auth import Caller
from service.callers import ARBITERS, Scope
from service.committing import loaded
from service.errors import ArbiterIsParty, NotRevealed, attach, row_of
from service.parts import Parts

KEPT_STATUSES: Final = (409, 422)
MOST_A_MINUTE: Final = 20  # of one seat; refusals beyond are answered, but neither kept nor signed
LONGEST: Final = 4096  # bytes of a move that is kept whole
_GONE: Final = msgspec.Raw(b"null")
_ATTEMPTS: Final = 3  # against the same seat being refused in another process

Place: TypeAlias = tuple[int, int]  # seat and number


class KeptRefusal(msgspec.Struct, frozen=True):
    """`salt` (hex) opens what `evidence` says was submitted; both it and `move` may be gone."""

    seat: int
    number: int
    evidence: Evidence
    salt: str | None
    move: msgspec.Raw | None


class Signed(msgspec.Struct, frozen=True):
    """What the refused seat is given; `salt` (hex) is what its move was committed to under."""

    document: Evidence
    salt: str


class _Refused(msgspec.Struct, frozen=True):
    """A move that was refused, where the match was `current`; `at` in ms."""

    current: Match
    seat: Seat
    decision: str | None
    move: Any
    code: str
    at: int


async def evidenced(
    parts: Parts, seat: Seat, decision: str | None, move: Any, error: Exception, current: Match
) -> Exception:
    """The refusal of a move with its evidence, which is kept first; `current` is where it failed.

    Without it if the seat is refused too often, or if it can't be stored: a refusal stands anyhow.
    """
    row = row_of(error)
    if row.status not in KEPT_STATUSES:
        return error
    refused = _Refused(current, seat, decision, move, row.code, parts.clock())

    def work(connection: Connection) -> Signed | None:
        return _kept(parts, connection, refused)

    for _ in range(_ATTEMPTS):
        try:
            signed = await parts.database.write(work)
        except IntegrityError:
            continue
        except DatabaseFault as fault:
            parts.log.warning("refusal_not_kept", error=type(fault).__name__)
            return error
        return error if signed is None else attach(error, signed)
    return error


def _kept(parts: Parts, connection: Connection, refused: "_Refused") -> Signed | None:
    """Stored behind the seat's refusal before; None if there were too many of late."""
    current, seat, at = refused.current, refused.seat, refused.at
    found = connection.execute(_LATEST, {"of": current.match_id, "by": seat}).all()
    if len(found) == MOST_A_MINUTE and at - found[-1].at < 60_000:
        return None
    number = found[0].number + 1 if found else 1
    salt = parts.vault.derived(prefixed("refusal", current.match_id, seat, number))
    said = RefusalOf(
        match_id=current.match_id,
        seat=seat,
        number=number,
        prev=bytes(found[0].link).hex() if found else FIRST_REFUSAL,
        decision=refused.decision,
        submitted=submission(salt, refused.move),
        code=refused.code,
        version=current.version,
        head=current.head.hex(),
        at=at,
    )
    document = parts.notary.signed(REFUSAL, said, at)
    submitted = canonical(refused.move)
    values = {
        "match_id": current.match_id,
        "seat": seat,
        "number": number,
        "at": at,
        "link": bytes.fromhex(link(canonical(said))),
        "evidence": msgspec.json.encode(document),
        "salt": salt,
        "move": submitted if len(submitted) <= LONGEST else None,
    }
    connection.execute(insert(REFUSALS), [values])
    return Signed(document, salt.hex())


async def refusals(
    parts: Parts, caller: Caller, match_id: str, after: Place, limit: int
) -> list[KeptRefusal]:
    """By seat and number: those of the caller's seat, or for an arbiter those of all.

    What was refused may show what is hidden, so an arbiter reads it after the reveal; until then
    each seat has its own to show. Raises: MatchNotFound, ScopeMissing, SeatTokenRequired,
    NotRevealed, ArbiterIsParty.
    """
    await parts.doorkeeper.viewer_of(caller, match_id, Scope.ARBITRATE)
    query = _KEPT.where(REFUSALS.c.match_id == match_id)
    if caller.kind in ARBITERS:
        await arbiter_of(parts, caller, match_id, None)
        if not (await loaded(parts, match_id)).is_revealed:
            raise NotRevealed
    else:
        own = await parts.doorkeeper.seat_of(caller, match_id)
        query = query.where(REFUSALS.c.seat == own)
    query = query.where(tuple_(REFUSALS.c.seat, REFUSALS.c.number) > tuple_(*after)).limit(limit)
    rows = await parts.database.read(lambda connection: connection.execute(query).all())
    return [_of_row(row) for row in rows]


async def is_arbiter(parts: Parts, caller: Caller, match_id: str) -> bool:
    """Whether the caller is one of those whom all refusals of the match are told to."""
    if caller.kind not in ARBITERS or Scope.ARBITRATE not in caller.scopes:
        return False
    try:
        await arbiter_of(parts, caller, match_id, None)
    except ArbiterIsParty:
        return False
    return True


def upto(connection: Connection, match_id: str, version: int) -> tuple[InBundle, ...]:
    """All refusals, of each seat as far as the first one of a later version."""
    found: list[InBundle] = []
    beyond: set[int] = set()
    for row in connection.execute(_KEPT.where(REFUSALS.c.match_id == match_id)):
        kept = _of_row(row)
        said = payload_of(kept.evidence)
        assert isinstance(said, RefusalOf)
        if said.version > version:
            beyond.add(kept.seat)
        if kept.seat not in beyond:
            found.append(InBundle(kept.evidence, kept.salt, kept.move or _GONE))
    return tuple(found)


def _of_row(row: Any) -> KeptRefusal:
    return KeptRefusal(
        seat=row.seat,
        number=row.number,
        evidence=msgspec.json.decode(row.evidence, type=Evidence),
        salt=None if row.salt is None else bytes(row.salt).hex(),
        move=None if row.move is None else msgspec.Raw(bytes(row.move)),
    )


_LATEST = (
    select(REFUSALS.c.number, REFUSALS.c.at, REFUSALS.c.link)
    .where(REFUSALS.c.match_id == bindparam("of"), REFUSALS.c.seat == bindparam("by"))
    .order_by(REFUSALS.c.number.desc())
    .limit(MOST_A_MINUTE)
)
_KEPT = select(
    REFUSALS.c.seat, REFUSALS.c.number, REFUSALS.c.evidence, REFUSALS.c.salt, REFUSALS.c.move
).order_by(REFUSALS.c.seat, REFUSALS.c.number)
