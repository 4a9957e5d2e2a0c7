"""Matches from compact text: cards by code (`TD`), `0:5S` is seat 0 with that card or those cards.

`given` makes a position out of hands (`0:5S 3S 1:KS …`), from which cards may be missing: the
fourth card of a trick is all it is good for. `Play` goes on from a position with draws, passes,
kickoff cards and plays. `finished` is a hand whose tricks have gone as the numbers say.
"""

import re
from typing import Any, cast

import msgspec
from msgspec.structs import replace

from games.ambition_tricks import GAME
from games.ambition_tricks.cards import Card, cards_in, set_of
from games.ambition_tricks.moves import Kickoff, Move, Pass, Play
from games.ambition_tricks.scoring import hand_scored
from games.ambition_tricks.state import Options, Phase, State, Trick
from games.ambition_tricks.view import OwnView, View
from games.core.chance import drawn
from games.core.game import CHANCE, Chance, Decision, Over, Seat, Seen, Viewer
from games.core.moves import IllegalMove, Offer, Wire, take, wire_move, wire_offer

SAMPLE = """
    5S 8S JD 2C KC 7C 3S 7H 6S 6D QH 5H 6C
    KD AD 8D JS 3H 9H 9D QS KS JC 7D 7S 5C
    4C AH 6H QD TS 2S 4S AS TD AC JH 4H TH
    8H 2D QC 2H 9C 4D 3C 3D TC 8C KH 9S 5D
"""
SAMPLE_PASSES = "0:2S AH TC 1:2D 4D JH 2:4H KH 8S 3:JC 3D TH"
SCATTER_PASSES = "0:2S AH TC 1:4D JH 2D 2:KH 8S 4H 3:JC 3D TH"
SAMPLE_KICKOFF = "0:9D 1:6H 2:KD 3:AD"
SAMPLE_TRICKS = """
    3:3S 0:4D 1:5S 2:KS
    2:7C 3:4C 0:AC 1:8C
    0:7H 1:KH 2:TH 3:AH
    3:2S 0:9C 1:8S 2:AS
    3:TC 0:2C 1:KC 2:JC
    0:8D 1:7S 2:3D 3:JD
    3:QH 0:8H 1:4H 2:3H
    3:TD 0:2D 1:QS 2:6D
    3:2H 0:5H 1:6C 2:QD
    0:7D 1:JS 2:5C 3:9S
    0:5D 1:6S 2:3C 3:TS
"""


def cards(text: str) -> tuple[Card, ...]:
    return tuple(map(Card, text.split()))


def by_seat(text: str) -> list[tuple[Seat, tuple[Card, ...]]]:
    """`0:5S 3S 1:KS` in the order written."""
    found = re.findall(r"(\d):([^:]*)(?=\s\d:|$)", " ".join(text.split()))
    return [(int(seat), cards(own)) for seat, own in found]


