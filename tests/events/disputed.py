"""Takebacks and disputes at a scripted table, in one line each."""

from collections.abc import Sequence
from typing import Any

from events.allowing import target_of
from events.decide import Step
from events.disputing import (
    AnswerTakeback,
    AppealDispute,
    AskTakeback,
    CloseDispute,
    OpenDispute,
    RuleDispute,
    StartReview,
)
from events.match import Match
from events.rewinding import line, rewinds_of
from events.rulings import Redraw, Rewind, Ruling
from events.types import ChanceDrawn, DisputeRuled
from games.core.game import Seat
from tests.events.scripted import Table

ARBITER = "arbiter 1"


def ask_back(table: Table, seat: Seat) -> tuple[Step, ...]:
    last = table.current.last
    target = None if last is None else table.after(last.version - 1)
    return table.do(AskTakeback(seat, target))


def answer(table: Table, seat: Seat, *, consents: bool = True) -> tuple[Step, ...]:
    asked = table.current.takeback
    assert asked is not None
    target = table.after(asked.move - 1)
    return table.do(AnswerTakeback(seat, asked.asked, consents, target))


def opened(table: Table, seat: Seat | None = 0, about: int = 1) -> int:
    """The id of a new dispute, by a seat or (None) by an arbiter."""
    arbiter = ARBITER if seat is None else None
    command = OpenDispute(seat, arbiter, about, "It was not so", table.entropy(32))
    return table.do(command)[0].event.version


def reviewed(table: Table, seat: Seat | None = 0, *, pause: bool = True) -> int:
    """The id of a new dispute under review."""
    dispute = opened(table, seat)
    table.do(StartReview(dispute, ARBITER, pause))
    return dispute


def ruled(
    table: Table, ruling: Ruling, dispute: int | None = None, move: Any = None
) -> tuple[Step, ...]:
    """A ruling on a dispute under review, a new one if none is named."""
    if dispute is None:
        paused = table.current.status == "running"
        dispute = reviewed(table, None, pause=paused)
    event = DisputeRuled(version=1, at=0, dispute=1, arbiter=ARBITER, ruling=ruling, reason="")
    goal = target_of(event)
    target = None if goal is None or goal > len(table.steps) else table.after(goal)
    command = RuleDispute(dispute, ARBITER, ruling, "Because", table.entropy(32), target, move)
    return table.do(command)


def appealed(table: Table, dispute: int, seat: Seat = 0) -> tuple[Step, ...]:
    return table.do(AppealDispute(dispute, seat, "No", table.entropy(32)))


def closed(table: Table, dispute: int, seat: Seat | None = None) -> tuple[Step, ...]:
    arbiter = ARBITER if seat is None else None
    return table.do(CloseDispute(dispute, seat, arbiter))


def to_boundary(table: Table, boundary: str) -> Rewind:
    """A rewind to where that boundary began in the line of play."""
    return Rewind(to=first_at(table, boundary), boundary=boundary)


def first_at(table: Table, boundary: str) -> int:
    return next(v for v in line_of(table) if boundary_of(table.after(v)) == boundary)


def boundary_of(current: Match) -> str | None:
    return None if current.state is None else current.game.boundary(current.state)


def line_of(table: Table) -> Sequence[int]:
    return line(rewinds_of(table.records), table.current.version)


def draws(table: Table, versions: Sequence[int] | None = None) -> list[ChanceDrawn]:
    """The draws of the line of play, or of the given versions."""
    counted = line_of(table) if versions is None else versions
    events = [table.events[version - 1] for version in counted]
    return [event for event in events if isinstance(event, ChanceDrawn)]


def redraw(table: Table, label: str) -> Redraw:
    """An order to draw anew what was last drawn under the label."""
    last = next(each for each in reversed(draws(table)) if each.label == label)
    return Redraw(label=label, to=last.version - 1)
