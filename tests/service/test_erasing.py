"""Erasing at the door: what goes, what stays, who may, and that it is done once."""

import dataclasses
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import httpx
import pytest
from msgspec.structs import replace
from sqlalchemy import select

from events.tables import ERASED_ACCOUNT, HELD, LISTED, REFUSAL, REQUEST, SEAT, TEXT
from events.verify_bundle import verify_bundle
from games import registry
from games.core.game import Decision, Game, Seen
from games.core.moves import offer
from service import erasures
from tests.games.high_card import game as high_card
from tests.games.high_card.game import TABLES
from tests.service.client import Table, answer, bearer
from tests.service.conftest import KEY, Door
from tests.service.grouping import key_of, wanted

Json = dict[str, Any]

QUIET = "quiet_card"


async def speak(door: Door, table: Table, seat: int, text: str, key: str = "") -> httpx.Response:
    body = {"decision": None, "move": {"type": "speak", "text": text}}
    headers = {"idempotency-key": key or text}
    said = await door.post(table.path + "/moves", table.tokens[seat], json=body, headers=headers)
    assert said.status_code == 200, said.text
    return said


async def erase(door: Door, table: Table, token: str = KEY, **body: Any) -> httpx.Response:
    headers = body.pop("headers", {})
    return await door.post(table.path + "/erasures", token, json=body, headers=headers)


async def events(door: Door, table: Table, token: str = KEY) -> list[Json]:
    got = await door.get(table.path + "/events?limit=50", token)
    found: list[Json] = got.json()["events"]
    return found


async def texts(door: Door, table: Table, token: str = KEY) -> list[str]:
    """Every text anybody who watches is shown."""
    seen = await events(door, table, token)
    return [each["text"] for event in seen for each in event.get("texts", {}).values()]


async def rows(door: Door, table: Any, match_id: str) -> list[Any]:
    query = select(table).where(table.c.match_id == match_id)
    return list(await door.app.parts.database.read(lambda c: c.execute(query).all()))


async def test_one_text_is_erased_and_the_rest_stays(door: Door, table: Table) -> None:
    first = (await speak(door, table, 0, "one")).json()["first"]
    await speak(door, table, 0, "two")
    for token in (*table.tokens, KEY):
        assert await texts(door, table, token) == ["one", "two"]
    before = await events(door, table)
    done = await erase(door, table, event=first, field="text", reason="ticket 1")
    assert (done.status_code, done.json()["first"]) == (200, len(before) + 1), done.text
    for token in (*table.tokens, KEY):
        assert await texts(door, table, token) == ["two"]
    after = await events(door, table)
    assert [{**each, "texts": None} for each in after[:-1]] == [
        {**each, "texts": None} for each in before
    ]
    told = after[-1]
    assert (told["kind"], told["data"]) == ("erased", {"of": first, "field": "text"})
    again = await erase(door, table, event=first, field="text")
    assert again.json() == done.json()
    assert again.headers["plyscribe-replayed"] == "true"
    assert len(await events(door, table)) == len(after)
    repeated = await speak(door, table, 0, "one")
    assert repeated.headers["plyscribe-replayed"] == "true"
    assert await texts(door, table) == ["two"]


async def test_all_that_a_seat_said_is_erased_and_what_it_says_later_again(
    door: Door, table: Table
) -> None:
    await speak(door, table, 0, "one")
    await speak(door, table, 1, "other")
    body = {"about": 1, "claim": "not so"}
    dispute = (await door.post(table.path + "/disputes", table.tokens[0], json=body)).headers
    wrong = {"type": "arrange", "cards": [98, 99]}
    refused = (await answer(door.http, table, 0, "1.0", wrong)).json()
    kept = await door.get(table.path + "/refusals", table.tokens[0])
    assert kept.json()["refusals"][0]["move"] == wrong
    first = await erase(door, table, seat=0)
    assert first.status_code == 200, first.text
    assert await texts(door, table) == ["other"]
    assert (await door.get(dispute["location"])).json()["claim"] is None
    (line,) = (await door.get(table.path + "/refusals", table.tokens[0])).json()["refusals"]
    assert (line["move"], line["salt"]) == (None, None)
    assert line["evidence"] == refused["evidence"]["document"]
    assert (await erase(door, table, seat=0)).json() == first.json()
    await speak(door, table, 0, "two")
    second = await erase(door, table, seat=0)
    assert second.json()["first"] > first.json()["first"]
    assert await texts(door, table) == ["other"]


