"""Discarding from the hand, scrapping, and cards taken back on top of the deck."""

from collections.abc import Mapping
from typing import Any, Final

from games.core.moves import Choice, Offer, offer, one_of
from games.star_realms import moves
from games.star_realms.box import Box
from games.star_realms.drawing import drawn
from games.star_realms.effects import (
    ChooseVictim,
    DiscardThenDraw,
    DiscardToDeckTop,
    Draw,
    MustDiscard,
    OpponentDiscard,
    Scrap,
    ScrapThenDraw,
    Zone,
)
from games.star_realms.piles import discarded, from_hand_or_discard, from_row, heaped, on_top
from games.star_realms.state import State, Task, opponents, pushed, with_seat, without


def opponent_discards(box: Box, state: State, task: Task) -> State:
    """In a scenario the seat itself draws one and discards one, each time. Rules: SR-68."""
    assert isinstance(task.do, OpponentDiscard)
    if state.boss is None:
        return pushed(state, Task(ChooseVictim(task.do.n), task.seat))
    once = (Task(Draw(1), task.seat), Task(MustDiscard(1), task.seat))
    return pushed(state, *once * task.do.n)


def victim_offer(box: Box, state: State, task: Task) -> Offer | None:
    """Who is to discard. Rules: SR-61."""
    others = opponents(state, task.seat)
    return offer(moves.ChooseOpponent, seat=one_of(others)) if others else None


def victim_chosen(box: Box, state: State, task: Task, seat: int, move: Any) -> State:
    """Rules: SR-60."""
    return pushed(state, Task(MustDiscard(task.do.n), move.seat))  # type: ignore[union-attr]


def discard_offer(box: Box, state: State, task: Task) -> Offer | None:
    hand, count = state.seats[task.seat].hand, task.do.n  # type: ignore[union-attr]
    count = min(count, len(hand))
    return offer(moves.Discard, cards=Choice(hand, count, count)) if count else None


def cards_discarded(box: Box, state: State, task: Task, seat: int, move: Any) -> State:
    return discarded(state, task.seat, move.cards)


def some_offer(box: Box, state: State, task: Task) -> Offer | None:
    """Rules: SR-63."""
    hand, most = state.seats[task.seat].hand, task.do.max  # type: ignore[union-attr]
    return offer(moves.Discard, cards=Choice(hand, 0, min(most, len(hand)))) if hand else None


def some_discarded(box: Box, state: State, task: Task, seat: int, move: Any) -> State:
    state = discarded(state, task.seat, move.cards)
    return drawn(state, task.seat, len(move.cards))


def scrap_offer(box: Box, state: State, task: Task) -> Offer | None:
    """Rules: SR-46, SR-62, SR-63."""
    assert isinstance(task.do, Scrap | ScrapThenDraw)
    least = task.do.min if isinstance(task.do, Scrap) else 0
    found = _candidates(state, task.seat, task.do.zones)
    if not found:
        return None
    choice = Choice(found, min(least, len(found)), min(task.do.max, len(found)))
    return offer(moves.Scrap, cards=choice)


def _candidates(state: State, seat: int, zones: tuple[Zone, ...]) -> tuple[str, ...]:
    """The discard pile, the hand, each oldest first, then the row by slot."""
    own = state.seats[seat]
    found = own.discard if Zone.DISCARD in zones else ()
    if Zone.HAND in zones:
        found += own.hand
    if Zone.TRADE_ROW in zones:
        found += tuple(copy for copy in state.trade_row if copy is not None)
    return found


def scrapped(box: Box, state: State, task: Task, seat: int, move: Any) -> State:
    """Rules: SR-28, SR-29."""
    in_row = [copy for copy in move.cards if copy in state.trade_row]
    for copy in in_row:
        state = from_row(state, copy)
    if len(in_row) < len(move.cards):
        state = from_hand_or_discard(state, task.seat, move.cards)
    state = heaped(box, state, move.cards)
    if isinstance(task.do, ScrapThenDraw):
        state = drawn(state, task.seat, len(move.cards))
    return state


def top_offer(box: Box, state: State, task: Task) -> Offer | None:
    """Rules: SR-76."""
    discard = state.seats[task.seat].discard
    return offer(moves.PutOnTop, card=one_of(discard)) if discard else None


def put_on_top(box: Box, state: State, task: Task, seat: int, move: Any) -> State:
    own, left = state.seats[task.seat], task.do.n - 1  # type: ignore[union-attr]
    if left:
        state = pushed(state, Task(DiscardToDeckTop(left), task.seat, task.card))
    state = with_seat(state, task.seat, discard=without(own.discard, move.card))
    return on_top(state, task.seat, move.card)


DO: Final[Mapping[type, Any]] = {OpponentDiscard: opponent_discards}

ASK: Final[Mapping[type, Any]] = {
    ChooseVictim: victim_offer,
    MustDiscard: discard_offer,
    DiscardThenDraw: some_offer,
    Scrap: scrap_offer,
    ScrapThenDraw: scrap_offer,
    DiscardToDeckTop: top_offer,
}

ANSWER: Final[Mapping[type, Any]] = {
    ChooseVictim: victim_chosen,
    MustDiscard: cards_discarded,
    DiscardThenDraw: some_discarded,
    Scrap: scrapped,
    ScrapThenDraw: scrapped,
    DiscardToDeckTop: put_on_top,
}
