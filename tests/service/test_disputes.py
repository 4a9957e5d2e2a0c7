"""Takebacks, disputes and rulings over REST, and who may arbitrate."""

import asyncio
from typing import Any

import httpx
import pytest
from sqlalchemy import delete, select

from events.tables import MATCH, REVEAL
from service import revealing
from tests.service.client import Table, answer, bearer, decision_of
from tests.service.conftest import GAME, Door
from tests.service.positions import begun, choice, choosing
from tests.waiting import eventually

Json = dict[str, Any]


async def code(waiting: Any) -> tuple[int, str]:
    got: httpx.Response = await waiting
    return got.status_code, got.json().get("code", "")


async def opened(door: Door, table: Table, seat: int = 0) -> str:
    """The path of a new dispute."""
    body = {"about": 1, "claim": "It was not so"}
    made = await door.post(table.path + "/disputes", table.tokens[seat], json=body)
    assert made.status_code == 201, made.text
    assert made.headers["location"] == f"{table.path}/disputes/{made.json()['id']}"
    return str(made.headers["location"])


async def reviewed(door: Door, table: Table, seat: int = 0, *, pause: bool = True) -> str:
    path = await opened(door, table, seat)
    done = await door.post(path + "/review", json={"pause": pause})
    assert done.status_code == 200, done.text
    return path


async def ruled(door: Door, path: str, ruling: Json, **more: Any) -> httpx.Response:
    body = {"ruling": ruling, "reason": "Because"}
    return await door.post(path + "/rulings", json=body, **more)


async def kinds(door: Door, table: Table) -> list[str]:
    got = await door.get(table.path + "/events?limit=50")
    return [each["kind"] for each in got.json()["events"]]


# Takebacks


async def test_a_takeback_by_consent(door: Door, table: Table) -> None:
    await choosing(door, table)
    before = (await door.get(table.path + "/view", table.tokens[0])).json()
    asked = await door.post(table.path + "/takebacks", table.tokens[0])
    assert asked.status_code == 201
    path = f"{table.path}/takebacks/{asked.json()['id']}"
    shown = (await door.get(table.path + "/takebacks", table.tokens[2])).json()["takeback"]
    assert (shown["open"], shown["owed"], shown["move"]) == (True, [1, 2], before["version"])
    for seat in (1, 2):
        assert (await door.post(path + "/consent", table.tokens[seat])).status_code == 200
    own = (await decision_of(door.http, table, 0))["decision"]
    assert own["kind"] == "arrange"
    assert (await kinds(door, table))[-1] == "match_rewound"
    assert (await door.get(table.path + "/takebacks")).json()["takeback"] is None


async def test_a_refused_takeback_and_what_is_none(door: Door, table: Table) -> None:
    for seat in range(3):  # Nothing was played since the deal.
        asked = door.post(table.path + "/takebacks", table.tokens[seat])
        assert await code(asked) == (409, "takeback-impossible")
    await choosing(door, table)
    asked = door.post(table.path + "/takebacks", table.tokens[1])
    assert await code(asked) == (409, "takeback-impossible")
    made = await door.post(table.path + "/takebacks", table.tokens[0])
    path = f"{table.path}/takebacks/{made.json()['id']}"
    assert await code(door.post(path + "/consent", table.tokens[0])) == (409, "takeback-closed")
    assert (await door.post(path + "/refuse", table.tokens[1])).status_code == 200
    assert await code(door.post(path + "/consent", table.tokens[2])) == (409, "takeback-closed")
    asked = door.post(table.path + "/takebacks", table.tokens[0])
    assert await code(asked) == (409, "takeback-closed")
    key = door.post(table.path + "/takebacks")
    assert await code(key) == (403, "seat-token-required")
    nowhere = door.post(table.path + "/takebacks/x/consent", table.tokens[1])
    assert await code(nowhere) == (409, "takeback-closed")


