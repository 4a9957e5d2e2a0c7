"""What clocks are refused with: rows of the table of all errors."""

from collections.abc import Mapping
from typing import Final

from events import refusals
from service.refusal import Row

ROWS: Final[Mapping[type[Exception], Row]] = {
    refusals.FlagHasFallen: Row(
        409,
        "flag-fell",
        "Your time was over",
        "Your time for this decision was over when your answer came in.",
    ),
    refusals.MatchIsPaused: Row(
        409, "match-paused", "The match is paused", "Nobody moves until it is resumed."
    ),
    refusals.MatchNotPaused: Row(
        409, "match-not-paused", "The match is not paused", "Only a paused match is resumed."
    ),
    refusals.NoClock: Row(
        409, "no-clock", "The match has no clocks", "This match was created without clocks."
    ),
}
