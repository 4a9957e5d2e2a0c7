"""The characters and their printed powers: rows read from `characters.json`, checked on load."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

import msgspec


class TableRefused(ValueError):
    """A component table that cannot be played with; the text says which row and why."""


class Character(StrEnum):
    """In alphabetical order, which is the order of every list of options."""

    ACTOR = "ACTOR"
    ASSASSIN = "ASSASSIN"
    BODYGUARD = "BODYGUARD"
    COURTESAN = "COURTESAN"
    HIEROPHANT = "HIEROPHANT"
    HUNTSMAN = "HUNTSMAN"
    KING = "KING"
    KNIGHT = "KNIGHT"
    MADMAN = "MADMAN"
    MERCHANT = "MERCHANT"
    PRINCESS = "PRINCESS"
    SEERESS = "SEERESS"
    SPY = "SPY"
    THIEF = "THIEF"
    WITCH = "WITCH"
    WIZARD = "WIZARD"


class Edition(StrEnum):
    BASE = "base"
    STRANGE_ALLIES = "strange_allies"


class PartName(StrEnum):
    ALLY = "ally"
    BLOCK = "block"
    BREAK = "break"
    COIN = "coin"
    COINS = "coins"
    CURSE = "curse"
    END_ROUND = "end_round"
    GIFT = "gift"
    HIRE = "hire"
    KILL = "kill"
    PAYOUT = "payout"
    SILENCE = "silence"
    SNEAK = "sneak"
    STEAL = "steal"
    SWAP = "swap"


class Skip(StrEnum):
    """When the acting seat may leave a part out: AC-46."""

    NEVER = "never"
    OPTIONAL = "optional"  # with the option `optional_powers`
    ALWAYS = "always"


class Need(StrEnum):
    """Public conditions without which a part drops out by itself: AC-47."""

    ALLIANCE = "alliance"  # an alliance exists
    CANDIDATES = "candidates"  # two characters may still be allied
    DECK = "deck"  # the deck is not empty
    LATER_LIVE = "later_live"  # a seat that is still to act has a live card
    NAMING = "naming"  # not silenced, unless the option `silence_scope` lets it through
    OTHER_COIN = "other_coin"  # another seat owns a coin
    OTHER_LIVE = "other_live"  # another seat has a live card
    OWN_COIN = "own_coin"  # the acting seat owns a coin
    SCARAB = "scarab"  # the acting seat is the first seat
    VOICE = "voice"  # not silenced


class Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: PartName
    gain: int = 0  # coins from the supply, in the parts `coin` and `coins`
    times: int = 0  # coins stolen one by one, in the part `steal`
    skip: Skip = Skip.NEVER
    needs: tuple[Need, ...] = ()


class Row(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    id: Character
    edition: Edition
    parts: tuple[Part, ...]
    late: dict[Edition, tuple[Part, ...]] | None = None  # instead, while the deck is empty


class _Tables(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    characters: tuple[Row, ...]


@dataclass(frozen=True)
class Roster:
    rows: Mapping[Character, Row]
    parts: Mapping[Character, Mapping[PartName, Part]]  # late parts included

    def cast(self, strange_allies: bool, seats: int) -> tuple[Character, ...]:
        """The characters that exist in a match. Rules: AC-02."""
        return tuple(
            character
            for character in Character
            if (strange_allies or self.rows[character].edition is Edition.BASE)
            and not (seats == 2 and character is Character.SEERESS)
        )

    def power(self, owner: Character, late: bool, strange_allies: bool) -> tuple[Part, ...]:
        """The parts of the power of `owner` at this moment. Rules: AC-64, AC-65, AC-74."""
        row = self.rows[owner]
        if late and row.late is not None:
            return row.late[Edition.STRANGE_ALLIES if strange_allies else Edition.BASE]
        return row.parts


def load(tables: bytes) -> Roster:
    """Raises: TableRefused."""
    try:
        rows = msgspec.json.decode(tables, type=_Tables).characters
    except msgspec.MsgspecError as fault:
        raise TableRefused(f"characters: {fault}") from fault
    by_id = {row.id: row for row in rows}
    if len(by_id) < len(rows):
        raise TableRefused("characters: a character has two rows")
    for character in Character:
        if character not in by_id:
            raise TableRefused(f"characters: no row for {character}")
    for row in rows:
        _check(row)
    parts = {row.id: {part.name: part for part in _all_parts(row)} for row in rows}
    return Roster(by_id, parts)


def _all_parts(row: Row) -> Iterator[Part]:
    yield from row.parts
    for parts in (row.late or {}).values():
        yield from parts


def _check(row: Row) -> None:
    if row.late is not None and set(row.late) != set(Edition):
        raise TableRefused(f"{row.id}: `late` names both editions or is left out")
    names = [part.name for part in _all_parts(row)]
    if len(set(names)) < len(names):
        raise TableRefused(f"{row.id}: a part is named twice")
    for part in _all_parts(row):
        gains = part.name in (PartName.COIN, PartName.COINS)
        if gains != (part.gain > 0) or part.gain < 0:
            raise TableRefused(f"{row.id}/{part.name}: `gain` is for coin parts, above 0")
        if (part.name is PartName.STEAL) != (part.times > 0) or part.times < 0:
            raise TableRefused(f"{row.id}/{part.name}: `times` is for steal parts, above 0")
