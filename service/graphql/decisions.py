"""What a seat is asked and offered, in terms that need no knowledge of the game."""

from typing import Any, cast

import strawberry

from projections.projection import Asked as AskedSeats
from projections.projection import OwnDecision
from service.graphql.enums import Mode, Status
from service.graphql.lines import SeatClock, clocks_of
from service.graphql.scalars import JSON, Pick, WholeNumber
from service.queries import SeatDecision as CoreSeatDecision


@strawberry.type(description="Who is asked, and what kind of thing; never what is offered.")
class Asked:
    kind: str
    mode: Mode
    seats: list[int]


@strawberry.interface(description="A field of a move and what may fill it.")
class OfferField:
    name: str


@strawberry.type(
    description="`least` to `most` of the options; `list`: the field takes a list even of one."
)
class ChoiceField(OfferField):
    options: list[Pick]
    least: int
    most: int
    ordered: bool
    repeats: bool
    list: bool


@strawberry.type(description="Free text that is not blank.")
class TextField(OfferField):
    most: int


@strawberry.type(description="A whole number; both bounds may be given.")
class NumberField(OfferField):
    low: WholeNumber
    high: WholeNumber


@strawberry.type(description="A kind of move that is open now.")
class Offer:
    type: str
    fields: list[OfferField]


@strawberry.type(description="What your own seat is asked. `id` is null while it is not asked.")
class Decision:
    own: strawberry.Private[OwnDecision]

    @strawberry.field
    def id(self) -> str | None:
        return self.own.id

    @strawberry.field
    def kind(self) -> str | None:
        return self.own.kind

    @strawberry.field
    def mode(self) -> Mode | None:
        return self.own.mode

    @strawberry.field
    def offers(self) -> list[Offer]:
        return [_offer(each) for each in self.own.offers]

    @strawberry.field(description="Moves that may be made at any time and end no decision.")
    def asides(self) -> list[Offer]:
        return [_offer(each) for each in self.own.asides]

    @strawberry.field
    def offers_json(self) -> JSON:
        return self.own.offers

    @strawberry.field
    def asides_json(self) -> JSON:
        return self.own.asides


@strawberry.type(description="The decision of a seat at a version of its match.")
class SeatDecision:
    shown: strawberry.Private[CoreSeatDecision]

    @strawberry.field
    def match_id(self) -> str:
        return self.shown.match_id

    @strawberry.field
    def version(self) -> int:
        return self.shown.version

    @strawberry.field
    def status(self) -> Status:
        return self.shown.status.value

    @strawberry.field
    def seat(self) -> int:
        return self.shown.seat

    @strawberry.field
    def asked(self) -> Asked | None:
        return asked_of(self.shown.asked)

    @strawberry.field
    def decision(self) -> Decision | None:
        own = self.shown.decision
        return None if own is None else Decision(own=own)

    @strawberry.field(description="By seat; null where there are no clocks.")
    def clocks(self) -> list[SeatClock] | None:
        return clocks_of(self.shown.clocks)


def asked_of(asked: AskedSeats | None) -> Asked | None:
    # Its fields are found by name.
    return cast(Asked | None, asked)


def offer_of(wire: dict[str, Any]) -> Offer:
    return _offer(wire)


def _offer(wire: dict[str, Any]) -> Offer:
    return Offer(type=wire["type"], fields=[_field(n, f) for n, f in wire["fields"].items()])


def _field(name: str, field: dict[str, Any]) -> OfferField:
    if "text" in field:
        return TextField(name=name, most=field["text"]["most"])
    if "low" in field:
        return NumberField(name=name, low=field["low"], high=field["high"])
    return ChoiceField(name=name, **field)
