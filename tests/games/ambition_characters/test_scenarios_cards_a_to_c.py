"""Scenarios: Actor, Assassin, Bodyguard.

The notation is explained in `build.py`.
"""

from games.ambition_characters.characters import Character
from games.ambition_characters.state import Place, Removed
from games.core.game import SPECTATOR, Seen
from tests.games.ambition_characters.build import given


def test_sc_11_actor_leaves_swap() -> None:
    """Actor leaves: swap (AC-100, AC-101, AC-103).

    Compare with SC-12: seats 1, 2 and spectators have identical views after both.
    """
    play = given(
        "act; S0 [ACTOR] KING; S1 [THIEF] WITCH; S2 [SPY] MADMAN; down WIZARD; "
        "deck ASSASSIN,KNIGHT; dead rest"
    )
    stays = play.fork().when("0 activate ACTOR; 0 keep ACTOR ~ KNIGHT,ASSASSIN")
    play.when("0 activate ACTOR")
    play.then("coins 1,0,0; asked 0 keep; offers 0 {ACTOR, ASSASSIN}; live 0 none")
    play.when("0 keep ASSASSIN ~ KNIGHT,ACTOR")
    play.then("hand 0 KING, ASSASSIN; live 0 none; deck KNIGHT,ACTOR; asked 1 act")
    for viewer in (1, 2, SPECTATOR):
        assert play.view(viewer) == stays.view(viewer)
        for back in (1, 2, 3):
            assert play.seen(viewer, back) == stays.seen(viewer, back)


def test_sc_12_actor_stays() -> None:
    """Actor stays (AC-101, AC-103)."""
    play = given(
        "act; S0 [ACTOR] KING; S1 [THIEF] WITCH; S2 [SPY] MADMAN; down WIZARD; "
        "deck ASSASSIN,KNIGHT; dead rest"
    )
    goes = play.fork().when("0 activate ACTOR; 0 keep ASSASSIN ~ KNIGHT,ACTOR")
    play.when("0 activate ACTOR; 0 keep ACTOR ~ KNIGHT,ASSASSIN")
    play.then("hand 0 KING, ACTOR; live 0 none; deck KNIGHT,ASSASSIN; asked 1 act")
    for viewer in (1, 2, SPECTATOR):
        assert play.view(viewer) == goes.view(viewer)
        assert play.wire(viewer, back=2) == {"type": "keep", "card": None}


def test_sc_13_actor_with_an_empty_deck() -> None:
    """Actor with an empty deck (F:Actor 1; AC-102)."""
    play = given("act; S0 [ACTOR] KING; S1 [THIEF] WITCH; S2 [SPY] MADMAN; down WIZARD; dead rest")
    play.then("offers 0 {decline, ACTOR/coin}")
    play.when("0 activate ACTOR")
    play.then("coins 1,0,0; live 0 ACTOR; hand 0 KING; asked 1 act")


def test_sc_14_the_actor_s_swap_cannot_wait() -> None:
    """The Actor's swap cannot wait (F:Actor 2; AC-45, AC-104)."""
    play = given(
        "act; S0 [ACTOR] KING; S1 [THIEF] WITCH; S2 [SPY] MADMAN; down WIZARD; "
        "deck ASSASSIN,KNIGHT; dead rest"
    )
    play.when("0 activate ACTOR; not 1 decline; not 1 activate THIEF; not 0 decline")
    play.then("asked 0 keep")


def test_sc_15_killing_a_reserve_card() -> None:
    """Killing a reserve card (AC-110…114).

    Everybody sees WITCH, that it came from seat 1's hand, and that seat 1 drew a card; only seat
    1 sees ACTOR.
    """
    play = given("act; S0 [ASSASSIN] KING; S1 [THIEF] WITCH; S2 [SPY] MADMAN; down WIZARD")
    play.when("0 activate ASSASSIN")
    play.then(
        "coins 1,0,0; asked 0 name_victim; has 0 WITCH, KING, WIZARD, HIEROPHANT; lacks 0 ASSASSIN"
    )
    play.when("0 name_victim WITCH")
    play.then(
        "dead WITCH; hand 1 ACTOR; live 1 THIEF; "
        "deck BODYGUARD,COURTESAN,HIEROPHANT,HUNTSMAN,KNIGHT,MERCHANT,PRINCESS,SEERESS; "
        "asked 1 act"
    )
    for viewer in (0, 2, SPECTATOR):
        view = play.view(viewer)
        assert view.removed == (Removed(Character.WITCH, 1, Place.HAND),)
        assert (view.seats[1].hand_count, view.seats[1].hand) == (1, None)
    assert play.view(1).seats[1].hand == ("ACTOR",)


