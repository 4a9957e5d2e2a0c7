"""Calls and turns, the Assassin and the Spy."""

from collections import Counter

import pytest

from games.ave_cesar import GAME
from games.ave_cesar.agenda import TurnOf
from games.ave_cesar.calling import called
from games.ave_cesar.state import NOBODY, Options, Phase, PlotStatus, State
from games.core.game import SPECTATOR, Over
from games.core.walk import random_match, seeded
from tests.games.ave_cesar.build import given


def test_av_41_av_42_holders_are_revealed_and_absent_characters_passed_over() -> None:
    match = given("K1; call 3")
    view = match.view(SPECTATOR)
    assert [(call.character, call.seat) for call in view.calls] == [
        ("assassin", 0),
        ("spy", 1),
        ("philosopher", None),
        ("procurator", None),
        ("architect", 4),
    ]
    assert match.asked() == ("action", [4])
    assert [seat.character for seat in view.seats] == ["assassin", "spy", None, None, "architect"]


@pytest.mark.parametrize("seats", [4, 5, 6, 7])
def test_av_43_every_seat_has_one_turn_in_a_round(seats: int) -> None:
    """But an Assassin whose victim nobody holds."""
    rounds = 0
    for number in range(6):
        turns: Counter[int] = Counter()
        last = 0
        for step in random_match(GAME, Options(), seats, seeded(f"turns {seats}/{number}")):
            before, after = step.before, step.after
            assert isinstance(before, State)
            assert isinstance(after, State)
            if after.actor not in (NOBODY, before.actor):
                turns[after.actor] += 1
            if before.shuffle and not after.shuffle:
                plot = _plot_of(before)
                idle = {plot} if plot is not None else set()
                assert set(turns) == set(range(seats)) - idle
                assert set(turns.values()) == {1}
                rounds += 1
                turns.clear()
            last = before.round
        assert last > 4
    assert rounds > 30


def _plot_of(state: State) -> int | None:
    """The Assassin whose turn is lost once the calls are over."""
    plot = state.assassin
    if plot is None or plot.victim is None:
        return None
    return None if plot.victim in state.picks else plot.seat


def test_av_44_av_45_av_101_a_turn_begins_with_the_announcement_the_token_and_two_cards() -> None:
    match = given("K1; call 2; token P1; P1 city orchard.1 (baths.1); deck port.1-2, forum.1")
    assert match.asked() == ("spy_target", [1])
    assert match.hand(1) == ""
    match.plays("P1 no_target")
    assert match.asked() == ("token", [1])
    assert match.hand(1) == ""
    assert match.city(1) == "orchard.1(baths.1)"
    skipped = match.fork().plays("P1 token_skip")
    assert skipped.state.hands[1] == ("port.1", "port.2", "baths.1")
    match.plays("P1 token_draw")
    assert match.state.hands[1] == ("port.1", "port.2", "forum.1", "baths.1")
    assert match.asked() == ("action", [1])


def test_av_101_without_a_card_to_be_had_the_token_asks_nothing() -> None:
    match = given("K1; call 7; token P2; rest P3")
    assert match.asked() == ("action", [2])
    assert match.hand(2) == ""


def test_av_101_av_150_the_discard_pile_is_a_card_to_be_had() -> None:
    match = given("K1; call 7; token P2; discard forum.1, mint.1; rest P3")
    assert match.asked() == ("token", [2])
    match.plays("P2 token_draw; draw mint.1, forum.1")
    assert match.state.hands[2] == ("mint.1", "forum.1")


def test_av_46_all_sown_cards_are_harvested_by_option() -> None:
    text = "K1; call 7; P2 city great_estate.1 (baths.1, port.1, forum.1); deck mint.1-2"
    match = given(f"{text}; opt harvest=all")
    assert match.state.hands[2] == ("mint.1", "mint.2", "baths.1", "port.1", "forum.1")
    assert match.city(2) == "great_estate.1"


def test_av_46_one_card_of_each_building_is_harvested_the_one_placed_first() -> None:
    text = (
        "K1; call 7; P2 city orchard.1 (baths.1, port.1), bridge.1, mill.1 (forum.1); deck mint.1-2"
    )
    match = given(text)
    assert match.state.hands[2] == ("mint.1", "mint.2", "baths.1", "forum.1")
    assert match.city(2) == "orchard.1(port.1) bridge.1 mill.1"
    everything = given(f"{text}; opt harvest=all")
    assert everything.state.hands[2] == ("mint.1", "mint.2", "baths.1", "port.1", "forum.1")


