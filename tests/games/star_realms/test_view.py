"""Section 7: what each viewer sees, steps as others see them, and other worlds."""

from random import Random

import pytest

from games.core.game import Chance, Seen
from games.core.moves import IllegalMove, take
from games.star_realms import GAME
from games.star_realms.state import State
from tests.games.star_realms.build import Play, given
from tests.games.star_realms.test_scenarios import w_15
from tests.games.star_realms.test_setup import set_up

WORLDS = 200


def worlds(play: Play, viewer: int) -> list[State]:
    rng = Random(7)
    shown = GAME.view(play.state, viewer)
    found = []
    for _ in range(WORLDS):
        other = GAME.resample(play.state, viewer, rng)
        assert GAME.invariants(other) is None
        assert GAME.view(other, viewer) == shown
        found.append(other)
    return found


def test_hands_and_gambits_are_their_owners() -> None:
    play = given(hand0="ram", hand1="cutter", down0="daring_raid", down1="smuggling_run")
    own, other = play.view(0).seats
    assert (own.hand, other.hand) == (("ram#1",), None)
    assert (own.gambits_down, other.gambits_down) == (("daring_raid#1",), None)
    assert [seat.hand for seat in play.view().seats] == [None, None]
    assert [seat.gambits_down_count for seat in play.view().seats] == [1, 1]


@pytest.mark.parametrize("shares", [True, False])
def test_team_mates_see_each_others_hands_by_option(shares: bool) -> None:
    play = given(
        "pirates_coop", hand0="ram", hand1="cutter", down1="smuggling_run", share_hands=shares
    )
    mate = play.view(0).seats[1]
    assert mate.hand == (("cutter#1",) if shares else None)
    assert mate.gambits_down == (("smuggling_run#1",) if shares else None)
    assert play.view().seats[1].hand is None


def test_opponents_never_share() -> None:
    assert given("free_for_all", hand1="ram").view(0).seats[1].hand is None


def test_decks_are_counts_for_their_owner_too() -> None:
    play = given(deck0="ram cutter", trade_deck="junkyard", row="corvette*2 cutter ram missile_bot")
    for viewer in (0, 1, -2):
        shown = play.view(viewer)
        assert (shown.seats[0].deck_count, shown.seats[0].deck_known) == (2, ())
        assert shown.trade_deck_count == 1
        assert "junkyard" not in str(shown)


def test_the_beasts_first_cards_are_unknown_and_the_others_open() -> None:
    play = set_up(2, mode="beast_coop").do("0 end; 1 end")
    hidden = play.state.boss.hidden if play.state.boss else ()
    for viewer in (0, 1, -2):
        boss = play.view(viewer).boss
        assert boss is not None
        assert (boss.facedown_count, boss.unknown, len(boss.facedown)) == (3, 2, 1)
        assert not any(copy in str(play.view(viewer)) for copy in hidden)


def test_a_drawn_card_is_seen_by_its_owner_alone() -> None:
    play = given(hand0="corvette", deck0="ram cutter").do("0 play corvette")
    assert play.view(0).seats[0].hand == ("ram#1",)
    assert "ram" not in str(play.view(1))
    assert play.seen(1).move == {"type": "play_card", "card": "corvette#1"}


def test_shuffles_are_seen_by_nobody() -> None:
    play = set_up()
    for before, seat, move in play.steps:
        for viewer in (0, 1, -2):
            seen = GAME.redact(before, seat, move, viewer)
            is_drawn = isinstance(GAME.turn(before), Chance)
            is_first = move == {"type": "first_player"} or "FirstPlayer" in str(move)
            assert is_drawn
            assert (seen == Seen(None)) is not is_first


