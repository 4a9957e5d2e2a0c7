"""A Tournament Report File out of a report, byte for byte in its columns."""

from typing import Final

from service.trf import columns
from service.trf.columns import Span, moved
from service.trf.report import NOTHING, Cell, Player, Report, Scoring, TrfRefused

_MOST_POINTS: Final = 999  # tenths: four columns hold 99.9


def written(report: Report) -> bytes:
    """Raises: TrfRefused for what does not fit."""
    lines = [
        *_texts(report),
        *(_text(columns.DEPUTY, each) for each in report.deputies),
        *_dates(report),
        *_scoring(report.scoring),
        *(_player(each) for each in report.players),
        *report.others,
    ]
    return "".join(line + columns.END for line in lines).encode()


def points(tenths: int) -> str:
    return f"{tenths // 10}.{tenths % 10}"


class _Line:
    """A line that is filled in column by column."""

    def __init__(self, tag: str, place: str) -> None:
        self._signs = list(tag)
        self._place = place

    def put(self, span: Span, text: str, *, left: bool = False) -> None:
        """Raises: TrfRefused."""
        first, last = span
        width = last - first + 1
        if len(text) > width or not _is_plain(text):
            raise TrfRefused(self._place, f"{text!r} does not fit into columns {first}-{last}")
        self._signs += " " * (last - len(self._signs))
        self._signs[first - 1 : last] = text.ljust(width) if left else text.rjust(width)

    def __str__(self) -> str:
        return "".join(self._signs)


def _texts(report: Report) -> list[str]:
    rated = sum(each.rating is not None for each in report.players)
    found = {tag: str(getattr(report, name)) for tag, name in columns.TEXTS.items()}
    found |= {columns.PLAYERS: str(len(report.players)), columns.RATED: str(rated)}
    if report.rounds:
        found[columns.ROUNDS] = str(report.rounds)
    return [_text(tag, text) for tag, text in sorted(found.items()) if text]


def _text(tag: str, text: str) -> str:
    if not _is_plain(text) or text != text.strip():
        raise TrfRefused(tag, f"{text!r} is no single line")
    return f"{tag} {text}"


def _dates(report: Report) -> list[str]:
    if not any(report.dates):
        return []
    line = _Line(columns.DATES, columns.DATES)
    for number, date in enumerate(report.dates):
        line.put(moved(columns.DATE, number * columns.ROUND), date)
    return [str(line)]


def _scoring(scoring: Scoring) -> list[str]:
    """Nothing, where every kind scores as usual."""
    if scoring == Scoring():
        return []
    line = _Line(columns.SCORING, columns.SCORING)
    for number, (symbol, name) in enumerate(columns.KINDS.items()):
        by = number * columns.KIND
        line.put(moved(columns.SYMBOL, by), symbol)
        line.put(moved(columns.WORTH, by), points(getattr(scoring, name)))
    return [str(line)]


def _player(player: Player) -> str:
    if not 1 <= player.number <= 9999:
        raise TrfRefused(f"player {player.number}", "numbers are 1 to 9999")
    line = _Line(columns.PLAYER, f"player {player.number}")
    if not 0 <= player.points <= _MOST_POINTS:
        raise TrfRefused(f"player {player.number}", "points are 0.0 to 99.9")
    line.put(columns.NUMBER, str(player.number))
    line.put(columns.SEX, player.sex)
    line.put(columns.TITLE, player.title)
    line.put(columns.NAME, player.name, left=True)
    line.put(columns.RATING, "" if player.rating is None else str(player.rating))
    line.put(columns.FEDERATION, player.federation, left=True)
    line.put(columns.FIDE_ID, player.fide_id)
    line.put(columns.BIRTH, player.birth)
    line.put(columns.POINTS, points(player.points))
    line.put(columns.RANK, str(player.rank))
    for number, cell in enumerate(player.cells):
        _round(line, cell, number * columns.ROUND)
    return str(line)


def _round(line: _Line, cell: Cell, by: int) -> None:
    """A round in which there was nothing is left blank."""
    opponent = "" if cell == NOTHING else f"{cell.opponent or '0000'}"
    line.put(moved(columns.OPPONENT, by), opponent)
    line.put(moved(columns.COLOUR, by), "" if cell == NOTHING else cell.colour)
    line.put(moved(columns.RESULT, by), cell.code.strip())


def _is_plain(text: str) -> bool:
    return text.isprintable()