def test_av_47_av_48_an_ability_is_used_once_and_at_any_point() -> None:
    hand = "P4 hand shrine.1, shrine.2, tenement.1, circus.1, baths.1; deck mint.1-2"
    between = given(f"K1; call 5; {hand}").plays("P4 build shrine.1; P4 survey")
    between.plays(f"P4 {between.fallback(4)}; P4 build tenement.1; P4 pay circus.1")
    assert between.city(4) == "shrine.1 tenement.1"
    assert between.state.actor != 4
    first = given(f"K1; call 5; {hand}").plays("P4 survey")
    first.plays(f"P4 {first.fallback(4)}")
    assert "survey" not in first.offers(4)
    assert first.refuses("P4 survey") == "move not offered: survey"
    assert first.plays("P4 end_phase").city(4) == ""


def test_av_49_one_building_a_turn_two_with_the_architect() -> None:
    one = given("K2; call 4; P1 hand shrine.1, shrine.2, tenement.1, mint.1")
    one.plays("P1 build shrine.1")
    assert one.offers(1) == "claim, end_phase"
    two = given("K1; call 5; P4 hand shrine.1, palisade.1, tenement.1")
    two.plays("P4 build shrine.1")
    assert "build" in two.offers(4)
    two.plays("P4 build palisade.1")
    assert two.offers(4) == "survey, end_phase"


@pytest.mark.parametrize(
    ("text", "seat", "ability"),
    [
        ("K1; call 5; rest P3", 4, "survey"),
        ("K2; call 4; token P1; rest P3", 1, "claim"),
        ("K1; call 8; P3 city orchard.1; rest P0", 3, "sow"),
        ("K1; call 8; P3 city bridge.1", 3, "sow"),
        ("K4; call 6; P0 city barracks.1; P1 city barracks.2; P1 hand mint.1", 0, "march"),
        ("K4; call 6; P0 city barracks.1; rest P2", 0, "march"),
    ],
)
def test_av_50_an_ability_that_can_do_nothing_is_not_offered(
    text: str, seat: int, ability: str
) -> None:
    assert ability not in given(text).offers(seat)


@pytest.mark.parametrize(
    ("text", "seat", "ability"),
    [
        ("K1; call 5; deck port.1-2; discard mint.1-2; rest P3", 4, "survey"),
        ("K2; call 4; token P1; deck port.1-2; discard mint.1; rest P3", 1, "claim"),
        ("K1; call 8; P3 city orchard.1; deck port.1-2; discard mint.1; rest P0", 3, "sow"),
    ],
)
def test_av_50_a_card_of_the_discard_pile_is_enough(text: str, seat: int, ability: str) -> None:
    match = given(text)
    while match.asked() != ("action", [seat]):
        match.plays(f"P{seat} token_skip")
    assert match.state.deck == ()
    assert ability in match.offers(seat)
    match.plays(f"P{seat} {ability}")
    assert match.chance().label == "reshuffle 1"


def test_av_50_the_token_alone_is_worth_a_claim() -> None:
    match = given("K2; call 4; token P3; rest P3")
    assert "claim" in match.offers(1)
    match.plays("P1 claim")
    assert (match.state.token, match.hand(1)) == (1, "")


def test_av_51_a_turn_ends_by_itself_only_when_all_see_that_nothing_is_left() -> None:
    match = given("K1; call 7; P2 hand shrine.1").plays("P2 build shrine.1")
    assert match.asked() == ("action", [2])
    assert match.plays("P2 address").asked() == ("action", [3])
    idle = given("K1; call 7; P2 hand circus.1; deck fortress.1-2")
    assert idle.plays("P2 address").offers(2) == "end_phase"
    beaten = given("K4; call 6; P0 hand shrine.1").plays("P0 build shrine.1")
    assert beaten.state.actor != 0


def test_av_52_what_all_see_to_be_forced_is_not_asked() -> None:
    paying = given("K1; call 7; P2 hand vineyard.1, mint.1; deck port.1-2")
    paying.plays("P2 build vineyard.1")
    assert (paying.hand(2), paying.city(2)) == ("", "vineyard.1")
    looking = given("K1; call 5; deck statue.1-2, port.1; rest P3").plays("P4 survey")
    assert looking.asked() == ("action", [4])
    assert looking.state.hands[4] == ("statue.1", "statue.2", "port.1")
    giving = given("K3; SP P3; call 3; P4 hand statue.1").plays("P2 appoint P4")
    assert giving.hand(4) == ""


@pytest.mark.parametrize(
    "text",
    [
        "K1; call 7; assassin senator",
        "K1; call 5; assassin architect",
        "K3; call 3; assassin philosopher",
    ],
)
def test_av_53_av_74_a_victim_and_a_plain_assassin_have_no_ability(text: str) -> None:
    match = given(text)
    victim = match.state.picks.index(match.state.assassin.victim)  # type: ignore[union-attr]
    assert match.state.actor == 0
    match.plays("P0 end_phase")
    assert (match.state.actor, match.state.ability) == (victim, None)
    assert match.state.builds_left == 1
    assert len(match.state.hands[victim]) == 2
    plain = given("K1; call 1").plays("P0 play_normally")
    assert (plain.state.ability, plain.state.builds_left) == (None, 1)


