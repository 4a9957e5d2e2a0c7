"""Acquiring cards, for trade or free, and ships that go on top of the deck instead."""

from collections.abc import Mapping
from typing import Any, Final

from msgspec.structs import replace

from games.core.moves import Offer, offer, one_of
from games.star_realms import moves
from games.star_realms.box import Box
from games.star_realms.effects import AcquireFree, OfferDeckTop
from games.star_realms.moves import EXPLORER
from games.star_realms.piles import from_row, on_top
from games.star_realms.rows import Card, Kind
from games.star_realms.state import State, Task, pushed, with_seat


def affordable(box: Box, state: State) -> tuple[str, ...]:
    """Rules: SR-40, SR-42."""
    return _on_sale(box, state, lambda card: card.cost <= state.trade)


def _on_sale(box: Box, state: State, fits: Any) -> tuple[str, ...]:
    """Cards of the row by slot, then `explorer`."""
    found = [copy for copy in state.trade_row if copy is not None and fits(box.of[copy])]
    if state.explorers and fits(box.of[state.explorers[0]]):
        found.append(EXPLORER)
    return tuple(found)


def bought(box: Box, state: State, seat: int, choice: str) -> State:
    """Rules: SR-40 to SR-43."""
    card = box.of[state.explorers[0] if choice == EXPLORER else choice]
    return to_discard(box, replace(state, trade=state.trade - card.cost), seat, choice)


def to_discard(box: Box, state: State, seat: int, choice: str) -> State:
    """A card from the row or the explorers, which a redirect may catch. Rules: SR-43."""
    state, copy = _taken(state, choice)
    own = state.seats[seat]
    armed = own.topdeck
    if box.of[copy].type is Kind.SHIP and armed.mandatory:
        spent = replace(armed, mandatory=armed.mandatory - 1)
        return on_top(with_seat(state, seat, topdeck=spent), seat, copy)
    discard = (*own.discard, copy)
    if box.of[copy].type is Kind.SHIP and armed.optional:
        spent = replace(armed, optional=armed.optional - 1)
        state = with_seat(state, seat, topdeck=spent, discard=discard)
        return pushed(state, Task(OfferDeckTop(), seat, copy))
    return with_seat(state, seat, discard=discard)


def _taken(state: State, choice: str) -> tuple[State, str]:
    if choice == EXPLORER:
        return replace(state, explorers=state.explorers[1:]), state.explorers[0]
    return from_row(state, choice), choice


def deck_top_offer(box: Box, state: State, task: Task) -> Offer | None:
    return offer(moves.ToDeckTop, accept=one_of(("no", "yes")))


def deck_top_answered(box: Box, state: State, task: Task, seat: int, move: Any) -> State:
    if move.accept == "no":
        return state
    own = state.seats[task.seat]
    assert own.discard[-1] == task.card
    return on_top(with_seat(state, task.seat, discard=own.discard[:-1]), task.seat, task.card)


def free_offer(box: Box, state: State, task: Task) -> Offer | None:
    """Rules: SR-44."""
    assert isinstance(task.do, AcquireFree)
    found = _on_sale(box, state, lambda card: _is_free(task.do, card))
    return offer(moves.AcquireFree, card=one_of(found)) if found else None


def _is_free(effect: Any, card: Card) -> bool:
    fits = effect.what == "any" or card.type is Kind.SHIP
    return fits and (effect.max_cost is None or card.cost <= effect.max_cost)


def acquired_free(box: Box, state: State, task: Task, seat: int, move: Any) -> State:
    """Rules: SR-44, SR-45."""
    assert isinstance(task.do, AcquireFree)
    if task.do.to == "discard":
        return to_discard(box, state, task.seat, move.card)
    state, copy = _taken(state, move.card)
    return on_top(state, task.seat, copy)


ASK: Final[Mapping[type, Any]] = {AcquireFree: free_offer, OfferDeckTop: deck_top_offer}
ANSWER: Final[Mapping[type, Any]] = {AcquireFree: acquired_free, OfferDeckTop: deck_top_answered}
