"""Why flags fell: each by time of the player's own, in the log and by the clock of who kills.

It counts for itself what a clock was charged, from when it was asked until it answered, without
what the log gave back and what an arbiter held.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Final, TypeAlias

import msgspec

Span: TypeAlias = tuple[int, int]  # ms

# Of each kill: a silence of a second and a half is no outage yet, and the first sign of life of a
# service that starts comes somewhat before it answers.
_UNSEEN_MS: Final = 2_500


class Outage(msgspec.Struct, frozen=True):
    """The service was killed at `since` and answered again at `until` (ms since 1970).

    `kills` are all of it: it may have died again while it started.
    """

    since: int
    until: int
    kills: int = 1


class Fallen(msgspec.Struct, frozen=True):
    """A flag: what was on the clock when the decision was asked at `asked`, and when it fell."""

    seat: int
    asked: int
    fell: int
    had: int
    credited: int


class _Seat(msgspec.Struct):
    """`left` as of the open decision, asked at `asked`; its clock `stood` meanwhile."""

    left: int
    asked: int | None = None
    stood: list[Span] = msgspec.field(default_factory=list)

    def ask(self, moment: int) -> None:
        self.asked, self.stood = moment, []

    def stand(self, since: int, until: int) -> None:
        """Of a decision that was answered before, nothing is given back any more."""
        if self.asked is not None:
            self.stood = _joined([*self.stood, (since, until)])

    def charged(self, end: int) -> int:
        """From when it was asked, which it was."""
        assert self.asked is not None
        return max(0, end - self.asked - _overlap((self.asked, end), self.stood))


class NotCounted(Exception):
    """A log with something that is not counted here."""


def flags_in(events: Sequence[Any]) -> tuple[list[Fallen], list[str]]:
    """The flags of a log, and what does not add up. Raises: NotCounted."""
    clock = events[0].get("clock")
    if clock is None:
        return [], []
    if any(event["kind"] == "match_rewound" for event in events):
        raise NotCounted("a rewind, after which clocks are set back")
    if clock.get("window") is not None:
        raise NotCounted("clocks with a daily window")
    counting = _Counting(clock)
    for event in events[1:]:
        counting.read(event)
    return counting.flags, counting.wrong


def charged_outages(flag: Fallen, outages: Iterable[Outage]) -> int:
    """How many ms of the flag's time nobody was served, although they were charged."""
    down = [(each.since, each.until) for each in outages]
    return max(0, _overlap((flag.asked, flag.fell), down) - flag.credited)


def is_explained(flag: Fallen, outages: Iterable[Outage]) -> bool:
    """Whether the player had the time that was on the clock: of each outage hardly any counts."""
    inside = [each for each in outages if each.until > flag.asked and each.since < flag.fell]
    return charged_outages(flag, inside) <= _UNSEEN_MS * sum(each.kills for each in inside)


class _Counting:
    """The clocks of a match as its events follow each other."""

    def __init__(self, clock: Any) -> None:
        self.flags: list[Fallen] = []
        self.wrong: list[str] = []
        self._times = clock["times"]
        self._seats = [_Seat(_first(time)) for time in self._times]
        self._held: int | None = None  # since when an arbiter holds the match

    def read(self, event: Any) -> None:
        match event["kind"]:
            case "move_played" if event.get("decision") is not None:
                self._answered(event["seat"], event.get("arrived", event["at"]))
            case "flag_fell":
                self._fallen(event)
            case "time_added":
                self._added(event.get("seat"), event["ms"])
            case "time_credited":
                self._stood(event["since"], event["until"])
            case "match_paused":
                self._held = event["at"]
            case "review_started" if event["pause"]:
                self._held = event["at"]
            case "match_resumed":
                self._released(event["at"])
            case "dispute_ruled":
                self._released(event["at"])
                if event["ruling"]["type"] == "adjust_clock":
                    self._added(event["ruling"].get("seat"), event["ruling"]["ms"])
        for seat in event.get("asks", ()):
            if self._seats[seat].asked is None:
                self._seats[seat].ask(event["at"])

    def _answered(self, seat: int, moment: int) -> None:
        own, time = self._seats[seat], self._times[seat]
        if own.asked is not None:
            own.left = max(0, own.left - own.charged(moment))
        own.asked = None
        own.left = _first(time) if time["type"] == "per_move" else own.left + _gain(time)

    def _fallen(self, event: Any) -> None:
        seat, fell = event["seat"], event["fell"]
        own = self._seats[seat]
        if own.asked is None:
            self.wrong.append(f"event {event['version']}: the flag of a seat that was not asked")
            return
        charged = own.charged(fell)
        if charged != own.left:
            self.wrong.append(
                f"event {event['version']}: seat {seat} had {own.left} ms and was charged {charged}"
            )
        credited = _overlap((own.asked, fell), own.stood)
        self.flags.append(Fallen(seat, own.asked, fell, own.left, credited))
        own.left = 0
        own.ask(fell)

    def _added(self, named: int | None, ms: int) -> None:
        for seat, own in enumerate(self._seats):
            if named in (None, seat):
                own.left = max(0, own.left + ms)

    def _stood(self, since: int, until: int) -> None:
        for own in self._seats:
            own.stand(since, until)

    def _released(self, at: int) -> None:
        if self._held is not None:
            self._stood(self._held, at)
        self._held = None


def _joined(spans: Iterable[Span]) -> list[Span]:
    """In order, without what two of them share."""
    found: list[Span] = []
    for start, end in sorted(spans):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found


def _overlap(own: Span, spans: Iterable[Span]) -> int:
    return sum(max(0, min(own[1], end) - max(own[0], start)) for start, end in spans)


def _first(time: Any) -> int:
    """Raises: NotCounted."""
    match time["type"]:
        case "per_move":
            return int(time["move"])
        case "fischer" if time.get("most") is None:
            return int(time["bank"])
        case other:
            raise NotCounted(f"clocks of the type {other}")


def _gain(time: Any) -> int:
    return int(time.get("increment", 0))
