"""Takebacks, disputes, replays and information reports, as the REST door shows them."""

from typing import Any, cast

import strawberry

from service import comparing, disputes, draws, looking
from service.graphql.context import Context
from service.graphql.enums import DiffKind, DisputeStage
from service.graphql.ids import checked_first
from service.graphql.problems import raw
from service.graphql.scalars import JSON
from service.looking import Wish


@strawberry.type(
    description="The takeback that was last asked for; `owed` are the seats it waits for."
)
class Takeback:
    id: int
    seat: int
    move: int
    open: bool
    refused: bool
    owed: list[int]


@strawberry.type(
    description="The draw that was last offered; `owed` are the seats it waits for, if it is open."
)
class Draw:
    id: int
    seat: int
    open: bool
    refused: bool
    owed: list[int]


@strawberry.type(
    description="Texts are null once they are erased. `ruling` is the latest, of event `ruledAt`."
)
class Dispute:
    line: strawberry.Private[disputes.DisputeLine]

    @strawberry.field
    def id(self) -> int:
        return self.line.id

    @strawberry.field(description="Null if an arbiter opened it.")
    def seat(self) -> int | None:
        return self.line.seat

    @strawberry.field
    def about(self) -> int:
        return self.line.about

    @strawberry.field
    def stage(self) -> DisputeStage:
        return self.line.stage.value

    @strawberry.field(description="It holds the play: nobody moves.")
    def pause(self) -> bool:
        return self.line.pause

    @strawberry.field
    def appealed(self) -> bool:
        return self.line.appealed

    @strawberry.field
    def claim(self) -> str | None:
        return self.line.claim

    @strawberry.field
    def ruled_at(self) -> int | None:
        return self.line.ruled_at

    @strawberry.field
    def ruling(self) -> JSON | None:
        return None if self.line.ruling is None else raw(self.line.ruling)

    @strawberry.field
    def reason(self) -> str | None:
        return self.line.reason


@strawberry.type(
    description="An event as the viewer saw it, and the view after it. `inPlay` is false for what "
    "a rewind has skipped."
)
class ReplayStep:
    version: int
    in_play: bool
    boundary: str | None
    event: JSON
    view: JSON


@strawberry.type(description="`after` is the version to go on after, null where the replay ends.")
class Replay:
    viewer: int | None
    version: int
    steps: list[ReplayStep]
    after: int | None


@strawberry.type(description="One of two views: of which version, and whose; null is the public's.")
class DiffSide:
    version: int
    viewer: int | None


@strawberry.type(description="A leaf that differs; null where nothing stood.")
class DiffChange:
    path: str
    kind: DiffKind
    before: JSON | None
    after: JSON | None


@strawberry.type(description="Every leaf in which two views differ, by its path into them.")
class Diff:
    before: DiffSide
    after: DiffSide
    changes: list[DiffChange]


@strawberry.type(
    description="What each seat learnt by what a rewind skipped; null for seats that you may not "
    "look at."
)
class InformationReport:
    rewind: int | None
    to: int
    skipped: list[int]
    seats: list[JSON | None]


async def takeback_in(context: Context, match_id: str) -> Takeback | None:
    """Raises: NoCredentials, MatchNotFound, ScopeMissing."""
    caller = await context.caller(match_id)
    line = await disputes.takeback_of(context.parts, caller, match_id)
    # Fields are found by name.
    return cast(Takeback | None, line)


async def draw_in(context: Context, match_id: str) -> Draw | None:
    """Raises: NoCredentials, MatchNotFound, ScopeMissing."""
    caller = await context.caller(match_id)
    # Fields are found by name.
    return cast(Draw | None, await draws.draw_of(context.parts, caller, match_id))


async def disputes_in(context: Context, match_id: str) -> list[Dispute]:
    """Raises: NoCredentials, MatchNotFound, ScopeMissing."""
    caller = await context.caller(match_id)
    found = await disputes.disputes_of(context.parts, caller, match_id)
    return [Dispute(line=each) for each in found]


async def replay_in(context: Context, match_id: str, first: int, after: int, wish: Wish) -> Replay:
    """Raises: what `replay` does, ParameterInvalid."""
    caller, limit = await context.caller(match_id), checked_first(first)
    found = await looking.replay(context.parts, caller, match_id, wish, max(after, 0), limit)
    return cast(Replay, found)


async def diff_in(context: Context, match_id: str, before: Wish, after: Wish) -> Diff:
    """Raises: what `difference` does."""
    caller = await context.caller(match_id)
    found = await comparing.difference(context.parts, caller, match_id, before, after)
    return cast(Diff, found)


async def report_in(
    context: Context, match_id: str, dispute: int, to: int | None, account: str | None
) -> InformationReport:
    """Raises: what `information_report` does."""
    caller = await context.caller(match_id)
    found = await looking.information_report(context.parts, caller, match_id, dispute, to, account)
    seats: list[Any] = [None if each is None else raw(each) for each in found.seats]
    return InformationReport(
        rewind=found.rewind, to=found.to, skipped=list(found.skipped), seats=seats
    )