async def test_a_repeated_request_is_done_once(door: Door, table: Table) -> None:
    await choosing(door, table)
    headers = {"Idempotency-Key": "once"}
    first = await door.post(table.path + "/takebacks", table.tokens[0], headers=headers)
    again = await door.post(table.path + "/takebacks", table.tokens[0], headers=headers)
    assert (again.status_code, again.content) == (201, first.content)
    assert again.headers["plyscribe-replayed"] == "true"
    body = {"about": 1, "claim": "No"}
    path = table.path + "/disputes"
    made = await door.post(path, table.tokens[1], json=body, headers=headers)
    same = await door.post(path, table.tokens[1], json=body, headers=headers)
    assert same.content == made.content
    other = door.post(path, table.tokens[1], json={**body, "claim": "Yes"}, headers=headers)
    assert await code(other) == (422, "idempotency-key-reused")
    own = made.headers["location"]
    review = await door.post(own + "/review", json={"pause": False}, headers=headers)
    repeated = await door.post(own + "/review", json={"pause": False}, headers=headers)
    assert review.content == repeated.content
    ruling: Json = {"type": "rewind", "boundary": "round 1"}
    rewound = await ruled(door, own, ruling, headers=headers)
    assert rewound.status_code == 200, rewound.text
    repeated = await ruled(door, own, ruling, headers=headers)
    assert (repeated.status_code, repeated.content) == (200, rewound.content)
    assert (await kinds(door, table)).count("match_rewound") == 1


# Disputes and rulings


async def test_a_dispute_from_both_sides(door: Door, table: Table) -> None:
    path = await opened(door, table, 1)
    shown = (await door.get(path, table.tokens[2])).json()
    assert (shown["seat"], shown["stage"], shown["claim"]) == (1, "open", "It was not so")
    assert (await door.post(path + "/review", json={"pause": True})).status_code == 200
    assert (await door.get(table.path)).json()["status"] == "under_review"
    own = (await decision_of(door.http, table, 0))["decision"]
    move = {"type": "arrange", "cards": own["offers"][0]["fields"]["cards"]["options"]}
    refused = await answer(door.http, table, 0, own["id"], move)
    assert (refused.status_code, refused.json()["code"]) == (409, "match-under-review")
    checked = await door.post(
        table.path + "/moves/validate",
        table.tokens[0],
        json={"decision": own["id"], "move": move},
    )
    assert checked.json()["code"] == "match-under-review"
    resigned = door.post(table.path + "/seats/1/resign", table.tokens[1])
    assert await code(resigned) == (409, "match-under-review")
    assert (await ruled(door, path, {"type": "note"})).status_code == 200
    assert (await answer(door.http, table, 0, own["id"], move)).status_code == 200
    shown = (await door.get(path, table.tokens[0])).json()
    assert (shown["stage"], shown["reason"]) == ("ruled", "Because")
    assert shown["ruling"] == {"type": "note"}
    appeal = await door.post(path + "/appeal", table.tokens[2], json={"reason": "No"})
    assert appeal.status_code == 200
    await door.post(path + "/review", json={"pause": False})
    assert (await ruled(door, path, {"type": "note"})).status_code == 200
    assert (await door.get(path)).json()["stage"] == "closed"
    again = door.post(path + "/appeal", table.tokens[2], json={"reason": "No"})
    assert await code(again) == (409, "dispute-stage")
    listed = (await door.get(table.path + "/disputes", table.tokens[0])).json()["disputes"]
    assert [each["stage"] for each in listed] == ["closed"]


async def test_a_dispute_is_withdrawn_or_closed(door: Door, table: Table) -> None:
    path = await opened(door, table, 1)
    assert await code(door.post(path + "/close", table.tokens[0])) == (409, "dispute-stage")
    assert (await door.post(path + "/close", table.tokens[1])).status_code == 200
    other = await reviewed(door, table, 1)
    await ruled(door, other, {"type": "note"})
    assert (await door.post(other + "/close", json={"account": "referee"})).status_code == 200
    missing = door.get(table.path + "/disputes/999")
    assert await code(missing) == (404, "dispute-not-found")
    nonsense = door.post(table.path + "/disputes/x/close")
    assert await code(nonsense) == (404, "dispute-not-found")


async def test_every_ruling_has_its_answer(door: Door, table: Table) -> None:
    await choosing(door, table)
    path = await reviewed(door, table)
    impossible: list[Json] = [
        {"type": "rewind", "to": 1},
        {"type": "rewind", "boundary": "round 9"},
        {"type": "redraw", "label": "no such draw"},
        {"type": "set_result", "ranks": [1]},
    ]
    for each in impossible:
        assert await code(ruled(door, path, each)) == (409, "ruling-impossible")
    both = {"type": "rewind", "to": 5, "boundary": "round 1"}
    for each in (both, {"type": "rewind"}, {"type": "undo"}):
        assert await code(ruled(door, path, each)) == (422, "invalid-request")
    assert await code(ruled(door, path, {"type": "forfeit", "seat": 9})) == (404, "seat-not-found")
    illegal = {"type": "force_move", "seat": 1, "move": {"type": "waive"}}
    assert await code(ruled(door, path, illegal)) == (422, "move-not-offered")
    done = await ruled(door, path, {"type": "redraw", "label": "round 1 deal"})
    assert done.status_code == 200
    drawn = [e for e in (await events(door, table)) if e["kind"] == "chance_drawn"]
    assert [each["redraw"] for each in drawn] == [0, 1]