def test_the_kept_gambit_is_seen_by_sharing_team_mates() -> None:
    for shares in (True, False):
        play = given(
            "pirates_coop",
            up0="desperate_gambit",
            unclaimed="daring_raid smuggling_run surprise_attack",
            trade=2,
            share_hands=shares,
        ).do("0 pay desperate_gambit 2; ~ daring_raid surprise_attack")
        looked = ("daring_raid#1", "surprise_attack#1")
        assert play.view(1).looked == (looked if shares else ())
        play.do("0 keep daring_raid")
        gambit = "daring_raid#1" if shares else None
        assert play.seen(1).move == {"type": "keep_gambit", "gambit": gambit}
        assert play.seen(-2).move == {"type": "keep_gambit", "gambit": None}
        assert play.view(-2).looked == ()


def test_other_worlds_exchange_hand_and_deck_of_a_seat() -> None:
    play = given(
        hand1="scout#9 ram", deck1="cutter corvette", hand0="viper", deck0="scout#1 missile_bot"
    )
    own = play.state.seats[1]
    everything = {*own.hand, *own.deck}
    hands = set()
    for other in worlds(play, 0):
        assert {*other.seats[1].hand, *other.seats[1].deck} == everything
        assert other.seats[0].hand == play.state.seats[0].hand
        hands.add(other.seats[1].hand)
    assert len(hands) == 12
    assert {other.seats[1].hand for other in worlds(play, 1)} == {own.hand}
    assert len({other.seats[1].deck for other in worlds(play, 1)}) == 2


def test_other_worlds_exchange_the_beasts_first_cards_with_the_trade_deck() -> None:
    play = set_up(2, mode="beast_coop")
    firsts = set()
    for other in worlds(play, 0):
        assert other.boss is not None
        assert len(other.boss.hidden) == 2
        firsts.add(other.boss.hidden)
    assert len(firsts) > 100


def test_other_worlds_exchange_gambits_the_viewer_may_not_see() -> None:
    play = given(
        down0="daring_raid",
        down1="smuggling_run",
        unclaimed="surprise_attack rise_to_power#1",
        up1="energy_shield",
    )
    seen = {other.seats[1].gambits_down for other in worlds(play, 0)}
    assert seen == {("smuggling_run#1",), ("surprise_attack#1",), ("rise_to_power#1",)}
    for other in worlds(play, 0):
        assert other.seats[0].gambits_down == ("daring_raid#1",)
        assert other.seats[1].gambits_up == ("energy_shield#1",)


def test_gambits_of_an_eliminated_seat_are_as_unknown_as_the_unclaimed() -> None:
    play = given(
        "free_for_all", combat=1, authority1=1, down1="smuggling_run", unclaimed="daring_raid"
    ).do("0 attack 1 1")
    assert {other.unclaimed for other in worlds(play, 0)} == {
        ("daring_raid#1",),
        ("smuggling_run#1",),
    }
    assert {other.unclaimed for other in worlds(play, 1)} == {("daring_raid#1",)}


def test_who_has_looked_knows_which_gambits_went_back() -> None:
    play = w_15().do("0 reveal desperate_gambit; 0 pay desperate_gambit 2")
    play.do("~ surprise_attack energy_shield#1; 0 keep surprise_attack")
    shield = play.names.by_name["energy_shield#1"]
    place = play.state.unclaimed.index(shield)
    assert {other.unclaimed[place] for other in worlds(play, 0)} == {shield}
    assert len({other.seats[0].gambits_down for other in worlds(play, 1)}) == 5


def test_a_seen_card_stays_in_its_place_until_it_leaves_hand_and_deck() -> None:
    play = given(up0="rescue_operation", discard0="ram", deck0="scout*3", hand0="scout corvette")
    play.do("0 gambit rescue_operation")
    for other in worlds(play, 1):
        assert other.seats[0].deck[0] == "ram#1"
    play.do("0 play corvette").then(hand0="scout ram")
    assert play.view(1).seats[0].hand_seen == ("ram#1",)
    for other in worlds(play, 1):
        assert other.seats[0].hand[1] == "ram#1"
    play.do("0 play ram")
    assert play.view(1).seats[0].hand_seen == ()
    assert play.state.seats[0].seen == ()


