"""The shapes of answers the REST door puts together from parts; they exist to be described.

What is encoded from a struct as it stands is described by that struct. Tests validate every answer
against these shapes, so they can't drift.
"""

from typing import Annotated, Any, Literal, TypeAlias

import msgspec
from msgspec import Meta

from events.evidence import Evidence
from events.proof import Proof
from projections.matches import MatchSummary
from projections.projection import SeatLine
from service.arbiters import Arbiter
from service.batches.viewing import BatchMatch, BatchSummary
from service.callers import Scope
from service.deal_groups import GroupSummary
from service.disputes import DisputeLine, TakebackLine
from service.draws import DrawLine
from service.errors import Row
from service.issuers import Issuer
from service.keyring import Key, Org
from service.platforms.managing import PlatformConnection, PlatformLink
from service.player_page import Link
from service.queries import Listed
from service.series.viewing import SeriesSummary
from service.spectating import Spectator
from service.webhooks.managing import Webhook, WebhookDelivery


def _authored(name: str) -> Meta:
    """A JSON value whose schema is written by hand in openapi.yaml."""
    return Meta(extra_json_schema={"$ref": f"#/components/schemas/{name}"})


Move = Annotated[dict[str, Any], _authored("Move")]
SeenMove = Annotated[dict[str, Any], _authored("SeenMove")]
JsonSchema = Annotated[dict[str, Any], _authored("JsonSchema")]
WebhookNews = Annotated[dict[str, Any], _authored("WebhookNews")]
JwkSet = Annotated[dict[str, Any], _authored("JwkSet")]
Pick: TypeAlias = str | int | bool
Least = Annotated[int, Meta(ge=0)]


class ChoiceField(msgspec.Struct, frozen=True):
    options: tuple[Pick, ...]
    least: Least
    most: Least
    ordered: bool
    repeats: bool
    list: bool


class TextLimit(msgspec.Struct, frozen=True):
    most: Annotated[int, Meta(ge=1)]


class TextField(msgspec.Struct, frozen=True):
    text: TextLimit


class NumberField(msgspec.Struct, frozen=True):
    low: int
    high: int


class Offer(msgspec.Struct, frozen=True):
    type: str
    # A union of structs that no tag tells apart can be described, but not decoded.
    fields: dict[str, Annotated[dict[str, Any], _authored("OfferField")]]


class Limits(msgspec.Struct, frozen=True):
    body_bytes: int
    page_events: int
    long_poll_seconds: int


class KeyCaller(msgspec.Struct, frozen=True):
    kind: Literal["api_key"]
    org: str
    test: bool
    prefix: str
    scopes: tuple[Scope, ...]
    limits: Limits


class SeatCaller(msgspec.Struct, frozen=True):
    kind: Literal["seat_token"]
    match_id: str
    seat: int
    limits: Limits


class SpectatorCaller(msgspec.Struct, frozen=True):
    kind: Literal["spectator_token"]
    match_id: str
    delay_versions: int
    delay_seconds: int
    limits: Limits


class ArbiterCaller(msgspec.Struct, frozen=True):
    """`arbiter` is how the log of the match names whom the token was made for."""

    kind: Literal["arbiter_token"]
    match_id: str
    arbiter: str
    limits: Limits


class UserCaller(msgspec.Struct, frozen=True):
    kind: Literal["user"]
    match_id: str
    account: str
    seats: tuple[int, ...]
    listed: tuple[int, ...]
    expires_at: int
    limits: Limits


class KeyList(msgspec.Struct, frozen=True):
    keys: tuple[Key, ...]
    next: str | None


class IssuerList(msgspec.Struct, frozen=True):
    issuers: tuple[Issuer, ...]
    next: str | None


class WebhookList(msgspec.Struct, frozen=True):
    webhooks: tuple[Webhook, ...]
    next: str | None


class ConnectionList(msgspec.Struct, frozen=True):
    connections: tuple[PlatformConnection, ...]
    next: str | None


class LinkList(msgspec.Struct, frozen=True):
    links: tuple[PlatformLink, ...]
    next: str | None


class WebhookDeliveryList(msgspec.Struct, frozen=True):
    deliveries: tuple[WebhookDelivery, ...]
    next: str | None


