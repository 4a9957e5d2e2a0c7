"""What a deal group in play tells: everything asked by everybody, before and after hidden play.

One match of the group is played on and ended. Whoever is neither at its seat nor an arbiter gets
the same bytes as before on every channel, but for the one word *started* that becomes *over*.
"""

import asyncio
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest

from events.match import Match
from service import contract
from service.app import build
from service.callers import Scope
from service.committing import loaded
from service.graphql.ids import DEAL_GROUP, MATCH, node_id
from service.settings import Settings
from tests.secrecy.addresses import below_match
from tests.secrecy.channels import PLAYED, WATCHED
from tests.service.client import Table, bearer, decision_of
from tests.service.conftest import KEY, SECRET, Clock, Door
from tests.service.driving import reading
from tests.service.graphql.asking import ACCEPT
from tests.service.graphql.sockets import FOLLOW
from tests.service.graphql.test_sse import stream
from tests.service.grouping import Group, key_of, log_of, moved, opened, played, revealed
from tests.service.test_disputes import reviewed, ruled

SSE, NDJSON = "text/event-stream", "application/x-ndjson"
LISTED = """
query { matches(first: 20) { edges { cursor node {
  matchId version head createdAt result { note scores } status } } } }
"""
GROUPED = """
query($group: DealGroupRef!) {
  dealGroup(group: $group) { state endedBy endedAt seed tables { matchId entrants state } }
}
"""
COMPARED = """
query($group: DealGroupRef!) {
  standings(group: $group) { state final standings { seat rank score matchId } }
}
"""


class Probed(msgspec.Struct):
    """A group with its first match about to be played, and who asks by name."""

    door: Door
    group: Group
    others: dict[str, str]
    dispute: int = 9  # the version that opens it, or would

    @property
    def hidden(self) -> Table:
        return self.group.tables[0]


@pytest.fixture
async def probed(sqlite_url: str, tmp_path: Path) -> AsyncIterator[Probed]:
    settings = Settings(
        data_dir=tmp_path,
        database_url=sqlite_url,
        secret_key=SECRET,
        admin_key=KEY,
        tick_seconds=0.1,
        keep_alive_seconds=300,
        long_poll_seconds=60,
        requests_per_minute=0,
        failures_per_minute=0,
    )
    clock = Clock()
    async with build(settings, clock=clock).running() as app:
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url="http://door") as http:
            door = Door(http, app, clock)
            group = await opened(door, ["ada"], ["bob"], ["cyd"])
            yield Probed(door, group, await _others(door, group))


async def _others(door: Door, group: Group) -> dict[str, str]:
    """Everybody but the seat of the first match and arbiters."""
    path = group.tables[0].path + "/spectators"
    watching = await door.post(path, group.organiser, json={})
    behind = await door.post(path, group.organiser, json={"delay_versions": 1})
    return {
        "organiser": group.organiser,
        "observer": await key_of(door, "observe"),
        "reader": await key_of(door, "matches:read"),
        "spectator": watching.json()["token"],
        "delayed": behind.json()["token"],
        "entrant": group.tables[1].tokens[0],
        "nobody": "st_" + "a" * 43,
    }


def addresses(probed: Probed) -> list[str]:
    """Everything there is to GET about the match and its group."""
    match, group = probed.hidden.path, probed.group.path
    below = below_match(probed.dispute)
    lists = ["/v1/matches", "/v1/matches?limit=1", "/v1/matches?game=ambagibus", "/v1/deal-groups"]
    lists += ["/v1/deal-groups?state=running", "/v1/deal-groups?state=revealed"]
    lists += ["/v1/results", "/v1/results?after=1&limit=1", "/v1/batches"]
    lists += [f"/v1/matches?status={each}" for each in ("under_review", "void", "cancelled")]
    return [*(match + each for each in below), group, group + "/standings", *lists, "/v1/me"]


