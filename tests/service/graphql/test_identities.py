"""Scopes, spectators, users, limits and the bound on streams, over GraphQL as over REST."""

import asyncio
from typing import Any

import msgspec
import pytest

from service.graphql.events import Event, Reveal
from service.graphql.sockets import FORBIDDEN, FULL, TOO_MANY_REQUESTS, UNAUTHORIZED
from service.settings import Settings
from tests.service.client import Table
from tests.service.conftest import Door
from tests.service.graphql.asking import PLAY, ask, codes, post, ref
from tests.service.graphql.sockets import FOLLOW, Closed, Wire, socket
from tests.service.graphql.test_sse import items, stream
from tests.service.signing import signed
from tests.service.test_keys import made
from tests.service.test_spectators import moved, spectator
from tests.service.test_users import claims, issuer, listed
from tests.waiting import PATIENCE

EVERYWHERE = """
query($match: MatchRef!, $first: Int! = 100) {
  match(match: $match) { version view { version json } events(first: $first) { version } }
  view(match: $match) { version }
  events(match: $match, first: $first) { version edges { node { version } } }
}
"""
STATUS = "query($match: MatchRef!) { match(match: $match) { status seats { seat } } }"
VIEW = "query($match: MatchRef!) { view(match: $match) { viewer } }"
ME = "{ me { kind org scopes account seats delayVersions delaySeconds match { version } } }"
MATCHES = """
query($first: MatchRef!, $second: MatchRef!, $foreign: MatchRef!) {
  a: view(match: $first) { json }
  b: view(match: $second) { json }
  c: match(match: $second) { view { json } }
  d: match(match: $first) { view { json } }
  e: view(match: $foreign) { json }
}
"""
CREATE = """
mutation($accounts: [String]) {
  createMatch(input: {game: "high_card", seats: 2, accounts: $accounts, start: MANUAL}) {
    ... on CreateMatchPayload { match { matchId status seatCount options { __typename } } }
    ... on Problem { code }
  }
}
"""
CLAIM = """
mutation($match: MatchRef!, $seat: Int!) {
  claimSeat(input: {match: $match, seat: $seat}) {
    ... on ClaimSeatPayload { token match { view { viewer } } }
    ... on Problem { code }
  }
}
"""


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return msgspec.structs.replace(settings, tick_seconds=0.05)


def versions(told: Any) -> set[int]:
    if isinstance(told, list):
        return set().union(*map(versions, told))
    if not isinstance(told, dict):
        return set()
    own = {told["version"]} if isinstance(told.get("version"), int) else set()
    return own.union(*(versions(each) for name, each in told.items() if name != "edges"))


async def test_a_delayed_spectator_is_behind_on_every_field(door: Door, table: Table) -> None:
    token = await spectator(door, table, delay_seconds=60)
    match = ref(table.match_id)
    assert versions(await ask(door, EVERYWHERE, token, match=match)) == {1}
    before = (await door.get(table.path)).json()["version"]
    door.clock.now += 60_000
    now = await moved(door, table)
    assert now > before
    told = await ask(door, EVERYWHERE, token, match=match)
    assert versions(told) == {before}
    assert told["events"]["edges"][-1]["node"]["version"] == before
    assert versions(await ask(door, EVERYWHERE, match=match)) == {now}
    me = (await ask(door, ME, token))["me"]
    assert (me["kind"], me["delaySeconds"], me["match"]) == (
        "SPECTATOR_TOKEN",
        60,
        {"version": before},
    )
    assert await codes(door, "{ matches(first: 5) { edges { cursor } } }", token) == [
        "API_KEY_REQUIRED"
    ]


async def test_a_delayed_spectator_is_behind_on_every_subscription(
    door: Door, table: Table
) -> None:
    token = await spectator(door, table, delay_seconds=60)
    door.clock.now += 60_000
    before = (await door.get(table.path)).json()["version"]
    async with (
        socket(door.app, token) as wire,
        stream(door.app, token, FOLLOW, match=ref(table.match_id)) as reading,
    ):
        wire.subscribe(FOLLOW, match=ref(table.match_id))
        for version in (*range(1, before + 1), before):
            assert (await wire.data())["version"] == version
        now = await moved(door, table)
        with pytest.raises(TimeoutError):
            await wire.next(0.4)
        door.clock.now += 60_000
        for version in range(before + 1, now + 1):
            assert (await wire.data())["version"] == version
        said = await reading.until(b"id: %d\n" % now)
        assert [identity for identity, _ in items(said)].count(before) == 2  # and CaughtUp
    async with socket(door.app, token) as wire:
        wire.subscribe("subscription { decisions { version } }")
        assert (await wire.next())["payload"][0]["extensions"]["code"] == "SEAT_TOKEN_REQUIRED"


