"""What is played in step in two worlds: steps that look the same to one viewer.

Planned with the rules alone, before anything is sent, so that the draws can be written down.
"""

from collections.abc import Iterator
from random import Random
from typing import Any

import msgspec

from events.observe import has_blanks
from games.core.chance import picked
from games.core.game import CHANCE, OPEN, SPECTATOR, AnyGame, Chance, Decision, Over, Seat
from games.core.moves import Move, Wire, count, moves, wire_move
from games.core.secrecy import _equal_move
from games.core.walk import random_draw, random_move
from tests.secrecy.moments import Case, another

TRIES = 12  # random moves tried before all are looked through
DRAWS = 40  # draws tried for one that can look the same in both worlds
MOST_LISTED = 60
WORLDS = 64  # looked through for one in which a step can be played alike
FEW_TRIES = 2  # moves tried in each of them but the first
RESIGNING = 0.04
CANCELLING = 0.01


class Pair(msgspec.Struct, frozen=True):
    """Two positions that one viewer must not tell apart."""

    here: Any
    there: Any
    resigned: tuple[Seat, ...] = ()
    is_closed: bool = False  # over or cancelled


class Planned(msgspec.Struct, frozen=True):
    """One step: what is asked of the service in each world, and the draws it leads to.

    `kind` is play, aside, resign, cancel or draw (at the opening, where nothing is asked).
    """

    kind: str
    seat: Seat
    moves: tuple[Wire, Wire]
    scripts: tuple[dict[str, tuple[int, ...]], dict[str, tuple[int, ...]]]
    after: Pair

    def __str__(self) -> str:
        return f"{self.kind} of {self.seat}: {self.moves[0]} / {self.moves[1]}"


class Plan(msgspec.Struct, frozen=True):
    """A case with the world it is played beside, and what is played in both.

    `is_whole`: it is as long as it was to be, or goes to the end of the match.
    """

    case: Case
    first: Planned
    steps: tuple[Planned, ...]
    is_whole: bool


def plan(case: Case, horizon: int, rng: Random) -> Plan | None:
    """A plan for the case, beside the first of many worlds in which there is a step to play.

    Where every move is answered by something hidden, as in a game of one pile, few worlds give the
    same answer even once. None if not even the opening can look the same.
    """
    found: Plan | None = None
    for number in range(WORLDS):
        beside = case if number == 0 else another(case, rng)
        if number and beside.is_trivial:
            continue
        made = _planned(beside, horizon, rng, TRIES if number == 0 else FEW_TRIES)
        if made is not None and (found is None or made.steps):
            found = made
        if found is not None and found.steps:
            break
    return found


def _planned(case: Case, horizon: int, rng: Random, tries: int) -> Plan | None:
    first = opening(case, rng)
    if first is None:
        return None
    steps: list[Planned] = []
    pair = first.after
    while len(steps) < horizon and not pair.is_closed:
        step = next_step(case, pair, rng, TRIES if steps else tries)
        if step is None:
            return Plan(case, first, tuple(steps), is_whole=False)
        steps.append(step)
        pair = step.after
    return Plan(case, first, tuple(steps), is_whole=True)


def opening(case: Case, rng: Random) -> Planned | None:
    """The draws that follow at once on the position; None if the worlds can't stay alike."""
    return _settled(case, "draw", CHANCE, ({}, {}), Pair(case.here, case.there), rng)


def next_step(case: Case, pair: Pair, rng: Random, tries: int = TRIES) -> Planned | None:
    """A step that looks the same in both; None if there is none."""
    if rng.random() < CANCELLING:
        after = msgspec.structs.replace(pair, is_closed=True)
        return Planned("cancel", SPECTATOR, ({}, {}), ({}, {}), after)
    if rng.random() < RESIGNING and (planned := _resigning(case, pair, rng)):
        return planned
    for seat, move, is_aside in _possible(case.game, pair, rng, tries):
        if planned := _played(case, pair, seat, move, is_aside, rng):
            return planned
    return None


def _possible(
    game: AnyGame, pair: Pair, rng: Random, tries: int
) -> Iterator[tuple[Seat, Move, bool]]:
    """Random moves, then (after many tries) all there are, of the seats that play."""
    turn = game.turn(pair.here)
    assert isinstance(turn, Decision)
    playing = [seat for seat in sorted(turn.offers) if seat not in pair.resigned]
    for _ in range(tries):
        seat, move, is_aside = random_move(turn, rng)
        if seat not in pair.resigned:
            yield seat, move, is_aside
    for seat in rng.sample(playing, len(playing)) if tries >= TRIES else ():
        total = count(turn.offers[seat])
        if total is not None and total <= MOST_LISTED:
            listed = [each for each in moves(turn.offers[seat]) if isinstance(each, Move)]
            yield from ((seat, each, False) for each in rng.sample(listed, len(listed)))


