"""A state that looks to a viewer as the true one does, made from the view alone."""

from random import Random
from typing import Final

from games.ambition_characters.characters import Character
from games.ambition_characters.resampling import resample
from games.ambition_characters.state import (
    EVERYBODY,
    NOBODY,
    Options,
    Phase,
    Source,
    State,
)
from games.ambition_characters.view import SeatView, View
from games.core.game import Asked

# The kinds of decisions outside of a power, by what `State.asked` is then.
_ONE: Final = ("recruit", "pass_card", "block", "act")
_ALL: Final = "choose_live"


def imagine(options: Options, view: View, viewer: int, asked: Asked) -> State | None:
    """None while a power is under way: how far it has come is in no view."""
    if asked.kind not in (*_ONE, _ALL):
        return None
    hidden = _hidden(view)
    hands, live = [], []
    for own in view.seats:
        hand = own.hand
        if hand is None:
            hand = tuple(sorted(hidden.pop() for _ in range(own.hand_count)))
        hands.append(hand)
        card = None
        if own.live is not None:
            card = own.live.card or hidden.pop()
        live.append(card)
    deck = tuple(hidden.pop() for _ in range(view.deck_count))
    sneak = view.sneak
    state = State(
        options=options,
        cast=view.cast,
        phase=view.phase,
        asked=EVERYBODY if asked.kind == _ALL else asked.seats[0],
        round=view.round,
        scarab=NOBODY if view.scarab is None else view.scarab,
        coins=tuple(own.coins for own in view.seats),
        hands=tuple(hands),
        live=tuple(live),
        face_up=tuple(own.live is not None and own.live.face_up for own in view.seats),
        sources=(Source.CHOSEN,) * len(view.seats),
        acted=tuple(own.acted for own in view.seats),
        chosen=tuple(map(_chosen, view.seats, hands)),
        deck=deck,
        set_aside=tuple(hidden),
        standin=view.cast,
        removed=view.removed,
        blocked=view.blocked,
        alliances=view.alliances,
        sneak=NOBODY if sneak is None else sneak.seat,
        sneak_placed=sneak is not None and sneak.placed,
        silence=view.silence,
        payouts=view.payouts,
        activated_count=view.activated_count,
        first_passed=_first_passed(view, hands, asked),
    )
    return resample(state, viewer, Random(0))  # noqa: S311 - always the same world


def _hidden(view: View) -> list[Character]:
    """The cards that the view does not place."""
    shown = {entry.character for entry in view.removed}
    for own in view.seats:
        shown.update(own.hand or ())
        if own.live is not None and own.live.card is not None:
            shown.add(own.live.card)
    return [card for card in view.cast if card not in shown]


def _chosen(own: SeatView, hand: tuple[Character, ...]) -> Character | None:
    if not own.has_chosen:
        return None
    return own.choice or hand[0]


def _first_passed(view: View, hands: list[tuple[Character, ...]], asked: Asked) -> Character | None:
    """The first card passed, which may lie with its taker still; who passed it on knows better."""
    if view.phase is not Phase.PASS or asked.seats == (view.scarab,):
        return None
    assert view.scarab is not None
    return hands[(view.scarab + 1) % len(hands)][0]
