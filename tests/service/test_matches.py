"""Matches are created once, listed to their organisation alone, started and cancelled."""

import asyncio
from typing import Any
from uuid import UUID

import pytest

from service.repeating import ABANDONED_MS
from tests.service.client import bearer, play_out
from tests.service.conftest import GAME, Door

BODY = {"game": GAME, "seats": 2}


async def create(door: Door, **more: Any) -> Any:
    made = await door.post("/v1/matches", json={**BODY, **more})
    assert made.status_code == 201, made.text
    return made.json()


async def test_a_new_match_is_told_whole(door: Door) -> None:
    made = await door.post("/v1/matches", json={**BODY, "external_id": "round-1/table-2"})
    assert made.status_code == 201
    match = made.json()
    assert made.headers["location"] == f"/v1/matches/{match['match_id']}"
    assert UUID(match["match_id"]).version == 7
    assert (match["status"], match["version"], match["result"]) == ("seating", 1, None)
    assert match["options"] == {"rounds": 2, "talk": True}
    assert match["external_id"] == "round-1/table-2"
    assert [line["holder"] for line in match["seating"]] == [None, None]
    again = await door.get(made.headers["location"])
    assert again.json() == match


async def test_options_are_kept(door: Door) -> None:
    match = await create(door, options={"rounds": 5})
    assert match["options"] == {"rounds": 5, "talk": True}


@pytest.mark.parametrize(
    ("more", "status", "code", "pointer"),
    [
        ({"game": "chess_of_mars"}, 404, "game-not-found", None),
        ({"rules_version": 99}, 404, "game-not-found", None),
        ({"seats": 9}, 422, "options-refused", "/seats"),
        ({"seats": 0}, 422, "invalid-request", "/seats"),
        ({"seats": "two"}, 422, "invalid-request", "/seats"),
        ({"options": {"rounds": 9}}, 422, "invalid-request", "/options/rounds"),
        ({"options": {"turns": 9}}, 422, "invalid-request", "/options/turns"),
        ({"options": []}, 422, "invalid-request", "/options"),
        ({"start": "soon"}, 422, "invalid-request", "/start"),
        ({"external_id": ""}, 422, "invalid-request", "/external_id"),
        ({"colour": "red"}, 422, "invalid-request", "/colour"),
    ],
)
async def test_matches_that_cannot_be(
    door: Door, more: dict[str, Any], status: int, code: str, pointer: str | None
) -> None:
    refused = await door.post("/v1/matches", json={**BODY, **more})
    assert (refused.status_code, refused.json()["code"]) == (status, code)
    told = [each["pointer"] for each in refused.json().get("errors", [])]
    assert told == ([] if pointer is None else [pointer])


async def test_a_repeated_request_creates_one_match(door: Door) -> None:
    headers = {"Idempotency-Key": "k1"}
    first = await door.post("/v1/matches", json=BODY, headers=headers)
    turned = dict(reversed(BODY.items()))
    again = await door.post("/v1/matches", json=turned, headers=headers)
    assert (again.status_code, again.content) == (201, first.content)
    assert again.headers["location"] == first.headers["location"]
    assert again.headers["plyscribe-replayed"] == "true"
    other = await door.post("/v1/matches", json={**BODY, "seats": 3}, headers=headers)
    assert (other.status_code, other.json()["code"]) == (422, "idempotency-key-reused")
    assert len((await door.get("/v1/matches")).json()["matches"]) >= 1


async def test_the_same_request_at_once_creates_one_match(door: Door) -> None:
    headers = {"Idempotency-Key": "k2"}
    sent = [door.post("/v1/matches", json=BODY, headers=headers) for _ in range(8)]
    results = await asyncio.gather(*sent)
    assert {each.status_code for each in results} <= {201, 409}
    made = {each.json()["match_id"] for each in results if each.status_code == 201}
    assert len(made) == 1
    codes = {each.json()["code"] for each in results if each.status_code == 409}
    assert codes <= {"request-running"}


async def test_a_refused_request_may_be_corrected(door: Door) -> None:
    headers = {"Idempotency-Key": "k3"}
    refused = await door.post("/v1/matches", json={**BODY, "seats": 9}, headers=headers)
    assert refused.status_code == 422
    made = await door.post("/v1/matches", json=BODY, headers=headers)
    assert made.status_code == 201


