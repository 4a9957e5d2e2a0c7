"""The state of a match as one viewer may know it: the message behind `view` and `decision`."""

from collections import OrderedDict
from typing import Any

import msgspec

from events.disputes import is_provisional
from events.match import Match
from events.types import Outcome, Status
from games.core.game import SPECTATOR, Mode, Viewer
from games.core.moves import Wire, shown_offer
from projections.clocks import ClockLine, clock_lines
from projections.repeats import Repeats


class SeatLine(msgspec.Struct, frozen=True):
    """`holder` is the pseudonym of whoever claimed the seat; `asked`: the match waits for it."""

    seat: int
    holder: str | None
    resigned: bool
    asked: bool


class Asked(msgspec.Struct, frozen=True):
    """Who is asked and what kind of thing; never what is offered."""

    kind: str
    mode: Mode
    seats: tuple[int, ...]


class OwnDecision(msgspec.Struct, frozen=True):
    """The viewer's own decision. `id` is null while it is not asked; asides may still be open."""

    id: str | None
    kind: str | None
    mode: Mode | None
    offers: tuple[Wire, ...]
    asides: tuple[Wire, ...]


class Projection(msgspec.Struct, frozen=True):
    """All that `viewer` (a seat, or null for a spectator) may know after `version` events.

    `view` is null before the start; `decision` is null for spectators and outside a running match.
    `result_revision` is the `revision` of the match's result, which counts what it was said to be,
    and `provisional` says that it may yet change: the match is over, and not revealed, or a dispute
    is not settled.
    """

    match_id: str
    game: str
    rules_version: int
    version: int
    head: str
    status: Status
    viewer: int | None
    seats: tuple[SeatLine, ...]
    boundary: str | None
    asked: Asked | None
    decision: OwnDecision | None
    view: Any
    result: Outcome | None
    result_revision: int
    provisional: bool
    clocks: tuple[ClockLine, ...] | None


def project(current: Match, viewer: Viewer) -> Projection:
    """`viewer` is a seat or SPECTATOR."""
    state = current.state
    return Projection(
        match_id=current.match_id,
        game=current.game.slug,
        rules_version=current.game.rules_version,
        version=current.version,
        head=current.head.hex(),
        status=current.status,
        viewer=None if viewer == SPECTATOR else viewer,
        seats=_seats(current),
        boundary=None if state is None else current.game.boundary(state),
        asked=_asked(current),
        decision=own_decision(current, viewer),
        view=None if state is None else current.game.view(state, viewer),
        result=current.outcome,
        result_revision=current.revision,
        provisional=is_provisional(current),
        clocks=clock_lines(current),
    )


def own_decision(current: Match, viewer: Viewer) -> OwnDecision | None:
    """What the seat is offered now; nothing after it has resigned."""
    decision = current.decision
    if viewer == SPECTATOR or decision is None:
        return None
    if viewer in current.resigned:
        return OwnDecision(id=None, kind=None, mode=None, offers=(), asides=())
    identity = current.decision_of(viewer)
    return OwnDecision(
        id=identity,
        kind=decision.kind if identity else None,
        mode=decision.mode if identity else None,
        offers=tuple(shown_offer(each) for each in decision.offers.get(viewer, ())),
        asides=tuple(shown_offer(each) for each in decision.asides.get(viewer, ())),
    )


class Encodings:
    """Encoded projections by (match, version, viewer): all spectators share one encoding.

    One is kept from the second time on that it is asked for: most are looked at once.
    """

    def __init__(self, most: int = 4096) -> None:
        self._most = most
        self._repeats = Repeats(most)
        self._kept: OrderedDict[tuple[str, int, Viewer], bytes] = OrderedDict()

    def view(self, current: Match, viewer: Viewer) -> bytes:
        """The canonical JSON of `project(current, viewer)`."""
        place = (current.match_id, current.version, viewer)
        kept = self._kept.get(place)
        if kept is not None:
            self._kept.move_to_end(place)
            return kept
        made = msgspec.json.encode(project(current, viewer), order="deterministic")
        if self._repeats.again(place):
            self._kept[place] = made
            if len(self._kept) > self._most:
                self._kept.popitem(last=False)
        return made


def _seats(current: Match) -> tuple[SeatLine, ...]:
    waited = current.decision.offers if current.decision else {}
    return tuple(
        SeatLine(seat, holder, seat in current.resigned, seat in waited)
        for seat, holder in enumerate(current.holders)
    )


def _asked(current: Match) -> Asked | None:
    decision = current.decision
    if decision is None:
        return None
    return Asked(decision.kind, decision.mode, tuple(sorted(decision.offers)))
