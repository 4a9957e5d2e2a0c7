"""What a match is created with: as it is asked for, and as series keep it for later matches."""

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from events.types import Start
from service.clock_bodies import ClockBody
from service.making import NewMatchRequest
from service.said import Body, Name
from service.schedule_bodies import ScheduleBody


class MatchBody(Body, frozen=True):
    game: Name
    seats: Annotated[int, Meta(ge=1, le=64)]
    rules_version: Annotated[int, Meta(ge=1, le=1_000_000)] | None = None
    options: dict[str, Any] = msgspec.field(default_factory=dict)
    start: Start = Start.AUTO
    external_id: Name | None = None
    accounts: Annotated[tuple[Name | None, ...], Meta(max_length=64)] = ()
    entropy: bool = False
    reveal_by: Annotated[int, Meta(ge=0, le=2**53 - 1)] | None = None
    reveal_after_seconds: Annotated[int, Meta(ge=1, le=2_592_000)] | None = None
    clock: ClockBody | None = None
    schedule: ScheduleBody | None = None
    agreed_draw: bool = False

    @property
    def wanted(self) -> NewMatchRequest:
        """Raises: Invalid."""
        options = msgspec.Raw(msgspec.json.encode(self.options))
        clock = None if self.clock is None else self.clock.wanted
        schedule = None if self.schedule is None else self.schedule.wanted
        own = {"options": options, "clock": clock, "schedule": schedule}
        fields = {**msgspec.structs.asdict(self), **own}
        return NewMatchRequest(**fields)
