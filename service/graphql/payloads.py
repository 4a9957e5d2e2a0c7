"""What mutations take and give."""

from typing import Annotated, Any, Final

import strawberry

from service.graphql.deal_groups import DealGroup, DealGroupRef
from service.graphql.enums import Closing, Start
from service.graphql.evidence import Evidence, SeatSignatureInput
from service.graphql.generated import Move
from service.graphql.ids import MatchRef
from service.graphql.links import Link
from service.graphql.matches import Match
from service.graphql.problems import Problem
from service.graphql.scalars import JSON, Milliseconds

_UNSET: Final = strawberry.UNSET


@strawberry.type(description="Versions `first` to `last` were added; `head` is the hash of `last`.")
class Receipt:
    first: int
    last: int
    head: str


@strawberry.type(description="What was added, and proof that it was accepted, and when.")
class MoveReceipt(Receipt):
    evidence: Evidence


@strawberry.type(description="`replayed`: it was done before, and nothing was done now.")
class Payload:
    match: Match
    receipt: Receipt
    replayed: bool


@strawberry.type
class CreateMatchPayload:
    match: Match


@strawberry.type
class CreateDealGroupPayload:
    group: DealGroup


@strawberry.type(description="It is closed; its matches are ended and revealed, which follows.")
class CloseDealGroupPayload:
    group: DealGroup


@strawberry.type(
    description="`token` is the seat's new token; null for a caller who plays the seat already, "
    "and once it works no more."
)
class ClaimSeatPayload(Payload):
    seat: int
    token: str | None


@strawberry.type
class ReleaseSeatPayload(Payload):
    seat: int


@strawberry.type
class ResignPayload(Payload):
    seat: int


@strawberry.type
class StartPayload(Payload):
    pass


@strawberry.type(
    description="It is revealed at once, or, with `revealAfterSeconds`, once the window for "
    "disputes is over."
)
class CancelPayload(Payload):
    pass


@strawberry.type
class PlayMovePayload(Payload):
    receipt: MoveReceipt


@strawberry.type
class ContributeEntropyPayload(Payload):
    seat: int


@strawberry.type(description="Playing it now would be accepted. The move is in canonical form.")
class ValidateMovePayload:
    match: Match
    move: Move | None
    move_json: JSON


@strawberry.type(
    description="The only working token of the seat. It is shown this once: null in a repetition "
    "under the same idempotencyKey."
)
class IssueSeatTokenPayload:
    match: Match
    seat: int
    token: str | None
    link: Link | None


@strawberry.type
class RevokeSeatTokensPayload:
    match: Match
    seat: int


def result_of(kind: Any) -> Any:
    name = kind.__name__.removesuffix("Payload") + "Result"
    return Annotated[kind | Problem, strawberry.union(name)]


@strawberry.input(description="The same key is the same request: it is done once.")
class MatchInput:
    match: MatchRef
    idempotency_key: str | None = _UNSET


@strawberry.input
class SeatInput(MatchInput):
    seat: int


@strawberry.input(
    description="`account` is whom the seat stands for outside; with a `key` (Ed25519, "
    "base64url) all that it does has to be signed."
)
class ClaimSeatInput(SeatInput):
    account: str | None = _UNSET
    key: str | None = _UNSET


@strawberry.input(description="`signed` is for a seat with a key.")
class ResignInput(SeatInput):
    signed: SeatSignatureInput | None = _UNSET


@strawberry.input
class SeatTokenInput:
    match: MatchRef
    seat: int


@strawberry.input
class CloseDealGroupInput:
    group: DealGroupRef


def inputs_of(move_input: Any, options_input: Any) -> dict[str, Any]:
    """The inputs that hold what is typed by game."""
    create = _input_of(
        "CreateMatchInput",
        "The options are typed or JSON; the game's defaults if left out. `clock` and `schedule` "
        "are as `POST /v1/matches` takes them.",
        game=(str, ...),
        seats=(int, ...),
        rules_version=(int | None, _UNSET),
        options=(options_input | None, _UNSET),
        options_json=(JSON | None, _UNSET),
        start=(Start, Start.AUTO),
        external_id=(str | None, _UNSET),
        accounts=(list[str | None] | None, _UNSET),
        entropy=(bool, False),
        reveal_by=(Milliseconds | None, _UNSET),
        reveal_after_seconds=(int | None, _UNSET),
        clock=(JSON | None, _UNSET),
        schedule=(JSON | None, _UNSET),
        agreed_draw=(bool, False),
        idempotency_key=(str | None, _UNSET),
    )
    group = _input_of(
        "CreateDealGroupInput",
        "`tables` are the entrants by match and seat, each once in the whole group; the options "
        "are typed or JSON.",
        game=(str, ...),
        seats=(int, ...),
        tables=(list[list[str]], ...),
        closes_at=(Milliseconds, ...),
        closing=(Closing, ...),
        rules_version=(int | None, _UNSET),
        options=(options_input | None, _UNSET),
        options_json=(JSON | None, _UNSET),
        start=(Start, Start.AUTO),
        external_id=(str | None, _UNSET),
        clock=(JSON | None, _UNSET),
        idempotency_key=(str | None, _UNSET),
    )
    play = _input_of(
        "PlayMoveInput",
        "A move, either typed or as JSON. An aside has no decision, but an idempotencyKey.",
        match=(MatchRef, ...),
        decision=(str | None, _UNSET),
        move=(move_input | None, _UNSET),
        move_json=(JSON | None, _UNSET),
        signed=(SeatSignatureInput | None, _UNSET),
        idempotency_key=(str | None, _UNSET),
    )
    return {"create": create, "group": group, "play": play}


def _input_of(name: str, description: str, **fields: tuple[Any, Any]) -> Any:
    namespace: dict[str, Any] = {
        "__annotations__": {each: kind for each, (kind, _) in fields.items()},
        "__module__": __name__,
    }
    namespace |= {each: value for each, (_, value) in fields.items() if value is not ...}
    return strawberry.input(type(name, (), namespace), name=name, description=description)
