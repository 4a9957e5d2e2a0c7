"""Free texts and the digests that stand for them in the log."""

import re
from collections.abc import Mapping
from hmac import digest as hmac
from typing import Any, Final

from msgspec.structs import replace

from events.types import TextRow
from games.core.moves import Move, Offers, text_fields

DIGEST_LENGTH: Final = 64  # hex digits
_HEX: Final = frozenset("0123456789abcdef")
_FIELD: Final = re.compile("[a-z][a-z0-9_]{0,63}")


def apart(
    said: Mapping[str, str], salt: bytes, version: int
) -> tuple[dict[str, str], tuple[TextRow, ...]]:
    """The digests of texts by field, and the texts as they are kept beside event `version`.

    `salt` is 32 random bytes; each field has one derived from it.
    """
    rows = tuple(
        TextRow(version, name, hmac(salt, name.encode(), "sha256"), text)
        for name, text in said.items()
    )
    return {row.field: digest_of(row) for row in rows}, rows


def move_apart(
    offers: Offers, move: Move, salt: bytes, version: int
) -> tuple[Move, tuple[TextRow, ...]]:
    """A move out of one of `offers` with digests in place of its texts, and the texts."""
    names = {n for each in offers if each.move is type(move) for n in text_fields(each)}
    if not names:
        return move, ()
    said = {name: getattr(move, name) for name in sorted(names)}
    digests, rows = apart(said, salt, version)
    return replace(move, **digests), rows


def digest_of(row: TextRow) -> str:
    return hmac(row.salt, row.text.encode(), "sha256").hex()


def is_digest(value: object) -> bool:
    return isinstance(value, str) and len(value) == DIGEST_LENGTH and set(value) <= _HEX


def is_field(value: object) -> bool:
    """Whether a text may be said under that name."""
    return isinstance(value, str) and _FIELD.fullmatch(value) is not None


def places(shown: Mapping[str, Any]) -> dict[str, Any]:
    """Where digests of texts may stand in an observation or a body: its own content, its move."""
    return {**shown, **(shown.get("data") or {}), **(shown.get("move") or {})}
