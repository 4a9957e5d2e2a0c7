"""A request for every door that takes an Idempotency-Key, that can be made as things are.

The doors are those of the documents: one that nobody gave a request here is missing in both tests.
"""

import re
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from graphql import (
    GraphQLInputObjectType,
    GraphQLObjectType,
    GraphQLSchema,
    build_schema,
    get_named_type,
    is_leaf_type,
)

from service import contract
from service.graphql.ids import BATCH, node_id
from tests.service.batching import batched
from tests.service.client import Table
from tests.service.clocking import PER_MOVE, passed, served_anew
from tests.service.conftest import GAME, Door
from tests.service.contract_checks import METHODS
from tests.service.graphql.asking import ref
from tests.service.grouping import HOUR
from tests.service.positions import choosing
from tests.service.test_disputes import opened, reviewed, ruled
from tests.service.test_draws import offered
from tests.service.test_schedules import claimed, due, scheduled

Json = dict[str, Any]

FAR = 1_700_000_000_000 + 1_000 * HOUR
ENTRANTS = [{"external_id": "ada"}, {"external_id": "bob"}]
# What an organisation makes: the body, and another one.
MADE: dict[str, tuple[Json, Json]] = {
    "createMatch": ({"game": GAME, "seats": 3}, {"game": GAME, "seats": 2}),
    "createBatch": (
        {
            "defaults": {"game": GAME, "arbiters": [{"external_id": "referee"}]},
            "matches": [{"seats": ENTRANTS}],
            "spectators": {},
        },
        {"defaults": {"game": GAME}, "matches": [{"seats": ENTRANTS}]},
    ),
    "createSeries": (
        {"entrants": ENTRANTS, "games": 3, "match": {"game": GAME}},
        {"entrants": ENTRANTS, "games": 5, "match": {"game": GAME}},
    ),
    "createDealGroup": (
        {
            "game": GAME,
            "seats": 2,
            "tables": [["ada", "bob"], ["cyd", "dan"]],
            "closes_at": FAR,
            "closing": "cancel",
        },
        {
            "game": GAME,
            "seats": 2,
            "tables": [["ada", "bob"]],
            "closes_at": FAR,
            "closing": "cancel",
        },
    ),
    "createKey": ({"name": "x", "scopes": ["erase"]}, {"name": "x", "scopes": ["audit:read"]}),
    "createIssuer": (
        {"issuer": "i", "audience": "a", "jwks_uri": "https://i.example/"},
        {"issuer": "i", "audience": "b", "jwks_uri": "https://i.example/"},
    ),
    "createWebhook": (
        {"url": "https://play.example.org/"},
        {"url": "https://play.example.org/other"},
    ),
    "createConnection": (
        {"platform": "startgg", "credentials": {"access_token": "x"}},
        {"platform": "startgg", "credentials": {"access_token": "y"}},
    ),
    "createOrg": ({"id": "club"}, {"id": "society"}),
}
RENAMED = {
    "startMatch": "start",
    "cancelMatch": "cancel",
    "resignSeat": "resign",
    "issueToken": "issueSeatToken",
    "issueSpectator": "issueSpectatorToken",
    "issueArbiter": "issueArbiterToken",
    "consentToTakeback": "answerTakeback",
    "acceptDraw": "answerDraw",
}
CHECKED_ALONE = ("validateMove",)  # does nothing, and keeps nothing
LINKS = {
    "CreateBatchPayload": "matches { seats { link { token } } arbiters { link { token } } }",
    "CreateSeriesPayload": "entrants { link { token } }",
    "CreateMatchPayload": "match { matchId }",
    "CreateDealGroupPayload": "group { id }",
}


@dataclass(frozen=True)
class Ready:
    """What there is to make the request of an operation with; `other` is another body."""

    token: str
    table: Table | None = None
    body: Json | None = None
    other: Json | None = None
    names: dict[str, Any] = field(default_factory=dict)  # what the path names


@dataclass(frozen=True)
class Stage:
    """A door, and keys that may do all there is to do; `rehearsing` is one of the sandbox."""

    door: Door
    owner: str
    rehearsing: str

    async def table(self, **more: Any) -> Table:
        return await self.door.table(seats=2, accounts=["ada", "bob"], **more)


def operations() -> Iterator[tuple[str, str]]:
    """Path and name of those that take the header."""
    for path, item in contract.read("openapi.yaml")["paths"].items():
        for method in METHODS:
            named = [*item.get("parameters", ()), *item.get(method, {}).get("parameters", ())]
            given = {each.get("$ref", "").rpartition("/")[2] for each in named}
            if method in item and given & {"idempotencyKey", "asideKey"}:
                yield path, item[method]["operationId"]


@cache
def schema() -> GraphQLSchema:
    return build_schema(contract.exported()["schema.graphql"].decode())


