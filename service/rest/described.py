"""The JSON Schemas of the REST door, generated from the types its answers are made of."""

from collections.abc import Mapping
from functools import reduce
from operator import or_
from typing import Annotated, Any, Final, get_args

import msgspec
from msgspec import Meta

from events.types import Event, Observation, Outcome, PositionSet, Reveal
from games.core.game import AnyGame
from projections.learning import Learnt
from projections.projection import OwnDecision, Projection
from service import (
    arbiters,
    clock_bodies,
    comparing,
    errors,
    exporting,
    looking,
    proving,
    queries,
    results,
    schedule_bodies,
    spectating,
)
from service.batches import acting, viewing
from service.batches import bodies as batch_bodies
from service.batches.points import Scoring
from service.deal_groups import DealGroup
from service.forgetting import Forgotten
from service.receipts import MoveReceipt, Receipt
from service.refusing import Signed
from service.rest import (
    batches,
    bodies,
    connection_bodies,
    dispute_bodies,
    hook_bodies,
    inputs,
    keys,
    log,
    refusals,
    sandbox,
    shapes,
    webhooks,
)
from service.series import bodies as series_bodies
from service.series import viewing as series_viewing
from service.series.news import SeriesNews
from service.signed_moves import SeatSigned
from service.standings import Standings
from service.tickets import Ticket
from service.webhooks.messages import WebhookEvent
from service.webhooks.news import MatchNews
from service.webhooks.result_news import ResultNews

Json = dict[str, Any]

REF: Final = "#/components/schemas/"
_RENAMED: Final = {
    "Attempt": "DeliveryAttempt",
    "Done": "ActionOutcome",
    "EventType": "WebhookEventType",
    "Held": "ConnectionReason",
    "Listed": "ListedMove",
    "Reason": "WebhookReason",
    "Scheme": "SignatureScheme",
    "Signed": "SignedRefusal",
    "State": "DeliveryState",
    "Try": "ReportAttempt",
}
_LOGGED: Final = tuple(each for each in get_args(Event) if each is not PositionSet)
_ASKED: Final = (
    inputs.MoveBody,
    *get_args(clock_bodies.TimeBody),
    clock_bodies.ClockBody,
    clock_bodies.ExtendBody,
    clock_bodies.WindowBody,
    sandbox.EndBody,
    schedule_bodies.ScheduleBody,
    schedule_bodies.StandInBody,
    inputs.MatchBody,
    inputs.ClaimBody,
    inputs.EntropyBody,
    inputs.ResignBody,
    inputs.ErasureBody,
    inputs.AccountErasureBody,
    SeatSigned,
    dispute_bodies.AccountBody,
    dispute_bodies.AppealBody,
    dispute_bodies.DisputeBody,
    dispute_bodies.ReviewBody,
    dispute_bodies.RulingRequest,
    *get_args(dispute_bodies.RulingBody),
    batch_bodies.BatchBody,
    batch_bodies.BatchMatchBody,
    batch_bodies.ArbiterBody,
    batch_bodies.BatchDefaults,
    batch_bodies.MatchTerms,
    batch_bodies.SeatBody,
    series_bodies.EntrantBody,
    series_bodies.SeriesBody,
    batch_bodies.WatchBody,
    *get_args(Scoring),
    bodies.GroupBody,
    bodies.IssuerBody,
    bodies.IssuerChangeBody,
    bodies.KeyBody,
    bodies.KeyChangeBody,
    bodies.OrgBody,
    bodies.RotationBody,
    bodies.SpectatorBody,
    bodies.TicketBody,
    connection_bodies.ConnectionBody,
    connection_bodies.ConnectionChangeBody,
    connection_bodies.CredentialsBody,
    connection_bodies.LinkBody,
    hook_bodies.WebhookBody,
    hook_bodies.WebhookChangeBody,
)
_TOLD: Final = (
    acting.BatchAction,
    batches.CheckedBatch,
    exporting.FeedPage,
    results.MatchResult,
    results.ResultPage,
    log.StatementList,
    proving.LogConsistency,
    proving.LogDetail,
    refusals.RefusalList,
    Signed,
    errors.Problem,
    DealGroup,
    Standings,
    queries.MatchDetail,
    queries.SeatDecision,
    Projection,
    Receipt,
    MoveReceipt,
    Forgotten,
    Observation,
    arbiters.MadeArbiter,
    shapes.ArbiterCaller,
    shapes.ArbiterList,
    shapes.Attached,
    shapes.BatchList,
    shapes.BatchMatchList,
    shapes.ChoiceField,
    shapes.ClaimedSeat,
    shapes.DisputeList,
    shapes.DrawState,
    shapes.DealGroupList,
    shapes.EventPage,
    shapes.GameDetail,
    shapes.GameList,
    shapes.Health,
    shapes.IssuerList,
    shapes.KeyCaller,
    shapes.KeyList,
    shapes.MatchList,
    shapes.MoveList,
    shapes.NumberField,
    shapes.Offer,
    shapes.Opened,
    shapes.RuledDispute,
    shapes.EndedMatch,
    shapes.TakebackState,
    looking.InformationReport,
    looking.ReplayPage,
    comparing.Diff,
    shapes.ProblemList,
    shapes.ProblemText,
    shapes.SeatCaller,
    shapes.SeatList,
    shapes.SeatToken,
    shapes.SpectatorCaller,
    shapes.SpectatorList,
    shapes.OrgList,
    shapes.TextField,
    shapes.UserCaller,
    keys.MadeKey,
    keys.MadeOrg,
    spectating.MadeSpectator,
    Ticket,
    shapes.ValidMove,
    shapes.ConnectionList,
    shapes.LinkList,
    shapes.WebhookDeliveryList,
    shapes.WebhookList,
    webhooks.MadeWebhook,
    viewing.BatchStandings,
    viewing.MadeBatch,
    series_viewing.CurrentSeat,
    series_viewing.MadeSeries,
    shapes.SeriesList,
    SeriesNews,
    WebhookEvent,
    MatchNews,
    ResultNews,
)
# What fields hold that are typed as any JSON because they are passed on as bytes or built freely.
_HELD: Final[Mapping[str, Mapping[str, Any]]] = {
    "Problem": {"decision": OwnDecision, "evidence": Signed},
    "OwnDecision": {"offers": tuple[shapes.Offer, ...], "asides": tuple[shapes.Offer, ...]},
    "ListedMove": {"move": shapes.Move | None, "offer": shapes.Offer | None},
    "Evidence": {"payload": Json},
    "BatchBody": {
        "matches": Annotated[
            tuple[batch_bodies.BatchMatchBody, ...],
            Meta(min_length=1, max_length=batch_bodies.MOST_MATCHES),
        ],
        "defaults": batch_bodies.BatchDefaults,
    },
    "SeriesBody": {"match": batch_bodies.MatchTerms},
    "BatchMatch": {"result": Outcome | None},
    "WebhookEvent": {"data": shapes.WebhookNews | None},
    "KeptRefusal": {"move": shapes.Move | None},
    "LogStatement": {"statement": Json},
    "MatchSummary": {"result": Outcome | None},
    "DealGroup": {"options": Json},
    "MatchDetail": {"result": Outcome | None, "options": Json},
    "Projection": {"view": Json | None},
    "Observation": {"move": shapes.SeenMove | None, "data": Json},
    "MoveBody": {"move": shapes.Move},
    "Reveal": {"move": shapes.Move},
    "MatchCreated": {"options": Json},
    "WebhookDelivery": {"payload": WebhookEvent},
    "Issuer": {"jwks": shapes.JwkSet | None},
    "MovePlayed": {"move": shapes.Move},
    "ForceMoveRuling": {"move": shapes.Move},
    "Learnt": {"move": shapes.SeenMove, "news": Json},
    "ReplayStep": {"event": Observation, "view": Json | None},
}
# Of these members exactly one is given.
_EITHER: Final[Mapping[str, tuple[str, str]]] = {
    "ClockBody": ("time", "times"),
    "EntropyBody": ("commitment", "opening"),
    "RewindRuling": ("to", "boundary"),
}
# These leave out what has its default value; all others always hold every field.
_SPARSE: Final = frozenset(
    each.__name__
    for each in (errors.Problem, Observation, Learnt, Reveal, shapes.Attached, *_LOGGED)
)


