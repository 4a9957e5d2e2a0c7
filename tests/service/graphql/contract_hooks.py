"""What Schemathesis needs to know of the GraphQL door to get past the first refusal.

Loaded by its command (SCHEMATHESIS_HOOKS). Well-formed operations get what no generator can guess:
a match that is there, the token of a seat of it, a legal move out of what is on offer. Ill-formed
ones stay as they are. A refusal that the table of errors knows is an answer, not a failure of the
server.
"""

from __future__ import annotations

import os
from random import Random
from typing import Any

import graphql
import httpx
import schemathesis
from hypothesis import strategies as st
from schemathesis import Case, CheckContext, GenerationMode, HookContext, Response
from schemathesis.core.failures import Failure
from schemathesis.graphql import nodes
from schemathesis.graphql.checks import GraphQLClientError, GraphQLServerError

from service.errors import ROWS
from service.graphql.ids import MATCH, node_id
from tests.service.client import random_move
from tests.waiting import PATIENCE

KEY = os.environ["CONTRACT_KEY"]
GAMES = {"high_card": 2, "ambition_tricks": 4}  # and their seats
SEATED = {"decision", "moves", "playMove", "validateMove", "resign"}
USES = 40  # of one match before there is a new one
SHARE = 0.8  # of the well-formed operations that are about a match that is there
STATUSES = {row.graphql: row.status for row in ROWS.values()}
INVALID, TOO_LARGE = "GRAPHQL_INVALID", "GRAPHQL_TOO_LARGE"

HTTP = httpx.Client(base_url=os.environ["CONTRACT_ADDRESS"], timeout=PATIENCE)
RNG = Random(1)
TOKENS: dict[str, dict[int, str]] = {}  # of seats, by match
POOL: list[str] = []
USED = [0]

_TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=8)
_PICKS = st.one_of(
    _TEXTS.map(nodes.String), st.integers(-9, 99).map(nodes.Int), st.booleans().map(nodes.Boolean)
)
_VALUES = st.recursive(
    st.one_of(_PICKS, st.just(nodes.Null)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(nodes.List),
        st.dictionaries(st.from_regex(r"[a-z]{1,8}", fullmatch=True), inner, max_size=3).map(
            lambda members: object_of(members)
        ),
    ),
    max_leaves=6,
)
schemathesis.graphql.scalar("Pick", _PICKS)
# Where there may be null, the generator makes it of its own.
schemathesis.graphql.scalar("JSON", _VALUES.filter(lambda node: node is not nodes.Null))
schemathesis.graphql.scalar("Milliseconds", st.integers(0, 2**50).map(nodes.Int))
schemathesis.graphql.scalar("WholeNumber", st.integers(-(2**50), 2**50).map(nodes.Int))


@schemathesis.hook
def before_call(ctx: HookContext, case: Case[Any], kwargs: Any) -> None:
    """A match that is there, most of the time, asked about by whom it concerns."""
    case.headers["Authorization"] = f"Bearer {KEY}"
    case.headers["Accept"] = "application/graphql-response+json"
    if case.meta is None or case.meta.generation.mode != GenerationMode.POSITIVE:
        return
    if not isinstance(case.body, str) or RNG.random() > SHARE:
        return
    name, match_id = case.operation.definition.field_name, some_match()
    given: dict[str, Any] = {}
    if name in SEATED:
        seat, token = RNG.choice(list(TOKENS[match_id].items()))
        case.headers["Authorization"] = f"Bearer {token}"
        given = {"seat": seat}
        if name in ("playMove", "validateMove"):
            given = legal(token, match_id) or given
    elif name == "createMatch":
        given = {"game": "high_card", "seats": 2, "options": None, "optionsJson": None}
        given |= {"accounts": None, "externalId": None, "rulesVersion": None}
    elif name in ("issueSeatToken", "revokeSeatTokens", "claimSeat", "releaseSeat"):
        match_id = new_match(claimed=RNG.random() < 0.5)
        given = {"seat": 0, "account": None}
    elif name in ("start", "cancel"):
        match_id = new_match(claimed=False)
    document = graphql.parse(case.body)
    case.body = graphql.print_ast(graphql.visit(document, Filling(match_id, given)))