def posts(probed: Probed) -> list[tuple[str, Any]]:
    """What others may try to do; each is refused, or was done before."""
    match, move = probed.hidden.path, {"decision": "4.0", "move": {"type": "place"}}
    dispute = f"{match}/disputes/{probed.dispute}"
    return [
        (match + "/moves", move),
        (match + "/moves", {**move, "decision": "9.0"}),
        (match + "/moves/validate", move),
        (match + "/seats/0/claim", {}),
        (match + "/seats/0/release", None),
        (match + "/seats/0/resign", None),
        (match + "/seats/7/resign", None),
        (match + "/start", None),
        (match + "/cancel", None),
        (probed.group.path + "/close", None),
        (match + "/disputes", {"about": 1, "claim": "No"}),
        (match + "/disputes", {"about": 9, "claim": "No", "account": "dan"}),
        (dispute + "/review", {"pause": True}),
        (dispute + "/rulings", {"ruling": {"type": "void"}, "reason": "So"}),
        (dispute + "/appeal", {"reason": "No"}),
        (dispute + "/close", {}),
        (match + "/takebacks", None),
        (match + "/takebacks/9/consent", None),
        (match + "/takebacks/9/refuse", None),
        (match + "/draws", None),
        (match + "/draws/9/accept", None),
        (match + "/draws/9/refuse", None),
    ]


def test_there_is_no_address_of_a_match_or_a_group_that_is_not_asked(probed: Probed) -> None:
    match, group = probed.hidden.path, probed.group.path
    asked = {path.partition("?")[0] for path in addresses(probed)}
    for path, operations in contract.document()["paths"].items():
        if "get" not in operations or not path.startswith(("/v1/matches", "/v1/deal-groups")):
            continue
        named = path.replace("/v1/matches/{match}", match).replace("/v1/deal-groups/{group}", group)
        form = re.compile(re.sub(r"\\{\w+\\}", "[^/]+", re.escape(named)))
        assert any(form.fullmatch(each) for each in asked), path


async def received(probed: Probed, token: str, *more: str) -> list[object]:
    """Status, headers and bytes of everything and of `more`, as one other caller gets it."""
    http, got = probed.door.http, list[object]()
    headers = {**bearer(token), "x-request-id": "x"}

    async def take(method: str, path: str, body: Any = None, **named: str) -> httpx.Response:
        sent = {} if body is None else {"json": body}
        told = await http.request(method, path, headers={**headers, **named}, **sent)
        got.append((method, path, told.status_code, sorted(told.headers.items()), told.content))
        return told

    for path in (*addresses(probed), *more):
        told = await take("GET", path)
        await take("HEAD", path)
        if "etag" in told.headers:
            await take("GET", path, **{"if-none-match": told.headers["etag"]})
        await take("GET", path, **{"if-none-match": '"1.9.public"'})
    for path, body in posts(probed):
        await take("POST", path, body)
    match = {"id": node_id(MATCH, probed.hidden.match_id)}
    named = {"match": match, "group": {"id": node_id(DEAL_GROUP, probed.group.id)}}
    for query in (WATCHED, PLAYED, LISTED, GROUPED, COMPARED):
        own = {name: value for name, value in named.items() if f"${name}" in query}
        body = {"query": query, "variables": own}
        await take("POST", "/graphql", body, accept=ACCEPT)
    return got


def but_for_over(got: list[object], probed: Probed) -> list[object]:
    """With the one word that may change made the same, and what is computed from it."""
    text = repr(got)
    text = text.replace('"state":"over"', '"state":"started"')
    text = text.replace('"status":"over"', '"status":"running"')
    text = text.replace('"status":"OVER"', '"status":"RUNNING"')
    text = text.replace('"state":"OVER"', '"state":"STARTED"')
    text = text.replace(".over", "")
    text = re.sub(r"'content-length', '\d+'", "'content-length', ''", text)
    tag = r"('etag', '\"1\.)[0-9a-f]{32}"  # of a group: over its bytes
    return [re.sub(tag, r"\1", text)]


async def test_play_that_is_hidden_changes_no_byte(probed: Probed) -> None:
    before = {name: await received(probed, token) for name, token in probed.others.items()}
    for seed in range(3):
        if (await decision_of(probed.door.http, probed.hidden, 0))["status"] == "running":
            await moved(probed.door, probed.hidden, seed)
    if (await decision_of(probed.door.http, probed.hidden, 0))["status"] == "running":
        for name, token in probed.others.items():
            assert await received(probed, token) == before[name], name
    await played(probed.door, probed.hidden)
    for name, token in probed.others.items():
        after = await received(probed, token)
        assert but_for_over(after, probed) == but_for_over(before[name], probed), name


async def nobody_is_apart(*asked: Any) -> set[str]:
    return set()


