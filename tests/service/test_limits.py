"""Limits, pages of other origins, and what HTTP asks of small things."""

import asyncio
from uuid import uuid4

import msgspec
import pytest
from redis.exceptions import RedisError

from projections.redis_limits import RedisAway, RedisBuckets
from service.limits import LocalLimits, Policy, SharedLimits
from service.settings import Settings, from_environment
from tests.projections.test_redis_limits import KINDS, started
from tests.servers import ServerMissing
from tests.service.client import Table
from tests.service.conftest import Clock, Door

ORIGIN = "https://play.example.org"


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    return sqlite_url


@pytest.fixture
def settings(settings: Settings) -> Settings:
    more = {"requests_per_minute": 60, "failures_per_minute": 6, "cors_origins": (ORIGIN,)}
    return msgspec.structs.replace(settings, **more)


async def test_a_limit_is_told_and_kept(door: Door, table: Table) -> None:
    token = table.tokens[0]
    first = await door.get(table.path, token)
    assert first.headers["ratelimit-policy"] == '"requests";q=60;w=60'
    assert first.headers["ratelimit"] == '"requests";r=59;t=1'
    for left in range(58, -1, -1):
        got = await door.get(table.path + "/view", token, headers={"If-None-Match": "*"})
        assert f";r={left};" in got.headers["ratelimit"]
    refused = await door.get(table.path, token)
    assert (refused.status_code, refused.json()["code"]) == (429, "too-many-requests")
    assert refused.headers["retry-after"] == "1"
    assert ";r=0;t=1" in refused.headers["ratelimit"]
    assert (await door.get(table.path, table.tokens[1])).status_code == 200
    door.clock.now += 1000
    assert (await door.get(table.path, token)).status_code == 200


async def test_failed_tokens_are_counted_by_address(door: Door, table: Table) -> None:
    assert (await door.get(table.path, table.tokens[0])).status_code == 200
    statuses = [(await door.get(table.path, "st_none")).status_code for _ in range(8)]
    assert statuses == [401] * 6 + [429] * 2
    # Whoever is known already gets in.
    assert (await door.get(table.path, table.tokens[0])).status_code == 200
    assert (await door.get(table.path, table.tokens[1])).status_code == 429
    door.clock.now += 10_000
    assert (await door.get(table.path, table.tokens[1])).status_code == 200


async def test_a_bucket_fills_evenly() -> None:
    clock = Clock()
    limits, policy = LocalLimits(clock), Policy("x", 10)
    assert [(await limits.take(policy, "a")).is_ok for _ in range(11)] == [True] * 10 + [False]
    clock.now += 6_000
    assert [(await limits.take(policy, "a")).is_ok for _ in range(2)] == [True, False]
    assert (await limits.take(policy, "b")).left == 9
    assert (await limits.take(Policy("x", 0), "a")).headers == ()


@pytest.mark.parametrize("kind", KINDS)
async def test_processes_share_a_bucket_in_redis(kind: str) -> None:
    try:
        with started(kind) as url:
            await _assert_shared(url)
    except ServerMissing as missing:
        pytest.skip(str(missing))


async def _assert_shared(redis_url: str) -> None:
    clock = Clock()
    shared = [RedisBuckets(redis_url) for _ in range(2)]
    try:
        ours, theirs = (SharedLimits(each, clock) for each in shared)
        policy = Policy(uuid4().hex, 10)
        taken = [await limits.take(policy, "a") for _ in range(6) for limits in (ours, theirs)]
        assert [each.is_ok for each in taken].count(True) == 10
        clock.now += 6_000
        assert (await theirs.take(policy, "a")).is_ok
        assert not (await ours.take(policy, "a")).is_ok
        large = Policy(uuid4().hex, 1000)
        assert [(await ours.take(large, "a")).left for _ in range(3)] == [999, 998, 997]
    finally:
        for each in shared:
            await each.close()


async def test_without_redis_each_process_limits_by_itself() -> None:
    class Away:
        async def lease(self, name: str, **more: int) -> tuple[int, float]:
            raise ConnectionError

    limits, policy = SharedLimits(Away(), Clock()), Policy("x", 2)
    assert [(await limits.take(policy, "a")).is_ok for _ in range(3)] == [True, True, False]


