"""Results over REST: of one match, of all as they come, signed, and told to webhooks."""

import asyncio
from typing import Any

import msgspec
import pytest
from sqlalchemy import Connection, delete

from events.contradictions import Document, between
from events.evidence import RESULT as SIGNED_RESULT
from events.evidence import Evidence, ResultOf, payload_of, verify
from events.feed import entries_after
from events.given_log import GivenLog
from events.known_log import of_given
from events.results import Ending, Result, ResultStatus
from events.signing import KeySet
from service.cli.remaking import result_otherwise
from service.rest.results import tag_of
from service.result_rows import changed_by
from service.results import MatchResult, ResultSeat
from service.tournament_tables import RESULT
from service.webhooks.result_news import result_messages, types_of
from tests.service.client import Table, play_out
from tests.service.conftest import Door
from tests.service.grouping import key_of, opened, played, revealed
from tests.service.hooking import hooked
from tests.service.receiving import Received
from tests.service.receiving import receiver as receiving
from tests.service.test_disputes import reviewed, ruled
from tests.waiting import PATIENCE, eventually

Json = dict[str, Any]

WINDOWED: Json = {"reveal_after_seconds": 60}


async def result(door: Door, table: Table, token: str = "") -> Json:
    got = await door.get(table.path + "/result", token or door.key)
    assert got.status_code == 200, got.text
    found: Json = got.json()
    return found


@pytest.fixture
async def since(door: Door) -> int:
    """Where the feed is now: the database may have known other matches before."""
    await kept(door)
    size: int = await door.app.parts.feeding.size()
    return size


async def listed(door: Door, after: int, token: str = "", **params: Any) -> list[Json]:
    """Every result the feed holds by now."""
    await kept(door)
    got = await door.get("/v1/results", token or door.key, params={"after": after, **params})
    assert got.status_code == 200, got.text
    found: list[Json] = got.json()["results"]
    return found


async def kept(door: Door) -> None:
    """Whatever was appended is in the feed, and what it made of results is kept."""
    parts = door.app.parts
    await parts.feeding.catch_up()
    size = await parts.feeding.size()
    async with asyncio.timeout(PATIENCE):
        while await parts.recording.position() < size:
            await parts.recording.catch_up()


def short(each: Json) -> tuple[str, int, str | None]:
    return each["status"], each["revision"], each["terminal"]


async def windowed(door: Door, seats: int = 2, **more: Any) -> Table:
    """Over, with a minute for disputes."""
    table = await door.table(seats=seats, **WINDOWED, **more)
    await play_out(door.http, table, 1)
    return table


async def test_a_result_comes_with_the_end(door: Door, since: int) -> None:
    table = await door.table(seats=2, accounts=["ada", None])
    before = await result(door, table)
    assert short(before) == ("pending", 0, None)
    assert before["evidence"] is None
    await play_out(door.http, table, 1)
    found = await result(door, table)
    assert short(found) == ("final", 1, "normal")
    match = (await door.get(table.path)).json()["result"]
    assert [each["rank"] for each in found["seats"]] == match["ranks"]
    assert [each["score"] for each in found["seats"]] == match["scores"]
    assert [each["external_id"] for each in found["seats"]] == ["ada", None]
    own = await result(door, table, table.tokens[0])
    assert [each["external_id"] for each in own["seats"]] == [None, None]
    (entry,) = await listed(door, since)
    assert {**entry, "evidence": found["evidence"]}.items() >= found.items()


async def test_it_has_a_tag_of_its_own(door: Door) -> None:
    table = await windowed(door)
    first = await door.get(table.path + "/result")
    tag = {"If-None-Match": first.headers["etag"]}
    assert (await door.get(table.path + "/result", headers=tag)).status_code == 304
    door.clock.now += 61_000
    assert (await door.get(table.path + "/result", headers=tag)).status_code == 200


