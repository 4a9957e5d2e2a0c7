"""An arbiter's ruling: from what is wanted to the one append it leads to."""

from typing import Any, Final, TypeAlias

import msgspec
from sqlalchemy import Connection

from events.append import SeatRow
from events.canonical import canonical, prefixed
from events.decide import Command
from events.disputes import found
from events.disputing import (
    RuleDispute,
    opening,
)
from events.match import Match
from events.rulings import (
    AdjustClock,
    ForceMove,
    Forfeit,
    Note,
    Redraw,
    ReplaceSeat,
    Replay,
    Rewind,
    Ruling,
    SetResult,
    Void,
)
from service import arrangements, credentials, identities
from service.arbitration import arbiter_name, arbiter_of
from service.auth import Caller
from service.callers import Kind, Scope
from service.changing import change
from service.committing import Done, loaded
from service.errors import ArbiterIsParty, Fault, Invalid, ScopeMissing, SeatNotFound
from service.ids import RANDOM_BYTES, new_match_id
from service.lines import boundary_start, last_draw
from service.looking import take_look
from service.parts import Parts
from service.replacing import replacement

SALT_BYTES: Final = 32


class WantedRewind(msgspec.Struct, frozen=True, tag="rewind", tag_field="type"):
    """To a version, or to where a boundary began; one of the two."""

    to: int | None = None
    boundary: str | None = None


class WantedRedraw(msgspec.Struct, frozen=True, tag="redraw", tag_field="type"):
    """To before the latest draw of the label, and that draw anew."""

    label: str


class WantedSeat(msgspec.Struct, frozen=True, tag="replace_seat", tag_field="type"):
    """`account` is whom the seat stands for from now on."""

    seat: int
    account: str | None = None


class WantedMove(msgspec.Struct, frozen=True, tag="force_move", tag_field="type"):
    """The move that answers the seat's open decision."""

    seat: int
    move: dict[str, Any]


class WantedReplay(msgspec.Struct, frozen=True, tag="replay", tag_field="type"):
    """A new match of the same game, options and seats, for the same accounts."""


Wanted: TypeAlias = (
    Note
    | WantedRewind
    | WantedRedraw
    | WantedSeat
    | WantedMove
    | AdjustClock
    | Forfeit
    | SetResult
    | Void
    | WantedReplay
)


class Ruled(msgspec.Struct, frozen=True):
    """`token` plays a seat that was replaced, and is told to keys alone; `match_id` is the match to
    be played in place.
    """

    done: Done
    token: str | None = None
    match_id: str | None = None


async def rule(
    parts: Parts,
    caller: Caller,
    match_id: str,
    dispute: int,
    wanted: Wanted,
    reason: str,
    account: str | None,
    key: str | None,
) -> Ruled:
    """An arbiter's ruling, and all that follows of it, in one append.

    Raises: MatchNotFound, ApiKeyRequired, ScopeMissing, ArbiterIsParty, SeatNotFound,
    DisputeNotFound, WrongStage, RulingImpossible, MatchRevealedAlready, AlreadyResigned,
    DecisionClosed, IllegalMove, GroupMatchOver; Invalid for who can't come to a seat.
    """
    arbiter = await arbiter_of(parts, caller, match_id, account)
    current = await loaded(parts, match_id)
    seat = _seat_in(current, wanted)
    _check_taker(parts, caller, match_id, wanted, arbiter)
    holder = credentials.pseudonym()
    body = prefixed(dispute, arbiter, canonical(msgspec.to_builtins(wanted)), reason)
    new_id = ""
    if found(current, dispute) is not None:
        if isinstance(wanted, WantedReplay):
            new_id = await _new_id(parts, caller, match_id, dispute, key, body)
        if isinstance(wanted, WantedMove):
            # Whether a move is on offer tells the arbiter of what only the seat may know.
            name = f"ruling {dispute}"
            await take_look(parts, caller, match_id, arbiter, seat, current.version, name)

    async def make(current: Match) -> Command:
        ruling = await _ruling(parts, current, wanted, holder, new_id)
        target = await _target(parts, current, ruling)
        move = wanted.move if isinstance(wanted, WantedMove) else None
        salt = parts.entropy(SALT_BYTES)
        command = RuleDispute(dispute, arbiter, ruling, reason, salt, target, move)
        await _prepare(parts, caller, current, command, wanted)
        return command

    rows = _rows(wanted, holder)
    done = await change(parts, caller, match_id, "RuleDispute", make, key, body, seats=rows)
    if not isinstance(wanted, WantedSeat):
        return Ruled(done, None, new_id or None)
    if caller.kind is not Kind.KEY:
        return Ruled(done)  # Seats are given out by the organisation.
    purpose = None if key is None else f"ruling {key}"
    token = await arrangements.token_of(parts, caller, match_id, seat, purpose, done)
    return Ruled(done, token, None)


