"""Every operation of the document, asked by every identity that has no business there.

Two rules: who is nobody gets 401, and who is somebody else gets what a match that does not exist
would get. And whatever is answered, it holds nothing that only the owner may know.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest

from service import contract
from tests import installing
from tests.service.client import Table, bearer
from tests.service.conftest import GAME, Door
from tests.service.contract_checks import METHODS
from tests.service.furnishing import Furnished, furnished
from tests.service.grouping import Group, opened
from tests.service.positions import choosing
from tests.service.signing import jwks, signed
from tests.service.test_refusals import BODIES

Json = dict[str, Any]

NOWHERE = "01890a5d-ac96-774b-bcce-b302099a8057"
ISS, AUD = "https://login.example.org/", "plyscribe"
WELL_FORMED = BODIES | {
    "contributeEntropy": b'{"commitment": null}',
    "openDispute": b'{"about": 1, "claim": "x"}',
    "reviewDispute": b'{"pause": true}',
    "ruleDispute": b'{"ruling": {"type": "note"}, "reason": "x"}',
    "appealDispute": b'{"reason": "x"}',
    "createDealGroup": b'{"game": "high_card", "seats": 2, "tables": [["a", "b"], ["c", "d"]],'
    b' "closes_at": 1700003600000, "closing": "forfeit"}',
}
OWN_SEAT_ALONE = {"getDecision", "listMoves", "playMove", "validateMove", "resignSeat"}


@dataclass
class Place:
    """A match and everything that belongs to its organisation, as the strangers would like it.

    `secrets` are not for those either who see the match; `shown` is what only they may read.
    """

    table: Table
    group: Group
    paths: dict[str, str]
    secrets: list[str] = field(default_factory=list)
    shown: list[str] = field(default_factory=list)


@pytest.fixture(scope="module")
def place_to_be(
    tmp_path_factory: pytest.TempPathFactory, _sqlite_template: Path
) -> Furnished[Place]:
    """Furnished once: a probe must not change a thing in it, which each of them looks at."""
    installing.install()
    return furnished(tmp_path_factory.mktemp("place"), _sqlite_template, place_in)


@pytest.fixture
def place(place_to_be: Furnished[Place]) -> Place:
    return place_to_be.made


@pytest.fixture
def database_url(place_to_be: Furnished[Place], tmp_path: Path) -> str:
    return place_to_be.copied(tmp_path)


def operations() -> Iterator[Any]:
    for path, item in contract.document()["paths"].items():
        for method in METHODS:
            if method in item and item[method]["security"]:
                yield pytest.param(path, method, item[method], id=item[method]["operationId"])


OPERATIONS = list(operations())
EACH = pytest.mark.parametrize(("path", "method", "operation"), OPERATIONS)


async def place_in(door: Door) -> Place:
    body = {"game": GAME, "seats": 2, "accounts": ["ada", None], "external_id": "canary-external"}
    made = await door.post("/v1/matches", json=body)
    match_id = made.json()["match_id"]
    tokens = []
    for seat in range(2):
        claimed = await door.post(f"/v1/matches/{match_id}/seats/{seat}/claim")
        tokens.append(claimed.json()["token"])
    table = Table(match_id, tuple(tokens))
    key = await door.post("/v1/keys", json={"name": "canary-key", "scopes": ["observe"]})
    issuer = {"issuer": "canary-issuer", "audience": "a", "jwks": jwks()}
    trusted = await door.post("/v1/issuers", json=issuer)
    spectator = await door.post(table.path + "/spectators", json={})
    arbiter = await door.post(table.path + "/arbiters", json={"external_id": "canary-arbiter"})
    await choosing(door, table)
    takeback = await door.post(table.path + "/takebacks", table.tokens[0])
    disputes = [
        await door.post(
            table.path + "/disputes", token, json={"about": 1, "claim": f"canary-claim-{seat}"}
        )
        for seat, token in enumerate(table.tokens)
    ]
    group = await opened(
        door, ("canary-0", "canary-1"), ("canary-2", "canary-3"), external_id="canary-group"
    )
    paths = {
        "match": match_id,
        "takeback": str(takeback.json()["id"]),
        "dispute": str(disputes[1].json()["id"]),
        "draw": "1",
        "arbiter": arbiter.json()["id"],
        "group": group.id,
        "seat": "1",
        "game": GAME,
        "key": key.json()["id"],
        "issuer_id": trusted.json()["id"],
        "org": "main",
        "spectator": spectator.json()["id"],
    }
    secrets = [
        *tokens,
        key.json()["secret"],
        spectator.json()["token"],
        arbiter.json()["token"],
        door.key,
    ]
    secrets += [token for each in group.tables for token in each.tokens]
    secrets += ["canary-key", "canary-issuer", "canary-group", "canary-0"]
    return Place(table, group, paths, secrets, ["canary-external", "canary-claim"])


async def called(
    door: Door, place: Place, path: str, method: str, operation: Json, token: str | None, **at: str
) -> httpx.Response:
    for name, value in {**place.paths, **at}.items():
        path = path.replace(f"{{{name}}}", value)
    match_id = at.get("match", place.table.match_id)
    body = WELL_FORMED.get(operation["operationId"], b"").replace(b"%s", match_id.encode())
    headers = {} if token is None else bearer(token)
    headers |= {"content-type": "application/json"} if body else {}
    headers |= {"if-match": "*"} if method == "patch" else {}
    return await door.http.request(method, path, headers=headers, content=body or None)


@EACH
async def test_nobody_gets_nothing(
    door: Door, place: Place, path: str, method: str, operation: Json, other_key: str
) -> None:
    revoked = place.table.tokens[1]
    await door.delete(place.table.path + "/seats/1/tokens")
    scopes = ["matches:read", "observe", "seats:issue", "keys:manage"]
    body = {"name": "short", "scopes": scopes, "expires_at": door.clock.now + 1}
    expired = (await door.post("/v1/keys", json=body)).json()["secret"]
    door.clock.now += 1
    issuer = {"issuer": ISS, "audience": AUD, "jwks": jwks()}
    assert (await door.post("/v1/issuers", other_key, json=issuer)).status_code == 201
    claims = {"iss": ISS, "aud": AUD, "sub": "ada", "exp": door.clock.now // 1000 + 300}
    for token in (None, revoked, expired, signed(claims), "pk_made_up", "x.y.z"):
        answer = await called(door, place, path, method, operation, token)
        assert (answer.status_code, answer.json()["code"]) == (401, "unauthorized")
        assert "ratelimit" not in answer.headers


@EACH
async def test_somebody_else_gets_what_nobody_owns(
    door: Door, place: Place, path: str, method: str, operation: Json, other_key: str
) -> None:
    other = await door.table(seats=2)
    watching = await door.post(other.path + "/spectators", json={})
    behind = await door.post(other.path + "/spectators", json={"delay_seconds": 60})
    strangers = [
        other_key,
        other.tokens[1],
        watching.json()["token"],
        behind.json()["token"],
    ]
    before = await stored(door, place)
    for token in strangers:
        answer = await called(door, place, path, method, operation, token)
        holds_nothing(place, answer)
        if "{group}" in path:
            missing = await called(door, place, path, method, operation, token, group=NOWHERE)
        elif "{match}" in path or operation["operationId"] == "issueTicket":
            missing = await called(door, place, path, method, operation, token, match=NOWHERE)
        else:
            continue
        assert (answer.status_code, answer.content) == (missing.status_code, missing.content)
        assert answer.status_code in (403, 404)
    assert await stored(door, place) == before


@EACH
async def test_another_viewer_gets_its_own(
    door: Door, place: Place, path: str, method: str, operation: Json
) -> None:
    """Seat 0 and spectators at what belongs to seat 1, or to the organisation."""
    table, before = place.table, await stored(door, place)
    made = [
        await door.post(table.path + "/spectators", json=delay)
        for delay in ({}, {"delay_seconds": 60})
    ]
    watchers = [each.json()["token"] for each in made]
    hand = await hidden(door, table)
    for token in (table.tokens[0], *watchers):
        answer = await called(door, place, path, method, operation, token)
        for secret in place.secrets[1:]:
            assert secret not in answer.text
        if token != table.tokens[0]:
            assert operation["operationId"] not in OWN_SEAT_ALONE or answer.status_code == 403
            assert hand not in answer.text
        if method in ("post", "patch", "delete") and operation["operationId"] not in (
            "playMove",
            "validateMove",
            "issueTicket",
        ):
            assert answer.status_code in (403, 404, 409)
    assert await stored(door, place, beside=2) == before


async def hidden(door: Door, table: Table) -> str:
    """How the hand of seat 1 shows in its own view."""
    own = await door.get(table.path + "/view", table.tokens[1])
    hand = msgspec.json.encode(own.json()["view"]["hand"]).decode()
    assert len(hand) > 4
    assert hand in own.text
    return hand


async def stored(door: Door, place: Place, beside: int = 0) -> object:
    """What must not change by the asking of others; `beside` spectators were made meanwhile."""
    table = place.table
    paths = ("/v1/keys", "/v1/issuers", table.path, table.path + "/events", place.group.path)
    spectators = (await door.get(table.path + "/spectators")).json()["spectators"]
    shown = [(await door.get(path)).json() for path in paths]
    orgs = [each["id"] for each in (await door.get("/v1/orgs")).json()["orgs"]]
    works = [(await door.get("/v1/me", token)).status_code for token in table.tokens]
    return shown, len(spectators) - beside, orgs, works


def holds_nothing(place: Place, answer: httpx.Response) -> None:
    for secret in (*place.secrets, *place.shown):
        assert secret not in answer.text
    assert place.table.match_id not in answer.text