def test_names_that_differ_have_tags_that_differ() -> None:
    def tag(*names: str | None) -> str:
        none: Json = dict.fromkeys(ResultSeat.__struct_fields__)
        seats = tuple(ResultSeat(**{**none, "external_id": name}) for name in names)
        fields: Json = dict.fromkeys(MatchResult.__struct_fields__)
        return tag_of(MatchResult(**{**fields, "seats": seats}))

    alike = [("a.b", "c"), ("a", "b.c"), ("a.b.c",), ("a", "b", "c"), (None, "c"), ("None", "c")]
    assert len({tag(*names) for names in alike}) == len(alike)


async def test_it_is_signed_and_can_be_checked(door: Door) -> None:
    table = await windowed(door)
    found = await result(door, table)
    keys = KeySet.of_jwks((await door.http.get("/.well-known/jwks.json")).content)
    evidence = msgspec.json.decode(msgspec.json.encode(found["evidence"]), type=Evidence)
    said = msgspec.to_builtins(verify(evidence, keys))
    assert evidence.tag == SIGNED_RESULT
    assert (said["match_id"], said["version"]) == (table.match_id, found["version"])
    seats = [{n: v for n, v in each.items() if n != "external_id"} for each in found["seats"]]
    assert msgspec.json.decode(msgspec.json.encode(said["seats"])) == seats
    (event,) = [
        each
        for each in (await door.get(table.path + "/events?proof=true&limit=50")).json()["events"]
        if each["version"] == found["version"]
    ]
    assert event["proof"]["hash"] == said["head"]


async def test_corrections_come_as_they_are_made(door: Door, since: int) -> None:
    table = await windowed(door)
    (first,) = await listed(door, since)
    assert short(first) == ("provisional", 1, "normal")
    path = await reviewed(door, table, pause=False)
    done = await ruled(door, path, {"type": "set_result", "ranks": [2, 1], "scores": None})
    assert done.status_code == 200, done.text
    (second,) = await listed(door, first["position"])
    assert short(second) == ("provisional", 2, "adjudicated")
    assert [each["outcome"] for each in second["seats"]] == ["loss", "win"]
    door.clock.now += 61_000
    assert short(await result(door, table)) == ("final", 2, "adjudicated")
    (third,) = await listed(door, second["position"])
    assert short(third) == ("final", 2, "adjudicated")
    assert third["version"] > second["version"] > first["version"]


async def test_a_rewind_withdraws_it(door: Door, since: int) -> None:
    table = await windowed(door)
    (first,) = await listed(door, since)
    path = await reviewed(door, table, pause=False)
    version = (await door.get(table.path + "/events?limit=50")).json()["events"]
    start = next(e["version"] for e in version if e["kind"] == "chance_drawn")
    done = await ruled(door, path, {"type": "rewind", "to": start})
    assert done.status_code == 200, done.text
    (second,) = await listed(door, first["position"])
    assert short(second) == ("pending", 1, None)
    assert {each["rank"] for each in second["seats"]} == {None}


async def test_a_replay_says_where(door: Door) -> None:
    table = await windowed(door)
    path = await reviewed(door, table, pause=False)
    done = await ruled(door, path, {"type": "replay"})
    found = await result(door, table)
    assert short(found) == ("provisional", 2, "replayed")
    assert found["replaced_by"] == done.json()["replacement"]


async def test_cancelled_matches_have_results(door: Door, since: int) -> None:
    made = await door.post("/v1/matches", json={"game": "high_card", "seats": 2})
    table = Table(made.json()["match_id"], ())
    await door.post(table.path + "/cancel")
    assert short(await result(door, table)) == ("final", 1, "cancelled")
    assert [short(each) for each in await listed(door, since)] == [("final", 1, "cancelled")]


async def test_pages_and_lines_hold_the_same(door: Door, since: int) -> None:
    for _ in range(3):
        await play_out(door.http, await door.table(seats=2), 1)
    every = await listed(door, since)
    assert len(every) == 3
    paged: list[Json] = []
    while page := await listed(door, paged[-1]["position"] if paged else since, limit=1):
        paged += page
    assert paged == every
    headers = {"accept": "application/x-ndjson"}
    got = await door.get(f"/v1/results?after={since}", headers=headers)
    assert [msgspec.json.decode(line) for line in got.content.splitlines()] == every


