"""The switch over the phases, where a rewind may aim, and how long a match may last."""

from typing import assert_never

from games.ave_cesar import acting, drafting, scoring, setting_up
from games.ave_cesar.characters import Character
from games.ave_cesar.deck import Deck
from games.ave_cesar.moves import (
    DiscardCharacter,
    DrawCharacters,
    Keep,
    Move,
    Pick,
    ShuffleCharacters,
    ShuffleDeck,
)
from games.ave_cesar.state import Options, Phase, State
from games.core.game import Seat, Turn

# The most decisions that a character adds in a round to those of its holder's pick and plain turn;
# a second building of the Architect comes with those of its effects.
ADDED = {
    Character.ASSASSIN: 1,
    Character.SPY: 2,
    Character.PHILOSOPHER: 2,
    Character.PROCURATOR: 1,
    Character.ARCHITECT: 4,
    Character.CENTURION: 3,
    Character.SENATOR: 1,
    Character.FARMER: 1,
}
PLAIN_TURN = 3  # the token, a building and its payment; or the token and the end of the phase


def turn(deck: Deck, state: State) -> Turn:
    match state.phase:
        case Phase.CONSTRUCTION:
            return acting.turn(deck, state)
        case Phase.DRAFT:
            return drafting.turn(state)
        case Phase.SETUP:
            return setting_up.turn(deck, state)
        case Phase.OVER:
            return scoring.over(deck, state)
    assert_never(state.phase)


def apply(deck: Deck, state: State, seat: Seat, move: Move) -> State:
    match move:
        case Pick() | DiscardCharacter() | ShuffleCharacters():
            return acting.advanced(deck, drafting.apply(state, seat, move))
        case Keep() | DrawCharacters() | ShuffleDeck():
            return setting_up.apply(deck, state, seat, move)
    return acting.apply(deck, state, seat, move)


def boundary(state: State) -> str:
    """Rules: AV-212."""
    return "setup" if state.phase is Phase.SETUP else f"round {state.round}"


def bound(deck: Deck, options: Options, seats: int) -> int | None:
    """Every seat keeps cards once; in a round it picks, and takes at most one turn.

    What is not used costs an `end_phase`, which is never more than what its use would have cost.
    """
    if options.round_limit is None:
        return None
    added = {**ADDED, Character.ARCHITECT: ADDED[Character.ARCHITECT] + deck.questions}
    best = sum(sorted(added.values(), reverse=True)[:seats])
    discards = 3 if seats == 4 else 0
    a_round = seats * (1 + PLAIN_TURN + deck.questions) + discards + best
    return seats + options.round_limit * a_round
