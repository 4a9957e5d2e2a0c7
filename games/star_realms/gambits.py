"""Gambits in play: revealing them, using them, paying for a look at the unclaimed ones."""

from collections.abc import Mapping
from typing import Any, Final

from msgspec.structs import replace

from games.core.game import Chance
from games.core.moves import Offer, offer, one_of
from games.star_realms import moves
from games.star_realms.box import Box
from games.star_realms.choosing import allies_noted
from games.star_realms.drawing import shuffle
from games.star_realms.effects import PickGambit, ShuffleUnclaimed, Trigger
from games.star_realms.gains import tasks
from games.star_realms.lasting import triggered
from games.star_realms.state import NOBODY, Seat, State, Task, pushed, with_seat, without


def revealed(box: Box, state: State, seat: int, gambit: str) -> State:
    """In the own main phase. Rules: SR-71, SR-72, SR-75."""
    own = state.seats[seat]
    down, up = without(own.gambits_down, gambit), (*own.gambits_up, gambit)
    state = with_seat(state, seat, gambits_down=down, gambits_up=up)
    state = allies_noted(box, state, seat)
    return pushed(state, *triggered(Trigger.OWN_TURN, seat, [("", box.gambit_of[gambit])]))


def usable(box: Box, own: Seat) -> tuple[str, ...]:
    """Revealed ones, as they were received. Rules: SR-73."""
    up = [each for each in own.gambits_held if each in own.gambits_up]
    found = ((each, box.gambit_of[each]) for each in up)
    return tuple(each for each, kind in found if kind.scrap and not kind.is_paid_for)


def paid_for(box: Box, own: Seat) -> tuple[str, ...]:
    return tuple(each for each in own.gambits_up if box.gambit_of[each].is_paid_for)


def used(box: Box, state: State, seat: int, gambit: str) -> State:
    """Rules: SR-73."""
    return pushed(_scrapped(state, seat, gambit), *tasks(box.gambit_of[gambit].scrap, seat, ""))


def paid(box: Box, state: State, seat: int, move: moves.PayForGambit) -> State:
    """Rules: SR-77."""
    state = _scrapped(state, seat, move.gambit)
    state = replace(state, trade=state.trade - move.x)
    return pushed(state, Task(ShuffleUnclaimed(move.x), seat), Task(PickGambit(move.x), seat))


def _scrapped(state: State, seat: int, gambit: str) -> State:
    own = state.seats[seat]
    held, up = without(own.gambits_held, gambit), without(own.gambits_up, gambit)
    state = replace(state, gambit_scrap=(*state.gambit_scrap, gambit))
    return with_seat(state, seat, gambits_held=held, gambits_up=up)


def unclaimed_turn(box: Box, state: State, task: Task) -> Chance:
    offered = shuffle(moves.ShuffleUnclaimed, box, state.unclaimed)
    return Chance("unclaimed gambits", offered)


def unclaimed_shuffled(box: Box, state: State, task: Task, seat: int, move: Any) -> State:
    x = task.do.x  # type: ignore[union-attr]
    return replace(state, unclaimed=move.order, looker=task.seat, looked=move.order[:x])


def gambit_offer(box: Box, state: State, task: Task) -> Offer | None:
    return offer(moves.KeepGambit, gambit=one_of(state.looked))


def gambit_kept(box: Box, state: State, task: Task, seat: int, move: Any) -> State:
    """Rules: SR-77, SR-78."""
    looked = without(state.looked, move.gambit)
    state = replace(
        state,
        unclaimed=without(state.unclaimed, move.gambit),
        looked=looked,
        looker=task.seat if looked else NOBODY,
    )
    own = state.seats[task.seat]
    held, down = (*own.gambits_held, move.gambit), (*own.gambits_down, move.gambit)
    return with_seat(state, task.seat, gambits_held=held, gambits_down=down)


WAITS: Final[Mapping[type, Any]] = {ShuffleUnclaimed: unclaimed_turn}
ASK: Final[Mapping[type, Any]] = {PickGambit: gambit_offer}

ANSWER: Final[Mapping[type, Any]] = {
    ShuffleUnclaimed: unclaimed_shuffled,
    PickGambit: gambit_kept,
}
