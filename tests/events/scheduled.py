"""Scripted matches with a schedule: moments are said, in ms after noon."""

from random import Random
from typing import Any

from events.clocks import Flag
from events.decide import ClaimSeat, SeatStandIn, Step
from events.firing import checked, fired
from events.scheduling import NoShow, Schedule
from events.types import Closing
from games import registry
from games.core.moves import sample, wire_move
from tests.events.clocked import FIVE, clock
from tests.events.scripted import NOON, Table

MINUTE = 60_000


class Scheduled(Table):
    """Nothing here takes time but what says so."""

    def __init__(
        self,
        name: str = "high_card",
        seats: int = 2,
        *,
        opens: int | None = None,
        starts: int | None = None,
        join_by: int | None = None,
        no_show: NoShow | None = None,
        ends: int | None = None,
        closing: Closing = Closing.FORFEIT,
        **more: Any,
    ) -> None:
        moments = [None if each is None else NOON + each for each in (opens, starts, join_by)]
        names = ("opens_at", "starts_at", "join_by")
        wanted = Schedule(**dict(zip(names, moments, strict=True)), no_show=no_show)
        super().__init__(
            registry.game(name),
            seats,
            schedule=None if moments == [None] * 3 else wanted,
            closes_at=None if ends is None else NOON + ends,
            closing=None if ends is None else closing,
            is_seated=False,
            **more,
        )

    def at_time(self, after: int) -> "Scheduled":
        """So many ms after noon; every command takes a second."""
        self.at = NOON + after - 1000
        return self

    def claim(self, *seats: int, key: str | None = None) -> "Scheduled":
        for seat in seats:
            self.do(ClaimSeat(seat, f"player {seat}", key))
        return self

    def play_on_once(self, seat: int) -> None:
        """The first answer that comes to mind."""
        decision = self.current.decision
        assert decision is not None
        self.play(seat, wire_move(sample(decision.offers[seat], Random(1))))

    def fire(self) -> tuple[Step, ...]:
        steps = fired(self.current, self.dealer, self.at, self.at)
        if steps:
            self._log(steps)
        return steps

    def look(self, *used: int | None) -> tuple[Step, ...]:
        """By seat, when its credential was used, in ms after noon."""
        moments = [None if each is None else NOON + each for each in used]
        steps = checked(self.current, self.dealer, self.at, moments)
        self._log(steps)
        return steps


def opened_and_started(**more: Any) -> Scheduled:
    at = Scheduled(opens=10 * MINUTE, starts=20 * MINUTE, **more)
    at.at_time(12 * MINUTE).claim(0, 1)
    at.at_time(21 * MINUTE).fire()
    return at


def absent(policy: NoShow, seats: int = 3, *seen: int | None, **more: Any) -> Scheduled:
    """The highest seat is never claimed; by the time to join nobody has moved."""
    at = Scheduled(seats=seats, join_by=10 * MINUTE, no_show=policy, **more)
    at.claim(*range(seats - 1)).at_time(11 * MINUTE)
    at.look(*(seen or (2 * MINUTE,) * (seats - 1) + (None,)))
    return at


def late(policy: NoShow, seats: int = 3, **more: Any) -> Scheduled:
    """Everybody is seated, the match runs, and seat 1 is not there."""
    at = Scheduled(seats=seats, join_by=10 * MINUTE, no_show=policy, **more)
    at.claim(*range(seats))
    at.play_on_once(0)
    at.at_time(11 * MINUTE)
    at.look(*(None if seat == 1 else MINUTE for seat in range(seats)))
    return at


def stood_in() -> Scheduled:
    at = absent(NoShow.STAND_IN)
    at.do(SeatStandIn(2, "stand-in"))
    return at


def timed(policy: NoShow = NoShow.FORFEIT) -> Scheduled:
    """With clocks, and a start later than the check."""
    at = Scheduled(
        seats=3,
        starts=20 * MINUTE,
        join_by=10 * MINUTE,
        no_show=policy,
        ends=60 * MINUTE,
        clock=clock(3, FIVE, flag=Flag.REMOVE),
    )
    at.claim(0, 1).at_time(11 * MINUTE)
    at.look(MINUTE, MINUTE, None)
    at.at_time(30 * MINUTE).fire()
    return at


def ran_out(closing: Closing, **more: Any) -> Scheduled:
    at = Scheduled(ends=30 * MINUTE, closing=closing, **more).claim(0, 1)
    at.at_time(31 * MINUTE).fire()
    return at