def test_sc_16_the_named_character_is_in_the_deck_or_set_aside() -> None:
    """The named character is in the deck or set aside (F:Assassin 1; AC-113).

    Naming WIZARD (set aside) gives the same event but for the name.
    """
    play = given("act; S0 [ASSASSIN] KING; S1 [THIEF] WITCH; S2 [SPY] MADMAN; down WIZARD")
    other = play.fork().when("0 activate ASSASSIN; 0 name_victim WIZARD")
    play.when("0 activate ASSASSIN; 0 name_victim KNIGHT")
    play.then("coins 1,0,0; dead none; deck size 9; asked 1 act")
    for viewer in (0, 1, 2, SPECTATOR):
        assert play.view(viewer) == other.view(viewer)
        assert play.seen(viewer) == Seen({"type": "name_victim", "character": "KNIGHT"})
        assert other.seen(viewer) == Seen({"type": "name_victim", "character": "WIZARD"})


def test_sc_17_killing_an_activated_card() -> None:
    """Killing an activated card (F:Assassin 2; F:Spy 3; AC-88, AC-112, AC-119)."""
    play = given("act; S0 [SPY] KING; S1 [ASSASSIN] WITCH; S2 [THIEF] MADMAN; down WIZARD")
    play.when("0 activate SPY; 1 activate ASSASSIN; 1 name_victim SPY")
    play.then(
        "coins 1,1,0; dead SPY; live 0 none; hand 0 KING, ACTOR; sneak pending 0; asked 2 act"
    )


def test_sc_18_killing_one_s_own_reserve_card() -> None:
    """Killing one's own reserve card (F:Assassin 3; AC-112, AC-116)."""
    play = given("act; S0 [ASSASSIN] KING; S1 [THIEF] WITCH; S2 [SPY] MADMAN; down WIZARD")
    play.when("0 activate ASSASSIN; not 0 name_victim ASSASSIN; 0 name_victim KING")
    play.then("dead KING; hand 0 ACTOR; live 0 ASSASSIN; coins 1,0,0; asked 1 act")


def test_sc_19_the_assassin_killed_by_a_borrower() -> None:
    """The Assassin killed by a borrower (F:Assassin 4; AC-73, AC-116)."""
    play = given(
        "act; S0 [KING] SPY; S1 [THIEF] ASSASSIN; S2 [WITCH] MADMAN; down WIZARD; "
        "allied ASSASSIN+KING"
    )
    play.then("offers 0 {decline, KING/coins, ASSASSIN/coin/kill}")
    play.when("0 activate ASSASSIN")
    play.then("coins 1,0,0; asked 0 name_victim; has 0 ASSASSIN; lacks 0 KING")
    play.when("0 name_victim ASSASSIN")
    play.then("dead ASSASSIN; alliances none; hand 1 ACTOR; asked 1 act")


def test_sc_20_a_live_card_killed_before_its_turn() -> None:
    """A live card killed before its turn (AC-49, AC-115)."""
    play = given("act; S0 [ASSASSIN] KING; S1 [THIEF] WITCH; S2 [SPY] MADMAN; down WIZARD")
    play.when("0 activate ASSASSIN; 0 name_victim THIEF")
    play.then("dead THIEF; live 1 none; hand 1 WITCH, ACTOR; asked 2 act")


