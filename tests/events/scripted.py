"""Whole matches in pure code, always the same: fixed clock, fixed entropy, a dealer with a script."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import sha256
from random import Random
from typing import Any

import msgspec

from events.canonical import raw
from events.dealer import SeedDealer, commitment
from events.decide import (
    ClaimSeat,
    Command,
    CreateMatch,
    PlayMove,
    Step,
    create,
    decide,
    settle,
)
from events.match import Match
from events.sealing import Sealed, seal
from events.types import Event, PositionSet, Record, Start, TextRow
from games import registry
from games.core.chance import ALGORITHM, picked
from games.core.game import Game, Seat
from games.core.moves import IllegalMove, Move, Offer, sample, wire_move
from tests.games import high_card

MATCH_ID = "01890a5d-ac96-774b-bcce-b302099a8057"
OTHER_ID = "01890a5d-ac96-774b-bcce-b302099a8058"
SEED = bytes(range(32))
NOON = 1_700_000_000_000  # milliseconds

# High card is known wherever these matches are played, as if it were installed.
registry._entries().setdefault("high_card", registry._admitted(high_card))

AnyGame = Game[Any, Any]


class ScriptedDealer(SeedDealer):
    """Deals the picks written for a label, and what the seed says for all other labels.

    A script may hold the picks themselves, or places among the options.
    """

    def __init__(self, script: Mapping[str, Sequence[Any]], seed: bytes = SEED) -> None:
        super().__init__(seed)
        self._script = script

    def places(self, label: str, offer: Offer, redraw: int = 0) -> tuple[int, ...]:
        if label not in self._script:
            return super().places(label, offer, redraw)
        (name,) = offer.fields
        return picked(offer, offer.move(**{name: tuple(self._script[label])}))


def entropy(name: str = "salts") -> Callable[[int], bytes]:
    """Bytes that look random and are the same in every run."""
    numbers = Random(name)  # noqa: S311
    return numbers.randbytes


class Table:
    """One match and its log so far. Every command takes a second of the clock."""

    def __init__(
        self,
        game: AnyGame,
        seats: int,
        options: msgspec.Struct | None = None,
        *,
        seed: bytes = SEED,
        dealer: SeedDealer | None = None,
        match_id: str = MATCH_ID,
        start: Start = Start.AUTO,
        is_seated: bool = True,
    ) -> None:
        self.game = game
        self.dealer = dealer or SeedDealer(seed)
        self.entropy = entropy(match_id)
        self.sealed: list[Sealed] = []
        self.steps: list[Step] = []
        self.texts: list[TextRow] = []
        self.at = NOON
        bound = bytes.fromhex(match_id.replace("-", ""))
        made = CreateMatch(
            match_id=match_id,
            game=game,
            options=options or game.options(),
            seats=seats,
            seed_commitment=commitment(self.dealer.seed(), bound).hex(),
            algorithm=ALGORITHM,
            start=start,
        )
        self._log(create(made, self.at))
        for seat in range(seats if is_seated else 0):
            self.do(ClaimSeat(seat, f"player {seat}"))

    @property
    def current(self) -> Match:
        return self.steps[-1].after

    @property
    def records(self) -> tuple[Record, ...]:
        return tuple(each.record for each in self.sealed)

    @property
    def events(self) -> tuple[Event, ...]:
        return tuple(step.event for step in self.steps)

    def do(self, command: Command) -> tuple[Step, ...]:
        self.at += 1000
        steps = decide(self.current, command, self.dealer, self.at)
        self._log(steps)
        return steps

    def play(self, seat: Seat, wire: object) -> tuple[Step, ...]:
        """The seat's answer to its open decision."""
        decision = self.current.decision_of(seat)
        return self.do(PlayMove(seat, decision or "0.0", wire, self.entropy(32)))

    def say(self, seat: Seat, wire: object) -> tuple[Step, ...]:
        """An aside."""
        return self.do(PlayMove(seat, None, wire, self.entropy(32)))

    def set_position(self, state: msgspec.Struct) -> None:
        """Opens the match from a position instead of the start."""
        event = PositionSet(version=self.current.version + 1, at=self.at, state=raw(state))
        self._log(settle(self.current, event, (), self.dealer, self.at))

    def play_on(self, rng: Random, most: int = 10_000, talk: float = 0.05) -> "Table":
        """Random moves, now and then an aside, until the end or for `most` plies."""
        for _ in range(most):
            decision = self.current.decision
            if decision is None:
                break
            seat = rng.choice(sorted(decision.offers))
            if decision.asides and rng.random() < talk:
                speaker = rng.choice(sorted(decision.asides))
                self.say(speaker, _wire(decision.asides[speaker], rng))
            else:
                self.play(seat, _wire(decision.offers[seat], rng))
        return self

    def _log(self, steps: tuple[Step, ...]) -> None:
        self.sealed += seal(steps, self.dealer, self.entropy)
        self.steps += steps
        self.texts += [row for step in steps for row in step.texts]


def finished(name: str, seats: int, number: int = 0, options: msgspec.Struct | None = None) -> Table:
    """A match of random moves played to its end."""
    game = registry.game(name)
    seed = sha256(f"{name} {seats} {number}".encode()).digest()
    return Table(game, seats, options, seed=seed).play_on(Random(number))


def answers(table: Table, seat: Seat) -> Iterator[dict[str, Any]]:
    """The moves the seat might answer with."""
    from games.core.moves import moves

    decision = table.current.decision
    assert decision is not None
    for each in moves(decision.offers[seat]):
        if isinstance(each, Move):
            yield wire_move(each)


def _wire(offers: Sequence[Offer], rng: Random) -> dict[str, Any]:
    if not offers:
        raise IllegalMove("?")
    return wire_move(sample(offers, rng))
