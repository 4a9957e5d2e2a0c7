"""Attacks on players, bosses and bases; who is out, and when that ends the match."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from msgspec.structs import replace

from games.core.moves import Choice, Offer, offer
from games.star_realms import moves
from games.star_realms.box import Box
from games.star_realms.effects import DestroyBase, TargetBase
from games.star_realms.lasting import shield
from games.star_realms.moves import BOSS
from games.star_realms.state import (
    NO_REDIRECTS,
    Ending,
    Seat,
    State,
    Task,
    is_base,
    living,
    opponents,
    pushed,
    with_seat,
)

TEAM_PAYS: Final = 3  # combat in place of a base destroyed: SR-69


def bases(box: Box, own: Seat) -> tuple[str, ...]:
    """As they came into play."""
    return tuple(each.card for each in own.in_play if is_base(box, each.card))


def has_outpost(box: Box, own: Seat) -> bool:
    return any(box.of[each.card].outpost for each in own.in_play)


def targetable(box: Box, state: State, seats: Iterable[int]) -> tuple[str, ...]:
    """Of one side's bases the outposts if it has any, else all. Rules: SR-50, SR-86."""
    found = tuple(base for seat in seats for base in bases(box, state.seats[seat]))
    return tuple(base for base in found if box.of[base].outpost) or found


def targets(box: Box, state: State, seat: int) -> tuple[str, ...]:
    """The opponents' bases that may be attacked or destroyed, clockwise. Rules: SR-53, SR-56."""
    others = opponents(state, seat)
    return tuple(base for each in others for base in targetable(box, state, (each,)))


def attackable(box: Box, state: State, seat: int) -> tuple[int | str, ...]:
    """Rules: SR-50, SR-53, SR-79."""
    if state.boss is not None:
        return (BOSS,)
    others = opponents(state, seat)
    return tuple(each for each in others if not has_outpost(box, state.seats[each]))


def attacked(box: Box, state: State, seat: int, move: moves.Attack) -> State:
    """Rules: SR-51, SR-52, SR-79."""
    state = replace(state, combat=state.combat - move.amount)
    if state.boss is None:
        assert isinstance(move.target, int)
        return hit(box, state, (move.target,), move.amount)
    boss = replace(state.boss, authority=state.boss.authority - move.amount)
    state = replace(state, boss=boss)
    return ended(state, Ending.BOSS_DEFEATED) if boss.authority <= 0 else state


def base_attacked(box: Box, state: State, base: str) -> State:
    """Rules: SR-54, SR-55."""
    return destroyed(box, replace(state, combat=state.combat - box.of[base].defense), base)


def hit(box: Box, state: State, seats: tuple[int, ...], amount: int) -> State:
    """One attack on a player, or on the whole team that shares its authority.

    Rules: SR-51, SR-74, SR-88, SR-90, SR-91.
    """
    damage = max(0, amount - shields(box, state, seats))
    if state.team_authority is not None:
        state = replace(state, team_authority=state.team_authority - damage)
        assert state.team_authority is not None
        return ended(state, Ending.TEAM_DEFEATED) if state.team_authority <= 0 else state
    (seat,) = seats
    left = state.seats[seat].authority - damage
    state = with_seat(state, seat, authority=left)
    return eliminated(box, state, seat) if left <= 0 else state


def shields(box: Box, state: State, seats: Iterable[int]) -> int:
    """Rules: SR-74."""
    return sum(shield(box, state.seats[seat]) for seat in seats)


def eliminated(box: Box, state: State, seat: int) -> State:
    """Cards and gambits leave the game, unseen. Rules: SR-96, SR-99."""
    own = state.seats[seat]
    cards = (*own.deck, *own.hand, *own.discard, *(each.card for each in own.in_play))
    gambits = (*state.gambits_removed, *own.gambits_down, *own.gambits_up)
    gone = replace(
        own,
        out=1 + sum(bool(each.out) for each in state.seats),
        done=False,
        deck=(),
        hand=(),
        discard=(),
        in_play=(),
        played=(),
        topdeck=NO_REDIRECTS,
        gambits_held=(),
        gambits_down=(),
        gambits_up=(),
        gambits_lost=own.gambits_down,
        seen=(),
        counted=(),
        placed=(),
    )
    seats = (*state.seats[:seat], gone, *state.seats[seat + 1 :])
    state = replace(
        state,
        seats=seats,
        removed=box.sorted((*state.removed, *cards)),
        gambits_removed=box.sorted(gambits),
    )
    if state.boss is not None:
        return state if living(state) else ended(state, Ending.TEAM_DEFEATED)
    return ended(state, Ending.ELIMINATION) if len(living(state)) == 1 else state


def ended(state: State, ending: Ending) -> State:
    """Over at once: nothing more is done."""
    return replace(state, ending=ending, stack=())


def destroyed(box: Box, state: State, base: str) -> State:
    """The base goes to its owner's discard pile. Rules: SR-55, SR-57."""
    for seat, own in enumerate(state.seats):
        left = tuple(each for each in own.in_play if each.card != base)
        if len(left) < len(own.in_play):
            return with_seat(state, seat, in_play=left, discard=(*own.discard, base))
    raise AssertionError(base)


def destroy(box: Box, state: State, task: Task) -> State:
    """In a scenario the team gets combat instead. Rules: SR-69."""
    assert isinstance(task.do, DestroyBase)
    if state.boss is not None:
        return replace(state, combat=state.combat + TEAM_PAYS)
    return pushed(state, Task(TargetBase(task.do.optional), task.seat))


def base_offer(box: Box, state: State, task: Task) -> Offer | None:
    """Rules: SR-56."""
    assert isinstance(task.do, TargetBase)
    found = targets(box, state, task.seat)
    least = 0 if task.do.optional else 1
    return offer(moves.DestroyBase, base=Choice(found, least, 1)) if found else None


def base_chosen(box: Box, state: State, task: Task, seat: int, move: Any) -> State:
    return state if move.base is None else destroyed(box, state, move.base)


DO: Final[Mapping[type, Any]] = {DestroyBase: destroy}
ASK: Final[Mapping[type, Any]] = {TargetBase: base_offer}
ANSWER: Final[Mapping[type, Any]] = {TargetBase: base_chosen}
