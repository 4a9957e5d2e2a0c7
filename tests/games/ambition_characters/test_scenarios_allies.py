"""Scenarios: Courtesan, Hierophant, alliances, Huntsman, King, Knight.

The notation is explained in `build.py`.
"""

from games.core.game import SPECTATOR
from tests.games.ambition_characters.build import given


def test_sc_27_one_alliance_must_be_broken() -> None:
    """One alliance must be broken (F:Courtesan 1; AC-131, AC-132)."""
    play = given(
        "act; coins 0,2,1; S0 [COURTESAN] ACTOR; S1 [MERCHANT] PRINCESS; S2 [KNIGHT] MADMAN; "
        "down WIZARD; allied KING+SPY, THIEF+WITCH"
    )
    play.then("offers 0 {decline, COURTESAN/steal}")
    play.when("not 0 activate COURTESAN skip break; 0 activate COURTESAN")
    play.then("asked 0 steal; offers 0 {1, 2}")
    play.when("0 steal 1")
    play.then("coins 1,1,1; asked 0 break_alliance; offers 0 {KING+SPY, THIEF+WITCH}")
    play.when("0 break_alliance KING+SPY")
    play.then("alliances THIEF+WITCH; asked 1 act")


def test_sc_28_no_alliance_still_a_coin() -> None:
    """No alliance: still a coin (F:Courtesan 2; AC-130, AC-56).

    Seat 1 is the only seat with coins, so the theft is applied without asking.
    """
    play = given(
        "act; coins 0,2,0; S0 [COURTESAN] ACTOR; S1 [MERCHANT] PRINCESS; S2 [KNIGHT] MADMAN; "
        "down WIZARD"
    )
    play.when("0 activate COURTESAN")
    play.then("coins 1,1,0; asked 1 act")


def test_sc_29_allies_need_not_be_in_play() -> None:
    """Allies need not be in play (F:Hierophant 1, 3; AC-140…142, AC-144).

    HUNTSMAN is in the deck, WIZARD is set aside.
    """
    play = given(
        "act; S0 [HIEROPHANT] ACTOR; S1 [MERCHANT] PRINCESS; S2 [KNIGHT] MADMAN; dead KING; "
        "down WIZARD; allied SPY+THIEF"
    )
    play.when(
        "0 activate HIEROPHANT; not 0 ally HIEROPHANT+WITCH; not 0 ally KING+WITCH; "
        "0 ally HUNTSMAN+WIZARD"
    )
    play.then("coins 1,0,0; alliances SPY+THIEF, HUNTSMAN+WIZARD; asked 1 act")


def test_sc_30_no_third_partner() -> None:
    """No third partner (F:Hierophant 2; AC-67…69, AC-141).

    The new alliance serves seat 2 in the same round. KNIGHT has no skippable part here because
    seat 2 has no coin.
    """
    play = given(
        "act; S0 [HIEROPHANT] ACTOR; S1 [MERCHANT] PRINCESS; S2 [KNIGHT] MADMAN; "
        "down WIZARD; allied SPY+THIEF"
    )
    play.when(
        "0 activate HIEROPHANT; not 0 ally SPY+WITCH; not 0 ally THIEF+KING; 0 ally KNIGHT+KING"
    )
    play.then("alliances SPY+THIEF, KING+KNIGHT; asked 1 act")
    play.when("1 decline")
    play.then("offers 2 {decline, KNIGHT, KING/coins}")


def test_sc_31_a_blocked_ally_does_not_matter() -> None:
    """A blocked ally does not matter (F:Hierophant 4; AC-43, AC-70)."""
    play = given(
        "act; S0 [KING] ACTOR; S1 [SPY] PRINCESS; S2 [KNIGHT] MADMAN; down WIZARD; "
        "allied KING+SPY; blocked SPY"
    )
    play.then("offers 0 {decline, KING/coins, SPY/coin/sneak}")
    play.when("0 activate SPY")
    play.then("coins 1,0,0; sneak pending 0; asked 1 act; offers 1 {decline}")


def test_sc_32_huntsman_with_and_without_the_scarab() -> None:
    """Huntsman with and without the scarab (AC-47, AC-150).

    Seat 1 borrows the Huntsman's power without holding the scarab and gets nothing.
    """
    play = given(
        "act; S0 [HUNTSMAN] ACTOR; S1 [KING] PRINCESS; S2 [KNIGHT] MADMAN; down WIZARD; "
        "allied HUNTSMAN+KING"
    )
    play.when("0 activate HUNTSMAN; 1 activate HUNTSMAN")
    play.then("coins 3,0,0; asked 2 act")


def test_sc_33_king() -> None:
    """King (AC-160)."""
    play = given(
        "act; coins 1,0,0; S0 [KING] ACTOR; S1 [SPY] PRINCESS; S2 [KNIGHT] MADMAN; down WIZARD"
    )
    play.when("0 activate KING")
    play.then("coins 4,0,0; supply 41; asked 1 act")


def test_sc_34_knight_hires_for_a_coin() -> None:
    """Knight hires for a coin (AC-165, AC-166).

    Others see the coin go and a card drawn, not which.
    """
    play = given(
        "act; coins 2,0,0; S0 [KNIGHT] ACTOR; S1 [SPY] PRINCESS; S2 [KING] MADMAN; down WIZARD"
    )
    play.then("offers 0 {decline, KNIGHT/hire}")
    play.when("0 activate KNIGHT")
    play.then("coins 1,0,0; hand 0 ACTOR, ASSASSIN; sizes 3,2,2; asked 1 act")
    for viewer in (1, 2, SPECTATOR):
        seat = play.view(viewer).seats[0]
        assert (seat.coins, seat.hand_count, seat.hand) == (1, 2, None)


def test_sc_35_knight_in_the_basic_late_game() -> None:
    """Knight in the basic late game (F:Knight 1; AC-64, AC-167)."""
    play = given(
        "base; act; coins 2,0,0; S0 [KNIGHT] ACTOR; S1 [SPY] PRINCESS; S2 [KING] MADMAN; "
        "down WITCH; dead rest"
    )
    play.then("offers 0 {decline, KNIGHT}")
    play.when("0 activate KNIGHT")
    play.then("coins 3,0,0; sizes 2,2,2")


def test_sc_36_knight_in_the_late_game_with_strange_allies() -> None:
    """Knight in the late game with Strange Allies (F:Knight 1; AC-65, AC-200)."""
    play = given("pass; S0 KNIGHT, KING; S1 THIEF, WITCH; S2 ACTOR, SPY; down WIZARD; dead rest")
    play.when("0 pass_card KNIGHT; 1 pass_card KNIGHT; 2 pass_card KNIGHT")
    play.then("coins 3,0,0; hand 0 KING, KNIGHT; asked all choose_live")
    play.when(
        "0 choose_live KNIGHT; 1 choose_live THIEF; 2 choose_live SPY; 2 block KING; "
        "1 block ACTOR; 0 block WITCH; 0 activate KNIGHT"
    )
    play.then("coins 3,0,0; asked 1 act")
