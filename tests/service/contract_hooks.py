"""What Schemathesis needs to know of this service to get past its first door.

Loaded by its command (SCHEMATHESIS_HOOKS). Well-formed requests get what no generator can guess:
a match that is there, the token of a seat of it, a legal move out of what is on offer, a cursor or
an Idempotency-Key of their own. Ill-formed ones stay as they are.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from random import Random
from typing import Any
from uuid import uuid4

import httpx
import schemathesis
from schemathesis import Case, GenerationMode, HookContext, Response

from service import credentials
from tests.service.client import random_move
from tests.waiting import PATIENCE

KEY = os.environ["CONTRACT_KEY"]
ADMIN_ID = credentials.stored(KEY).hex()[:16]
SEATED = {"getDecision", "listMoves", "playMove", "validateMove", "resignSeat"}
HOUR = 3_600_000
USES = 40  # of one match before there is a new one

HTTP = httpx.Client(base_url=os.environ["CONTRACT_ADDRESS"], timeout=PATIENCE)
RNG = Random(1)
TOKENS: dict[str, dict[int, str]] = {}  # of seats, by match
KNOWN: set[str] = set()  # matches that links lead to
POOL: list[str] = []
USED = [0]
# Of the cases with one thing wrong, which are thousands, every so many-th of an operation is sent.
EACH = int(os.environ.get("CONTRACT_EACH", "1"))
WRONG: Counter[str] = Counter()


@schemathesis.auth(refresh_interval=None)
class Callers:
    """A seat's token where only a seat may ask, else the organisation's key."""

    def get(self, case: Case[Any], ctx: Any) -> str:
        if identity(case) not in SEATED:
            return KEY
        seats = TOKENS.get(str((case.path_parameters or {}).get("match")), {})
        asked = str((case.path_parameters or {}).get("seat", ""))
        if asked.isdigit() and int(asked) in seats:
            return seats[int(asked)]
        return next(iter(seats.values()), KEY)

    def set(self, case: Case[Any], data: str, ctx: Any) -> None:
        case.headers["Authorization"] = f"Bearer {data}"


@schemathesis.hook
def filter_case(ctx: HookContext, case: Case[Any]) -> bool:
    meta = case.meta
    if meta is None or meta.phase.name.name != "COVERAGE":
        return True
    if meta.generation.mode == GenerationMode.POSITIVE:
        return True
    WRONG[identity(case)] += 1
    return WRONG[identity(case)] % EACH == 0


@schemathesis.hook
def map_path_parameters(ctx: HookContext, path_parameters: Any) -> Any:
    """A match that is there, most of the time."""
    named = (path_parameters or {}).get("match")
    if named is not None and named not in KNOWN and RNG.random() < 0.8:
        path_parameters["match"] = some_match()
    return path_parameters


@schemathesis.hook
def before_call(ctx: HookContext, case: Case[Any], kwargs: Any) -> None:
    parameters = case.path_parameters or {}
    if parameters.get("key") == ADMIN_ID:
        parameters["key"] = "none"  # or nothing would be left to ask with
    if case.meta is None or case.meta.generation.mode != GenerationMode.POSITIVE:
        return
    if isinstance(case.query, dict):
        for name in ("cursor", "seat", "at"):
            case.query.pop(name, None)
        if identity(case) == "getBundle":
            case.query.pop("perspective", None)  # others' go with the version that is popped
        if identity(case) == "getDiff":
            case.query.update({"from": 1, "to": 2})
        if identity(case) == "getConsistency":
            case.query.update({"first": 1, "second": 1})
    headers = case.headers
    if "Idempotency-Key" in headers:
        headers["Idempotency-Key"] = str(uuid4())
    if case.method == "PATCH" or "If-Match" in headers:
        headers["If-Match"] = "*"
    if identity(case) in ("playMove", "validateMove"):
        case.body = legal(str(parameters.get("match")), headers) or case.body
        if isinstance(case.body, dict) and case.body.get("decision") is None:
            headers["Idempotency-Key"] = str(uuid4())
    elif isinstance(case.body, dict):
        more = beyond_shape(identity(case), case.body)
        case.body = {**case.body, **more}
        for name in ("claim", "reason"):  # Blank ones are refused, which no schema says.
            if case.body.get(name) and not any(map(str.isalnum, str(case.body[name]))):
                case.body[name] = "because"


@schemathesis.hook
def after_call(ctx: HookContext, case: Case[Any], response: Response) -> None:
    """Matches that were made, and tokens of seats, as they are told."""
    if identity(case) == "createMatch" and response.status_code == 201:
        KNOWN.add(response.json()["match_id"])
    if identity(case) in ("claimSeat", "issueToken") and response.status_code in (200, 201):
        told = response.json()
        if told["token"] is not None:
            TOKENS.setdefault(told["match_id"], {})[told["seat"]] = told["token"]


def with_times(body: Any) -> dict[str, Any]:
    """Clocks of two seats that can be, if there are any: a zone there is, some hours of the day."""
    clock = body.get("clock")
    if not isinstance(clock, dict):
        return {}
    times = clock.get("times") or [clock.get("time")] * 2
    wide = {"zone": "Europe/Berlin", "opens": "08:00", "closes": "20:00"}
    window = {"window": wide} if clock.get("window") else {}
    rest = {name: each for name, each in clock.items() if name != "time"}
    return {"clock": {**rest, **window, "times": [times[0], times[-1]]}}


def with_points(body: Any) -> dict[str, Any]:
    """A scoring by which it pays to win, if there is any."""
    scoring = body.get("scoring")
    if not isinstance(scoring, dict):
        return {}
    usual = {"win": 2, "draw": 1, "loss": 0, "points": [3, 2, 1]}
    return {"scoring": {name: usual.get(name, each) for name, each in scoring.items()}}


def beyond_shape(operation: str, body: Any) -> dict[str, Any]:
    """What no schema says: a game's numbers of seats, keys that are keys, times to come."""
    match operation:
        case "createMatch":
            fixed = {"seats": 2, "options": {}, "accounts": [], "reveal_by": None}
            fixed |= {"schedule": None, "agreed_draw": False}
            return {**fixed, **with_times(body)}
        case "createSeries":
            return {
                **with_points(body),
                "entrants": [{"external_id": "ada"}, {"external_id": "bob"}],
                "match": {"game": "high_card"},
                "rotation": "rotate",
                "batch_id": None,
                "seatings": [],
                "external_id": None,
            }
        case "createBatch":
            return {
                **with_points(body),
                "defaults": {"game": "high_card"},
                "matches": [{"seats": [{}, {}]}],
                "external_id": None,
            }
        case "createDealGroup":
            return {
                **with_times(body),
                "game": "high_card",
                "seats": 2,
                "rules_version": None,
                "options": {},
                "tables": [["ada", "bob"], ["cyd", "dan"]],
                "external_id": None,
                "closes_at": int(time.time() * 1000) + HOUR,
            }
        case "contributeEntropy" if ("commitment" in body) == ("opening" in body):
            body.pop("opening", None)
            return {"commitment": None}
        case "ruleDispute" if body.get("ruling", {}).get("type") == "adjust_clock":
            return {"ruling": {**body["ruling"], "ms": body["ruling"].get("ms") or 1}}
        case "eraseTexts":
            return {"event": None, "field": None, "seat": 0}
        case "ruleDispute" if body.get("ruling", {}).get("type") == "rewind":
            return {"ruling": {"type": "rewind", "to": 1}}
        case "createKey" | "issueSpectator" if body.get("expires_at") is not None:
            return {"expires_at": int(time.time() * 1000) + HOUR}
        case "resignSeat":
            body.pop("signed", None)  # no seat here has a key
        case "createWebhook":
            return {"url": "https://hooks.example.org/news"}
        case "changeWebhook" if "url" in body:
            return {"url": "https://hooks.example.org/news"}
        case "createConnection":
            known = {"access_token": "token"}
            return {"platform": "startgg", "credentials": known, "address": "", "tournament": ""}
        case "changeConnection":
            body.pop("credentials", None)  # Which of them there may be depends on the platform.
            body.pop("address", None)
            return {}
        case "putLink":
            return {"participants": []}
        case "createIssuer":
            return {"jwks": None, "jwks_uri": "https://login.example.org/jwks.json"}
        case "changeIssuer" if "jwks" in body or "jwks_uri" in body:
            body.pop("jwks", None)
            return {"jwks_uri": "https://login.example.org/jwks.json"}
    return {}


