"""Scenarios: Madman, Merchant, Princess, Seeress, Spy.

The notation is explained in `build.py`.
"""

from games.ambition_characters import GAME
from games.ambition_characters.view import LiveCard, SneakView
from games.core.game import SPECTATOR, Seen
from tests.games.ambition_characters.build import Play, given


def test_sc_37_the_madman_evens_out_the_hands() -> None:
    """The Madman evens out the hands (F:Madman 1, 2; AC-170…175).

    Seat 1 deals, beginning at its left: seats 2, 0, 1, 2, 0, 1, 2, 0. Seat 2 never acted. Before
    the passing of round 6 the first seat 1 has one coin, so seat 2 is the first that can recruit.
    """
    play = given(
        "act; coins 0,0,2; S0 [KING] SPY, ACTOR, PRINCESS; S1 [MADMAN] THIEF; "
        "S2 [WITCH] KNIGHT; down WIZARD; allied KING+SPY"
    )
    play.when("0 decline; 1 activate MADMAN ~ ACTOR,KING,KNIGHT,MADMAN,PRINCESS,SPY,THIEF,WITCH")
    play.then(
        "coins 0,1,2; scarab 1; round 6; hand 2 ACTOR, MADMAN, THIEF; "
        "hand 0 KING, PRINCESS, WITCH; hand 1 KNIGHT, SPY; alliances KING+SPY; deck size 7; "
        "asked 2 recruit"
    )


def test_sc_38_the_madman_without_ending_the_round() -> None:
    """The Madman without ending the round (AC-46, R-08)."""
    play = given("act; S0 [MADMAN] SPY; S1 [KING] THIEF; S2 [WITCH] KNIGHT; down WIZARD")
    play.when("0 activate MADMAN skip end_round; 1 activate KING")
    play.then("coins 1,3,0; scarab 0; asked 2 act")


def test_sc_39_the_merchant_counts_himself() -> None:
    """The Merchant counts himself (F:Merchant 1; AC-180, AC-181).

    Two cards were activated. The payout comes before the upkeep, so seat 0 can recruit in round
    6; seats 1 and 2 (asked earlier in the order 1, 2, 0) cannot pay.
    """
    play = given("act; S0 [MERCHANT] KING; S1 [THIEF] WITCH; S2 [SPY] MADMAN; down WIZARD")
    play.when("0 activate MERCHANT; 1 decline; 2 activate SPY")
    play.then("coins 2,0,1; round 6; scarab 1; asked 0 recruit")


def test_sc_40_the_merchant_alone_earns_one() -> None:
    """The Merchant alone earns one (F:Merchant 1)."""
    play = given("act; S0 [MERCHANT] KING; S1 [THIEF] WITCH; S2 [SPY] MADMAN; down WIZARD")
    play.when("0 activate MERCHANT")
    play.then("coins 0,0,0; asked 1 act")
    play.when("1 decline; 2 decline")
    play.then("coins 1,0,0; round 6; scarab 1; asked 1 pass_card")


def test_sc_41_the_merchant_is_killed_before_payday() -> None:
    """The Merchant is killed before payday (F:Merchant 2; AC-183)."""
    play = given("act; S0 [MERCHANT] KING; S1 [ASSASSIN] WITCH; S2 [SPY] MADMAN; down WIZARD")
    play.when("0 activate MERCHANT; 1 activate ASSASSIN; 1 name_victim MERCHANT; 2 decline")
    play.then("coins 0,1,0; dead MERCHANT; hand 0 KING, ACTOR; round 6; asked 1 pass_card")


def test_sc_42_the_madman_cancels_the_payout() -> None:
    """The Madman cancels the payout (AC-171, AC-182)."""
    play = given("act; S0 [MERCHANT] KING; S1 [MADMAN] WITCH; S2 [SPY] THIEF; down WIZARD")
    play.when("0 activate MERCHANT; 1 activate MADMAN ~ KING,MADMAN,MERCHANT,SPY,THIEF,WITCH")
    play.then(
        "coins 0,1,0; scarab 1; round 6; hand 2 KING, SPY; hand 0 MADMAN, THIEF; "
        "hand 1 MERCHANT, WITCH; asked 1 pass_card"
    )