def mutations() -> Iterator[tuple[str, str, str]]:
    """Name, input and payload of those that take an idempotencyKey."""
    kind = schema().mutation_type
    assert kind is not None
    for name, each in kind.fields.items():
        given = get_named_type(each.args["input"].type)
        assert isinstance(given, GraphQLInputObjectType)
        if "idempotencyKey" in given.fields:
            result = get_named_type(each.type).name
            yield name, given.name, result.removesuffix("Result") + "Payload"


def document(name: str, given: str, payload: str) -> str:
    """All of the payload that is a leaf, and its links."""
    told = schema().type_map[payload]
    assert isinstance(told, GraphQLObjectType)
    leaves = [n for n, each in told.fields.items() if is_leaf_type(get_named_type(each.type))]
    fields = " ".join([*leaves, LINKS.get(payload, "")])
    return f"""mutation($input: {given}!) {{ {name}(input: $input) {{
        __typename ... on Problem {{ code status detail }} ... on {payload} {{ {fields} }} }} }}"""


def variables(name: str, ready: Ready, body: Json | None) -> Json:
    """What a mutation takes to ask for the same; `name` is the operation's."""
    found: Json = {} if ready.table is None else {"match": ref(ready.table.match_id)}
    names = {n: int(each) for n, each in ready.names.items() if n != "batch"}
    if "batch" in ready.names:
        found["batch"] = {"id": node_id(BATCH, ready.names["batch"])}
    if name in ("createBatch", "createSeries"):
        return {"body": body}
    if name == "playMove":
        assert body is not None
        return found | {"decision": None, "moveJson": body["move"]}
    answers = {"consentToTakeback": {"consents": True}, "acceptDraw": {"accepts": True}}
    given = {_camel(n): _enum(n, value) for n, value in (body or {}).items()}
    return found | names | answers.get(name, {}) | given


def _camel(name: str) -> str:
    return re.sub(r"_(\w)", lambda found: found.group(1).upper(), name)


def _enum(name: str, value: Any) -> Any:
    return value.upper() if name in ("closing", "terminal") else value


async def ready(at: Stage, name: str) -> Ready:
    """Everything that the operation needs to be there is there."""
    if name in MADE:
        return Ready(at.owner, None, *MADE[name])
    return await READY[name](at)


async def _seated(at: Stage, body: Json | None, **more: Any) -> Ready:
    table = await at.table(**more)
    return Ready(table.tokens[0], table, body)


async def _managed(at: Stage, body: Json | None = None, **more: Any) -> Ready:
    return replace(await _seated(at, body, **more), token=at.owner)


async def _of_seat(at: Stage, body: Json | None = None, other: Json | None = None) -> Ready:
    return replace(await _managed(at, body), other=other, names={"seat": 0})


async def _aside(at: Stage) -> Ready:
    said = [{"decision": None, "move": {"type": "speak", "text": each}} for each in ("hi", "ho")]
    return replace(await _seated(at, said[0]), other=said[1])


async def _resumed(at: Stage) -> Ready:
    found = await _managed(at, {})
    assert found.table is not None
    assert (await at.door.post(f"{found.table.path}/pause", json={})).status_code == 200
    return found


async def _forced(at: Stage) -> Ready:
    door = replace(at.door, key=at.rehearsing)
    table = await door.table(seats=2, accounts=["ada", "bob"])
    return Ready(at.rehearsing, table, {"terminal": "void"}, {"terminal": "cancelled"})


async def _claimed(at: Stage) -> Ready:
    body = {"game": GAME, "seats": 2}
    made = await at.door.post("/v1/matches", json=body)
    table = Table(made.json()["match_id"], ())
    return Ready(at.owner, table, {"account": "ada"}, {"account": "eve"}, {"seat": 0})


async def _stand_in(at: Stage) -> Ready:
    door = at.door
    await served_anew(door)
    table = await claimed(door, await scheduled(door, join_by=5_000, no_show="stand_in"), 0, 1)
    await door.get(table.path + "/view", table.tokens[0])
    await passed(door, 5_000)
    await due(door)
    return Ready(at.owner, table, {"account": "bot"}, {"account": "pot"}, {"seat": 1})


async def _released(at: Stage) -> Ready:
    body = {"game": GAME, "seats": 2}
    made = await at.door.post("/v1/matches", json=body)
    table = await claimed(at.door, Table(made.json()["match_id"], ()), 0)
    return Ready(at.owner, table, None, None, {"seat": 0})


async def _resigned(at: Stage) -> Ready:
    return replace(await _seated(at, None), names={"seat": 0})


async def _erased(at: Stage) -> Ready:
    found = await _aside(at)
    assert found.table is not None
    said = await at.door.post(
        found.table.path + "/moves",
        found.token,
        json=found.body,
        headers={"idempotency-key": "said"},
    )
    event = said.json()["first"]
    return Ready(at.owner, found.table, {"event": event, "field": "text"}, {"seat": 0})


