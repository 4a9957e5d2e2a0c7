"""What schedules and agreed draws are refused with: rows of the table of all errors."""

from collections.abc import Mapping
from typing import Final

from events import refusals
from service.refusal import Row

ROWS: Final[Mapping[type[Exception], Row]] = {
    refusals.SeatingNotOpen: Row(
        409,
        "seating-not-open",
        "Seats can't be claimed yet",
        "The match is scheduled; its seats can be claimed once it opens.",
    ),
    refusals.StartNotDue: Row(
        409, "start-not-due", "It does not start yet", "The match is to start later."
    ),
    refusals.NoStandInDue: Row(
        409,
        "no-stand-in-due",
        "The seat is nobody else's",
        "Nobody may be put on this seat in place of whoever has it.",
    ),
    refusals.NoAgreedDraw: Row(
        409,
        "no-agreed-draw",
        "No draw by agreement",
        "The seats of this match can't agree on a draw.",
    ),
    refusals.DrawClosed: Row(
        409,
        "draw-closed",
        "The offer is closed",
        "No such offer waits for you, or you can't make one now.",
    ),
    refusals.MatchIsClosed: Row(
        409,
        "match-closed",
        "The match is closed",
        "The time by which the match had to be over has come.",
    ),
}
