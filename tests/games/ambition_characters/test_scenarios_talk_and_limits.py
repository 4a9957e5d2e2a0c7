"""Scenarios: Thief, Witch, Wizard, table talk, options and limits.

The notation is explained in `build.py`.
"""

from games.ambition_characters import GAME
from games.core.game import SPECTATOR, Over
from tests.games.ambition_characters.build import given


def test_sc_56_the_thief_has_to_steal() -> None:
    """The Thief has to steal (F:Thief 1; AC-221, AC-222).

    One coin was all there was; with all others at 0 the activation would have had no effect.
    """
    play = given(
        "act; coins 4,0,1; S0 [THIEF] ACTOR; S1 [KING] WITCH; S2 [MADMAN] KNIGHT; down WIZARD"
    )
    play.when("not 0 activate THIEF skip steal; 0 activate THIEF")
    play.then("coins 5,0,0; asked 1 act")


def test_sc_57_one_coin_each_from_two_seats() -> None:
    """One coin each from two seats (F:Thief 2; AC-220)."""
    play = given(
        "act; coins 0,2,3; S0 [THIEF] ACTOR; S1 [KING] WITCH; S2 [MADMAN] KNIGHT; down WIZARD"
    )
    play.when("0 activate THIEF; 0 steal 2")
    play.then("coins 1,2,2; asked 0 steal; offers 0 {1, 2}")
    play.when("0 steal 1")
    play.then("coins 2,1,2; asked 1 act")


def test_sc_58_the_cursed_seat_chooses_its_new_live_card() -> None:
    """The cursed seat chooses its new live card (F:Witch 2; AC-230…233).

    Others see only that seat 1 replaced its live card. Cursing seat 2 instead (one reserve card)
    would have been carried out without asking seat 2.
    """
    play = given(
        "act; S0 [WITCH] KING; S1 [THIEF] SPY, ACTOR; S2 [MADMAN] KNIGHT; down WIZARD; "
        "blocked ACTOR"
    )
    play.when("0 activate WITCH")
    play.then("coins 1,0,0; asked 0 curse; offers 0 {1, 2}")
    play.fork().when("0 curse 2").then("live 2 KNIGHT; hand 2 MADMAN; asked 1 act")
    play.when("0 curse 1")
    play.then("asked 1 replace_live; offers 1 {SPY, ACTOR}")
    spy = play.fork().when("1 replace_live SPY")
    play.when("1 replace_live ACTOR")
    play.then("live 1 ACTOR; hand 1 SPY, THIEF; asked 1 act; offers 1 {decline}")
    for viewer in (0, 2, SPECTATOR):
        assert play.view(viewer) == spy.view(viewer)
        assert play.seen(viewer) == spy.seen(viewer)


def test_sc_59_a_silenced_witch_gets_the_coin_only() -> None:
    """A silenced Witch gets the coin only (F:Witch 1; AC-234)."""
    play = given("act; S0 [WIZARD] KING; S1 [WITCH] SPY, ACTOR; S2 [MADMAN] KNIGHT; down THIEF")
    play.when("0 activate WIZARD; 0 silence 1")
    play.then("offers 1 {decline, WITCH/coin}")
    play.when("1 activate WITCH")
    play.then("coins 0,1,0; asked 2 act")


def test_sc_60_speaking_costs_one_coin_once() -> None:
    """Speaking costs one coin, once (F:Wizard 1; AC-90…93, AC-240).

    All texts are seen by everybody; seat 1's open turn is untouched by the talk.
    """
    play = given(
        "act; coins 0,2,0; S0 [WIZARD] KING; S1 [WITCH] SPY; S2 [MADMAN] KNIGHT; down THIEF"
    )
    play.when("0 activate WIZARD; 0 silence 1; 2 speak no word; 1 speak but one")
    play.then("coins 1,1,0; silence 1->0 paid; asked 1 act")
    for viewer in (0, 1, 2, SPECTATOR):
        assert play.wire(viewer, back=2) == {"type": "speak", "text": "no word"}
        assert play.wire(viewer, back=1) == {"type": "speak", "text": "but one"}
    play.when("1 speak")
    play.then("coins 1,1,0; asked 1 act")
    for viewer in (0, 1, 2, SPECTATOR):
        assert play.wire(viewer) == {"type": "speak", "text": "words"}