def identity(case: Case[Any]) -> str:
    return str(case.operation.definition.raw.get("operationId"))


def some_match() -> str:
    if not POOL or USED[0] >= USES:
        USED[0] = 0
        POOL[:] = [new_match()]
    USED[0] += 1
    return POOL[0]


def new_match() -> str:
    headers = {"Authorization": f"Bearer {KEY}"}
    body = {"game": "high_card", "seats": 2}
    match_id: str = HTTP.post("/v1/matches", json=body, headers=headers).json()["match_id"]
    KNOWN.add(match_id)
    for seat in range(2):
        claimed = HTTP.post(f"/v1/matches/{match_id}/seats/{seat}/claim", headers=headers).json()
        TOKENS.setdefault(match_id, {})[seat] = claimed["token"]
    return match_id


def legal(match_id: str, headers: Any) -> dict[str, Any] | None:
    """A move for a seat that is asked, whose token goes along."""
    for token in TOKENS.get(match_id, {}).values():
        own = {"Authorization": f"Bearer {token}"}
        got = HTTP.get(f"/v1/matches/{match_id}/decision", headers=own)
        decision = got.json().get("decision") if got.status_code == 200 else None
        if decision is not None and decision["id"] is not None:
            headers["Authorization"] = own["Authorization"]
            return {"decision": decision["id"], "move": random_move(decision["offers"], RNG)}
    return None
