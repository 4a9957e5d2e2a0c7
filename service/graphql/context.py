"""What the resolvers of one operation, or of one event of a subscription, share."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeAlias, TypeVar

import strawberry

from events.match import Match
from games.core.game import SPECTATOR, AnyGame, Viewer
from service import queries
from service.auth import Caller
from service.graphql.generated import GameTypes, Rules
from service.graphql.visitor import Visitor
from service.parts import Parts
from service.queries import MatchDetail

T = TypeVar("T")


class Context:
    """One for each operation and for each event: nothing that is loaded outlives it.

    `arrived` (ms) is when all of it was there, by default now. `resume` is where a stream goes
    on, by its client's Last-Event-ID. `types` are by the rules of a game.
    """

    def __init__(
        self,
        parts: Parts,
        types: Mapping[Rules, GameTypes],
        visitor: Visitor,
        resume: int | None = None,
        arrived: int | None = None,
    ) -> None:
        self.parts = parts
        self.types = types
        self.visitor = visitor
        self.resume = resume
        self.arrived = parts.clock() if arrived is None else arrived
        self._loaded: dict[tuple[str, str], asyncio.Future[Any]] = {}

    def fresh(self) -> "Context":
        """For the next event: the same visitor, nothing loaded."""
        return Context(self.parts, self.types, self.visitor)

    def types_of(self, game: AnyGame) -> GameTypes | None:
        """The types of a game, whatever its component tables; None if its rules are older."""
        known = self.types.get((game.slug, game.rules_version))
        return known if known is not None and known.game.views is game.views else None

    def forget(self) -> None:
        """Whatever was loaded is loaded anew."""
        self._loaded.clear()

    async def caller(self, match_id: str | None = None) -> Caller:
        """Who asks; of a user, at a match.

        Raises: NoCredentials, TooManyRequests, OtherSeat.
        """
        return await self.visitor.caller(match_id)

    async def view(self, match_id: str, at: int | None = None) -> tuple[Match, Viewer]:
        """The match, now or after version `at`, and how the caller sees it.

        Raises: NoCredentials, MatchNotFound, ScopeMissing, VersionNotFound.
        """
        caller = await self.caller(match_id)
        kind = "view" if at is None else f"view {at}"
        return await self._once(
            kind, match_id, lambda: queries.view(self.parts, caller, match_id, at)
        )

    async def detail(self, match_id: str) -> tuple[MatchDetail, Match, Viewer]:
        """Raises: NoCredentials, MatchNotFound, ScopeMissing."""
        caller = await self.caller(match_id)
        return await self._once(
            "detail", match_id, lambda: queries.match_detail(self.parts, caller, match_id)
        )

    async def created(self, match_id: str) -> None:
        """Whoever creates a match is told of it, even with a key that reads none."""
        detail, current = await queries.new_match(self.parts, match_id)
        known = asyncio.get_running_loop().create_future()
        known.set_result((detail, current, SPECTATOR))
        self._loaded[("detail", match_id)] = known

    async def _once(self, kind: str, match_id: str, load: Callable[[], Awaitable[T]]) -> T:
        """Fields that are resolved side by side wait for one load."""
        running = self._loaded.get((kind, match_id))
        if running is None:
            running = asyncio.ensure_future(load())
            self._loaded[(kind, match_id)] = running
        loaded: T = await running
        return loaded


Info: TypeAlias = strawberry.Info[Context, None]
