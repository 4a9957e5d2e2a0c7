"""What callers may do around play: create, claim, release, start, cancel, resign, tokens."""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final

import msgspec

from events.append import SeatRow
from events.attended import StandInSeated
from events.canonical import prefixed
from events.decide import (
    CancelMatch,
    ClaimSeat,
    Command,
    CommitEntropy,
    OpenEntropy,
    ReleaseSeat,
    Resign,
    StartMatch,
)
from events.disputing import IssueSeatToken, RevokeSeatTokens
from events.match import Match, decode
from events.refusals import MatchRevealedAlready
from events.rulings import ReplaceSeat
from events.seat_keys import is_key
from events.types import DisputeRuled, SeatClaimed
from games import registry
from games.core.game import Seat
from service import credentials, identities, making
from service.apart import is_inside
from service.auth import Caller, require
from service.callers import Kind, Right, Scope
from service.changing import change
from service.committing import Done, Receipt, loaded
from service.errors import (
    Fault,
    Invalid,
    OtherSeat,
    SeatNotFound,
)
from service.making import NewMatchRequest
from service.parts import Parts
from service.signed_moves import SeatSigned, checked_head

_BEFORE_A_CLAIM: Final = 8


class Claimed(msgspec.Struct, frozen=True):
    """`token` is the seat's token, made for a key alone; None too if it works no more."""

    done: Done
    token: str | None


async def create_match(
    parts: Parts, caller: Caller, wanted: NewMatchRequest, match_id: str | None = None
) -> str:
    """The id of a new match of the caller's organisation; again with the same id, the same match.

    Raises: ApiKeyRequired, ScopeMissing, UnknownGame, OptionsRefused, Invalid.
    """
    await parts.doorkeeper.permits(caller, making.RIGHT)
    if match_id is not None and await parts.store.match(match_id) is not None:
        return match_id  # An earlier try got as far as that.
    if wanted.accounts and len(wanted.accounts) != wanted.seats:
        raise Invalid(Fault("/accounts", "wrong-length", "needs an entry for each seat"))
    twice = [
        Fault(f"/accounts/{seat}", "duplicate", "has a seat in this match already")
        for seat, account in making.listed(wanted.accounts)
        if account in wanted.accounts[:seat]
    ]
    if twice:
        raise Invalid(*twice)
    game = registry.game(wanted.game, wanted.rules_version)
    return await making.made(parts, caller.org, game, wanted, match_id)


async def claim_seat(
    parts: Parts,
    caller: Caller,
    match_id: str,
    seat: Seat,
    account: str | None,
    key: str | None,
    seat_key: str | None = None,
) -> Claimed:
    """A user's claim is its account's, whatever `account` says. `seat_key` is the seat's own.

    A repeated request never tells a token that has stopped working.
    Raises: MatchNotFound, SeatNotFound, OtherSeat, ScopeMissing, SeatTaken, MatchAlreadyStarted,
    Invalid.
    """
    if seat_key is not None and not is_key(seat_key):
        raise Invalid(Fault("/key", "wrong-shape", "is no Ed25519 key in base64url"))
    await _reaches(parts, caller, match_id, seat)
    account = account if caller.user is None else caller.user.account
    account = await _entrant(parts, caller, match_id, seat, account)
    holder = credentials.pseudonym()
    command = ClaimSeat(seat, holder, seat_key)
    row = SeatRow(seat, holder, account)
    body = prefixed(seat, account or "", *([] if seat_key is None else [seat_key]))

    async def check() -> None:
        await need_one_seat(parts, match_id, seat, account, "/account")

    done = await _change(parts, caller, match_id, command, key, body, check, seats=(row,))
    if caller.kind is not Kind.KEY:
        parts.doorkeeper.forget(match_id, seat)
        return Claimed(done, None)
    return Claimed(done, await token_of(parts, caller, match_id, seat, key, done))


async def need_one_seat(
    parts: Parts, match_id: str, seat: Seat, account: str | None, pointer: str
) -> None:
    """An account has one seat of a match, or it knows what another seat may not. Who comes without
    an account is nobody's. Called whenever the match is decided on. Raises: Invalid.
    """
    if account is None:
        return
    others = await parts.database.read(lambda c: identities.elsewhere(c, match_id, seat))
    if account in others:
        raise Invalid(Fault(pointer, "duplicate", "has another seat of this match"))


async def token_of(
    parts: Parts, caller: Caller, match_id: str, seat: Seat, key: str | None, done: Done
) -> str | None:
    """The token of whoever holds the seat by what was done; None if it works no more."""
    token = _claim_token(parts, caller, match_id, seat, key)
    if not done.replayed or await _still_holds(parts, match_id, seat, done.receipt):
        await _issue(parts, match_id, seat, token)
    works = not done.replayed or await _works(parts, token)
    return token if works else None


