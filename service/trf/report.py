"""What a Tournament Report File says, as values; points are in tenths."""

from typing import Final

import msgspec

# What a result code scores as, by the names of the scoring.
SCORED_AS: Final = {
    **dict.fromkeys("1+WF", "win"),
    **dict.fromkeys("=DH", "draw"),
    **dict.fromkeys("0L", "loss"),
    **dict.fromkeys("-Z ", "absence"),
    "U": "pairing_bye",
}
BYES: Final = "UHFZ"  # allocated by the pairing, half a point, a full point, none
NO_GAME: Final = " "


class Scoring(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Tenths of a point for each kind of result."""

    win: int = 10
    draw: int = 5
    loss: int = 0
    absence: int = 0
    pairing_bye: int = 10

    def of(self, code: str) -> int:
        points: int = getattr(self, SCORED_AS[code])
        return points


class Cell(msgspec.Struct, frozen=True):
    """A player's round: the opponent's number (0 is none), the colour (w, b or -), the result.

    A code of NO_GAME with an opponent is a game without a result yet; without one it is nothing.
    """

    opponent: int
    colour: str
    code: str


NOTHING: Final = Cell(0, "-", NO_GAME)


class Player(msgspec.Struct, frozen=True, kw_only=True):
    """Dates are YYYY/MM/DD. What is not known is empty, or None."""

    number: int
    name: str
    sex: str = ""
    title: str = ""
    rating: int | None = None
    federation: str = ""
    fide_id: str = ""
    birth: str = ""
    points: int
    rank: int
    cells: tuple[Cell, ...] = ()


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """`dates` are those of the rounds, `YY/MM/DD` or empty; `others` lines with other tags."""

    name: str
    city: str = ""
    federation: str = ""
    start: str = ""
    end: str = ""
    kind: str = ""
    arbiter: str = ""
    deputies: tuple[str, ...] = ()
    time_control: str = ""
    dates: tuple[str, ...] = ()
    rounds: int = 0
    scoring: Scoring = Scoring()
    encoded_kind: str = ""
    encoded_time: str = ""
    players: tuple[Player, ...] = ()
    others: tuple[str, ...] = ()


class TrfRefused(Exception):
    """What can't be written in its columns, or read from them."""

    def __init__(self, place: str, reason: str) -> None:
        super().__init__(f"{place}: {reason}")
        self.place = place
        self.reason = reason
