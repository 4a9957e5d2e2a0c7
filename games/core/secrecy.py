"""Laws on who knows what: two worlds that a viewer cannot tell apart look the same to it.

A law returns what is wrong, or None.
"""

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import msgspec

from games.core.game import CHANCE, AnyGame, Asked, Chance, Decision, Over, Seat, Seen, Viewer
from games.core.moves import (
    Choice,
    IllegalMove,
    Move,
    Offers,
    Wire,
    count,
    move_type,
    moves,
    sample,
    take,
    wire_move,
    wire_offer,
    wire_pick,
)
from games.core.shown import unordered
from games.core.soundness import asides, asked, asked_of, encoded
from games.core.walk import Step, random_move, viewers

HORIZON = 40  # steps that two worlds are followed in step
TRIES = 8  # guesses at a move that looks the same, and moves tried before a case is dropped
MOST_SEARCHED = 200  # offers with more moves are not searched for one that looks the same


class Followed(msgspec.Struct, frozen=True):
    """How far two worlds were followed in step.

    `parted` are the types of moves that looked the same in both and yet were answered by another
    view, as those that disclose may be: whoever draws from the top of a deck learns from the state.
    `is_dropped` says that no step of the one had a counterpart in the other, which is no fault.
    """

    steps: int
    parted: frozenset[str] = frozenset()
    is_dropped: bool = False
    wrong: str | None = None


class _Leak(Exception):
    """A step that looked the same was answered by another view."""


def views_never_fail(game: AnyGame, seats: int, state: Any, rng: Random) -> str | None:
    """There is a view for every seat and for the spectator, at any time."""
    for viewer in viewers(seats):
        if not isinstance(game.view(state, viewer), game.views):
            return f"the view of {viewer} is none"
    return None


def resample_keeps_view(game: AnyGame, seats: int, state: Any, rng: Random) -> str | None:
    """In a resampled world its viewer's view, the boundary and an outcome are the same."""
    for viewer in viewers(seats):
        twin = game.resample(state, viewer, rng)
        if wrong := game.invariants(twin):
            return f"resampled for {viewer}: {wrong}"
        if encoded(game.view(twin, viewer)) != encoded(game.view(state, viewer)):
            return f"the view of {viewer} differs in a resampled world"
        if game.boundary(twin) != game.boundary(state):
            return f"the boundary differs in a world resampled for {viewer}"
    return None


def resample_keeps_offers(game: AnyGame, seats: int, state: Any, rng: Random) -> str | None:
    """In a resampled world its viewer has the same offers, in the same order."""
    for seat in range(seats):
        twin = game.resample(state, seat, rng)
        if _own_offers(game, twin, seat) != _own_offers(game, state, seat):
            return f"the offers of seat {seat} differ in a resampled world"
    return None


def resample_keeps_asked(game: AnyGame, seats: int, state: Any, rng: Random) -> str | None:
    """Who is asked and for what kind of thing, the label of a draw, an outcome and who is out are
    public."""
    public = (asked_of(game.turn(state)), game.out(state))
    for viewer in viewers(seats):
        twin = game.resample(state, viewer, rng)
        there = (asked_of(game.turn(twin)), game.out(twin))
        if there != public:
            return f"{public} becomes {there} in a world resampled for {viewer}"
    return None


def follow(game: AnyGame, seats: int, state: Any, rng: Random, horizon: int = HORIZON) -> Followed:
    """Plays a state and a resample of it in step for a random viewer."""
    viewer = rng.choice(viewers(seats))
    here, there = state, game.resample(state, viewer, rng)
    parted: set[str] = set()
    for done in range(horizon):
        if wrong := _difference(game, here, there, viewer):
            wrong = f"after {done} equal steps {wrong} for {viewer}"
            return Followed(done, frozenset(parted), wrong=wrong)
        if isinstance(game.turn(here), Over):
            return Followed(done, frozenset(parted))
        try:
            pair = _equal_steps(game, here, there, viewer, rng, parted)
        except _Leak as leak:
            return Followed(done, frozenset(parted), wrong=str(leak))
        if pair is None:
            return Followed(done, frozenset(parted), is_dropped=True)
        here, there = pair
    return Followed(horizon, frozenset(parted))


