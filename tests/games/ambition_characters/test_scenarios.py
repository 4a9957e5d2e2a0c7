"""Scenarios: set-up, recruiting, passing, live cards, blocks.

The notation is explained in `build.py`.
"""

import pytest

from games.ambition_characters import GAME
from games.ambition_characters.view import LiveCard
from games.core.game import SPECTATOR, Over, Seen
from games.core.moves import IllegalMove, take
from tests.games.ambition_characters.build import Play, cards_in, given


def test_sc_01_set_up_with_three_seats() -> None:
    """Set-up with three seats (AC-07, AC-10…14, AC-20).

    Seat 0 sees WIZARD and MADMAN, "2 cards" for the others, deck 9, set aside 1, and no names
    besides; a spectator sees counts only. Nobody is asked to recruit.
    """
    play = given("N3; first 1; setup")
    play.when(
        "deal ~ WITCH,KING,SPY,THIEF,ACTOR,WIZARD,MADMAN,KNIGHT,MERCHANT,PRINCESS,SEERESS,"
        "HUNTSMAN,HIEROPHANT,COURTESAN,BODYGUARD,ASSASSIN"
    )
    play.then(
        "down WITCH; hand 1 KING, SPY; hand 2 THIEF, ACTOR; hand 0 WIZARD, MADMAN; "
        "deck KNIGHT,MERCHANT,PRINCESS,SEERESS,HUNTSMAN,HIEROPHANT,COURTESAN,BODYGUARD,"
        "ASSASSIN; coins 0,0,0; supply 45; scarab 1; round 1; asked 1 pass_card"
    )
    assert play.view(0).seats[0].hand == ("MADMAN", "WIZARD")
    for viewer in (0, 1, 2, SPECTATOR):
        view = play.view(viewer)
        assert [seat.hand_count for seat in view.seats] == [2, 2, 2]
        assert (view.deck_count, view.set_aside_count) == (9, 1)
    for viewer in (0, 1, 2, SPECTATOR):
        view = play.view(viewer)
        assert [seat.hand is not None for seat in view.seats] == [s == viewer for s in range(3)]
        own = play.state.hands[viewer] if viewer >= 0 else ()
        assert cards_in(view) == sorted(own)
        dealt = {card for card in play.wire(viewer, back=2)["order"] if card is not None}
        assert dealt == set(own)
    assert play.wire(0, back=2)["order"] == [None] * 5 + ["WIZARD", "MADMAN"] + [None] * 9
    assert play.wire(SPECTATOR, back=2)["order"] == [None] * 16
    for viewer in (0, 1, 2, SPECTATOR):
        assert play.wire(viewer) == {"type": "stand_in", "order": [None] * 16}


def test_sc_02_base_game_with_four_seats() -> None:
    """Base game with four seats (AC-02, AC-13)."""
    play = given("N4; base; first 0; setup")
    play.when(
        "deal ~ MADMAN,ACTOR,ASSASSIN,BODYGUARD,HUNTSMAN,KING,KNIGHT,MERCHANT,PRINCESS,SPY,"
        "THIEF,WITCH"
    )
    play.then(
        "down MADMAN; hand 0 ACTOR, ASSASSIN; hand 1 BODYGUARD, HUNTSMAN; "
        "hand 2 KING, KNIGHT; hand 3 MERCHANT, PRINCESS; deck SPY,THIEF,WITCH; "
        "asked 0 pass_card"
    )


def test_sc_03_two_seats_with_strange_allies_no_seeress_anywhere() -> None:
    """Two seats with Strange Allies: no Seeress anywhere (AC-02, R-03)."""
    play = given("N2; first 0; setup")
    play.when(
        "deal ~ ACTOR,ASSASSIN,BODYGUARD,COURTESAN,HIEROPHANT,HUNTSMAN,KING,KNIGHT,MADMAN,"
        "MERCHANT,PRINCESS,SPY,THIEF,WITCH,WIZARD"
    )
    play.then("down ACTOR; hand 0 ASSASSIN, BODYGUARD; hand 1 COURTESAN, HIEROPHANT; deck size 10")
    play.when(
        "0 pass_card ASSASSIN; 1 pass_card COURTESAN; 0 choose_live COURTESAN; "
        "1 choose_live ASSASSIN"
    )
    play.then("asked 1 block; has 1 ACTOR, KING; lacks 1 SEERESS")


