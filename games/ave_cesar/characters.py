"""The eight characters, in the order of their numbers 1 to 8."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final


class Character(StrEnum):
    """Rules: AV-02."""

    ASSASSIN = "assassin"
    SPY = "spy"
    PHILOSOPHER = "philosopher"
    PROCURATOR = "procurator"
    ARCHITECT = "architect"
    CENTURION = "centurion"
    SENATOR = "senator"
    FARMER = "farmer"


CHARACTERS: Final = tuple(Character)
NUMBER: Final[Mapping[Character, int]] = {each: n for n, each in enumerate(CHARACTERS, start=1)}
