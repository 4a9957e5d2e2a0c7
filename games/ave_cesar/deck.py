"""The deck: kinds of buildings read from `deck.json` or an operator's file, checked on load.

A card is `<building id>.<copy>`; canonical order is that of the file, then of the copies.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

import msgspec

from games.ave_cesar.effects import BuiltEffect, Demand, Discount, Effect, Peek, SowSelf

SCHEMA: Final = "ave_cesar_deck/1"
BUILDING_ID: Final = re.compile(r"[a-z][a-z0-9_]{0,39}")
DECK_ID: Final = re.compile(r"[A-Za-z0-9_.-]{1,40}")
COPIES: Final = range(1, 51)
PRINTED: Final = range(31)  # cost and points
SYMBOLS: Final = range(21)
CARDS: Final = range(60, 401)


class DeckRefused(ValueError):
    """A deck that cannot be played with; the text names the deck, the place and the reason."""


class Kind(msgspec.Struct, frozen=True):
    """A row of the file: all copies of a building."""

    id: str
    name: str
    copies: int
    cost: int
    vp: int
    might: int
    influence: int
    sowing: int
    repeatable: bool
    effects: tuple[Effect, ...]


class _File(msgspec.Struct, frozen=True):
    """Further keys are for readers."""

    schema: str
    deck_id: str
    version: str
    reconstructed: bool
    cards_total: int
    buildings: tuple[Kind, ...]


class _Name(msgspec.Struct, frozen=True):
    """As much of a file as its refusal needs."""

    deck_id: str = "?"
    version: str = "?"


@dataclass(frozen=True)
class Deck:
    deck_id: str
    version: str
    reconstructed: bool
    kinds: Mapping[str, Kind]  # by building id
    cards: tuple[str, ...]  # in canonical order
    kind_of: Mapping[str, Kind]  # by card
    place: Mapping[str, int]  # of a card in canonical order
    effects: Mapping[str, tuple[BuiltEffect, ...]]  # when built, by card
    discounts: Mapping[str, Mapping[str, int]]  # by target: what each building takes off

    @property
    def reference(self) -> str:
        """How the option `deck` names it."""
        return f"{self.deck_id}@{self.version}"

    def sorted(self, cards: Iterable[str]) -> tuple[str, ...]:
        """In canonical order."""
        return tuple(sorted(cards, key=self.place.__getitem__))

    @property
    def questions(self) -> int:
        """The most decisions that the effects of one building ask for."""
        return max(sum(map(_questions, kind.effects)) for kind in self.kinds.values())


def load(tables: bytes) -> Deck:
    """Raises: DeckRefused. Rules: AV-200."""
    try:
        file = msgspec.json.decode(tables, type=_File)
    except (msgspec.MsgspecError, UnicodeDecodeError) as fault:
        raise DeckRefused(f"deck {_named(tables)}: {fault}") from fault
    for wrong in _wrong(file):
        raise DeckRefused(f"deck {file.deck_id}@{file.version}: {wrong}")
    return _deck(file)


def _deck(file: _File) -> Deck:
    kinds = {kind.id: kind for kind in file.buildings}
    kind_of = {f"{kind.id}.{n}": kind for kind in file.buildings for n in _copies(kind)}
    discounts: dict[str, dict[str, int]] = {}
    for kind in file.buildings:
        for effect in kind.effects:
            if isinstance(effect, Discount):
                for target in set(effect.targets):
                    by_source = discounts.setdefault(target, {})
                    by_source[kind.id] = by_source.get(kind.id, 0) + effect.amount
    return Deck(
        deck_id=file.deck_id,
        version=file.version,
        reconstructed=file.reconstructed,
        kinds=kinds,
        cards=tuple(kind_of),
        kind_of=kind_of,
        place={card: place for place, card in enumerate(kind_of)},
        effects={card: _built(kind) for card, kind in kind_of.items()},
        discounts=discounts,
    )


def _copies(kind: Kind) -> range:
    return range(1, kind.copies + 1)


def _built(kind: Kind) -> tuple[BuiltEffect, ...]:
    return tuple(effect for effect in kind.effects if not isinstance(effect, Discount))


def _questions(effect: Effect) -> int:
    match effect:
        case Peek():
            return 1
        case Demand(count=count):
            return 2 * count
    return 0


def _named(tables: bytes) -> str:
    """The name of a file that can't be read, as far as it has one."""
    try:
        name = msgspec.json.decode(tables, type=_Name)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return "?"
    return f"{name.deck_id}@{name.version}"


def _wrong(file: _File) -> Iterable[str]:
    """What is wrong with a file, in its order."""
    if file.schema != SCHEMA:
        yield f"schema: is {file.schema!r}, this game reads {SCHEMA!r}"
    for name in ("deck_id", "version"):
        if not DECK_ID.fullmatch(value := getattr(file, name)):
            yield f"{name}: {value!r} is not 1 to 40 of A-Z a-z 0-9 _ . -"
    if file.cards_total not in CARDS:
        yield f"cards_total: is {file.cards_total}, not {CARDS[0]} to {CARDS[-1]}"
    ids = Counter(kind.id for kind in file.buildings)
    for place, kind in enumerate(file.buildings):
        for wrong in _wrong_kind(kind, ids):
            yield f"buildings[{place}] ({kind.id}): {wrong}"
    copies = sum(kind.copies for kind in file.buildings)
    if copies != file.cards_total:
        yield f"cards_total: says {file.cards_total}, but the copies add up to {copies}"


def _wrong_kind(kind: Kind, ids: Counter[str]) -> Iterable[str]:
    if not BUILDING_ID.fullmatch(kind.id):
        yield "id: is not a-z, then up to 39 of a-z 0-9 _"
    if ids[kind.id] > 1:
        yield f"id: is there {ids[kind.id]} times"
    ranges = {
        "copies": COPIES,
        "cost": PRINTED,
        "vp": PRINTED,
        "might": SYMBOLS,
        "influence": SYMBOLS,
        "sowing": SYMBOLS,
    }
    for name, allowed in ranges.items():
        if (value := getattr(kind, name)) not in allowed:
            yield f"{name}: is {value}, not {allowed[0]} to {allowed[-1]}"
    for place, effect in enumerate(kind.effects):
        if wrong := _wrong_effect(kind, effect, ids):
            yield f"effects[{place}]: {wrong}"


def _wrong_effect(kind: Kind, effect: Effect, ids: Counter[str]) -> str | None:
    match effect:
        case Discount(targets=targets):
            strange = [target for target in targets if target not in ids or target == kind.id]
            if strange:
                return f"the target {strange[0]!r} is no other building of the deck"
        case Peek(look=look, keep=keep) if keep > look:
            return f"keeps {keep} of {look} cards"
        case SowSelf() if kind.sowing < 1:
            return "sows a building without sowing symbols"
    return None
