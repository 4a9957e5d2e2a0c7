"""What must hold in every state."""

from collections.abc import Iterator

from games.ambition_characters.alliances import members
from games.ambition_characters.characters import Character
from games.ambition_characters.state import (
    COINS,
    GOAL,
    NOBODY,
    Acted,
    Phase,
    State,
)


def invariants(state: State) -> str | None:
    """The first thing wrong with a state, or None."""
    return next(_faults(state), None)


def _faults(state: State) -> Iterator[str]:
    yield from _card_faults(state)
    yield from _coin_faults(state)
    yield from _size_faults(state)
    yield from _alliance_faults(state)
    yield from _token_faults(state)
    if state.phase in (Phase.RECRUIT, Phase.PASS, Phase.PLAY) and state.blocked:
        yield "characters are blocked before the block phase"
    named = [entry.character for entry in state.blocked]
    if len(set(named)) < len(named) or len(named) > len(state.coins) + state.activated_count:
        yield "too many blocks"


def _card_faults(state: State) -> Iterator[str]:
    cards = [*state.deck, *state.set_aside, *(entry.character for entry in state.removed)]
    for hand in state.hands:
        if list(hand) != sorted(hand):
            yield "a hand is out of order"
        cards.extend(hand)
    cards.extend(live for live in state.live if live is not None)
    if sorted(cards) != list(state.cast):
        yield "a card is not in exactly one place"
    for choice, hand in zip(state.chosen, state.hands, strict=True):
        if choice is not None and choice not in hand:
            yield "a chosen card is not in its hand"


def _coin_faults(state: State) -> Iterator[str]:
    count = len(state.coins)
    least = 45 - (9 * count + max(3, count)) if count <= 4 else 0
    if min(state.coins) < 0 or not least <= COINS - sum(state.coins):
        yield "coins or supply out of range"
    if max(state.coins) >= GOAL + max(3, count) or (
        (max(state.coins) >= GOAL) != (state.ending == "ten_coins")
    ):
        yield "ten coins do not end the match"
    if sum(own >= GOAL for own in state.coins) > 1:
        yield "two winners"


def _size_faults(state: State) -> Iterator[str]:
    """Rules: AC-27, AC-60."""
    if state.phase in (Phase.SET_UP, Phase.PASS):
        return
    for hand, live in zip(state.hands, state.live, strict=True):
        if len(hand) + (live is not None) < 2:
            yield "a seat has fewer than two cards"


def _alliance_faults(state: State) -> Iterator[str]:
    allied = [member for alliance in state.alliances for member in members(alliance)]
    dead = [entry.character for entry in state.removed]
    if len(set(allied)) < len(allied) or Character.HIEROPHANT in allied:
        yield "an alliance is no pair of its own"
    if any(member in dead for member in allied):
        yield "an alliance has outlived a member"
    if list(state.alliances) != sorted(state.alliances):
        yield "the alliances are out of order"


def _token_faults(state: State) -> Iterator[str]:
    if state.sneak_placed:
        live = None if state.sneak == NOBODY else state.live[state.sneak]
        if live is None or live is Character.SPY:
            yield "the Sneak token lies on no card, or on the Spy"
        elif state.acted[state.sneak] is not Acted.NOT_YET:
            yield "the Sneak token is not spent"
    elif state.phase is Phase.BLOCK and state.sneak != NOBODY:
        yield "the Sneak token was not placed"
    if state.silence is not None and state.silence.seat == state.silence.creditor:
        yield "a seat owes itself"
