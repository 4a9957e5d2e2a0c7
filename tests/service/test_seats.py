"""Who may take, give back and play a seat, and whose tokens work."""

import asyncio
from typing import Any

import httpx
import pytest
from sqlalchemy import text

from service import identities
from tests.service.client import Table
from tests.service.conftest import GAME, Door


async def seating(door: Door) -> str:
    """The path of a match that waits for its three seats."""
    made = await door.post("/v1/matches", json={"game": GAME, "seats": 3})
    return f"/v1/matches/{made.json()['match_id']}"


async def test_a_claim_gives_a_token_and_a_pseudonym(door: Door) -> None:
    path = await seating(door)
    claimed = await door.post(path + "/seats/1/claim", json={"account": "ada@example.org"})
    assert claimed.status_code == 200
    assert set(claimed.json()) == {"match_id", "seat", "token", "first", "last", "head"}
    seats = (await door.get(path + "/seats")).json()["seats"]
    assert seats[1]["holder"].startswith("p_")
    assert seats[0]["holder"] is None
    assert (await door.get(path + "/seats/1")).json() == seats[1]
    events = (await door.get(path + "/events")).content
    assert b"ada@example.org" not in events
    me = await door.get("/v1/me", claimed.json()["token"])
    assert (me.json()["kind"], me.json()["seat"]) == ("seat_token", 1)


async def test_the_account_lies_beside_the_log(door: Door) -> None:
    path = await seating(door)
    await door.post(path + "/seats/0/claim", json={"account": "ada"})
    stored = await door.app.parts.store.seats(path.rpartition("/")[2])
    assert [each.account for each in stored] == ["ada"]


async def test_a_taken_seat_is_taken(door: Door) -> None:
    path = await seating(door)
    await door.post(path + "/seats/0/claim")
    taken = await door.post(path + "/seats/0/claim")
    assert (taken.status_code, taken.json()["code"]) == (409, "seat-taken")


async def test_of_two_claims_at_once_one_wins(door: Door) -> None:
    path = await seating(door)
    results = await asyncio.gather(*(door.post(path + "/seats/0/claim") for _ in range(5)))
    assert sorted(each.status_code for each in results) == [200, 409, 409, 409, 409]


async def test_a_repeated_claim_gives_the_same_token(door: Door) -> None:
    path, headers = await seating(door), {"Idempotency-Key": "mine"}
    first = await door.post(path + "/seats/0/claim", headers=headers)
    again = await door.post(path + "/seats/0/claim", headers=headers)
    assert (again.status_code, again.content) == (200, first.content)
    assert again.headers["plyscribe-replayed"] == "true"
    assert (await door.get("/v1/me", first.json()["token"])).status_code == 200
    other = await door.post(path + "/seats/0/claim", headers=headers, json={"account": "x"})
    assert (other.status_code, other.json()["code"]) == (422, "idempotency-key-reused")


