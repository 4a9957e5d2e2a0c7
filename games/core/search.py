"""A decent move for a seat that does not know where everything lies: flat Monte-Carlo search.

Worlds the seat can't tell apart are dealt, each candidate is played in every one of them, and the
match is finished at random; the worse half of the candidates is dropped, until one is left.
"""

from collections.abc import Callable
from random import Random
from typing import Any, Final

from games.core.game import CHANCE, AnyGame, Decision, Over, Seat
from games.core.moves import Move, Offers, count, moves, sample
from games.core.walk import random_draw

MOST_CANDIDATES: Final = 32  # of more moves on offer, so many are drawn
HORIZON: Final = 1500  # steps after which a match that does not end counts as a draw
_DRAW: Final = (0.5, 0.0)
_MARGIN: Final = 0.5  # what the largest lead in points counts beside beating everybody


def best_move(
    game: AnyGame,
    state: Any,
    seat: Seat,
    playouts: int,
    rng: Random,
    is_late: Callable[[], bool] = lambda: False,
) -> Move:
    """The best of the moves the seat is offered, after about so many playouts.

    `state` is any that the seat can't tell apart from the true one, with an open decision for it:
    nothing hidden in it is used. Once it is late the best so far is taken.
    """
    turn = game.turn(state)
    assert isinstance(turn, Decision)
    alive = [_Candidate(move) for move in _candidates(turn.offers[seat], rng)]
    rounds = (len(alive) - 1).bit_length()
    scale = 1e-9
    for _ in range(rounds):
        for _ in range(max(1, playouts // (rounds * len(alive)))):
            if is_late():
                break
            world, luck = game.resample(state, seat, rng), rng.random()
            for each in alive:
                after = game.apply(world, seat, each.move)
                # The same luck for all: what differs is then rather the move.
                scale = max(scale, each.add(*_played_out(game, after, seat, Random(luck))))  # noqa: S311
        alive.sort(key=lambda each: each.worth(scale), reverse=True)
        del alive[(len(alive) + 1) // 2 :]
    return alive[0].move


class _Candidate:
    """A move and how its playouts ended: the share of others beaten, and the lead in points."""

    def __init__(self, move: Move) -> None:
        self.move = move
        self._times = 0
        self._beaten = 0.0
        self._lead = 0.0

    def add(self, beaten: float, lead: float) -> float:
        """The size of the lead."""
        self._times += 1
        self._beaten += beaten
        self._lead += lead
        return abs(lead)

    def worth(self, scale: float) -> float:
        """The mean, with leads as shares of the largest there was."""
        return (self._beaten + _MARGIN * self._lead / scale) / max(1, self._times)


def _candidates(offers: Offers, rng: Random) -> list[Move]:
    total = count(offers)
    if total is not None and total <= MOST_CANDIDATES:
        return [move for move in moves(offers) if isinstance(move, Move)]
    return list(dict.fromkeys(sample(offers, rng) for _ in range(MOST_CANDIDATES)))


def _played_out(game: AnyGame, state: Any, seat: Seat, rng: Random) -> tuple[float, float]:
    """The end of a match that everybody plays on at random."""
    for _ in range(HORIZON):
        turn = game.turn(state)
        if isinstance(turn, Over):
            return _worth(turn, seat)
        if isinstance(turn, Decision):
            mover = rng.choice(sorted(turn.offers))
            move = sample(turn.offers[mover], rng)
        else:
            mover, move = CHANCE, random_draw(turn.offer, rng)
        state = game.apply(state, mover, move)
    return _DRAW


def _worth(over: Over, seat: Seat) -> tuple[float, float]:
    own, others = over.ranks[seat], [r for s, r in enumerate(over.ranks) if s != seat]
    points = over.scores[seat]
    if not others:
        return float(own == 1), float(points)
    beaten = sum((own < each) + 0.5 * (own == each) for each in others) / len(others)
    rest = (sum(over.scores) - points) / len(others)
    # Whoever wins or loses together, as against a boss, is told by the first rank alone.
    return (beaten + (own == 1)) / 2, points - rest
