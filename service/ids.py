"""Match ids: UUIDs of version 7, so that newer ones sort later."""

from typing import Final
from uuid import UUID

RANDOM_BYTES: Final = 10


def new_match_id(at: int, random: bytes) -> str:
    """From a time in milliseconds and 10 random bytes (74 bits of them are used)."""
    assert len(random) == RANDOM_BYTES
    number = (at & (1 << 48) - 1) << 80 | int.from_bytes(random, "big")
    number = number & ~(0xF << 76) | 7 << 76
    number = number & ~(0b11 << 62) | 0b10 << 62
    return str(UUID(int=number))


def match_id_in(text: str) -> str | None:
    """The one spelling of a match id, or None if `text` is not that spelling."""
    if len(text) != 36:
        return None
    try:
        spelled = str(UUID(text))
    except ValueError:
        return None
    return spelled if spelled == text else None