async def test_many_at_once_lease_once() -> None:
    class Counting:
        leases = 0

        async def lease(self, name: str, **more: int) -> tuple[int, float]:
            self.leases += 1
            await asyncio.sleep(0)
            return more["wanted"], 0.0

    buckets = Counting()
    limits, policy = SharedLimits(buckets, Clock()), Policy("x", 1000)
    taken = await asyncio.gather(*(limits.take(policy, "a") for _ in range(20)))
    assert all(each.is_ok for each in taken)
    assert buckets.leases == 1


async def test_redis_that_is_away_is_asked_again_after_a_while() -> None:
    buckets = RedisBuckets("redis://127.0.0.1:1/0")
    try:
        for error in (RedisError, RedisAway):
            with pytest.raises(error):
                await buckets.lease("a", quota=10, window_ms=60_000, wanted=1, now=0)
    finally:
        await buckets.close()


async def test_pages_of_known_origins_may_call(door: Door, table: Table) -> None:
    got = await door.get(table.path, headers={"Origin": ORIGIN})
    assert got.headers["access-control-allow-origin"] == ORIGIN
    assert "RateLimit" in got.headers["access-control-expose-headers"]
    assert got.headers["vary"] == "Origin"
    asked = {"Origin": ORIGIN, "Access-Control-Request-Method": "POST"}
    preflight = await door.http.options(table.path + "/moves", headers=asked)
    assert preflight.status_code == 204
    assert "POST" in preflight.headers["access-control-allow-methods"]
    assert "Idempotency-Key" in preflight.headers["access-control-allow-headers"]
    other = await door.get(table.path, headers={"Origin": "https://elsewhere.example"})
    assert "access-control-allow-origin" not in other.headers
    assert other.headers["vary"] == "Origin"


async def test_negotiated_answers_vary(door: Door, table: Table) -> None:
    for path in (table.path + "/events", "/problems", "/problems/internal"):
        assert "Accept" in (await door.get(path)).headers["vary"]


async def test_documents_are_kept_briefly_under_a_tag(door: Door) -> None:
    for path in ("/openapi.json", "/docs"):
        first = await door.get(path)
        assert first.headers["cache-control"] == "public, max-age=300"
        again = await door.get(path, headers={"If-None-Match": first.headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")
    assert "content-type" not in (await door.http.get("/")).headers


async def test_an_unknown_address_has_no_options(door: Door) -> None:
    told = await door.http.options("/v1/nothing")
    assert (told.status_code, told.json()["code"]) == (404, "not-found")


async def test_unknown_parameters_are_refused_everywhere(door: Door, table: Table) -> None:
    for method, path in (
        ("POST", table.path + "/start"),
        ("DELETE", table.path + "/seats/0/tokens"),
        ("GET", "/livez"),
        ("GET", "/"),
    ):
        auth = {"Authorization": f"Bearer {door.key}"}
        refused = await door.http.request(method, path + "?x=1", headers=auth)
        assert (refused.status_code, refused.json()["code"]) == (400, "invalid-parameter")


async def test_a_body_says_what_it_is(door: Door) -> None:
    path = f"/v1/matches/{(await door.table()).match_id}/seats/0/claim"
    refused = await door.post(path, content=b'{"account": "x"}')
    assert (refused.status_code, refused.json()["code"]) == (415, "unsupported-media-type")


async def test_a_new_token_is_found_at_its_seat(door: Door, table: Table) -> None:
    issued = await door.post(table.path + "/seats/0/tokens")
    assert (await door.get(issued.headers["location"])).status_code == 200


async def test_a_seat_that_is_none_is_none_for_seats_too(door: Door, table: Table) -> None:
    for path in ("claim", "release", "resign"):
        refused = await door.post(f"{table.path}/seats/7/{path}", table.tokens[0])
        assert (refused.status_code, refused.json()["code"]) == (404, "seat-not-found")


def test_origins_are_origins() -> None:
    from service.settings import SettingRefused

    given = from_environment({"PLYSCRIBE_CORS_ORIGINS": f"{ORIGIN}, http://localhost:3000"})
    assert given.cors_origins == (ORIGIN, "http://localhost:3000")
    for wrong in ("play.example.org", "https://x/", "https://*.example"):
        with pytest.raises(SettingRefused):
            from_environment({"PLYSCRIBE_CORS_ORIGINS": wrong})