def test_sc_21_two_cards_are_safe_when_the_deck_is_empty() -> None:
    """Two cards are safe when the deck is empty (AC-60…62).

    Seat 0, seat 2 and spectators see `assassination_failed WITCH`, field for field as if WITCH
    were set aside and WIZARD in seat 1's hand.
    """
    play = given(
        "act; S0 [ASSASSIN] KING; S1 [THIEF] WITCH; S2 [SPY] MADMAN, ACTOR; down WIZARD; dead rest"
    )
    play.when("0 activate ASSASSIN; 0 name_victim WITCH")
    play.then("coins 1,0,0; hand 1 WITCH; live 1 THIEF; sizes 2,2,3; asked 1 act")
    other = given(
        "act; S0 [ASSASSIN] KING; S1 [THIEF] WIZARD; S2 [SPY] MADMAN, ACTOR; down WITCH; dead rest"
    )
    other.when("0 activate ASSASSIN; 0 name_victim WITCH")
    for viewer in (0, 2, SPECTATOR):
        assert play.view(viewer) == other.view(viewer)
        assert play.seen(viewer) == other.seen(viewer)


def test_sc_22_three_cards_are_not_and_nothing_is_drawn() -> None:
    """Three cards are not, and nothing is drawn (AC-61, AC-114)."""
    play = given(
        "act; S0 [ASSASSIN] KING; S1 [THIEF] WITCH; S2 [SPY] MADMAN, ACTOR; down WIZARD; dead rest"
    )
    play.when("0 activate ASSASSIN; 0 name_victim MADMAN")
    play.then(
        "hand 2 ACTOR; live 2 SPY; sizes 2,2,2; dead BODYGUARD, COURTESAN, HIEROPHANT,"
        " HUNTSMAN, KNIGHT, MADMAN, MERCHANT, PRINCESS, SEERESS; asked 1 act"
    )


def test_sc_23_a_further_block_at_once() -> None:
    """A further block at once (AC-48, AC-120, AC-121)."""
    play = given(
        "act; S0 [BODYGUARD] KING; S1 [THIEF] WITCH; S2 [SPY] MADMAN; down WIZARD; blocked PRINCESS"
    )
    play.when("0 activate BODYGUARD")
    play.then("coins 1,0,0; asked 0 name_block; lacks 0 PRINCESS, BODYGUARD; has 0 THIEF, WIZARD")
    play.when("0 name_block THIEF")
    play.then("blocked PRINCESS, THIEF; asked 1 act; offers 1 {decline}")


def test_sc_24_bodyguard_played_last() -> None:
    """Bodyguard played last (F:Bodyguard 1; AC-122)."""
    play = given(
        "act; scarab 1; turn 0; S0 [BODYGUARD] KING; S1 [THIEF] WITCH; S2 [SPY] MADMAN; down WIZARD"
    )
    play.then("offers 0 {decline, BODYGUARD/coin}")
    play.when("0 activate BODYGUARD")
    play.then("coins 1,0,0; round 6; scarab 2; asked 2 pass_card")


def test_sc_25_silenced_this_round_coin_only() -> None:
    """Silenced this round: coin only (F:Bodyguard 2, first half; AC-80, AC-123)."""
    play = given("act; S0 [WIZARD] KING; S1 [BODYGUARD] WITCH; S2 [SPY] MADMAN; down THIEF")
    play.when("0 activate WIZARD; 0 silence 1")
    play.then("silence 1->0 unpaid; offers 1 {decline, BODYGUARD/coin}")
    play.when("1 activate BODYGUARD")
    play.then("coins 0,1,0; blocked none; asked 2 act")


def test_sc_26_silenced_last_round_free_again_after_the_block_phase() -> None:
    """Silenced last round: free again after the block phase (F:Bodyguard 2, second half; AC-77,
    AC-78, AC-81, AC-123).
    """
    play = given(
        "block; S0 [KING] WIZARD; S1 [BODYGUARD] WITCH; S2 [SPY] MADMAN; down THIEF; silence 1->0"
    )
    play.when("2 block MERCHANT; not 1 block KING; 0 block PRINCESS")
    play.then("blocked MERCHANT, PRINCESS; silence none; asked 0 act")
    play.when("0 decline; 1 activate BODYGUARD")
    play.then("coins 0,1,0; asked 1 name_block")