async def test_what_is_refused_after_an_erasure_goes_without_another_event(
    door: Door, table: Table
) -> None:
    first = await erase(door, table, seat=1)
    await answer(door.http, table, 1, "1.1", {"type": "said after"})
    again = await erase(door, table, seat=1)
    assert (again.json(), again.headers["plyscribe-replayed"]) == (first.json(), "true")
    assert [(row.move, row.salt) for row in await rows(door, REFUSAL, table.match_id)] == [
        (None, None)
    ]


async def test_a_key_is_one_request(door: Door, table: Table) -> None:
    headers = {"Idempotency-Key": "once"}
    first = await erase(door, table, seat=0, headers=headers)
    await speak(door, table, 0, "later")
    again = await erase(door, table, seat=0, headers=headers)
    assert again.json() == first.json()
    assert await texts(door, table) == ["later"]
    other = await erase(door, table, seat=1, headers=headers)
    assert (other.status_code, other.json()["code"]) == (422, "idempotency-key-reused")


async def test_it_is_possible_whatever_the_match_has_come_to(door: Door) -> None:
    for ended in (None, "over", "cancelled"):
        table = await door.table(seats=2, options={"rounds": 1})
        said = (await speak(door, table, 0, "word")).json()["first"]
        if ended == "over":
            for token in table.tokens[:1]:
                await door.post(table.path + "/seats/0/resign", token)
        elif ended == "cancelled":
            await door.post(table.path + "/cancel")
        before = (await door.get(table.path)).json()
        assert (await erase(door, table, event=said, field="text")).status_code == 200
        after = (await door.get(table.path)).json()
        moved = {"version", "head"}
        assert {n: v for n, v in after.items() if n not in moved} == {
            n: v for n, v in before.items() if n not in moved
        }
        assert await texts(door, table) == []
        if ended is not None:
            full = await door.get(table.path + "/bundle?perspective=full")
            assert verify_bundle(full.content).is_sound


@pytest.mark.parametrize(
    "body", [{}, {"event": 1}, {"field": "text"}, {"event": 1, "field": "x", "seat": 0}]
)
async def test_one_thing_is_named(door: Door, table: Table, body: Json) -> None:
    refused = await erase(door, table, **body)
    assert (refused.status_code, refused.json()["code"]) == (422, "invalid-request")


async def test_where_there_can_be_no_text_there_is_none_to_erase(door: Door, table: Table) -> None:
    said = (await speak(door, table, 0, "one")).json()["first"]
    for event, field in ((1, "text"), (1, "seed_commitment"), (said, "type"), (999, "text")):
        refused = await erase(door, table, event=event, field=field)
        assert (refused.status_code, refused.json()["code"]) == (404, "text-not-found")


async def test_keys_with_the_scope_alone_erase(door: Door, table: Table, other_key: str) -> None:
    lacking = await key_of(door, "matches:manage", "arbitrate")
    for token, status in ((lacking, 403), (table.tokens[0], 403), (other_key, 404)):
        assert (await erase(door, table, token, seat=0)).status_code == status
    for token in (lacking, table.tokens[0]):
        refused = await door.post("/v1/erasures", token, json={"account": "ada"})
        assert refused.status_code == 403
    assert (await erase(door, table, await key_of(door, "erase"), seat=0)).status_code == 200


