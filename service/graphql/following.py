"""The subscriptions: the feeds of the REST door, and a seat's decisions as they open."""

from collections.abc import AsyncGenerator
from typing import Annotated, Any

import strawberry

from service import live, queries
from service.errors import Fault, ParameterInvalid
from service.graphql.context import Context, Info
from service.graphql.decisions import SeatDecision
from service.graphql.enums import Perspective
from service.graphql.events import Content, Event, opened, types_of
from service.graphql.ids import MatchRef, match_id_of
from service.live import Feed


@strawberry.type(description="All that was stored when you subscribed has been sent.")
class CaughtUp:
    version: int
    head: str


MatchEventItem = Annotated[Event | CaughtUp, strawberry.union("MatchEventItem")]


@strawberry.type
class Subscription:
    @strawberry.subscription(
        description="The events of a match after a version, and CaughtUp once between old and new."
    )
    async def match_events(
        self,
        info: Info,
        match: MatchRef,
        after: int = 0,
        perspective: Perspective = Perspective.OWN,
        proof: bool = False,
    ) -> AsyncGenerator[MatchEventItem, None]:
        context = info.context
        match_id, place = await match_id_of(context, match), _place(context, after)
        is_full = perspective is Perspective.FULL
        feed = await opened(context, match_id, place, full=is_full, proof=proof)
        return _events(context, feed)

    @strawberry.subscription(
        description="What your seat is asked, now if the match is past version `after`, and "
        "whenever it changes. What was answered meanwhile is left out. Ends with the match."
    )
    async def decisions(self, info: Info, after: int = 0) -> AsyncGenerator[SeatDecision, None]:
        context = info.context
        caller = await context.caller()
        match_id = await queries.held_match(context.parts, caller)
        feed = await opened(context, match_id, _place(context, after), full=False, proof=False)
        return _decisions(context, feed)


async def _events(context: Context, feed: Feed) -> AsyncGenerator[Any, None]:
    types = await types_of(context, feed.match_id)
    current, _ = await context.view(feed.match_id)
    is_behind = feed.after < current.version
    caught_up = CaughtUp(version=current.version, head=current.head.hex())
    if not is_behind:
        yield caught_up
    async for entries in live.follow(context.parts, feed):
        for entry in entries:
            yield Event(content=Content(entry, feed, types))
            if is_behind and entry.version >= current.version:
                is_behind = False
                yield caught_up


async def _decisions(context: Context, feed: Feed) -> AsyncGenerator[SeatDecision, None]:
    """Again under the same id when what is offered has changed under it."""
    last = None
    async for shown in live.decisions(context.parts, feed):
        own = shown.decision
        if own is None or own.id is None or own == last:
            continue
        is_new = last is not None or shown.version > feed.after
        last = own
        if is_new:
            yield SeatDecision(shown=shown)


def _place(context: Context, after: int) -> int:
    """Where to go on: Last-Event-ID, which a browser sends by itself, before the argument."""
    place = after if context.resume is None else context.resume
    if place < 0:
        raise ParameterInvalid(Fault("after", "out-of-range", "is not a version"))
    return place
