"""Laws on what a game does: turns, offers, moves and states that hold together.

A law returns what is wrong, or None. `laws.py` runs them; the laws on who knows what are in
`secrecy.py`.
"""

from collections.abc import Iterator, Mapping
from enum import Enum
from itertools import islice, permutations
from random import Random
from typing import Any

import msgspec

from games.core.game import CHANCE, SEALED, AnyGame, Chance, Decision, Over, Seat
from games.core.moves import (
    Choice,
    IllegalMove,
    Offer,
    Offers,
    Wire,
    count,
    moves,
    sample,
    take,
    text_fields,
    tuple_fields,
    wire_move,
    wire_offer,
    wire_pick,
)
from games.core.walk import Step, viewers

MOST_LISTED = 400  # offers with more moves are not listed whole
LARGEST = 2**53 - 1  # the largest whole number that every JSON reader keeps exact


def states_are_plain(game: AnyGame, seats: int, state: Any, rng: Random) -> str | None:
    """States, views and options are frozen structs of tuples, whole numbers within ±2^53-1,
    strings, booleans, enums and None."""
    parts = [state, *(game.view(state, viewer) for viewer in viewers(seats))]
    return next((found for part in parts for found in _foreign(part)), None)


def encoding_is_exact(game: AnyGame, seats: int, state: Any, rng: Random) -> str | None:
    """State, views, moves and offers survive JSON."""
    kinds = [(state, game.state)]
    kinds += [(game.view(state, viewer), game.views) for viewer in viewers(seats)]
    kinds += [(sample(offers, rng), game.move) for offers in all_offers(game.turn(state))]
    for value, kind in kinds:
        there = encoded(value)
        back = msgspec.json.decode(there, type=kind)
        if back != value or encoded(back) != there:
            return f"{type(value).__name__} does not survive JSON"
    return None


def invariants_hold(game: AnyGame, seats: int, state: Any, rng: Random) -> str | None:
    """`invariants` finds nothing wrong, and `boundary` names a place."""
    if not game.boundary(state):
        return "the boundary has no name"
    return game.invariants(state)


def turns_are_whole(game: AnyGame, seats: int, state: Any, rng: Random) -> str | None:
    """Until the match is over somebody is asked, with offers that can be filled; then every seat
    has a score and a rank from 1 on."""
    turn = game.turn(state)
    match turn:
        case Over(scores=scores, ranks=ranks):
            if len(scores) != seats or len(ranks) != seats or min(ranks) < 1:
                return f"scores {scores} and ranks {ranks} of {seats} seats"
            return None
        case Chance(label=label, offer=offer):
            return _unsound(offer) or _not_a_draw(label, offer)
    if not turn.offers:
        return "nobody is asked"
    for seat, offers in (*turn.offers.items(), *turn.asides.items()):
        if not 0 <= seat < seats or not offers:
            return f"seat {seat} is asked with {len(offers)} offers"
        if found := next(filter(None, map(_unsound, offers)), None):
            return found
    return None


def offered_moves_apply(game: AnyGame, seats: int, state: Any, rng: Random) -> str | None:
    """What an offer allows is taken as it is and leads to a state that is sound itself."""
    turn = game.turn(state)
    for seat, offers in asked(turn):
        move = sample(offers, rng)
        if take(offers, wire_move(move)) != move:
            return f"{move} is taken as another move"
        after = game.apply(state, seat, move)
        game.turn(after)
        if wrong := game.invariants(after):
            return f"after {move}: {wrong}"
    return None


def mutants_are_refused(game: AnyGame, seats: int, state: Any, rng: Random) -> str | None:
    """A move with one thing wrong is not taken, and the error tells its type alone."""
    for offers in all_offers(game.turn(state)):
        wire = wire_move(sample(offers, rng))
        for mutant in _mutants(wire):
            try:
                take(offers, mutant)
            except IllegalMove as refused:
                if refused.args != (f"move not offered: {refused.kind}",):
                    return f"a refusal tells too much: {refused}"
            else:
                return f"{mutant} is taken"
    return None


def listed_moves_are_distinct(game: AnyGame, seats: int, state: Any, rng: Random) -> str | None:
    """Listing a decision's moves gives each once, as many as counted, and all samples."""
    for _, offers in asked(game.turn(state)):
        total = count(offers)
        if total is None or total > MOST_LISTED:
            continue
        listed = [encoded(move) for move in moves(offers)]
        if len(set(listed)) != total or len(listed) != total:
            return f"{total} moves counted, {len(listed)} listed, {len(set(listed))} distinct"
        if encoded(sample(offers, rng)) not in listed:
            return "a sample is not among the moves listed"
    return None


