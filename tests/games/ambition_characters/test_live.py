"""Choosing the live cards."""

from games.ambition_characters.view import LiveCard
from tests.games.ambition_characters.build import given


def test_ac_29_all_choose_at_once_in_secret_and_for_good() -> None:
    play = given("play; S0 KING, SPY; S1 THIEF, WITCH; S2 ACTOR, MADMAN")
    play.then("asked all choose_live")
    play.when("1 choose_live WITCH; not 1 choose_live THIEF; not 1 choose_live WITCH")
    assert play.view(0).seats[1].choice is None
    assert play.wire(1) == {"type": "choose_live", "card": "WITCH"}
    assert play.wire(0) == {"type": "choose_live", "card": None}
    assert set(play.decision().offers) == {0, 2}


def test_ac_30_all_other_cards_are_the_hidden_reserve() -> None:
    play = given("play; S0 KING, SPY; S1 THIEF, WITCH, KNIGHT; S2 ACTOR, MADMAN")
    play.when("0 choose_live SPY; 1 choose_live WITCH; 2 choose_live ACTOR")
    play.then("hand 1 KNIGHT, THIEF; live 1 WITCH")
    seat = play.view(0).seats[1]
    assert (seat.hand_count, seat.hand, seat.live) == (2, None, LiveCard(False, None))


def test_ac_31_a_pending_sneak_token_is_placed_once_all_have_chosen() -> None:
    play = given("play; sneak pending 1; S0 KING, SPY; S1 THIEF, WITCH; S2 ACTOR, MADMAN")
    play.when("0 choose_live KING; 1 choose_live WITCH")
    play.then("sneak pending 1")
    play.when("2 choose_live ACTOR")
    play.then("sneak on 1; asked 2 block")


def test_ac_32_the_owner_of_a_pending_sneak_token_cannot_choose_the_spy() -> None:
    play = given("play; sneak pending 0; S0 KING, SPY; S1 THIEF, WITCH; S2 ACTOR, MADMAN")
    play.then("asked all choose_live; offers 0 {KING}")
    play.when("not 0 choose_live SPY; 0 choose_live KING")
