"""What counts as a text that says something."""

from typing import Final
from unicodedata import category

# Drawn as nothing, though they are letters or symbols: fillers of Hangul, an empty Braille cell.
_EMPTY: Final = frozenset("\u115f\u1160\u2800\u3164\uffa0")
_UNSEEN: Final = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Mn", "Zl", "Zp", "Zs"})


def is_blank(text: str) -> bool:
    """Whether nobody would see anything of it: spaces, width zero, marks without a letter."""
    return all(each in _EMPTY or category(each) in _UNSEEN for each in text)