async def _asked(at: Stage) -> Ready:
    found = await _seated(at, None)
    assert found.table is not None
    await choosing(at.door, found.table)
    return found


async def _answered(at: Stage) -> Ready:
    found = await _asked(at)
    assert found.table is not None
    asked = await at.door.post(found.table.path + "/takebacks", found.token)
    return Ready(found.table.tokens[1], found.table, names={"takeback": asked.json()["id"]})


async def _drawn(at: Stage) -> Ready:
    table = await at.table(agreed_draw=True)
    return Ready(table.tokens[1], table, names={"draw": await offered(at.door, table)})


async def _disputed(
    at: Stage, body: Json, other: Json, begin: Callable[[Door, Table], Awaitable[str]]
) -> Ready:
    table = await at.table()
    dispute = (await begin(at.door, table)).rpartition("/")[2]
    return Ready(at.owner, table, body, other, {"dispute": dispute})


async def _appealed(at: Stage) -> Ready:
    table = await at.table()
    path = await reviewed(at.door, table)
    assert (await ruled(at.door, path, {"type": "note"})).status_code == 200
    names = {"dispute": path.rpartition("/")[2]}
    return Ready(table.tokens[0], table, {"reason": "x"}, {"reason": "y"}, names)


async def _withdrawn(at: Stage) -> Ready:
    table = await at.table()
    dispute = (await opened(at.door, table)).rpartition("/")[2]
    return Ready(table.tokens[0], table, {}, names={"dispute": dispute})


async def _key(at: Stage) -> Ready:
    made = await at.door.post("/v1/keys", json={"name": "old", "scopes": ["erase", "observe"]})
    other = {"overlap_seconds": 5}
    return Ready(at.owner, None, {"overlap_seconds": 0}, other, {"key": made.json()["id"]})


async def _hook(at: Stage) -> Ready:
    made = await at.door.post("/v1/webhooks", json={"url": "https://play.example.org/"})
    return Ready(at.owner, None, {}, {"overlap_seconds": 5}, {"webhook": made.json()["id"]})


async def _batch(at: Stage, body: Json | None, *done: str, **terms: Any) -> Ready:
    batch = await batched(at.door, ["ada", "bob"], defaults={"game": GAME, **terms})
    for match in batch["matches"]:
        for seat in match["seats"]:
            path = f"/v1/matches/{match['match_id']}/seats/{seat['seat']}/claim"
            assert (await at.door.post(path)).status_code == 200
    for verb in done:
        got = await at.door.post(f"/v1/batches/{batch['id']}/{verb}", json={})
        assert got.json()["refused"] == 0, got.text
    return Ready(at.owner, None, body, None, {"batch": batch["id"]})


WAITING: Json = {"start": "manual"}
CLOCK: Json = {"clock": PER_MOVE}
NOTE: Json = {"type": "note"}
READY: dict[str, Callable[[Stage], Awaitable[Ready]]] = {
    "playMove": _aside,
    "startMatch": lambda at: _managed(at, **WAITING),
    "pauseMatch": lambda at: _managed(at, {}),
    "resumeMatch": _resumed,
    "endTestMatch": _forced,
    "extendMatch": lambda at: _managed(at, {"ms": 1000}, **CLOCK),
    "cancelMatch": _managed,
    "claimSeat": _claimed,
    "seatStandIn": _stand_in,
    "releaseSeat": _released,
    "resignSeat": _resigned,
    "issueToken": _of_seat,
    "eraseTexts": _erased,
    "askTakeback": _asked,
    "consentToTakeback": _answered,
    "refuseTakeback": _answered,
    "offerDraw": lambda at: _seated(at, None, agreed_draw=True),
    "acceptDraw": _drawn,
    "refuseDraw": _drawn,
    "openDispute": lambda at: _seated(at, {"about": 1, "claim": "x"}),
    "reviewDispute": lambda at: _disputed(at, {"pause": False}, {"pause": True}, opened),
    "ruleDispute": lambda at: _disputed(
        at, {"ruling": NOTE, "reason": "x"}, {"ruling": NOTE, "reason": "y"}, reviewed
    ),
    "appealDispute": _appealed,
    "closeDispute": _withdrawn,
    "issueSpectator": lambda at: _managed(at, {}),
    "issueArbiter": lambda at: _managed(at, {"external_id": "referee"}),
    "rotateKey": _key,
    "rotateWebhookSecret": _hook,
    "startBatch": lambda at: _batch(at, None, **WAITING),
    "cancelBatch": lambda at: _batch(at, None, **WAITING),
    "startBatchClocks": lambda at: _batch(at, {}, **WAITING, **CLOCK),
    "pauseBatch": lambda at: _batch(at, {}),
    "resumeBatch": lambda at: _batch(at, {}, "pause"),
    "extendBatch": lambda at: _batch(at, {"ms": 1000}, **CLOCK),
}