def test_a_seen_card_discarded_at_the_end_of_a_turn_is_drawn_again_unseen() -> None:
    play = given(up0="rescue_operation", discard0="ram", hand0="corvette", deck0="scout*6")
    play.do("0 gambit rescue_operation; 0 play corvette; 0 end").then(discard0="corvette ram")
    assert (play.state.seats[0].seen, play.state.seats[0].counted) == ((), ())
    play.do("1 end; 0 end; ~ ram")
    assert "ram" in play.shown(play.state.seats[0].hand[1])
    assert play.view(1).seats[0].hand_seen == ()


def placed(hand0: str) -> Play:
    """The Beast has put a card of seat 0 on top; team-mates do not share."""
    return (
        given(
            "beast_coop",
            trade_deck="trade_bot",
            row=5,
            deck0="cutter",
            boss_turn=True,
            share_hands=False,
            hand0=hand0,
        )
        .boss_turn()
        .do("~ viper")
    )


def test_a_card_the_beast_put_on_top_is_hidden_from_those_who_may_not_see_the_hand() -> None:
    play = placed(hand0="scout viper")
    tops = {other.seats[0].deck[0] for other in worlds(play, 1)}
    assert len(tops) == 3
    assert len({other.seats[0].deck[0] for other in worlds(play, 0)}) == 1
    assert play.view(0).seats[0].deck_known[0].place == 0


def test_a_hand_that_was_partly_known_stays_whole_with_the_card_on_top() -> None:
    play = given(
        "beast_coop",
        trade_deck="trade_bot trade_bot",
        row=5,
        up0="rescue_operation",
        discard0="ram",
        deck0="scout*8",
        deck1="scout*8",
        share_hands=False,
    ).do("0 gambit rescue_operation; 0 end; 1 end")
    play.do("~ ram")
    own = play.state.seats[0]
    assert own.seen == ()
    assert set(own.counted) == {*own.hand, own.deck[0]}
    assert play.view(1).seats[0].hand_seen == ()
    assert play.view(1).seats[0].deck_known == ()
    for other in worlds(play, 1):
        assert other.seats[0].hand == own.hand
        assert other.seats[0].deck[0] == own.deck[0]
    assert play.view(0).seats[0].deck_known[0].card == own.deck[0]


def test_sealed_answers_are_chosen_anew_in_other_worlds() -> None:
    play = given(
        "beast_coop",
        trade_deck="corvette",
        row=5,
        hand0="scout viper ram",
        hand1="scout viper cutter",
        boss_turn=True,
    ).boss_turn()
    play.do("0 discard scout ram")
    assert len({other.answers[0] for other in worlds(play, 1)}) == 3
    assert len({other.answers[0] for other in worlds(play, 0)}) == 1
    assert len({frozenset(other.answers[0] or ()) for other in worlds(play, -2)}) == 3


def test_sealed_reveals_are_chosen_anew_in_other_worlds() -> None:
    play = set_up(first_player="seat_0", gambits_per_player=1)
    play.do("0 open none")
    answers = {other.answers[0] for other in worlds(play, 1)}
    assert () in answers
    assert len(answers) > 5
    assert {other.answers[0] for other in worlds(play, 0)} == {()}


def test_what_is_still_to_be_shuffled_has_no_order_yet() -> None:
    play = set_up()
    first = play.states[0]
    assert GAME.resample(first, 0, Random(1)) == first


@pytest.mark.parametrize("card", ["ram#1", "cutter#1", "scout#77", "no such card"])
def test_refusals_say_nothing_about_where_a_card_is(card: str) -> None:
    play = given(hand0="scout", hand1="ram", deck0="cutter")
    with pytest.raises(IllegalMove, match=r"^move not offered: play_card$"):
        take(play.turn.offers[0], {"type": "play_card", "card": card})
