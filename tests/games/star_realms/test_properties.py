"""Random matches of every mode and seat count, played so that much happens in them.

PLYSCRIBE_FUZZ is the number of matches in the long run.
"""

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from random import Random
from secrets import token_hex
from typing import Any

import msgspec
import pytest

from games.core.game import CHANCE, Chance, Decision, Over
from games.core.laws import COSTLY_STATE_LAWS, STATE_LAWS, STEP_LAWS, resample_keeps_history
from games.core.moves import Offer, sample
from games.core.walk import Step, random_draw, seeded, viewers
from games.star_realms import GAME, TRIALS
from games.star_realms.moves import (
    EXPLORER,
    Acquire,
    Attack,
    EndTurn,
    PlayCard,
    RevealGambit,
    UseAbility,
)
from games.star_realms.state import AllyTiming, Mode, Options, State
from tests.games.star_realms.build import BOX

SEATS = {
    Mode.DUEL: (2,),
    Mode.FREE_FOR_ALL: (3, 4, 5, 6),
    Mode.BEAST_SOLO: (1,),
    Mode.BEAST_COOP: (2, 3, 4, 5, 6),
    Mode.PIRATES_SOLO: (1,),
    Mode.PIRATES_COOP: (2, 3, 4, 5),
}
TABLES = [(mode, seats) for mode, counts in SEATS.items() for seats in counts]
LONG = int(os.environ.get("PLYSCRIBE_FUZZ", "3000"))
MOST_STEPS = 6_000


