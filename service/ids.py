"""Match ids: UUIDs of version 7, so that newer ones sort later."""

import re
from typing import Final
from uuid import UUID

RANDOM_BYTES: Final = 10
_SPELLED: Final = re.compile("[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def new_match_id(at: int, random: bytes) -> str:
    """From a time in milliseconds and 10 random bytes (74 bits of them are used)."""
    assert len(random) == RANDOM_BYTES
    number = (at & (1 << 48) - 1) << 80 | int.from_bytes(random, "big")
    number = number & ~(0xF << 76) | 7 << 76
    number = number & ~(0b11 << 62) | 0b10 << 62
    return str(UUID(int=number))


def match_id_in(text: str) -> str | None:
    """The one spelling of a match id, or None if `text` is not that spelling."""
    return text if _SPELLED.fullmatch(text) else None
