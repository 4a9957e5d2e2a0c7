"""The rules of High card, one test for each."""

from typing import Any

import pytest
from msgspec.structs import replace

from games.core.game import OPEN, SPECTATOR, Chance, Decision, OptionsRefused, Over
from games.core.moves import IllegalMove, take, wire_move
from tests.games.high_card.game import (
    GAME,
    AnyMove,
    Arrange,
    Choose,
    Deal,
    Options,
    Ring,
    Speak,
    State,
    Waive,
    apply,
    fallback,
    redact,
    turn,
    view,
)

ORDER = (3, 8, 10, 1, 5, 6, 2, 4, 7, 9)  # seat 0 holds 3 and 8, seat 1 10 and 1, seat 2 5 and 6


def played(*moves: tuple[int, AnyMove], seats: int = 3, **options: Any) -> State:
    state = GAME.new(Options(**options), seats)
    for seat, move in moves:
        state = apply(state, seat, move)
    return state


def asked(state: State) -> Decision:
    now = turn(state)
    assert isinstance(now, Decision)
    return now


DEALT = (-1, Deal(ORDER))
CHOSEN = (DEALT, (0, Arrange((8, 3))), (1, Choose(10)), (0, Choose(8)), (2, Choose(5)))


def test_hc_01_two_to_four_seats_play_the_agreed_rounds() -> None:
    for seats in (1, 5):
        with pytest.raises(OptionsRefused, match="two to four"):
            GAME.new(Options(), seats)
    assert isinstance(turn(played(*CHOSEN, (0, Waive()), rounds=1)), Over)
    assert isinstance(turn(played(*CHOSEN, (0, Waive()), rounds=2)), Chance)


def test_hc_02_two_cards_each_and_the_rest_stays_hidden() -> None:
    state = played(DEALT)
    assert state.hands == ((3, 8), (10, 1), (5, 6))
    assert view(state, 1).hand == (10, 1)
    assert view(state, SPECTATOR).hand is None
    assert redact(played(), -1, Deal(ORDER), 1).move == {
        "type": "deal",
        "cards": [None, None, 10, 1, *[None] * 6],
    }


def test_hc_03_the_leader_may_reorder_and_nobody_learns_anything() -> None:
    state = played(DEALT)
    assert list(asked(state).offers) == [0]
    after = apply(state, 0, Arrange((8, 3)))
    assert after.hands[0] == (8, 3)
    assert [view(after, seat) for seat in (1, 2)] == [
        replace(view(state, seat), phase="choose") for seat in (1, 2)
    ]
    assert list(asked(played(*CHOSEN, (0, Waive()), DEALT)).offers) == [1]


def test_hc_04_choices_show_when_all_have_chosen() -> None:
    state = played(*CHOSEN[:4])
    assert view(state, 2).has_chosen == (True, True, False)
    assert view(state, 2).shown == ()
    assert redact(played(*CHOSEN[:3]), 0, Choose(8), 2).move == {"type": "choose", "card": None}
    last = redact(state, 2, Choose(5), SPECTATOR)
    assert last.move == wire_move(Choose(5))
    assert last.reveals == ((0, wire_move(Choose(8))), (1, wire_move(Choose(10))))
    assert view(played(*CHOSEN), SPECTATOR).shown == (8, 10, 5)


def test_hc_05_the_ringer_wins_or_loses_the_stake() -> None:
    state = played(*CHOSEN, rounds=1)
    assert asked(state).mode is OPEN
    assert list(asked(state).offers) == [0, 1, 2]
    assert apply(state, 1, Ring(2)).points == (0, 5, 0)
    assert apply(state, 2, Ring(2)).points == (0, 3, -2)
    with pytest.raises(IllegalMove):
        take(asked(state).offers[0], {"type": "ring", "stake": 3})


def test_hc_06_the_highest_card_scores_and_ties_share_a_rank() -> None:
    over = turn(played(*CHOSEN, (0, Waive()), rounds=1))
    assert over == Over((0, 3, 0), (2, 1, 2))


def test_hc_07_words_change_nothing() -> None:
    state = played(DEALT)
    assert take(asked(state).asides[2], {"type": "speak", "text": "hm"}) == Speak("hm")
    assert apply(state, 2, Speak("hm")) == state
    assert asked(played(DEALT, talk=False)).asides == {}


def test_hc_08_an_absent_seat_keeps_its_order_and_waives() -> None:
    assert fallback(played(DEALT), 0) == Arrange((3, 8))
    assert fallback(played(*CHOSEN[:2]), 1) == Choose(10)
    assert fallback(played(*CHOSEN), 1) == Waive()