async def test_a_key_does_what_its_scopes_say(door: Door, table: Table) -> None:
    match = ref(table.match_id)
    reads = (await made(door, "matches:read"))["secret"]
    assert (await ask(door, STATUS, reads, match=match))["match"]["status"] == "RUNNING"
    assert await codes(door, VIEW, reads, match=match) == ["SCOPE_MISSING"]
    assert await codes(door, CREATE, reads) == ["SCOPE_MISSING"]
    assert await codes(door, CLAIM, reads, match=match, seat=0) == ["SCOPE_MISSING"]
    async with socket(door.app, reads) as wire:
        wire.subscribe(FOLLOW, match=match)
        assert (await wire.next())["payload"][0]["extensions"]["code"] == "SCOPE_MISSING"
    creates = (await made(door, "matches:create"))["secret"]
    new = (await ask(door, CREATE, creates))["createMatch"]["match"]
    assert (new["status"], new["seatCount"]) == ("SEATING", 2)
    assert await codes(door, STATUS, creates, match=ref(new["matchId"])) == ["SCOPE_MISSING"]
    watches = (await made(door, "observe"))["secret"]
    assert (await ask(door, VIEW, watches, match=match))["view"] == {"viewer": None}


async def test_a_user_is_one_at_a_match_that_is_named(door: Door) -> None:
    await issuer(door)
    match_id = (await listed(door, "ada", "bob")).rpartition("/")[2]
    ada, bob, eve = (signed(claims(door, sub=name)) for name in ("ada", "bob", "eve"))
    match = ref(match_id)
    for seat, token in enumerate((ada, bob)):
        claimed = await ask(door, CLAIM, token, match=match, seat=seat)
        assert claimed["claimSeat"] == {"token": None, "match": {"view": {"viewer": seat}}}
    assert await codes(door, VIEW, eve, match=match) == ["UNAUTHORIZED"]
    assert await codes(door, ME, ada) == ["UNAUTHORIZED"]
    query = "query($match: MatchRef!) { decision(match: $match) { decision { id offersJson } } }"
    asked = (await ask(door, query, ada, match=match))["decision"]["decision"]
    moves = (
        "query($match: MatchRef!) { moves(match: $match, first: 1) { edges { node { moveJson }}}}"
    )
    (edge,) = (await ask(door, moves, ada, match=match))["moves"]["edges"]
    given = {"match": match, "decision": asked["id"], "move": edge["node"]["moveJson"]}
    assert (await ask(door, PLAY, ada, **given))["playMove"]["__typename"] == "PlayMovePayload"
    got = await door.http.post(
        f"/graphql?match={match_id}",
        json={"query": ME},
        headers={"Authorization": f"Bearer {ada}"},
    )
    me = got.json()["data"]["me"]
    assert (me["kind"], me["account"], me["seats"]) == ("USER", "ada", [0])
    assert got.headers["ratelimit"]


async def test_a_user_holds_a_socket_at_a_match_until_the_token_ends(door: Door) -> None:
    await issuer(door)
    match_id = (await listed(door, "bob", "ada")).rpartition("/")[2]
    ada = signed(claims(door))
    await ask(door, CLAIM, ada, match=ref(match_id), seat=1)
    await ask(door, CLAIM, match=ref(match_id), seat=0)
    async with socket(door.app, None) as wire:
        _init(wire, ada, match=match_id, seat=2)
        assert await wire.closed() == UNAUTHORIZED[0]
    async with socket(door.app, None) as wire:
        _init(wire, ada, match=match_id, seat=1)
        assert (await wire.next())["type"] == "connection_ack"
        wire.subscribe(VIEW, match=ref(match_id))
        assert await wire.data() == {"viewer": 1}
        assert (await wire.next())["type"] == "complete"
        wire.subscribe(FOLLOW, match=ref(match_id))
        await wire.data()
        door.clock.now += 300_000
        assert await wire.closed() == FORBIDDEN[0]


