"""A state that looks to a viewer as the true one does, made from the view alone."""

from random import Random
from typing import Any

from games.ambition_tricks.cards import DECK, EVERYTHING, Card, cards_in, set_of
from games.ambition_tricks.passing import PASSED
from games.ambition_tricks.resampling import resample
from games.ambition_tricks.state import (
    NO_KICKOFF,
    SEATS,
    Phase,
    State,
    put,
    receivers,
)
from games.ambition_tricks.view import OwnView, View
from games.core.game import Asked, Seat, Viewer

_ANY = (DECK[0],) * PASSED  # where a resample puts cards of its own


def imagine(options: Any, view: View, viewer: Viewer, asked: Asked) -> State:
    """What is public and one's own, and everything else dealt at random around it."""
    base = State(
        options=view.options,
        phase=view.phase,
        hand_no=view.hand_no,
        dealer=view.dealer,
        scores=view.scores,
        history=view.history,
        deck=DECK,
        passed=_passes(view, viewer),
        kickoff=_kickoff(view, viewer),
        hands=_hands(view, viewer),
        trick=view.trick.cards if view.trick else (),
        tricks=view.tricks,
    )
    return resample(base, viewer, Random(0))  # noqa: S311 - always the same world


def _hands(view: View, viewer: Viewer) -> tuple[int, ...]:
    """Hands of the right size, with what the viewer has passed on and has not seen again."""
    turned = [card for trick in view.tricks for card in trick.cards]
    out = set_of(turned) | set_of(view.trick.cards if view.trick else ())
    fixed = [0] * SEATS
    if view.own is not None:
        fixed[viewer] = set_of(view.own.hand)
        for handed in view.own.passed:
            fixed[handed.seat] = set_of(handed.cards) & ~out
    loose = iter(cards_in(EVERYTHING & ~out & ~sum(fixed)))
    for seat, line in enumerate(view.seats):
        while fixed[seat].bit_count() < line.hand_size:
            fixed[seat] |= next(loose).bit
    return tuple(fixed)


def _passes(view: View, viewer: Viewer) -> tuple[tuple[Card, ...], ...]:
    if view.phase is Phase.PASS:
        committed = [_ANY if line.has_committed else () for line in view.seats]
        if view.own is not None:
            committed[viewer] = view.own.choice or ()
        return tuple(committed)
    if view.own is None:
        return (_ANY,) * SEATS
    return tuple(_known_pass(view, view.own, viewer, giver) for giver in range(SEATS))


def _known_pass(view: View, own: OwnView, viewer: Seat, giver: Seat) -> tuple[Card, ...]:
    """A pass in the order of its receivers, with any cards where the viewer saw none."""
    if giver == viewer:
        handed = {each.seat: list(each.cards) for each in own.passed}
    else:
        handed = {
            viewer: [card for each in own.received if each.seat == giver for card in each.cards]
        }
    to = receivers(view.direction, giver)
    return tuple(handed[seat].pop(0) if handed.get(seat) else DECK[0] for seat in to)


def _kickoff(view: View, viewer: Viewer) -> tuple[Card | None, ...]:
    if view.phase is not Phase.KICKOFF:
        return NO_KICKOFF
    sealed = tuple(DECK[0] if line.has_committed else None for line in view.seats)
    if view.own is None or view.own.choice is None:
        return sealed
    return put(sealed, viewer, view.own.choice[0])