async def events(door: Door, table: Table, token: str = "") -> list[Json]:
    got = await door.get(table.path + "/events?limit=50", token or door.key)
    found: list[Json] = got.json()["events"]
    return found


async def test_a_forced_move_is_a_look_and_a_move_of_the_arbiter(door: Door, table: Table) -> None:
    await choosing(door, table)
    _, move = await choice(door, table, 1)
    path = await reviewed(door, table)
    done = await ruled(door, path, {"type": "force_move", "seat": 1, "move": move})
    assert done.status_code == 200, done.text
    look, ruling, played = (await events(door, table, table.tokens[1]))[-3:]
    assert (look["kind"], look["seat"]) == ("look_taken", 1)
    assert ruling["data"]["ruling"]["type"] == "force_move"
    assert (played["by"], played["move"]) == ("arbiter", move)
    shown = (await events(door, table, table.tokens[0]))[-1]
    assert shown["move"]["card"] is None


async def test_a_seat_is_replaced_and_its_tokens_stop(door: Door, table: Table) -> None:
    path = await reviewed(door, table)
    ruling = {"type": "replace_seat", "seat": 1, "account": "newcomer"}
    headers = {"Idempotency-Key": "new"}
    done = await ruled(door, path, ruling, headers=headers)
    assert done.status_code == 200, done.text
    token = done.json()["token"]
    assert (await door.get("/v1/me", table.tokens[1])).status_code == 401
    assert (await door.get("/v1/me", token)).json()["seat"] == 1
    again = await ruled(door, path, ruling, headers=headers)
    assert again.json()["token"] == token
    stored = await door.app.parts.store.seats(table.match_id)
    assert {each.seat: each.account for each in stored}[1] == "newcomer"
    assert b"newcomer" not in (await door.get(table.path + "/events?limit=50")).content
    for seat in (0, 2):
        await door.post(f"{table.path}/seats/{seat}/resign", table.tokens[seat])
    result = (await door.get(table.path + "/result")).json()
    assert [each["external_id"] for each in result["seats"]] == [None, "newcomer", None]


async def test_another_match_is_played_in_place(door: Door) -> None:
    table = await door.table(seats=2, external_id="final", options={"rounds": 1})
    door.clock.now += 1
    path = await reviewed(door, table)
    headers = {"Idempotency-Key": "again"}
    done = await ruled(door, path, {"type": "replay"}, headers=headers)
    assert done.status_code == 200, done.text
    new_id = done.json()["replacement"]
    first, second = [
        (await door.get(f"/v1/matches/{each}")).json() for each in (table.match_id, new_id)
    ]
    assert (first["status"], first["result"], first["revealed"]) == ("void", None, True)
    assert (second["status"], second["external_id"]) == ("seating", "final")
    assert second["options"] == first["options"]
    assert second["seed_commitment"] != first["seed_commitment"]
    again = await ruled(door, path, {"type": "replay"}, headers=headers)
    assert again.content == done.content
    listed = (await door.get("/v1/matches?external_id=final")).json()["matches"]
    assert [each["match_id"] for each in listed] == [new_id, table.match_id]


async def test_a_refused_replay_makes_no_match(door: Door) -> None:
    table = await door.table(seats=2, external_id="refused")
    path = await opened(door, table)  # Not under review.
    assert await code(ruled(door, path, {"type": "replay"})) == (409, "dispute-stage")
    listed = (await door.get("/v1/matches?external_id=refused")).json()["matches"]
    assert [each["match_id"] for each in listed] == [table.match_id]


# Who may arbitrate


