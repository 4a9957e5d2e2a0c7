"""Results over GraphQL: of a match, and of all matches of an organisation as they come."""

from typing import cast

import strawberry

from events.canonical import SAFE_INTEGER
from service import exporting, results
from service.errors import Fault, ParameterInvalid
from service.graphql.context import Context
from service.graphql.enums import Ending, ResultStatus, SeatOutcome
from service.graphql.evidence import Evidence
from service.graphql.ids import checked_first
from service.graphql.scalars import WholeNumber

_ABOUT_SEATS = (
    "`externalId` is whom the seat stands for, for keys of the organisation alone. `penalties` are "
    "the versions of rulings against the seat."
)


@strawberry.type(description=_ABOUT_SEATS)
class ResultSeat:
    seat: int
    external_id: str | None
    rank: int | None
    score: WholeNumber | None
    outcome: SeatOutcome | None
    resigned: bool
    timed_out: bool
    forfeit: bool
    penalties: list[int]


@strawberry.type(
    description="How the match ended, as it stands since event `version`; the higher version is "
    "the newer. `revision` counts what the result was said to be."
)
class MatchResult:
    match_id: str
    test: bool
    status: ResultStatus
    revision: int
    version: int
    terminal: Ending | None
    replaced_by: str | None
    seats: list[ResultSeat]
    evidence: Evidence | None


@strawberry.type(description="What a result became with the entry of the feed at `position`.")
class ResultEntry:
    position: WholeNumber
    match_id: str
    external_id: str | None
    game: str
    deal_group: str | None
    test: bool
    status: ResultStatus
    revision: int
    version: int
    terminal: Ending | None
    replaced_by: str | None
    seats: list[ResultSeat]


@strawberry.type(description="`after` is the position to go on from.")
class ResultPage:
    results: list[ResultEntry]
    after: WholeNumber


async def result_in(context: Context, match_id: str) -> MatchResult:
    """Raises: NoCredentials, MatchNotFound, ScopeMissing."""
    caller = await context.caller(match_id)
    # The fields of all of these are found by name.
    return cast(MatchResult, await results.result_of(context.parts, caller, match_id))


async def result_page(
    context: Context, first: int, after: WholeNumber, batch_id: str | None = None
) -> ResultPage:
    """Raises: NoCredentials, ApiKeyRequired, ScopeMissing, ParameterInvalid, PositionNotFound."""
    caller, limit = await context.caller(), checked_first(first)
    if not 0 <= after <= SAFE_INTEGER:
        raise ParameterInvalid(Fault("after", "out-of-range", "is not a position"))
    await exporting.require_position(context.parts, caller, after)
    page = await results.page(context.parts, caller, after, limit, batch_id)
    return cast(ResultPage, page)
