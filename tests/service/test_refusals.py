"""Every refusal that is documented alike for many operations, provoked at each of them."""

import re
from dataclasses import dataclass, replace
from typing import Any

import httpx
import pytest

from service import contract
from service.errors import CODES
from tests.service.client import Table, bearer
from tests.service.conftest import GAME, Door
from tests.service.contract_checks import METHODS, resolved

Json = dict[str, Any]

NOWHERE = "01890a5d-ac96-774b-bcce-b302099a8057"
ALWAYS = (
    "unauthorized",
    "not-acceptable",
    "match-not-found",
    "seat-not-found",
    "problem-not-found",
    "not-found",
    "invalid-parameter",
    "malformed-json",
    "invalid-request",
    "body-too-large",
    "unsupported-media-type",
    "api-key-required",
    "seat-token-required",
    "other-seat",
    "scope-missing",
    "key-not-found",
    "issuer-not-found",
    "org-not-found",
    "spectator-not-found",
    "webhook-not-found",
    "version-not-found",
    "precondition-required",
    "precondition-failed",
)
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
    "createOrg": b'{"id": "club"}',
    "issueSpectator": b"{}",
    "issueTicket": b'{"path": "/v1/matches/%s/events"}',
}


@dataclass(frozen=True)
class Call:
    """A request, well-formed unless it is to provoke something; `path` is the documented one."""

    path: str
    method: str
    token: str
    headers: dict[str, str]
    body: bytes = b""
    query: str = ""


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    """What a request looks like is looked at before any database is asked."""
    return sqlite_url


def operations() -> list[Any]:
    return [
        pytest.param(path, method, item[method], id=item[method]["operationId"])
        for path, item in contract.document()["paths"].items()
        for method in METHODS
        if method in item
    ]


def documented(operation: Json) -> list[str]:
    """The codes this module provokes, of those the operation can answer with."""
    found: list[str] = []
    for response in operation["responses"].values():
        media = resolved(response).get("content", {}).get("application/problem+json", {})
        found += [code for code in media.get("examples", ()) if code in ALWAYS]
    return found


@pytest.mark.parametrize(("path", "method", "operation"), operations())
async def test_documented_refusals(
    door: Door, table: Table, path: str, method: str, operation: Json
) -> None:
    well = well_formed(door, table, path, method, operation)
    seeing = await key_with(door, "webhooks:manage")
    told = {}
    for code in documented(operation):
        if code == "precondition-failed" and method != "patch":
            continue  # Two rotations at the very same time.
        if code == "scope-missing":
            answer = await sent(door, table, replace(well, token=seeing))
            told[code] = (answer.status_code, answer.json()["code"])
            continue
        answer = await sent(door, table, provoking(well, code, door, table))
        told[code] = (answer.status_code, answer.json()["code"])
    assert told == {code: (CODES[code].status, code) for code in told}


async def key_with(door: Door, *scopes: str) -> str:
    """The secret of a key that can do so much."""
    made = await door.post("/v1/keys", json={"name": "narrow", "scopes": scopes})
    secret: str = made.json()["secret"]
    return secret


def well_formed(door: Door, table: Table, path: str, method: str, operation: Json) -> Call:
    names = {name for each in operation["security"] for name in each}
    body = BODIES.get(operation["operationId"], b"").replace(b"%s", table.match_id.encode())
    headers = {"content-type": "application/json"} if body else {}
    return Call(
        path=path,
        method=method.upper(),
        token=door.key if "apiKey" in names or not names else table.tokens[0],
        headers={**headers, **({"if-match": '"1"'} if method == "patch" else {})},
        body=body,
    )


def provoking(call: Call, code: str, door: Door, table: Table) -> Call:
    own, as_json = call.path, {**call.headers, "content-type": "application/json"}
    match code:
        case "unauthorized":
            return replace(call, token="")
        case "not-acceptable":
            return replace(call, headers={**call.headers, "accept": "image/avif"})
        case "match-not-found":
            body = re.sub(rb"[0-9a-f-]{36}", NOWHERE.encode(), call.body)
            return replace(call, path=own.replace("{match}", NOWHERE), body=body)
        case "seat-not-found":
            return replace(call, path=own.replace("{seat}", "1000"))
        case (
            "key-not-found"
            | "issuer-not-found"
            | "org-not-found"
            | "spectator-not-found"
            | "webhook-not-found"
        ):
            names = r"{(key|issuer_id|org|spectator|webhook)}"
            return replace(call, path=re.sub(names, "none", own))
        case "version-not-found":
            name = "after" if own.endswith("/events") else "at"
            return replace(call, query=f"?{name}=1000000")
        case "precondition-required":
            return replace(call, headers={"content-type": "application/json"})
        case "precondition-failed":
            return replace(call, headers={**call.headers, "if-match": '"77"'})
        case "problem-not-found" | "not-found":
            return replace(call, path=own.replace("{code}", "none").replace("{name}", "none"))
        case "invalid-parameter":
            return replace(call, query="?nonsense=1")
        case "malformed-json":
            return replace(call, body=b"{", headers=as_json)
        case "invalid-request":
            return replace(call, body=b'{"nonsense": 1}', headers=as_json)
        case "body-too-large":
            return replace(call, body=b"{" + b" " * 65536 + b"}", headers=as_json)
        case "unsupported-media-type":
            headers = {**call.headers, "content-type": "text/plain"}
            return replace(call, body=b"{}", headers=headers)
        case "api-key-required":
            return replace(call, token=table.tokens[0])
        case "seat-token-required":
            return replace(call, token=door.key)
        case "other-seat":
            body = call.body.replace(b"1.0", b"1.1")
            query = "" if "{seat}" in own or b"1.1" in body else "?seat=1"
            path = own.replace("{seat}", "1")
            return replace(call, path=path, token=table.tokens[0], body=body, query=query)
    raise AssertionError(code)


async def sent(door: Door, table: Table, call: Call) -> httpx.Response:
    path = call.path.replace("{match}", table.match_id).replace("{seat}", "0")
    path = (
        path.replace("{game}", GAME).replace("{code}", "not-found").replace("{name}", "index.css")
    )
    if "{" in path:
        path = await filled(door, path)
    headers = {**call.headers, **(bearer(call.token) if call.token else {})}
    return await door.http.request(
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
    return path.replace("{org}", "main").replace("{spectator}", "none")
