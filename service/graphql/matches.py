"""Matches as nodes: what everybody who may see one sees, and the ways to see more of it."""

from collections.abc import Callable
from typing import Annotated, TypeVar, cast

import msgspec
import strawberry

from events.bundle import viewer_in
from projections.matches import MatchSummary
from service import queries
from service.errors import Fault, ParameterInvalid
from service.graphql.arbiters import ArbiterConnection, arbiter_page
from service.graphql.context import Info
from service.graphql.decisions import Asked, SeatDecision, asked_of
from service.graphql.disputes import (
    Diff,
    Dispute,
    Draw,
    InformationReport,
    Replay,
    Takeback,
    diff_in,
    disputes_in,
    draw_in,
    replay_in,
    report_in,
    takeback_in,
)
from service.graphql.enums import Perspective, Start, Status, Terminal
from service.graphql.events import EventConnection, event_page
from service.graphql.evidence import Entropy
from service.graphql.games import Game, game_of
from service.graphql.generated import GameOptions
from service.graphql.ids import DEAL_GROUP, MATCH, Node, PageInfo, node_id
from service.graphql.moves import MoveConnection, move_page
from service.graphql.problems import raw
from service.graphql.results import MatchResult, result_in
from service.graphql.scalars import JSON, Milliseconds, WholeNumber
from service.graphql.spectators import SpectatorConnection, spectator_page
from service.graphql.views import Look, Seat, SeatClock, View, clocks_of, seats_of, view_of, wish_of
from service.queries import MatchDetail

T = TypeVar("T")


@strawberry.type(description="By seat. Rank 1 is best, ties share a rank.")
class Outcome:
    terminal: Terminal
    ranks: list[int]
    scores: list[WholeNumber] | None
    note: str