async def test_parties_and_watchers_do_not_arbitrate(door: Door) -> None:
    made = await door.post("/v1/matches", json={"game": GAME, "seats": 2, "accounts": ["x", None]})
    path = f"/v1/matches/{made.json()['match_id']}"
    for account in ("ada", "bea"):  # Ada held the seat, Bea holds it.
        await door.post(path + "/seats/1/claim", json={"account": account})
        if account == "ada":
            await door.post(path + "/seats/1/release")
    await door.post(path + "/seats/0/claim")
    for account in ("ada", "bea", "x"):
        body = {"about": 1, "claim": "No", "account": account}
        assert await code(door.post(path + "/disputes", json=body)) == (403, "arbiter-is-party")
    watcher = (await door.post(path + "/spectators", json={})).json()["token"]
    body = {"about": 1, "claim": "No"}
    refused = door.post(path + "/disputes", watcher, json=body)
    assert await code(refused) == (403, "seat-token-required")
    made = await door.post(path + "/disputes", json={**body, "account": "referee"})
    assert made.status_code == 201
    own = made.headers["location"]
    refused = door.post(own + "/review", watcher, json={"pause": False})
    assert await code(refused) == (403, "arbiter-is-party")
    assert (await door.post(own + "/review", json={"pause": False})).status_code == 200
    take = {"type": "replace_seat", "seat": 0, "account": "referee"}
    refused = door.post(
        own + "/rulings", json={"ruling": take, "reason": "Mine", "account": "referee"}
    )
    assert await code(refused) == (403, "arbiter-is-party")


async def test_a_key_without_the_scope_does_not_arbitrate(
    door: Door, table: Table, other_key: str
) -> None:
    made = await door.post("/v1/keys", json={"name": "eyes", "scopes": ["observe"]})
    path = await opened(door, table)
    refused = door.post(path + "/review", made.json()["secret"], json={"pause": False})
    assert await code(refused) == (403, "scope-missing")
    refused = door.post(path + "/review", other_key, json={"pause": False})
    assert await code(refused) == (404, "match-not-found")
    look = door.get(table.path + "/view?as=1&at=5", made.json()["secret"])
    assert await code(look) == (403, "scope-missing")


async def test_arbiters_are_pseudonyms_of_one_match(door: Door) -> None:
    names = []
    for _ in range(2):
        table = await door.table(seats=2)
        for seat in range(2):
            path = await opened(door, table, seat)
            body = {"pause": False, "account": "referee"}
            await door.post(path + "/review", json=body)
            await ruled(door, path, {"type": "note"})
        told = [
            e["data"]["arbiter"]
            for e in await events(door, table)
            if "started" in e["kind"] and "data" in e
        ]
        names.append(set(told))
    assert [len(each) for each in names] == [1, 1]
    assert names[0] != names[1]


# Looks, replays, reports


async def test_the_view_of_another_is_a_look_until_the_reveal(door: Door, table: Table) -> None:
    path = table.path + "/view"
    own = await door.get(path + "?at=6", table.tokens[1])
    look = await door.get(path + "?as=1&at=6")
    assert (look.status_code, look.content) == (200, own.content)
    assert (await events(door, table))[-1]["kind"] == "look_taken"
    assert (await door.get(path + "?as=1&at=6")).status_code == 200
    assert (await kinds(door, table)).count("look_taken") == 1
    assert await code(door.get(path + "?as=1")) == (400, "invalid-parameter")
    assert await code(door.get(path + "?as=x")) == (400, "invalid-parameter")
    assert await code(door.get(path + "?as=9&at=6")) == (404, "seat-not-found")
    assert await code(door.get(path + "?as=1&at=99")) == (404, "version-not-found")
    assert await code(door.get(path + "?as=1&at=6", table.tokens[0])) == (403, "other-seat")
    public = await door.get(path + "?as=public&at=6", table.tokens[0])
    assert public.content == (await door.get(path + "?at=6")).content
    await door.post(table.path + "/cancel")
    shown = await door.get(path + "?as=1&at=6", table.tokens[0])
    assert (shown.status_code, shown.content) == (200, own.content)
    assert (await kinds(door, table)).count("look_taken") == 1