def imagined_worlds_look_the_same(
    game: AnyGame, options: Any, seats: int, state: Any, rng: Random
) -> str | None:
    """A world imagined from a view alone, as a client gets it, is one its viewer can't tell apart
    from the true one; nor are those resampled from it.

    Options may stand in another order, which is no view's business.
    """
    turn = game.turn(state)
    if game.imagine is None or not isinstance(turn, Decision):
        return None
    asked = Asked(turn.kind, tuple(sorted(turn.offers)))
    for viewer in viewers(seats):
        view = msgspec.json.decode(encoded(game.view(state, viewer)), type=game.views)
        there = game.imagine(options, view, viewer, asked)
        if there is None:
            continue
        for world in (there, game.resample(there, viewer, rng)):
            wrong = game.invariants(world)
            if wrong := wrong or _difference(game, state, world, viewer, _own_offers_unordered):
                return f"imagined for {viewer}: {wrong}"
            if game.out(world) != game.out(state):
                return f"imagined for {viewer}: other seats are out"
    return None


def fallbacks_hide(game: AnyGame, seats: int, state: Any, rng: Random) -> str | None:
    """With the same offers, what type of move a fallback is does not hang on hidden things."""
    turn = game.turn(state)
    if not isinstance(turn, Decision):
        return None
    viewer = rng.choice(viewers(seats))
    twin = game.resample(state, viewer, rng)
    for seat in turn.offers:
        if _own_offers(game, twin, seat) == _own_offers(game, state, seat):
            here, there = (_fallback_type(game, w, seat, viewer) for w in (state, twin))
            if here != there:
                return f"the fallback of seat {seat}, {here} or {there}, tells {viewer} too much"
    return None


def redact_only_blanks(game: AnyGame, seats: int, step: Step, rng: Random) -> str | None:
    """A step is seen as it is but for nulls, and its mover sees it whole."""
    wire = wire_move(step.move)
    for viewer in viewers(seats):
        seen = game.redact(step.before, step.seat, step.move, viewer)
        if not isinstance(seen, Seen) or not _is_blanked(wire, seen.move):
            return f"{viewer} sees {seen} of {wire}"
        if viewer == step.seat and seen.move != wire:
            return f"seat {viewer} sees {seen.move} of its own {wire}"
    return None


def reveals_are_true(game: AnyGame, seats: int, steps: list[Step]) -> str | None:
    """What a step opens are answers that seats gave before."""
    given: list[tuple[Seat, Wire]] = []
    for step in steps:
        for viewer in viewers(seats):
            for reveal in game.redact(step.before, step.seat, step.move, viewer).reveals:
                if tuple(reveal) not in given:
                    return f"step {step.number} opens {reveal} to {viewer}, which nobody answered"
        if step.seat != CHANCE:
            given.append((step.seat, wire_move(step.move)))
    return None


def silent_moves_show_nothing(game: AnyGame, seats: int, step: Step, rng: Random) -> str | None:
    """A move with `shows = False` leaves a world resampled before it indistinguishable."""
    if step.move.shows:
        return None
    for viewer in viewers(seats):
        twin = game.resample(step.before, viewer, rng)
        move = _silent_twin(game, step, twin, viewer, rng)
        if move is None:
            continue
        seen = game.redact(step.before, step.seat, step.move, viewer)
        after = game.apply(twin, step.seat, move)
        if game.redact(twin, step.seat, move, viewer) != seen:
            return f"{step.move} looks different to {viewer} in a resampled world"
        if wrong := _difference(game, step.after, after, viewer):
            return f"{step.move} shows: {wrong} for {viewer}"
    return None


def _fallback_type(game: AnyGame, state: Any, seat: Seat, viewer: Viewer) -> str | None:
    seen = game.redact(state, seat, game.fallback(state, seat), viewer).move
    return None if seen is None else seen["type"]


def _silent_twin(game: AnyGame, step: Step, twin: Any, viewer: Viewer, rng: Random) -> Move | None:
    offers = _offers_of(game, twin, step.seat)
    try:
        return take(offers, wire_move(step.move))
    except IllegalMove:
        return _equal_move(game, step.before, twin, step.seat, step.move, viewer, rng)


def _difference(
    game: AnyGame,
    here: Any,
    there: Any,
    viewer: Viewer,
    offers: Callable[[AnyGame, Any, Viewer], Any] | None = None,
) -> str | None:
    """What tells two worlds apart for a viewer; `offers` are its own as they are compared."""
    offers = offers or _own_offers
    if not _same_views(game, here, there, viewer):
        return "the views differ"
    if asked_of(game.turn(here)) != asked_of(game.turn(there)):
        return f"{asked_of(game.turn(here))} is not {asked_of(game.turn(there))}"
    if offers(game, here, viewer) != offers(game, there, viewer):
        return "the own offers differ"
    if game.boundary(here) != game.boundary(there):
        return "the boundaries differ"
    return None