async def as_it_is(parts: Any, caller: Any, match_id: str) -> Match:
    return await loaded(parts, match_id)


async def ahead(probed: Probed) -> None:
    """The next event of the hidden match will open the dispute that is asked for."""
    shown = (await probed.door.get(probed.hidden.path)).json()
    probed.dispute = shown["version"] + 1


async def disputed(probed: Probed) -> str:
    """The path of the dispute, under review: the match is paused."""
    path = await reviewed(probed.door, probed.hidden)
    assert path == f"{probed.hidden.path}/disputes/{probed.dispute}"
    return path


async def test_a_dispute_changes_no_byte(probed: Probed) -> None:
    door, hidden = probed.door, probed.hidden
    more = [f"/v1/matches?status={each}" for each in ("running", "over")]
    await ahead(probed)
    before = {name: await received(probed, own, *more) for name, own in probed.others.items()}
    path = await disputed(probed)
    for name, token in probed.others.items():
        assert await received(probed, token, *more) == before[name], name
    assert (await door.get(f"{hidden.path}/view?as=0&at=4")).status_code == 200
    done = await ruled(door, path, {"type": "rewind", "to": 4})
    assert done.status_code == 200, done.text
    for name, token in probed.others.items():
        assert await received(probed, token, *more) == before[name], name
    alone = {name: await received(probed, token) for name, token in probed.others.items()}
    done = await ruled(door, await reviewed(door, hidden), {"type": "void"})
    assert done.status_code == 200, done.text
    for name, token in probed.others.items():
        after = await received(probed, token)
        assert but_for_over(after, probed) == but_for_over(alone[name], probed), name


@pytest.mark.parametrize(
    ("place", "leak"),
    [
        ("service.queries.told_apart", lambda status: status),
        ("service.disputes.shown", as_it_is),
        ("service.looking.shown", as_it_is),
    ],
    ids=("status", "disputes", "looks"),
)
async def test_the_probes_see_a_dispute_that_leaks(
    probed: Probed, monkeypatch: pytest.MonkeyPatch, place: str, leak: Any
) -> None:
    monkeypatch.setattr(place, leak)
    await ahead(probed)
    before = await received(probed, probed.others["observer"])
    await disputed(probed)
    assert await received(probed, probed.others["observer"]) != before


@pytest.mark.parametrize(
    ("place", "leak"),
    [
        ("service.spectating.is_apart", lambda caller, current: False),
        ("service.queries.groups_apart", nobody_is_apart),
        ("service.standings.OPEN_TO", Scope.MATCHES_READ),
    ],
    ids=("match", "list", "standings"),
)
async def test_the_probes_see_a_leak(
    probed: Probed, monkeypatch: pytest.MonkeyPatch, place: str, leak: Any
) -> None:
    monkeypatch.setattr(place, leak)
    before = await received(probed, probed.others["organiser"])
    await played(probed.door, probed.hidden)
    after = await received(probed, probed.others["organiser"])
    assert but_for_over(after, probed) != but_for_over(before, probed)


async def test_who_asks_first_after_the_end_learns_no_more(probed: Probed) -> None:
    """Nothing was asked before, so nothing can have been kept from before."""
    await played(probed.door, probed.hidden)
    own = probed.hidden.tokens[0]
    log = (await probed.door.get(probed.hidden.path + "/events?limit=500", own)).json()
    drawn = [each for each in log["events"] if each["kind"] == "chance_drawn"]
    cards = {each["move"]["card"] for each in log["events"] if (each.get("move") or {}).get("card")}
    assert drawn
    for name, token in probed.others.items():
        said = repr(await received(probed, token))
        assert "chance_drawn" not in said, name
        assert "move_played" not in said, name
        assert log["head"] not in said, name
        assert not re.search(rf'"version":{log["version"]}\b', said), name
        for card in cards:
            assert f'"{card}"' not in said, (name, card)


