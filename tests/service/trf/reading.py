"""A Tournament Report File read back, column by column."""

from contextlib import suppress

from service.trf import columns
from service.trf.columns import Span, moved
from service.trf.report import (
    NO_GAME,
    SCORED_AS,
    Cell,
    Player,
    Report,
    Scoring,
    TrfRefused,
)


def read(data: bytes) -> Report:
    """Lines may end with CR, LF or both; comments (`###`) and empty ones are left out.

    Raises: TrfRefused.
    """
    try:
        text = data.decode()
    except UnicodeDecodeError:
        raise TrfRefused("the file", "is no UTF-8") from None
    fields: dict[str, str] = {}
    deputies, others, players = [], [], []
    dates: tuple[str, ...] = ()
    scoring = Scoring()
    for number, line in enumerate(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), 1):
        tag, place = line[:3], f"line {number}"
        match tag:
            case "###" | "":
                continue
            case columns.PLAYER:
                players.append(_player(line, place))
            case columns.DEPUTY:
                deputies.append(_text(line))
            case columns.DATES:
                dates = _dates(line)
            case columns.SCORING:
                scoring = _scoring(line, place)
            case columns.PLAYERS | columns.RATED:
                continue  # They are counted.
            case columns.ROUNDS:
                fields["rounds"] = _text(line)
            case _ if tag in columns.TEXTS:
                fields[columns.TEXTS[tag]] = _text(line)
            case _:
                others.append(line)
    rounds = _whole(fields.pop("rounds", "0"), columns.ROUNDS)
    return Report(
        name=fields.pop("name", ""),
        **fields,
        deputies=tuple(deputies),
        dates=dates,
        rounds=rounds,
        scoring=scoring,
        players=tuple(players),
        others=tuple(others),
    )


def _text(line: str) -> str:
    return line[columns.TEXT - 1 :].strip()


def _at(line: str, span: Span) -> str:
    return line[span[0] - 1 : span[1]].strip()


def _whole(text: str, place: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise TrfRefused(place, f"{text!r} is no whole number")
    return int(text)


def _tenths(text: str, place: str) -> int:
    whole, point, rest = text.partition(".")
    if point != "." or len(rest) != 1:
        raise TrfRefused(place, f"{text!r} are no points")
    return _whole(whole, place) * 10 + _whole(rest, place)


def _dates(line: str) -> tuple[str, ...]:
    count = (len(line) - columns.DATE[0]) // columns.ROUND + 1
    spans = (moved(columns.DATE, number * columns.ROUND) for number in range(count))
    return tuple(_at(line, span) for span in spans)


def _scoring(line: str, place: str) -> Scoring:
    given: dict[str, int] = {}
    for number in range((len(line) - columns.SYMBOL[0]) // columns.KIND + 1):
        by = number * columns.KIND
        symbol = _at(line, moved(columns.SYMBOL, by))
        # X, the score of a game without a result, is none of ours.
        with suppress(KeyError):
            name = columns.KINDS[symbol]
            given[name] = _tenths(_at(line, moved(columns.WORTH, by)), place)
    # An allocated bye counts as a win, unless it is said.
    return Scoring(**{"pairing_bye": given.get("win", Scoring().win), **given})


def _player(line: str, place: str) -> Player:
    rating = _at(line, columns.RATING)
    count = max(0, -(-(len(line) - columns.OPPONENT[0] + 1) // columns.ROUND))
    return Player(
        number=_whole(_at(line, columns.NUMBER), place),
        sex=_at(line, columns.SEX),
        title=_at(line, columns.TITLE),
        name=_at(line, columns.NAME),
        rating=None if not rating else _whole(rating, place),
        federation=_at(line, columns.FEDERATION),
        fide_id=_at(line, columns.FIDE_ID),
        birth=_at(line, columns.BIRTH),
        points=_tenths(_at(line, columns.POINTS), place),
        rank=_whole(_at(line, columns.RANK), place),
        cells=tuple(_cell(line, n * columns.ROUND, place) for n in range(count)),
    )


def _cell(line: str, by: int, place: str) -> Cell:
    opponent = _whole(_at(line, moved(columns.OPPONENT, by)) or "0", place)
    colour = _at(line, moved(columns.COLOUR, by)).lower() or "-"
    code = _at(line, moved(columns.RESULT, by)).upper() or NO_GAME
    if colour not in "wb-" or code not in SCORED_AS:
        raise TrfRefused(place, f"{colour} {code} is no result")
    return Cell(opponent, colour, code)