def fallbacks_are_legal(game: AnyGame, seats: int, state: Any, rng: Random) -> str | None:
    """Every seat that is asked has a fallback, always the same, that its offers take."""
    turn = game.turn(state)
    if not isinstance(turn, Decision):
        return None
    for seat, offers in turn.offers.items():
        move = game.fallback(state, seat)
        try:
            same = take(offers, wire_move(move)) == move == game.fallback(state, seat)
        except IllegalMove:
            return f"the fallback {move} of seat {seat} is not offered"
        if not same:
            return f"the fallback {move} of seat {seat} is not itself"
    return None


def texts_change_nothing(game: AnyGame, seats: int, state: Any, rng: Random) -> str | None:
    """Two moves that differ in a Text alone lead to the same state; a blank text is refused."""
    for seat, offers in (*asked(game.turn(state)), *asides(game.turn(state))):
        for each in offers:
            for name in text_fields(each):
                move = sample([each], rng)
                other = msgspec.structs.replace(move, **{name: "z"})
                if encoded(game.apply(state, seat, move)) != encoded(
                    game.apply(state, seat, other)
                ):
                    return f"the text of {move} affects the state"
                if _is_taken([each], {**wire_move(move), name: " \n"}):
                    return "a blank text is taken"
    return None


def asides_end_nothing(game: AnyGame, seats: int, state: Any, rng: Random) -> str | None:
    """After an aside the same seats are asked the same kind of thing, unless it ended the match."""
    turn = game.turn(state)
    for seat, offers in asides(turn):
        after = game.turn(game.apply(state, seat, sample(offers, rng)))
        if not isinstance(after, Over) and asked_of(after) != asked_of(turn):
            return f"an aside of seat {seat} turns {asked_of(turn)} into {asked_of(after)}"
    return None


def sealed_answers_commute(game: AnyGame, seats: int, state: Any, rng: Random) -> str | None:
    """Whoever has answered is out, the offers of the rest stay, and the order does not matter."""
    turn = game.turn(state)
    if not isinstance(turn, Decision) or turn.mode is not SEALED or len(turn.offers) < 2:
        return None
    answers = {seat: sample(offers, rng) for seat, offers in turn.offers.items()}
    orders = list(islice(permutations(sorted(answers)), 720))
    ends = set()
    for order in rng.sample(orders, min(6, len(orders))):
        after = state
        for done, seat in enumerate(order, start=1):
            after = game.apply(after, seat, answers[seat])
            rest = {s: turn.offers[s] for s in order[done:]}
            if rest and _open_offers(game.turn(after)) != _wire_offers(turn.kind, rest):
                return f"the answer of seat {seat} changes what the rest is asked"
        ends.add(encoded(after))
    return None if len(ends) == 1 else "another order of the same answers gives another state"


def apply_is_pure(game: AnyGame, seats: int, step: Step, rng: Random) -> str | None:
    """`apply` leaves the state it is given alone and gives the same for the same."""
    before = encoded(step.before)
    again = game.apply(step.before, step.seat, step.move)
    if encoded(step.before) != before:
        return f"{step.move} changes the state it is applied to"
    if encoded(again) != encoded(step.after):
        return f"{step.move} applied twice gives two states"
    return None


def seats_out_stay_out(game: AnyGame, seats: int, step: Step, rng: Random) -> str | None:
    """A seat that is out is asked nothing any more, and never comes back."""
    before, after = game.out(step.before), game.out(step.after)
    if not set(before) <= set(after):
        return f"{before} are out, then {after}"
    turn = game.turn(step.after)
    if isinstance(turn, Decision) and (again := set(after) & {*turn.offers, *turn.asides}):
        return f"{sorted(again)} are out and asked"
    return None


def encoded(value: Any) -> bytes:
    return msgspec.json.encode(value)


def asked(turn: Chance | Decision | Over) -> list[tuple[Seat, Offers]]:
    """Who is asked now, with the offers; the seat of a draw is CHANCE."""
    match turn:
        case Chance(offer=offer):
            return [(CHANCE, (offer,))]
        case Decision(offers=offers):
            return sorted(offers.items())
        case Over():
            return []


