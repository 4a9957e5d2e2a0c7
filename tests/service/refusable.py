"""Requests for every operation, well-formed or wrong in one way; whatever they name is there."""

import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

import httpx
from sqlalchemy import delete, insert, select

from events.tables import CHECKPOINT
from tests.service.batching import batched
from tests.service.client import Table, bearer
from tests.service.conftest import GAME, Door
from tests.service.grouping import key_of, sandbox_key
from tests.service.grouping import opened as opened_group
from tests.service.positions import choosing
from tests.service.test_disputes import opened, reviewed
from tests.service.test_series import made as made_series

Json = dict[str, Any]

NOWHERE = "01890a5d-ac96-774b-bcce-b302099a8057"
PARTY = "ada"  # the account of seat 0
BODIES: dict[str, bytes] = {
    "playMove": b'{"decision": "1.0", "move": {"type": "x"}}',
    "validateMove": b'{"decision": "1.0", "move": {"type": "x"}}',
    "createMatch": b'{"game": "high_card", "seats": 3}',
    "createKey": b'{"name": "x", "scopes": ["observe"]}',
    "changeKey": b'{"name": "x"}',
    "rotateKey": b"{}",
    "createIssuer": b'{"issuer": "i", "audience": "a", "jwks_uri": "https://i/"}',
    "changeIssuer": b'{"audience": "b"}',
    "createWebhook": b'{"url": "https://play.example.org/"}',
    "changeWebhook": b'{"name": "x"}',
    "rotateWebhookSecret": b"{}",
    "createConnection": b'{"platform": "startgg", "credentials": {"access_token": "x"}}',
    "changeConnection": b'{"name": "x"}',
    "putLink": b'{"target": "1"}',
    "createOrg": b'{"id": "club"}',
    "issueSpectator": b"{}",
    "issueTicket": b'{"path": "/v1/matches/%s/events"}',
    "contributeEntropy": b'{"commitment": null}',
    "openDispute": b'{"about": 1, "claim": "x"}',
    "reviewDispute": b'{"pause": false}',
    "ruleDispute": b'{"ruling": {"type": "note"}, "reason": "x"}',
    "appealDispute": b'{"reason": "x"}',
    "closeDispute": b"{}",
    "createSeries": b"""{"entrants": [{"external_id": "a"}, {"external_id": "b"}], "games": 3,
        "match": {"game": "high_card"}}""",
    "createBatch": b"""{"defaults": {"game": "high_card"},
        "matches": [{"seats": [{}, {}], "external_id": "t1"}]}""",
    "pauseMatch": b"{}",
    "pauseBatch": b"{}",
    "resumeBatch": b"{}",
    "extendBatch": b'{"ms": 1000}',
    "resumeMatch": b"{}",
    "endTestMatch": b'{"terminal": "void"}',
    "issueArbiter": b'{"external_id": "referee"}',
    "extendMatch": b'{"ms": 1000}',
    "eraseTexts": b'{"event": 1, "field": "claim"}',
    "eraseAccount": b'{"account": "nobody"}',
    "createDealGroup": b"""{"game": "high_card", "seats": 2, "tables": [["a", "b"], ["c", "d"]],
        "closes_at": 1700003600000, "closing": "cancel"}""",
}
LOOKS = {
    "getView": "?as=%s&at=1",
    "getReplay": "?as=%s&at=1",
    "getBundle": "?perspective=seat:%s&at=1",
    "getDiff": "?as=%s&from=1&to=1",
}


@dataclass(frozen=True)
class Scene:
    """A match with a spectator, and a key that sees none of it; the link of an entrant to a series.

    `path` is the documented one, with the dispute, takeback or deal group that it is about.
    """

    door: Door
    table: Table
    path: str
    watcher: str
    blind: str
    link: str


@dataclass(frozen=True)
class Call:
    """A request, well-formed unless it is to provoke something; `name` is the operation's."""

    name: str
    path: str
    method: str
    token: str
    headers: dict[str, str]
    body: bytes = b""
    query: str = ""


