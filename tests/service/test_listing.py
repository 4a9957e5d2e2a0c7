"""What is on offer, listed and checked; bodies that are no moves."""

from random import Random

import pytest

from tests.service.client import Table, answer, decision_of, moves_page, random_move
from tests.service.conftest import Door
from tests.service.positions import choosing


async def test_validate_does_nothing(door: Door, table: Table) -> None:
    shown = await decision_of(door.http, table, 0)
    own, token, path = shown["decision"], table.tokens[0], table.path + "/moves/validate"
    move = random_move(own["offers"], Random(1))
    good = await door.post(path, token, json={"decision": own["id"], "move": move})
    assert (good.status_code, good.json()) == (200, {"valid": True, "move": move})
    bad_body = {"decision": own["id"], "move": {"type": "arrange", "cards": []}}
    bad = await door.post(path, token, json=bad_body)
    real = await door.post(table.path + "/moves", token, json=bad_body)
    told = real.json()
    assert told.pop("evidence"), "what is played and refused is signed"
    assert (bad.status_code, bad.json()) == (422, told)
    closed = await door.post(path, token, json={"decision": "1.0", "move": move})
    assert closed.json()["code"] == "decision-closed"
    other = await door.post(path, token, json={"decision": "7.1", "move": move})
    assert other.json()["code"] == "other-seat"
    aside = {"decision": None, "move": {"type": "speak", "text": "psst"}}
    said = await door.post(path, table.tokens[1], json=aside)
    assert said.json()["move"] == {"type": "speak", "text": "psst"}
    assert await decision_of(door.http, table, 0) == shown


async def test_moves_are_listed_page_by_page(door: Door, table: Table) -> None:
    path, token = table.path + "/decision/moves", table.tokens[0]
    first = (await door.get(path, token, params={"limit": 1})).json()
    assert (first["count"], first["exact"], len(first["moves"])) == (2, True, 1)
    second = (await door.get(path, token, params={"limit": 1, "cursor": first["next"]})).json()
    assert second["next"] is None
    assert first["moves"] != second["moves"]
    stolen = await door.get(path, table.tokens[1], params={"cursor": first["next"]})
    assert (stolen.status_code, stolen.json()["code"]) == (400, "invalid-parameter")
    await choosing(door, table)
    old = await door.get(path, token, params={"cursor": first["next"]})
    assert (old.status_code, old.json()["code"]) == (409, "decision-closed")


async def test_listed_moves_are_taken(door: Door, table: Table) -> None:
    page = await moves_page(door.http, table, 0)
    done = await answer(door.http, table, 0, page["decision"], page["moves"][1]["move"])
    assert done.status_code == 200


async def test_moves_of_an_unasked_seat_are_none(door: Door, table: Table) -> None:
    page = await moves_page(door.http, table, 1)
    assert (page["decision"], page["moves"], page["count"]) == (None, [], 0)


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b"{", 400, "malformed-json"),
        (b"[" * 100_000, 413, "body-too-large"),
        (b'{"decision":null,"move":{"a":' + b"[" * 20_000, 400, "malformed-json"),
        (b"[]", 422, "invalid-request"),
        (b'{"move": {}}', 422, "invalid-request"),
        (b'{"decision": "x", "move": {}}', 422, "invalid-request"),
        (b'{"decision": "9.0", "move": []}', 422, "invalid-request"),
        (b'{"decision": "9.0", "move": {}, "more": 1}', 422, "invalid-request"),
        (
            b'{"decision": null, "move": {"type": "speak", "text": "\\u0000"}}',
            422,
            "invalid-request",
        ),
        (b'{"decision": null, "move": {"text": "\\ud800"}}', 400, "malformed-json"),
        (b"\xff\xfe", 400, "malformed-json"),
        (b"", 400, "malformed-json"),
    ],
)
async def test_bodies_that_are_no_moves(
    door: Door, table: Table, body: bytes, status: int, code: str
) -> None:
    headers = {"Content-Type": "application/json"}
    path = table.path + "/moves"
    refused = await door.post(path, table.tokens[0], content=body, headers=headers)
    assert (refused.status_code, refused.json()["code"]) == (status, code)
