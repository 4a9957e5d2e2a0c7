"""What requests about schedules may say. Times are in milliseconds since 1970."""

from typing import Annotated, Final

import msgspec
from msgspec import Meta

from events.scheduling import NoShow
from events.types import Closing
from service.pinning import WantedSchedule
from service.said import Body, Name

Moment = Annotated[int, Meta(ge=0, le=2**53 - 1)]


class ScheduleBody(Body, frozen=True):
    """`join_by` and `no_show` are given together, `end_by` and `overrun` as well."""

    opens_at: Moment | None = None
    starts_at: Moment | None = None
    join_by: Moment | None = None
    no_show: NoShow | None = None
    end_by: Moment | None = None
    overrun: Closing | None = None

    @property
    def wanted(self) -> WantedSchedule:
        return WantedSchedule(**msgspec.structs.asdict(self))


class StandInBody(Body, frozen=True):
    """`account` is whom the seat stands for from now on."""

    account: Name | None = None


STAND_IN: Final = msgspec.json.Decoder(StandInBody)
