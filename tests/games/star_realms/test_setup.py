"""Rules SR-01 to SR-10: setting up, and options that are refused."""

from typing import Any

import msgspec
import pytest

from games.core.game import SEALED, Chance, OptionsRefused, Seen
from games.star_realms import GAME
from games.star_realms.state import Options
from tests.games.star_realms.build import BOX, Play, started


def set_up(seats: int = 2, first: str = "", **options: Any) -> Play:
    """All draws made; the first player is drawn as given."""
    play = started(seats, **options)
    while isinstance(play.turn, Chance):
        play.do(f"~ {first}" if play.turn.label == "first player" else "~")
    return play


def labels(seats: int, **options: Any) -> list[str]:
    play, found = started(seats, **options), []
    while isinstance(play.turn, Chance):
        found.append(play.turn.label)
        play.do("~")
    return found


def hands(play: Play) -> list[int]:
    return [len(own.hand) for own in play.state.seats]


def kinds(copies: tuple[str, ...]) -> list[str]:
    return [copy.partition("#")[0] for copy in copies]


def test_sr_01_a_duel_has_two_seats_of_50_authority() -> None:
    set_up().then(authority0=50, authority1=50)
    with pytest.raises(OptionsRefused, match="/seats"):
        GAME.new(Options(), 3)


def test_sr_02_each_deck_is_eight_scouts_and_two_vipers() -> None:
    for seat, own in enumerate(set_up().state.seats):
        cards = kinds(own.hand + own.deck)
        assert (cards.count("scout"), cards.count("viper"), len(cards)) == (8, 2, 10)
        assert f"scout#{8 * seat + 8}" in own.hand + own.deck
        assert not own.discard + own.in_play
        assert own.shuffles == 1


def test_sr_03_the_trade_deck_holds_core_cards_and_cruisers_alone() -> None:
    for cruisers, count in ((True, 83), (False, 80)):
        state = set_up(mercenary_cruisers=cruisers).state
        cards = (*state.trade_deck, *filter(None, state.trade_row))
        assert len(cards) == count
        assert ("mercenary_cruiser" in kinds(cards)) is cruisers
        assert all(BOX.of[copy].set in ("core", "gambit") for copy in cards)
    assert len(set_up(trade_decks=3).state.trade_deck) == 3 * 80 + 3 - 5


def test_sr_04_the_row_is_the_top_of_the_shuffled_deck() -> None:
    play = started().do("~ ram cutter war_world junkyard corvette")
    play.then(row="ram cutter war_world junkyard corvette")


def test_sr_05_ten_explorers_for_each_trade_deck() -> None:
    set_up().then(explorers=10)
    set_up(trade_decks=2).then(explorers=20)


def test_sr_06_the_first_player_of_a_duel_starts_with_three_cards_the_other_with_five() -> None:
    assert hands(set_up(first="1")) == [5, 3]
    assert hands(set_up(first="0")) == [3, 5]
    assert hands(set_up(first_player="seat_0")) == [3, 5]
    assert "first player" not in labels(2, first_player="seat_0")


def test_sr_07_a_free_for_all_starts_with_three_four_and_five_cards() -> None:
    assert hands(set_up(4, "3", mode="free_for_all")) == [4, 5, 5, 3]


def test_sr_08_gambits_are_dealt_in_equal_number() -> None:
    for count in (1, 6):
        state = set_up(gambits_per_player=count).state
        assert [len(own.gambits_down) for own in state.seats] == [count, count]
        assert len(state.unclaimed) == 13 - 2 * count
    play = set_up(gambits_per_player=0)
    assert play.state.unclaimed == ()
    assert play.asked()[0] == "main"
    for seats, most in ((3, 4), (6, 2)):
        chosen = {"mode": "free_for_all", "gambits_per_player": most + 1}
        with pytest.raises(OptionsRefused, match="/gambits_per_player"):
            GAME.new(msgspec.convert(chosen, Options), seats)


def test_sr_08_they_are_dealt_one_at_a_time_from_seat_0() -> None:
    play = started(3, mode="free_for_all").do("~; ~")
    play.do("~ daring_raid smuggling_run surprise_attack unlikely_alliance")
    play.then(down0="daring_raid unlikely_alliance", down2="surprise_attack energy_shield")


def test_sr_09_gambits_never_lie_among_cards() -> None:
    state = set_up().state
    for own in state.seats:
        cards = own.hand + own.deck + own.discard
        assert not any(copy in BOX.gambit_of for copy in cards)
    assert not any(copy in BOX.gambit_of for copy in state.trade_deck)


def test_sr_09_one_may_always_look_at_ones_own() -> None:
    play = set_up()
    down = play.state.seats[0].gambits_down
    assert play.view(0).seats[0].gambits_down == down
    assert play.view(1).seats[0].gambits_down is None


