"""One move: accepted once however often it is sent, refused without telling anything hidden."""

import asyncio
from random import Random
from typing import Any

import httpx
import msgspec
import pytest

from tests.service.client import (
    Table,
    answer,
    bearer,
    decision_of,
    moves_page,
    play_out,
    play_seat,
    random_move,
)
from tests.service.conftest import Door
from tests.service.positions import choice, choosing


async def test_a_move_gives_a_receipt(door: Door, table: Table) -> None:
    shown = await decision_of(door.http, table, 0)
    assert shown["asked"] == {"kind": "arrange", "mode": "sealed", "seats": [0]}
    move = random_move(shown["decision"]["offers"], Random(1))
    done = await answer(door.http, table, 0, shown["decision"]["id"], move)
    assert done.status_code == 200
    assert set(done.json()) == {"first", "last", "head", "evidence"}
    assert done.json()["first"] == shown["version"] + 1
    assert "plyscribe-replayed" not in done.headers
    after = await door.get(table.path)
    assert after.status_code == 200, after.text
    assert (after.json()["version"], after.json()["head"]) == (
        done.json()["last"],
        done.json()["head"],
    )


async def test_the_same_answer_again_gives_the_same_bytes(door: Door, table: Table) -> None:
    await choosing(door, table)
    decision, move = await choice(door, table, 1)
    first = await answer(door.http, table, 1, decision, move)
    again = await answer(door.http, table, 1, decision, dict(reversed(move.items())))
    assert again.status_code == 200
    assert again.content == first.content
    assert again.headers["plyscribe-replayed"] == "true"


async def test_the_same_answer_counts_in_any_order_of_its_picks(door: Door) -> None:
    table, rng = await door.table("ambition_characters", 4), Random(3)
    for _ in range(1000):
        seat = (await door.get(table.path)).json()["asked"]["seats"][0]
        shown = await decision_of(door.http, table, seat)
        own = shown["decision"]
        move = random_move(shown["decision"]["offers"], rng)
        turned = dict(move)
        for name, picks in two_unordered(own["offers"], move["type"]).items():
            move[name], turned[name] = picks, picks[::-1]
        first = await answer(door.http, table, seat, own["id"], move)
        assert first.status_code == 200, first.text
        if turned != move:
            again = await answer(door.http, table, seat, own["id"], turned)
            assert (again.status_code, again.content) == (200, first.content)
            return


def two_unordered(offers: list[Any], kind: str) -> dict[str, list[Any]]:
    """Two picks for each field of the offer that takes two in any order."""
    fields = next(each for each in offers if each["type"] == kind)["fields"]
    return {
        name: field["options"][:2]
        for name, field in fields.items()
        if field.get("ordered") is False
        and field["least"] <= 2 <= field["most"]
        and len(field["options"]) >= 2
    }


async def test_another_answer_is_refused(door: Door, table: Table) -> None:
    await choosing(door, table)
    decision, move = await choice(door, table, 1)
    _, other = await choice(door, table, 1, place=1)
    await answer(door.http, table, 1, decision, move)
    refused = await answer(door.http, table, 1, decision, other)
    assert refused.status_code == 409
    assert refused.json()["code"] == "decision-answered"
    nonsense = await answer(door.http, table, 1, decision, {"type": "nonsense"})
    assert nonsense.json()["code"] == "decision-answered"


async def test_an_answer_is_replayed_after_the_end_of_the_match(door: Door, table: Table) -> None:
    await choosing(door, table)
    decision, move = await choice(door, table, 1)
    first = await answer(door.http, table, 1, decision, move)
    await play_out(door.http, table, 5)
    again = await answer(door.http, table, 1, decision, move)
    assert (again.status_code, again.content) == (200, first.content)
    other = await answer(door.http, table, 1, decision, {"type": "choose", "card": 0})
    assert other.json()["code"] == "decision-answered"


async def test_twenty_equal_answers_at_once_are_one_event(door: Door, table: Table) -> None:
    await choosing(door, table)
    before = (await door.get(table.path)).json()["version"]
    decision, move = await choice(door, table, 2)
    sent = [answer(door.http, table, 2, decision, move) for _ in range(20)]
    results = await asyncio.gather(*sent)
    assert {each.status_code for each in results} == {200}
    assert len({each.content for each in results}) == 1
    assert sum("plyscribe-replayed" in each.headers for each in results) == 19
    assert (await door.get(table.path)).json()["version"] == before + 1


