"""Who knows what: openings of sealed answers, draws, and worlds that look alike."""

from random import Random

import pytest

from games.ambition_characters import GAME
from games.ambition_characters.characters import Character
from games.ambition_characters.state import Options, State
from games.ambition_characters.view import View
from games.core.game import CHANCE, SPECTATOR, Chance
from games.core.walk import Step, random_match, seeded
from tests.games.ambition_characters.build import given

KILLER = "act; S0 [WITCH] KING; S1 [ASSASSIN] MADMAN; S2 [THIEF] SPY, ACTOR"


def test_an_activation_opens_the_choice_of_the_live_card() -> None:
    play = given("act; S0 [KING] SPY; S1 [THIEF] WITCH; S2 [ACTOR] MADMAN")
    play.when("0 activate KING")
    for viewer in (0, 1, 2, SPECTATOR):
        assert play.seen(viewer).reveals == ((0, {"type": "choose_live", "card": "KING"}),)


def test_an_activation_opens_an_asked_exchange() -> None:
    play = given("act; S0 [WITCH] KING; S1 [THIEF] SPY, HUNTSMAN; S2 [ACTOR] MADMAN")
    play.when("0 activate WITCH; 0 curse 1; 1 replace_live HUNTSMAN; 1 activate HUNTSMAN")
    assert play.seen(SPECTATOR).reveals == ((1, {"type": "replace_live", "card": "HUNTSMAN"}),)


def test_a_forced_exchange_was_no_answer() -> None:
    play = given("act; S0 [WITCH] KING; S1 [THIEF] HUNTSMAN; S2 [ACTOR] MADMAN")
    play.when("0 activate WITCH; 0 curse 1; 1 activate HUNTSMAN")
    assert play.seen(SPECTATOR).reveals == ()


def test_a_kill_opens_a_face_down_live_card_and_no_other() -> None:
    play = given(KILLER).when("0 decline; 1 activate ASSASSIN")
    live, hand, own = (play.fork() for _ in range(3))
    live.when("1 name_victim THIEF")
    assert live.seen(0).reveals == ((2, {"type": "choose_live", "card": "THIEF"}),)
    assert hand.when("1 name_victim SPY").seen(0).reveals == ()
    assert own.when("1 name_victim MADMAN").seen(0).reveals == ()


def test_a_kill_opens_an_exchanged_card_by_its_last_answer() -> None:
    play = given(KILLER).when("0 activate WITCH; 0 curse 2; 2 replace_live SPY")
    play.when("1 activate ASSASSIN; 1 name_victim SPY")
    assert play.seen(SPECTATOR).reveals == ((2, {"type": "replace_live", "card": "SPY"}),)


def test_a_face_up_card_is_opened_once() -> None:
    play = given("act; S0 [KING] SPY; S1 [ASSASSIN] WITCH; S2 [ACTOR] MADMAN")
    play.when("0 activate KING; 1 activate ASSASSIN; 1 name_victim KING")
    assert play.seen(SPECTATOR).reveals == ()


def test_a_power_under_way_is_open_its_drawn_card_is_not() -> None:
    play = given("act; S0 [ACTOR] KING; S1 [THIEF] WITCH; S2 [SPY] MADMAN; deck KNIGHT; dead rest")
    play.when("0 activate ACTOR skip coin")
    power = play.view(SPECTATOR).power
    assert power is not None
    assert (power.seat, power.card, power.power, power.skip) == (0, "ACTOR", "ACTOR", ("coin",))
    assert play.view(0).seats[0].hand == ("ACTOR", "KING", "KNIGHT")
    assert play.view(1).seats[0].hand is None


@pytest.mark.parametrize("label", ["first seat", "deal", "stand-in", "redeal", "swap"])
def test_worlds_resampled_before_a_draw_wait_for_the_same_draw(label: str) -> None:
    rng, seen = Random(5), 0
    for number in range(12):
        for step in random_match(GAME, Options(), 4, seeded(f"draws {number}")):
            if step.seat != CHANCE or label not in step.label:
                continue
            seen += 1
            for viewer in (0, 1, 2, 3, SPECTATOR):
                twin = GAME.resample(step.before, viewer, rng)
                turn = GAME.turn(twin)
                assert isinstance(turn, Chance)
                assert turn.label == step.label
                assert GAME.view(twin, viewer) == GAME.view(step.before, viewer)
    assert seen


