"""Where everything stands in a Tournament Report File: columns counted from 1, both included.

TRF26 as published by FIDE; the tournament, player and round columns are those of TRF16 as well.
Which side a text keeps to in its columns is not said there: numbers are to the right, texts to the
left, titles to the right.
"""

from typing import Final

END: Final = "\r\n"  # A line ends with CR; what follows it is not said, and every reader takes LF.
TAG: Final = (1, 3)
TEXT: Final = 5  # of a line that holds one text, up to its end

# Tags of lines with one text, by the field of the report.
TEXTS: Final = {
    "012": "name",
    "022": "city",
    "032": "federation",
    "042": "start",
    "052": "end",
    "092": "kind",
    "102": "arbiter",
    "122": "time_control",
    "192": "encoded_kind",
    "222": "encoded_time",
}
PLAYERS: Final = "062"
RATED: Final = "072"
DEPUTY: Final = "112"
DATES: Final = "132"
ROUNDS: Final = "142"
SCORING: Final = "162"
PLAYER: Final = "001"

NUMBER: Final = (5, 8)
SEX: Final = (10, 10)
TITLE: Final = (11, 13)
NAME: Final = (15, 47)
RATING: Final = (49, 52)
FEDERATION: Final = (54, 56)
FIDE_ID: Final = (58, 68)
BIRTH: Final = (70, 79)
POINTS: Final = (81, 84)
RANK: Final = (86, 89)

ROUND: Final = 10  # columns from one round to the next
DATE: Final = (92, 99)  # of round 1
OPPONENT: Final = (92, 95)
COLOUR: Final = (97, 97)
RESULT: Final = (99, 99)

SYMBOL: Final = (6, 6)  # of the first kind of result in a scoring
WORTH: Final = (7, 10)
KIND: Final = 9  # columns from one kind of result to the next
KINDS: Final = {
    "W": "win",
    "D": "draw",
    "L": "loss",
    "A": "absence",
    "P": "pairing_bye",
}

Span = tuple[int, int]


def moved(span: Span, by: int) -> Span:
    return span[0] + by, span[1] + by