async def test_a_replay_shows_each_step_and_what_was_skipped(door: Door, table: Table) -> None:
    await choosing(door, table)
    path = await reviewed(door, table)
    await ruled(door, path, {"type": "rewind", "boundary": "round 1"})
    own = (await door.get(table.path + "/replay", table.tokens[0])).json()
    seen = await events(door, table, table.tokens[0])
    assert [each["event"] for each in own["steps"]] == seen
    out = [each["version"] for each in own["steps"] if not each["in_play"]]
    kinds_out = [each["kind"] for each in seen if each["version"] in out]
    assert kinds_out == [
        "chance_drawn",
        "move_played",
        "dispute_opened",
        "review_started",
        "dispute_ruled",
    ]
    view = (await door.get(table.path + "/view", table.tokens[0])).json()["view"]
    assert own["steps"][-1]["view"] == view
    pages: list[Json] = []
    going: Json = {"after": 0}
    while going["after"] is not None:
        path = f"{table.path}/replay?limit=3&after={going['after']}"
        going = (await door.get(path, table.tokens[0])).json()
        pages += going["steps"]
    assert pages == own["steps"]
    assert await code(door.get(table.path + "/replay?as=1", table.tokens[0])) == (403, "other-seat")
    look = await door.get(table.path + "/replay?as=0&at=6")
    assert [each["event"] for each in look.json()["steps"]] == seen[:6]


async def test_each_seat_sees_its_part_of_the_report(door: Door, table: Table) -> None:
    await choosing(door, table)
    path = await reviewed(door, table)
    assert await code(door.get(path + "/report", table.tokens[0])) == (409, "ruling-impossible")
    thought = (await door.get(path + "/report?to=5", table.tokens[0])).json()
    assert thought["rewind"] is None
    await ruled(door, path, {"type": "rewind", "boundary": "round 1"})
    parts = []
    for seat in range(3):
        got = (await door.get(path + "/report", table.tokens[seat])).json()
        assert [each is None for each in got["seats"]] == [s != seat for s in range(3)]
        parts.append(got["seats"][seat])
    assert [[line["kind"] for line in each] for each in parts] == [["chance_drawn"]] * 3
    assert thought["seats"][0] == parts[0]
    whole = await door.get(path + "/report")
    assert whole.json()["seats"] == parts
    look = (await events(door, table))[-1]
    assert (look["kind"], look.get("seat")) == ("look_taken", None)
    watcher = (await door.post(table.path + "/spectators", json={})).json()["token"]
    assert await code(door.get(path + "/report", watcher)) == (403, "other-seat")


# The window, and matches that go back


async def test_the_reveal_waits_for_the_window_and_comes_by_itself(door: Door) -> None:
    table = await door.table(seats=2, reveal_after_seconds=60)
    await door.post(table.path + "/cancel")
    shown = (await door.get(table.path)).json()
    assert (shown["revealed"], shown["reveal_at"]) == (False, door.clock.now + 60_000)
    assert (shown["reveal"], shown["reveal_after_seconds"]) == ("after_window", 60)
    assert await revealing.sweep(door.app.parts) == 0
    door.clock.now += 60_000
    assert await revealing.sweep(door.app.parts) == 1
    assert (await kinds(door, table))[-1] == "match_revealed"
    assert await revealing.sweep(door.app.parts) == 0
    door.clock.now += 10_000_000
    assert await revealing.sweep(door.app.parts) == 0


async def test_the_reveal_comes_at_the_end_of_the_window_though_nobody_looks(door: Door) -> None:
    """By the moment in the row of the match, as flags fall."""
    table, other = [await door.table(seats=2, reveal_after_seconds=60) for _ in range(2)]
    store, database = door.app.parts.store, door.app.parts.database
    await door.post(table.path + "/cancel")
    await database.write(lambda c: c.execute(delete(REVEAL)))

    async def version(of: Table) -> int:
        row = await store.match(of.match_id)
        assert row is not None
        return row.version

    before = await version(table)
    running = await version(other)
    door.clock.now += 60_000 + 1000  # What is due waits for the grace of flags.
    await eventually(lambda: version(table), lambda found: found == before + 1)
    assert await version(other) == running
    (last,) = await store.records(table.match_id, before, 1)
    assert last.kind == "match_revealed"
    # Nothing is due any more, so nobody comes back for it.
    query = select(MATCH.c.due_at).where(MATCH.c.match_id.in_([table.match_id, other.match_id]))
    assert set(await database.read(lambda c: list(c.scalars(query)))) == {None}


async def test_what_a_dispute_puts_off_is_due_later(door: Door) -> None:
    table = await door.table(seats=2, reveal_after_seconds=60)
    await door.post(table.path + "/seats/0/resign", table.tokens[0])
    for seat in range(2):
        row = await door.app.parts.store.match(table.match_id)
        assert row is not None
        assert row.due_at == door.clock.now + 60_000
        door.clock.now += 10_000
        await opened(door, table, seat)


