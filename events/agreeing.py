"""A draw by agreement: offered, accepted by all others or refused; whoever plays on ends the offer.

The match has to be one whose seats may agree on a draw, which event 1 says and its game allows.
"""

from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from events.agreed import Agreed, DrawOffered
from games.core.game import Seat

if TYPE_CHECKING:
    from events.match import Match


class DrawOffer(msgspec.Struct, frozen=True):
    """`offered` is the version that offered, after the step of version `last`, when `gone` seats
    were out."""

    offered: int
    seat: int
    last: int
    gone: int
    accepted: tuple[int, ...] = ()
    refused: bool = False


def agreed(current: "Match", event: Agreed) -> "Match":
    """The match after the event."""
    version = event.version
    if isinstance(event, DrawOffered):
        made = DrawOffer(version, event.seat, last_step(current), len(current.resigned))
        return replace(current, version=version, draw_offer=made)
    offer = current.draw_offer
    assert offer is not None
    if not event.accepts:
        return replace(current, version=version, draw_offer=replace(offer, refused=True))
    accepted = (*offer.accepted, event.seat)
    return replace(current, version=version, draw_offer=replace(offer, accepted=accepted))


def open_offer(current: "Match") -> DrawOffer | None:
    """The offer that waits for answers: none once a step was taken, or a seat went."""
    offer = current.draw_offer
    if offer is None or offer.refused:
        return None
    is_same = offer.last == last_step(current) and offer.gone == len(current.resigned)
    return offer if is_same else None


def owed_answers(current: "Match", offer: DrawOffer) -> tuple[Seat, ...]:
    """The seats that still have to accept."""
    settled = {offer.seat, *offer.accepted}
    return tuple(seat for seat in still_playing(current) if seat not in settled)


def is_agreed(current: "Match") -> bool:
    offer = open_offer(current)
    return offer is not None and bool(offer.accepted) and not owed_answers(current, offer)


def still_playing(current: "Match") -> tuple[Seat, ...]:
    """The seats that have not gone, and that the game does not say are out."""
    away = {*current.resigned, *current.game.out(current.state)}
    return tuple(seat for seat in range(current.seats) if seat not in away)


def last_step(current: "Match") -> int:
    return 0 if current.last is None else current.last.version