async def test_a_request_cut_off_by_a_crash_is_taken_up(
    door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The match is stored, the answer to its request is not."""
    from service import kept_answers

    class Cut(Exception):
        pass

    def cut(*_: Any) -> None:
        raise Cut

    headers = {"Idempotency-Key": "k4"}
    with monkeypatch.context() as patched:
        patched.setattr(kept_answers, "finish_request", cut)
        assert (await door.post("/v1/matches", json=BODY, headers=headers)).status_code == 500
    early = await door.post("/v1/matches", json=BODY, headers=headers)
    assert (early.status_code, early.json()["code"]) == (409, "request-running")
    door.clock.now += ABANDONED_MS
    before = await ids(door)
    made = await door.post("/v1/matches", json=BODY, headers=headers)
    assert made.status_code == 201
    assert await ids(door) == before
    assert made.json()["match_id"] in before


async def ids(door: Door) -> set[str]:
    page = (await door.get("/v1/matches", params={"limit": 200})).json()
    return {each["match_id"] for each in page["matches"]}


async def test_lists_go_page_by_page_newest_first(door: Door) -> None:
    made = []
    for _ in range(5):
        door.clock.now += 1
        made.append((await create(door, external_id="listed"))["match_id"])
    seen: list[str] = []
    params: dict[str, Any] = {"external_id": "listed", "limit": 2}
    page = await door.get("/v1/matches", params=params)
    while True:
        seen += [each["match_id"] for each in page.json()["matches"]]
        following = page.json()["next"]
        if following is None:
            assert "link" not in page.headers
            break
        target = page.headers["link"].partition(">")[0].removeprefix("<")
        assert page.headers["link"].endswith('rel="next"')
        page = await door.get(target)
    assert seen[:5] == made[::-1]


async def test_lists_are_narrowed(door: Door) -> None:
    await create(door, external_id="mine")
    narrowed = await door.get("/v1/matches", params={"external_id": "mine", "status": "seating"})
    assert {each["external_id"] for each in narrowed.json()["matches"]} == {"mine"}
    none = await door.get("/v1/matches", params={"external_id": "mine", "status": "over"})
    assert none.json() == {"matches": [], "next": None}
    wrong = await door.get("/v1/matches", params={"status": "lost"})
    assert (wrong.status_code, wrong.json()["code"]) == (400, "invalid-parameter")


async def test_a_cursor_is_bound_to_its_list_and_caller(door: Door, other_key: str) -> None:
    for _ in range(2):
        await create(door, external_id="bound")
    params: dict[str, Any] = {"external_id": "bound", "limit": 1}
    cursor = (await door.get("/v1/matches", params=params)).json()["next"]
    for token, changed in (
        (other_key, {"cursor": cursor}),
        (door.key, {"cursor": cursor, "external_id": "else"}),
        (door.key, {"cursor": cursor[:-1]}),
        (door.key, {"cursor": "?"}),
    ):
        refused = await door.get("/v1/matches", token, params={**params, **changed})
        assert (refused.status_code, refused.json()["code"]) == (400, "invalid-parameter")


async def test_other_organisations_see_nothing(door: Door, other_key: str) -> None:
    match_id = (await create(door))["match_id"]
    listed = await door.get("/v1/matches", other_key)
    assert listed.json()["matches"] == []
    missing = await door.get("/v1/matches/01890a5d-ac96-774b-bcce-b302099a8057", other_key)
    for path in ("", "/view", "/events", "/seats", "/seats/0", "/decision", "/decision/moves"):
        unseen = await door.get(f"/v1/matches/{match_id}{path}", other_key)
        assert (unseen.status_code, unseen.content) == (404, missing.content)
    for path in ("/start", "/cancel", "/seats/0/claim", "/seats/0/release", "/seats/0/tokens"):
        unseen = await door.post(f"/v1/matches/{match_id}{path}", other_key)
        assert (unseen.status_code, unseen.content) == (404, missing.content)


async def test_a_match_starts_by_itself_when_all_seats_are_claimed(door: Door) -> None:
    table = await door.table(seats=2)
    match = (await door.get(table.path)).json()
    assert match["status"] == "running"
    assert match["asked"]["seats"] == [0]
    late = await door.post(table.path + "/start")
    assert (late.status_code, late.json()["code"]) == (409, "match-already-started")


async def test_a_match_can_wait_for_its_start(door: Door) -> None:
    match_id = (await create(door, start="manual"))["match_id"]
    path = f"/v1/matches/{match_id}"
    early = await door.post(path + "/start")
    assert (early.status_code, early.json()["code"]) == (409, "seats-unclaimed")
    for seat in range(2):
        await door.post(f"{path}/seats/{seat}/claim")
    assert (await door.get(path)).json()["status"] == "seating"
    headers = {"Idempotency-Key": "go"}
    started = await door.post(path + "/start", headers=headers)
    again = await door.post(path + "/start", headers=headers)
    assert (started.status_code, again.status_code) == (200, 200)
    assert started.content == again.content
    assert (await door.get(path)).json()["status"] == "running"


async def test_a_cancelled_match_is_revealed(door: Door) -> None:
    table = await door.table(seats=2)
    cancelled = await door.post(table.path + "/cancel")
    assert cancelled.status_code == 200
    match = (await door.get(table.path)).json()
    assert (match["status"], match["revealed"], match["result"]) == ("cancelled", True, None)
    again = await door.post(table.path + "/cancel")
    assert (again.status_code, again.json()["code"]) == (409, "match-over")


async def test_a_finished_match_shows_its_result_in_the_list(door: Door) -> None:
    table = await door.table(seats=2, external_id="finished")
    await play_out(door.http, table, 1)
    listed = (await door.get("/v1/matches", params={"external_id": "finished"})).json()["matches"]
    match = (await door.get(table.path)).json()
    assert match["result"]["terminal"] == "normal"
    assert listed[0] == {name: match[name] for name in listed[0]}
    over = await door.post(table.path + "/cancel")
    assert (over.status_code, over.json()["code"]) == (409, "match-over")


async def test_views_have_tags_per_viewer(door: Door) -> None:
    table = await door.table(seats=2)
    for path in ("", "/view", "/seats"):
        seen = {}
        for token in (door.key, *table.tokens):
            got = await door.get(table.path + path, token)
            seen[got.headers["etag"]] = token
            known = {"If-None-Match": f'"else", W/{got.headers["etag"]}'}
            unchanged = await door.get(table.path + path, token, headers=known)
            assert (unchanged.status_code, unchanged.content) == (304, b"")
            assert unchanged.headers["etag"] == got.headers["etag"]
            assert got.headers["cache-control"] == "private, no-cache"
        assert len(seen) == 3
    tag = (await door.get(table.path + "/decision", table.tokens[0])).headers["etag"]
    await play_out(door.http, table, 1)
    headers = {**bearer(table.tokens[0]), "If-None-Match": tag}
    assert (await door.http.get(table.path + "/decision", headers=headers)).status_code == 200