def test_sc_43_princess_at_8_against_9_and_9() -> None:
    """Princess at 8 against 9 and 9 (F:Princess 1; AC-190, AC-192)."""
    play = given(
        "act; coins 8,9,9; S0 [PRINCESS] KING; S1 [THIEF] WITCH; S2 [SPY] MADMAN; down WIZARD"
    )
    play.when("0 activate PRINCESS")
    play.then("over 0; coins 10,9,9")


def test_sc_44_a_guest_of_the_princess_wins() -> None:
    """A guest of the Princess wins (AC-191, AC-193)."""
    play = given(
        "act; coins 3,9,0; S0 [PRINCESS] KING; S1 [THIEF] WITCH; S2 [SPY] MADMAN; down WIZARD"
    )
    play.when("0 activate PRINCESS; 0 gift 1")
    play.then("coins 5,9,0; asked 1 accept; offers 1 {accept, refuse}")
    play.when("1 accept")
    play.then("over 1; coins 5,10,0")


def test_sc_45_a_guest_refuses() -> None:
    """A guest refuses (AC-191, R-23)."""
    play = given(
        "act; coins 3,0,0; S0 [PRINCESS] KING; S1 [THIEF] WITCH; S2 [SPY] MADMAN; down WIZARD"
    )
    play.when("0 activate PRINCESS skip coins; 0 gift 2; 2 refuse")
    play.then("coins 3,0,0; asked 1 act")


def test_sc_46_she_comes_back_coins_and_a_free_choice_of_live_card() -> None:
    """She comes back: coins, and a free choice of live card (F:Seeress 3; AC-200…202).

    Everybody sees that seat 0 got the Seeress back and 3 coins; from this it is public that she
    is in seat 0's hand.
    """
    play = given("pass; coins 1,0,0; S0 SEERESS, KING; S1 THIEF, WITCH; S2 ACTOR, SPY; down WIZARD")
    play.when("0 pass_card SEERESS; 1 pass_card SEERESS; 2 pass_card SEERESS")
    passed = {"type": "pass_card", "card": "SEERESS"}
    for viewer in (0, 1, 2, SPECTATOR):
        assert play.seen(viewer) == Seen(passed, ((0, passed),))
    play.then(
        "coins 4,0,0; supply 41; hand 0 KING, SEERESS; asked all choose_live; "
        "offers 0 {KING, SEERESS}"
    )


def test_sc_47_she_comes_back_in_the_wrong_round() -> None:
    """She comes back in the wrong round (F:Seeress 1; AC-201).

    Seat 0 had passed the Seeress as first seat in the round before. Neither it nor the present
    first seat 1 gets anything, and nothing is shown.
    """
    play = given("pass; scarab 1; S0 KING, ACTOR; S1 SEERESS, THIEF; S2 WITCH, SPY; down WIZARD")
    play.when("1 pass_card SEERESS; 2 pass_card SEERESS; 0 pass_card KING")
    assert play.seen(SPECTATOR) == Seen({"type": "pass_card", "card": None})
    assert play.seen(0, back=2) == Seen({"type": "pass_card", "card": "SEERESS"})
    play.then("coins 0,0,0; hand 0 ACTOR, SEERESS; hand 1 KING, THIEF; asked all choose_live")


def test_sc_48_killing_one_s_own_seeress() -> None:
    """Killing one's own Seeress (F:Seeress 2; AC-117)."""
    play = given(
        "act; coins 2,0,0; S0 [ASSASSIN] SEERESS; S1 [THIEF] WITCH; S2 [SPY] MADMAN; down WIZARD"
    )
    play.when("0 activate ASSASSIN; 0 name_victim SEERESS")
    play.then("coins 3,0,0; dead SEERESS; hand 0 ACTOR; asked 1 act")


def test_sc_49_killing_somebody_else_s_seeress() -> None:
    """Killing somebody else's Seeress (AC-117)."""
    play = given(
        "act; coins 0,2,0; S0 [ASSASSIN] KING; S1 [SEERESS] WITCH; S2 [SPY] MADMAN; down WIZARD"
    )
    play.when("0 activate ASSASSIN; 0 name_victim SEERESS")
    play.then("coins 2,1,0; supply 42; dead SEERESS; live 1 none; asked 2 act")


def test_sc_50_her_holder_is_penniless() -> None:
    """Her holder is penniless (AC-06, AC-117)."""
    play = given(
        "act; coins 0,0,4; S0 [ASSASSIN] KING; S1 [THIEF] SEERESS; S2 [SPY] MADMAN; down WIZARD"
    )
    play.when("0 activate ASSASSIN; 0 name_victim SEERESS")
    play.then("coins 1,0,4; dead SEERESS; asked 1 act")