def test_sc_04_passing_on_the_card_just_received() -> None:
    """Passing on the card just received (AC-23…28).

    Had seat 1 passed THIEF, the views of seat 0 and of a spectator right after that move would be
    the same to the last field. Seat 2 sees that it got SPY from seat 1. Seat 0 knows only that it
    handed SPY to seat 1.
    """
    play = given("pass; S0 KING, SPY; S1 THIEF, WITCH; S2 ACTOR, MADMAN; down WIZARD")
    play.when("0 pass_card SPY")
    play.then("asked 1 pass_card; offers 1 {SPY, THIEF, WITCH}; hand 0 KING; sizes 1,3,2")
    spy, thief = play.fork().when("1 pass_card SPY"), play.fork().when("1 pass_card THIEF")
    for viewer in (0, SPECTATOR):
        assert spy.view(viewer) == thief.view(viewer)
        assert spy.wire(viewer) == thief.wire(viewer) == {"type": "pass_card", "card": None}
    assert spy.wire(2) == {"type": "pass_card", "card": "SPY"}
    play.when("not 0 pass_card KING; 1 pass_card SPY; 2 pass_card ACTOR")
    play.then("hand 0 KING, ACTOR; hand 1 THIEF, WITCH; hand 2 SPY, MADMAN; asked all choose_live")


def test_sc_05_recruiting_takes_the_last_card() -> None:
    """Recruiting takes the last card (AC-18…21).

    Seats 1 and 2 see "seat 0 paid 2 coins and drew a card"; seat 2 is not asked because the deck
    is empty, seat 1 because it has one coin. Seat 0 is not asked again although it still has 2
    coins.
    """
    play = given(
        "recruit; coins 4,1,2; S0 KING, SPY; S1 THIEF, WITCH; S2 ACTOR, MADMAN; down WIZARD; "
        "deck KNIGHT; dead rest"
    )
    play.when("0 recruit")
    play.then("coins 2,1,2; hand 0 KING, SPY, KNIGHT; deck size 0; asked 0 pass_card")
    for viewer in (1, 2, SPECTATOR):
        assert play.wire(viewer) == {"type": "recruit"}
        seat = play.view(viewer).seats[0]
        assert (seat.coins, seat.hand_count, seat.hand) == (2, 3, None)


def test_sc_06_not_recruiting_leaves_the_card_to_the_next_seat() -> None:
    """Not recruiting leaves the card to the next seat (AC-18, AC-20)."""
    play = given(
        "recruit; coins 4,1,2; S0 KING, SPY; S1 THIEF, WITCH; S2 ACTOR, MADMAN; down WIZARD; "
        "deck KNIGHT; dead rest"
    )
    play.when("0 no_recruit")
    play.then("asked 2 recruit; offers 2 {recruit, no_recruit}")
    play.when("2 recruit; 0 pass_card SPY; 1 pass_card WITCH; 2 pass_card KNIGHT")
    play.then(
        "coins 4,1,0; supply 40; hand 0 KING, KNIGHT; hand 2 ACTOR, MADMAN, WITCH; "
        "sizes 2,2,3; asked all choose_live"
    )