def test_sr_10_all_seats_reveal_any_number_at_the_same_time() -> None:
    play = set_up(3, "1", mode="free_for_all")
    assert play.asked() == ("reveal_opening", (0, 1, 2))
    assert play.turn.mode is SEALED
    assert [play.count(seat) for seat in range(3)] == [4, 4, 4]
    names = [" ".join(own.gambits_down) for own in play.state.seats]
    play.do(f"2 open {names[2]}; 0 open none")
    assert all(own.gambits_up == () for own in play.state.seats)
    assert play.seen(1) == Seen(None)
    first, second = play.state.seats[1].gambits_down
    play.do(f"1 open {second}")
    assert [len(own.gambits_up) for own in play.state.seats] == [0, 1, 2]
    own = play.state.seats[1]
    assert (own.gambits_down, own.gambits_up) == ((first,), (second,))
    assert play.state.active == 1


def test_sr_10_also_a_single_seat_is_asked() -> None:
    play = set_up(1, mode="pirates_solo", gambits_per_player=2)
    assert play.asked() == ("reveal_opening", (0,))
    play.do("0 open none")
    assert play.seen(-2) == Seen({"type": "reveal_opening", "gambits": []})


def test_the_draws_are_labelled_in_their_order() -> None:
    assert labels(2) == [
        "trade deck",
        "first player",
        "gambits",
        "deck of seat 0, shuffle 1",
        "deck of seat 1, shuffle 1",
    ]
    decks = [f"deck of seat {seat}, shuffle 1" for seat in range(3)]
    assert labels(3, mode="beast_coop") == ["trade deck", *decks]


def test_what_is_to_be_shuffled_is_listed_by_kind_then_by_number() -> None:
    play = started()
    assert isinstance(play.turn, Chance)
    options = play.turn.offer.fields["order"].options  # type: ignore[union-attr]
    assert options[:4] == (
        "federation_shuttle#1",
        "federation_shuttle#2",
        "federation_shuttle#3",
        "cutter#1",
    )
    assert options[-1] == "mercenary_cruiser#3"


def test_boundaries_of_setting_up() -> None:
    play = started()
    while isinstance(play.turn, Chance):
        play.then(boundary="setup").do("~")
    play.then(boundary="opening").do("0 open none; 1 open none").then(boundary="turn 1")


def test_the_beast_gets_its_first_cards_after_the_row() -> None:
    play = started(2, mode="beast_coop").do("~ ram cutter war_world junkyard corvette trade_pod")
    assert play.state.boss is not None
    assert kinds(play.state.boss.hidden) == ["trade_pod", "federation_shuttle"]
    assert play.state.boss.taken == ()


@pytest.mark.parametrize(
    ("options", "seats", "pointer"),
    [
        ({"mode": "free_for_all"}, 2, "/seats"),
        ({"mode": "free_for_all"}, 7, "/seats"),
        ({"mode": "beast_solo"}, 2, "/seats"),
        ({"mode": "pirates_solo"}, 2, "/seats"),
        ({"mode": "beast_coop"}, 1, "/seats"),
        ({"mode": "pirates_coop"}, 6, "/seats"),
        ({"gambits_per_player": 7}, 2, "/gambits_per_player"),
        ({"gambits_per_player": -1}, 2, "/gambits_per_player"),
        ({"trade_decks": 0}, 2, "/trade_decks"),
        ({"trade_decks": 4}, 2, "/trade_decks"),
        ({"turn_limit": -1}, 2, "/turn_limit"),
        ({"turn_limit": 1001}, 2, "/turn_limit"),
    ],
)
def test_options_out_of_range_are_refused(
    options: dict[str, Any], seats: int, pointer: str
) -> None:
    with pytest.raises(OptionsRefused) as refused:
        GAME.new(msgspec.convert(options, Options), seats)
    assert refused.value.pointer == pointer


@pytest.mark.parametrize(
    "options",
    [
        Options(mode="party"),  # type: ignore[arg-type]
        Options(beast_start_hand=4),  # type: ignore[arg-type]
        Options(share_hands=1),  # type: ignore[arg-type]
        Options(mercenary_cruisers="no"),  # type: ignore[arg-type]
        Options(trade_decks=True),
        Options(ally_timing="now"),  # type: ignore[arg-type]
    ],
)
def test_options_of_the_wrong_kind_are_refused(options: Options) -> None:
    with pytest.raises(OptionsRefused):
        GAME.new(options, 2)


@pytest.mark.parametrize(
    ("mode", "seats", "cards"),
    [("duel", 2, 113), ("beast_coop", 3, 123), ("pirates_coop", 4, 133), ("beast_solo", 1, 103)],
)
def test_the_number_of_cards(mode: str, seats: int, cards: int) -> None:
    state = set_up(seats, mode=mode).state
    hidden = () if state.boss is None else state.boss.hidden
    held = sum(len(own.hand + own.deck) for own in state.seats)
    total = len(state.trade_deck) + len(state.explorers) + 5 + len(hidden) + held
    assert total == cards
