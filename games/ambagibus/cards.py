"""The deck: printed faces read from `cards.json` or an operator's file, checked on load."""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import msgspec

from games.ambagibus.fitting import SIDES, STEPS, Edges, rotated, rotations_by_pattern

SCHEMA: Final = 1
RECONSTRUCTED: Final = "reconstructed"  # a `status`; any other is of real faces
EDGE_ORDER: Final = tuple(SIDES)
PRIORITIES: Final = 4
SUM_MOST: Final = 999  # the score of the last maze must not outweigh a closed one: AB-61
ID: Final = re.compile(r"[A-Za-z0-9_.-]{1,40}")


class DeckRefused(ValueError):
    """A deck that cannot be played with; the text names the place in the file and the reason."""


class Kind(StrEnum):
    TUNNEL = "tunnel"
    BOMB = "bomb"
    CAVE_IN = "cave_in"


class Card(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A row of the file. Tunnels have four `edges`, at rotation 0; `shape` is for readers."""

    id: str
    kind: Kind
    edges: tuple[int, ...] = ()
    shape: str = ""


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    schema: int
    deck_id: str
    game: str
    status: str
    edge_order: tuple[str, ...]
    counts: dict[Kind, int]
    cards: tuple[Card, ...]
    note: str = ""
    edge_values: str = ""


@dataclass(frozen=True)
class Deck:
    """The cards in the order of the file, and what follows from their faces."""

    deck_id: str
    reconstructed: bool  # the faces are not the printed ones
    cards: Mapping[str, Card]
    faces: Mapping[str, tuple[Edges, ...]]  # of a tunnel, by rotation
    # Of a tunnel, by rotation: the openings as (edge, priority, step in x, step in y).
    openings: Mapping[str, tuple[tuple[tuple[int, int, int, int], ...], ...]]
    fits: Mapping[str, tuple[tuple[int, ...], ...]]  # of a tunnel, rotations by pattern

    def count(self, kind: Kind) -> int:
        return sum(card.kind is kind for card in self.cards.values())

    def in_use(self, bombs: int, cave_ins: int) -> tuple[str, ...]:
        """All tunnels, the first `bombs` Bombs and the first `cave_ins` Cave-ins. Rules: AB-02."""
        left = {Kind.TUNNEL: len(self.cards), Kind.BOMB: bombs, Kind.CAVE_IN: cave_ins}
        used = []
        for card in self.cards.values():
            left[card.kind] -= 1
            if left[card.kind] >= 0:
                used.append(card.id)
        return tuple(used)


def load(tables: bytes) -> Deck:
    """Raises: DeckRefused."""
    try:
        file = msgspec.json.decode(tables, type=_File)
    except msgspec.MsgspecError as fault:
        raise DeckRefused(f"deck: {fault}") from fault
    _check_head(file)
    for place, card in enumerate(file.cards):
        _check_card(f"cards[{place}] ({card.id})", card)
    _check_whole(file)
    return _deck(file)


def _deck(file: _File) -> Deck:
    tunnels = [card for card in file.cards if card.kind is Kind.TUNNEL]
    faces = {card.id: tuple(rotated(card.edges, r) for r in range(4)) for card in tunnels}
    return Deck(
        deck_id=file.deck_id,
        reconstructed=file.status == RECONSTRUCTED,
        cards={card.id: card for card in file.cards},
        faces=faces,
        openings={card: tuple(map(_openings, turned)) for card, turned in faces.items()},
        fits={card.id: rotations_by_pattern(card.edges) for card in tunnels},
    )


def _openings(face: Edges) -> tuple[tuple[int, int, int, int], ...]:
    return tuple((edge, face[edge], *STEPS[edge]) for edge in range(4) if face[edge])


def _check_head(file: _File) -> None:
    if file.schema != SCHEMA:
        raise DeckRefused(f"schema: is {file.schema}, this game reads {SCHEMA}")
    if file.game != "ambagibus":
        raise DeckRefused(f"game: is {file.game!r}, not 'ambagibus'")
    if not ID.fullmatch(file.deck_id):
        raise DeckRefused(f"deck_id: {file.deck_id!r} is not 1 to 40 of A-Z a-z 0-9 _ . -")
    if file.edge_order != EDGE_ORDER:
        raise DeckRefused(f"edge_order: is not {', '.join(EDGE_ORDER)}")


def _check_card(place: str, card: Card) -> None:
    if not ID.fullmatch(card.id):
        raise DeckRefused(f"{place}: the id is not 1 to 40 of A-Z a-z 0-9 _ . -")
    if card.kind is not Kind.TUNNEL:
        if card.edges:
            raise DeckRefused(f"{place}: a {card.kind} has no edges")
        return
    if len(card.edges) != len(EDGE_ORDER):
        raise DeckRefused(f"{place}: has {len(card.edges)} edges, not four")
    for side, edge in zip(EDGE_ORDER, card.edges, strict=True):
        if not 0 <= edge <= PRIORITIES:
            raise DeckRefused(f"{place}: edge {side} is {edge}, not 0 to {PRIORITIES}")
    if not any(card.edges):
        raise DeckRefused(f"{place}: a tunnel has at least one opening")


def _check_whole(file: _File) -> None:
    for card, times in Counter(card.id for card in file.cards).items():
        if times > 1:
            raise DeckRefused(f"cards: the id {card} is there {times} times")
    for kind in Kind:
        stated = file.counts.get(kind, 0)
        found = sum(card.kind is kind for card in file.cards)
        if stated != found:
            raise DeckRefused(f"counts.{kind}: says {stated}, but {found} are listed")
    if not file.counts.get(Kind.TUNNEL):
        raise DeckRefused("cards: there is no tunnel")
    total = sum(sum(card.edges) for card in file.cards)
    if total > SUM_MOST:
        raise DeckRefused(f"cards: the printed numbers add up to {total}, above {SUM_MOST}")