async def test_of_different_answers_at_once_one_wins(door: Door, table: Table) -> None:
    await choosing(door, table)
    decision, move = await choice(door, table, 2)
    _, other = await choice(door, table, 2, place=1)
    sent = [answer(door.http, table, 2, decision, each) for each in [move, other] * 5]
    codes = sorted(each.status_code for each in await asyncio.gather(*sent))
    assert codes == [200] * 5 + [409] * 5


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
async def test_two_seats_answer_one_sealed_decision_at_once(
    door: Door, table: Table, order: tuple[int, int]
) -> None:
    await choosing(door, table)
    answers = {seat: await choice(door, table, seat) for seat in order}
    sent = [answer(door.http, table, seat, *answers[seat]) for seat in order]
    results = await asyncio.gather(*sent)
    assert [each.status_code for each in results] == [200, 200]
    assert len({each.json()["last"] for each in results}) == 2
    asked = (await door.get(table.path)).json()["asked"]
    assert asked == {"kind": "choose", "mode": "sealed", "seats": [2]}


async def test_an_illegal_move_tells_its_type_and_no_more(door: Door, table: Table) -> None:
    shown = await decision_of(door.http, table, 0)
    move = {"type": "arrange", "cards": [98, 99]}
    refused = await answer(door.http, table, 0, shown["decision"]["id"], move)
    assert refused.status_code == 422
    assert refused.headers["content-type"] == "application/problem+json"
    told = refused.json()
    assert set(told.pop("evidence")) == {"document", "salt"}
    assert told == {
        "type": "/problems/move-not-offered",
        "title": "The move is not offered",
        "status": 422,
        "detail": "No current offer takes this move.",
        "code": "move-not-offered",
        "errors": [
            {"pointer": "/move", "code": "move-not-offered", "detail": "type arrange"},
        ],
    }


async def test_a_refusal_is_the_same_whatever_is_hidden(door: Door) -> None:
    refusals = []
    for _ in range(6):
        table = await door.table()
        shown = await decision_of(door.http, table, 0)
        hand = set(shown["decision"]["offers"][0]["fields"]["cards"]["options"])
        foreign = [card for card in range(1, 11) if card not in hand][:2]
        refused = [
            await answer(door.http, table, 0, shown["decision"]["id"], move)
            for move in (
                {"type": "arrange", "cards": foreign},
                {"type": "arrange", "cards": []},
                {"type": "arrange"},
                {"type": "arrange", "cards": "all"},
            )
        ]
        # What is signed about it names the match, the time and the number of the refusal.
        told = [{**each.json(), "evidence": None} for each in refused]
        refusals.append({msgspec.json.encode(each) for each in told})
    assert all(each == refusals[0] for each in refusals)
    assert len(refusals[0]) == 1


async def test_an_unasked_seat_gets_decision_closed_with_what_it_is_asked(
    door: Door, table: Table
) -> None:
    move = {"type": "choose", "card": 1}
    refused = await answer(door.http, table, 1, "5.1", move)
    assert (refused.status_code, refused.json()["code"]) == (409, "decision-closed")
    assert refused.json()["decision"]["id"] is None
    assert refused.json()["decision"]["asides"]


async def test_an_old_decision_gets_the_fresh_one(door: Door, table: Table) -> None:
    await choosing(door, table)
    fresh = (await decision_of(door.http, table, 0))["decision"]
    refused = await answer(door.http, table, 0, "1.0", {"type": "choose", "card": 1})
    assert (refused.status_code, refused.json()["code"]) == (409, "decision-closed")
    assert refused.json()["decision"] == fresh


async def test_another_seats_decision_is_forbidden(door: Door, table: Table) -> None:
    own = (await decision_of(door.http, table, 0))["decision"]
    move = random_move(own["offers"], Random(1))
    refused = await answer(door.http, table, 1, own["id"], move)
    assert (refused.status_code, refused.json()["code"]) == (403, "other-seat")


async def test_an_open_decision_takes_the_first_answer_only(door: Door, table: Table) -> None:
    await choosing(door, table)
    for seat in range(3):
        await answer(door.http, table, seat, *(await choice(door, table, seat)))
    asked = (await door.get(table.path)).json()["asked"]
    assert (asked["kind"], asked["mode"]) == ("ring", "open")
    ids = [(await decision_of(door.http, table, s))["decision"]["id"] for s in range(3)]
    move = {"type": "waive"}
    sent = [answer(door.http, table, s, ids[s], move) for s in range(3)]
    codes = sorted(each.status_code for each in await asyncio.gather(*sent))
    assert codes == [200, 409, 409]