def asides(turn: Chance | Decision | Over) -> list[tuple[Seat, Offers]]:
    return sorted(turn.asides.items()) if isinstance(turn, Decision) else []


def all_offers(turn: Chance | Decision | Over) -> list[Offers]:
    return [offers for _, offers in (*asked(turn), *asides(turn))]


def asked_of(turn: Chance | Decision | Over) -> tuple[Any, ...]:
    """What everybody may know of a turn: who is asked, what kind of thing, the outcome."""
    match turn:
        case Chance(label=label):
            return ("chance", label)
        case Decision(kind=kind, mode=mode, offers=offers):
            return (kind, mode, *sorted(offers))
        case Over(scores=scores, ranks=ranks, note=note):
            return ("over", scores, ranks, note)


def _open_offers(turn: Chance | Decision | Over) -> bytes:
    return _wire_offers(turn.kind, turn.offers) if isinstance(turn, Decision) else b""


def _wire_offers(kind: str, offers: Mapping[Seat, Offers]) -> bytes:
    return encoded([kind, [(s, [wire_offer(o) for o in offers[s]]) for s in sorted(offers)]])


def _unsound(offer: Offer) -> str | None:
    """What is wrong with an offer, whatever the state."""
    name = offer.move.__name__
    if set(offer.fields) != set(offer.move.__struct_fields__):
        return f"the offer of {name} does not name the fields of its move"
    for field_name, field in offer.fields.items():
        is_tuple = field_name in tuple_fields(offer.move)
        if is_tuple and not isinstance(field, Choice):
            return f"{name}.{field_name} is a tuple and no choice"
        if isinstance(field, Choice) and not is_tuple and field.most > 1:
            return f"{name}.{field_name} takes one pick and offers {field.most}"
        if isinstance(field, Choice):
            values = [(type(wire_pick(pick)), wire_pick(pick)) for pick in field.options]
            if len(set(values)) < len(values):
                return f"{name}.{field_name} has an option twice"
    return f"the offer of {name} is empty" if count([offer]) == 0 else None


def _not_a_draw(label: str, offer: Offer) -> str | None:
    fields = list(offer.fields.values())
    match fields:
        case [Choice(least=least, most=most, ordered=ordered)] if least == most:
            return None if label and (ordered or most == 1) else f"{label!r} is no draw"
    return f"the draw {label!r} is no pick of a fixed size"


def _foreign(value: Any, where: str = "") -> Iterator[str]:
    """What does not belong into a state, recursively."""
    where = where or type(value).__name__
    match value:
        case None | bool():
            return
        case Enum():
            yield from _foreign(value.value, where)
        case int():
            if abs(value) > LARGEST:
                yield f"{where} is a number past 2^53-1"
        case str():
            return
        case tuple():
            for each in value:
                yield from _foreign(each, where)
        case msgspec.Struct():
            if not value.__struct_config__.frozen:
                yield f"{where} is not frozen"
            for name in value.__struct_fields__:
                yield from _foreign(getattr(value, name), f"{where}.{name}")
        case _:
            yield f"{where} is a {type(value).__name__}"


ALIEN = "no such value \N{BLACK CHESS KNIGHT}"


def _mutants(wire: Wire) -> Iterator[object]:
    """Wire moves with one thing wrong, which no offer whatever may take."""
    yield {**wire, "type": ALIEN}
    yield {**wire, "type": None}
    yield {**wire, "one_field_more": 1}
    yield [wire]
    for name in wire:
        yield {key: value for key, value in wire.items() if key != name}
    for name, value in wire.items():
        if name != "type":
            for other in _mutated(value):
                yield {**wire, name: other}


def _mutated(value: object) -> list[object]:
    strange: list[object] = [{}, 0.5, LARGEST + 1]
    match value:
        case list():
            return [*strange, None, *value[:1], [*value, ALIEN], [*value, None]]
        case bool():
            return [*strange, int(value), [value], ALIEN]
        case int():
            return [*strange, value == 1, float(value), str(value), [value], ALIEN]
        case str():
            return [*strange, [value], True, "\ud800"]
    return [*strange, [value], ALIEN]


def _is_taken(offers: Offers, wire: Wire) -> bool:
    try:
        take(offers, wire)
    except IllegalMove:
        return False
    return True