async def scene(door: Door, path: str, name: str) -> Scene:
    if name == "endTestMatch":
        door = replace(door, key=await sandbox_key(door))
    if "{group}" in path:
        group = await opened_group(door, [PARTY, "bob", "cyd"], ["dan", "eve", "fay"])
        table, path = group.tables[0], path.replace("{group}", group.id)
    else:
        table = await door.table(accounts=[PARTY, None, None])
    if "{batch}" in path:
        batch = await batched(door, ["ada", "bob"])
        path = path.replace("{batch}", batch["id"])
    link = ""
    if "{series}" in path:
        series = await made_series(door)
        path, link = path.replace("{series}", series["id"]), series["entrants"][0]["link"]["token"]
    if path.startswith("/v1/log"):
        await door.app.parts.feeding.catch_up()
    if "/takebacks" in path:
        await choosing(door, table)
        asked = await door.post(table.path + "/takebacks", table.tokens[0])
        path = path.replace("{takeback}", str(asked.json()["id"]))
    if "{dispute}" in path:
        about = await (reviewed if name == "ruleDispute" else opened)(door, table)
        path = path.replace("{dispute}", about.rpartition("/")[2])
    watcher = (await door.post(table.path + "/spectators", door.key, json={})).json()["token"]
    return Scene(door, table, path, watcher, await key_of(door, "webhooks:manage"), link)


def well_formed(at: Scene, method: str, operation: Json) -> Call:
    names = {name for each in operation["security"] for name in each}
    name = operation["operationId"]
    body = BODIES.get(name, b"").replace(b"%s", at.table.match_id.encode())
    headers = {"content-type": "application/json"} if body else {}
    return Call(
        name=name,
        path=at.path,
        method=method.upper(),
        token=_token(at, names),
        headers={**headers, **({"if-match": '"1"'} if method == "patch" else {})},
        body=body,
    )


def _token(at: Scene, names: set[str]) -> str:
    if "seriesToken" in names:
        return at.link
    return at.door.key if "apiKey" in names or not names else at.table.tokens[0]


def provoking(at: Scene, call: Call, code: str) -> Call:
    """The call changed so that it is refused with the code, by what is alike for operations."""
    own, as_json = call.path, {**call.headers, "content-type": "application/json"}
    match code:
        case "unauthorized":
            return replace(call, token="")
        case "not-acceptable":
            return replace(call, headers={**call.headers, "accept": "image/avif"})
        case "match-not-found":
            body = re.sub(rb"[0-9a-f-]{36}", NOWHERE.encode(), call.body)
            return replace(call, path=own.replace("{match}", NOWHERE), body=body)
        case "dispute-not-found" | "deal-group-not-found":
            path = re.sub(r"/disputes/\d+", "/disputes/999", own)
            return replace(
                call, path=re.sub(r"/deal-groups/[^/]+", f"/deal-groups/{NOWHERE}", path)
            )
        case "series-not-found":
            return replace(call, path=re.sub(r"/series/[^/]+", f"/series/{NOWHERE}", own))
        case "batch-not-found":
            return replace(call, path=re.sub(r"/batches/[^/]+", f"/batches/{NOWHERE}", own))
        case "takeback-closed" if call.name == "askTakeback":
            return call  # It was asked for already.
        case "takeback-closed":
            return replace(call, path=re.sub(r"/takebacks/\d+", "/takebacks/999", own))
        case "game-not-found":
            body = call.body.replace(GAME.encode(), b"whist")
            return replace(call, path=own.replace("{game}", "whist"), body=body)
        case "seat-not-found" if call.name in LOOKS:
            return replace(call, query=LOOKS[call.name] % 9)
        case "seat-not-found" if call.name == "ruleDispute":
            return replace(call, body=call.body.replace(b'"note"', b'"forfeit", "seat": 9'))
        case "seat-not-found" if call.name == "endTestMatch":
            return replace(call, body=b'{"terminal": "resigned", "winner": 9}')
        case "seat-not-found" if call.name == "extendMatch":
            return replace(call, body=b'{"ms": 1000, "seat": 9}')
        case "seat-not-found" if call.name == "eraseTexts":
            return replace(call, body=b'{"seat": 9}')
        case "text-not-found":
            return call
        case "seat-not-found":
            return replace(call, path=own.replace("{seat}", "1000"))
        case (
            "key-not-found"
            | "issuer-not-found"
            | "org-not-found"
            | "spectator-not-found"
            | "arbiter-not-found"
            | "webhook-not-found"
            | "connection-not-found"
        ):
            names = r"{(key|issuer_id|org|spectator|arbiter|webhook|connection)}"
            return replace(call, path=re.sub(names, "none", own))
        case "version-not-found":
            name = {"events": "after", "diff": "to"}.get(own.rsplit("/", 1)[-1], "at")
            return replace(call, query=f"?{name}=1000000")
        case "position-not-found":
            name = "first" if call.name == "getConsistency" else "after"
            return replace(call, query=f"?{name}=1000000")
        case "precondition-required":
            return replace(call, headers={"content-type": "application/json"})
        case "precondition-failed":
            return replace(call, headers={**call.headers, "if-match": '"77"'})
        case "problem-not-found" | "not-found":
            return replace(call, path=re.sub(r"{(code|name|tile)}", "none", own))
        case "invalid-parameter":
            return replace(call, query="?nonsense=1")
        case "malformed-json":
            return replace(call, body=b"{", headers=as_json)
        case "invalid-request":
            return replace(call, body=b'{"nonsense": 1}', headers=as_json)
        case "body-too-large" if call.name == "createBatch":
            return replace(call, body=b"{" + b" " * 4 * 1024 * 1024 + b"}", headers=as_json)
        case "body-too-large":
            return replace(call, body=b"{" + b" " * 65536 + b"}", headers=as_json)
        case "unsupported-media-type":
            headers = {**call.headers, "content-type": "text/plain"}
            return replace(call, body=b"{}", headers=headers)
        case "api-key-required":
            return replace(call, token=at.table.tokens[0])
        case "scope-missing":
            return replace(call, token=at.blind)
        case "seat-token-required":
            # Where keys may ask as well, it is who watches that plays no seat.
            return replace(call, token=at.door.key if call.token != at.door.key else at.watcher)
        case "arbiter-is-party" if call.method == "GET":
            query = LOOKS[call.name] % 1 if call.name in LOOKS else "?to=1"
            return replace(call, query=f"{query}&account={PARTY}")
        case "arbiter-is-party" if call.name == "issueArbiter":
            return replace(call, body=json.dumps({"external_id": PARTY}).encode())
        case "arbiter-is-party":
            body = json.dumps({**json.loads(call.body), "account": PARTY}).encode()
            return replace(call, body=body)
        case "other-seat" if call.name == "getInformationReport":
            return replace(call, token=at.watcher, query="?to=1")
        case "other-seat" if call.name in LOOKS:
            return replace(call, token=at.table.tokens[0], query=LOOKS[call.name] % 1)
        case "other-seat":
            body = call.body.replace(b"1.0", b"1.1")
            query = "" if "{seat}" in own or b"1.1" in body else "?seat=1"
            path = own.replace("{seat}", "1")
            return replace(call, path=path, token=at.table.tokens[0], body=body, query=query)
    raise AssertionError(code)


