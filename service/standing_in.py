"""Stand-ins: whoever is put on the seat of one that did not come."""

from events.append import SeatRow
from events.canonical import prefixed
from events.decide import Command, SeatStandIn
from events.match import Match
from games.core.game import Seat
from service import credentials
from service.arrangements import Claimed, need_one_seat, token_of
from service.auth import Caller
from service.callers import Scope
from service.changing import change
from service.errors import SeatNotFound
from service.parts import Parts


async def seat_stand_in(
    parts: Parts,
    caller: Caller,
    match_id: str,
    seat: Seat,
    account: str | None,
    key: str | None,
) -> Claimed:
    """Another has the seat of one that did not come; the tokens of who had it work no more.

    Raises: MatchNotFound, ApiKeyRequired, ScopeMissing, SeatNotFound, NoStandInDue,
    AlreadyResigned, MatchNotRunning, MatchIsClosed; Invalid for who has another seat.
    """
    await parts.doorkeeper.manages(caller, match_id, Scope.SEATS_ISSUE)
    holder = credentials.pseudonym()

    async def make(current: Match) -> Command:
        if not 0 <= seat < current.seats:
            raise SeatNotFound
        await need_one_seat(parts, match_id, seat, account, "/account")
        return SeatStandIn(seat, holder)

    # Freed first: the tokens of who held the seat stop working in the same transaction.
    rows = (SeatRow(seat, None), SeatRow(seat, holder, account))
    body = prefixed(seat, account or "")
    done = await change(parts, caller, match_id, "SeatStandIn", make, key, body, seats=rows)
    purpose = None if key is None else f"stand-in {key}"
    return Claimed(done, await token_of(parts, caller, match_id, seat, purpose, done))