def schemas() -> dict[str, Json]:
    """The component schemas by name."""
    asked = {each.__name__ for each in _ASKED}
    found = _components((*_TOLD, *_ASKED, *_LOGGED))
    found["LoggedEvent"] = _schema(reduce(or_, _LOGGED))
    for name, fields in _HELD.items():
        for field, kind in fields.items():
            found[name]["properties"][field] = _schema(kind)
    for name in ("Observation", *(each.__name__ for each in _LOGGED)):
        found[name]["properties"].update(found["Attached"]["properties"])
    for name, members in _EITHER.items():
        found[name]["oneOf"] = [{"required": [member]} for member in members]
    for name, schema in found.items():
        if name not in asked:
            _as_told(schema)
    del found["Attached"]
    return dict(sorted(found.items()))


def game_schemas(game: AnyGame) -> Json:
    return queries.game_detail(game)


def _components(types: Any) -> dict[str, Json]:
    _, found = msgspec.json.schema_components(types, ref_template=REF + "{name}")
    named = {_RENAMED.get(name, name): _plain(schema) for name, schema in found.items()}
    # Generated clients name their types after titles.
    return {name: {**schema, "title": name} for name, schema in named.items()}


def _schema(kind: Any) -> Any:
    (schema,), _ = msgspec.json.schema_components([kind], ref_template=REF + "{name}")
    return _plain(schema)


def _plain(schema: Any) -> Any:
    """With new names in references, which stand alone, and one value of a literal as `const`."""
    match schema:
        case {"$ref": str(target)}:
            name = target.removeprefix(REF)
            return {"$ref": REF + _RENAMED.get(name, name)}
        case {"enum": [only], **rest}:
            return {**_plain(rest), "type": _type_of(only), "const": only}
        case {"enum": [*values], **rest}:
            return {**_plain(rest), "type": _type_of(values[0]), "enum": values}
        case {"prefixItems": [first, *others], "items": False, **rest} if set(map(str, others)) <= {
            str(first)
        }:  # Generators know lists of a fixed length, and no `items` that is not a schema.
            return {**_plain(rest), "items": _plain(first)}
        case dict():
            return {name: _plain(value) for name, value in schema.items()}
        case str() if schema.endswith(r"\Z"):  # A pattern: Python's `$` lets a line end follow.
            return schema.removesuffix(r"\Z") + "$"
        case list():
            return [_plain(each) for each in schema]
        case _:
            return schema


def _type_of(value: object) -> str:
    return {str: "string", int: "integer", bool: "boolean"}[type(value)]


def _as_told(schema: Json) -> None:
    """An answer's: what it always holds is required, and nothing is filled in by a reader."""
    fields = schema.get("properties", {})
    if fields and schema["title"] not in _SPARSE:
        schema["required"] = list(fields)
    for field in fields.values():
        field.pop("default", None)
