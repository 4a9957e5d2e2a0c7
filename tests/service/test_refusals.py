"""Every refusal that is documented alike for many operations, provoked at each of them."""

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
)
BODIES: dict[str, bytes] = {
    "playMove": b'{"decision": "1.0", "move": {"type": "x"}}',
    "validateMove": b'{"decision": "1.0", "move": {"type": "x"}}',
    "createMatch": b'{"game": "high_card", "seats": 3}',
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
    told = {}
    for code in documented(operation):
        answer = await sent(door, table, provoking(well, code, door, table))
        told[code] = (answer.status_code, answer.json()["code"])
    assert told == {code: (CODES[code].status, code) for code in told}


def well_formed(door: Door, table: Table, path: str, method: str, operation: Json) -> Call:
    names = {name for each in operation["security"] for name in each}
    body = BODIES.get(operation["operationId"], b"")
    return Call(
        path=path,
        method=method.upper(),
        token=table.tokens[0] if names == {"seatToken"} else door.key,
        headers={"content-type": "application/json"} if body else {},
        body=body,
    )


def provoking(call: Call, code: str, door: Door, table: Table) -> Call:
    own, as_json = call.path, {"content-type": "application/json"}
    match code:
        case "unauthorized":
            return replace(call, token="")
        case "not-acceptable":
            return replace(call, headers={**call.headers, "accept": "image/avif"})
        case "match-not-found":
            return replace(call, path=own.replace("{match}", NOWHERE))
        case "seat-not-found":
            return replace(call, path=own.replace("{seat}", "1000"))
        case "problem-not-found" | "not-found":
            return replace(call, path=own.replace("{code}", "none").replace("{name}", "none"))
        case "invalid-parameter" if call.method == "GET":
            return replace(call, query="?nonsense=1")
        case "invalid-parameter":
            return replace(
                call, headers={**call.headers, "idempotency-key": '""'}, body=aside(call)
            )
        case "malformed-json":
            return replace(call, body=b"{", headers=as_json)
        case "invalid-request":
            return replace(call, body=b'{"nonsense": 1}', headers=as_json)
        case "body-too-large":
            return replace(call, body=b"{" + b" " * 65536 + b"}", headers=as_json)
        case "unsupported-media-type":
            return replace(call, body=b"{}", headers={"content-type": "text/plain"})
        case "api-key-required":
            return replace(call, token=table.tokens[0])
        case "seat-token-required":
            return replace(call, token=door.key)
        case "other-seat":
            body = call.body.replace(b"1.0", b"1.1")
            return replace(call, path=own.replace("{seat}", "1"), token=table.tokens[0], body=body)
    raise AssertionError(code)


def aside(call: Call) -> bytes:
    """Only an aside is named by its key: with a decision the key is not looked at."""
    return call.body.replace(b'"1.0"', b"null")


async def sent(door: Door, table: Table, call: Call) -> httpx.Response:
    path = call.path.replace("{match}", table.match_id).replace("{seat}", "0")
    path = (
        path.replace("{game}", GAME).replace("{code}", "not-found").replace("{name}", "index.css")
    )
    headers = {**call.headers, **(bearer(call.token) if call.token else {})}
    return await door.http.request(
        call.method, path + call.query, headers=headers, content=call.body or None
    )
