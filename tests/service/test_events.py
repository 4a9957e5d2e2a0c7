"""Events as pages, long polls, server-sent events and lines: the same for each, and none lost."""

import asyncio
import re
from random import Random
from typing import Any

import httpx
import msgspec
import pytest

from projections.news import News
from service.settings import Settings
from tests.service.client import Table, answer, bearer, decision_of, play_out, random_move
from tests.service.conftest import Door
from tests.service.driving import reading
from tests.waiting import PATIENCE

SSE = "text/event-stream"
NDJSON = "application/x-ndjson"


async def step(door: Door, table: Table) -> None:
    """One answer of whoever is asked first."""
    asked = (await door.get(table.path)).json()["asked"]
    seat = asked["seats"][0]
    shown = await decision_of(door.http, table, seat)
    move = random_move(shown["decision"]["offers"], Random(shown["version"]))
    done = await answer(door.http, table, seat, shown["decision"]["id"], move)
    assert done.status_code == 200, done.text


async def all_events(door: Door, table: Table, token: str, **params: Any) -> list[Any]:
    """Every event, read in small pages."""
    events: list[Any] = []
    after = 0
    while True:
        query = {"after": after, "limit": 7, **params}
        page = (await door.get(table.path + "/events", token, params=query)).json()
        events += page["events"]
        if not page["events"]:
            return events
        after = page["after"]


def ids_of(stream: bytes) -> list[int]:
    return [int(each) for each in re.findall(rb"^id: (\d+)$", stream, re.MULTILINE)]


async def test_every_viewer_sees_one_sequence_of_versions(door: Door, table: Table) -> None:
    await play_out(door.http, table, 4)
    head = (await door.get(table.path)).json()["version"]
    for token in (door.key, *table.tokens):
        events = await all_events(door, table, token)
        assert [each["version"] for each in events] == list(range(1, head + 1))


async def test_a_page_tells_where_to_go_on(door: Door, table: Table) -> None:
    page = (await door.get(table.path + "/events", params={"after": 2, "limit": 2})).json()
    assert [each["version"] for each in page["events"]] == [3, 4]
    assert page["after"] == 4
    match = (await door.get(table.path)).json()
    assert (page["version"], page["head"]) == (match["version"], match["head"])
    last = match["version"]
    end = (await door.get(table.path + "/events", params={"after": last})).json()
    assert (end["events"], end["after"]) == ([], last)


async def test_each_viewer_sees_what_is_hers(door: Door, table: Table) -> None:
    deals = []
    for token in (door.key, *table.tokens):
        events = await all_events(door, table, token)
        (deal,) = [each for each in events if each["kind"] == "chance_drawn"]
        deals.append([card for card in deal["move"]["cards"] if card is not None])
    assert deals[0] == []
    assert [len(each) for each in deals[1:]] == [2, 2, 2]


async def test_a_long_poll_waits_for_news(door: Door, table: Table) -> None:
    version = (await door.get(table.path)).json()["version"]
    params = {"after": version, "wait": 60}
    waiting = asyncio.create_task(door.get(table.path + "/events", params=params))
    await asyncio.sleep(0.05)
    assert not waiting.done()
    await step(door, table)
    page = (await waiting).json()
    assert [each["version"] for each in page["events"]] == [version + 1]


async def test_a_long_poll_on_a_finished_match_does_not_wait(door: Door, table: Table) -> None:
    last = (await play_out(door.http, table, 4))["version"]
    async with asyncio.timeout(PATIENCE):
        query = {"after": last, "wait": 600}
        page = (await door.get(table.path + "/events", params=query)).json()
    assert page["events"] == []
    assert page["version"] == last


@pytest.mark.parametrize("media", ["application/json", "text/event-stream", "application/x-ndjson"])
async def test_a_cursor_beyond_the_last_event_is_refused(
    door: Door, table: Table, media: str
) -> None:
    """It would skip in silence what is yet to come."""
    last = (await door.get(table.path)).json()["version"]
    found = await door.get(
        table.path + "/events", params={"after": last + 1}, headers={"Accept": media}
    )
    assert (found.status_code, found.json()["code"]) == (404, "version-not-found")


async def test_a_long_poll_without_news_is_empty(door: Door, table: Table) -> None:
    version = (await door.get(table.path)).json()["version"]
    params = {"after": version, "wait": 1}
    page = await door.get(table.path + "/events", params=params)
    assert (page.status_code, page.json()["events"]) == (200, [])


@pytest.mark.parametrize("viewer", [-1, 0, 1])
async def test_streams_say_what_pages_say(door: Door, table: Table, viewer: int) -> None:
    token = door.key if viewer < 0 else table.tokens[viewer]
    path = table.path + "/events"
    async with (
        reading(door.app, path, token, SSE) as sse,
        reading(door.app, path, token, NDJSON) as lines,
    ):
        await play_out(door.http, table, 2)
        sent, written = await sse.rest(), await lines.rest()
    events = await all_events(door, table, token)
    told = [msgspec.json.decode(each) for each in re.findall(rb"^data: (.*)$", sent, re.MULTILINE)]
    assert told == [*events, {"version": len(events)}]
    assert ids_of(sent) == [*range(1, len(events) + 1), len(events)]
    assert [msgspec.json.decode(each) for each in written.splitlines() if each] == events
    assert sse.headers["content-type"] == SSE
    assert lines.headers["content-type"] == NDJSON


