"""Cards on their way between hand, deck, discard pile, scrap heap, row and explorer pile."""

from collections.abc import Iterable

from msgspec.structs import replace

from games.star_realms.box import Box
from games.star_realms.state import State, marks_kept, put, with_seat


def is_explorer(box: Box, copy: str) -> bool:
    return box.of[copy].set == "explorer"


def heaped(box: Box, state: State, copies: tuple[str, ...]) -> State:
    """The cards, taken from where they were, are scrapped. Rules: SR-29."""
    heap = tuple(copy for copy in copies if not is_explorer(box, copy))
    if heap:
        state = replace(state, scrap_heap=state.scrap_heap + heap)
    if len(heap) == len(copies):
        return state
    back = (copy for copy in copies if is_explorer(box, copy))
    return replace(state, explorers=box.sorted((*state.explorers, *back)))


def discarded(state: State, seat: int, copies: tuple[str, ...]) -> State:
    """From the hand to the discard pile."""
    own = state.seats[seat]
    hand = tuple(copy for copy in own.hand if copy not in copies)
    return with_seat(
        state, seat, hand=hand, discard=own.discard + copies, **marks_kept(own, copies)
    )


def on_top(state: State, seat: int, copy: str) -> State:
    """A card that all have seen goes on top of the deck."""
    own = state.seats[seat]
    return with_seat(state, seat, deck=(copy, *own.deck), seen=(*own.seen, copy))


def from_hand_or_discard(state: State, seat: int, copies: Iterable[str]) -> State:
    """The cards leave the zones of the seat that they lie in."""
    own, gone = state.seats[seat], set(copies)
    return with_seat(
        state,
        seat,
        hand=tuple(copy for copy in own.hand if copy not in gone),
        discard=tuple(copy for copy in own.discard if copy not in gone),
        **marks_kept(own, gone),
    )


def from_row(state: State, copy: str) -> State:
    """The card leaves its slot, which the top of the trade deck fills. Rules: SR-41."""
    slot, deck = state.trade_row.index(copy), state.trade_deck
    if not deck:
        return replace(state, trade_row=put(state.trade_row, slot, None))
    return replace(state, trade_row=put(state.trade_row, slot, deck[0]), trade_deck=deck[1:])


def filled(state: State) -> tuple[State, tuple[str, ...]]:
    """The free slots are filled, lowest first; also the cards turned up."""
    row, taken = list(state.trade_row), 0
    for slot, copy in enumerate(row):
        if copy is None and taken < len(state.trade_deck):
            row[slot] = state.trade_deck[taken]
            taken += 1
    turned_up = state.trade_deck[:taken]
    return replace(state, trade_row=tuple(row), trade_deck=state.trade_deck[taken:]), turned_up