class Match:
    """A match that goes on from a position; `steps` are (state before, seat, move)."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.steps: list[tuple[State, Seat, Move]] = []

    def deal(self, order: str = SAMPLE) -> "Match":
        turn = GAME.turn(self.state)
        assert isinstance(turn, Chance)
        (choice,) = wire_offer(turn.offer)["fields"].values()
        places = tuple(choice["options"].index(code) for code in order.split())
        return self._apply(CHANCE, cast(Move, drawn(turn.offer, places)))

    def draw_dealer(self, dealer: Seat) -> "Match":
        turn = GAME.turn(self.state)
        assert isinstance(turn, Chance)
        return self._apply(CHANCE, cast(Move, drawn(turn.offer, (dealer,))))

    def passes(self, text: str = SAMPLE_PASSES) -> "Match":
        for seat, three in by_seat(text):
            self.move(seat, Pass(three))
        return self

    def kickoff(self, text: str = SAMPLE_KICKOFF) -> "Match":
        for seat, (card,) in by_seat(text):
            self.move(seat, Kickoff(card))
        return self

    def plays(self, text: str) -> "Match":
        for seat, (card,) in by_seat(text):
            self.move(seat, Play(card))
        return self

    def by_fallback(self) -> "Match":
        """Every seat that is asked is played by the stand-in."""
        for seat in self.decision().offers:
            self.move(seat, GAME.fallback(self.state, seat))
        return self

    def move(self, seat: Seat, move: Move) -> "Match":
        return self._apply(seat, cast(Move, take(self.offers(seat), wire_move(move))))

    def refuses(self, seat: Seat, move: Move) -> bool:
        try:
            take(self.offers(seat), wire_move(move))
        except IllegalMove:
            return True
        return False

    def decision(self) -> Decision:
        turn = GAME.turn(self.state)
        assert isinstance(turn, Decision)
        return turn

    def over(self) -> Over:
        turn = GAME.turn(self.state)
        assert isinstance(turn, Over)
        return turn

    def label(self) -> str:
        turn = GAME.turn(self.state)
        assert isinstance(turn, Chance)
        return turn.label

    def asked(self) -> set[Seat]:
        return set(self.decision().offers)

    def offers(self, seat: Seat) -> tuple[Offer, ...]:
        return self.decision().offers.get(seat, ())

    def offered(self, seat: Seat) -> str:
        """The cards a seat is offered, as text in their order."""
        (each,) = self.offers(seat)
        (field,) = wire_offer(each)["fields"].values()
        return " ".join(field["options"])

    def hand(self, seat: Seat) -> str:
        return " ".join(cards_in(self.state.hands[seat]))

    def view(self, viewer: Viewer) -> View:
        return cast(View, GAME.view(self.state, viewer))

    def own(self, seat: Seat) -> OwnView:
        own = self.view(seat).own
        assert own is not None
        return own

    def seen(self, viewer: Viewer, back: int = 1) -> Seen:
        """The last step, or one further back, as a viewer saw it."""
        before, seat, move = self.steps[-back]
        return GAME.redact(before, seat, move, viewer)

    def wire(self, viewer: Viewer, back: int = 1) -> Wire:
        move = self.seen(viewer, back).move
        assert move is not None
        return move

    def fork(self) -> "Match":
        """The same position, to go on differently."""
        return Match(self.state)

    def last(self) -> Trick:
        return self.state.tricks[-1]

    def _apply(self, seat: Seat, move: Move) -> "Match":
        self.steps.append((self.state, seat, move))
        self.state = GAME.apply(self.state, seat, move)
        return self


def opened(**options: Any) -> Match:
    return Match(GAME.new(msgspec.convert(options, Options), 4))


def sample(**options: Any) -> Match:
    """The sample hand, dealt by seat 0."""
    return opened(first_dealer=0, **options).deal()


def given(hands: str, leader: Seat | None = None) -> Match:
    """A position before the kickoff, or in trick 2 if there is a leader."""
    held = dict(by_seat(hands))
    state = replace(
        GAME.new(Options(first_dealer=0), 4),
        phase=Phase.KICKOFF if leader is None else Phase.PLAY,
        hands=tuple(set_of(held.get(seat, ())) for seat in range(4)),
        tricks=() if leader is None else (Trick(None, cards("7D 8D 9D TD"), leader, 7),),
    )
    return Match(state)


def finished(
    points: tuple[int, ...],
    tricks_won: tuple[int, ...] = (4, 3, 3, 3),
    scores: tuple[int, ...] = (0, 0, 0, 0),
    hand_no: int = 1,
    **options: Any,
) -> Match:
    """A hand just scored, with these totals before it."""
    taken = []
    for seat, won in enumerate(tricks_won):
        worth = [points[seat], *[0] * (won - 1)] if won else []
        taken += [Trick(0, cards("2C 3C 4C 5C"), seat, each) for each in worth]
    start = GAME.new(msgspec.convert({"first_dealer": 0, **options}, Options), 4)
    phase = Phase.PLAY
    return Match(
        hand_scored(
            replace(start, phase=phase, scores=scores, hand_no=hand_no, tricks=tuple(taken))
        )
    )


def taken(plays: str) -> Trick:
    """The finished trick after these plays, each seat holding just its card and one more club."""
    played = by_seat(plays)
    spare = dict(zip(range(4), cards("3C 4C 6C 7C"), strict=True))
    hands = " ".join(f"{seat}:{card} {spare[seat]}" for seat, (card,) in sorted(played))
    match = given(hands, leader=played[0][0])
    for seat, (card,) in played:
        match.state = GAME.apply(match.state, seat, Play(card))
    return match.last()


def kicked_off(cards_by_seat: str) -> Trick:
    return given(cards_by_seat).kickoff(cards_by_seat).last()