def test_av_70_av_71_av_72_any_other_character_may_be_named_even_one_face_up() -> None:
    match = given(
        "seats 4; picks P0 assassin, P1 senator, P2 architect, P3 centurion; "
        "faceup philosopher, farmer, spy; call 1"
    )
    assert match.offers(0).count("announce_victim") == 7
    match.plays("P0 announce_victim farmer")
    for viewer in (1, 2, 3, SPECTATOR):
        assert match.wire(viewer) == {"type": "announce_victim", "character": "farmer"}
        plot = match.view(viewer).assassin
        assert plot is not None
        assert (plot.seat, plot.victim, plot.status) == (0, "farmer", PlotStatus.WAITING)
    assert (match.hand(0), match.city(0)) == ("", "")


def test_av_73_the_assassin_takes_its_turn_on_the_victims_call() -> None:
    match = given("K1; call 7; assassin senator; deck port.1-2, mint.1-2")
    assert match.state.assassin is not None
    assert match.state.assassin.status is PlotStatus.PLAYED
    assert (match.state.actor, match.state.ability) == (0, "senator")
    assert match.plays("P0 end_phase").hand(2) == "mint.1 mint.2"


def test_av_75_without_a_holder_the_assassin_has_no_turn() -> None:
    match = given("K1; call 6; assassin centurion; token P0; P0 city orchard.1 (baths.1)")
    while match.state.round == 1:
        assert match.state.actor != 0
        match.by_fallback()
    assert (match.hand(0), match.city(0)) == ("", "orchard.1(baths.1)")


def test_av_76_a_victim_does_nothing_before_its_call() -> None:
    match = given("K1; call 1").plays("P0 announce_victim farmer")
    while match.state.call < 8:
        assert match.asked()[1] != [3]
        match.by_fallback()
    assert match.state.actor == 0


def test_av_80_the_spy_names_before_its_turn_and_then_plays_it() -> None:
    match = given("K1; call 2; deck port.1-2")
    assert match.offers(1) == (
        "announce_target philosopher, announce_target procurator, announce_target architect, "
        "announce_target centurion, announce_target senator, announce_target farmer, no_target"
    )
    match.plays("P1 announce_target senator")
    assert (match.asked(), match.hand(1)) == (("action", [1]), "port.1 port.2")


def test_av_81_av_85_the_theft_comes_before_the_assassins_turn_and_from_the_holder() -> None:
    match = given(
        "K1; call 7; assassin senator; spy senator; P0 hand shrine.1, shrine.2; P2 hand baths.1; "
        "token P2"
    )
    assert match.asked() == ("spy_steal", [1])
    assert match.offers(1) == "steal 1 of baths.1, leave"
    match.plays("P1 steal baths.1")
    assert (match.hand(2), match.hand(1)) == ("", "baths.1")
    assert match.state.actor == 0


@pytest.mark.parametrize(("held", "taken"), [(1, 1), (2, 1), (3, 2), (4, 2), (5, 3), (14, 7)])
def test_av_82_av_83_half_rounded_up_or_none(held: int, taken: int) -> None:
    hand = ["shrine.1-2, bridge.1-2, mint.1-2, port.1-2, forum.1-2, baths.1-2, circus.1, mill.1"]
    cards = [card for part in hand for card in given(f"P2 hand {part}").state.hands[2]][:held]
    match = given(f"K1; call 7; spy senator; P2 hand {', '.join(cards)}")
    assert match.offers(1).startswith(f"steal {taken} of ")
    shown = match.own(1).shown_hand
    assert shown is not None
    assert set(shown.cards) == set(cards)
    assert match.offers(1).endswith(", leave")
    assert all(match.own(seat).shown_hand is None for seat in (0, 2, 3, 4))
    before = match.state.hands[2]
    match.plays("P1 leave")
    assert match.state.hands[2][:held] == before


def test_av_84_an_empty_hand_and_an_absent_character_are_left_alone() -> None:
    assert given("K1; call 7; spy senator").asked() == ("action", [2])
    assert given("K1; call 6; spy centurion; P2 hand mint.1").asked() == ("action", [2])


def test_av_80_av_70_announcements_end_with_the_round() -> None:
    match = given("K1; call 8; assassin philosopher; spy architect")
    match.plays("P3 end_phase")
    assert (match.view(0).spy, match.view(0).assassin) == (None, None)


def test_the_calls_end_with_the_last_one() -> None:
    match = given("K1; call 8")
    assert match.state.call == 8
    match.plays("P3 end_phase")
    assert (match.state.phase, match.state.round, match.state.call) == (Phase.DRAFT, 2, 0)
    ended = given("K1; call 8; opt round_limit=1").plays("P3 end_phase")
    assert isinstance(GAME.turn(ended.state), Over)
    steps = called(given("K1; call 8").state).steps
    assert not any(isinstance(step, TurnOf) for step in steps)
