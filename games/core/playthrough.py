"""A match written out for people to read: what happened, what changed for all, what each seat saw.

The text of a seed is always the same, so that it serves as a golden file. Its head says which
match it is; `rewritten` makes the text of a head anew.
"""

from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from games.core.game import CHANCE, SPECTATOR, AnyGame, Chance, Decision, Over
from games.core.moves import Choice, Number, Offer, Text, Wire, wire_move, wire_pick
from games.core.walk import Step, random_match, seeded, viewers

HEAD_LINES = 5  # game, rules, options, seats, seed
MOST_OPTIONS = 8  # a longer choice is told by its number of options

Facts = dict[str, str]  # path into a view: what stands there, as JSON


def write(game: AnyGame, options: msgspec.Struct, seats: int, seed: str) -> str:
    """The random match of a seed as text."""
    lines = [
        f"game {game.slug}",
        f"rules {game.rules_version}",
        f"options {_json(options)}",
        f"seats {seats}",
        f"seed {seed}",
        "",
    ]
    last = game.new(options, seats)
    lines += _seen_lines(game, seats, None, last)
    for step in random_match(game, options, seats, seeded(seed)):
        lines += _step_lines(game, seats, step)
        last = step.after
    match game.turn(last):
        case Over(scores=scores, ranks=ranks, note=note):
            lines += ["", f"over: scores {_json(scores)}, ranks {_json(ranks)} {note}".rstrip()]
        case _:
            lines += ["", "not over"]
    return "\n".join(lines) + "\n"


def rewritten(text: str, find: Callable[[str, int], AnyGame]) -> str:
    """The text that belongs to the head of `text`; `find` gives a game by slug and rules."""
    head = dict(line.split(" ", 1) for line in text.splitlines()[:HEAD_LINES])
    game = find(head["game"], int(head["rules"]))
    options = msgspec.json.decode(head["options"], type=game.options)
    return write(game, options, int(head["seats"]), head["seed"])


def _step_lines(game: AnyGame, seats: int, step: Step) -> Iterator[str]:
    turn = game.turn(step.before)
    yield ""
    match turn:
        case Chance(label=label):
            yield f"{step.number}. [{game.boundary(step.before)}] draw: {label}"
        case Decision(kind=kind, mode=mode, offers=offers):
            asked = ", ".join(map(str, sorted(offers)))
            yield f"{step.number}. [{game.boundary(step.before)}] {kind} ({mode}), asked: {asked}"
            for seat in sorted(offers):
                yield f"   {seat} may {' | '.join(map(_offer_text, offers[seat]))}"
    actor = "dealer" if step.seat == CHANCE else f"seat {step.seat}"
    aside = " (aside)" if step.is_aside else ""
    wire = wire_move(step.move)
    yield f"   {actor}{aside}: {_move_text(wire)}"
    yield from _blanked_lines(game, seats, step, wire)
    public = game.redact(step.before, step.seat, step.move, SPECTATOR)
    for seat, answer in public.reveals:
        yield f"   opened: seat {seat} {_move_text(answer)}"
    yield from _seen_lines(game, seats, step.before, step.after)


def _blanked_lines(game: AnyGame, seats: int, step: Step, wire: Wire) -> Iterator[str]:
    """Who saw less than the whole step, and what; those who saw the same in one line."""
    watchers: dict[str, list[str]] = {}
    for viewer in viewers(seats):
        seen = game.redact(step.before, step.seat, step.move, viewer).move
        if seen != wire:
            text = "something" if seen is None else _move_text(seen)
            watchers.setdefault(text, []).append(_name(viewer))
    for text, names in watchers.items():
        yield f"   {', '.join(names)} saw {text}"


def _seen_lines(game: AnyGame, seats: int, before: Any, after: Any) -> Iterator[str]:
    """What changed for all, then what changed in each seat's view that is not the public one."""
    public = _facts(game, after, SPECTATOR)
    yield from _changes("all", {} if before is None else _facts(game, before, SPECTATOR), public)
    for seat in range(seats):
        old = {} if before is None else _own_facts(game, before, seat)
        yield from _changes(_name(seat), old, _own_facts(game, after, seat))


def _changes(who: str, old: Facts, new: Facts) -> Iterator[str]:
    changed = [f"{path} = {value}" for path, value in new.items() if old.get(path) != value]
    changed += [f"{path} gone" for path in old if not any(_overlap(path, each) for each in new)]
    if changed:
        yield f"   {who}: {'; '.join(changed)}"


def _overlap(one: str, other: str) -> bool:
    """Whether two paths are the same or one lies inside the other."""
    short, long = sorted((one, other), key=len)
    return long.startswith(short) and long[len(short) :][:1] in ("", ".", "[")


def _own_facts(game: AnyGame, state: Any, seat: int) -> Facts:
    public = _facts(game, state, SPECTATOR)
    own = _facts(game, state, seat)
    return {path: value for path, value in own.items() if public.get(path) != value}


def _facts(game: AnyGame, state: Any, viewer: int) -> Facts:
    return dict(_flat("", msgspec.to_builtins(game.view(state, viewer))))


def _flat(path: str, value: Any) -> Iterator[tuple[str, str]]:
    """The leaves of a view; a list without objects inside is a leaf."""
    match value:
        case dict():
            for name, each in value.items():
                yield from _flat(f"{path}.{name}" if path else name, each)
        case list() | tuple() if any(isinstance(each, dict) for each in value):
            for place, each in enumerate(value):
                yield from _flat(f"{path}[{place}]", each)
        case _:
            yield path, _json(value)


def _offer_text(offer: Offer) -> str:
    name = offer.move.__struct_config__.tag
    fields = [_field_text(name, field) for name, field in offer.fields.items()]
    return " ".join([str(name), *fields])


def _field_text(name: str, field: Choice | Text | Number) -> str:
    match field:
        case Text(most=most):
            return f"{name}:text({most})"
        case Number(low=low, high=high):
            return f"{name}:{low}..{high}"
    options = [str(wire_pick(pick)) for pick in field.options]
    listed = ",".join(options) if len(options) <= MOST_OPTIONS else f"{len(options)} options"
    size = str(field.most) if field.least == field.most else f"{field.least}-{field.most}"
    return f"{name}:{'' if size == '1' else size + ' of '}{{{listed}}}"


def _move_text(wire: Wire) -> str:
    fields = [f"{name}={_value_text(value)}" for name, value in wire.items() if name != "type"]
    return " ".join([wire["type"], *fields])


def _value_text(value: Any) -> str:
    if isinstance(value, list) and value and not any(each is not None for each in value):
        return f"[{len(value)} hidden]"
    return _json(value)


def _name(viewer: int) -> str:
    return "public" if viewer == SPECTATOR else f"seat {viewer}"


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()
