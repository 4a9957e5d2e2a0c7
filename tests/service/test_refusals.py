"""Every refusal that is documented alike for many operations, provoked at each of them."""

from typing import Any

import pytest

from service import contract
from service.errors import CODES
from tests.service.conftest import Door
from tests.service.contract_checks import METHODS, resolved
from tests.service.refusable import BODIES as BODIES
from tests.service.refusable import answered, scene, well_formed

Json = dict[str, Any]

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
    "arbiter-not-found",
    "webhook-not-found",
    "connection-not-found",
    "version-not-found",
    "precondition-required",
    "precondition-failed",
    "dispute-not-found",
    "deal-group-not-found",
    "batch-not-found",
    "series-not-found",
    "game-not-found",
    "position-not-found",
    "takeback-closed",
    "arbiter-is-party",
)


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
async def test_documented_refusals(door: Door, path: str, method: str, operation: Json) -> None:
    at = await scene(door, path, operation["operationId"])
    well = well_formed(at, method, operation)
    told = {}
    for code in documented(operation):
        if code == "precondition-failed" and method != "patch":
            continue  # Two rotations at the very same time.
        answer = await answered(at, well, code)
        told[code] = (answer.status_code, answer.json().get("code"))
    assert told == {code: (CODES[code].status, code) for code in told}
