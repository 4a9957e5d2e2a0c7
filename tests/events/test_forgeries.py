"""Any field of any event altered, and the whole log sealed again by somebody with the seed."""

from random import Random
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from events.canonical import decoded, raw
from events.match import Match
from events.types import Event, MatchCreated, MovePlayed
from events.verify import verify_log
from games.core.moves import IllegalMove, take
from tests.events.scripted import Table, finished, resealed, with_resignation

# No log can prove when something happened, who a pseudonym is, who said a word, or that the same
# events did not happen under other options, or where a draw could have been agreed on.
UNPROVABLE = {"at", "holder", "options", "agreed_draw"}


def mutated(value: Any, rng: Random) -> Any:
    """Something like the value, not always of the right form."""
    if isinstance(value, bool) or value is None:
        return not value
    if isinstance(value, int):
        return value + rng.choice((-1, 1, 7))
    if isinstance(value, str):
        return rng.choice((value + "x", value[:-1], value[::-1] + "0"))
    if isinstance(value, msgspec.Raw):
        return raw(mutated(decoded(value), rng))
    if isinstance(value, dict):
        name = rng.choice(sorted(value))
        return {**value, name: mutated(value[name], rng)}
    if isinstance(value, msgspec.Struct):
        if not value.__struct_fields__:
            return value
        name = rng.choice(value.__struct_fields__)
        return replace(value, **{name: mutated(getattr(value, name), rng)})
    return _listed(value, rng)


def _listed(value: Any, rng: Random) -> Any:
    items = list(value)
    if items and rng.random() < 0.6:
        place = rng.randrange(len(items))
        items[place] = mutated(items[place], rng)
    else:
        items = items[:-1] if items and rng.random() < 0.5 else [*items, 0]
    return tuple(items) if isinstance(value, tuple) else items


def forgeries(at: Table, event: Event, rng: Random) -> list[tuple[str, Event]]:
    made = []
    for name in event.__struct_fields__:
        if name in UNPROVABLE or (name == "seat" and getattr(event, "decision", "") is None):
            continue
        other = mutated(getattr(event, name), rng)
        if other != getattr(event, name):
            made.append((name, replace(event, **{name: other})))
    return made


def could_have_been(before: Match | None, event: Event, forged: Event) -> bool:
    """The log of another match, which only receipts tell from this one.

    That is another legal move, or the same match in a sandbox.
    """
    if isinstance(event, MatchCreated) and isinstance(forged, MatchCreated):
        return forged == replace(event, test=forged.test) and forged.test is True
    if before is None or not isinstance(event, MovePlayed) or not isinstance(forged, MovePlayed):
        return False
    decision = before.decision
    if decision is None or event.move == forged.move:
        return False
    offers = decision.offers if event.decision is not None else decision.asides
    wire = decoded(forged.move)
    try:
        take(offers[event.seat], {n: "-" if n == "text" else v for n, v in wire.items()})
    except IllegalMove:
        return False
    return event.decision is not None or len(wire["text"]) == 64


@pytest.mark.parametrize("number", range(3))
@pytest.mark.parametrize(
    "at", [finished("high_card", 3, 5), with_resignation()], ids=["finished", "resigned"]
)
def test_no_altered_field_passes(at: Table, number: int) -> None:
    rng = Random(number)
    for place, event in enumerate(at.events):
        for name, forged in forgeries(at, event, rng):
            if could_have_been(at.steps[place].before, event, forged):
                continue
            try:
                log = resealed([*at.events[:place], forged, *at.events[place + 1 :]], at.dealer)
            except (ValueError, OverflowError, TypeError):
                continue  # It has no canonical or chained form at all.
            verdict = verify_log(log)
            can_be_newer = place == 0 or name == "schema"
            assert verdict.fault or (can_be_newer and verdict.unchecked), (event, forged)
            assert place == 0 or verdict.events <= place + 1
