"""The mutations: each does what its REST address does and tells refusals as data."""

from collections.abc import Callable
from typing import Any, Final

import msgspec
import strawberry

from events.canonical import canonical
from service import arrangements, commands, ending, founding, making
from service.commands import Play
from service.errors import Fault, Invalid
from service.graphql import clocks, draws, sandbox, standing_in
from service.graphql.appointing import APPOINTING
from service.graphql.arguments import UNSET, body_of, key_of, or_none, seat_of
from service.graphql.batches import CreateBatchInput, CreateBatchPayload, create_batch
from service.graphql.context import Context, Info
from service.graphql.deal_groups import created, group_id_of, group_of
from service.graphql.directing import DIRECTING
from service.graphql.disputing import RESOLVERS, done_of
from service.graphql.erasing import ERASING
from service.graphql.evidence import ContributeEntropyInput, signed_of
from service.graphql.generated_inputs import chosen
from service.graphql.ids import about, match_id_of
from service.graphql.matches import match_of
from service.graphql.payloads import (
    CancelPayload,
    ClaimSeatInput,
    ClaimSeatPayload,
    CloseDealGroupInput,
    CloseDealGroupPayload,
    ContributeEntropyPayload,
    CreateDealGroupPayload,
    CreateMatchPayload,
    IssueSeatTokenPayload,
    MatchInput,
    PlayMovePayload,
    ReleaseSeatPayload,
    ResignInput,
    ResignPayload,
    RevokeSeatTokensPayload,
    SeatInput,
    SeatTokenInput,
    StartPayload,
    ValidateMovePayload,
    inputs_of,
    result_of,
)
from service.graphql.problems import told
from service.graphql.series import (
    CancelSeriesInput,
    CancelSeriesPayload,
    CreateSeriesInput,
    CreateSeriesPayload,
    cancel_series,
    create_series,
)
from service.graphql.watching import (
    IssueSpectatorTokenInput,
    IssueSpectatorTokenPayload,
    RevokeSpectatorTokenInput,
    RevokeSpectatorTokenPayload,
    issue_spectator_token,
    revoke_spectator_token,
)
from service.http import Answer
from service.repeating import once
from service.rest.bodies import GroupBody
from service.rest.creating import made_once
from service.rest.inputs import ClaimBody, EntropyBody, MatchBody, MoveBody
from service.rest.seats import contribution

_ROUTE: Final = "graphql createMatch"
_GROUP_ROUTE: Final = "graphql createDealGroup"


def mutation_of(move_input: Any, options_input: Any) -> Any:
    """The mutations, for the inputs of the games there are."""
    made = inputs_of(move_input, options_input)
    resolvers: dict[str, tuple[Callable[..., Any], Any, Any]] = {
        "create_match": (create_match, made["create"], CreateMatchPayload),
        "create_batch": (create_batch, CreateBatchInput, CreateBatchPayload),
        "create_series": (create_series, CreateSeriesInput, CreateSeriesPayload),
        "cancel_series": (cancel_series, CancelSeriesInput, CancelSeriesPayload),
        **DIRECTING,
        "create_deal_group": (create_deal_group, made["group"], CreateDealGroupPayload),
        "close_deal_group": (close_deal_group, CloseDealGroupInput, CloseDealGroupPayload),
        "claim_seat": (claim_seat, ClaimSeatInput, ClaimSeatPayload),
        "release_seat": (release_seat, SeatInput, ReleaseSeatPayload),
        "start": (start, MatchInput, StartPayload),
        "cancel": (cancel, MatchInput, CancelPayload),
        "resign": (resign, ResignInput, ResignPayload),
        "contribute_entropy": (
            contribute_entropy,
            ContributeEntropyInput,
            ContributeEntropyPayload,
        ),
        "issue_seat_token": (issue_seat_token, SeatInput, IssueSeatTokenPayload),
        "revoke_seat_tokens": (revoke_seat_tokens, SeatTokenInput, RevokeSeatTokensPayload),
        "issue_spectator_token": (
            issue_spectator_token,
            IssueSpectatorTokenInput,
            IssueSpectatorTokenPayload,
        ),
        "revoke_spectator_token": (
            revoke_spectator_token,
            RevokeSpectatorTokenInput,
            RevokeSpectatorTokenPayload,
        ),
        "play_move": (play_move, made["play"], PlayMovePayload),
        "validate_move": (validate_move, made["play"], ValidateMovePayload),
        **RESOLVERS,
        **clocks.RESOLVERS,
        **sandbox.RESOLVERS,
        **standing_in.RESOLVERS,
        **draws.RESOLVERS,
        **ERASING,
        **APPOINTING,
    }
    namespace: dict[str, Any] = {"__annotations__": {}, "__module__": __name__}
    for name, (work, given, payload) in resolvers.items():
        namespace[name] = strawberry.mutation(_resolver(name, work, given, result_of(payload)))
    return strawberry.type(type("Mutation", (), namespace), name="Mutation")


