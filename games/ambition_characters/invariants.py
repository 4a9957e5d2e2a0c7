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
    Question,
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
    yield from _block_faults(state)


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
    if state.phase is Phase.SET_UP:
        return
    is_under_way = state.phase is Phase.PASS and state.asked not in (state.scarab, NOBODY)
    if (state.first_passed is not None) != is_under_way:
        yield "the first card passed is known outside the pass phase, or is not in it"
    for seat, (hand, live) in enumerate(zip(state.hands, state.live, strict=True)):
        least = 2
        if is_under_way:
            least += (seat == state.asked) - (seat == state.scarab)
        if _is_keeping(state, seat):
            least += 1
        if len(hand) + (live is not None) < least:
            yield "a seat has too few cards"


def _is_keeping(state: State, seat: int) -> bool:
    power = state.power
    return power is not None and power.seat == seat and power.question is Question.KEEP


def _block_faults(state: State) -> Iterator[str]:
    """Each seat names one, a silenced one none, and one more in the turn of a Bodyguard's power."""
    if state.phase in (Phase.RECRUIT, Phase.PASS, Phase.PLAY) and state.blocked:
        yield "characters are blocked before the block phase"
    named = [entry.character for entry in state.blocked]
    if len(set(named)) < len(named):
        yield "a character is blocked twice"
    by = [entry.seat for entry in state.blocked]
    for seat, acted in enumerate(state.acted):
        if state.phase is Phase.BLOCK:
            most = 0 if state.silence is not None and state.silence.seat == seat else 1
        else:
            most = 2 if acted is Acted.ACTIVATED else 1
        if by.count(seat) > most:
            yield "too many blocks"


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
    elif state.sneak != NOBODY and not _was_given_now(state, state.sneak):
        yield "the Sneak token was not placed"
    if state.silence is None:
        return
    if state.silence.seat == state.silence.creditor:
        yield "a seat owes itself"
    if state.phase is not Phase.BLOCK and not _was_given_now(state, state.silence.creditor):
        yield "a silence has outlived the block phase"


def _was_given_now(state: State, seat: int) -> bool:
    """False if a token that `seat` took or gave is still out from the act phase before."""
    return state.phase not in (Phase.BLOCK, Phase.ACT) or state.acted[seat] is Acted.ACTIVATED