def test_a_resample_moves_the_hidden_cards_and_no_others() -> None:
    play = given("act; S0 [KING] SPY; S1 [THIEF] WITCH; S2 [ACTOR] MADMAN; dead KNIGHT")
    play.when("0 activate KING")
    rng = Random(1)
    worlds = [GAME.resample(play.state, 2, rng) for _ in range(60)]
    assert {world.live[0] for world in worlds} == {Character.KING}
    assert {world.hands[2] for world in worlds} == {(Character.MADMAN,)}
    assert len({world.live[1] for world in worlds}) > 5
    assert len({world.standin for world in worlds}) > 5


def test_a_resample_leaves_the_card_of_a_waiting_payout_where_it_is() -> None:
    play = given("act; S0 [MERCHANT] SPY, KNIGHT; S1 [WITCH] THIEF; S2 [ACTOR] MADMAN")
    play.when("0 activate MERCHANT; 1 activate WITCH; 1 curse 0; 0 replace_live SPY")
    rng = Random(4)
    worlds = [GAME.resample(play.state, 2, rng) for _ in range(60)]
    assert all(Character.MERCHANT in world.hands[0] for world in worlds)
    assert len({world.live[0] for world in worlds}) > 5


@pytest.mark.parametrize("kept", ["WITCH", "KNIGHT"])
def test_a_resample_leaves_the_activated_card_of_a_power_under_way_where_it_is(kept: str) -> None:
    """While the card to keep is chosen, and until the deck is in its new order."""
    play = given(
        "act; allied ACTOR+WITCH; S0 [WITCH] SPY; S1 [KING] THIEF; S2 [HUNTSMAN] MADMAN; "
        "deck KNIGHT,ACTOR,MERCHANT,PRINCESS; dead rest"
    )
    play.when(f"0 activate ACTOR; 0 keep {kept}")
    (keep, _, _), (swap, _, _) = play.steps[-2:]
    rng = Random(6)
    for state in (keep, swap):
        worlds = [GAME.resample(state, 2, rng) for _ in range(60)]
        for world in worlds:
            assert (Character.WITCH in world.hands[0]) == (Character.WITCH in state.hands[0])
            assert (Character.WITCH in world.deck) == (Character.WITCH in state.deck)
        assert len({world.hands[0] for world in worlds}) > 5


def test_a_resample_puts_no_spy_under_the_sneak_token() -> None:
    rng = Random(2)
    placed = given("act; sneak on 1; S0 [KING] ACTOR; S1 [THIEF] SPY; S2 [WITCH] MADMAN")
    chosen = given("play; sneak pending 1; S0 KING, ACTOR; S1 THIEF, SPY; S2 WITCH, MADMAN")
    chosen.when("1 choose_live THIEF")
    for play, read in ((placed, _live_of_1), (chosen, _choice_of_1)):
        worlds = [GAME.resample(play.state, 0, rng) for _ in range(200)]
        assert Character.SPY not in {read(world) for world in worlds}


def _live_of_1(state: State) -> Character | None:
    return state.live[1]


def _choice_of_1(state: State) -> Character | None:
    return state.chosen[1]


def test_the_giver_and_the_receiver_of_the_first_card_keep_it_in_mind() -> None:
    play = given("pass; S0 KING, SPY; S1 THIEF, WITCH; S2 ACTOR, MADMAN").when("0 pass_card SPY")
    rng = Random(3)
    for viewer in (0, 1):
        assert {GAME.resample(play.state, viewer, rng).first_passed for _ in range(30)} == {"SPY"}
    assert len({GAME.resample(play.state, 2, rng).first_passed for _ in range(30)}) > 3


def test_bounds_hold_in_random_matches() -> None:
    """The deck never grows but for a card put back; a round has at most 7 moves a seat."""
    for number in range(60):
        options, seats = GAME.trials[number % len(GAME.trials)]
        steps = list(random_match(GAME, options, seats, seeded(f"bounds {number}")))
        rounds: dict[int, int] = {}
        for step in steps:
            _check_step(step)
            if step.seat != CHANCE and not step.is_aside:
                rounds[step.before.round] = rounds.get(step.before.round, 0) + 1
        assert max(rounds.values()) <= 7 * seats


def _check_step(step: Step) -> None:
    before, after = (GAME.view(state, SPECTATOR) for state in (step.before, step.after))
    assert isinstance(before, View)
    assert isinstance(after, View)
    assert after.supply + sum(seat.coins for seat in after.seats) == 45
    assert after.removed[: len(before.removed)] == before.removed
    back = 1 if type(step.move).__name__ == "Keep" else 0
    assert step.before.phase == "set_up" or after.deck_count <= before.deck_count + back
    if before.silence and after.silence and before.silence.paid:
        silencing = type(step.move).__name__ in ("Silence", "Activate")
        assert after.silence.paid or silencing
