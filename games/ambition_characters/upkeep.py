"""The end of a round: payouts and upkeep, or the Madman's gathering."""

from msgspec.structs import replace

from games.ambition_characters.characters import Character
from games.ambition_characters.state import (
    NOBODY,
    Acted,
    Ending,
    Phase,
    State,
    clockwise,
    gain,
    left_of,
    with_card,
)


def finish_round(state: State) -> State:
    """After the last turn of the act phase. Rules: AC-08, AC-50, AC-53."""
    for payout in state.payouts:
        state = gain(state, payout.seat, state.activated_count)
        if state.ending:
            return state
    if is_last_round(state):
        return out_of_rounds(state)
    return _next_round(state, taken_back(state))


def taken_back(state: State) -> tuple[tuple[Character, ...], ...]:
    """The hands with the live cards in them, face up or not."""
    return tuple(
        hand if live is None else with_card(hand, live)
        for hand, live in zip(state.hands, state.live, strict=True)
    )


def gathered(state: State) -> tuple[Character, ...]:
    """All cards of all seats, in alphabetical order. Rules: AC-172."""
    return tuple(sorted(card for hand in taken_back(state) for card in hand))


def redealt(state: State, seat: int, order: tuple[Character, ...]) -> State:
    """The Madman's round ends; `seat` used the power. Rules: AC-172 to AC-175."""
    hands = list(state.hands)
    count = len(hands)
    for place, each in enumerate(clockwise(state, left_of(state, seat))):
        hands[each] = tuple(sorted(order[place::count]))
    return _next_round(state, tuple(hands))


def is_last_round(state: State) -> bool:
    return state.round == state.options.round_limit


def out_of_rounds(state: State) -> State:
    return replace(state, ending=Ending.ROUND_LIMIT)


def _next_round(state: State, hands: tuple[tuple[Character, ...], ...]) -> State:
    """Rules: AC-54, AC-55, AC-86, AC-88."""
    count = len(hands)
    return replace(
        state,
        phase=Phase.RECRUIT,
        asked=NOBODY,
        round=state.round + 1,
        scarab=left_of(state, state.scarab),
        hands=hands,
        live=(None,) * count,
        face_up=(False,) * count,
        acted=(Acted.NOT_YET,) * count,
        blocked=(),
        sneak=NOBODY if state.sneak_placed else state.sneak,
        sneak_placed=False,
        payouts=(),
        activated_count=0,
        power=None,
    )
