"""Drawing cards, and the shuffle a draw may need first."""

from collections.abc import Mapping
from typing import Any, Final

from games.core.game import Chance
from games.core.moves import Choice, Move, Offer, offer
from games.star_realms import moves
from games.star_realms.box import Box
from games.star_realms.effects import Draw, DrawPerCardPlayed, Reshuffle
from games.star_realms.state import State, Task, has_faction, pushed, with_seat


def shuffle(move: type[Move], box: Box, cards: tuple[str, ...]) -> Offer:
    """A draw of all the cards, which are listed by kind, then by number."""
    listed = box.sorted(cards)
    return offer(move, order=Choice(listed, len(listed), len(listed), ordered=True))


def drawn(state: State, seat: int, count: int) -> State:
    """Cards from the top into the hand, one after the other. Rules: SR-14."""
    own = state.seats[seat]
    if count <= len(own.deck):
        return _taken(state, seat, count)
    left = count - len(own.deck)
    if own.deck:
        state = _taken(state, seat, len(own.deck))
    if not own.discard:
        return state
    return pushed(state, Task(Reshuffle(), seat), Task(Draw(left), seat))


def _taken(state: State, seat: int, count: int) -> State:
    own = state.seats[seat]
    cards, deck = own.deck[:count], own.deck[count:]
    if not own.placed:
        return with_seat(state, seat, deck=deck, hand=own.hand + cards)
    placed = tuple(copy for copy in own.placed if copy not in cards)
    return with_seat(state, seat, deck=deck, hand=own.hand + cards, placed=placed)


def draw(box: Box, state: State, task: Task) -> State:
    return drawn(state, task.seat, task.do.n)  # type: ignore[union-attr]


def draw_per_card_played(box: Box, state: State, task: Task) -> State:
    """Rules: SR-37."""
    assert isinstance(task.do, DrawPerCardPlayed)
    faction = task.do.faction
    played = state.seats[task.seat].played
    return drawn(state, task.seat, sum(has_faction(box, each, faction) for each in played))


def reshuffle_turn(box: Box, state: State, task: Task) -> Chance:
    own = state.seats[task.seat]
    label = f"deck of seat {task.seat}, shuffle {own.shuffles + 1}"
    return Chance(label, shuffle(moves.ShuffleDiscard, box, own.discard))


def reshuffled(box: Box, state: State, task: Task, seat: int, move: Any) -> State:
    """The deck was empty, so all that is in the hand is known by counting."""
    own = state.seats[task.seat]
    return with_seat(
        state,
        task.seat,
        deck=move.order,
        discard=(),
        shuffles=own.shuffles + 1,
        counted=own.hand,
    )


DO: Final[Mapping[type, Any]] = {Draw: draw, DrawPerCardPlayed: draw_per_card_played}
WAITS: Final[Mapping[type, Any]] = {Reshuffle: reshuffle_turn}
ANSWER: Final[Mapping[type, Any]] = {Reshuffle: reshuffled}
