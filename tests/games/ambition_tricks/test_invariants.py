"""What holds in every random hand."""

from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from games.ambition_tricks import GAME, TRIALS
from games.ambition_tricks.cards import Card, Suit, cards_in
from games.ambition_tricks.moves import Pass
from games.ambition_tricks.state import (
    POOL,
    Direction,
    Label,
    NilBy,
    Options,
    PassCycle,
    Phase,
    ScoredHand,
    State,
    Ties,
    Trick,
    actor,
    direction,
    points,
    tricks_won,
)
from games.ambition_tricks.view import View
from games.core.game import Decision, Over
from games.core.laws import Report, check_match
from games.core.moves import count, wire_offer
from games.core.walk import Step, random_match, seeded
from tests.games.ambition_tricks.build import sample

MATCHES = 60
LONG = Options(max_hands=8, target_score=1000)


def matches(options: Options, number: int = MATCHES) -> Iterator[list[Step]]:
    for seed in range(number):
        yield list(random_match(GAME, options, 4, seeded(f"match {seed}")))


def hands(steps: list[Step]) -> tuple[ScoredHand, ...]:
    state: State = steps[-1].after
    return state.history


@pytest.mark.parametrize("nil_by", NilBy)
def test_every_hand_has_80_points_and_one_slam_or_strikes(nil_by: NilBy) -> None:
    seen: list[ScoredHand] = []
    for steps in matches(replace(LONG, nil_by=nil_by)):
        seen += hands(steps)
    assert len(seen) == 8 * MATCHES
    for hand in seen:
        assert sum(hand.points) == POOL
        assert sum(hand.tricks_won) == 13
        slams, strikes = hand.labels.count(Label.SLAM), hand.labels.count(Label.STRIKE)
        assert (slams == 1) != (strikes > 0)
        for award, own in zip(hand.awards, hand.points, strict=True):
            assert award in (0, 10, 20, 40) or (award == own and 10 <= own <= 39)
    assert {label for hand in seen for label in hand.labels} == {*Label}


def test_at_every_step_cards_points_and_tricks_are_conserved() -> None:
    for steps in matches(replace(LONG, max_hands=2), 20):
        for step in steps:
            state: State = step.after
            assert GAME.invariants(state) is None
            view = GAME.view(state, 0)
            assert isinstance(view, View)
            assert view.pool + sum(points(state)) == POOL
            assert sum(tricks_won(state)) == len(state.tricks)


def test_totals_never_fall_and_end_below_the_target_and_a_slam() -> None:
    for steps in matches(Options(), 40):
        totals = [hand.totals for hand in hands(steps)]
        assert [*map(max, totals)] == sorted(map(max, totals))
        assert 100 <= max(totals[-1]) < 140
        assert all(max(each) < 100 for each in totals[:-1])


def test_offers_hold_what_the_rules_allow_and_no_more() -> None:
    for steps in matches(replace(LONG, max_hands=4), 6):
        for step in steps:
            turn, state = GAME.turn(step.before), step.before
            if isinstance(turn, Decision):
                for seat, (each,) in turn.offers.items():
                    (field,) = wire_offer(each)["fields"].values()
                    offered = [Card(code) for code in field["options"]]
                    assert offered == legal(state, seat)
                    if each.move is Pass:
                        is_scatter = direction(state) is Direction.SCATTER
                        assert count([each]) == (1716 if is_scatter else 286)


def legal(state: State, seat: int) -> list[Card]:
    """The legal cards by the words of AT-11, AT-16, AT-20, AT-22 and AT-23."""
    hand = cards_in(state.hands[seat])
    led = {Phase.KICKOFF: Suit.DIAMONDS}.get(state.phase)
    if state.phase is Phase.PLAY:
        assert seat == actor(state)
        led = state.trick[0].suit if state.trick else None
    return [card for card in hand if card.suit is led] or [*hand]


def test_the_winner_played_the_led_suit_and_a_woken_two_wins() -> None:
    for steps in matches(replace(LONG, max_hands=3), 20):
        tricks = {id(trick): trick for step in steps for trick in step.after.tricks}
        for trick in tricks.values():
            won_by_the_rules(trick)


def won_by_the_rules(trick: Trick) -> None:
    led = Suit.DIAMONDS if trick.leader is None else trick.cards[0].suit
    winning = trick.cards[(trick.winner - (trick.leader or 0)) % 4]
    suit = [card for card in trick.cards if card.suit is led]
    assert winning in suit
    if any(card[0] in "JQKA" for card in suit) and any(card[0] == "2" for card in suit):
        assert winning[0] == "2"
    else:
        assert winning.rank == max(card.rank for card in suit)


def test_a_hand_has_52_moves() -> None:
    for steps in matches(replace(LONG, max_hands=2), 10):
        assert sum(step.seat >= 0 for step in steps) == 104


def test_the_trials_end_under_random_play() -> None:
    for options, seats in TRIALS:
        steps = list(random_match(GAME, options, seats, seeded("trial")))
        assert isinstance(GAME.turn(steps[-1].after), Over)
    assert {o.pass_cycle for o, _ in TRIALS if isinstance(o, Options)} == {*PassCycle}
    assert {o.ties for o, _ in TRIALS if isinstance(o, Options)} == {*Ties}


def test_the_laws_hold_for_the_short_trials() -> None:
    """A pass gives cards to be seen, the last play of trick 12 turns up trick 13."""
    for number in range(2, len(TRIALS)):
        report = Report(GAME.slug, "tricks")
        check_match(GAME, "tricks", number, report)


@pytest.mark.parametrize(
    ("broken", "wrong"),
    [
        ({"hands": (0, 0, 0, 0)}, "a card is lost"),
        ({"hands": (1, 1, 0, 0)}, "a card twice"),
        ({"trick": (Card("2C"),)}, "a card twice"),
        ({"phase": Phase.KICKOFF}, "the cards change hands with the fourth pass"),
        ({"phase": Phase.DEAL}, "cards lie about before the deal"),
        ({"kickoff": (Card("2D"), None, None, None)}, "a kickoff card that may not be played"),
        (
            {"passed": ((Card("2S"), Card("AH"), Card("3C")), (), (), ())},
            "a pass of other cards than were dealt",
        ),
    ],
)
def test_a_broken_state_is_found(broken: dict[str, object], wrong: str) -> None:
    state = sample().state
    assert GAME.invariants(state) is None
    assert GAME.invariants(replace(state, **broken)) == wrong