def _played(
    case: Case, pair: Pair, seat: Seat, move: Move, is_aside: bool, rng: Random
) -> Planned | None:
    here, there = _both(case, pair, seat, move, rng)
    if there is None:
        return None
    after = _applied(case, pair, seat, here, there)
    if after is None:
        return None
    kind = "aside" if is_aside else "play"
    return _settled(case, kind, seat, (wire_move(here), wire_move(there)), after, rng)


def _both(case: Case, pair: Pair, seat: Seat, move: Move, rng: Random) -> tuple[Move, Move | None]:
    twin = _equal_move(case.game, pair.here, pair.there, seat, move, case.viewer, rng)
    return move, twin


def _applied(case: Case, pair: Pair, seat: Seat, here: Move, there: Move) -> Pair | None:
    """The positions after a move in each; None if the state may answer with what is hidden.

    Any other move that is answered by different views is played: the service must show it.
    """
    game, viewer = case.game, case.viewer
    after = game.apply(pair.here, seat, here), game.apply(pair.there, seat, there)
    views = [msgspec.json.encode(game.view(state, viewer)) for state in after]
    if views[0] != views[1] and here.discloses:
        return None
    return msgspec.structs.replace(pair, here=after[0], there=after[1])


def _resigning(case: Case, pair: Pair, rng: Random) -> Planned | None:
    playing = [seat for seat in range(case.seats) if seat not in pair.resigned]
    seat = rng.choice(playing)
    after = msgspec.structs.replace(pair, resigned=(*pair.resigned, seat))
    return _settled(case, "resign", seat, ({}, {}), after, rng)


def _settled(
    case: Case, kind: str, seat: Seat, wires: tuple[Wire, Wire], pair: Pair, rng: Random
) -> Planned | None:
    """With all that follows of itself: draws that look the same, fallbacks as they come."""
    game = case.game
    scripts: tuple[dict[str, tuple[int, ...]], dict[str, tuple[int, ...]]] = ({}, {})
    after: Pair | None = pair
    while after is not None and not after.is_closed:
        here, there = game.turn(after.here), game.turn(after.there)
        if isinstance(here, Over) or _is_given_up(case, after):
            after = msgspec.structs.replace(after, is_closed=True)
        elif isinstance(here, Chance) and isinstance(there, Chance):
            after = _drawn(case, after, here, there, scripts, rng)
        elif isinstance(here, Decision) and (absent := _absent(here, after)) is not None:
            after = _stood_in(case, after, absent)
        else:
            break
    return None if after is None else Planned(kind, seat, wires, scripts, after)


def _drawn(
    case: Case, pair: Pair, here: Chance, there: Chance, scripts: Any, rng: Random
) -> Pair | None:
    for _ in range(DRAWS):
        move, twin = _both(case, pair, CHANCE, random_draw(here.offer, rng), rng)
        if twin is not None:
            scripts[0][here.label] = picked(here.offer, move)
            scripts[1][there.label] = picked(there.offer, twin)
            return _applied(case, pair, CHANCE, move, twin)
    return None


def _stood_in(case: Case, pair: Pair, seat: Seat) -> Pair | None:
    """None if a hidden pick comes out differently for a viewer that sees it, or ends a round in
    which answers are opened, its own among them.

    Any other pick that the public sees whole may not: it follows from public facts, or is a leak.
    """
    game, viewer = case.game, case.viewer
    here, there = game.fallback(pair.here, seat), game.fallback(pair.there, seat)
    public = game.redact(pair.here, seat, here, SPECTATOR)
    seen = game.redact(pair.here, seat, here, viewer), game.redact(pair.there, seat, there, viewer)
    opens = bool(seen[0].reveals or seen[1].reveals)
    if seen[0] != seen[1] and (opens or has_blanks(public.move)):
        return None
    return _applied(case, pair, seat, here, there)


def _absent(decision: Decision, pair: Pair) -> Seat | None:
    absent = [seat for seat in sorted(decision.offers) if seat in pair.resigned]
    if decision.mode is OPEN and len(absent) < len(decision.offers):
        return None
    return absent[0] if absent else None


def _is_given_up(case: Case, pair: Pair) -> bool:
    left = set(range(case.seats)) - set(pair.resigned)
    is_over = len(left) <= (1 if case.seats > 1 else 0) or left <= set(case.game.out(pair.here))
    return bool(pair.resigned) and is_over