async def test_a_stream_dropped_at_every_event_tells_the_same_bytes(
    door: Door, table: Table
) -> None:
    await play_out(door.http, table, 6)
    path, token = table.path + "/events", table.tokens[1]
    async with reading(door.app, path, token, SSE) as whole:
        unbroken = await whole.rest()
    head = ids_of(unbroken)[-1]
    pieces = unbroken.split(b"\n\n")[1:]
    for last in range(head):
        async with reading(door.app, path, token, SSE, Last_Event_ID=str(last)) as resumed:
            sent = await resumed.rest()
        assert sent.split(b"\n\n")[1:] == pieces[last:]


async def test_a_stream_dropped_while_the_match_goes_on_loses_nothing(
    door: Door, table: Table
) -> None:
    path, token = table.path + "/events", table.tokens[2]
    seen, last = b"", 0
    playing = asyncio.create_task(play_out(door.http, table, 8))
    while b"event: end" not in seen:
        async with reading(door.app, path, token, SSE, Last_Event_ID=str(last)) as stream:
            await stream.part()
            sent = await stream.until(b"\n\n")
        seen += sent.replace(b": nothing new\n\n", b"")
        last = max([last, *ids_of(sent)])
    await playing
    async with reading(door.app, path, token, SSE) as whole:
        assert (await whole.rest()).removeprefix(b"retry: 2000\n\n") == seen


async def test_an_idle_stream_is_kept_alive(door: Door, table: Table) -> None:
    path, version = table.path + "/events", (await door.get(table.path)).json()["version"]
    async with reading(door.app, path, door.key, SSE, f"after={version}") as stream:
        assert await stream.until(b": nothing new\n\n")
    async with reading(door.app, path, door.key, NDJSON, f"after={version}") as stream:
        assert await stream.part() == b"\n"


