"""The moves: two draws and the three things a seat may be asked for."""

from typing import TypeAlias

from games.ambition_tricks.cards import Card
from games.core import moves


class DrawDealer(moves.Move, frozen=True):
    dealer: int


class Deal(moves.Move, frozen=True):
    """The shuffled deck: card i goes to the i-th seat clockwise from the dealer's left."""

    cards: tuple[Card, ...]


class Pass(moves.Move, frozen=True):
    """Three cards in canonical order; in a scatter hand for the left, the across, the right."""

    discloses = True  # The last one exchanges the cards; the received ones are found in the view.
    cards: tuple[Card, ...]


class Kickoff(moves.Move, frozen=True):
    card: Card


class Play(moves.Move, frozen=True):
    discloses = True  # The last cards are played of themselves.
    card: Card


Move: TypeAlias = DrawDealer | Deal | Pass | Kickoff | Play
