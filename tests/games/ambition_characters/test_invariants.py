"""The invariants: a position that no line of play reaches is told from one that some do."""

import pytest
from msgspec.structs import replace

from games.ambition_characters import GAME
from games.ambition_characters.characters import Character
from games.ambition_characters.state import Blocked, Silenced, State
from tests.games.ambition_characters.build import given

BLOCK = "block; S0 [KING] SPY; S1 [THIEF] WITCH; S2 [ACTOR] MADMAN"
ACT = "act; S0 [BODYGUARD] SPY; S1 [THIEF] WITCH; S2 [ACTOR] MADMAN"
PASS = "pass; S0 KING, SPY; S1 THIEF, WITCH; S2 ACTOR, MADMAN"
LATE = "KNIGHT", "MERCHANT", "PRINCESS", "WIZARD"


def blocked(state: State, *seats: int) -> State:
    named = [Blocked(Character(LATE[i]), seat) for i, seat in enumerate(seats)]
    return replace(state, blocked=tuple(named))


def test_a_seat_blocks_once_in_the_block_phase_a_silenced_one_not_at_all() -> None:
    state = given(BLOCK).state
    assert GAME.invariants(blocked(state, 2, 1)) is None
    assert GAME.invariants(blocked(state, 2, 2)) == "too many blocks"
    silenced = replace(state, silence=Silenced(1, 0))
    assert GAME.invariants(blocked(silenced, 2, 0)) is None
    assert GAME.invariants(blocked(silenced, 2, 1)) == "too many blocks"


def test_only_a_seat_that_has_activated_blocks_once_more() -> None:
    play = given(ACT)
    assert GAME.invariants(blocked(play.state, 2, 1, 0)) is None
    assert GAME.invariants(blocked(play.state, 2, 1, 0, 0)) == "too many blocks"
    play.when("0 activate BODYGUARD skip block")
    assert GAME.invariants(blocked(play.state, 2, 1, 0, 0)) is None
    assert GAME.invariants(blocked(play.state, 2, 1, 0, 1)) == "too many blocks"
    assert GAME.invariants(blocked(play.state, 2, 0, 0, 0)) == "too many blocks"


def test_a_silence_or_a_pending_token_in_the_act_phase_was_given_in_it() -> None:
    play = given(ACT)
    silenced, pending = Silenced(2, 0), {"sneak": 0, "sneak_placed": False}
    outlived = "a silence has outlived the block phase"
    assert GAME.invariants(replace(play.state, silence=silenced)) == outlived
    assert GAME.invariants(replace(play.state, **pending)) == "the Sneak token was not placed"
    play.when("0 activate BODYGUARD skip block")
    assert GAME.invariants(replace(play.state, silence=silenced)) is None
    assert GAME.invariants(replace(play.state, silence=Silenced(2, 1))) == outlived
    assert GAME.invariants(replace(play.state, **pending)) is None


@pytest.mark.parametrize("giver", [0, 1, 2])
def test_in_the_pass_phase_one_card_is_on_its_way(giver: int) -> None:
    """The first seat has one card fewer, the seat about to pass one more, the others as before."""
    play = given(PASS)
    few = "a seat has too few cards"
    assert GAME.invariants(lost(play.state, giver)) == few
    play.when("0 pass_card KING")
    assert GAME.invariants(lost(play.state, giver)) == few
    play.when("1 pass_card KING")
    assert GAME.invariants(lost(play.state, giver)) == few


def lost(state: State, seat: int) -> State:
    """The state without the last card of a seat, which goes under the deck."""
    *kept, card = state.hands[seat]
    hands = (*state.hands[:seat], tuple(kept), *state.hands[seat + 1 :])
    return replace(state, hands=hands, deck=(*state.deck, card))


def test_the_first_card_passed_is_noted_while_the_chain_runs_and_not_after() -> None:
    play = given(PASS).when("0 pass_card KING")
    fault = "the first card passed is known outside the pass phase, or is not in it"
    assert GAME.invariants(replace(play.state, first_passed=None)) == fault
    play.when("1 pass_card KING; 2 pass_card KING")
    assert GAME.invariants(replace(play.state, first_passed=Character.KING)) == fault


def test_a_seat_that_keeps_a_card_has_one_more() -> None:
    play = given("act; S0 [ACTOR] KING; S1 [THIEF] WITCH; S2 [SPY] MADMAN")
    play.when("0 activate ACTOR")
    assert GAME.invariants(lost(play.state, 0)) == "a seat has too few cards"