def _own_offers(game: AnyGame, state: Any, viewer: Viewer) -> bytes:
    turn = game.turn(state)
    if not isinstance(turn, Decision):
        return b""
    own = [turn.offers.get(viewer, ()), turn.asides.get(viewer, ())]
    return encoded([[wire_offer(offer) for offer in offers] for offers in own])


def _own_offers_unordered(game: AnyGame, state: Any, viewer: Viewer) -> Any:
    turn = game.turn(state)
    assert isinstance(turn, Decision)
    own = (*turn.offers.get(viewer, ()), *turn.asides.get(viewer, ()))
    return unordered([wire_offer(each) for each in own])


def _equal_steps(
    game: AnyGame, here: Any, there: Any, viewer: Viewer, rng: Random, parted: set[str]
) -> tuple[Any, Any] | None:
    """The two worlds after a step in each that looks the same to the viewer, if there is one.

    A disclosing step that is answered by different views is noted in `parted`, and another one is
    tried. Raises: _Leak for any other such step.
    """
    turn = game.turn(here)
    assert isinstance(turn, Chance | Decision)
    for _ in range(TRIES):
        seat, move, _ = random_move(turn, rng)
        twin = _equal_move(game, here, there, seat, move, viewer, rng)
        if twin is None:
            continue
        pair = game.apply(here, seat, move), game.apply(there, seat, twin)
        if _same_views(game, *pair, viewer):
            return pair
        if not move.discloses:
            raise _Leak(f"{move_type(move)} shows {viewer} what is no part of the step")
        parted.add(move_type(move))
    return None


def _same_views(game: AnyGame, here: Any, there: Any, viewer: Viewer) -> bool:
    return encoded(game.view(here, viewer)) == encoded(game.view(there, viewer))


def _equal_move(
    game: AnyGame, here: Any, there: Any, seat: Seat, move: Move, viewer: Viewer, rng: Random
) -> Move | None:
    """A move there that looks to the viewer as `move` looks here."""
    seen = game.redact(here, seat, move, viewer)
    offers = _offers_of(game, there, seat)
    for wire in _candidates(offers, wire_move(move), seen.move, rng):
        try:
            twin = take(offers, wire)
        except IllegalMove:
            continue
        if game.redact(there, seat, twin, viewer) == seen:
            return twin
    return None


def _offers_of(game: AnyGame, state: Any, seat: Seat) -> Offers:
    """What a seat (or CHANCE) may do, asides included."""
    turn = game.turn(state)
    return [offer for who, own in (*asked(turn), *asides(turn)) if who == seat for offer in own]


def _candidates(offers: Offers, wire: Wire, seen: Wire | None, rng: Random) -> Iterator[Wire]:
    """The same move, guesses that fill the blanks of what was seen, and all moves if few."""
    yield wire
    if not offers:
        return
    for _ in range(TRIES):
        if seen is None:
            yield wire_move(sample(offers, rng))
            continue
        for offer in offers:
            guess = wire_move(sample([offer], rng)) if count([offer]) != 0 else {}
            if guess.get("type") == seen["type"]:
                yield _blanks_filled(offer.fields, guess, seen, rng)
    total = count(offers)
    if total is not None and total <= MOST_SEARCHED:
        yield from (wire_move(move) for move in moves(offers) if isinstance(move, Move))


def _blanks_filled(fields: Any, guess: Wire, seen: Wire, rng: Random) -> Wire:
    """What was seen, with the blanks filled by what is offered and not used yet."""
    filled = {name: guess[name] if value is None else value for name, value in seen.items()}
    for name, value in seen.items():
        field = fields.get(name)
        if isinstance(value, list) and None in value and isinstance(field, Choice):
            rest = [wire_pick(pick) for pick in field.options]
            if not field.repeats:
                rest = [pick for pick in rest if pick not in value]
            picks = iter(rng.choices(rest, k=len(value)) if field.repeats else _mixed(rest, rng))
            filled[name] = [next(picks, None) if each is None else each for each in value]
    return filled


def _mixed(picks: list[Any], rng: Random) -> list[Any]:
    return rng.sample(picks, len(picks))


def _is_blanked(wire: Wire, seen: Wire | None) -> bool:
    if seen is None:
        return True
    if seen.keys() != wire.keys() or seen["type"] != wire["type"]:
        return False
    return all(_is_blanked_value(wire[name], value) for name, value in seen.items())


def _is_blanked_value(value: Any, seen: Any) -> bool:
    if isinstance(value, list) and isinstance(seen, list):
        return len(value) == len(seen) and all(map(_is_blanked_value, value, seen))
    return seen is None or (type(seen) is type(value) and bool(seen == value))
