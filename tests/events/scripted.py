"""Whole matches in pure code, always the same: fixed clock and entropy, a dealer with a script."""

from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from random import Random
from typing import Any

import msgspec
from msgspec.structs import replace

from events import chain
from events.canonical import canonical, raw
from events.clocks import Clock
from events.dealer import SeedDealer, commitment
from events.decide import (
    ClaimSeat,
    Command,
    CreateMatch,
    OfGroup,
    PlayMove,
    Resign,
    Step,
    create,
    decide,
    settle,
)
from events.match import Match, evolve
from events.observe import shown_facets
from events.proof import Proof, proof_for
from events.scheduling import Schedule
from events.sealing import Sealed, seal
from events.types import (
    Closing,
    Event,
    MatchCreated,
    MatchRewound,
    PositionSet,
    Record,
    Start,
    TextRow,
    kind_of,
)
from events.verify import Verdict
from games import registry
from games.core.chance import ALGORITHM, picked
from games.core.game import ALL, Game, Seat, Viewer
from games.core.moves import IllegalMove, Offer, sample, wire_move
from tests import installing

MATCH_ID = "01890a5d-ac96-774b-bcce-b302099a8057"
OTHER_ID = "01890a5d-ac96-774b-bcce-b302099a8058"
GROUP_ID = "01890a5d-ac96-774b-bcce-b302099a8059"
SEED = bytes(range(32))
NOON = 1_700_000_000_000  # milliseconds

# High card is known wherever these matches are played, as if it were installed.
installing.install()

AnyGame = Game[Any, Any]


class ScriptedDealer(SeedDealer):
    """Deals the picks written for a label, and what the seed says for other labels.

    A script holds the picks themselves.
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
    numbers = Random(name)
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
        takes_entropy: bool = False,
        reveal_by: int | None = None,
        window: int | None = None,
        group: OfGroup | None = None,
        clock: Clock | None = None,
        schedule: Schedule | None = None,
        closes_at: int | None = None,
        closing: Closing | None = None,
        agreed_draw: bool = False,
    ) -> None:
        self.game = game
        self.dealer = dealer or SeedDealer(seed)
        self.entropy = entropy(match_id)
        self.sealed: list[Sealed] = []
        self.steps: list[Step] = []
        self.texts: list[TextRow] = []
        self.at = NOON
        bound = bytes.fromhex((group.id if group else match_id).replace("-", ""))
        made = CreateMatch(
            match_id=match_id,
            game=game,
            options=options or game.options(),
            seats=seats,
            seed_commitment=commitment(self.dealer.seed(), bound).hex(),
            algorithm=ALGORITHM,
            start=start,
            takes_entropy=takes_entropy,
            reveal_by=reveal_by,
            window=window,
            group=group,
            clock=clock,
            schedule=schedule,
            closes_at=closes_at,
            closing=closing,
            agreed_draw=agreed_draw,
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

    def after(self, version: int) -> Match:
        """The match as it was after so many events."""
        return self.steps[version - 1].after

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
            gone = set(self.current.resigned)
            seat = rng.choice(sorted(set(decision.offers) - gone))
            if decision.asides and rng.random() < talk:
                speaker = rng.choice(sorted(set(decision.asides) - gone))
                self.say(speaker, _wire(decision.asides[speaker], rng))
            else:
                self.play(seat, _wire(decision.offers[seat], rng))
        return self

    def _log(self, steps: tuple[Step, ...]) -> None:
        self.sealed += seal(steps, self.dealer, self.entropy)
        self.steps += steps
        self.texts += [row for step in steps for row in step.texts]


def finished(
    name: str, seats: int, number: int = 0, options: msgspec.Struct | None = None
) -> Table:
    """A match of random moves played to its end."""
    game = registry.game(name)
    seed = sha256(f"{name} {seats} {number}".encode()).digest()
    return Table(game, seats, options, seed=seed).play_on(Random(number))


def with_resignation() -> Table:
    """Three seats of high card, one of which resigns; words are said."""
    game = registry.game("high_card")
    table = Table(game, 3, game.options(rounds=3)).play_on(Random(3), most=2)
    table.say(1, {"type": "speak", "text": "Ü"})
    table.do(Resign(0))
    return table.play_on(Random(3))


def where(verdict: Verdict) -> tuple[int, str] | None:
    return None if verdict.fault is None else (verdict.fault.version, verdict.fault.code)


def flipped(data: bytes, place: int) -> bytes:
    return data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]


def resealed(
    events: Sequence[Event],
    dealer: SeedDealer,
    bodies: Mapping[int, bytes] | None = None,
    salts: Mapping[int, bytes] | None = None,
) -> tuple[Record, ...]:
    """A log of any events, honestly committed to and chained: what a liar with the keys can make.

    `bodies` by version replace the canonical bytes, `salts` those that are made up. Where an event
    does not fold, the viewers are shown nothing of it.
    """
    created = events[0]
    assert isinstance(created, MatchCreated)
    seats, made, before = created.seats, entropy(), None
    folded: dict[int, Match] = {}
    prev = chain.genesis(created.match_id, seats)
    records = []
    for event in events:
        try:
            shown = shown_facets(before, event, seats, dealer)
            goal = event.to if isinstance(event, MatchRewound) else 0
            before = folded[event.version] = evolve(before, event, folded.get(goal))
        except Exception:
            shown = (b"{}",) * (seats + 1)
        body = (bodies or {}).get(event.version, canonical(event))
        salt = (salts or {}).get(event.version) or made(chain.SALT_BYTES)
        joined = chain.commitments(created.match_id, event.version, salt, (*shown, body))
        prev = chain.link(prev, event.version, joined)
        kind, schema = kind_of(event), event.schema
        records.append(Record(event.version, kind, schema, event.at, body, salt, joined, prev))
    return tuple(records)


def changed(at: Table, version: int, /, **fields: Any) -> tuple[Record, ...]:
    """The log with one event altered and all of it honestly sealed again, under the same salts."""
    events = [replace(e, **fields) if e.version == version else e for e in at.events]
    salts = {each.version: each.salt for each in at.records}
    return resealed(events, at.dealer, salts=salts)


def entries(table: Table, viewer: Viewer) -> list[tuple[bytes, Proof]]:
    """What a viewer may be given of a match: observations (bodies for ALL) with their proofs."""
    given, prev, seats = [], None, table.current.seats
    for each in table.sealed:
        proof = proof_for(each.record, prev, viewer, seats)
        given.append((shown_to(each, viewer), proof))
        prev = each.record.hash
    return given


def shown_to(sealed: Sealed, viewer: Viewer) -> bytes:
    """The bytes a viewer may see of an event."""
    if viewer == ALL:
        return sealed.record.body
    own = sealed.facets[viewer + 1 if viewer >= 0 else chain.PUBLIC]
    return sealed.facets[chain.PUBLIC] if own == chain.SAME else own


def _wire(offers: Sequence[Offer], rng: Random) -> dict[str, Any]:
    if not offers:
        raise IllegalMove("?")
    return wire_move(sample(offers, rng))