async def answered(at: Scene, call: Call, code: str) -> httpx.Response:
    """What a call is answered that is changed to be refused with the code."""
    wrong = provoking(at, call, code)
    if code == "not-found" and call.path.startswith("/v1/log") and "{" not in call.path:
        async with no_checkpoint(at.door):
            return await sent(at, wrong)
    return await sent(at, wrong)


@asynccontextmanager
async def no_checkpoint(door: Door) -> AsyncIterator[None]:
    """As before the first checkpoint was signed; afterwards all is there again."""
    parts = door.app.parts
    async with parts.feeding._turn:
        kept = await parts.database.read(lambda c: c.execute(select(CHECKPOINT)).mappings().all())
        await parts.database.write(lambda c: c.execute(delete(CHECKPOINT)))
        parts.feeding._told = (float("-inf"), None)
        yield
        rows = [dict(each) for each in kept]
        await parts.database.write(lambda c: c.execute(insert(CHECKPOINT), rows))


async def sent(at: Scene, call: Call) -> httpx.Response:
    path = call.path.replace("{match}", at.table.match_id).replace("{seat}", "0")
    path = path.replace("{level}", "0").replace("{tile}", "000.p/1")
    path = (
        path.replace("{game}", GAME).replace("{code}", "not-found").replace("{name}", "index.css")
    )
    if "{" in path:
        path = await filled(at.door, path)
    headers = {**call.headers, **(bearer(call.token) if call.token else {})}
    return await at.door.http.request(
        call.method, path + call.query, headers=headers, content=call.body or None
    )


async def filled(door: Door, path: str) -> str:
    """With the ids of something that is there."""
    key = (await door.get("/v1/keys")).json()["keys"][-1]["id"]
    issuers = (await door.get("/v1/issuers")).json()["issuers"]
    if not issuers:
        body = {"issuer": "i", "audience": "a", "jwks_uri": "https://i.example/"}
        issuers = [(await door.post("/v1/issuers", json=body)).json()]
    path = path.replace("{key}", key).replace("{issuer_id}", issuers[0]["id"])
    if "{webhook}" in path:
        body = {"url": "https://play.example.org/"}
        hook = (await door.post("/v1/webhooks", json=body)).json()["id"]
        path = path.replace("{webhook}", hook).replace("{delivery}", NOWHERE)
    if "{connection}" in path:
        connection = json.loads(BODIES["createConnection"])
        made = await door.post("/v1/connections", json=connection)
        path = path.replace("{connection}", made.json()["id"])
    return path.replace("{org}", "main").replace("{spectator}", "none").replace("{arbiter}", "none")