def test_sc_07_live_cards_are_chosen_at_once_and_for_good() -> None:
    """Live cards are chosen at once and for good (AC-29, AC-30).

    Before seat 1 has chosen, seat 1 and spectators see only that seats 0 and 2 have chosen; seat
    2's own view shows its choice MADMAN. (The facts `live 2 none` and `hand 2` describe the state
    until the choices are put into effect together.)
    """
    play = given("play; S0 KING, SPY; S1 THIEF, WITCH; S2 ACTOR, MADMAN; down WIZARD")
    play.when("2 choose_live MADMAN; not 2 choose_live ACTOR; 0 choose_live KING")
    play.then("asked 1 choose_live; live 2 none; hand 2 ACTOR, MADMAN")
    for viewer in (1, SPECTATOR):
        seats = play.view(viewer).seats
        assert [seat.has_chosen for seat in seats] == [True, False, True]
        assert [seat.choice for seat in seats] == [None, None, None]
    assert play.view(2).seats[2].choice == "MADMAN"
    assert play.wire(1) == {"type": "choose_live", "card": None}
    play.when("1 choose_live WITCH")
    play.then("live 0 KING; live 1 WITCH; live 2 MADMAN; hand 2 ACTOR; asked 2 block")


def test_sc_08_blocks_run_anticlockwise_each_name_once() -> None:
    """Blocks run anticlockwise, each name once (AC-34…37).

    Seat 3 names a removed character, seat 2 its own live card, seat 1 a card that is set aside:
    all legal.
    """
    play = given(
        "N4; block; scarab 1; S0 [KING] SPY; S1 [THIEF] WITCH; S2 [ACTOR] MADMAN; "
        "S3 [MERCHANT] KNIGHT; dead PRINCESS; down WIZARD"
    )
    play.then("asked 0 block")
    play.when("0 block THIEF; not 3 block THIEF; 3 block PRINCESS; 2 block ACTOR; 1 block WIZARD")
    play.then("blocked THIEF, PRINCESS, ACTOR, WIZARD; asked 1 act; offers 1 {decline}")


def test_sc_09_a_blocked_seat_declines_like_anybody_else() -> None:
    """A blocked seat declines like anybody else (AC-15, AC-38…42, AC-53…55, AC-57).

    The events of seat 0 (blocked) and of seat 1 (not blocked) differ in the seat number only. The
    rejected move is reported to seat 0 alone, as "not offered". Nobody else ever sees KING or
    THIEF.
    """
    play = given(
        "act; coins 1,1,1; S0 [KING] SPY; S1 [THIEF] WITCH; S2 [ACTOR] MADMAN; down WIZARD; "
        "blocked KING, PRINCESS"
    )
    play.then("asked 0 act; offers 0 {decline}")
    with pytest.raises(IllegalMove) as refused:
        take(play.decision().offers[0], {"type": "activate", "power": "KING", "skip": []})
    assert str(refused.value) == "move not offered: activate"
    play.when("not 0 activate KING; 0 decline; 1 decline")
    for viewer in (2, SPECTATOR):
        assert play.seen(viewer, back=2) == play.seen(viewer, back=1) == Seen({"type": "decline"})
        lives = [seat.live for seat in play.view(viewer).seats[:2]]
        assert lives == [LiveCard(face_up=False, card=None)] * 2
    play.then("asked 2 act; offers 2 {decline, ACTOR/coin/swap}; live 0 KING; coins 1,1,1")
    play.when("2 decline")
    play.then(
        "round 6; scarab 1; blocked none; hand 0 KING, SPY; hand 1 THIEF, WITCH; "
        "hand 2 ACTOR, MADMAN; asked 1 pass_card"
    )
    for state in [*(before for before, _, _ in play.steps), play.state]:
        for viewer, own in ((0, {"KING"}), (1, {"THIEF"}), (2, set()), (SPECTATOR, set())):
            assert set(cards_in(Play(state).view(viewer))) & {"KING", "THIEF"} == own


def test_sc_10_ten_coins_end_the_game_at_once() -> None:
    """Ten coins end the game at once (AC-03).

    Seats 1 and 2 do not act, no upkeep, the scarab stays.
    """
    play = given(
        "act; coins 7,9,9; S0 [KING] SPY; S1 [THIEF] WITCH; S2 [PRINCESS] MADMAN; down WIZARD"
    )
    play.when("0 activate KING")
    play.then("over 0; coins 10,9,9; ranks 1,2,2; supply 17; live 1 THIEF")
    turn = GAME.turn(play.state)
    assert isinstance(turn, Over)
    assert turn.note == "ten_coins"
