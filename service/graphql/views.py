"""A match as its viewer may know it: typed, as JSON, or whole as the REST door says it."""

from enum import Enum
from functools import cached_property
from typing import Any, cast

import msgspec
import strawberry

from events.evidence import VIEW
from events.match import Match as CoreMatch
from games.core.game import SPECTATOR, Viewer
from projections.projection import Projection, project
from service.errors import Fault, ParameterInvalid, SeatNotFound
from service.graphql.context import Context, Info
from service.graphql.decisions import Asked, Decision, asked_of
from service.graphql.enums import Status
from service.graphql.evidence import Evidence
from service.graphql.games import Game, game_of
from service.graphql.generated import GameView
from service.graphql.lines import Outcome, Seat, SeatClock, clocks_of, seats_of
from service.graphql.problems import raw
from service.graphql.scalars import JSON
from service.looking import Wish, looked_at


class Sight:
    """A match, its viewer, and the projection once it is asked for."""

    def __init__(self, current: CoreMatch, viewer: Viewer) -> None:
        self.current = current
        self.viewer = viewer

    @cached_property
    def shown(self) -> Projection:
        return project(self.current, self.viewer)


@strawberry.type(description="All that you may know of a match at one version.")
class View:
    sight: strawberry.Private[Sight]

    @strawberry.field
    def match_id(self) -> str:
        return self.sight.current.match_id

    @strawberry.field
    def version(self) -> int:
        return self.sight.current.version

    @strawberry.field
    def game(self) -> Game:
        return game_of(self.sight.current.game)

    @strawberry.field
    def game_slug(self) -> str:
        return self.sight.shown.game

    @strawberry.field
    def rules_version(self) -> int:
        return self.sight.shown.rules_version

    @strawberry.field
    def status(self) -> Status:
        return self.sight.shown.status.value

    @strawberry.field(description="There when the match is over.")
    def result(self) -> Outcome | None:
        # Its fields are found by name.
        return cast(Outcome | None, self.sight.shown.result)

    @strawberry.field
    def head(self) -> str:
        return self.sight.shown.head

    @strawberry.field(description="Your seat; null for a spectator.")
    def viewer(self) -> int | None:
        return self.sight.shown.viewer

    @strawberry.field(description="Where the match is, in words of the game: a round, a hand.")
    def boundary(self) -> str | None:
        return self.sight.shown.boundary

    @strawberry.field
    def seats(self) -> list[Seat]:
        return seats_of(self.sight.shown.seats)

    @strawberry.field(description="Counts what the result was said to be.")
    def result_revision(self) -> int:
        return self.sight.shown.result_revision

    @strawberry.field(description="The result may yet change.")
    def provisional(self) -> bool:
        return self.sight.shown.provisional

    @strawberry.field
    def asked(self) -> Asked | None:
        return asked_of(self.sight.shown.asked)

    @strawberry.field(description="By seat; null where there are no clocks.")
    def clocks(self) -> list[SeatClock] | None:
        return clocks_of(self.sight.shown.clocks)

    @strawberry.field
    def decision(self) -> Decision | None:
        own = self.sight.shown.decision
        return None if own is None else Decision(own=own)

    @strawberry.field(description="Null before the start, and for a match played by older rules.")
    def view(self, info: Info) -> GameView | None:
        types = info.context.types_of(self.sight.current.game)
        if types is None or self.sight.shown.view is None:
            return None
        wire: dict[str, Any] = msgspec.to_builtins(self.sight.shown.view)
        return cast(GameView, types.shown_view(wire))

    @strawberry.field(description="The game's view as JSON: the fast way. Null before the start.")
    def view_json(self) -> JSON | None:
        shown = self.sight.shown.view
        return None if shown is None else raw(shown)

    @strawberry.field(description="All of this at once, as `GET /v1/matches/{match}/view` says it.")
    def json(self, info: Info) -> JSON:
        return msgspec.Raw(self._encoded(info))

    @strawberry.field(description="Signs the bytes of `json`: that this is what you were shown.")
    def evidence(self, info: Info) -> Evidence:
        current, viewer = self.sight.current, self.sight.viewer
        notary = info.context.parts.notary
        return cast(Evidence, notary.shown(VIEW, current, viewer, self._encoded(info)))

    def _encoded(self, info: Info) -> bytes:
        return info.context.parts.encodings.view(self.sight.current, self.sight.viewer)


@strawberry.enum(description="Whose sight, beside those of the seats.")
class Sightline(Enum):
    OWN = "own"
    PUBLIC = "public"


@strawberry.input(
    description="Whose sight: your own by default; another seat's after the reveal, or for an "
    "arbiter, who names the version: the log says that it was looked at."
)
class Look:
    seat: int | None = None
    sight: Sightline = Sightline.OWN
    account: str | None = None


def wish_of(at: int | None, look: Look | None) -> Wish:
    """Raises: SeatNotFound."""
    if look is None:
        return Wish(at=at)
    if look.seat is not None and look.seat < 0:
        raise SeatNotFound
    public = SPECTATOR if look.sight is Sightline.PUBLIC else None
    viewer = public if look.seat is None else look.seat
    return Wish(viewer, at, look.account)


async def view_of(
    context: Context, match_id: str, at: int | None, look: Look | None = None
) -> View:
    """Now, or after version `at`; your own, or another's.

    Raises: NoCredentials, MatchNotFound, ScopeMissing, ParameterInvalid, VersionNotFound; with a
    look, what `looked_at` raises.
    """
    if at is not None and at < 1:
        # Whether that is a version is told to callers alone, and before anything about the match.
        await context.caller(match_id)
        raise ParameterInvalid(Fault("at", "out-of-range", "is not a version"))
    if look is None:
        current, viewer = await context.view(match_id, at)
    else:
        caller = await context.caller(match_id)
        current, viewer = await looked_at(context.parts, caller, match_id, wish_of(at, look))
    return View(sight=Sight(current, viewer))