async def test_whoever_looks_after_the_window_finds_the_match_revealed(door: Door) -> None:
    table = await door.table(seats=2, reveal_after_seconds=60)
    await door.post(table.path + "/cancel")
    door.clock.now += 60_000
    assert (await door.get(table.path)).json()["revealed"] is True


async def test_a_result_is_provisional_until_it_is_settled(door: Door) -> None:
    table = await door.table(seats=2, reveal_after_seconds=60, external_id="provisional")
    await door.post(table.path + "/seats/0/resign", table.tokens[0])
    shown = (await door.get(table.path)).json()
    assert (shown["result_revision"], shown["provisional"]) == (1, True)
    path = await reviewed(door, table, 0, pause=False)
    ruling = {"type": "rewind", "boundary": "round 1"}
    assert (await ruled(door, path, ruling)).status_code == 200
    (line,) = (await door.get("/v1/matches?external_id=provisional")).json()["matches"]
    assert (line["status"], line["result"]) == ("running", None)
    shown = (await door.get(table.path)).json()
    assert (shown["result"], shown["result_revision"], shown["provisional"]) == (None, 1, False)
    other = await reviewed(door, table, 1, pause=False)
    await ruled(door, other, {"type": "set_result", "ranks": [1, 2], "scores": [5, 3]})
    door.clock.now += 60_000
    shown = (await door.get(table.path)).json()
    assert shown["result"] == {
        "terminal": "adjudicated",
        "ranks": [1, 2],
        "scores": [5, 3],
        "note": "",
    }
    assert (shown["result_revision"], shown["provisional"]) == (2, False)


async def test_tokens_issued_during_play_are_told_to_everybody(door: Door, table: Table) -> None:
    await door.post(table.path + "/seats/1/tokens")
    await door.delete(table.path + "/seats/1/tokens")
    told = [(each["kind"], each.get("seat")) for each in (await events(door, table))[-2:]]
    assert told == [("seat_token_issued", 1), ("seat_tokens_revoked", 1)]
    await door.post(table.path + "/cancel")
    version = (await door.get(table.path)).json()["version"]
    assert (await door.post(table.path + "/seats/1/tokens")).status_code == 201
    assert (await door.get(table.path)).json()["version"] == version


async def test_a_ruling_and_a_move_at_once(door: Door, table: Table) -> None:
    """Whichever comes first, the log is one line and the other is done on it or refused."""
    await choosing(door, table)
    for turn in range(4):
        path = await reviewed(door, table, turn % 3, pause=False)
        identity, move = await choice(door, table, 1)
        ruling = ruled(door, path, {"type": "rewind", "boundary": "round 1"})
        played, done = await asyncio.gather(answer(door.http, table, 1, identity, move), ruling)
        assert done.status_code == 200, done.text
        assert played.status_code in (200, 409), played.text
        if played.status_code == 409:
            assert played.json()["code"] == "decision-closed"
        await choosing(door, table)
    versions = [each["version"] for each in await events(door, table)]
    assert versions == [*range(1, len(versions) + 1)]


async def test_a_stream_goes_on_across_a_rewind(door: Door, table: Table) -> None:
    await choosing(door, table)
    path = await reviewed(door, table)
    await ruled(door, path, {"type": "rewind", "boundary": "round 1"})
    await door.post(table.path + "/cancel")
    headers = {"accept": "application/x-ndjson", **bearer(table.tokens[0])}
    whole = await door.http.get(table.path + "/events?after=0", headers=headers)
    lines = whole.text.splitlines()
    assert len(lines) == (await door.get(table.path)).json()["version"]
    part = await door.http.get(table.path + "/events?after=7", headers=headers)
    assert part.text.splitlines() == lines[7:]


@pytest.mark.parametrize(
    ("game", "seats"), [("ambition_tricks", 4), ("ambition_characters", 3), ("ambagibus", 1)]
)
async def test_every_game_is_rewound_over_the_door(door: Door, game: str, seats: int) -> None:
    table, first = await begun(door, game, seats, moves=3 * seats if seats > 1 else 1)
    path = await reviewed(door, table)
    done = await ruled(door, path, {"type": "rewind", "boundary": first["boundary"]})
    assert done.status_code == 200, done.text
    back = (await door.get(table.path + "/view", table.tokens[-1])).json()
    assert back["view"] == first["view"]