@strawberry.type(description="One play of a game.")
class Match(Node):
    match_id: str
    summary: strawberry.Private[MatchSummary | None] = None

    @strawberry.field
    async def external_id(self, info: Info) -> str | None:
        return await self._told(info, lambda told: told.external_id)

    @strawberry.field
    async def game_slug(self, info: Info) -> str:
        return await self._told(info, lambda told: told.game)

    @strawberry.field
    async def game(self, info: Info) -> Game:
        _, current, _ = await info.context.detail(self.match_id)
        return game_of(current.game)

    @strawberry.field
    async def rules_version(self, info: Info) -> int:
        return await self._told(info, lambda told: told.rules_version)

    @strawberry.field
    async def seat_count(self, info: Info) -> int:
        return await self._told(info, lambda told: told.seats)

    @strawberry.field
    async def status(self, info: Info) -> Status:
        return await self._told(info, lambda told: told.status.value)

    @strawberry.field
    async def version(self, info: Info) -> int:
        return await self._told(info, lambda told: told.version)

    @strawberry.field(description="The hash of the newest event, in hex.")
    async def head(self, info: Info) -> str:
        return await self._told(info, lambda told: told.head)

    @strawberry.field
    async def created_at(self, info: Info) -> Milliseconds:
        return await self._told(info, lambda told: told.created_at)

    @strawberry.field(description="The id of the deal group whose draws it shares.")
    async def deal_group(self, info: Info) -> strawberry.ID | None:
        group_id = await self._told(info, lambda told: told.deal_group)
        return None if group_id is None else node_id(DEAL_GROUP, group_id)

    @strawberry.field(description="Made in a sandbox, to rehearse.")
    async def test(self, info: Info) -> bool:
        return await self._told(info, lambda told: told.test)

    @strawberry.field(description="There when the match is over.")
    async def result(self, info: Info) -> Outcome | None:
        result = await self._told(info, lambda told: told.result)
        return None if result is None else cast(Outcome, msgspec.json.decode(result))

    @strawberry.field(description="How the match ended, in every way that it can; signed.")
    async def match_result(self, info: Info) -> MatchResult:
        return await result_in(info.context, self.match_id)

    @strawberry.field
    async def seats(self, info: Info) -> list[Seat]:
        return seats_of((await self._detail(info)).seating)

    @strawberry.field
    async def asked(self, info: Info) -> Asked | None:
        return asked_of((await self._detail(info)).asked)

    @strawberry.field(description="Null if the match is played by older rules.")
    async def options(self, info: Info) -> GameOptions | None:
        detail, current, _ = await info.context.detail(self.match_id)
        types = info.context.types_of(current.game)
        if types is None:
            return None
        return cast(GameOptions, types.shown_options(msgspec.json.decode(detail.options)))

    @strawberry.field
    async def options_json(self, info: Info) -> JSON:
        return (await self._detail(info)).options

    @strawberry.field
    async def start(self, info: Info) -> Start:
        return (await self._detail(info)).start.value

    @strawberry.field
    async def data_digest(self, info: Info) -> str:
        return (await self._detail(info)).data_digest

    @strawberry.field(description="Not all faces it is played with are the printed ones.")
    async def reconstructed(self, info: Info) -> bool:
        return (await self._detail(info)).reconstructed

    @strawberry.field
    async def seed_commitment(self, info: Info) -> str:
        return (await self._detail(info)).seed_commitment

    @strawberry.field(description="The clocks it is played with, as event 1 says.")
    async def clock(self, info: Info) -> JSON | None:
        clock = (await self._detail(info)).clock
        return None if clock is None else raw(clock)

    @strawberry.field(description="When it opens, starts and ends; null where nothing says so.")
    async def schedule(self, info: Info) -> JSON | None:
        schedule = (await self._detail(info)).schedule
        return None if schedule is None else raw(schedule)

    @strawberry.field(description="By seat; null where there are no clocks.")
    async def clocks(self, info: Info) -> list[SeatClock] | None:
        return clocks_of((await self._detail(info)).clocks)

    @strawberry.field(description="The time by which the match is revealed, if one was promised.")
    async def reveal_by(self, info: Info) -> Milliseconds | None:
        return (await self._detail(info)).reveal_by

    @strawberry.field(description="Who could have steered the seed; null if nobody could.")
    async def steerable(self, info: Info) -> str | None:
        return (await self._detail(info)).steerable

    @strawberry.field(description="What seats put into the seed; null where they put in nothing.")
    async def entropy(self, info: Info) -> Entropy | None:
        # Its fields are found by name.
        return cast(Entropy | None, (await self._detail(info)).entropy)

    @strawberry.field
    async def revealed(self, info: Info) -> bool:
        return (await self._detail(info)).revealed

    @strawberry.field(description="The match as you see it, or as you saw it after version `at`.")
    async def view(self, info: Info, at: int | None = None, look: Look | None = None) -> View:
        return await view_of(info.context, self.match_id, at, look)

    @strawberry.field(description="How long disputes keep the reveal waiting; null: not at all.")
    async def reveal_after_seconds(self, info: Info) -> int | None:
        return (await self._detail(info)).reveal_after_seconds

    @strawberry.field(description="When the window for disputes ends, while it is open.")
    async def reveal_at(self, info: Info) -> Milliseconds | None:
        return (await self._detail(info)).reveal_at

    @strawberry.field(description="Counts what the result was said to be.")
    async def result_revision(self, info: Info) -> int:
        return (await self._detail(info)).result_revision

    @strawberry.field(description="The result may yet change.")
    async def provisional(self, info: Info) -> bool:
        return (await self._detail(info)).provisional

    @strawberry.field(description="Every dispute of the match, the oldest first.")
    async def disputes(self, info: Info) -> list[Dispute]:
        return await disputes_in(info.context, self.match_id)

    @strawberry.field(
        description="What each seat learnt by what the ruling of a dispute skipped, or would learn "
        "by a rewind to `to`."
    )
    async def information_report(
        self, info: Info, dispute: int, to: int | None = None, account: str | None = None
    ) -> InformationReport:
        return await report_in(info.context, self.match_id, dispute, to, account)

    @strawberry.field(description="Whether seats may agree on a draw.")
    async def agreed_draw(self, info: Info) -> bool:
        return (await self._detail(info)).agreed_draw

    @strawberry.field(description="The draw that was last offered.")
    async def draw(self, info: Info) -> Draw | None:
        return await draw_in(info.context, self.match_id)

    @strawberry.field(description="The takeback that was last asked for.")
    async def takeback(self, info: Info) -> Takeback | None:
        return await takeback_in(info.context, self.match_id)

    @strawberry.field(description="The match step by step, as one viewer saw it.")
    async def replay(
        self,
        info: Info,
        first: int,
        after: int = 0,
        at: int | None = None,
        look: Look | None = None,
    ) -> Replay:
        return await replay_in(info.context, self.match_id, first, after, wish_of(at, look))

    @strawberry.field(
        description="What is different between two versions, or two viewers: `look` after version "
        "`from` held against `against` after version `to`. Without them `to` is the newest, `from` "
        "is `to`, and `against` is `look`."
    )
    async def diff(
        self,
        info: Info,
        since: Annotated[int | None, strawberry.argument(name="from")] = None,
        to: int | None = None,
        look: Look | None = None,
        against: Look | None = None,
    ) -> Diff:
        before, after = wish_of(since, look), wish_of(to, against or look)
        return await diff_in(info.context, self.match_id, before, after)

    @strawberry.field(description="What your seat is asked; for the holder of a seat.")
    async def decision(self, info: Info) -> SeatDecision:
        return await decision_in(info, self.match_id)

    @strawberry.field(description="The moves that your open decision offers.")
    async def moves(self, info: Info, first: int, after: str | None = None) -> MoveConnection:
        return await move_page(info.context, self.match_id, first, after)

    @strawberry.field(description="The events as you saw them, from the first.")
    async def events(
        self,
        info: Info,
        first: int,
        after: str | None = None,
        perspective: Perspective = Perspective.OWN,
        proof: bool = False,
    ) -> EventConnection:
        is_full = perspective is Perspective.FULL
        return await event_page(
            info.context, self.match_id, first, after, full=is_full, proof=proof
        )

    @strawberry.field(
        description="Where the match is as one file, for an HTTP GET with the same token. "
        "perspective: public, full, or seat: with a number."
    )
    async def bundle_address(self, perspective: str = "public") -> str:
        if viewer_in(perspective) is None:
            reason = "has to be full, public or seat: and a number"
            raise ParameterInvalid(Fault("perspective", "unknown-value", reason))
        return f"/v1/matches/{self.match_id}/bundle?perspective={perspective}"

    @strawberry.field(
        description="The tokens that watch the match, newest first; for a key that issues them."
    )
    async def spectators(
        self, info: Info, first: int, after: str | None = None
    ) -> SpectatorConnection:
        return await spectator_page(info.context, self.match_id, first, after)

    @strawberry.field(
        description="The tokens that arbitrate the match, newest first; for a key that issues them."
    )
    async def arbiters(self, info: Info, first: int, after: str | None = None) -> ArbiterConnection:
        return await arbiter_page(info.context, self.match_id, first, after)

    async def _detail(self, info: Info) -> MatchDetail:
        return (await info.context.detail(self.match_id))[0]

    async def _told(self, info: Info, read: Callable[[MatchSummary], T]) -> T:
        """From the line of a list if that is how the match was found."""
        return read(self.summary or await self._detail(info))


@strawberry.type
class MatchEdge:
    cursor: str
    node: Match


@strawberry.type(description="A page of your organisation's matches, newest first.")
class MatchConnection:
    edges: list[MatchEdge]
    page_info: PageInfo


def match_of(match_id: str, summary: MatchSummary | None = None) -> Match:
    return Match(id=node_id(MATCH, match_id), match_id=match_id, summary=summary)


async def decision_in(info: Info, match_id: str) -> SeatDecision:
    """Raises: NoCredentials, MatchNotFound, SeatTokenRequired."""
    context = info.context
    caller = await context.caller(match_id)
    current, seat = await queries.own_match(context.parts, caller, match_id)
    return SeatDecision(shown=queries.decision_of(current, seat))