class OrgList(msgspec.Struct, frozen=True):
    orgs: tuple[Org, ...]
    next: str | None


class SpectatorList(msgspec.Struct, frozen=True):
    match_id: str
    spectators: tuple[Spectator, ...]
    next: str | None


class ArbiterList(msgspec.Struct, frozen=True):
    match_id: str
    arbiters: tuple[Arbiter, ...]
    next: str | None


class GameLine(msgspec.Struct, frozen=True):
    slug: str
    name: str
    rules_version: int
    seats: tuple[int, ...]
    data_digest: str


class GameDetail(GameLine, frozen=True):
    options: JsonSchema
    moves: JsonSchema
    view: JsonSchema


class GameList(msgspec.Struct, frozen=True):
    games: tuple[GameLine, ...]


class MatchList(msgspec.Struct, frozen=True):
    matches: tuple[MatchSummary, ...]
    next: str | None


class BatchList(msgspec.Struct, frozen=True):
    batches: tuple[BatchSummary, ...]
    next: str | None


class BatchMatchList(msgspec.Struct, frozen=True):
    batch_id: str
    matches: tuple[BatchMatch, ...]
    next: str | None


class SeriesList(msgspec.Struct, frozen=True):
    series: tuple[SeriesSummary, ...]
    next: str | None


class DealGroupList(msgspec.Struct, frozen=True):
    deal_groups: tuple[GroupSummary, ...]
    next: str | None


class SeatList(msgspec.Struct, frozen=True):
    match_id: str
    seats: tuple[SeatLine, ...]


class ClaimedSeat(msgspec.Struct, frozen=True):
    match_id: str
    seat: int
    token: str | None
    first: int
    last: int
    head: str


class Opened(msgspec.Struct, frozen=True):
    """A takeback, a draw or a dispute that was asked for, offered or opened: `id` names it."""

    match_id: str
    id: int
    first: int
    last: int
    head: str


class TakebackState(msgspec.Struct, frozen=True):
    """The takeback that was last asked for, null if none was."""

    match_id: str
    takeback: TakebackLine | None


class DrawState(msgspec.Struct, frozen=True):
    """The draw that was last offered, null if none was."""

    match_id: str
    draw: DrawLine | None


class DisputeList(msgspec.Struct, frozen=True):
    """Every dispute of a match, the oldest first."""

    match_id: str
    disputes: tuple[DisputeLine, ...]


class RuledDispute(msgspec.Struct, frozen=True):
    """`token` plays a seat that was replaced; `replacement` is the id of the match to be played."""

    match_id: str
    dispute: int
    token: str | None
    replacement: str | None
    first: int
    last: int
    head: str


class EndedMatch(msgspec.Struct, frozen=True):
    """`replacement` is the id of the match to be played in place."""

    match_id: str
    replacement: str | None
    first: int
    last: int
    head: str


class SeatToken(msgspec.Struct, frozen=True):
    """`token` plays the seat, and `link` takes it to the player page."""

    match_id: str
    seat: int
    token: str | None
    link: Link | None = None


class ValidMove(msgspec.Struct, frozen=True):
    valid: Literal[True]
    move: Move


class MoveList(msgspec.Struct, frozen=True):
    match_id: str
    version: int
    decision: str | None
    moves: tuple[Listed, ...]
    count: int | None
    exact: bool
    next: str | None


class EventPage(msgspec.Struct, frozen=True):
    match_id: str
    events: tuple[Annotated[dict[str, Any], _authored("SeenOrLogged")], ...]
    after: int
    version: int
    head: str
    evidence: Evidence


class OpenedText(msgspec.Struct, frozen=True):
    text: str
    salt: str


class Attached(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is joined to an event outside of what the chain commits to."""

    texts: dict[str, OpenedText] = {}
    proof: Proof | None = None


class ProblemLine(Row, frozen=True, kw_only=True):
    type: str


class ProblemText(ProblemLine, frozen=True, kw_only=True):
    text: str


class ProblemList(msgspec.Struct, frozen=True):
    problems: tuple[ProblemLine, ...]


class Health(msgspec.Struct, frozen=True):
    status: Literal["ok", "degraded"]