def options_of(mode: Mode, seats: int, rng: Random) -> Options:
    return Options(
        mode=mode,
        gambits_per_player=rng.choice((None, 0, 1, 13 // seats)),
        mercenary_cruisers=rng.random() < 0.8,
        trade_decks=rng.choice((1, 1, 2, 3)),
        ally_timing=rng.choice(list(AllyTiming)),
        beast_start_hand=rng.choice((3, 5)),
        share_hands=rng.random() < 0.5,
        turn_limit=rng.choice((0, 0, 25)),
    )


def busy_match(options: Options, seats: int, rng: Random) -> Iterator[Step]:
    """The steps of a match in which turns seldom end early and attacks are strong."""
    state = GAME.new(options, seats)
    for number in range(1, MOST_STEPS + 1):
        turn = GAME.turn(state)
        if isinstance(turn, Over):
            return
        seat, move = _busy_move(turn, rng)
        label = turn.label if isinstance(turn, Chance) else ""
        after = GAME.apply(state, seat, move)
        yield Step(number, state, seat, move, after, label)
        state = after


def _busy_move(turn: Chance | Decision, rng: Random) -> tuple[int, Any]:
    if isinstance(turn, Chance):
        return CHANCE, random_draw(turn.offer, rng)
    seat = rng.choice(sorted(turn.offers))
    offers = turn.offers[seat]
    chosen = _busy_offer(offers, rng)
    if chosen.move is Attack:
        return seat, _strong(chosen, rng)
    return seat, _dear(chosen, rng) if chosen.move is Acquire else sample([chosen], rng)


def _busy_offer(offers: Sequence[Offer], rng: Random) -> Offer:
    """Mostly first what gains something, then what spends it, seldom the end of the turn."""
    gains = [each for each in offers if each.move in (PlayCard, UseAbility, RevealGambit)]
    if gains and rng.random() < 0.8:
        return rng.choice(gains)
    busy = [each for each in offers if each.move is not EndTurn]
    return rng.choice(busy) if busy and rng.random() < 0.97 else offers[-1]


def _strong(each: Offer, rng: Random) -> Any:
    """An attack, mostly with all the combat there is."""
    move: Any = sample([each], rng)
    high: int = each.fields["amount"].high  # type: ignore[union-attr]
    return move if rng.random() < 0.3 else Attack(move.target, high)


def _dear(each: Offer, rng: Random) -> Any:
    """Mostly the card that costs most."""
    cards = each.fields["card"].options  # type: ignore[union-attr]
    dearest = max(cards, key=lambda card: 0 if card == EXPLORER else BOX.of[card].cost)
    return Acquire(str(dearest)) if rng.random() < 0.8 else sample([each], rng)


@pytest.mark.parametrize(("mode", "seats"), TABLES)
def test_cards_are_conserved_and_what_must_hold_holds(mode: Mode, seats: int) -> None:
    for number in range(4):
        _hold(mode, seats, f"conserved {mode} {seats} {number}")


@pytest.mark.fuzz
def test_cards_are_conserved_in_many_matches() -> None:
    seed = token_hex(8)
    for number in range(LONG):
        _hold(*TABLES[number % len(TABLES)], f"{seed} {number}")


def _hold(mode: Mode, seats: int, seed: str) -> None:
    rng = seeded(seed)
    options = options_of(mode, seats, rng)
    last = None
    for step in busy_match(options, seats, rng):
        last = step.after
        wrong = GAME.invariants(last) or _between_turns(step)
        assert wrong is None, (seed, step.number, step.move, wrong)
    assert last is not None
    assert isinstance(GAME.turn(last), Over), seed


def _between_turns(step: Step) -> str | None:
    """What holds when a turn begins, and when a step lies within one."""
    before, after = step.before, step.after
    assert isinstance(before, State)
    if after.ending is not None or after.turn == before.turn:
        lowered = [
            s for s, own in enumerate(after.seats) if own.authority < before.seats[s].authority
        ]
        is_fight = isinstance(step.move, Attack) or (after.boss and after.boss.acting)
        fits = after.ending is not None or is_fight or not lowered
        return None if fits else "authority lowered by no attack"
    gained = sum("frontier_fleet" in each for own in after.seats for each in own.gambits_up)
    if after.trade or after.combat > gained:
        return "a pool has outlived its turn"
    for seat, own in enumerate(after.seats):
        is_due = after.boss is not None or seat == after.active
        if is_due and (own.played or own.done or own.topdeck.mandatory + own.topdeck.optional):
            return "a turn begins with what was played"
        if is_due and any(each.used for each in own.in_play):
            return "a turn begins with used abilities"
    return _hands(before, after)


def _hands(before: State, after: State) -> str | None:
    """Whoever has just drawn holds five cards, or all there are outside play."""
    if before.turn == 0 or after.boss is not None:
        return None
    own = after.seats[before.active]
    fits = own.out or len(own.hand) == 5 or not (own.deck or own.discard)
    return None if fits else "a hand has not five cards"


@pytest.mark.parametrize("number", range(len(TRIALS)))
def test_the_laws_hold_where_much_happens(number: int) -> None:
    options, seats = TRIALS[number]
    assert isinstance(options, Options)
    rng = seeded(f"laws {number}")
    for step in busy_match(options, seats, rng):
        if rng.random() < 0.06:
            for law in (*STATE_LAWS, *COSTLY_STATE_LAWS):
                wrong = law(GAME, seats, step.after, rng)
                assert wrong is None, (law, step)
            for step_law in STEP_LAWS:
                assert step_law(GAME, seats, step, rng) is None, (step_law, step)
            assert resample_keeps_history(GAME, seats, step.after, rng) is None, step


def test_a_boss_takes_a_card_each_turn_while_the_row_has_any() -> None:
    for seed in range(6):
        taken = [0]
        for step in busy_match(Options(mode=Mode.BEAST_COOP), 2, seeded(f"beast {seed}")):
            assert step.after.boss is not None
            if step.after.turn > step.before.turn and step.before.turn:
                taken.append(len(step.after.boss.taken))
        assert all(later == earlier + 1 for earlier, later in pairwise(taken))


def test_every_kind_of_question_and_draw_comes_up() -> None:
    """So that the laws above are held against all of them."""
    kinds: Counter[str] = Counter()
    for number, (mode, seats) in enumerate(TABLES * 4):
        rng = seeded(f"kinds {number}")
        for step in busy_match(options_of(mode, seats, rng), seats, rng):
            kinds[type(step.move).__name__] += 1
    assert {each.__name__ for each in GAME.move.__args__} == set(kinds)


def test_every_card_is_played_and_every_gambit_used_somewhere() -> None:
    seen: set[str] = set()
    for number in range(40):
        rng = seeded(f"cards {number}")
        for step in busy_match(Options(gambits_per_player=6), 2, rng):
            for own in step.after.seats:
                seen.update(each.card.partition("#")[0] for each in own.played)
            seen.update(each.partition("#")[0] for each in step.after.gambit_scrap)
    assert {*BOX.kinds, *BOX.gambit_kinds} - seen == {"frontier_fleet"}


def test_a_state_does_not_grow_with_its_history() -> None:
    """What a step costs depends on the cards of the match, not on the steps before it."""
    rng = seeded("long")
    options = Options(mode=Mode.FREE_FOR_ALL, gambits_per_player=2)
    state, sizes, number = GAME.new(options, 6), [], 0
    while number < 3_000:
        turn = GAME.turn(state)
        if isinstance(turn, Over):
            break
        seat, move = _busy_move(turn, rng)
        if isinstance(move, Attack):
            move = EndTurn()
        state = GAME.apply(state, seat, move)
        number += 1
        sizes.append(len(msgspec.json.encode(state)))
    assert number == 3_000
    assert max(sizes) < 16_000
    assert max(sizes[2_000:]) < 1.5 * max(sizes[:1_000])


def test_views_of_a_long_match_stay_small() -> None:
    rng = seeded("views")
    for step in busy_match(Options(mode=Mode.PIRATES_COOP), 5, rng):
        for viewer in viewers(5):
            assert len(msgspec.json.encode(GAME.view(step.after, viewer))) < 16_000
