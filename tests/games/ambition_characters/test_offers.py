"""The order of options gives nothing away: alphabetical, seats ascending, in every offer."""

import pytest

from games.ambition_characters import GAME
from games.ambition_characters.moves import Activate
from games.core.game import Decision
from games.core.moves import Choice
from games.core.walk import random_match, seeded
from tests.games.ambition_characters.build import check, given


def test_every_offer_of_random_matches_is_in_order() -> None:
    """`check` has the assertions, which every scenario makes at every step as well."""
    kinds: set[str] = set()
    several = borrowed = 0
    for number in range(2 * len(GAME.trials)):
        options, seats = GAME.trials[number % len(GAME.trials)]
        for step in random_match(GAME, options, seats, seeded(f"order {number}")):
            check(step.after)
            turn = GAME.turn(step.after)
            if not isinstance(turn, Decision):
                continue
            kinds.add(turn.kind)
            for own in turn.offers.values():
                skips = [each.fields["skip"] for each in own if each.move is Activate]
                borrowed += len(skips) == 2
                several += any(isinstance(s, Choice) and len(s.options) > 1 for s in skips)
    assert {"act", "keep", "steal", "ally", "replace_live", "name_block", "gift"} <= kinds
    assert several
    assert borrowed


@pytest.mark.parametrize(
    ("card", "parts"), [("BODYGUARD", "block/coin"), ("HIEROPHANT", "ally/coin")]
)
def test_the_parts_that_may_be_left_out_are_alphabetical_and_so_they_are_stored(
    card: str, parts: str
) -> None:
    play = given(f"act; S0 [{card}] SPY; S1 [THIEF] WITCH; S2 [ACTOR] MADMAN")
    assert play.options(0) == ["decline", f"{card}/{parts}"]
    play.when(f"0 activate {card} skip coin,{parts.split('/')[0]}")
    assert play.wire(1)["skip"] == parts.split("/")


@pytest.mark.parametrize(("own", "ally"), [("ACTOR", "WITCH"), ("WITCH", "ACTOR")])
def test_the_own_power_is_offered_before_the_allys(own: str, ally: str) -> None:
    play = given(f"act; S0 [{own}] SPY; S1 [THIEF] KING; S2 [HUNTSMAN] MADMAN; allied {own}+{ally}")
    skips = {"ACTOR": "ACTOR/coin/swap", "WITCH": "WITCH/coin/curse"}
    assert play.options(0) == ["decline", skips[own], skips[ally]]


@pytest.mark.parametrize(("card", "drawn"), [("HUNTSMAN", "KNIGHT"), ("HUNTSMAN", "BODYGUARD")])
def test_the_cards_to_keep_are_alphabetical_whichever_is_the_activated_one(
    card: str, drawn: str
) -> None:
    play = given(
        f"act; S0 [{card}] SPY; S1 [THIEF] WITCH; S2 [KING] MADMAN; allied ACTOR+{card}; "
        f"down ACTOR; deck {drawn}; dead rest"
    )
    play.when("0 activate ACTOR")
    assert play.options(0) == sorted([card, drawn])


def test_seats_are_ascending_whoever_is_asked() -> None:
    for card, coins in (("THIEF", "1,0,1,1"), ("PRINCESS", "0,0,0,0"), ("WITCH", "0,0,0,0")):
        play = given(
            f"N4; act; scarab 1; coins {coins}; S0 [SPY] ACTOR; S1 [{card}] MADMAN; "
            "S2 [KING] HUNTSMAN; S3 [KNIGHT] MERCHANT"
        )
        play.when(f"1 activate {card}")
        assert play.options(1) == ["0", "2", "3"]