async def test_who_waits_is_told(door: Door, since: int) -> None:
    table = await door.table(seats=2)
    waiting = asyncio.create_task(door.get(f"/v1/results?wait=60&after={since}"))
    await asyncio.sleep(0.05)
    await play_out(door.http, table, 1)
    (entry,) = (await waiting).json()["results"]
    assert entry["match_id"] == table.match_id


async def test_others_see_none_of_it(door: Door, since: int, other_key: str) -> None:
    table = await windowed(door)
    assert await listed(door, since, token=other_key) == []
    refused = await door.get(table.path + "/result", other_key)
    assert (refused.status_code, refused.json()["code"]) == (404, "match-not-found")
    blind = await key_of(door, "webhooks:manage")
    assert (await door.get(table.path + "/result", blind)).status_code == 403
    assert (await door.get("/v1/results", blind)).status_code == 403
    assert (await door.get("/v1/results", table.tokens[0])).status_code == 403


async def test_a_delayed_spectator_waits_for_it(door: Door) -> None:
    table = await door.table(seats=2, **WINDOWED)
    path = table.path + "/spectators"
    watcher = (await door.post(path, json={"delay_seconds": 30})).json()["token"]
    await play_out(door.http, table, 1)
    assert short(await result(door, table, watcher)) == ("pending", 0, None)
    door.clock.now += 31_000
    assert short(await result(door, table, watcher)) == ("provisional", 1, "normal")


async def test_of_a_deal_group_it_comes_with_the_reveal(door: Door, since: int) -> None:
    group = await opened(door)
    await played(door, group.tables[0])
    arbiter = await key_of(door, "arbitrate")
    hidden = group.tables[0]
    assert short(await result(door, hidden, group.organiser)) == ("pending", 0, None)
    assert short(await result(door, hidden, arbiter)) == ("provisional", 1, "normal")
    assert short(await result(door, hidden, hidden.tokens[0])) == ("provisional", 1, "normal")
    assert await listed(door, since) == []
    for each in group.tables[1:]:
        await played(door, each)
    await revealed(door, group)
    found = await listed(door, since)
    assert [short(each) for each in found] == [("final", 1, "normal")] * 3
    assert {each["deal_group"] for each in found} == {group.id}
    for each in group.tables:
        shown = await result(door, each, group.organiser)
        (entry,) = (own for own in found if own["match_id"] == each.match_id)
        assert {**entry, "evidence": shown["evidence"]}.items() >= shown.items()


@pytest.fixture
def settings(settings: Any) -> Any:
    return msgspec.structs.replace(settings, private_webhooks=True)


async def test_webhooks_are_told_of_every_result(door: Door) -> None:
    async with receiving() as receiver:
        types = [f"result.{e}" for e in ("provisional", "final", "revised", "void", "withdrawn")]
        await hooked(door, receiver.url, types=types)
        await play_out(door.http, await door.table(seats=2), 1)
        (told,) = await receiver.until(1)
        assert (told.type, told.event["data"]["result"]) == (
            "result.final",
            {"status": "final", "revision": 1, "terminal": "normal"},
        )
        table = await windowed(door)
        path = await reviewed(door, table, pause=False)
        await ruled(door, path, {"type": "set_result", "ranks": [2, 1], "scores": None})
        path = await reviewed(door, table, pause=False)
        await ruled(door, path, {"type": "void"})
        await receiver.until(4)
        seen = [each.type for each in receiver.got if each.event["subject"] == table.match_id]
        assert sorted(seen) == ["result.provisional", "result.revised", "result.void"]
        assert len({each.id for each in receiver.got}) == 4


