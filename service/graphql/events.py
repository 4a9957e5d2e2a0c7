"""Events of a match as the caller saw them, one by one and in pages."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any, cast

import msgspec
import strawberry

from games.core.game import AnyGame
from projections.history import Entry
from service import live
from service.errors import Fault, ParameterInvalid
from service.graphql.context import Context
from service.graphql.enums import By
from service.graphql.evidence import Evidence
from service.graphql.generated import GameTypes, Move
from service.graphql.ids import PageInfo, checked_first, page_info
from service.graphql.scalars import JSON, Milliseconds
from service.live import Feed

Types = Mapping[AnyGame, GameTypes]


@strawberry.type(description="An earlier sealed answer that this event opens.")
class Reveal:
    seat: int
    decision: str | None
    move: Move | None
    move_json: JSON
    salt: str | None


class Content:
    """One event and what is needed to show it: the same for all who see it as `viewer`."""

    def __init__(self, entry: Entry, feed: Feed, types: GameTypes | None) -> None:
        self.entry = entry
        self.key = (feed.match_id, entry.version, feed.viewer, feed.proof)
        self.types = types

    @cached_property
    def body(self) -> dict[str, Any]:
        decoded: dict[str, Any] = msgspec.json.decode(self.entry.body)
        return decoded

    def move(self, wire: Any) -> Any:
        return None if wire is None or self.types is None else self.types.shown_move(wire)


@strawberry.type(
    description="One event as you saw it. Events are never changed; `json` is what REST shows."
)
class Event:
    content: strawberry.Private[Content]

    @strawberry.field
    def match_id(self) -> str:
        return self.content.key[0]

    @strawberry.field
    def version(self) -> int:
        return self.content.entry.version

    @strawberry.field(description="As in `json`: later releases have more of them.")
    def kind(self) -> str:
        return str(self.content.body["kind"])

    @strawberry.field
    def at(self) -> Milliseconds:
        return int(self.content.body["at"])

    @strawberry.field(description="The seats that are newly asked.")
    def asks(self) -> list[int]:
        return list(self.content.body.get("asks", ()))

    @strawberry.field
    def seat(self) -> int | None:
        return self.content.body.get("seat")

    @strawberry.field
    def decision(self) -> str | None:
        return self.content.body.get("decision")

    @strawberry.field
    def by(self) -> By | None:
        return self.content.body.get("by")

    @strawberry.field(description="When a seat's answer came in, where there are clocks.")
    def arrived(self) -> Milliseconds | None:
        return self.content.body.get("arrived")

    @strawberry.field
    def label(self) -> str | None:
        return self.content.body.get("label")

    @strawberry.field(description="Null if not even its type is shown to you.")
    def move(self) -> Move | None:
        shown: Move | None = self.content.move(self.content.body.get("move"))
        return shown

    @strawberry.field
    def move_json(self) -> JSON | None:
        return self.content.body.get("move")

    @strawberry.field
    def sealed(self) -> str | None:
        return self.content.body.get("sealed")

    @strawberry.field
    def reveals(self) -> list[Reveal]:
        return [
            Reveal(
                seat=each["seat"],
                decision=each.get("decision"),
                move=self.content.move(each["move"]),
                move_json=each["move"],
                salt=each.get("salt"),
            )
            for each in self.content.body.get("reveals", ())
        ]

    @strawberry.field(description="The public content of an event that is no step of the game.")
    def data_json(self) -> JSON | None:
        return self.content.body.get("data")

    @strawberry.field
    def json(self) -> JSON:
        return msgspec.Raw(self.content.entry.body)


@strawberry.type
class EventEdge:
    cursor: str
    node: Event


@strawberry.type(description="A page of events, and where the match was when it was read.")
class EventConnection:
    edges: list[EventEdge]
    page_info: PageInfo
    version: int
    head: str
    evidence: Evidence = strawberry.field(description="Signs `version` and `head`.")


async def event_page(
    context: Context, match_id: str, first: int, after: str | None, *, full: bool, proof: bool
) -> EventConnection:
    """Raises: NoCredentials, MatchNotFound, NotRevealed, ParameterInvalid."""
    place, limit = version_in(after), checked_first(first)
    feed = await opened(context, match_id, place, full=full, proof=proof)
    page = await live.page(context.parts, feed, limit)
    types = await types_of(context, match_id)
    nodes = [Event(content=Content(each, feed, types)) for each in page.entries]
    edges = [EventEdge(cursor=str(each.content.entry.version), node=each) for each in nodes]
    last = page.entries[-1].version if page.entries else place
    info = page_info(
        [each.cursor for each in edges], has_next=last < page.version, has_previous=place > 0
    )
    signed = context.parts.notary.head(match_id, page.version, page.head)
    return EventConnection(
        edges=edges,
        page_info=info,
        version=page.version,
        head=page.head,
        evidence=cast(Evidence, signed),
    )


async def opened(context: Context, match_id: str, after: int, *, full: bool, proof: bool) -> Feed:
    """Raises: NoCredentials, MatchNotFound, NotRevealed."""
    caller = await context.caller(match_id)
    return await live.open_feed(context.parts, caller, match_id, after, full=full, proof=proof)


async def types_of(context: Context, match_id: str) -> GameTypes | None:
    """The types of the match's game; None if it is played by older rules."""
    current, _ = await context.view(match_id)
    return context.types_of(current.game)


def version_in(cursor: str | None) -> int:
    """An event's cursor is its version. Raises: ParameterInvalid."""
    if cursor is None:
        return 0
    if not (cursor.isascii() and cursor.isdigit() and len(cursor) <= 16):
        raise ParameterInvalid(Fault("after", "not-a-number", "is not a version"))
    return int(cursor)