def test_sc_61_paid_or_not_no_block() -> None:
    """Paid or not, no block (F:Wizard 2; AC-78, AC-79, AC-77).

    After the block phase seat 1 speaks and curses freely.
    """
    play = given(
        "play; coins 0,2,0; silence 1->0; S0 KING, WIZARD; S1 WITCH, SPY; S2 MADMAN, KNIGHT; "
        "down THIEF"
    )
    play.when("1 speak")
    play.then("coins 1,1,0; asked all choose_live")
    play.when("0 choose_live KING; 1 choose_live WITCH; 2 choose_live MADMAN; 2 block SPY")
    play.then("asked 0 block; silence 1->0 paid")
    play.when("0 block ACTOR")
    play.then("blocked SPY, ACTOR; silence none; asked 0 act")
    play.when("1 speak; 0 decline; 1 activate WITCH")
    play.then("coins 1,2,0; asked 1 curse")


def test_sc_62_the_fine_can_win_the_game() -> None:
    """The fine can win the game (AC-03, AC-92).

    Seat 0's open pass lapses.
    """
    play = given(
        "pass; coins 9,1,0; silence 1->0; S0 KING, WIZARD; S1 WITCH, SPY; S2 MADMAN, KNIGHT; "
        "down THIEF"
    )
    play.when("1 speak")
    play.then("over 0; coins 10,0,0")


def test_sc_63_without_table_talk_nobody_can_speak() -> None:
    """Without table talk nobody can speak (AC-90)."""
    play = given(
        "opt table_talk=false; pass; coins 9,1,0; silence 1->0; S0 KING, WIZARD; "
        "S1 WITCH, SPY; S2 MADMAN, KNIGHT; down THIEF"
    )
    play.when("not 1 speak")
    play.then("coins 9,1,0; asked 0 pass_card")


def test_sc_64_everything_compulsory() -> None:
    """Everything compulsory (option `optional_powers=false`)."""
    play = given(
        "opt optional_powers=false; act; coins 2,0,0; S0 [KNIGHT] ACTOR; "
        "S1 [MADMAN] PRINCESS; S2 [KING] SPY; down WIZARD"
    )
    play.then("offers 0 {decline, KNIGHT/hire}")
    play.when("0 activate KNIGHT skip hire")
    play.then("coins 2,0,0; sizes 2,2,2; offers 1 {decline, MADMAN}")
    play.when("1 decline")
    play.then("offers 2 {decline, KING/coins}")


def test_sc_65_round_limit() -> None:
    """Round limit (AC-08).

    The note of the outcome is `round_limit`.
    """
    play = given(
        "opt round_limit=5; act; turn 2; coins 4,6,6; S0 [KNIGHT] ACTOR; "
        "S1 [MADMAN] PRINCESS; S2 [KING] SPY; down WIZARD"
    )
    play.when("2 decline")
    play.then("over 1,2; coins 4,6,6; ranks 3,1,1; round 5; boundary over")
    turn = GAME.turn(play.state)
    assert isinstance(turn, Over)
    assert turn.note == "round_limit"


def test_sc_66_five_seats_one_coin_left() -> None:
    """Five seats, one coin left (AC-01, AC-05, R-29)."""
    play = given(
        "opt extended_players=true; N5; act; turn 4; coins 9,9,9,9,8; S0 [KNIGHT] ACTOR; "
        "S1 [MADMAN] PRINCESS; S2 [SPY] WITCH; S3 [THIEF] MERCHANT; S4 [KING] HUNTSMAN; "
        "down WIZARD"
    )
    play.then("supply 1")
    play.when("4 activate KING")
    play.then("running; coins 9,9,9,9,9; supply 0; round 6; scarab 1; asked 1 recruit")


