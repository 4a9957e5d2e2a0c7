"""Component tables: the bytes a game is made from, known by their digest."""

from hashlib import sha256


def digest(tables: bytes) -> str:
    """SHA-256 in hex; "" for a game without tables."""
    return sha256(tables).hexdigest() if tables else ""
