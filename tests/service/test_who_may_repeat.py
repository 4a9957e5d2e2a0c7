"""Whoever may not make a request can't tell whether it was made: not by its Idempotency-Key either.

At every door that takes one: the same key and body get the same answer as a key that nobody used.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import httpx
import msgspec
import pytest
from sqlalchemy import select, update

from events.tables import REQUEST
from service import credentials
from service.callers import FIRST_ORG
from service.settings import Settings
from tests.service.client import bearer
from tests.service.conftest import Door
from tests.service.graphql.asking import ACCEPT
from tests.service.grouping import key_of, sandbox_key
from tests.service.repeatable import (
    CHECKED_ALONE,
    MADE,
    RENAMED,
    Json,
    Ready,
    Stage,
    document,
    mutations,
    operations,
    ready,
    variables,
)
from tests.service.signing import signed
from tests.service.test_users import claims, issuer

CUT_OFF = 31_000  # ms after which a request without an answer is run again
# What is made has its id from the request, so that a crash makes no second one.
ONE_ID = ("createMatch", "createBatch", "createSeries", "createDealGroup")
OF_THE_MATCH = ("seat 0", "seat 1", "user", "arbiter")

MOST_STRANGERS = 4  # keys without scopes or of others, tokens of another match: they may nothing

Told = tuple[Any, ...]
Send = Callable[[str, str, Json | None], Awaitable[httpx.Response]]


@dataclass(frozen=True)
class Called:
    """A request of an operation at one of its doors: `send(token, key, body)`."""

    operation: str
    name: str
    ready: Ready
    send: Send

    @property
    def key(self) -> str:
        return f"round 3, {self.name}"

    async def sent(self, token: str) -> httpx.Response:
        return await self.send(token, self.key, self.ready.body)


def told(got: httpx.Response) -> Told:
    """All there is to an answer, but for how many requests are left and what it is called."""
    apart = (b"x-request-id", b"ratelimit")
    headers = sorted(each for each in got.headers.raw if each[0].lower() not in apart)
    limits = [each.partition(";r=")[0] for each in got.headers.get_list("ratelimit")]
    return got.status_code, headers, limits, got.content


def is_refused(got: httpx.Response) -> bool:
    if got.status_code >= 400:
        return True
    shown = got.json()
    answers = (shown.get("data") or {}).values()
    return "errors" in shown or any("code" in (each or {}) for each in answers)


def is_replayed(got: httpx.Response) -> bool:
    return "plyscribe-replayed" in got.headers or b'"replayed":true' in got.content


@dataclass(frozen=True)
class Hall:
    """The stage, and everybody who may come: strangers with the right to nothing here."""

    stage: Stage
    strangers: dict[str, str]
    tokens: dict[str, str]  # of a match that is not asked about
    most_but: dict[str, str]  # keys with all scopes but the one

    @property
    def door(self) -> Door:
        return self.stage.door

    async def callers(self, of: Ready) -> dict[str, str]:
        user = {"user": signed(claims(self.door, sub="bob"))}
        if of.table is None:
            return self.strangers | self.tokens | user
        seats = {f"seat {n}": each for n, each in enumerate(of.table.tokens) if each != of.token}
        owner = self.stage.rehearsing if of.token == self.stage.rehearsing else self.door.key
        path = of.table.path
        watching = await self.door.post(path + "/spectators", owner, json={})
        judge = await self.door.post(path + "/arbiters", owner, json={"external_id": "judge"})
        own = {"spectator": watching.json()["token"], "arbiter": judge.json()["token"]}
        return self.strangers | user | seats | own


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    return sqlite_url


@pytest.fixture
def settings(settings: Settings) -> Settings:
    """Nobody waits for what is done beside the requests."""
    seldom = {"tick_seconds": 5.0, "feed_seconds": 5.0, "checkpoint_seconds": 5.0}
    return msgspec.structs.replace(settings, **seldom)


@pytest.fixture(autouse=True)
def _every_answer_is_documented() -> None:
    """It is in the tests of each door; here there are thousands of answers."""


@pytest.fixture
async def hall(door: Door) -> Hall:
    every = (await door.get("/v1/me")).json()["scopes"]
    await issuer(door)
    other = await door.post("/v1/orgs", json={"id": "others"})
    table = await door.table(seats=2)
    watching = await door.post(table.path + "/spectators", json={})
    judge = await door.post(table.path + "/arbiters", json={"external_id": "judge"})
    rehearsing = await sandbox_key(door)
    strangers = {
        "a key that observes": await key_of(door, "observe"),
        "another organisation": other.json()["secret"],
        "the sandbox": await sandbox_key(door),
        "a seat of another match": table.tokens[0],
    }
    tokens = {
        "a spectator": watching.json()["token"],
        "an arbiter": judge.json()["token"],
    }
    most_but = {
        f"all but {scope}": await key_of(door, *(each for each in every if each != scope))
        for scope in every
        if scope not in ("observe", "audit:read", "matches:manage")  # Nothing is made with these.
    }
    stage = Stage(door, await key_of(door, *every), rehearsing)
    return Hall(stage, strangers, tokens, most_but)


def rest(door: Door, path: str, name: str, of: Ready) -> Called:
    names = {**of.names} if of.table is None else {"match": of.table.match_id, **of.names}
    address = path.format(**names)

    async def send(token: str, key: str, body: Json | None) -> httpx.Response:
        headers = {"idempotency-key": key, **(bearer(token) if token else {})}
        given: Any = {} if body is None else {"json": body}
        return await door.http.post(address, headers=headers, **given)

    return Called(name, f"{name} by REST", of, send)


def graphql(door: Door, mutation: tuple[str, str, str], name: str, of: Ready) -> Called:
    query = document(*mutation)

    async def send(token: str, key: str, body: Json | None) -> httpx.Response:
        given = {**variables(name, of, body), "idempotencyKey": key}
        asked = {"query": query, "variables": {"input": given}}
        headers = {"accept": ACCEPT, **(bearer(token) if token else {})}
        return await door.http.post("/graphql", json=asked, headers=headers)

    return Called(name, f"{name} by GraphQL", of, send)


async def test_every_door_of_rest(hall: Hall) -> None:
    refused = 0
    for path, name in operations():
        if name not in CHECKED_ALONE:
            refused += await _tried(
                hall, rest(hall.door, path, name, await ready(hall.stage, name))
            )
    assert refused > 300


async def test_every_door_of_graphql(hall: Hall) -> None:
    refused, done = 0, set(CHECKED_ALONE)
    named = {mutation[0]: mutation for mutation in mutations()}
    for _, name in operations():
        mutation = named.get(RENAMED.get(name, name))
        if mutation is not None and name not in CHECKED_ALONE:
            done.add(mutation[0])
            called = graphql(hall.door, mutation, name, await ready(hall.stage, name))
            refused += await _tried(hall, called)
    assert done == set(named)
    assert refused > 200


async def _tried(hall: Hall, called: Called) -> int:
    """One door: done, running, cut off, and asked for by a key that can do less by now."""
    of, callers = called.ready, await hall.callers(called.ready)
    first = await called.sent(of.token)
    assert not is_refused(first), (called.name, first.text)
    again = told(await called.sent(of.token))
    kept = await _kept(hall.door, called.key)
    refusals = await _refusals(called, callers, is_creating=kept is not None)
    if kept is not None:
        await _nothing_with_less(called, hall.most_but)
        await _unanswered(hall, called, refusals, first)
        await _put(hall.door, called.key, kept)
    assert told(await called.sent(of.token)) == again, called.name
    await _demoted(hall, called)
    assert told(await called.sent(of.token)) == again, called.name
    return len(refusals)


async def _refusals(
    called: Called, callers: dict[str, str], *, is_creating: bool
) -> dict[str, Told]:
    """Of those who may not: everybody gets the same under the used key as under a new one."""
    found, of = {}, called.ready
    for who, token in callers.items():
        used = await called.sent(token)
        new = await called.send(token, f"{called.key} {who}", of.body)
        # Who plays or rules in the match as well may have done the same of its own.
        is_own_deed = not is_creating and who in OF_THE_MATCH and not is_refused(used)
        if is_own_deed or not is_refused(new):
            assert not is_replayed(used), (called.name, who, used.text)
            continue
        assert told(used) == told(new), (called.name, who, used.text, new.text)
        found[who] = told(new)
        if is_creating and of.other is not None:
            other = await called.send(token, called.key, of.other)
            assert told(other) == told(new), (called.name, who, other.text, new.text)
    assert len(found) >= MOST_STRANGERS, called.name
    return found


async def _nothing_with_less(called: Called, most_but: dict[str, str]) -> None:
    """Keys of the organisation with all scopes but one: those that lack one that it takes."""
    refused, of = 0, called.ready
    for who, token in most_but.items():
        new = await called.send(token, f"{called.key} {who}", of.body)
        if "not have the scope" in new.text:
            refused += 1
            used = await called.send(token, called.key, of.body)
            assert told(used) == told(new), (called.name, who, used.text, new.text)
    assert refused, called.name


async def _unanswered(
    hall: Hall, called: Called, refusals: dict[str, Told], first: httpx.Response
) -> None:
    """While it is answered, and after a crash: nobody ends it but who may make the request."""
    of, door = called.ready, hall.door
    nothing = {"status": None, "body": None, "headers": None, "at": door.clock.now}
    await _put(door, called.key, nothing)
    for is_cut_off in (False, True):
        callers = await hall.callers(of)
        for who, refusal in refusals.items():
            used = await called.sent(callers[who])
            assert told(used) == refusal, (called.name, who, is_cut_off, used.text)
        if not is_cut_off:
            running = await called.sent(of.token)
            assert "is still being answered" in running.text, called.name
            door.clock.now += CUT_OFF
    assert await _kept(door, called.key) is not None, called.name
    if called.operation in ONE_ID:
        assert (await called.sent(of.token)).content == first.content, called.name


async def _demoted(hall: Hall, called: Called) -> None:
    """The key that made the request, while it has another scope alone."""
    of, door = called.ready, hall.door
    if of.token not in (hall.stage.owner, hall.stage.rehearsing):
        return
    address = f"/v1/keys/{credentials.stored(of.token).hex()[:16]}"
    every = (await door.get("/v1/me")).json()["scopes"]
    for scopes in (["audit:read"], every):
        headers = {**bearer(door.key), "if-match": "*"}
        got = await door.http.patch(address, json={"scopes": scopes}, headers=headers)
        assert got.status_code == 200, got.text
        if scopes != every:
            used = await called.sent(of.token)
            new = await called.send(of.token, f"{called.key} demoted", of.body)
            assert "not have the scope" in new.text, called.name
            assert told(used) == told(new), (called.name, used.text, new.text)


async def _kept(door: Door, key: str) -> Json | None:
    """What is stored of a creating request of the organisation."""
    query = select(REQUEST).where(REQUEST.c.org == FIRST_ORG, REQUEST.c.key == key)
    found = await door.app.parts.database.read(lambda c: c.execute(query).mappings().first())
    return None if found is None else dict(found)


async def _put(door: Door, key: str, values: Json) -> None:
    own = (REQUEST.c.org == FIRST_ORG, REQUEST.c.key == key)
    await door.app.parts.database.write(
        lambda c: c.execute(update(REQUEST).where(*own).values(**values))
    )


def batch(**terms: Any) -> Json:
    body, _ = MADE["createBatch"]
    return {**body, "external_id": "round-3", "defaults": {**body["defaults"], **terms}}


@pytest.mark.parametrize("path", ["/v1/batches", "/v1/matches"])
async def test_a_crash_and_a_stranger_make_nothing_twice(door: Door, path: str) -> None:
    """Nor does a moment in the request that has passed by the time it is run again."""
    key, table = {"idempotency-key": "round-3"}, await door.table(seats=2)
    before = len((await door.get(path)).json()[path.removeprefix("/v1/")])
    passes = {"reveal_by": door.clock.now + CUT_OFF // 2}
    body = batch(**passes) if path == "/v1/batches" else {**MADE["createMatch"][0], **passes}
    first = await door.post(path, json=body, headers=key)
    assert first.status_code == 201, first.text
    await _put(door, "round-3", {"status": None, "body": None, "headers": None})
    door.clock.now += CUT_OFF
    for token in table.tokens:
        refused = await door.post(path, token, json=body, headers=key)
        assert (refused.status_code, refused.json()["code"]) == (403, "api-key-required")
    again = await door.post(path, json=body, headers=key)
    assert (again.status_code, again.content) == (201, first.content)
    assert len((await door.get(path)).json()[path.removeprefix("/v1/")]) == before + 1


async def test_the_successor_of_a_key_repeats_what_it_made(door: Door) -> None:
    scopes = ["matches:create", "seats:issue", "arbitrate"]
    made = (await door.post("/v1/keys", json={"name": "platform", "scopes": scopes})).json()
    key = {"idempotency-key": "round-3"}
    first = await door.post("/v1/batches", made["secret"], json=batch(), headers=key)
    rotated = await door.post(f"/v1/keys/{made['id']}/rotate", json={"overlap_seconds": 0})
    old = await door.post("/v1/batches", made["secret"], json=batch(), headers=key)
    assert (old.status_code, is_replayed(old)) == (401, False)
    new = await door.post("/v1/batches", rotated.json()["secret"], json=batch(), headers=key)
    assert (new.content, is_replayed(new)) == (first.content, True)
    less = await key_of(door, *scopes[:2])
    without = await door.post("/v1/batches", less, json=batch(), headers=key)
    assert (without.status_code, is_replayed(without)) == (403, False)  # It has arbiters' links.