async def test_lost_hints_cost_a_tick(
    door: Door, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, version = table.path + "/events", (await door.get(table.path)).json()["version"]
    announce = News.announce

    def deaf(self: News, hints: Any) -> None:
        if isinstance(hints, tuple):
            return  # What a commit announces; the tick gives the items of a dict.
        announce(self, hints)

    monkeypatch.setattr(News, "announce", deaf)
    async with reading(door.app, path, door.key, SSE, f"after={version}") as stream:
        await stream.part()
        await step(door, table)
        sent = await stream.until(b"id: %d\n" % (version + 1))
    assert ids_of(sent) == [version + 1]


async def test_doubled_and_reordered_hints_do_no_harm(door: Door, table: Table) -> None:
    path, news = table.path + "/events", door.app.parts.news
    async with reading(door.app, path, door.key, SSE) as stream:
        while (await door.get(table.path)).json()["asked"]:
            await step(door, table)
            version = (await door.get(table.path)).json()["version"]
            for hint in (version, version - 2, version, 1):
                news.announce([(table.match_id, hint)])
            await asyncio.sleep(0)
        sent = await stream.rest()
    head = (await door.get(table.path)).json()["version"]
    assert ids_of(sent) == [*range(1, head + 1), head]


async def test_a_revoked_token_sees_no_more_on_an_open_stream(door: Door, table: Table) -> None:
    path = table.path + "/events"
    async with reading(door.app, path, table.tokens[1], SSE) as stream:
        await stream.until(b"chance_drawn")
        await door.post(f"{table.path}/seats/1/tokens")
        await step(door, table)
        rest = await stream.rest()
    assert b"data" not in rest
    assert b"event: end" not in rest


async def test_a_revoked_token_ends_an_idle_stream(door: Door, table: Table) -> None:
    path = table.path + "/events"
    async with reading(door.app, path, table.tokens[1], NDJSON) as stream:
        await stream.until(b"chance_drawn")
        await door.delete(f"{table.path}/seats/1/tokens")
        assert (await stream.rest()).strip() == b""


async def test_a_slow_reader_is_dropped_with_its_cursor(
    door: Door, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(door.app.parts.streams, "_send_seconds", 0.1)
    path = table.path + "/events"
    async with reading(door.app, path, door.key, SSE) as stream:
        first = await stream.until(b"chance_drawn")
        stream.pause()
        await step(door, table)
        async with asyncio.timeout(PATIENCE):
            while len(door.app.parts.streams):  # noqa: ASYNC110 - they tell nobody
                await asyncio.sleep(0.02)
    last = ids_of(first)[-1]
    async with reading(door.app, path, door.key, SSE, Last_Event_ID=str(last)) as resumed:
        assert await resumed.until(b"id: %d\n" % (last + 1))


async def test_a_dropped_stream_is_forgotten(door: Door, table: Table) -> None:
    async with reading(door.app, table.path + "/events", door.key, SSE) as stream:
        await stream.until(b"chance_drawn")
        assert len(door.app.parts.streams) == 1
    assert len(door.app.parts.streams) == 0
    assert door.app.parts.news.watched() == []


async def test_stopping_ends_streams_resumably(door: Door, table: Table) -> None:
    async with reading(door.app, table.path + "/events", door.key, SSE) as stream:
        await stream.until(b"chance_drawn")
        door.app.stop_streams()
        rest = await stream.rest()
    assert b"event: end" not in rest
    async with reading(door.app, table.path + "/events", door.key, SSE) as stream:
        assert await stream.rest() == b""


async def test_the_full_log_opens_with_the_reveal(door: Door, table: Table) -> None:
    early = await door.get(table.path + "/events", params={"perspective": "full"})
    assert (early.status_code, early.json()["code"]) == (409, "not-revealed")
    await play_out(door.http, table, 9)
    full = await all_events(door, table, table.tokens[0], perspective="full")
    own = await all_events(door, table, table.tokens[0])
    assert len(full) == len(own)
    (deal, *_) = [each for each in full if each["kind"] == "chance_drawn"]
    assert deal["picks"]
    spectator = await all_events(door, table, door.key, perspective="full")
    assert spectator == full


async def test_proofs_come_on_demand(door: Door, table: Table) -> None:
    path = table.path + "/events"
    for token in (door.key, table.tokens[0]):
        plain = (await door.get(path, token)).json()["events"]
        proved = (await door.get(path, token, params={"proof": "true"})).json()["events"]
        assert all("proof" in each for each in proved)
        assert [{k: v for k, v in each.items() if k != "proof"} for each in proved] == plain
        assert proved[-1]["proof"]["hash"] == (await door.get(table.path)).json()["head"]


async def test_texts_are_joined_for_those_who_see_them(door: Door, table: Table) -> None:
    body = {"decision": None, "move": {"type": "speak", "text": "good luck"}}
    headers = {"Idempotency-Key": "1"}
    await door.post(table.path + "/moves", table.tokens[0], json=body, headers=headers)
    for token in (door.key, *table.tokens):
        said = (await all_events(door, table, token))[-1]
        assert said["texts"]["text"]["text"] == "good luck"


@pytest.mark.parametrize(
    ("query", "pointer"),
    [
        ({"after": "x"}, "after"),
        ({"after": "-1"}, "after"),
        ({"limit": "0"}, "limit"),
        ({"limit": "1.5"}, "limit"),
        ({"wait": "4000"}, "wait"),
        ({"proof": "yes"}, "proof"),
        ({"perspective": "all"}, "perspective"),
        ({"since": "1"}, "since"),
        ([("after", "1"), ("after", "2")], "after"),
    ],
)
async def test_parameters_that_mean_nothing(
    door: Door, table: Table, query: Any, pointer: str
) -> None:
    refused = await door.get(table.path + "/events", params=query)
    assert (refused.status_code, refused.json()["code"]) == (400, "invalid-parameter")
    assert refused.json()["errors"][0]["pointer"] == pointer


async def test_a_page_is_no_longer_than_allowed(door: Door, table: Table) -> None:
    path, most = table.path + "/events", door.app.settings.page_limit
    assert (await door.get(f"{path}?limit={2**53 - 1}")).status_code == 200
    longest = await door.get(f"{path}?limit={most}")
    assert longest.content == (await door.get(f"{path}?limit={most + 1}")).content


async def test_a_last_event_id_that_is_no_version(door: Door, table: Table) -> None:
    headers = {"Accept": SSE, "Last-Event-ID": "one"}
    refused = await door.get(table.path + "/events", headers=headers)
    assert refused.json()["errors"][0]["pointer"] == "Last-Event-ID"


async def test_pages_have_tags_of_their_own(door: Door, table: Table) -> None:
    path = table.path + "/events"
    page = await door.get(path, params={"after": 1})
    tag = {"If-None-Match": page.headers["etag"]}
    assert (await door.get(path, params={"after": 1}, headers=tag)).status_code == 304
    assert (await door.get(path, params={"after": 2}, headers=tag)).status_code == 200
    assert (
        await door.get(path, table.tokens[0], params={"after": 1}, headers=tag)
    ).status_code == 200
    await step(door, table)
    assert (await door.get(path, params={"after": 1}, headers=tag)).status_code == 200


async def test_streams_of_another_process_get_there_by_the_tick(
    door: Door, table: Table, settings: Settings
) -> None:
    from service.app import build

    if "sqlite" in settings.database_url:
        pytest.skip("one process serves an SQLite file")
    async with build(settings).running() as second:
        async with reading(second, table.path + "/events", table.tokens[1], SSE) as stream:
            playing = asyncio.create_task(play_out(door.http, table, 3))
            sent = await stream.rest(20)
            await playing
        transport = httpx.ASGITransport(app=second)
        async with httpx.AsyncClient(transport=transport, base_url="http://second") as http:
            match = await http.get(table.path, headers=bearer(door.key))
    assert ids_of(sent)[-1] == match.json()["version"]
