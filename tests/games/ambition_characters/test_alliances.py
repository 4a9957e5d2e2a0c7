"""Alliances: Courtesan, Hierophant, and borrowed powers."""

from tests.games.ambition_characters.build import given


def test_ac_67_an_alliance_is_an_unordered_pair_and_each_character_is_in_one_at_most() -> None:
    play = given("act; S0 [HIEROPHANT] KING; S1 [THIEF] WITCH; S2 [SPY] MADMAN; allied ACTOR+WITCH")
    play.when("0 activate HIEROPHANT")
    play.then("lacks 0 ACTOR, WITCH, HIEROPHANT")
    play.when("0 ally THIEF+KING")
    play.then("alliances ACTOR+WITCH, KING+THIEF")
    assert play.state.alliances == ("ACTOR+WITCH", "KING+THIEF")


def test_ac_68_an_activated_card_may_use_its_allys_power_instead_never_both() -> None:
    play = given("act; S0 [KING] ACTOR; S1 [THIEF] WITCH; S2 [SPY] MADMAN; allied KING+SPY")
    play.then("offers 0 {decline, KING/coins, SPY/coin/sneak}")
    play.when("not 0 activate SPY skip coins; 0 activate SPY")
    play.then("coins 1,0,0; sneak pending 0")


def test_ac_69_an_alliance_serves_every_seat_as_long_as_it_stands() -> None:
    play = given("act; S0 [HIEROPHANT] ACTOR; S1 [KING] WITCH; S2 [SPY] MADMAN")
    play.when("0 activate HIEROPHANT; 0 ally KING+SPY")
    play.then("offers 1 {decline, KING/coins, SPY/coin/sneak}")
    play.when("1 decline")
    play.then("offers 2 {decline, SPY/coin/sneak, KING/coins}")


def test_ac_70_neither_the_allys_place_nor_its_block_matters() -> None:
    play = given(
        "act; S0 [KING] ACTOR; S1 [THIEF] WITCH; S2 [SPY] MADMAN; "
        "allied KING+WIZARD, KNIGHT+THIEF; blocked WIZARD, THIEF; down WIZARD"
    )
    play.then("offers 0 {decline, KING/coins, WIZARD}")
    play.when("0 decline")
    play.then("offers 1 {decline}")


def test_ac_71_pass_phase_powers_are_never_borrowed() -> None:
    play = given("pass; allied KING+SEERESS; S0 KING, ACTOR; S1 THIEF, WITCH; S2 SPY, MADMAN")
    play.when("0 pass_card KING; 1 pass_card KING; 2 pass_card KING")
    play.then("coins 0,0,0; asked all choose_live")


def test_ac_72_in_a_borrowed_power_the_activated_card_stands_for_the_powers_own() -> None:
    play = given(
        "act; allied ACTOR+KING; S0 [KING] SPY; S1 [THIEF] WITCH; S2 [HUNTSMAN] MADMAN; "
        "down ACTOR; deck KNIGHT; dead rest"
    )
    play.when("0 activate ACTOR")
    play.then("coins 1,0,0; offers 0 {KING, KNIGHT}; live 0 none")
    play.when("0 keep KNIGHT")
    play.then("hand 0 KNIGHT, SPY; deck KING")


def test_ac_73_an_alliance_ends_with_the_courtesan_or_with_a_member() -> None:
    play = given(
        "act; allied ACTOR+KING, THIEF+WITCH; S0 [COURTESAN] SPY; S1 [ASSASSIN] WITCH; "
        "S2 [HUNTSMAN] MADMAN"
    )
    play.when("0 activate COURTESAN; 0 break_alliance ACTOR+KING")
    play.then("alliances THIEF+WITCH")
    play.when("1 activate ASSASSIN; 1 name_victim WITCH")
    play.then("alliances none")


def test_ac_74_borrowing_from_the_knight_gives_his_power_of_that_moment() -> None:
    text = (
        "act; coins 1,0,0; allied KING+KNIGHT; S0 [KING] SPY; S1 [THIEF] KNIGHT; "
        "S2 [HUNTSMAN] MADMAN; down ACTOR; dead rest"
    )
    early = given(f"{text}; deck WITCH")
    early.then("offers 0 {decline, KING/coins, KNIGHT/hire}")
    early.when("0 activate KNIGHT")
    early.then("coins 0,0,0; hand 0 SPY, WITCH; deck size 0")
    late = given(text)
    late.then("offers 0 {decline, KING/coins, KNIGHT}")
    late.when("0 activate KNIGHT")
    late.then("coins 1,0,0; sizes 2,2,2; asked 1 act")


