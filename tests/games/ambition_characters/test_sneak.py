"""The Spy and the Sneak token."""

from tests.games.ambition_characters.build import given


def test_ac_83_taking_the_token_takes_it_from_wherever_it_is() -> None:
    play = given(
        "act; sneak on 2; S0 [SPY] ACTOR; S1 [KING] WITCH; S2 [THIEF] MADMAN; allied KING+SPY"
    )
    play.when("0 activate SPY")
    play.then("sneak pending 0")
    play.when("1 activate SPY")
    play.then("sneak pending 1")


def test_ac_84_a_card_with_the_token_may_be_activated_though_blocked() -> None:
    play = given("act; sneak on 1; S0 [BODYGUARD] ACTOR; S1 [KING] WITCH; S2 [THIEF] MADMAN")
    play.when("0 activate BODYGUARD; 0 name_block KING")
    play.then("offers 1 {decline, KING/coins}")
    play.when("1 activate KING")
    play.then("coins 1,3,0")


def test_ac_85_the_token_goes_home_before_the_parts_or_with_a_decline() -> None:
    play = given(
        "act; sneak on 0; S0 [KING] ACTOR; S1 [THIEF] WITCH; S2 [HUNTSMAN] MADMAN; allied KING+SPY"
    )
    play.when("0 activate SPY")
    play.then("sneak pending 0; coins 1,0,0")
    play = given("act; sneak on 0; S0 [KING] ACTOR; S1 [THIEF] WITCH; S2 [HUNTSMAN] MADMAN")
    play.when("0 decline")
    play.then("sneak supply")


def test_ac_86_the_token_goes_home_when_its_card_leaves_the_live_place() -> None:
    play = given("act; sneak on 1; S0 [WITCH] ACTOR; S1 [THIEF] KING; S2 [HUNTSMAN] MADMAN")
    play.when("0 activate WITCH; 0 curse 1")
    play.then("sneak supply; live 1 KING")
    play = given("act; sneak on 1; S0 [ASSASSIN] ACTOR; S1 [THIEF] KING; S2 [HUNTSMAN] MADMAN")
    play.when("0 activate ASSASSIN; 0 name_victim THIEF")
    play.then("sneak supply")


def test_ac_87_a_token_taken_away_before_its_owner_acts_gives_nothing() -> None:
    play = given(
        "act; sneak on 1; blocked KING; S0 [SPY] ACTOR; S1 [KING] WITCH; S2 [THIEF] MADMAN"
    )
    play.when("0 activate SPY")
    play.then("offers 1 {decline}")


def test_ac_88_a_pending_token_survives_the_spys_death_and_the_madman() -> None:
    play = given("act; S0 [SPY] ACTOR; S1 [ASSASSIN] WITCH; S2 [MADMAN] KING")
    play.when("0 activate SPY; 1 activate ASSASSIN; 1 name_victim SPY")
    play.then("sneak pending 0")
    play.when("2 activate MADMAN")
    play.then("sneak pending 0; round 6")


def test_ac_210_the_spys_coin_part_gives_1() -> None:
    play = given("act; S0 [SPY] ACTOR; S1 [KING] WITCH; S2 [THIEF] MADMAN")
    play.when("0 activate SPY skip sneak")
    play.then("coins 1,0,0; sneak supply")


def test_ac_211_the_sneak_part_gives_the_token_for_the_next_round() -> None:
    play = given("act; S0 [SPY] ACTOR; S1 [KING] WITCH; S2 [THIEF] MADMAN")
    play.when("0 activate SPY skip coin")
    play.then("coins 0,0,0; sneak pending 0")


def test_ac_212_the_token_must_be_used_on_the_very_next_live_card() -> None:
    play = given("play; sneak pending 0; S0 KING, ACTOR; S1 THIEF, WITCH; S2 SPY, MADMAN")
    play.when("0 choose_live KING; 1 choose_live THIEF; 2 choose_live SPY")
    play.then("sneak on 0")
    play.when("2 block ACTOR; 1 block WITCH; 0 block SPY; 0 decline")
    play.then("sneak supply")
