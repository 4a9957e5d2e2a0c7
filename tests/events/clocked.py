"""Scripted matches with clocks: moments are said, in ms after noon of the first day."""

from random import Random
from typing import Any

from events.charging import SeatTime, clocks_at
from events.clocks import Clock, Fischer, Flag, PerMove, Time, Window
from events.decide import PlayMove, Step, decide
from events.firing import credited, fired
from events.flags import Outage
from games import registry
from games.core.game import Seat
from games.core.moves import sample, wire_move
from tests.events.scripted import NOON, Table

MINUTES = 60_000
FIVE = Fischer(bank=5 * MINUTES, increment=3_000, most=None)
MOVE = PerMove(move=10_000)


def clock(
    seats: int,
    *times: Time,
    flag: Flag = Flag.FALLBACK,
    abandon_after: int = 3,
    window: Window | None = None,
) -> Clock:
    """One time is for every seat."""
    each = times * seats if len(times) == 1 else times
    return Clock(times=each, flag=flag, abandon_after=abandon_after, window=window)


class Clocked(Table):
    """Nothing here takes time but what says so. `now` is in ms after noon."""

    def __init__(self, name: str, seats: int, *times: Time, **more: Any) -> None:
        names = ("flag", "abandon_after", "window")
        own = {key: more.pop(key) for key in names if key in more}
        super().__init__(registry.game(name), seats, clock=clock(seats, *times, **own), **more)
        self.start = self.at

    @property
    def now(self) -> int:
        return self.at - self.start

    def wait(self, ms: int) -> "Clocked":
        self.at += ms
        return self

    def do(self, command: Any, took: int = 0) -> tuple[Step, ...]:
        """`took` is how long it waited before it was decided."""
        self.at += took
        steps = decide(self.current, command, self.dealer, self.at)
        self._log(steps)
        return steps

    def move(self, seat: Seat, after: int = 0, *, took: int = 0) -> tuple[Step, ...]:
        """The seat's first legal answer, that arrives `after` ms and is decided `took` later."""
        self.at += after
        decision = self.current.decision
        assert decision is not None
        wire = wire_move(sample(decision.offers[seat], Random(self.current.version)))
        own = self.current.decision_of(seat)
        command = PlayMove(seat, own, wire, self.entropy(32), None, self.at)
        return self.do(command, took=took)

    def fire(self, after: int = 0) -> tuple[Step, ...]:
        self.at += after
        steps = fired(self.current, self.dealer, self.at, self.at)
        if steps:
            self._log(steps)
        return steps

    def credit(self, *outages: Outage) -> tuple[Step, ...]:
        steps = credited(self.current, self.dealer, self.at, outages)
        if steps:
            self._log(steps)
        return steps

    def shown(self, seat: Seat) -> SeatTime:
        return clocks_at(self.current, self.at)[seat]

    def left(self, seat: Seat) -> int:
        return self.shown(seat).left

    @property
    def asked(self) -> tuple[Seat, ...]:
        decision = self.current.decision
        return () if decision is None else tuple(sorted(decision.offers))


__all__ = ["FIVE", "MINUTES", "MOVE", "NOON", "Clocked", "clock"]