def _resolver(name: str, work: Callable[..., Any], given: Any, result: Any) -> Any:
    async def resolve(info: Info, input: Any) -> Any:
        # What an earlier mutation of the request loaded is not how things are after this one.
        info.context.forget()
        return await told(work(info.context, input))

    resolve.__name__ = name
    resolve.__annotations__ |= {"input": given, "return": result}
    return resolve


async def create_match(context: Context, given: Any) -> CreateMatchPayload:
    caller = await context.caller()
    body = body_of(
        MatchBody,
        game=given.game,
        seats=given.seats,
        rules_version=given.rules_version,
        options=_options(given),
        start=given.start.value,
        external_id=given.external_id,
        accounts=given.accounts,
        entropy=given.entropy,
        reveal_by=given.reveal_by,
        reveal_after_seconds=given.reveal_after_seconds,
        clock=given.clock,
        schedule=given.schedule,
        agreed_draw=given.agreed_draw,
    )
    key = key_of(given)

    async def make(match_id: str | None) -> Answer:
        made = await arrangements.create_match(context.parts, caller, body.wanted, match_id)
        return Answer(201, made.encode())

    asked = canonical(msgspec.to_builtins(body))
    answer = await once(context.parts, caller, making.RIGHT, _ROUTE, key, asked, make)
    match_id = answer.body.decode()
    await context.created(match_id)
    return CreateMatchPayload(match=match_of(match_id))


async def create_deal_group(context: Context, given: Any) -> CreateDealGroupPayload:
    caller = await context.caller()
    names = ("game", "seats", "tables", "closes_at", "rules_version", "external_id", "clock")
    fields = {name: getattr(given, name) for name in names}
    enums = {"closing": given.closing.value, "start": given.start.value}
    body = body_of(GroupBody, **fields, **enums, options=_options(given))
    key = key_of(given)

    async def make(group_id: str | None) -> Answer:
        made = await founding.create_group(context.parts, caller, body.wanted, group_id)
        return Answer(201, made.encode())

    asked = canonical(msgspec.to_builtins(body))
    answer = await once(context.parts, caller, making.RIGHT, _GROUP_ROUTE, key, asked, make)
    return CreateDealGroupPayload(group=await created(context, answer.body.decode()))


async def close_deal_group(context: Context, given: CloseDealGroupInput) -> CloseDealGroupPayload:
    group_id = await group_id_of(context, given.group)
    await ending.close_group(context.parts, await context.caller(), group_id)
    return CloseDealGroupPayload(group=await group_of(context, group_id))


async def claim_seat(context: Context, given: ClaimSeatInput) -> ClaimSeatPayload:
    caller, match_id = await about(context, given.match)
    body = body_of(ClaimBody, account=given.account, key=given.key)
    key, seat = key_of(given), seat_of(given)
    claimed = await arrangements.claim_seat(
        context.parts, caller, match_id, seat, body.account, key, body.key
    )
    if caller.user is not None:
        # It holds a seat from now on, also for what is asked about the match in its payload.
        await context.visitor.again()
    return ClaimSeatPayload(**done_of(match_id, claimed.done), seat=seat, token=claimed.token)


async def release_seat(context: Context, given: SeatInput) -> ReleaseSeatPayload:
    caller, match_id = await about(context, given.match)
    key, seat = key_of(given), seat_of(given)
    done = await arrangements.release_seat(context.parts, caller, match_id, seat, key)
    return ReleaseSeatPayload(**done_of(match_id, done), seat=seat)