async def test_an_aside_needs_an_idempotency_key_and_is_said_once(door: Door, table: Table) -> None:
    path, token = table.path + "/moves", table.tokens[2]
    body = {"decision": None, "move": {"type": "speak", "text": "hello"}}
    refused = await door.post(path, token, json=body)
    assert (refused.status_code, refused.json()["code"]) == (400, "idempotency-key-required")
    key = {"Idempotency-Key": '"one"'}
    first = await door.post(path, token, json=body, headers=key)
    again = await door.post(path, token, json=body, headers={"Idempotency-Key": "one"})
    assert (first.status_code, again.status_code) == (200, 200)
    assert first.content == again.content
    assert again.headers["plyscribe-replayed"] == "true"
    body["move"] = {"type": "speak", "text": "other"}
    reused = await door.post(path, token, json=body, headers=key)
    assert (reused.status_code, reused.json()["code"]) == (422, "idempotency-key-reused")
    other_seat = await door.post(path, table.tokens[1], json=body, headers=key)
    assert other_seat.status_code == 200
    await play_out(door.http, table, 3)
    body["move"] = {"type": "speak", "text": "hello"}
    late = await door.post(path, token, json=body, headers=key)
    assert (late.status_code, late.content) == (200, first.content)


async def test_an_aside_keeps_the_open_decision(door: Door, table: Table) -> None:
    own = (await decision_of(door.http, table, 0))["decision"]
    body = {"decision": None, "move": {"type": "speak", "text": "wait"}}
    key = {"Idempotency-Key": "x"}
    await door.post(table.path + "/moves", table.tokens[1], json=body, headers=key)
    move = random_move(own["offers"], Random(1))
    assert (await answer(door.http, table, 0, own["id"], move)).status_code == 200


async def test_moves_before_the_start_and_after_the_end(door: Door) -> None:
    match_id = await new_match(door)
    claimed = await door.post(f"/v1/matches/{match_id}/seats/0/claim")
    table = Table(match_id, (claimed.json()["token"],))
    early = await answer(door.http, table, 0, "1.0", {"type": "waive"})
    assert (early.status_code, early.json()["code"]) == (409, "match-not-running")
    shown = await decision_of(door.http, table, 0)
    assert (shown["status"], shown["decision"], shown["asked"]) == ("seating", None, None)


async def new_match(door: Door) -> str:
    made = await door.post("/v1/matches", json={"game": "high_card", "seats": 2})
    match_id: str = made.json()["match_id"]
    return match_id


async def test_a_whole_match_from_decision_and_moves_alone(door: Door) -> None:
    table = await door.table("ambition_characters", 4, options={"round_limit": 3})
    shown = await play_out(door.http, table, 7)
    assert shown["status"] == "over"
    assert sorted(shown["result"]["ranks"])[0] == 1


async def test_a_client_that_plays_listed_moves_only(door: Door, table: Table) -> None:
    for _ in range(100):
        asked = (await door.get(table.path)).json()["asked"]
        if asked is None:
            break
        seat = asked["seats"][0]
        page = await moves_page(door.http, table, seat)
        await answer(door.http, table, seat, page["decision"], page["moves"][0]["move"])
    assert (await door.get(table.path)).json()["status"] == "over"


async def test_a_resigned_seat_plays_no_more(door: Door, table: Table) -> None:
    own = (await decision_of(door.http, table, 0))["decision"]
    move = random_move(own["offers"], Random(1))
    resigned = await door.post(f"{table.path}/seats/0/resign", table.tokens[0])
    assert resigned.status_code == 200
    refused = await answer(door.http, table, 0, own["id"], move)
    assert refused.status_code == 409
    await asyncio.gather(*(play_seat(door.http, table, s, Random(s)) for s in (1, 2)))
    shown: httpx.Response = await door.get(table.path)
    assert shown.json()["result"]["ranks"][0] == 3


async def test_moves_made_in_another_process_are_seen(door: Door, table: Table) -> None:
    """Two processes on one database: the second has an old match in its cache."""
    from service.app import build

    if "sqlite" in door.app.settings.database_url:
        pytest.skip("one process serves an SQLite file")
    async with build(door.app.settings).running() as second:
        transport = httpx.ASGITransport(app=second)
        async with httpx.AsyncClient(transport=transport, base_url="http://second") as http:
            seats = range(3)
            doors = [door.http, http, door.http]
            await asyncio.gather(*(play_seat(doors[s], table, s, Random(s), wait=1) for s in seats))
            views = [
                await each.get(table.path + "/view", headers=bearer(table.tokens[0]))
                for each in (door.http, http)
            ]
    assert views[0].json()["status"] == "over"
    assert views[0].content == views[1].content
