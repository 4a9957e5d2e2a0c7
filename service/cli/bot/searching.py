"""A bot that thinks: it imagines worlds from what its seat is shown, and tries moves in them."""

import asyncio
from random import Random
from time import monotonic
from typing import Any, Final

import msgspec

from games import registry
from games.core.game import AnyGame, Asked, Decision
from games.core.moves import Wire, shown_offer, wire_move
from games.core.search import best_move
from games.core.shown import sample_shown, unordered
from service.cli.bot.choosing import rng_of
from service.cli.bot.door import Door
from service.cli.bot.playing import Choice, Question, Seat
from service.cli.terminal import say

LONGEST: Final = 30.0  # seconds of thought about one decision
_SHARE: Final = 20  # a running clock gives this part of what is left on it


class _Table(msgspec.Struct, frozen=True):
    """What never changes of a match; without a `game` there is nothing to think with."""

    game: AnyGame | None
    options: Any


class Thinker:
    """Chooses by search where the game can imagine worlds, else at random."""

    def __init__(self, seed: str, playouts: int) -> None:
        self._seed = seed
        self._playouts = playouts
        self._tables: dict[str, _Table] = {}

    async def __call__(self, door: Door, question: Question) -> Choice | None:
        rng = rng_of(self._seed, question)
        table = await self._table(door, question.seat)
        if table.game is None:
            return Choice(sample_shown(question.offers, rng), False)
        shown = await door.get(f"{question.seat.path}/view")
        own = shown["decision"]
        if own is None or own["id"] != question.decision:
            return None  # The match has moved on.
        seconds = _seconds(shown["clocks"], question.seat.seat)
        state = _world(table.game, table.options, shown)
        if state is None:
            return Choice(sample_shown(own["offers"], rng), False)
        move = await asyncio.to_thread(
            _thought, table.game, state, question.seat.seat, self._playouts, rng, seconds
        )
        return Choice(move, True)

    async def _table(self, door: Door, seat: Seat) -> _Table:
        found = self._tables.get(seat.match_id)
        if found is None:
            told = await door.get(seat.path)
            found = _table_of(told)
            self._tables[seat.match_id] = found
            if found.game is None:
                say(f"match {seat.match_id}: plays {told['game']} at random, it has no search here")
        return found


def _table_of(told: Any) -> _Table:
    """The rules the match is played by, if they are installed here and can imagine."""
    try:
        game = registry.game(told["game"], told["rules_version"], told["data_digest"])
    except registry.UnknownGame:
        return _Table(None, None)
    if game.imagine is None:
        return _Table(None, None)
    return _Table(game, msgspec.convert(told["options"], type=game.options))


def _world(game: AnyGame, options: Any, shown: Any) -> Any | None:
    """A state that looks as what is shown; None where that does not say enough."""
    assert game.imagine is not None
    seat, asked = shown["viewer"], Asked(shown["asked"]["kind"], tuple(shown["asked"]["seats"]))
    view = msgspec.convert(shown["view"], type=game.views)
    state = game.imagine(options, view, seat, asked)
    turn = None if state is None else game.turn(state)
    if not isinstance(turn, Decision) or seat not in turn.offers:
        return None
    here = unordered([shown_offer(each) for each in turn.offers[seat]])
    return state if here == unordered(shown["decision"]["offers"]) else None


def _thought(
    game: AnyGame, state: Any, seat: int, playouts: int, rng: Random, seconds: float
) -> Wire:
    until = monotonic() + seconds
    return wire_move(best_move(game, state, seat, playouts, rng, lambda: monotonic() > until))


def _seconds(clocks: Any, seat: int) -> float:
    """How long the seat may think, as far as its clock runs."""
    left = [float(each["remaining"]) for each in clocks or () if each["seat"] == seat]
    return min([LONGEST, *(each / 1000 / _SHARE for each in left)])