def test_sc_51_activated_she_does_nothing_unless_allied() -> None:
    """Activated, she does nothing, unless allied (AC-203, AC-71, AC-74).

    Seat 1 chose the Seeress's empty power for its King; it still counts as activated.
    """
    play = given(
        "act; S0 [SEERESS] ACTOR; S1 [KING] WITCH; S2 [SPY] MADMAN; down WIZARD; "
        "allied KING+SEERESS"
    )
    play.then("offers 0 {decline, SEERESS, KING/coins}")
    play.when("0 activate KING; 1 activate SEERESS")
    play.then("coins 3,0,0; asked 2 act")


def test_sc_52_the_token_must_be_used_next_round_not_on_the_spy_and_opens_a_blocked_card() -> None:
    """The token must be used next round, not on the Spy, and opens a blocked card (F:Spy 1; AC-31,
    AC-32, AC-43, AC-84, AC-85).

    The token on seat 0's face-down live card is seen by all; that seat 0 was not offered the Spy
    is not.
    """
    play = given(
        "play; sneak pending 0; S0 KING, SPY, ACTOR; S1 THIEF, WITCH; S2 MADMAN, KNIGHT; "
        "down WIZARD"
    )
    play.then("offers 0 {KING, ACTOR}")
    play.when(
        "not 0 choose_live SPY; 0 choose_live KING; 1 choose_live THIEF; 2 choose_live KNIGHT"
    )
    play.then("sneak on 0; asked 2 block")
    for viewer in (1, 2, SPECTATOR):
        view = play.view(viewer)
        assert view.sneak == SneakView(seat=0, placed=True)
        assert view.seats[0].live == LiveCard(face_up=False, card=None)
    play.when("2 block KING; 1 block ACTOR; 0 block WITCH")
    play.then("offers 0 {decline, KING/coins}")
    play.when("0 activate KING")
    play.then("coins 3,0,0; sneak supply; asked 1 act")
    other = given(
        "play; sneak pending 0; S0 KING, HUNTSMAN, ACTOR; S1 THIEF, WITCH; S2 MADMAN, KNIGHT; "
        "down WIZARD"
    )
    other.then("offers 0 {ACTOR, HUNTSMAN, KING}")
    other.when("0 choose_live KING; 1 choose_live THIEF; 2 choose_live KNIGHT")
    other.when("2 block KING; 1 block ACTOR; 0 block WITCH; 0 activate KING")
    for mine, theirs in zip(play.steps, other.steps, strict=True):
        for viewer in (1, 2, SPECTATOR):
            assert Play(mine[0]).view(viewer) == Play(theirs[0]).view(viewer)
            assert GAME.redact(*mine, viewer) == GAME.redact(*theirs, viewer)
            assert Play(mine[0]).told(viewer) == Play(theirs[0]).told(viewer)


def test_sc_53_declining_wastes_the_token() -> None:
    """Declining wastes the token (F:Spy 1; AC-85, AC-212)."""
    play = given(
        "act; sneak on 0; S0 [KING] SPY; S1 [THIEF] WITCH; S2 [MADMAN] KNIGHT; down WIZARD"
    )
    play.when("0 decline")
    play.then("sneak supply; asked 1 act")


def test_sc_54_another_spy_takes_it_first() -> None:
    """Another Spy takes it first (F:Spy 2; AC-83, AC-87)."""
    play = given(
        "act; sneak on 1; S0 [SPY] ACTOR; S1 [KING] WITCH; S2 [MADMAN] KNIGHT; down WIZARD; "
        "blocked KING"
    )
    play.when("0 activate SPY")
    play.then("coins 1,0,0; sneak pending 0; asked 1 act; offers 1 {decline}")


def test_sc_55_two_spies_in_one_round() -> None:
    """Two spies in one round (F:Spy 2; AC-83, AC-210, AC-211)."""
    play = given(
        "act; S0 [SPY] ACTOR; S1 [KING] WITCH; S2 [MADMAN] KNIGHT; down WIZARD; allied KING+SPY"
    )
    play.when("0 activate SPY; 1 activate SPY")
    play.then("coins 1,1,0; sneak pending 1; asked 2 act")
