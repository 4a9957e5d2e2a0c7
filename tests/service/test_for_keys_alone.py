"""Addresses of an organisation alone: tokens of its seats and spectators get nothing there."""

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from service import contract
from tests.service.batching import batched
from tests.service.client import bearer
from tests.service.conftest import Door
from tests.service.contract_checks import METHODS
from tests.service.grouping import opened
from tests.service.platforms.serving import connected, linked
from tests.service.signing import jwks
from tests.service.test_probes import NOWHERE, WELL_FORMED

Json = dict[str, Any]
FORBIDDEN = (403, "api-key-required")
# Who has no part in a deal group is not told either that there is one.
OTHERWISE = {"closeDealGroup": (404, "deal-group-not-found")}


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    return sqlite_url


def operations() -> Iterator[tuple[str, str, str]]:
    """As the document has them: those that are refused without a key of an organisation."""
    for path, item in contract.read("openapi.yaml")["paths"].items():
        for method in METHODS:
            if method in item and "api-key-required" in item[method]["x-problems"]:
                yield method, path, item[method]["operationId"]


async def ids(door: Door) -> tuple[dict[str, str], list[str]]:
    """Something of every kind that the organisation has, and the tokens of a match of its."""
    table = await door.table(seats=2)
    watching = await door.post(table.path + "/spectators", json={})
    batch = await batched(door, ["a", "b"])
    group = await opened(door, ("a",), ("b",))
    key = await door.post("/v1/keys", json={"name": "other", "scopes": ["observe"]})
    issuer = {"issuer": "i", "audience": "a", "jwks": jwks()}
    trusted = await door.post("/v1/issuers", json=issuer)
    hook = await door.post("/v1/webhooks", json={"url": "https://play.example.org/"})
    test = await door.post(f"/v1/webhooks/{hook.json()['id']}/test")
    connection = await connected(door, platform="startgg", credentials={"access_token": "x"})
    await linked(door, connection, table.match_id, "1", "a", "b")
    series = await door.post("/v1/series", json=msgspec.json.decode(WELL_FORMED["createSeries"]))
    assert series.status_code == 201, series.text
    judge = await door.post(table.path + "/arbiters", json={"external_id": "referee"})
    found = {
        "arbiter": judge.json()["id"],
        "match": table.match_id,
        "seat": "0",
        "spectator": watching.json()["id"],
        "batch": batch["id"],
        "group": group.id,
        "key": key.json()["id"],
        "issuer_id": trusted.json()["id"],
        "webhook": hook.json()["id"],
        "delivery": test.json()["id"],
        "connection": connection["id"],
        "series": series.json()["id"],
        "org": "main",
        "tile": "000",
    }
    return found, [table.tokens[0], watching.json()["token"]]


def nowhere(there: dict[str, str]) -> dict[str, str]:
    """Ids of the same shape, of nothing; of the match itself its tokens know that it is there."""
    own = ("match", "seat", "tile")
    kept = {name: there[name] for name in own}
    return {n: NOWHERE if len(each) == 36 else "0" * len(each) for n, each in there.items()} | kept


async def test_a_token_gets_the_same_there_whatever_is_there(door: Door) -> None:
    there, tokens = await ids(door)
    asked = set()
    for method, path, name in operations():
        body = WELL_FORMED.get(name, b"").replace(b"%s", there["match"].encode())
        asked.add(name)
        for token in tokens:
            headers = {**bearer(token), "if-match": "*", "content-type": "application/json"}
            answers = []
            for known in (there, nowhere(there)):
                at = path.format(**known)
                got = await door.http.request(method, at, headers=headers, content=body or None)
                assert (got.status_code, got.json()["code"]) == OTHERWISE.get(name, FORBIDDEN), name
                answers.append(got.content.replace(at.encode(), path.encode()))
            assert answers[0] == answers[1], name
    assert {"getConnection", "putLink", "listResults", "getBatch", "getWebhook"} <= asked
    assert len(asked) > 50