async def release_seat(
    parts: Parts, caller: Caller, match_id: str, seat: Seat, key: str | None
) -> Done:
    """The seat is free again and its tokens stop working.

    Raises: MatchNotFound, SeatNotFound, OtherSeat, ScopeMissing, SeatFree, MatchAlreadyStarted.
    """
    await _reaches(parts, caller, match_id, seat)
    freed = (SeatRow(seat, None),)
    command = ReleaseSeat(seat)
    done = await _change(parts, caller, match_id, command, key, prefixed(seat), seats=freed)
    if not done.replayed:
        await _revoke(parts, match_id, seat)
        await parts.presence.forget(match_id, seat)
    return done


async def start_match(parts: Parts, caller: Caller, match_id: str, key: str | None) -> Done:
    """Raises: MatchNotFound, ApiKeyRequired, ScopeMissing, SeatsUnclaimed, MatchAlreadyStarted."""
    await parts.doorkeeper.manages(caller, match_id)
    return await _change(parts, caller, match_id, StartMatch(), key)


async def cancel_match(parts: Parts, caller: Caller, match_id: str, key: str | None) -> Done:
    """One of a deal group is cancelled by an arbiter alone: others get no figures of it.

    Raises: MatchNotFound, ApiKeyRequired, ScopeMissing, MatchEndedAlready."""
    await parts.doorkeeper.manages(caller, match_id)
    if (await loaded(parts, match_id)).created.deal_group is not None:
        require(caller, Scope.ARBITRATE)
    return await _change(parts, caller, match_id, CancelMatch(), key)


async def resign(
    parts: Parts,
    caller: Caller,
    match_id: str,
    seat: Seat,
    key: str | None,
    signed: SeatSigned | None = None,
) -> Done:
    """Only the seat itself resigns, signed if it has a key.

    Raises: MatchNotFound, SeatTokenRequired, SeatNotFound, OtherSeat, MatchNotRunning,
    AlreadyResigned, MoveUnsigned.
    """
    await parts.doorkeeper.seat_of(caller, match_id)
    await _reaches(parts, caller, match_id, seat)
    await checked_head(parts, match_id, signed)
    command = Resign(seat, None if signed is None else signed.signature_of)
    return await _change(parts, caller, match_id, command, key, prefixed(seat))


async def contribute(
    parts: Parts, caller: Caller, match_id: str, command: CommitEntropy | OpenEntropy
) -> Done:
    """What the seat puts into the seed, said by itself alone. The same again is done once.

    Raises: MatchNotFound, SeatNotFound, SeatTokenRequired, OtherSeat, NoEntropy, EntropyIsClosed,
    EntropyAwaited, OpeningWrong, MatchAlreadyStarted.
    """
    seat = command.seat
    await parts.doorkeeper.seat_of(caller, match_id)
    await _reaches(parts, caller, match_id, seat)
    if not caller.holds(seat):
        raise OtherSeat
    said = command.commitment if isinstance(command, CommitEntropy) else command.opening
    # Whoever takes the seat after a release says it for itself.
    holder = (await loaded(parts, match_id)).holders[seat]
    key = f"{holder}:{said}"
    return await _change(parts, caller, match_id, command, key, prefixed(key))


def right_to_issue(match_id: str) -> Right:
    """A new token of a seat."""
    return Right((Scope.SEATS_ISSUE,), match_id)


async def issue_token(parts: Parts, caller: Caller, match_id: str, seat: Seat) -> str:
    """A new token of the seat; older ones stop working.

    Raises: MatchNotFound, ApiKeyRequired, ScopeMissing, SeatNotFound.
    """
    await parts.doorkeeper.permits(caller, right_to_issue(match_id))
    _checked_seat(await loaded(parts, match_id), seat)
    # The old tokens see nothing more, and the new one is not there before everybody can know of it.
    await _revoke(parts, match_id, seat)
    await _told(parts, caller, match_id, IssueSeatToken(seat))
    token = credentials.seat_token()
    await _issue(parts, match_id, seat, token)
    return token


async def revoke_tokens(parts: Parts, caller: Caller, match_id: str, seat: Seat) -> None:
    """Raises: MatchNotFound, ApiKeyRequired, ScopeMissing, SeatNotFound."""
    await parts.doorkeeper.manages(caller, match_id, Scope.SEATS_ISSUE)
    _checked_seat(await loaded(parts, match_id), seat)
    await _revoke(parts, match_id, seat)
    await _told(parts, caller, match_id, RevokeSeatTokens(seat))