async def test_what_is_told_of_results_depends_on_the_log_alone(door: Door, since: int) -> None:
    """Neither on whether somebody kept results by then, nor on how the feed joined the events."""
    table = await windowed(door)
    await kept(door)
    path = await reviewed(door, table, pause=False)
    await kept(door)
    await ruled(door, path, {"type": "rewind", "to": 6})
    await kept(door)

    def told(connection: Connection) -> tuple[list[list[str]], list[str], list[str]]:
        rows = [e for e in entries_after(connection, since, 100) if e.match_id == table.match_id]
        connection.execute(delete(RESULT).where(RESULT.c.match_id == table.match_id))
        joined = msgspec.structs.replace(rows[-1], first=1)
        each = [[m.type.value for m in result_messages(connection, [row])] for row in rows]
        made = [row.results[-1].status.value for row in changed_by(connection, [joined])]
        return each, [m.type.value for m in result_messages(connection, [joined])], made

    each, joined, made = await door.app.parts.database.write(told)
    assert joined == ["result.provisional", "result.withdrawn"]
    assert [kind for row in each for kind in row] == joined
    assert each[-1] == ["result.withdrawn"]
    assert made == ["pending"]


async def test_a_corrected_result_becomes_final(door: Door) -> None:
    async with receiving() as receiver:
        await hooked(door, receiver.url, types=["result.final", "result.revised"])
        table = await windowed(door)
        path = await reviewed(door, table, pause=False)
        await ruled(door, path, {"type": "set_result", "ranks": [2, 1], "scores": None})
        await receiver.until(1, "result.revised")

        async def finals() -> list[Received]:
            found = receiver.of("result.final")
            return [each for each in found if each.event["subject"] == table.match_id]

        door.clock.now += 61_000
        await door.get(table.path)
        # Matches of other tests may become final by then, too: databases are shared.
        (told,) = await eventually(finals)
        said = {"status": "final", "revision": 2, "terminal": "adjudicated"}
        assert told.event["data"]["result"] == said


def test_what_a_result_is_told_as() -> None:
    def result(status: str, revision: int, terminal: str | None = "normal") -> Result:
        ending = None if terminal is None else Ending(terminal)
        return Result(ResultStatus(status), revision, revision, ending, None, ())

    first, final = result("provisional", 1), result("final", 1)
    for before, after, told in (
        (None, first, "provisional"),
        (None, final, "final"),
        (first, final, "final"),
        (final, first, "provisional"),
        (first, result("provisional", 2), "revised"),
        (final, result("final", 2), "revised final"),
        (result("provisional", 2), result("final", 2), "final"),
        (None, result("final", 2), "final"),
        (first, result("final", 2, "void"), "void"),
        (first, result("pending", 1, None), "withdrawn"),
    ):
        found = " ".join(each.removeprefix("result.") for each in types_of(before, after))
        assert found == told


async def test_a_webhook_that_names_nothing_is_told_as_before(door: Door) -> None:
    async with receiving() as receiver:
        hook = await hooked(door, receiver.url)
        assert not any(each.startswith(("result.", "series.")) for each in hook["types"])
        await play_out(door.http, await door.table(seats=2), 1)
        await receiver.until(1, "match.revealed")
        assert not any(each.type.startswith("result.") for each in receiver.got)


async def test_a_signed_result_that_does_not_follow_from_the_log_is_found(door: Door) -> None:
    table = await door.table(seats=2)
    await play_out(door.http, table, 1)
    signed = (await result(door, table))["evidence"]
    evidence = msgspec.json.decode(msgspec.json.encode(signed), type=Evidence)
    path = table.path + "/events?perspective=full&proof=true&limit=50"
    log = of_given("log", GivenLog((await door.get(path)).json()["events"]))
    said = payload_of(evidence)
    assert isinstance(said, ResultOf)
    assert result_otherwise([Document(evidence, said, "a:1")], log) == ([], [])
    lie = msgspec.structs.replace(said, seats=said.seats[::-1])
    (found,), _ = result_otherwise([Document(evidence, lie, "a:1")], log)
    assert (found.code, found.match_id) == ("result", table.match_id)
    both = [Document(evidence, said, "a:1"), Document(evidence, lie, "b:1")]
    assert [each.code for each in between(both)] == ["twice"]
