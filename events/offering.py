"""Draws by agreement: what seats may do about them, and the event of each."""

from typing import TypeAlias

import msgspec

from events.agreed import Agreed, DrawAnswered, DrawOffered
from events.agreeing import last_step, open_offer, owed_answers, still_playing
from events.allowing import refuse_held
from events.match import Match
from events.refusals import AlreadyResigned, DrawClosed, MatchNotRunning, NoAgreedDraw
from events.types import Status
from games.core.game import Seat


class OfferDraw(msgspec.Struct, frozen=True):
    seat: Seat


class AnswerDraw(msgspec.Struct, frozen=True):
    """`offer` is the version that offered."""

    seat: Seat
    offer: int
    accepts: bool


Agreeing: TypeAlias = OfferDraw | AnswerDraw


def agreeing(current: Match, command: Agreeing, at: int) -> Agreed:
    """The event of the command. Raises: Refused."""
    version, seat = current.version + 1, command.seat
    event: Agreed = DrawOffered(version=version, at=at, seat=seat)
    if isinstance(command, AnswerDraw):
        event = DrawAnswered(
            version=version, at=at, seat=seat, offer=command.offer, accepts=command.accepts
        )
    allow_agreeing(current, event)
    return event


def allow_agreeing(current: Match, event: Agreed) -> None:
    """Nothing, if the event may follow. Raises: Refused."""
    if not current.created.agreed_draw:
        raise NoAgreedDraw
    refuse_held(current)
    if current.status is not Status.RUNNING:
        raise MatchNotRunning
    seat, offer = event.seat, current.draw_offer
    if seat in current.resigned:
        raise AlreadyResigned
    waits = open_offer(current)
    if isinstance(event, DrawAnswered):
        is_owed = waits is not None and seat in owed_answers(current, waits)
        if waits is None or waits.offered != event.offer or not is_owed:
            raise DrawClosed
        return
    is_again = offer is not None and offer.seat == seat and offer.last == last_step(current)
    if waits is not None or is_again or seat not in still_playing(current):
        raise DrawClosed
