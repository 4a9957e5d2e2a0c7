"""Bodies of requests about series."""

from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta

from events.scheduling import NoShow
from service.batches.points import ByOutcome, Scoring
from service.said import Body, Name
from service.series.terms import Join, Length, OpensOn, Rotation

MOST_GAMES: Final = 25
Place = Annotated[int, Meta(ge=0, le=63)]
Seating = Annotated[tuple[Place, ...], Meta(min_length=1, max_length=64)]


class EntrantBody(Body, frozen=True):
    """`external_id` is an account of the organisation's own."""

    external_id: Name


class JoinBody(Body, frozen=True):
    """Of every match, from when it opens."""

    within_seconds: Annotated[int, Meta(ge=1, le=2_592_000)]
    no_show: NoShow

    @property
    def wanted(self) -> Join:
        return Join(self.within_seconds, self.no_show)


class SeriesBody(Body, frozen=True):
    """`match` is what each match is created with. `seatings` go with the rotation `given`: for each
    match the entrant at each seat. `batch_id` is a batch that the matches shall be of."""

    entrants: Annotated[tuple[EntrantBody, ...], Meta(min_length=1, max_length=64)]
    match: dict[str, Any]
    games: Annotated[int, Meta(ge=1, le=MOST_GAMES)]
    length: Length = Length.BEST_OF
    rotation: Rotation = Rotation.ROTATE
    seatings: Annotated[tuple[Seating, ...], Meta(max_length=MOST_GAMES)] = ()
    scoring: Scoring = msgspec.field(default_factory=ByOutcome)
    opens_on: OpensOn = OpensOn.PROVISIONAL
    external_id: Name | None = None
    batch_id: Name | None = None
    join: JoinBody | None = None


SERIES: Final = msgspec.json.Decoder(SeriesBody)