def test_sc_67_two_seats_no_choice_of_guest_but_the_guest_is_asked() -> None:
    """Two seats: no choice of guest, but the guest is asked (AC-56, AC-191)."""
    play = given("N2; act; coins 3,1; S0 [PRINCESS] ACTOR; S1 [MADMAN] KING; down WIZARD")
    play.when("0 activate PRINCESS")
    play.then("coins 5,1; asked 1 accept")
    play.when("1 accept")
    play.then("coins 5,2; asked 1 act")


def test_sc_68_the_victim_draws_then_the_seeress_coin_wins() -> None:
    """The victim draws, then the Seeress coin wins (AC-04, AC-117, AC-118)."""
    play = given(
        "act; coins 8,2,0; S0 [ASSASSIN] KING; S1 [THIEF] SEERESS; S2 [SPY] MADMAN; down WIZARD"
    )
    play.when("0 activate ASSASSIN; 0 name_victim SEERESS")
    play.then("over 0; coins 10,1,0; dead SEERESS; hand 1 ACTOR; deck size 8; sizes 2,2,2")


def test_sc_69_activated_and_killed_still_counts_for_the_merchant() -> None:
    """Activated and killed still counts for the Merchant (AC-44, AC-181, AC-184)."""
    play = given("act; S0 [MERCHANT] KING; S1 [SPY] WITCH; S2 [ASSASSIN] MADMAN; down WIZARD")
    play.when(
        "0 activate MERCHANT; 1 activate SPY skip coin; 2 activate ASSASSIN skip coin; "
        "2 name_victim SPY"
    )
    play.then(
        "coins 3,0,0; dead SPY; sneak pending 1; hand 1 ACTOR, WITCH; round 6; scarab 1; "
        "asked 0 recruit"
    )


def test_sc_70_two_seats_the_seeress_cannot_be_allied_or_named() -> None:
    """Two seats: the Seeress cannot be allied or named (AC-143, R-03)."""
    play = given("N2; act; S0 [HIEROPHANT] ACTOR; S1 [ASSASSIN] KING; down WIZARD")
    play.when(
        "0 activate HIEROPHANT; not 0 ally KING+SEERESS; 0 ally KING+WIZARD; "
        "1 activate ASSASSIN; not 1 name_victim SEERESS; 1 name_victim KING"
    )
    play.then(
        "coins 1,1; dead KING; alliances none; hand 1 ASSASSIN, BODYGUARD; round 6; "
        "scarab 1; asked 1 pass_card"
    )


def test_sc_71_the_king_may_leave_his_coins() -> None:
    """The King may leave his coins (AC-46, AC-160, AC-180)."""
    play = given("act; S0 [MERCHANT] ACTOR; S1 [KING] WITCH; S2 [SPY] MADMAN; down WIZARD")
    play.when("0 activate MERCHANT; 1 activate KING skip coins")
    play.then("coins 0,0,0; asked 2 act")
    play.when("2 decline")
    play.then("coins 2,0,0; round 6; scarab 1; asked 0 recruit")


def test_sc_72_naming_a_character_that_is_dead_already() -> None:
    """Naming a character that is dead already (AC-111, AC-113, R-38)."""
    play = given(
        "act; S0 [ASSASSIN] KING; S1 [THIEF] WITCH; S2 [SPY] MADMAN; down WIZARD; dead KNIGHT"
    )
    play.when("0 activate ASSASSIN; 0 name_victim KNIGHT")
    play.then("coins 1,0,0; dead KNIGHT; deck size 8; sizes 2,2,2; asked 1 act")


def test_sc_73_a_knight_killed_before_late_game_pays_nothing() -> None:
    """A Knight killed before late game pays nothing (AC-117, AC-118, R-39).

    The draw that follows the kill begins the late game, too late for the coin.
    """
    play = given(
        "act; coins 0,2,0; S0 [ASSASSIN] KING; S1 [THIEF] KNIGHT; S2 [SPY] MADMAN; "
        "down WIZARD; deck WITCH; dead rest"
    )
    play.when("0 activate ASSASSIN; 0 name_victim KNIGHT")
    play.then("coins 1,2,0; hand 1 WITCH; deck size 0; asked 1 act")