async def test_a_late_repetition_of_a_claim_takes_nothing_back(
    door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A claim was stored, its token was not; meanwhile the seat has gone to somebody else."""
    path, headers = await seating(door), {"Idempotency-Key": "lost"}

    def cut(*_: Any) -> None:
        raise RuntimeError

    with monkeypatch.context() as patched:
        patched.setattr(identities, "issue_token", cut)
        assert (await door.post(path + "/seats/0/claim", headers=headers)).status_code == 500
    late = await door.post(path + "/seats/0/claim", headers=headers)
    assert (await door.get("/v1/me", late.json()["token"])).status_code == 200
    await door.post(path + "/seats/0/release")
    holder = (await door.post(path + "/seats/0/claim")).json()["token"]
    later = await door.post(path + "/seats/0/claim", headers=headers)
    assert later.headers["plyscribe-replayed"] == "true"
    assert later.json() == {**late.json(), "token": None}
    assert (await door.get("/v1/me", late.json()["token"])).status_code == 401
    assert (await door.get("/v1/me", holder)).status_code == 200


async def test_a_seat_link_claims_for_itself(door: Door) -> None:
    path = await seating(door)
    issued = await door.post(path + "/seats/2/tokens")
    assert issued.status_code == 201
    token = issued.json()["token"]
    other = await door.post(path + "/seats/1/claim", token)
    assert (other.status_code, other.json()["code"]) == (403, "other-seat")
    claimed = await door.post(path + "/seats/2/claim", token)
    assert (claimed.status_code, claimed.json()["token"]) == (200, None)
    assert (await door.get("/v1/me", token)).status_code == 200


async def test_a_released_seats_token_stops_working(door: Door) -> None:
    path = await seating(door)
    token = (await door.post(path + "/seats/0/claim")).json()["token"]
    released = await door.post(path + "/seats/0/release", token)
    assert released.status_code == 200
    assert (await door.get("/v1/me", token)).status_code == 401
    free = await door.post(path + "/seats/0/release")
    assert (free.status_code, free.json()["code"]) == (409, "seat-free")
    claimed = await door.post(path + "/seats/0/claim")
    assert claimed.json()["token"] != token


async def test_a_seat_is_not_given_back_after_the_start(door: Door, table: Table) -> None:
    for token in (door.key, table.tokens[0]):
        late = await door.post(table.path + "/seats/0/release", token)
        assert (late.status_code, late.json()["code"]) == (409, "match-already-started")
    assert (await door.get("/v1/me", table.tokens[0])).status_code == 200


async def test_a_new_token_revokes_the_old_one(door: Door, table: Table) -> None:
    old = table.tokens[1]
    new = (await door.post(table.path + "/seats/1/tokens")).json()["token"]
    assert (await door.get(table.path + "/decision", old)).status_code == 401
    assert (await door.get(table.path + "/decision", new)).status_code == 200
    gone = await door.delete(table.path + "/seats/1/tokens")
    assert gone.status_code == 204
    assert (await door.get(table.path + "/decision", new)).status_code == 401
    assert (await door.get(table.path + "/decision", table.tokens[0])).status_code == 200


async def test_tokens_issued_at_once_leave_one_that_works(door: Door, table: Table) -> None:
    path = table.path + "/seats/1/tokens"
    issued = await asyncio.gather(*(door.post(path) for _ in range(6)))
    tokens = [each.json()["token"] for each in issued]
    working = [(await door.get("/v1/me", token)).status_code for token in tokens]
    assert sorted(working) == [200, 401, 401, 401, 401, 401]


async def test_a_token_revoked_elsewhere_stops_within_a_second(door: Door, table: Table) -> None:
    assert (await door.get("/v1/me", table.tokens[0])).status_code == 200
    revoke = text("UPDATE token SET revoked_at = 1 WHERE seat = 0")
    await door.app.parts.database.write(lambda c: c.execute(revoke))
    door.clock.now += 999
    assert (await door.get("/v1/me", table.tokens[0])).status_code == 200
    door.clock.now += 1
    assert (await door.get("/v1/me", table.tokens[0])).status_code == 401


async def test_only_the_seat_itself_resigns(door: Door, table: Table) -> None:
    path = table.path + "/seats/1/resign"
    for token, status, code in (
        (door.key, 403, "seat-token-required"),
        (table.tokens[0], 403, "other-seat"),
    ):
        refused = await door.post(path, token)
        assert (refused.status_code, refused.json()["code"]) == (status, code)
    assert (await door.post(path, table.tokens[1])).status_code == 200
    again = await door.post(path, table.tokens[1])
    assert (again.status_code, again.json()["code"]) == (409, "already-resigned")
    assert (await door.get(path.removesuffix("/resign"))).json()["resigned"] is True


async def test_what_only_the_organisation_does(door: Door, table: Table) -> None:
    token = table.tokens[0]
    refusals = [
        await door.post("/v1/matches", token, json={"game": GAME, "seats": 2}),
        await door.get("/v1/matches", token),
        await door.post(table.path + "/start", token),
        await door.post(table.path + "/cancel", token),
        await door.post(table.path + "/seats/0/tokens", token),
        await door.delete(table.path + "/seats/0/tokens", token),
    ]
    assert {(each.status_code, each.json()["code"]) for each in refusals} == {
        (403, "api-key-required")
    }


async def test_what_only_a_seat_does(door: Door, table: Table) -> None:
    body = {"decision": "1.0", "move": {"type": "waive"}}
    refusals = [
        await door.get(table.path + "/decision"),
        await door.get(table.path + "/decision/moves"),
        await door.post(table.path + "/moves", json=body),
        await door.post(table.path + "/moves/validate", json=body),
    ]
    assert {(each.status_code, each.json()["code"]) for each in refusals} == {
        (403, "seat-token-required")
    }


async def test_an_api_key_sees_what_a_spectator_sees(door: Door, table: Table) -> None:
    view = (await door.get(table.path + "/view")).json()
    assert (view["viewer"], view["decision"], view["view"]["hand"]) == (None, None, None)
    own = (await door.get(table.path + "/view", table.tokens[1])).json()
    assert own["viewer"] == 1
    assert len(own["view"]["hand"]) == 2


@pytest.mark.parametrize("seat", ["3", "-1", "x", "0x0", "99999", "²"])
async def test_seats_that_are_none(door: Door, table: Table, seat: str) -> None:
    for sent in (
        await door.get(f"{table.path}/seats/{seat}"),
        await door.post(f"{table.path}/seats/{seat}/tokens"),
        await door.delete(f"{table.path}/seats/{seat}/tokens"),
        await door.post(f"{table.path}/seats/{seat}/claim"),
    ):
        assert (sent.status_code, sent.json()["code"]) == (404, "seat-not-found")


@pytest.mark.parametrize("token", ["", "pk_tests_wrong", "st_" + "a" * 48, "Ünlauter", "x" * 500])
async def test_no_valid_token_is_401_everywhere(door: Door, table: Table, token: str) -> None:
    body: Any = {"decision": "1.0", "move": {"type": "waive"}}
    headers = httpx.Headers([(b"authorization", f"Bearer {token}".encode())] if token else [])
    bodies = set()
    for sent in (
        await door.http.get("/v1/me", headers=headers),
        await door.http.get("/v1/games", headers=headers),
        await door.http.get(table.path, headers=headers),
        await door.http.get(table.path + "/view", headers=headers),
        await door.http.get(table.path + "/events", headers=headers),
        await door.http.get("/v1/matches/none/view", headers=headers),
        await door.http.post(table.path + "/moves", json=body, headers=headers),
        await door.http.post("/v1/matches", json={}, headers=headers),
    ):
        assert sent.status_code == 401
        assert sent.headers["www-authenticate"].startswith("Bearer")
        bodies.add(sent.content)
    assert len(bodies) == 1


async def test_a_seat_of_another_match_sees_nothing(door: Door, table: Table) -> None:
    other = await door.table()
    missing = await door.get("/v1/matches/01890a5d-ac96-774b-bcce-b302099a8057", table.tokens[0])
    assert missing.status_code == 404
    for path in ("", "/view", "/decision", "/events", "/seats"):
        unseen = await door.get(other.path + path, table.tokens[0])
        assert (unseen.status_code, unseen.content) == (404, missing.content)
    body = {"decision": "1.0", "move": {"type": "waive"}}
    unseen = await door.post(other.path + "/moves", table.tokens[0], json=body)
    assert (unseen.status_code, unseen.content) == (404, missing.content)


async def test_credentials_are_stored_as_hashes(door: Door, table: Table) -> None:
    def rows(connection: Any) -> str:
        found = [
            *connection.execute(text("SELECT * FROM token")),
            *connection.execute(text("SELECT * FROM api_key")),
        ]
        return repr([tuple(row) for row in found])

    stored = await door.app.parts.database.read(rows)
    assert door.key not in stored
    assert not any(token in stored or token[3:] in stored for token in table.tokens)
    assert "pk_tests" in stored


async def test_a_token_that_is_asked_for_again_is_the_same_one(door: Door, table: Table) -> None:
    """It is told once, so that no list of answers holds it, and the first one goes on working."""
    path, headers = table.path + "/seats/1/tokens", {"Idempotency-Key": "one"}
    first = await door.post(path, headers=headers)
    again = await door.post(path, headers=headers)
    assert (first.status_code, again.status_code) == (201, 201)
    assert again.headers["plyscribe-replayed"] == "true"
    assert again.json() == {**first.json(), "token": None, "link": None}
    token = first.json()["token"]
    assert (await door.get(table.path + "/decision", token)).json()["seat"] == 1
    other = await door.post(table.path + "/seats/2/tokens", headers=headers)
    assert other.json()["token"] not in (None, token)
    without = await door.post(path)
    assert without.json()["token"] not in (None, token)
    assert (await door.get(table.path + "/decision", token)).status_code == 401