async def test_while_a_deal_group_runs_it_takes_an_arbiter(door: Door) -> None:
    """The answer says how far the match has come."""
    made = await door.post("/v1/deal-groups", json=wanted(door, ["ada"], ["bob"]))
    table = Table(made.json()["tables"][0]["match_id"], ())
    refused = await erase(door, table, await key_of(door, "erase"), seat=0)
    assert (refused.status_code, refused.json()["code"]) == (403, "scope-missing")
    both = await key_of(door, "erase", "arbitrate")
    assert (await erase(door, table, both, seat=0)).status_code == 200


# Accounts


async def claimed(door: Door, *accounts: str | None) -> Table:
    made = await door.post("/v1/matches", json={"game": "high_card", "seats": len(accounts)})
    match_id, tokens = made.json()["match_id"], []
    for seat, account in enumerate(accounts):
        path = f"/v1/matches/{match_id}/seats/{seat}/claim"
        got = await door.post(path, json={} if account is None else {"account": account})
        assert got.status_code == 200, got.text
        tokens.append(got.json()["token"])
    return Table(match_id, tuple(tokens))


async def forget(door: Door, account: str, token: str = KEY) -> Json:
    done = await door.post("/v1/erasures", token, json={"account": account, "reason": "asked"})
    assert done.status_code == 200, done.text
    found: Json = done.json()
    return found