def test_sc_74_an_absent_seat_s_hidden_choices_follow_the_stand_in_order() -> None:
    """An absent seat's hidden choices follow the stand-in order (AC-16, AC-59).

    Seat 2 may not choose the Spy, so the next in the order is taken.

    That a clock played is public; which card it took is seen as after any other move of that
    kind: a passed card by giver and receiver, a live card by its owner.
    """
    play = given(
        "pass; sneak pending 2; standin SPY,WITCH,KING; S0 KING, THIEF; S1 ACTOR, WITCH; "
        "S2 SPY, MADMAN; down WIZARD"
    )
    play.then("fallback 0 pass_card KING")
    play.when("0 pass_card KING")
    play.then("fallback 1 pass_card WITCH")
    play.when("1 pass_card WITCH")
    play.then("fallback 2 pass_card SPY")
    play.when("2 pass_card MADMAN")
    play.then("fallback 1 choose_live KING; fallback 2 choose_live WITCH")
    assert [play.wire(viewer, back=2)["card"] for viewer in (0, 1, 2, SPECTATOR)] == [
        None,
        "WITCH",
        "WITCH",
        None,
    ]


def test_sc_75_an_absent_seat_s_public_choices() -> None:
    """An absent seat's public choices (AC-59)."""
    play = given(
        "block; coins 0,3,2; S0 [PRINCESS] THIEF; S1 [COURTESAN] KING; S2 [ACTOR] WITCH; "
        "down WIZARD; dead SPY; allied KING+THIEF, HUNTSMAN+WITCH"
    )
    play.then("fallback 2 block SPY")
    play.when("2 block SPY")
    play.then("fallback 1 block ACTOR")
    play.when("1 block ACTOR; 0 block ASSASSIN")
    play.then("fallback 0 decline")
    play.when("0 activate PRINCESS")
    play.then("coins 2,3,2; fallback 0 gift 2")
    play.when("0 gift 2")
    play.then("fallback 2 refuse")
    play.when("2 accept; 1 activate COURTESAN")
    play.then("coins 2,3,3; fallback 1 steal 2")
    play.when("1 steal 2")
    play.then("coins 2,4,2; fallback 1 break_alliance HUNTSMAN+WITCH")


def test_sc_76_boundaries() -> None:
    """Boundaries (section 14.5)."""
    play = given("setup").then("boundary set-up").when("deal")
    assert [GAME.boundary(before) for before, _, _ in play.steps] == ["set-up"] * 3
    play.then("boundary round 1")
    play = given(
        "recruit; coins 2,0,0; S0 KING, SPY; S1 THIEF, WITCH; S2 ACTOR, MADMAN; down WIZARD"
    )
    play.then("boundary round 5; fallback 0 no_recruit")
    play.when("0 no_recruit; 0 pass_card KING; 1 pass_card WITCH")
    play.then("boundary round 5")
    play.when("2 pass_card ACTOR")
    play.then("boundary round 5 play")
    play.when("0 choose_live SPY; 1 choose_live KING; 2 choose_live MADMAN")
    play.then("boundary round 5 block")
    play.when("2 block KING; 1 block WITCH; 0 block THIEF")
    play.then("boundary round 5 act")
    play.when("0 decline; 1 decline; 2 decline")
    play.then("boundary round 6; scarab 1; asked 0 recruit")


def test_sc_77_a_dead_position_goes_on() -> None:
    """A dead position goes on (R-41)."""
    play = given("N2; act; S0 [COURTESAN] KNIGHT; S1 [THIEF] WIZARD; down PRINCESS")
    play.then("offers 0 {decline, COURTESAN}")
    play.when("0 activate COURTESAN; 1 activate THIEF")
    play.then("running; coins 0,0; deck size 10; round 6; scarab 1; asked 1 pass_card")