def _seat_in(current: Match, wanted: Wanted) -> int:
    """The seat the ruling is about. Raises: SeatNotFound."""
    seat: int = getattr(wanted, "seat", 0) or 0
    if not 0 <= seat < current.seats:
        raise SeatNotFound
    return seat


def _check_taker(parts: Parts, caller: Caller, match_id: str, wanted: Wanted, arbiter: str) -> None:
    """Nobody gives itself a seat, and tokens of arbiters name nobody for one: whether an account
    may come to it would tell who sits at the others. Raises: ArbiterIsParty, ScopeMissing.
    """
    if not isinstance(wanted, WantedSeat) or wanted.account is None:
        return
    if arbiter_name(parts.vault, caller.org, match_id, wanted.account) == arbiter:
        raise ArbiterIsParty
    if caller.kind is not Kind.KEY:
        raise ScopeMissing.of(Scope.SEATS_ISSUE)


async def _prepare(
    parts: Parts, caller: Caller, current: Match, command: RuleDispute, wanted: Wanted
) -> None:
    """What has to be there or to hold beside the match. Raises: Refused, Invalid."""
    if isinstance(command.ruling, Replay):
        opening(current, command, 0)  # Refused before anything is made.
        await replacement(parts, caller.org, current, command.ruling.match_id)
    if not isinstance(wanted, WantedSeat):
        return
    match_id, account = current.match_id, wanted.account
    await arrangements.need_one_seat(parts, match_id, wanted.seat, account, "/ruling/account")
    if current.created.deal_group is not None:
        opening(current, command, parts.clock())  # A repetition is no new entrant.
        await _check_entrant(parts, current, wanted)


async def _check_entrant(parts: Parts, current: Match, wanted: WantedSeat) -> None:
    """In a deal group nobody comes to a seat who knows the draws from another: only its own
    entrant, or who has had no seat in the group. Raises: Invalid.
    """
    account, match_id = wanted.account, current.match_id
    if account is None:
        raise Invalid(Fault("/ruling/account", "missing", "a deal group says who sits where"))

    def is_known(connection: Connection) -> bool:
        if identities.listed_account(connection, match_id, wanted.seat) == account:
            return False
        return account in identities.parties(connection, match_id)

    if await parts.database.read(is_known):
        raise Invalid(Fault("/ruling/account", "duplicate", "has a seat in this group already"))


def _rows(wanted: Wanted, holder: str) -> tuple[SeatRow, ...]:
    """Freed first: the tokens of who held the seat stop working in the same transaction."""
    if not isinstance(wanted, WantedSeat):
        return ()
    seat = wanted.seat
    return (SeatRow(seat, None), SeatRow(seat, holder, wanted.account))


async def _ruling(parts: Parts, current: Match, wanted: Wanted, holder: str, new_id: str) -> Ruling:
    match wanted:
        case WantedRewind(to=to, boundary=boundary):
            at = await boundary_start(parts, current, boundary) if boundary is not None else to
            return Rewind(to=at or 0, boundary=boundary)
        case WantedRedraw(label=label):
            return Redraw(label=label, to=await last_draw(parts, current, label) - 1)
        case WantedSeat(seat=seat):
            return ReplaceSeat(seat=seat, holder=holder)
        case WantedMove(seat=seat):
            return ForceMove(seat=seat, decision=current.decision_of(seat) or "")
        case WantedReplay():
            return Replay(match_id=new_id)
        case _:
            return wanted


async def _target(parts: Parts, current: Match, ruling: Ruling) -> Match | None:
    goal = getattr(ruling, "to", 0)
    return await parts.past.at(current, goal) if 1 <= goal < current.version else None


async def _new_id(
    parts: Parts, caller: Caller, match_id: str, dispute: int, key: str | None, body: bytes
) -> str:
    """Of the match that may be played in place: the same for a repeated request."""
    if key is None:
        return new_match_id(parts.clock(), parts.entropy(RANDOM_BYTES))
    purpose = prefixed("replay", match_id, dispute, caller.principal, key, body)
    (opened,) = await parts.store.records(match_id, dispute - 1, 1)
    return new_match_id(opened.at, parts.vault.derived(purpose)[:RANDOM_BYTES])
