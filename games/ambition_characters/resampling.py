"""Another state that a viewer cannot tell apart from the given one."""

from collections.abc import Iterator, Mapping
from random import Random

from msgspec.structs import replace

from games.ambition_characters.characters import Character
from games.ambition_characters.state import Phase, State, left_of


def resample(state: State, viewer: int, rng: Random) -> State:
    """One random renaming of the characters hidden from `viewer`, applied everywhere at once.

    Names that are public without their cards (blocks, alliances, the power in use) stay.
    """
    fixed = set(_fixed(state, viewer))
    hidden = [card for card in state.cast if card not in fixed]
    while True:
        names = dict(zip(hidden, rng.sample(hidden, len(hidden)), strict=True))
        other = _renamed(state, names)
        if not _has_spy_under_sneak(other):
            break
    standin = rng.sample(state.standin, len(state.standin))
    return replace(other, standin=tuple(standin))


def _fixed(state: State, viewer: int) -> Iterator[Character]:
    """The cards whose place the view of `viewer` shows, and what it knows of the passing."""
    for entry in state.removed:
        yield entry.character
    for payout in state.payouts:
        yield payout.card
    for seat, live in enumerate(state.live):
        if live is not None and (seat == viewer or state.face_up[seat]):
            yield live
    if viewer >= 0:
        yield from state.hands[viewer]
    if state.power is not None:
        yield state.power.card
    if state.first_passed is not None and viewer in (state.scarab, left_of(state, state.scarab)):
        yield state.first_passed


def _renamed(state: State, names: Mapping[Character, Character]) -> State:
    def name(card: Character) -> Character:
        return names.get(card, card)

    def maybe(card: Character | None) -> Character | None:
        return None if card is None else name(card)

    power = state.power
    return replace(
        state,
        hands=tuple(tuple(sorted(map(name, hand))) for hand in state.hands),
        live=tuple(map(maybe, state.live)),
        chosen=tuple(map(maybe, state.chosen)),
        deck=tuple(map(name, state.deck)),
        set_aside=tuple(map(name, state.set_aside)),
        first_passed=maybe(state.first_passed),
        power=power and replace(power, drawn=maybe(power.drawn)),
    )


def _has_spy_under_sneak(state: State) -> bool:
    """Rules: AC-32."""
    seat = state.sneak
    if seat < 0:
        return False
    if state.sneak_placed:
        return state.live[seat] is Character.SPY
    return state.phase is Phase.PLAY and state.chosen[seat] is Character.SPY