async def start(context: Context, given: MatchInput) -> StartPayload:
    caller, match_id = await about(context, given.match)
    done = await arrangements.start_match(context.parts, caller, match_id, key_of(given))
    return StartPayload(**done_of(match_id, done))


async def cancel(context: Context, given: MatchInput) -> CancelPayload:
    caller, match_id = await about(context, given.match)
    done = await arrangements.cancel_match(context.parts, caller, match_id, key_of(given))
    return CancelPayload(**done_of(match_id, done))


async def resign(context: Context, given: ResignInput) -> ResignPayload:
    caller, match_id = await about(context, given.match)
    key, seat = key_of(given), seat_of(given)
    signed = signed_of(given)
    done = await arrangements.resign(context.parts, caller, match_id, seat, key, signed)
    return ResignPayload(**done_of(match_id, done), seat=seat)


async def contribute_entropy(
    context: Context, given: ContributeEntropyInput
) -> ContributeEntropyPayload:
    caller, match_id = await about(context, given.match)
    seat = seat_of(given)
    opening = UNSET if given.opening is None else given.opening
    body = body_of(EntropyBody, commitment=given.commitment, opening=opening)
    command = contribution(seat, body)
    done = await arrangements.contribute(context.parts, caller, match_id, command)
    return ContributeEntropyPayload(**done_of(match_id, done), seat=seat)


async def issue_seat_token(context: Context, given: SeatInput) -> IssueSeatTokenPayload:
    caller, match_id = await about(context, given.match)
    seat, parts = seat_of(given), context.parts

    async def make() -> Answer:
        token = await arrangements.issue_token(parts, caller, match_id, seat)
        return Answer(201, msgspec.json.encode({"token": token}))

    route = f"graphql issueSeatToken {match_id} {seat}"
    right = arrangements.right_to_issue(match_id)
    answer = await made_once(parts, caller, right, route, key_of(given), None, make)
    token = msgspec.json.decode(answer.body)["token"]
    return IssueSeatTokenPayload(match=match_of(match_id), seat=seat, token=token)


async def revoke_seat_tokens(context: Context, given: SeatTokenInput) -> RevokeSeatTokensPayload:
    caller, match_id = await about(context, given.match)
    seat = seat_of(given)
    await arrangements.revoke_tokens(context.parts, caller, match_id, seat)
    return RevokeSeatTokensPayload(match=match_of(match_id), seat=seat)


async def play_move(context: Context, given: Any) -> PlayMovePayload:
    play = await _play(context, given)
    caller = await context.caller(play.match_id)
    return PlayMovePayload(
        **done_of(play.match_id, await commands.play_move(context.parts, caller, play))
    )


async def validate_move(context: Context, given: Any) -> ValidateMovePayload:
    play = await _play(context, given)
    caller = await context.caller(play.match_id)
    move = msgspec.json.decode(await commands.validate_move(context.parts, caller, play))
    current, _ = await context.view(play.match_id)
    types = context.types_of(current.game)
    shown: Any = None if types is None else types.shown_move(move)
    return ValidateMovePayload(match=match_of(play.match_id), move=shown, move_json=move)


async def _play(context: Context, given: Any) -> Play:
    match_id = await match_id_of(context, given.match)
    body = body_of(MoveBody, decision=or_none(given.decision), move=_move(given))
    key = key_of(given) if body.decision is None else None
    return Play(match_id, body.decision, body.move, key, signed_of(given), context.arrived)


def _move(given: Any) -> Any:
    """Raises: Invalid unless the move is given in one of the two ways."""
    typed, plain = given.move or None, given.move_json
    if (typed is None) == (plain is UNSET or plain is None):
        raise Invalid(Fault("/move", "wrong-shape", "give either move or moveJson"))
    return plain if typed is None else chosen(typed)[1]


def _options(given: Any) -> Any:
    """Raises: Invalid if options are given twice, or those of another game."""
    typed, plain = given.options or None, given.options_json
    if typed is None:
        return {} if plain is UNSET or plain is None else plain
    if plain is not UNSET and plain is not None:
        raise Invalid(Fault("/options", "wrong-shape", "give either options or optionsJson"))
    slug, options = chosen(typed)
    if slug != given.game:
        raise Invalid(Fault("/options", "wrong-shape", "are options of another game"))
    return options