async def test_the_same_shuffle_stays_hidden_from_the_others(probed: Probed) -> None:
    """What is still to come for one is on the table of another who is further on."""
    door, (one, two, three) = probed.door, probed.group.tables
    await played(door, one)
    await moved(door, two)
    far = await _shown_cards(door, one)
    near = await _shown_cards(door, two)
    assert far[: len(near)] == near or near[: len(far)] == far
    for table in (two, three):
        said = (await door.get(table.path + "/events?limit=500", table.tokens[0])).text
        said += (await door.get(table.path + "/view", table.tokens[0])).text
        assert '"picks"' not in said
    for table in (two, three):
        await played(door, table)
    await revealed(door, probed.group)
    logs = [await log_of(door, table) for table in probed.group.tables]
    picks = [[e["picks"] for e in log if e["kind"] == "chance_drawn"] for log in logs]
    assert picks[0] == picks[1] == picks[2]


async def _shown_cards(door: Door, table: Table) -> list[Any]:
    """The cards as they came, which the seat itself sees one by one."""
    view = (await door.get(f"{table.path}/view?at=4", table.tokens[0])).json()
    return [view["view"]["current"]]


@pytest.mark.parametrize("accept", [SSE, NDJSON])
async def test_no_stream_of_others_stirs(probed: Probed, accept: str) -> None:
    names = ("organiser", "observer", "spectator", "delayed")
    for name in names:
        token = probed.others[name]
        path = probed.hidden.path + "/events"
        async with reading(probed.door.app, path, token, accept) as feed:
            await feed.until(b'"version":2' if name == "delayed" else b"match_started")
            if (await decision_of(probed.door.http, probed.hidden, 0))["status"] == "running":
                await moved(probed.door, probed.hidden)
            with pytest.raises(TimeoutError):
                await feed.part(0.4)


async def test_no_subscription_of_others_stirs(probed: Probed) -> None:
    named = {"id": node_id(MATCH, probed.hidden.match_id)}
    token = probed.others["spectator"]
    async with stream(probed.door.app, token, FOLLOW, match=named) as feed:
        await feed.until(b"CaughtUp")
        await moved(probed.door, probed.hidden)
        with pytest.raises(TimeoutError):
            await feed.part(0.4)


async def test_no_long_poll_of_others_wakes(probed: Probed) -> None:
    for name in ("organiser", "observer", "spectator"):
        path, token = f"{probed.hidden.path}/events?after=3", probed.others[name]
        polling = asyncio.create_task(probed.door.get(f"{path}&wait=60", token))
        await asyncio.sleep(0.05)
        if (await decision_of(probed.door.http, probed.hidden, 0))["status"] == "running":
            await moved(probed.door, probed.hidden)
        assert not (await asyncio.wait((polling,), timeout=0.3))[0], name
        polling.cancel()
        assert (await probed.door.get(path, token)).json()["events"] == []


async def test_streams_of_others_go_on_to_the_end_once_all_is_revealed(probed: Probed) -> None:
    path, token = probed.hidden.path + "/events", probed.others["spectator"]
    async with reading(probed.door.app, path, token, SSE) as feed:
        await feed.until(b"match_started")
        for table in probed.group.tables:
            await played(probed.door, table)
        await feed.until(b"event: end")
    for name in ("organiser", "observer", "spectator"):
        own = await probed.door.get(path + "?perspective=full", probed.others[name])
        assert own.status_code == 200
    line = (await probed.door.get(probed.hidden.path, probed.others["reader"])).json()
    assert (line["revealed"], line["result"] is None) == (True, False)


async def test_a_key_that_is_no_arbiter_any_more_is_put_apart(probed: Probed) -> None:
    door, path = probed.door, probed.hidden.path + "/events"
    made = await door.post("/v1/keys", json={"name": "a", "scopes": ["observe", "arbitrate"]})
    secret, own = made.json()["secret"], made.headers["location"]
    async with reading(door.app, path, secret, SSE) as feed:
        await feed.until(b"chance_drawn")
        tag = {"if-match": made.headers["etag"], **bearer(door.key)}
        changed = await door.http.patch(own, json={"scopes": ["observe"]}, headers=tag)
        assert changed.status_code == 200
        await feed.rest(5)
    events = (await door.get(path, secret)).json()["events"]
    assert [each["kind"] for each in events][-1] == "match_started"


async def test_arbiters_and_the_own_seat_see_it_all(probed: Probed) -> None:
    await moved(probed.door, probed.hidden)
    for token in (KEY, probed.hidden.tokens[0]):
        shown = (await probed.door.get(probed.hidden.path, token)).json()
        assert shown["version"] > 4
        events = (await probed.door.get(probed.hidden.path + "/events", token)).json()
        assert events["version"] == shown["version"]