async def _told(
    parts: Parts, caller: Caller, match_id: str, command: IssueSeatToken | RevokeSeatTokens
) -> None:
    """The log says so until the reveal."""
    with suppress(MatchRevealedAlready):  # Then it shows nothing hidden any more.
        await _change(parts, caller, match_id, command, None)


async def _change(
    parts: Parts,
    caller: Caller,
    match_id: str,
    command: Command,
    idempotency_key: str | None,
    body: bytes = b"",
    check: Callable[[], Awaitable[None]] | None = None,
    *,
    seats: tuple[SeatRow, ...] = (),
) -> Done:
    """A command that no decision names; without a key each request is one of its own.

    What `check` looks at beside the match holds when it is appended.
    """

    async def make(current: Match) -> Command:
        _checked_seat(current, getattr(command, "seat", 0))
        if check is not None:
            await check()
        return command

    name = type(command).__name__
    done = await change(parts, caller, match_id, name, make, idempotency_key, body, seats=seats)
    return await _cut(parts, caller, await loaded(parts, match_id), done)


async def _cut(parts: Parts, caller: Caller, current: Match, done: Done) -> Done:
    """What the receipt says of a deal group's match goes no further than its start, for whoever
    manages it; also after the reveal, so that a repetition is answered as the first time.
    """
    if current.created.deal_group is None or is_inside(caller) or caller.kind is not Kind.KEY:
        return done
    start = await parts.past.at_start(current)
    if done.receipt.last <= start.version:
        return done
    first = min(done.receipt.first, start.version)
    return Done(Receipt(first, start.version, start.head.hex()), done.replayed)


async def _reaches(parts: Parts, caller: Caller, match_id: str, seat: Seat) -> None:
    """The match is the caller's to see, has the seat, and the caller may arrange it.

    Raises: MatchNotFound, ScopeMissing, SeatNotFound, OtherSeat.
    """
    await parts.doorkeeper.viewer_of(caller, match_id, Scope.SEATS_ISSUE)
    _checked_seat(await loaded(parts, match_id), seat)
    await parts.doorkeeper.manages_or_holds(caller, match_id, seat)


async def _entrant(
    parts: Parts, caller: Caller, match_id: str, seat: Seat, account: str | None
) -> str | None:
    """The account a claim is for: of a deal group's match, and by whoever comes with the link to
    the seat, none but the seat's entrant. Raises: Invalid.
    """
    is_free = (await loaded(parts, match_id)).created.deal_group is None
    if is_free and caller.kind is not Kind.SEAT:
        return account
    entrant = await parts.database.read(lambda c: identities.listed_account(c, match_id, seat))
    if account not in (None, entrant):
        raise Invalid(Fault("/account", "other-entrant", "is not the entrant of this seat"))
    return entrant


async def _works(parts: Parts, token: str) -> bool:
    stored, now = credentials.stored(token), parts.clock()
    return bool(await parts.database.read(lambda c: identities.find_tokens(c, [stored], now)))


async def _still_holds(parts: Parts, match_id: str, seat: Seat, claimed: Receipt) -> bool:
    """Whether the seat is held by that claim: a late repetition takes nothing."""
    # What followed by the time alone may stand before it.
    most = min(_BEFORE_A_CLAIM, claimed.last - claimed.first + 1)
    records = await parts.store.records(match_id, claimed.first - 1, most)
    current = await loaded(parts, match_id)
    for event in map(decode, records):
        match event:
            case (
                SeatClaimed(holder=holder)
                | StandInSeated(holder=holder)
                | DisputeRuled(ruling=ReplaceSeat(holder=holder))
            ):
                return current.holders[seat] == holder
    return False


def _claim_token(parts: Parts, caller: Caller, match_id: str, seat: Seat, key: str | None) -> str:
    """The same for a repeated request, so that its answer is the same; else a random one."""
    if key is None:
        return credentials.seat_token()
    purpose = prefixed("claim", match_id, seat, caller.principal, key)
    return credentials.seat_token(credentials.token_secret(parts.vault.derived(purpose)))


async def _issue(parts: Parts, match_id: str, seat: Seat, token: str) -> None:
    stored, at = credentials.stored(token), parts.clock()
    await parts.database.write(lambda c: identities.issue_token(c, stored, match_id, seat, at))
    parts.doorkeeper.forget(match_id, seat)


async def _revoke(parts: Parts, match_id: str, seat: Seat) -> None:
    at = parts.clock()
    await parts.database.write(lambda c: identities.revoke_tokens(c, match_id, seat, at))
    parts.doorkeeper.forget(match_id, seat)


def _checked_seat(current: Match, seat: Seat) -> None:
    if not 0 <= seat < current.seats:
        raise SeatNotFound
