"""What a clock or a stand-in plays."""

from games.ave_cesar import drafting, setting_up
from games.ave_cesar.agenda import Actions, Espionage, Gift, Payment, Plot, Raid, Theft, TokenChoice
from games.ave_cesar.deck import Deck
from games.ave_cesar.effects import Demand, Peek
from games.ave_cesar.moves import Demand as DemandOf
from games.ave_cesar.moves import (
    DiscardCharacter,
    EndPhase,
    Give,
    Keep,
    KeepLooked,
    Leave,
    Move,
    NoTarget,
    Pay,
    Pick,
    PlayNormally,
    TokenSkip,
)
from games.ave_cesar.state import Phase, State, left_of
from games.core.game import Seat


def fallback(deck: Deck, state: State, seat: Seat) -> Move:
    """Rules: AV-210, AV-211."""
    match state.phase:
        case Phase.SETUP:
            return Keep(deck.sorted(state.hands[seat][: setting_up.KEPT]))
        case Phase.DRAFT:
            return _in_draft(state, seat)
    return _answer(deck, state)


def _in_draft(state: State, seat: Seat) -> Move:
    own = state.picks[seat]
    options = tuple(each for each in drafting.choices(state, seat) if each is not own)
    first = drafting.first_for_stand_in(state, options)
    return DiscardCharacter(first) if drafting.is_discarding(state) else Pick(first)


def _answer(deck: Deck, state: State) -> Move:
    match state.steps[0]:
        case Actions():
            return EndPhase()
        case Plot():
            return PlayNormally()
        case Espionage():
            return NoTarget()
        case Theft() | Raid():
            return Leave()
        case TokenChoice():
            return TokenSkip()
        case Payment():
            assert state.project is not None
            hand = state.hands[state.project.seat]
            return Pay(deck.sorted(hand[: state.project.cost]))
        case Gift(giver=giver):
            return Give(state.hands[giver][0])
        case Peek(keep=keep):
            return KeepLooked(deck.sorted(state.looked_at[:keep]))
        case Demand():
            return DemandOf(left_of(state, state.actor))
    raise AssertionError(state.steps[0])