class Filling(graphql.Visitor):
    """Puts what was found into the arguments of an operation."""

    def __init__(self, match_id: str, given: dict[str, Any]) -> None:
        super().__init__()
        self._ref = node_of({"id": node_id(MATCH, match_id)})
        self._given = given

    def leave_argument(self, node: graphql.ArgumentNode, *_: Any) -> Any:
        match node.name.value:
            case "match":
                return graphql.ArgumentNode(name=node.name, value=self._ref)
            case "first":
                size = nodes.Int(RNG.randint(1, 3))
                return graphql.ArgumentNode(name=node.name, value=size)
            case "after":
                return graphql.REMOVE
            case "at":
                return graphql.ArgumentNode(name=node.name, value=nodes.Int(RNG.randint(0, 3)))
            case "input" if isinstance(node.value, graphql.ObjectValueNode):
                return graphql.ArgumentNode(name=node.name, value=self._filled(node.value))
        return None

    def _filled(self, node: graphql.ObjectValueNode) -> graphql.ObjectValueNode:
        members = {each.name.value: each.value for each in node.fields}
        if "match" in members:
            members["match"] = self._ref
        members.pop("idempotencyKey", None)
        for name, value in self._given.items():
            if value is None:
                members.pop(name, None)
            elif name != "seat" or name in members:
                members[name] = node_of(value)
        return object_of(members)


@schemathesis.hook
def filter_failure(ctx: HookContext, failure: Failure, case: Case[Any], response: Response) -> bool:
    """False for what is right: a documented refusal, a limit, null in a @oneOf input."""
    match failure:
        case GraphQLServerError(errors=errors):
            return not all(is_refusal(each) for each in errors)
        case GraphQLClientError(errors=errors):
            return not all(is_refusal(each) or is_beyond_shape(each) for each in errors)
    return True


@schemathesis.check
def errors_are_documented(ctx: CheckContext, response: Response, case: Case[Any]) -> None:
    """Each error has a code of the table, with the status the table gives it, below 500."""
    for each in response.json().get("errors", ()):
        told = each["extensions"]
        assert STATUSES.get(told["code"]) == told["status"], each
        assert told["status"] < 500, each


@schemathesis.check
def the_status_tells(ctx: CheckContext, response: Response, case: Case[Any]) -> None:
    """By the GraphQL-over-HTTP draft: 200 whole, 294 in part, 4xx if nothing was run."""
    told = response.json()
    if "errors" not in told:
        assert response.status_code == 200, response.status_code
    elif told.get("data") is not None:
        assert response.status_code == 294, response.status_code
    elif "data" not in told:
        assert 400 <= response.status_code < 500, response.status_code
    assert response.headers["content-type"][0].startswith("application/graphql-response+json")


def is_refusal(error: Any) -> bool:
    code = error["extensions"]["code"]
    return code != INVALID and STATUSES.get(code, 500) < 500


def is_beyond_shape(error: Any) -> bool:
    """What the generator does not know of: exactly one member of a @oneOf input, and not null."""
    return error["extensions"]["code"] == INVALID and (
        "must be non-null" in error["message"] or "OneOf" in error["message"]
    )


def node_of(value: Any) -> graphql.ValueNode:
    """A JSON value, or a node already, as it is written in a document."""
    match value:
        case graphql.ValueNode():
            return value
        case None:
            return nodes.Null
        case bool():
            return nodes.Boolean(value)
        case int():
            return nodes.Int(value)
        case float():
            return nodes.Float(value)
        case str():
            return nodes.String(value)
        case list():
            return nodes.List([node_of(each) for each in value])
    return object_of({name: node_of(each) for name, each in value.items()})


def object_of(members: dict[str, graphql.ValueNode]) -> graphql.ObjectValueNode:
    return graphql.ObjectValueNode(
        fields=tuple(
            graphql.ObjectFieldNode(name=graphql.NameNode(value=name), value=value)
            for name, value in members.items()
        )
    )


def some_match() -> str:
    if not POOL or USED[0] >= USES:
        USED[0] = 0
        POOL[:] = [new_match(claimed=True)]
    USED[0] += 1
    return POOL[0]


def new_match(*, claimed: bool) -> str:
    headers = {"Authorization": f"Bearer {KEY}"}
    game, seats = RNG.choice(list(GAMES.items()))
    body = {"game": game, "seats": seats}
    match_id: str = HTTP.post("/v1/matches", json=body, headers=headers).json()["match_id"]
    for seat in range(seats if claimed else 0):
        told = HTTP.post(f"/v1/matches/{match_id}/seats/{seat}/claim", headers=headers).json()
        TOKENS.setdefault(match_id, {})[seat] = told["token"]
    return match_id


def legal(token: str, match_id: str) -> dict[str, Any] | None:
    """A move for this seat, if it is asked."""
    own = {"Authorization": f"Bearer {token}"}
    got = HTTP.get(f"/v1/matches/{match_id}/decision", headers=own)
    decision = got.json().get("decision") if got.status_code == 200 else None
    if decision is None or decision["id"] is None:
        return None
    move = random_move(decision["offers"], RNG)
    return {"decision": decision["id"], "move": None, "moveJson": move}
