"""Who knows what: the view of a viewer and the steps it saw; `resampling.py` has the rest."""

import msgspec

from games.ambition_characters.characters import Character, PartName
from games.ambition_characters.killing import victim
from games.ambition_characters.moves import (
    Activate,
    ChooseLive,
    Deal,
    Keep,
    Move,
    NameVictim,
    PassCard,
    Redeal,
    ReplaceLive,
    StandIn,
    Swap,
)
from games.ambition_characters.passing import brings_home
from games.ambition_characters.setting_up import dealt_places
from games.ambition_characters.state import (
    NOBODY,
    Acted,
    Blocked,
    Ending,
    Payout,
    Phase,
    Place,
    Power,
    Removed,
    Silenced,
    Source,
    State,
    left_of,
    supply,
)
from games.core.game import Seen
from games.core.moves import Wire, wire_move


class LiveCard(msgspec.Struct, frozen=True):
    face_up: bool
    card: Character | None  # None: face down and not one's own


class SeatView(msgspec.Struct, frozen=True):
    coins: int
    hand_count: int  # without the live card
    hand: tuple[Character, ...] | None  # one's own
    live: LiveCard | None
    has_chosen: bool  # a live card, while others still choose
    choice: Character | None  # one's own
    acted: Acted


class SneakView(msgspec.Struct, frozen=True):
    """The Sneak token of a seat: on its live card, or pending for the next one."""

    seat: int
    placed: bool


class PowerView(msgspec.Struct, frozen=True):
    seat: int
    card: Character  # the activated card
    power: Character  # whose power it uses
    skip: tuple[PartName, ...]


class View(msgspec.Struct, frozen=True):
    """All a seat or a spectator may know of the present; what it saw before is history."""

    cast: tuple[Character, ...]
    round: int
    phase: Phase
    scarab: int | None
    supply: int
    seats: tuple[SeatView, ...]
    deck_count: int
    set_aside_count: int
    removed: tuple[Removed, ...]
    blocked: tuple[Blocked, ...]
    alliances: tuple[str, ...]
    sneak: SneakView | None  # None: in the supply
    silence: Silenced | None
    payouts: tuple[Payout, ...]
    activated_count: int
    power: PowerView | None
    ending: Ending | None


def view(state: State, viewer: int) -> View:
    """Rules: AC-07, AC-30, AC-39."""
    return View(
        cast=state.cast,
        round=state.round,
        phase=state.phase,
        scarab=None if state.scarab == NOBODY else state.scarab,
        supply=supply(state),
        seats=tuple(_seat(state, seat, viewer) for seat in range(len(state.coins))),
        deck_count=len(state.deck),
        set_aside_count=len(state.set_aside),
        removed=state.removed,
        blocked=state.blocked,
        alliances=state.alliances,
        sneak=None if state.sneak == NOBODY else SneakView(state.sneak, state.sneak_placed),
        silence=state.silence,
        payouts=state.payouts,
        activated_count=state.activated_count,
        power=_power(state.power),
        ending=state.ending,
    )


def _seat(state: State, seat: int, viewer: int) -> SeatView:
    hand, live, is_own = state.hands[seat], state.live[seat], seat == viewer
    return SeatView(
        coins=state.coins[seat],
        hand_count=len(hand),
        hand=hand if is_own else None,
        live=_live(live, state.face_up[seat], is_own),
        has_chosen=state.chosen[seat] is not None,
        choice=_if(is_own, state.chosen[seat]),
        acted=state.acted[seat],
    )


def _live(card: Character | None, face_up: bool, is_own: bool) -> LiveCard | None:
    if card is None:
        return None
    return LiveCard(face_up, _if(is_own or face_up, card))


def _power(power: Power | None) -> PowerView | None:
    if power is None:
        return None
    return PowerView(power.seat, power.card, power.owner, power.skipped)


def _if(may_know: bool, card: Character | None) -> Character | None:
    return card if may_know else None


def redact(before: State, seat: int, move: Move, viewer: int) -> Seen:
    match move:
        case PassCard(card=card):
            if brings_home(before, seat, card):
                return Seen(wire_move(move), ((before.scarab, wire_move(move)),))
            return _shown(move, "card", viewer in (seat, left_of(before, seat)))
        case ChooseLive() | Keep() | ReplaceLive():
            return _shown(move, "card", viewer == seat)
        case Activate():
            return Seen(wire_move(move), _live_answer(before, seat))
        case NameVictim(character=character):
            return Seen(wire_move(move), _victims_answer(before, character))
        case Deal(order=order):
            first = dealt_places(before).get(viewer, len(order))
            return Seen(_order(move, order, range(first, first + 2)))
        case Redeal(order=order):
            return Seen(_order(move, order, _redealt_places(before, viewer)))
        case StandIn(order=order) | Swap(order=order):
            return Seen(_order(move, order, range(0)))
    return Seen(wire_move(move))


def _shown(move: Move, field: str, may_know: bool) -> Seen:
    wire = wire_move(move)
    return Seen(wire if may_know else {**wire, field: None})


def _order(move: Move, order: tuple[Character, ...], places: range) -> Wire:
    """The draw with None at all places but the viewer's own."""
    own = [card.value if i in places else None for i, card in enumerate(order)]
    return {**wire_move(move), "order": own}


def _redealt_places(state: State, viewer: int) -> range:
    """Every n-th card, from the left neighbour of the Madman's seat on. Rules: AC-172."""
    count = len(state.coins)
    if viewer < 0:
        return range(0)
    assert state.power is not None
    cards = sum(len(hand) for hand in state.hands) + sum(c is not None for c in state.live)
    return range((viewer - state.power.seat - 1) % count, cards, count)


Reveals = tuple[tuple[int, Wire], ...]


def _live_answer(state: State, seat: int) -> Reveals:
    """The sealed answer that a face-down live card shows when it is turned up.

    A card that was exchanged without asking was no answer of its seat: AC-56.
    """
    card = state.live[seat]
    assert card is not None
    match state.sources[seat]:
        case Source.CHOSEN:
            return ((seat, wire_move(ChooseLive(card))),)
        case Source.REPLACED:
            return ((seat, wire_move(ReplaceLive(card))),)
        case Source.FORCED:
            return ()


def _victims_answer(state: State, character: Character) -> Reveals:
    dead = victim(state, character)
    if dead is None or dead.place is Place.HAND or state.face_up[dead.seat]:
        return ()
    return _live_answer(state, dead.seat)
