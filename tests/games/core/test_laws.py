"""Every law can fail: a defect is planted for each, and the law finds it."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace as with_
from itertools import count as counter
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from msgspec.structs import force_setattr, replace

from games.core import laws, secrecy, soundness
from games.core.game import AnyGame, Chance, Decision, Over, Seat, Seen, Viewer
from games.core.laws import LawBroken, Report, check, check_match
from games.core.moves import Choice, Offers, Wire, offer, one_of, take, wire_move
from games.core.walk import Step, random_match, seeded
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
    View,
    Waive,
    apply,
    fallback,
    redact,
    turn,
    view,
)

Turn = Chance | Decision | Over


def test_the_game_without_a_defect_breaks_no_law() -> None:
    report = check(GAME, "sound", 30)
    assert report.failure is None
    assert report.matches == 30
    assert report.steps > 200
    assert report.followed_steps > 20
    imagining = secrecy.imagined_worlds_look_the_same
    ran = {*laws.STATE_LAWS, *laws.COSTLY_STATE_LAWS, *laws.STEP_LAWS, imagining}
    assert {law.__name__ for law in ran} <= set(report.checks)


# Defects in `turn`.


def in_phase(phase: str, change: Callable[[State, Decision], Turn]) -> AnyGame:
    """The game with other turns in one phase that asks seats."""

    def changed(state: State) -> Turn:
        before = turn(state)
        if state.phase == phase and isinstance(before, Decision):
            return change(state, before)
        return before

    return with_(GAME, turn=changed)


def drawn_with(choice: Callable[[tuple[int, ...]], Choice]) -> AnyGame:
    def changed(state: State) -> Turn:
        if state.phase != "deal":
            return turn(state)
        return Chance("deal", offer(Deal, cards=choice(tuple(sorted(state.deck)))))

    return with_(GAME, turn=changed)


def over_with(over: Over) -> AnyGame:
    return with_(GAME, turn=lambda state: over if state.phase == "over" else turn(state))


nobody = in_phase("ring", lambda state, old: replace(old, offers={}))
no_offers = in_phase("ring", lambda state, old: replace(old, offers={0: ()}))
no_seat = in_phase("ring", lambda state, old: replace(old, offers={7: old.offers[0]}))
no_filling = in_phase(
    "ring", lambda state, old: replace(old, offers={0: (offer(Ring, stake=one_of([])),)})
)
field_missing = in_phase("ring", lambda state, old: replace(old, offers={0: (offer(Ring),)}))
option_twice = in_phase(
    "ring", lambda state, old: replace(old, offers={0: (offer(Ring, stake=one_of([1, 1])),)})
)
too_many_picks = in_phase(
    "ring",
    lambda state, old: replace(old, offers={0: (offer(Ring, stake=Choice((1, 2), 1, 2)),)}),
)
same_offer_twice = in_phase(
    "ring", lambda state, old: replace(old, offers={0: (offer(Waive), offer(Waive))})
)
hidden_bounds = in_phase(
    "ring",
    lambda state, old: replace(
        old, offers=dict.fromkeys(old.offers, (offer(Ring, stake=one_of([state.deck[0]])),))
    ),
)
hidden_order = in_phase(
    "choose",
    lambda state, old: replace(
        old,
        offers={
            seat: (offer(Choose, card=one_of(sorted(state.hands[seat])[:: 1 - 2 * odd])),)
            for seat in old.offers
            for odd in [state.deck[0] % 2]
        },
    ),
)
hidden_kind = in_phase("ring", lambda state, old: replace(old, kind=f"ring {state.deck[0]}"))
lowest_skips = in_phase(
    "ring",
    lambda state, old: replace(
        old, offers={s: own for s, own in old.offers.items() if state.hands[s][0] > 2}
    ),
)


# Defects in `apply`.


def applied_with(change: Callable[[State, Seat, AnyMove, State], State]) -> AnyGame:
    """The game with a change made after each move: (before, seat, move, after)."""
    return with_(
        GAME, apply=lambda state, seat, move: change(state, seat, move, apply(state, seat, move))
    )


def on(kind: type, change: Callable[[State, Seat, Any, State], State]) -> AnyGame:
    return applied_with(
        lambda before, seat, move, after: (
            change(before, seat, move, after) if isinstance(move, kind) else after
        )
    )


def scored(state: State, seat: Seat, points: int) -> State:
    changed = list(state.points)
    changed[seat] += points
    return replace(state, points=tuple(changed))


def failing(*_: Any) -> Any:
    raise ZeroDivisionError


def overwritten(before: State, seat: Seat, move: AnyMove, after: State) -> State:
    force_setattr(before, "round", before.round + 1)
    return after


def first_of_all(before: State, seat: Seat) -> bool:
    return all(card is None for card in before.chosen)


clock = counter()
loses_a_card = on(Deal, lambda before, seat, move, after: replace(after, deck=after.deck[1:]))
no_waiving = on(Waive, failing)
overwrites = applied_with(overwritten)
ticks = applied_with(lambda b, seat, m, after: scored(after, 0, next(clock)))
length_counts = on(Speak, lambda b, seat, move, after: scored(after, seat, len(move.text)))
word_ends = on(Speak, lambda b, seat, m, after: replace(after, phase="ring"))
haste_pays = on(Choose, lambda b, seat, m, after: scored(after, seat, first_of_all(b, seat)))
one_is_enough = on(Choose, lambda b, seat, m, after: replace(after, phase="ring"))


# Defects in what is known.


def seen_with(change: Callable[[State, Viewer, View], View]) -> AnyGame:
    return with_(GAME, view=lambda state, viewer: change(state, viewer, view(state, viewer)))


def redacted_with(change: Callable[[State, Seat, AnyMove, Viewer, Seen], Seen]) -> AnyGame:
    def changed(before: State, seat: Seat, move: AnyMove, viewer: Viewer) -> Seen:
        return change(before, seat, move, viewer, redact(before, seat, move, viewer))

    return with_(GAME, redact=changed)


def blanked(seat: Seat, viewer: Viewer, seen: Seen) -> Seen:
    """The answer that completes the sealed ones, seen as if it opened nothing."""
    if seen.move is None or seen.move["type"] != "choose":
        return seen
    return seen if viewer == seat else Seen({**seen.move, "card": None})


def misquoted(seen: Seen) -> Seen:
    false: tuple[tuple[Seat, Wire], ...] = tuple(
        (seat, {**answer, "card": answer["card"] + 1}) for seat, answer in seen.reveals
    )
    return replace(seen, reveals=false)


deck_shown = seen_with(lambda state, viewer, own: replace(own, shown=state.deck[:1]))
no_public = seen_with(lambda state, viewer, own: failing() if viewer < 0 else own)
own_order_lost = with_(
    GAME,
    resample=lambda state, viewer, rng: replace(
        state, hands=tuple(hand[::-1] for hand in state.hands)
    ),
)
card_doubled = with_(
    GAME, resample=lambda state, viewer, rng: replace(state, deck=state.deck[1:] * 2)
)
boundary_tells = with_(GAME, boundary=lambda state: f"card {state.deck[0]}")
unopened = redacted_with(lambda b, seat, m, viewer, seen: blanked(seat, viewer, seen))
other_values = redacted_with(
    lambda b, s, move, v, seen: Seen({"type": "ring", "stake": 3}) if type(move) is Ring else seen
)
not_even_own = redacted_with(
    lambda b, s, move, v, seen: (
        Seen({**wire_move(move), "card": None}) if type(move) is Choose else seen
    )
)
field_dropped = redacted_with(
    lambda b, s, move, v, seen: Seen({"type": "choose"}) if type(move) is Choose else seen
)
false_reveals = redacted_with(lambda b, s, m, v, seen: misquoted(seen))
order_shows = seen_with(
    lambda state, viewer, own: (
        replace(own, shown=tuple(hand[0] for hand in state.hands))
        if state.phase == "choose" and len(state.hands[0]) == 2
        else own
    )
)
out_is_hidden = with_(GAME, out=lambda state: (7,) if state.deck[0] > 5 else ())
strong_rings = with_(
    GAME,
    fallback=lambda state, seat: (
        Ring(0) if state.phase == "ring" and state.hands[seat][0] > 5 else fallback(state, seat)
    ),
)
foreign_fallback = with_(GAME, fallback=lambda state, seat: Choose(99))
wavering_fallback = with_(
    GAME,
    fallback=lambda state, seat: (
        Ring(next(clock) % 3) if state.phase == "ring" else fallback(state, seat)
    ),
)


# Defects in the types.


class LooseOptions(msgspec.Struct):
    rounds: int = 2
    talk: bool = True


def opened_with(**changes: Any) -> AnyGame:
    return with_(GAME, new=lambda options, seats: replace(GAME.new(options, seats), **changes))


out_and_asked = with_(GAME, out=lambda state: (2,))
out_and_back = with_(GAME, out=lambda state: (2,) if state.phase == "deal" else ())
floats = opened_with(points=(0.5, 0, 0))
lists = opened_with(points=[0, 0, 0])
sets = opened_with(chosen=(frozenset(), None, None))
huge = opened_with(round=2**53)
unfrozen = opened_with(options=LooseOptions())
move_forgotten = with_(GAME, move=Deal | Arrange | Choose | Ring | Speak)
view_forgotten = with_(GAME, views=Options)

DEFECTS: dict[Callable[..., str | None], list[AnyGame]] = {
    secrecy.views_never_fail: [no_public, view_forgotten],
    soundness.turns_are_whole: [
        nobody,
        no_offers,
        no_seat,
        no_filling,
        field_missing,
        option_twice,
        too_many_picks,
        over_with(Over((1,), (1,))),
        over_with(Over((1, 1, 1), (0, 1, 1))),
        drawn_with(lambda deck: Choice(deck, len(deck), len(deck))),
        drawn_with(lambda deck: Choice(deck, 7, 8, ordered=True)),
    ],
    soundness.invariants_hold: [loses_a_card, with_(GAME, boundary=lambda state: "")],
    soundness.states_are_plain: [floats, lists, sets, huge, unfrozen],
    soundness.encoding_is_exact: [move_forgotten, view_forgotten, floats],
    soundness.offered_moves_apply: [no_waiving, loses_a_card],
    soundness.mutants_are_refused: [],  # `take` is the core's; see below
    soundness.listed_moves_are_distinct: [same_offer_twice],
    soundness.fallbacks_are_legal: [foreign_fallback, wavering_fallback],
    soundness.texts_change_nothing: [length_counts],
    soundness.asides_end_nothing: [word_ends],
    soundness.sealed_answers_commute: [haste_pays, one_is_enough],
    soundness.apply_is_pure: [overwrites, ticks],
    soundness.seats_out_stay_out: [out_and_asked, out_and_back],
    secrecy.resample_keeps_view: [deck_shown, own_order_lost, card_doubled, boundary_tells],
    secrecy.resample_keeps_offers: [hidden_bounds, hidden_order],
    secrecy.resample_keeps_asked: [hidden_kind, lowest_skips, out_is_hidden],
    secrecy.fallbacks_hide: [strong_rings],
    secrecy.redact_only_blanks: [other_values, not_even_own, field_dropped],
    secrecy.silent_moves_show_nothing: [order_shows],
    laws.resample_keeps_history: [unopened],
}
CASES = [(law, place) for law, games in DEFECTS.items() for place in range(len(games))]


def complaints(law: Callable[..., str | None], game: AnyGame) -> Iterator[str]:
    """What the law alone finds in random matches of the game."""
    is_of_steps = law in laws.STEP_LAWS
    for number in range(20):
        rng = seeded(f"planted/{number}")
        if not is_of_steps:
            yield from heard(law, game, game.new(Options(), 3), rng)
        for step in steps_until_failure(game, rng):
            yield from heard(law, game, step if is_of_steps else step.after, rng)


def heard(law: Callable[..., str | None], game: AnyGame, what: Any, rng: Random) -> Iterator[str]:
    try:
        wrong = law(game, 3, what, rng)
    except Exception as error:
        wrong = f"raised {error!r}"
    if wrong is not None:
        yield wrong


def steps_until_failure(game: AnyGame, rng: Random) -> Iterator[Step]:
    """The steps before the game itself fails, if the defect makes it fail."""
    with suppress(Exception):
        yield from random_match(game, Options(), 3, rng, most=60)


@pytest.mark.parametrize(("law", "place"), CASES, ids=lambda each: getattr(each, "__name__", each))
def test_a_planted_defect_is_found(law: Callable[..., str | None], place: int) -> None:
    assert next(complaints(law, DEFECTS[law][place]), None) is not None
    failure = check(DEFECTS[law][place], "planted", 60).failure
    assert failure is not None


def test_every_law_has_a_planted_defect() -> None:
    every = {*laws.STATE_LAWS, *laws.COSTLY_STATE_LAWS, *laws.STEP_LAWS}
    assert every | {laws.resample_keeps_history} == set(DEFECTS)


@pytest.mark.parametrize(
    "lenient",
    [
        lambda wire: {k: v for k, v in wire.items() if k in ("type", "card", "stake", "cards")},
        lambda wire: {k: int(v) if type(v) in (bool, float) else v for k, v in wire.items()},
        lambda wire: {k: v[0] if k != "cards" and type(v) is list else v for k, v in wire.items()},
        lambda wire: {"stake": 1, **wire} if wire.get("type") == "ring" else wire,
    ],
)
def test_a_lenient_take_is_found(
    lenient: Callable[[Wire], Wire], monkeypatch: pytest.MonkeyPatch
) -> None:
    def leniently(offers: Offers, wire: Any) -> Any:
        return take(offers, lenient(wire) if isinstance(wire, dict) else wire)

    assert next(complaints(soundness.mutants_are_refused, GAME), None) is None
    monkeypatch.setattr(soundness, "take", leniently)
    assert next(complaints(soundness.mutants_are_refused, GAME), None) is not None


def broken(game: AnyGame) -> LawBroken:
    failure = check(game, "planted", 20).failure
    assert failure is not None
    return failure


def test_moves_that_the_state_answers_with_something_hidden_declare_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert broken(unopened).law == "resample_keeps_history"
    monkeypatch.setattr(Choose, "discloses", True)
    report = check(unopened, "planted", 60)
    assert report.failure is None
    assert set(report.parted) == {"choose"}


@pytest.mark.parametrize(
    ("changes", "wrong"),
    [
        ({"points": (9, 9, 9)}, "the views differ"),
        ({"phase": "over"}, "differ"),
        ({"deck": ()}, "a card is lost"),
    ],
)
def test_an_imagined_world_that_looks_otherwise_is_found(
    monkeypatch: pytest.MonkeyPatch, changes: dict[str, Any], wrong: str
) -> None:
    monkeypatch.setattr(laws, "COSTLY_SHARE", 1)
    assert GAME.imagine is not None
    sound = GAME.imagine

    def imagine(options: Any, view: Any, viewer: Any, asked: Any) -> State:
        state = sound(options, view, viewer, asked)
        assert state is not None
        return replace(state, **changes)

    report = check(with_(GAME, imagine=imagine), "imagine", 3)
    assert report.failure is not None
    assert report.failure.law == "imagined_worlds_look_the_same"
    assert wrong in report.failure.detail


def test_a_game_may_say_that_a_view_is_not_enough_or_imagine_nothing() -> None:
    unknown = with_(GAME, imagine=lambda options, view, viewer, asked: None)
    assert check(unknown, "imagine", 3).failure is None
    assert check(with_(GAME, imagine=None), "imagine", 3).failure is None


def test_a_match_past_its_bound_is_found() -> None:
    assert broken(with_(GAME, bound=lambda options, seats: 3)).law == "ends_within_bound"


def test_an_endless_row_of_draws_is_found() -> None:
    def again(state: State, seat: Seat, move: AnyMove) -> State:
        return state if isinstance(move, Deal) else apply(state, seat, move)

    failure = broken(with_(GAME, apply=again))
    assert failure.law == "play_goes_on"
    assert "draws in a row" in failure.detail


def test_a_label_twice_is_found() -> None:
    assert broken(drawn_with(lambda d: Choice(d, len(d), len(d), True))).law == "labels_are_unique"


def test_reveals_of_what_nobody_answered_are_found() -> None:
    assert broken(false_reveals).law == "reveals_are_true"


def test_a_match_that_opens_differently_each_time_is_found() -> None:
    def dealt(options: Options, seats: int) -> State:
        return replace(GAME.new(options, seats), round=next(clock))

    assert broken(with_(GAME, new=dealt)).law == "options_are_exact"


def test_a_game_that_seats_anybody_is_found() -> None:
    def crowded(options: Options, seats: int) -> State:
        return GAME.new(options, min(max(seats, 2), 4))

    assert broken(with_(GAME, new=crowded)).law == "wrong_seats_are_refused"


def test_a_trial_with_a_wrong_seat_count_or_none_at_all_is_found() -> None:
    assert broken(with_(GAME, seats=(2, 4))).law == "options_are_exact"
    assert broken(with_(GAME, trials=())).law == "trials_exist"


def test_a_fold_that_hangs_on_the_order_of_hashes_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "hash_ordered.py").write_text(
        "from dataclasses import replace\n"
        "from msgspec.structs import replace as with_\n"
        "from tests.games.high_card.game import GAME as SOUND, apply\n"
        "def late(state, seat, move):\n"
        "    after = apply(state, seat, move)\n"
        "    return with_(after, round=hash(str(move)) % 5 + 1) if after.phase == 'x' else after\n"
        "def shuffled(state, seat, move):\n"
        "    after = apply(state, seat, move)\n"
        "    deck = sorted(after.deck, key=lambda card: hash(str(card)))\n"
        "    return with_(after, deck=tuple(deck))\n"
        "GAME = replace(SOUND, apply=shuffled)\n"
        "STEADY = replace(SOUND, apply=late)\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    import hash_ordered  # type: ignore[import-not-found]

    steady = laws.same_fold_elsewhere(hash_ordered.STEADY, "hash_ordered:STEADY", "s")
    assert steady is None
    failure = check(hash_ordered.GAME, "s", 1, source="hash_ordered:GAME").failure
    assert failure is not None
    assert failure.law == "same_fold_elsewhere"
    assert laws.same_fold_elsewhere(GAME, "no.such.module:GAME", "s") is not None


def test_a_failure_is_found_again_by_its_seed_and_match() -> None:
    failure = broken(false_reveals)
    with pytest.raises(LawBroken) as again:
        check_match(false_reveals, failure.seed, failure.match)
    assert str(again.value) == str(failure)


def test_progress_is_told_after_every_match() -> None:
    seen: list[int] = []

    def note(report: Report) -> None:
        seen.append(report.matches)

    check(GAME, "progress", 3, note)
    assert seen == [1, 2, 3]