def _init(wire: Wire, token: str, **more: Any) -> None:
    wire.tell(type="connection_init", payload={"authorization": f"Bearer {token}", **more})


async def test_one_user_on_one_socket_is_another_caller_at_each_match(door: Door) -> None:
    """And what was loaded for one of them is no answer to another, now or in a later operation."""
    await issuer(door)
    first, second, foreign = [
        (await listed(door, *names)).rpartition("/")[2]
        for names in (("ada", "bob"), ("bob", "ada"), ("bob", "eve"))
    ]
    ada, bob = (signed(claims(door, sub=name)) for name in ("ada", "bob"))
    for match_id, seats in ((first, (ada, bob)), (second, (bob, ada))):
        for seat, token in enumerate(seats):
            await ask(door, CLAIM, token, match=ref(match_id), seat=seat)
    rest = {
        match_id: (await door.get(f"/v1/matches/{match_id}/view", ada)).json()
        for match_id in (first, second)
    }
    assert [each["viewer"] for each in rest.values()] == [0, 1]
    asked: dict[str, Any] = {"first": ref(first), "second": ref(second), "foreign": ref(foreign)}
    async with socket(door.app, None) as wire:
        _init(wire, ada, match=first)
        assert (await wire.next())["type"] == "connection_ack"
        for _ in range(2):
            wire.subscribe(MATCHES, **asked)
            payload = (await wire.next())["payload"]
            seen = payload["data"]
            assert [seen["a"]["json"], seen["b"]["json"]] == list(rest.values())
            assert [seen["c"]["view"]["json"], seen["d"]["view"]["json"]] == [*rest.values()][::-1]
            assert seen["e"] is None
            assert [e["extensions"]["code"] for e in payload["errors"]] == ["UNAUTHORIZED"]
            assert (await wire.next())["type"] == "complete"
        third = (await listed(door, "ada", "bob")).rpartition("/")[2]
        await ask(door, CLAIM, ada, match=ref(third), seat=0)
        for viewer in (0, None):
            wire.subscribe(VIEW, match=ref(third))
            assert await wire.data() == {"viewer": viewer}
            assert (await wire.next())["type"] == "complete"
            await door.post(f"/v1/matches/{third}/seats/0/release")


@pytest.mark.parametrize("kind", ["key", "spectator"])
async def test_a_token_that_runs_out_closes_the_socket_of_a_silent_match(
    door: Door, table: Table, kind: str
) -> None:
    ends = door.clock.now + 1000
    token = (
        (await made(door, "observe", expires_at=ends))["secret"]
        if kind == "key"
        else await spectator(door, table, expires_at=ends)
    )
    version = (await door.get(table.path)).json()["version"]
    async with socket(door.app, token) as wire, socket(door.app, token) as idle:
        wire.subscribe(FOLLOW, match=ref(table.match_id), after=version)
        assert (await wire.data())["__typename"] == "CaughtUp"
        door.clock.now = ends
        assert await wire.closed() == FORBIDDEN[0]
        idle.subscribe(VIEW, match=ref(table.match_id))
        assert await idle.closed() == FORBIDDEN[0]
    async with socket(door.app, None) as wire:
        _init(wire, token)
        assert await wire.closed() == UNAUTHORIZED[0]