async def test_an_account_is_erased_in_all_its_matches(
    door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(erasures, "MOST_MATCHES", 2)
    tables = [await claimed(door, "ann", "bob") for _ in range(3)]
    for table in tables:
        await speak(door, table, 0, "by ann")
        await speak(door, table, 1, "by bob")
    listed = await door.post(
        "/v1/matches", json={"game": "high_card", "seats": 2, "accounts": ["ann", "bob"]}
    )
    assert await forget(door, "ann") == {"matches": 2, "failed": [], "more": True}
    assert await forget(door, "ann") == {"matches": 2, "failed": [], "more": False}
    assert await forget(door, "ann") == {"matches": 0, "failed": [], "more": False}
    for table in tables:
        assert await texts(door, table) == ["by bob"]
        kinds = [each["kind"] for each in await events(door, table)]
        assert kinds.count("erased") == 1
        (told,) = [each for each in await events(door, table) if each["kind"] == "erased"]
        holder = (await rows(door, SEAT, table.match_id))[0].holder
        assert (told["seat"], told["data"]) == (0, {"holder": holder})
        assert [row.account for row in await rows(door, SEAT, table.match_id)] == [None, "bob"]
        assert [row.account for row in await rows(door, HELD, table.match_id)] == ["bob"]
        still = await speak(door, table, 0, "plays on")
        assert still.status_code == 200
    left = await rows(door, LISTED, listed.json()["match_id"])
    assert [row.account for row in left] == ["bob"]


async def test_another_holder_of_the_seat_keeps_its_words(door: Door) -> None:
    table = await claimed(door, "ada", None)
    await speak(door, table, 0, "by ada")
    made = await door.post(table.path + "/disputes", json={"about": 1, "claim": "Check"})
    path = made.headers["location"]
    await door.post(path + "/review", json={"pause": False})
    ruling = {"type": "replace_seat", "seat": 0, "account": "bob"}
    ruled = await door.post(path + "/rulings", json={"ruling": ruling, "reason": "Ill"})
    after = Table(table.match_id, (ruled.json()["token"], table.tokens[1]))
    await speak(door, after, 0, "by bob")
    await forget(door, "ada")
    assert await texts(door, table) == ["Check", "Ill", "by bob"]


async def test_groups_and_kept_answers_name_it_no_more(door: Door) -> None:
    headers = {"Idempotency-Key": "group"}
    body = wanted(door, ["ada"], ["bob"])
    made = await door.post("/v1/deal-groups", json=body, headers=headers)
    assert made.json()["tables"][0]["entrants"] == ["ada"]
    assert (await forget(door, "ada"))["failed"] == []
    again = await door.post("/v1/deal-groups", json=body, headers=headers)
    assert again.headers["plyscribe-replayed"] == "true"
    assert again.json()["id"] == made.json()["id"]
    shown = await door.get(f"/v1/deal-groups/{made.json()['id']}")
    for told in (again.json(), shown.json()):
        assert [each["entrants"] for each in told["tables"]] == [[""], ["bob"]]
    kept = await door.app.parts.database.read(lambda c: c.execute(select(REQUEST.c.body)).all())
    assert all(b'"ada"' not in bytes(row.body) for row in kept if row.body is not None)


async def test_another_organisations_account_stays(door: Door, other_key: str) -> None:
    table = await claimed(door, "ada", None)
    await speak(door, table, 0, "by ada")
    assert (await forget(door, "ada", other_key))["matches"] == 0
    assert await texts(door, table) == ["by ada"]
    names = await door.app.parts.database.read(
        lambda c: c.execute(select(ERASED_ACCOUNT.c.org, ERASED_ACCOUNT.c.account)).all()
    )
    assert all(row.account != "ada" for row in names)


# What is hidden


def _quiet(tables: bytes = TABLES) -> Game[Any, Any]:
    """High card in which nobody else sees what is said aside, nor that it was not a nod."""

    def turn(state: Any) -> Any:
        asked = high_card.turn(state)
        if not isinstance(asked, Decision):
            return asked
        both = {s: (*own, offer(high_card.Waive)) for s, own in asked.asides.items()}
        return replace(asked, asides=both)

    def apply(state: Any, seat: int, move: Any) -> Any:
        aside = isinstance(move, high_card.Waive) and state.phase != "ring"
        return state if aside else high_card.apply(state, seat, move)

    def redact(before: Any, seat: int, move: Any, viewer: int) -> Seen:
        aside = isinstance(move, high_card.Speak | high_card.Waive) and before.phase != "ring"
        if aside and viewer != seat:
            return Seen(None)
        return high_card.redact(before, seat, move, viewer)

    return dataclasses.replace(
        high_card.make(tables), slug=QUIET, turn=turn, apply=apply, redact=redact
    )


@pytest.fixture
def quiet() -> Iterator[None]:
    module = ModuleType(QUIET)
    vars(module).update(GAME=_quiet(), make=_quiet, TABLES=TABLES)
    registry._entries()[QUIET] = registry._admitted(module)
    yield
    del registry._entries()[QUIET]


async def test_erasing_does_not_tell_whether_a_hidden_text_was_there(
    door: Door, quiet: None
) -> None:
    seen, answers = [], []
    for move in ({"type": "speak", "text": "psst"}, {"type": "waive"}):
        table = await door.table(QUIET, 3)
        body = {"decision": None, "move": move}
        headers = {**bearer(table.tokens[1]), "idempotency-key": "aside"}
        said = await door.http.post(table.path + "/moves", json=body, headers=headers)
        assert said.status_code == 200, said.text
        of = said.json()["first"]
        done = await erase(door, table, event=of, field="text")
        assert done.status_code == 200, done.text
        again = await erase(door, table, event=of, field="text")
        assert again.json() == done.json()
        answers.append((done.json()["first"], done.json()["last"], sorted(done.headers)))
        watched = await events(door, table)
        assert watched[of - 1].get("move") is None
        others = [await events(door, table, token) for token in (KEY, *table.tokens)]
        seen.append([[each for each in own if each["kind"] == "erased"] for own in others])
        assert await rows(door, TEXT, table.match_id) == []
        assert all("texts" not in event for own in others for event in own)
    assert seen[0] == seen[1]
    assert answers[0] == answers[1]
    assert {tuple(sorted(each)) for own in seen[0] for each in own} == {("at", "kind", "version")}
