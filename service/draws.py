"""Draws by agreement: what callers may do about them."""

import msgspec

from events.agreed import DrawOffered
from events.agreeing import open_offer, owed_answers
from events.canonical import prefixed
from events.decide import Command
from events.match import Match
from events.offering import AnswerDraw, OfferDraw
from service.auth import Caller
from service.changing import change
from service.committing import Done
from service.disputes import version_of
from service.parts import Parts
from service.spectating import shown


class DrawLine(msgspec.Struct, frozen=True):
    """The draw that was last offered; `owed` are the seats it waits for, if it is `open`."""

    id: int
    seat: int
    open: bool
    refused: bool
    owed: tuple[int, ...]


async def offer_draw(
    parts: Parts, caller: Caller, match_id: str, key: str | None
) -> tuple[Done, int]:
    """The id of the offer.

    Raises: MatchNotFound, SeatTokenRequired, NoAgreedDraw, DrawClosed, MatchNotRunning,
    MatchUnderReview, MatchIsPaused, AlreadyResigned, MatchIsClosed.
    """
    seat = await parts.doorkeeper.seat_of(caller, match_id)

    async def make(current: Match) -> Command:
        return OfferDraw(seat)

    done = await change(parts, caller, match_id, "OfferDraw", make, key, prefixed(seat))
    return done, await version_of(parts, match_id, done, DrawOffered)


async def answer_draw(
    parts: Parts, caller: Caller, match_id: str, offer: int, key: str | None, *, accepts: bool
) -> Done:
    """The last acceptance ends the match, a refusal the offer. Raises: as `offer_draw`."""
    seat = await parts.doorkeeper.seat_of(caller, match_id)

    async def make(current: Match) -> Command:
        return AnswerDraw(seat, offer, accepts)

    body = prefixed(seat, offer, int(accepts))
    return await change(parts, caller, match_id, "AnswerDraw", make, key, body)


async def draw_of(parts: Parts, caller: Caller, match_id: str) -> DrawLine | None:
    """Raises: MatchNotFound, ScopeMissing."""
    await parts.doorkeeper.viewer_of(caller, match_id)
    current = await shown(parts, caller, match_id)
    offer = current.draw_offer
    if offer is None:
        return None
    is_open = open_offer(current) is not None and current.decision is not None
    owed = owed_answers(current, offer) if is_open else ()
    return DrawLine(offer.offered, offer.seat, is_open, offer.refused, owed)