async def test_rights_are_looked_up_before_each_event(
    door: Door, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An event that is there already is not delivered either, once the token has ended."""
    token = (await made(door, "observe", expires_at=door.clock.now + 1000))["secret"]
    async with socket(door.app, token) as wire:
        wire.pause()
        wire.subscribe(FOLLOW, match=ref(table.match_id))
        await wire.held()
        door.clock.now += 1000
        wire.flow()
        assert (await wire.data())["version"] == 1  # It was being written when the token ended.
        with pytest.raises(Closed) as closed:
            await wire.next()
        assert closed.value.code == FORBIDDEN[0]


def test_what_watchers_share_depends_on_nobody() -> None:
    """An event is encoded once for all who see it alike: no field of it may ask who is asking."""
    kinds: tuple[Any, ...] = (Event, Reveal)
    for kind in kinds:
        for field in kind.__strawberry_definition__.fields:
            resolver = field.base_resolver
            assert resolver is None or not resolver.arguments
            assert resolver is None or resolver.info_parameter is None


async def test_a_revoked_spectator_is_cut_off(door: Door, table: Table) -> None:
    issued = await door.post(table.path + "/spectators", json={})
    token = issued.json()["token"]
    async with socket(door.app, token) as wire:
        wire.subscribe(FOLLOW, match=ref(table.match_id))
        await wire.data()
        gone = await door.delete(issued.headers["location"])
        assert gone.status_code == 204
        assert await wire.closed() == FORBIDDEN[0]


async def test_limits_are_told_and_kept(
    door: Door, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    token, match = table.tokens[0], ref(table.match_id)
    narrow = msgspec.structs.replace(door.app.parts.settings, requests_per_minute=60)
    object.__setattr__(door.app.parts, "settings", narrow)
    first = await post(door, VIEW, token, match=match)
    assert first.headers["ratelimit-policy"] == '"requests";q=60;w=60'
    left = int(first.headers["ratelimit"].split(";r=")[1].split(";")[0])
    async with socket(door.app, token) as wire:
        for _ in range(left - 1):
            wire.subscribe(VIEW, match=match)
            await wire.data()
            assert (await wire.next())["type"] == "complete"
        wire.subscribe(VIEW, match=match)
        told = await wire.next()
        assert told["payload"][0]["extensions"]["code"] == "TOO_MANY_REQUESTS"
    refused = await post(door, VIEW, token, match=match)
    assert (refused.status_code, refused.headers["retry-after"]) == (429, "1")
    async with socket(door.app, None) as wire:
        _init(wire, token)
        assert await wire.closed() == TOO_MANY_REQUESTS[0]


async def test_a_users_limit_holds_before_anything_is_told(door: Door) -> None:
    """Also where only the operation says at which match the token is to be tried."""
    await issuer(door)
    match_id = (await listed(door, "ada", "bob")).rpartition("/")[2]
    ada, match = signed(claims(door)), ref(match_id)
    narrow = msgspec.structs.replace(door.app.parts.settings, requests_per_minute=2)
    object.__setattr__(door.app.parts, "settings", narrow)
    for left in (1, 0):
        got = await post(door, STATUS, ada, match=match)
        assert f";r={left};" in got.headers["ratelimit"]
    refused = (
        await post(door, STATUS, ada, match=match),
        await post(door, STATUS.replace("{", "{ __typename", 1), ada, match=match),
        await post(door, CLAIM, ada, match=match, seat=0),
        await door.get(f"/v1/matches/{match_id}", ada),
    )
    for got in refused:
        assert (got.status_code, got.headers["retry-after"]) == (429, "30")
        assert ";r=0;" in got.headers["ratelimit"]
    for query in (STATUS, FOLLOW):
        async with stream(door.app, ada, query, match=match) as reading:
            await reading.rest()
            assert (reading.status, reading.headers["retry-after"]) == (429, "30")
    door.clock.now += 30_000
    async with stream(door.app, ada, FOLLOW, match=match) as reading:
        assert await reading.until(b"id: 1\n")
        assert ";r=0;" in reading.headers["ratelimit"]


async def test_failed_tokens_are_counted_by_address(door: Door, table: Table) -> None:
    narrow = msgspec.structs.replace(door.app.parts.settings, failures_per_minute=3)
    object.__setattr__(door.app.parts, "settings", narrow)
    got = [(await post(door, ME, "st_none")).status_code for _ in range(5)]
    assert got == [401] * 3 + [429] * 2


async def test_streams_are_bounded(
    door: Door, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = ref(table.match_id)
    monkeypatch.setattr(door.app.parts.streams, "_most", 2)
    async with socket(door.app, door.key) as wire:
        wire.subscribe(FOLLOW, match=match)
        await wire.data()
        wire.subscribe(FOLLOW, identity="2", match=match)
        found: list[Any] = []
        async with asyncio.timeout(PATIENCE):
            while not found:
                told = await wire.next()
                found = [told] if told["id"] == "2" else []
        assert found[0]["payload"][0]["extensions"]["code"] == "TOO_MANY_STREAMS"
        async with socket(door.app, None) as other:
            assert await other.closed() == FULL[0]
        async with stream(door.app, door.key, FOLLOW, match=match) as reading:
            assert b"too-many-streams" in await reading.rest()
    async with stream(door.app, door.key, FOLLOW, match=match) as reading:
        assert await reading.until(b"id: 1\n")