def test_ac_74_borrowing_from_the_seeress_gives_nothing_at_any_moment() -> None:
    text = (
        "act; allied KING+SEERESS; S0 [KING] SPY; S1 [THIEF] SEERESS; S2 [HUNTSMAN] MADMAN; "
        "down ACTOR; dead rest"
    )
    for play in (given(text), given(f"{text}; deck WITCH")):
        play.then("offers 0 {decline, KING/coins, SEERESS}")
        play.when("0 activate SEERESS")
        play.then("coins 0,0,0; sizes 2,2,2; asked 1 act")


def test_ac_130_the_courtesan_steals_one_coin_with_or_without_alliances() -> None:
    play = given("act; coins 0,1,1; S0 [COURTESAN] SPY; S1 [THIEF] WITCH; S2 [HUNTSMAN] MADMAN")
    play.when("0 activate COURTESAN")
    play.then("offers 0 {1, 2}")
    play.when("0 steal 2")
    play.then("coins 1,1,0; asked 1 act")


def test_ac_131_one_alliance_must_be_broken_if_there_is_one() -> None:
    play = given(
        "act; allied ACTOR+KING, THIEF+WITCH; S0 [COURTESAN] SPY; S1 [THIEF] WITCH; "
        "S2 [HUNTSMAN] MADMAN"
    )
    play.when("not 0 activate COURTESAN skip break; 0 activate COURTESAN")
    play.then("asked 0 break_alliance; offers 0 {ACTOR+KING, THIEF+WITCH}")


def test_ac_132_the_coin_is_stolen_first() -> None:
    play = given(
        "act; coins 9,1,1; allied ACTOR+KING, THIEF+WITCH; S0 [COURTESAN] SPY; "
        "S1 [THIEF] WITCH; S2 [HUNTSMAN] MADMAN"
    )
    play.when("0 activate COURTESAN; 0 steal 1")
    play.then("over 0; alliances ACTOR+KING, THIEF+WITCH")


def test_ac_140_the_hierophants_coin_part_gives_1() -> None:
    play = given("act; S0 [HIEROPHANT] SPY; S1 [THIEF] WITCH; S2 [HUNTSMAN] MADMAN")
    play.when("0 activate HIEROPHANT skip ally")
    play.then("coins 1,0,0; alliances none; asked 1 act")


def test_ac_141_neither_ally_may_be_removed_allied_or_the_hierophant() -> None:
    play = given(
        "act; dead KING; allied ACTOR+SPY; S0 [HIEROPHANT] KNIGHT; S1 [THIEF] WITCH; "
        "S2 [HUNTSMAN] MADMAN"
    )
    play.when(
        "0 activate HIEROPHANT; not 0 ally KING+WITCH; not 0 ally ACTOR+WITCH; "
        "not 0 ally HIEROPHANT+WITCH"
    )
    play.when("not 0 ally WITCH+WITCH; 0 ally WITCH+KNIGHT")
    play.then("alliances ACTOR+SPY, KNIGHT+WITCH")


def test_ac_142_characters_in_the_deck_or_set_aside_qualify() -> None:
    play = given("act; down WIZARD; S0 [HIEROPHANT] KNIGHT; S1 [THIEF] WITCH; S2 [HUNTSMAN] MADMAN")
    play.when("0 activate HIEROPHANT")
    play.then("has 0 WIZARD, ACTOR, SEERESS")


def test_ac_143_a_character_outside_the_set_does_not_qualify() -> None:
    play = given("N2; act; S0 [HIEROPHANT] KNIGHT; S1 [THIEF] WITCH")
    play.when("0 activate HIEROPHANT")
    play.then("lacks 0 SEERESS")
    play.when("not 0 ally SEERESS+WITCH")


def test_ac_144_any_number_of_alliances_may_stand() -> None:
    play = given(
        "act; allied ACTOR+SPY, KING+KNIGHT; S0 [HIEROPHANT] PRINCESS; S1 [THIEF] WITCH; "
        "S2 [HUNTSMAN] MADMAN"
    )
    play.when("0 activate HIEROPHANT; 0 ally THIEF+WITCH")
    play.then("alliances ACTOR+SPY, KING+KNIGHT, THIEF+WITCH")
