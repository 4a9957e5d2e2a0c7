"""Deal groups over REST: what is fixed, what is dealt, how they end, and who is told what."""

from typing import Any

import httpx
import msgspec
import pytest
from sqlalchemy import Connection

from events.flush import flush
from events.store import Store
from events.types import Closing, Start
from events.verify import verify_log
from service import founding
from service.app import App, build
from service.settings import Settings
from tests.service.client import decision_of
from tests.service.conftest import Clock, Door
from tests.service.grouping import (
    GROUPS,
    HOUR,
    Group,
    come_to,
    key_of,
    log_of,
    opened,
    played,
    revealed,
    wanted,
)
from tests.service.signing import signed
from tests.service.test_users import claims, issuer

Json = dict[str, Any]


def told(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


def kinds(log: list[Json]) -> list[str]:
    return [each["kind"] for each in log]


async def test_a_group_is_created_with_its_matches(door: Door) -> None:
    body = wanted(door, ["ada"], ["bob"], options={"bombs": 1}, external_id="cup")
    made = await door.post(GROUPS, json=body)
    group = made.json()
    assert (made.status_code, made.headers["location"]) == (201, f"{GROUPS}/{group['id']}")
    assert (group["state"], group["seed"], group["options"]["bombs"]) == ("running", None, 1)
    assert [each["entrants"] for each in group["tables"]] == [["ada"], ["bob"]]
    assert (await door.get(f"{GROUPS}/{group['id']}")).json() == group
    for each in group["tables"]:
        match = (await door.get(f"/v1/matches/{each['match_id']}")).json()
        assert match["deal_group"] == group["id"]
        assert match["seed_commitment"] == group["seed_commitment"]
        assert match["options"] == group["options"]
        events = (await door.get(f"/v1/matches/{each['match_id']}/events")).json()["events"]
        (created,) = events
        assert created["data"]["deal_group"] == group["id"]
        assert created["data"]["closes_at"] == body["closes_at"]
        assert created["data"]["closing"] == "forfeit"
    (row,) = (await door.get(f"{GROUPS}?external_id=cup")).json()["deal_groups"]
    assert (row["id"], row["table_count"]) == (group["id"], 2)


async def test_everybody_is_dealt_the_same(door: Door) -> None:
    group = await opened(door)
    for seed, table in enumerate(group.tables):
        await played(door, table, seed)
    shown = await revealed(door, group)
    assert (shown["ended_by"], len(shown["seed"])) == ("all_over", 64)
    logs = [await log_of(door, table) for table in group.tables]
    drawn = [[(e["label"], e["picks"]) for e in log if e["kind"] == "chance_drawn"] for log in logs]
    assert drawn[0] == drawn[1] == drawn[2]
    assert drawn[0] != []
    assert [log[-1]["seed"] for log in logs] == [shown["seed"]] * 3
    assert [kinds(log).count("match_revealed") for log in logs] == [1, 1, 1]
    store = door.app.parts.store
    for table in group.tables:
        verdict = verify_log(await store.records(table.match_id))
        assert (verdict.fault, verdict.unchecked) == (None, ())
    alone = await door.table("ambagibus", 1)
    await played(door, alone)
    other = [e["picks"] for e in await log_of(door, alone) if e["kind"] == "chance_drawn"]
    assert other != [picks for _, picks in drawn[0]]


async def test_a_finished_match_opens_neither_seed_nor_others(door: Door) -> None:
    group = await opened(door)
    await played(door, group.tables[0])
    token = group.tables[0].tokens[0]
    own = (await door.get(group.tables[0].path, token)).json()
    assert (own["status"], own["revealed"], own["result"] is None) == ("over", False, False)
    full = await door.get(group.tables[0].path + "/events?perspective=full", token)
    assert told(full) == (409, "not-revealed")
    shown = (await door.get(group.path, token)).json()
    assert [each["state"] for each in shown["tables"]] == ["over", "started", "started"]
    assert shown["seed"] is None
    assert {each["entrants"] for each in shown["tables"]} == {None}


@pytest.mark.parametrize(
    ("tables", "faults"),
    [
        ([["ada"], ["bob"], ["ada"]], [("/tables/2/0", "duplicate")]),
        ([["ada", "bob"], ["cyd"]], [("/tables/1", "wrong-length")]),
        ([["ada", "ada"], ["b", "c"]], [("/tables/0/1", "duplicate")]),
    ],
)
async def test_entrants_have_one_seat_each(
    door: Door, tables: list[list[str]], faults: list[tuple[str, str]]
) -> None:
    refused = await door.post(GROUPS, json=wanted(door, *tables))
    assert told(refused) == (422, "invalid-request")
    assert [(e["pointer"], e["code"]) for e in refused.json()["errors"]] == faults


@pytest.mark.parametrize(
    ("more", "code", "pointer"),
    [
        ({"closes_at": 1}, "invalid-request", "/closes_at"),
        ({"closing": "never"}, "invalid-request", "/closing"),
        ({"tables": []}, "invalid-request", "/tables"),
        ({"tables": [[""]]}, "invalid-request", "/tables/0/0"),
        ({"options": {"shape": 1}}, "invalid-request", "/options/shape"),
        ({"options": {"bombs": 9}}, "options-refused", "/options/bombs"),
        ({"seats": 2, "tables": [["a", "b"]]}, "options-refused", "/seats"),
        ({"game": "whist"}, "game-not-found", None),
        ({"more": 1}, "invalid-request", ""),
    ],
)
async def test_what_cannot_be_is_refused_and_nothing_is_made(
    door: Door, more: Json, code: str, pointer: str | None
) -> None:
    before = (await door.get("/v1/matches")).json()
    refused = await door.post(GROUPS, json=wanted(door, ["ada"], **more))
    assert refused.json()["code"] == code
    if pointer:
        assert refused.json()["errors"][0]["pointer"] == pointer
    assert (await door.get("/v1/matches")).json() == before


async def test_a_group_is_stored_whole_or_not_at_all(
    door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = [(await door.get(path)).json() for path in ("/v1/matches", GROUPS)]

    def half(connection: Connection, appends: Any) -> Any:
        really(connection, appends[:1])
        raise RuntimeError("in the middle")

    really = flush
    monkeypatch.setattr(founding, "flush", half)
    failed = await door.post(GROUPS, json=wanted(door, ["ada"], ["bob"]))
    assert failed.status_code == 500
    monkeypatch.undo()
    assert [(await door.get(path)).json() for path in ("/v1/matches", GROUPS)] == before


async def test_the_same_request_makes_one_group(door: Door) -> None:
    body, key = wanted(door, ["ada"], ["bob"]), {"idempotency-key": "cup"}
    one = await door.post(GROUPS, json=body, headers=key)
    again = await door.post(GROUPS, json=body, headers=key)
    assert one.content == again.content
    assert again.headers["plyscribe-replayed"] == "true"
    other = await door.post(GROUPS, json={**body, "closing": "cancel"}, headers=key)
    assert told(other) == (422, "idempotency-key-reused")


async def test_a_request_cut_off_makes_the_same_group(door: Door) -> None:
    """The group is stored, its answer is not: run again, it is found."""
    caller = await door.app.parts.doorkeeper.caller_of(f"Bearer {door.key}")
    asked = founding.NewGroupRequest(
        game="ambagibus",
        rules_version=None,
        options=msgspec.Raw(b"{}"),
        seats=1,
        tables=(("ada",), ("bob",)),
        closes_at=door.clock.now + HOUR,
        closing=Closing.CANCEL,
        start=Start.AUTO,
        external_id=None,
    )
    group_id = "018bcfe5-6800-7000-8000-0000000000aa"
    for _ in range(2):
        await founding.create_group(door.app.parts, caller, asked, group_id)
    rows = (await door.get("/v1/matches")).json()["matches"]
    assert sum(row["deal_group"] == group_id for row in rows) == 2


async def test_groups_are_listed_page_by_page(door: Door, other_key: str) -> None:
    ids = []
    for number in range(3):
        door.clock.now += 1
        ids.append((await opened(door, external_id=f"n{number}")).id)
    found: list[str] = []
    more: str | None = ""
    while more is not None:
        page = (await door.get(f"{GROUPS}?limit=2{more and '&cursor=' + more}")).json()
        found += [each["id"] for each in page["deal_groups"]]
        more = page["next"]
    assert [each for each in found if each in ids] == ids[::-1]
    named = (await door.get(f"{GROUPS}?external_id=n1&state=running&game=ambagibus")).json()
    assert [each["id"] for each in named["deal_groups"]][:1] == [ids[1]]
    assert (await door.get(f"{GROUPS}?game=high_card&external_id=n1")).json()["deal_groups"] == []
    assert told(await door.get(f"{GROUPS}?state=over")) == (400, "invalid-parameter")
    assert (await door.get(GROUPS, other_key)).json()["deal_groups"] == []
    first = (await door.get(f"{GROUPS}?limit=1")).json()["next"]
    assert told(await door.get(f"/v1/matches?cursor={first}")) == (400, "invalid-parameter")


async def test_others_have_no_such_group(door: Door, other_key: str) -> None:
    group = await opened(door)
    other = await opened(door)
    watching = await door.post(group.tables[0].path + "/spectators", group.organiser, json={})
    tokens = (other_key, other.tables[0].tokens[0], watching.json()["token"])
    for path in ("", "/standings"):
        nowhere = f"{GROUPS}/018bcfe5-6800-7000-8000-000000000000{path}"
        for token in tokens:
            got = await door.get(group.path + path, token)
            assert told(got) == (404, "deal-group-not-found")
            assert got.content == (await door.get(nowhere, token)).content
    assert told(await door.post(group.path + "/close", other_key)) == (404, "deal-group-not-found")
    for token in tokens[1:]:
        assert (await door.post(group.path + "/close", token)).status_code in (403, 404)


async def test_what_a_key_may_do_with_groups(door: Door) -> None:
    group = await opened(door)
    none = await key_of(door, "keys:manage")
    for method, path, scope in (
        ("POST", GROUPS, "matches:create"),
        ("GET", GROUPS, "matches:read"),
        ("GET", group.path, "matches:read"),
        ("GET", group.path + "/standings", "matches:read"),
        ("POST", group.path + "/close", "arbitrate"),
        ("POST", group.tables[0].path + "/cancel", "matches:manage"),
    ):
        body = wanted(door, ["x"]) if path == GROUPS and method == "POST" else None
        headers = {"Authorization": f"Bearer {none}"}
        refused = await door.http.request(method, path, headers=headers, json=body)
        assert told(refused) == (403, "scope-missing")
        assert scope in refused.json()["errors"][0]["detail"]
    for path in (group.path + "/close", group.tables[0].path + "/cancel"):
        refused = await door.post(path, group.organiser)
        assert told(refused) == (403, "scope-missing")
        assert "arbitrate" in refused.json()["errors"][0]["detail"]
    creating = await key_of(door, "matches:create")
    made = await door.post(GROUPS, creating, json=wanted(door, ["y"]))
    assert made.status_code == 201


async def test_a_seat_is_claimed_for_its_entrant_alone(door: Door) -> None:
    made = (await door.post(GROUPS, json=wanted(door, ["ada"], ["bob"]))).json()
    one, two = (f"/v1/matches/{each['match_id']}" for each in made["tables"])
    refused = await door.post(one + "/seats/0/claim", json={"account": "bob"})
    assert told(refused) == (422, "invalid-request")
    assert refused.json()["errors"][0]["pointer"] == "/account"
    await issuer(door)
    ada = signed(claims(door))
    assert (await door.post(two + "/seats/0/claim", ada)).status_code == 401
    assert (await door.post(one + "/seats/0/claim", ada)).status_code == 200
    shown = await door.get(f"{GROUPS}/{made['id']}?match={made['tables'][0]['match_id']}", ada)
    assert [each["state"] for each in shown.json()["tables"]] == ["started", "seating"]
    away = await door.get(f"{GROUPS}/{made['id']}?match={made['tables'][1]['match_id']}", ada)
    assert away.status_code == 401
    assert (await door.post(two + "/seats/0/claim", json={"account": "bob"})).status_code == 200


async def test_a_receipt_goes_no_further_than_the_start(door: Door) -> None:
    organiser = await key_of(door, "matches:create", "seats:issue", "matches:read", "observe")
    made = await door.post(GROUPS, organiser, json=wanted(door, ["ada"], ["bob"]))
    heads = []
    for each, token in zip(made.json()["tables"], (organiser, door.key), strict=True):
        path = f"/v1/matches/{each['match_id']}"
        key = {"idempotency-key": "claim"}
        claimed = await door.post(path + "/seats/0/claim", token, headers=key)
        again = await door.post(path + "/seats/0/claim", token, headers=key)
        assert again.content == claimed.content
        heads.append((claimed.json()["first"], claimed.json()["last"]))
    assert heads[0] == (2, 3)
    assert heads[1][1] > 3


async def test_at_the_closing_time_all_is_ended_and_revealed(door: Door) -> None:
    group = await opened(door)
    await played(door, group.tables[0])
    door.clock.now += HOUR
    late = await moved_or_refused(door, group)
    assert told(late) == (409, "deal-group-closed")
    shown = await revealed(door, group)
    assert (shown["ended_by"], shown["ended_at"] >= shown["closes_at"]) == ("time", True)
    assert {each["state"] for each in shown["tables"]} == {"over"}
    logs = [await log_of(door, table) for table in group.tables]
    assert kinds(logs[1])[-3:] == ["match_closed", "match_ended", "match_revealed"]
    assert "match_closed" not in kinds(logs[0])
    for table in group.tables:
        match = (await door.get(table.path, group.organiser)).json()
        assert (match["status"], match["revealed"]) == ("over", True)
        verdict = verify_log(await door.app.parts.store.records(table.match_id))
        assert (verdict.fault, verdict.unchecked) == (None, ())


async def moved_or_refused(door: Door, group: Group) -> httpx.Response:
    """A move at the closing time, before anything acted on it or after: nothing is accepted."""
    table = group.tables[1]
    body = {"decision": "1.0", "move": {"type": "place"}}
    checked = await door.post(table.path + "/moves/validate", table.tokens[0], json=body)
    assert checked.status_code == 409
    return await door.post(table.path + "/moves", table.tokens[0], json=body)


async def test_an_answer_given_in_time_is_repeated_later(door: Door) -> None:
    group = await opened(door)
    table = group.tables[0]
    own = (await decision_of(door.http, table, 0))["decision"]
    listed = await door.get(table.path + "/decision/moves", table.tokens[0])
    body = {"decision": own["id"], "move": listed.json()["moves"][0]["move"]}
    done = await door.post(table.path + "/moves", table.tokens[0], json=body)
    door.clock.now += HOUR
    again = await door.post(table.path + "/moves", table.tokens[0], json=body)
    assert (again.status_code, again.content) == (200, done.content)
    await revealed(door, group)
    again = await door.post(table.path + "/moves", table.tokens[0], json=body)
    assert (again.status_code, again.content) == (200, done.content)


@pytest.mark.parametrize("closing", ["cancel", "forfeit", "fallback"])
async def test_each_policy_ends_what_is_unfinished(door: Door, closing: str) -> None:
    group = await opened(door, closing=closing)
    await played(door, group.tables[0])
    door.clock.now += HOUR
    await revealed(door, group)
    lines = (await door.get(group.path + "/standings")).json()["standings"]
    finish = {each["match_id"]: each["finish"] for each in lines}
    wanted_finish = {"cancel": "cancelled", "forfeit": "closed", "fallback": "normal"}[closing]
    assert finish[group.tables[0].match_id] == "normal"
    assert finish[group.tables[1].match_id] == wanted_finish


async def test_what_never_started_is_cancelled(door: Door) -> None:
    made = (await door.post(GROUPS, json=wanted(door, ["ada"], closing="fallback"))).json()
    door.clock.now += HOUR
    group = Group(made["id"], door.key, ())
    await revealed(door, group)
    match = (await door.get(f"/v1/matches/{made['tables'][0]['match_id']}")).json()
    assert (match["status"], match["revealed"]) == ("cancelled", True)


async def test_an_arbiter_closes_early_and_nobody_forfeits(door: Door) -> None:
    group = await opened(door)
    await played(door, group.tables[0])
    closed = await door.post(group.path + "/close")
    assert (closed.status_code, closed.json()["ended_by"]) == (200, "early")
    shown = await revealed(door, group)
    again = await door.post(group.path + "/close")
    assert (again.status_code, again.json()) == (200, shown)
    log = await log_of(door, group.tables[1])
    assert kinds(log)[-3:] == ["match_closed", "match_cancelled", "match_revealed"]
    assert log[-3]["early"] is True
    lines = (await door.get(group.path + "/standings")).json()["standings"]
    assert [(each["finish"], each["rank"]) for each in lines] == [
        ("normal", 1), ("cancelled", None), ("cancelled", None),
    ]  # fmt: skip


async def test_a_group_that_has_ended_cannot_be_closed(door: Door) -> None:
    group = await opened(door)
    for table in group.tables:
        await door.post(table.path + "/cancel")
    await revealed(door, group)
    assert told(await door.post(group.path + "/close")) == (409, "deal-group-closed")


async def test_standings_order_by_score_and_ties_share_a_rank(door: Door) -> None:
    names = [[f"player {n}"] for n in range(6)]
    group = await opened(door, *names)
    for seed, table in enumerate(group.tables[:4]):
        await played(door, table, seed % 3)  # The first and the last play alike.
    await door.post(group.tables[4].path + "/seats/0/resign", group.tables[4].tokens[0])
    await door.post(group.tables[5].path + "/cancel")
    await revealed(door, group)
    got = (await door.get(group.path + "/standings", group.organiser)).json()
    assert got["final"] is True
    lines = got["standings"]
    assert [each["finish"] for each in lines[-2:]] == ["resigned", "cancelled"]
    assert (lines[-2]["rank"], lines[-1]["rank"]) == (5, None)
    scores = [each["score"] for each in lines[:4]]
    assert scores == sorted(scores, reverse=True)
    for one in lines[:4]:
        assert one["rank"] == 1 + sum(score > one["score"] for score in scores)
    same = {each["entrant"]: each["rank"] for each in lines}
    assert same["player 0"] == same["player 3"]


async def test_standings_show_a_running_group_to_arbiters_alone(door: Door) -> None:
    group = await opened(door)
    path = group.path + "/standings"
    everybody = (door.key, group.organiser, *(t.tokens[0] for t in group.tables))
    before = [(await door.get(path, token)).json()["standings"] for token in everybody]
    assert before == [[]] * 5
    await played(door, group.tables[0])
    after = [(await door.get(path, token)).json()["standings"] for token in everybody]
    assert [len(each) for each in after] == [1, 0, 1, 0, 0]
    assert (after[0][0]["rank"], after[0][0]["entrant"]) == (1, "ada")
    assert (after[2][0]["rank"], after[2][0]["entrant"]) == (None, None)
    assert after[2][0]["score"] == after[0][0]["score"]


async def test_duplicate_tables_are_compared_seat_by_seat(door: Door) -> None:
    group = await opened(door, ["a", "b", "c"], ["d", "e", "f"])
    for table in group.tables:
        await played(door, table)
    await revealed(door, group)
    lines = (await door.get(group.path + "/standings")).json()["standings"]
    assert [each["seat"] for each in lines] == [0, 0, 1, 1, 2, 2]
    assert all(lines[n]["rank"] == 1 for n in (0, 2, 4))
    assert {each["entrant"] for each in lines[2:4]} == {"b", "e"}


async def test_the_closing_time_that_passed_while_nothing_ran(
    settings: Settings, clock: Clock
) -> None:
    async with build(settings, clock=clock).running() as app:
        group = await opened(door_of(app, clock))
    clock.now += HOUR
    async with build(settings, clock=clock).running() as app:
        shown = await revealed(door_of(app, clock), group)
        assert shown["ended_by"] == "time"


def door_of(app: App, clock: Clock) -> Door:
    transport = httpx.ASGITransport(app=app)
    return Door(httpx.AsyncClient(transport=transport, base_url="http://door"), app, clock)


async def test_several_processes_end_a_group_once(
    postgres_url: str, settings: Settings, clock: Clock
) -> None:
    settings = msgspec.structs.replace(settings, database_url=postgres_url, tick_seconds=0.05)
    async with (
        build(settings, clock=clock).running() as one,
        build(settings, clock=clock).running() as two,
        build(settings, clock=clock).running() as three,
    ):
        door = door_of(one, clock)
        group = await opened(door, *([f"p{n}"] for n in range(12)))
        clock.now += HOUR
        for each in (one, two, three):
            each.parts.closer.stir(group.id)
        await revealed(door_of(two, clock), group)
        store = Store(three.parts.database)
        for table in group.tables:
            records = await store.records(table.match_id)
            found = [record.kind for record in records]
            assert found.count("match_closed") == found.count("match_revealed") == 1
            assert verify_log(records).is_sound


async def test_a_group_that_cannot_be_ended_keeps_no_other(
    door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken, whole = await opened(door), await opened(door)
    lost = {table.match_id for table in broken.tables}
    really = door.app.parts.dealers.of

    async def of(match_id: str) -> Any:
        if match_id in lost:
            raise RuntimeError("the seed is lost")
        return await really(match_id)

    monkeypatch.setattr(door.app.parts.dealers, "of", of)
    door.clock.now += HOUR
    await revealed(door, whole)
    await come_to(door, broken, "closing")  # which of the two is ended first hangs on their ids
