"""Blocking."""

from games.core.game import SPECTATOR
from tests.games.ambition_characters.build import given


def test_ac_34_blocks_run_anticlockwise_and_the_first_seat_is_last() -> None:
    play = given(
        "N4; block; scarab 2; S0 [KING] SPY; S1 [THIEF] WITCH; S2 [ACTOR] MADMAN; "
        "S3 [MERCHANT] KNIGHT"
    )
    play.then("asked 1 block")
    play.when("1 block KING")
    play.then("asked 0 block")
    play.when("0 block SPY")
    play.then("asked 3 block")
    play.when("3 block WITCH")
    play.then("asked 2 block")
    play.when("2 block ACTOR")
    play.then("asked 2 act")


def test_ac_35_a_seat_that_is_asked_must_name_a_character() -> None:
    play = given("block; S0 [KING] SPY; S1 [THIEF] WITCH; S2 [ACTOR] MADMAN")
    play.when("not 2 decline; not 2 refuse")
    assert len(play.options(2)) == 16


def test_ac_36_any_character_of_the_set_may_be_named() -> None:
    play = given(
        "block; S0 [KING] SPY; S1 [THIEF] WITCH; S2 [ACTOR] MADMAN; dead PRINCESS; down WIZARD"
    )
    play.then("has 2 ACTOR, MADMAN, PRINCESS, WIZARD, KNIGHT")
    play.when("2 block ACTOR; 1 block PRINCESS; 0 block WIZARD")
    play.then("blocked ACTOR, PRINCESS, WIZARD")


def test_ac_37_a_character_is_named_once_a_round() -> None:
    play = given("block; S0 [KING] SPY; S1 [THIEF] WITCH; S2 [ACTOR] MADMAN")
    play.when("2 block KING; not 1 block KING")
    play.then("lacks 1 KING")


def test_ac_38_a_blocked_character_cannot_be_activated() -> None:
    play = given("act; blocked KING; S0 [KING] SPY; S1 [THIEF] WITCH; S2 [ACTOR] MADMAN")
    play.then("offers 0 {decline}")
    play.when("not 0 activate KING")


def test_ac_39_blocks_are_public_and_emptied_at_the_end_of_the_round() -> None:
    play = given(
        "act; turn 2; blocked KING, WITCH; S0 [KING] SPY; S1 [THIEF] WITCH; S2 [ACTOR] MADMAN"
    )
    named = [(each.character, each.seat) for each in play.view(SPECTATOR).blocked]
    assert named == [("KING", 2), ("WITCH", 1)]
    play.when("2 decline")
    play.then("blocked none")


def test_ac_40_nothing_shows_whether_a_block_hit() -> None:
    play = given("block; S0 [KING] SPY; S1 [THIEF] WITCH; S2 [ACTOR] MADMAN; down WIZARD")
    other = given("block; S0 [WIZARD] SPY; S1 [THIEF] WITCH; S2 [ACTOR] MADMAN; down KING")
    for each in (play, other):
        each.when("2 block KING; 1 block SPY; 0 block WITCH")
        assert (each.decision().kind, set(each.decision().offers)) == ("act", {0})
    for viewer in (1, 2, SPECTATOR):
        assert play.view(viewer) == other.view(viewer)
