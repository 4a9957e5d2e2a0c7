"""Rules SR-90 and SR-96 to SR-99: who is out, and how a match ends."""

from events.decide import Resign
from events.types import Outcome, Start, Status, Terminal
from games.core.game import Chance, Over
from games.star_realms import GAME
from games.star_realms.state import Mode, Options
from tests.events.scripted import Table
from tests.games.star_realms.build import given


def test_sr_90_without_authority_a_player_is_out_at_once() -> None:
    play = given(combat=9, authority1=5, hand0="scout", deck0="scout*3").do("0 attack 1 9")
    assert play.over() == Over((50, -4), (1, 2), "elimination")
    play.then(hand0="scout")


def test_sr_96_an_eliminated_seat_leaves_with_all_it_has() -> None:
    play = given(
        "free_for_all",
        combat=9,
        authority1=5,
        hand1="ram",
        deck1="cutter",
        discard1="viper",
        play1="blob_wheel",
        down1="daring_raid",
        up1="energy_shield",
        deck0="scout*5",
    ).do("0 attack 1 9")
    play.then(hand1="", deck1="", discard1="", play1="", down1="", up1="", authority1=-3)
    removed = " ".join(play.state.removed)
    assert all(kind in removed for kind in ("ram#", "cutter#", "viper#", "blob_wheel#"))
    assert not play.view(0).seats[1].alive
    assert "daring_raid" not in str(play.view(0))
    play.do("0 end").then(active=2)


def test_sr_96_the_turn_order_passes_over_it_and_the_last_one_wins() -> None:
    play = given("free_for_all", combat=2, authority1=1, authority2=1, deck0="scout*5")
    play.do("0 attack 2 1; 0 attack 1 1")
    assert play.over() == Over((50, 0, 0), (1, 2, 3), "elimination")
    outcome = play.view().outcome
    assert outcome is not None
    assert outcome.ranking == ((0,), (1,), (2,))


def test_sr_97_a_turn_limit_ends_a_duel_by_authority() -> None:
    play = given(turn_limit=2, authority0=40, deck0="scout*5").do("0 end")
    assert play.over() == Over((40, 50), (2, 1), "turn_limit")
    given(turn_limit=3, deck0="scout*5").do("0 end").then(turn=3)


def test_sr_97_equals_share_their_rank_above_the_eliminated() -> None:
    play = given("free_for_all", seats=4, turn_limit=2, authority3=1, combat=1, deck0="scout*5")
    play.do("0 attack 3 1; 0 end")
    assert play.over() == Over((50, 50, 50, 0), (1, 1, 1, 4), "turn_limit")


def test_sr_97_at_a_turn_limit_a_team_has_lost_after_the_boss_turn() -> None:
    play = given("beast_solo", turn_limit=2, trade_deck="cutter", row=5, deck0="scout*5").do(
        "0 end"
    )
    assert play.over() == Over((49,), (2,), "turn_limit")


def test_sr_98_nothing_else_ends_a_match() -> None:
    assert GAME.bound(Options(), 2) is None
    play = given(deck0="scout*5", deck1="scout*5", explorers=0)
    for _ in range(60):
        play.do(f"{play.state.active} end")
        while isinstance(play.turn, Chance):
            play.do("~")
    play.then(authority0=50, authority1=50)


def test_sr_99_when_the_last_player_is_out_the_rest_is_not_played() -> None:
    play = given(
        "pirates_coop",
        seats=3,
        authority0=3,
        authority1=3,
        authority2=3,
        row=5,
        trade_deck="ram corvette cutter",
        boss_turn=True,
    ).boss_turn()
    assert play.over() == Over((-6, -1, -1), (2, 2, 2), "team_defeated")
    play.then(boss=75 + 4)


def test_sr_96_a_match_in_which_all_who_are_left_resign_is_given_up() -> None:
    """Their fallbacks would end turn after turn for ever."""
    play = given("free_for_all", seats=4, combat=2, authority1=1, authority2=1, deck0="scout*5")
    play.do("0 attack 1 1; 0 attack 2 1")
    assert GAME.out(play.state) == (1, 2)
    log = Table(GAME, 4, Options(mode=Mode.FREE_FOR_ALL), start=Start.MANUAL)
    log.set_position(play.state)
    log.do(Resign(3))
    assert log.current.status is Status.RUNNING
    log.do(Resign(0))
    assert log.current.outcome == Outcome(Terminal.RESIGNED, (3, 1, 1, 4), None, "")
