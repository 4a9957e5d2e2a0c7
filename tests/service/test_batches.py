"""Batches over REST: whole or not at all, with links, directed and compared."""

import asyncio
from typing import Any

import httpx
import msgspec
import pytest
from sqlalchemy import Connection, event, func, select, update

from events.tables import MATCH, REQUEST, TOKEN
from service.batches import creating, rows, viewing
from service.batches.bodies import MatchTerms
from service.match_bodies import MatchBody
from service.series import rows as series_rows
from service.tournament_tables import BATCH_MATCH
from tests.service.batching import BATCHES, batched, finished, seated, wanted
from tests.service.client import Table
from tests.service.conftest import Door
from tests.service.grouping import key_of
from tests.service.signing import signed
from tests.service.test_disputes import reviewed, ruled
from tests.service.test_results import kept
from tests.service.test_users import claims, issuer

Json = dict[str, Any]

PAGE = "https://play.example.org/table"


@pytest.fixture
def settings(settings: Any) -> Any:
    return msgspec.structs.replace(settings, player_page=PAGE)


def told(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


def faults(answer: httpx.Response) -> list[tuple[str, str]]:
    return [(each["pointer"], each["code"]) for each in answer.json()["errors"]]


async def match_count(door: Door) -> int:
    query = select(func.count()).select_from(MATCH)
    found: int = await door.app.parts.database.read(lambda c: c.execute(query).scalar_one())
    return found


# Made


async def test_a_batch_is_made_with_its_matches_and_links(door: Door) -> None:
    made = await door.post(
        BATCHES,
        json=wanted(
            ["ada", "bob"],
            ["cyd", None],
            external_id="round 1",
            spectators={"delay_seconds": 60},
        ),
    )
    batch = made.json()
    assert (made.status_code, made.headers["location"]) == (201, f"{BATCHES}/{batch['id']}")
    first, second = batch["matches"]
    assert [each["external_id"] for each in first["seats"]] == ["ada", "bob"]
    assert [each["external_id"] for each in second["seats"]] == ["cyd", None]
    match_id, token = first["match_id"], first["seats"][1]["link"]["token"]
    assert first["seats"][1]["link"]["url"] == f"{PAGE}#match={match_id}&seat=1&token={token}"
    watcher = first["spectator"]["token"]
    me = (await door.get("/v1/me", watcher)).json()
    assert (me["match_id"], me["delay_seconds"]) == (match_id, 60)
    shown = (await door.get(f"{BATCHES}/{batch['id']}")).json()
    assert (shown["match_count"], shown["counts"]["seating"]) == (2, 2)
    (line,) = (await door.get(f"{BATCHES}?external_id=round 1")).json()["batches"]
    assert line == shown


async def test_a_link_claims_its_seat_for_its_entrant_and_plays_it(door: Door) -> None:
    batch = await batched(door, ["ada", "bob"])
    (match,) = batch["matches"]
    path, tokens = f"/v1/matches/{match['match_id']}", [s["link"]["token"] for s in match["seats"]]
    other = await door.post(f"{path}/seats/1/claim", tokens[0])
    assert told(other) == (403, "other-seat")
    for account in ("bob", "eve"):
        refused = await door.post(f"{path}/seats/0/claim", tokens[0], json={"account": account})
        assert told(refused) == (422, "invalid-request")
    table = await finished(door, match)
    result = (await door.get(table.path + "/result")).json()
    assert [each["external_id"] for each in result["seats"]] == ["ada", "bob"]


async def test_before_its_claim_a_link_does_nothing_else(door: Door) -> None:
    batch = await batched(door, ["ada", "bob"])
    (match,) = batch["matches"]
    path, token = f"/v1/matches/{match['match_id']}", match["seats"][0]["link"]["token"]
    for address, code in (
        ("/seats/0/release", "seat-free"),
        ("/seats/0/resign", "match-not-running"),
        ("/start", "api-key-required"),
        ("/cancel", "api-key-required"),
        ("/seats/0/tokens", "api-key-required"),
    ):
        assert (await door.post(path + address, token)).json()["code"] == code
    assert (await door.get(path + "/view", token)).json()["view"] is None


async def test_a_link_stops_when_a_key_claims_the_seat_or_it_is_released(door: Door) -> None:
    batch = await batched(door, ["ada", "bob"])
    (match,) = batch["matches"]
    path, tokens = f"/v1/matches/{match['match_id']}", [s["link"]["token"] for s in match["seats"]]
    assert (await door.post(f"{path}/seats/0/claim")).status_code == 200
    assert (await door.get(path, tokens[0])).status_code == 401
    await door.post(f"{path}/seats/0/release")
    assert (await door.post(f"{path}/seats/1/claim", tokens[1])).status_code == 200
    assert (await door.post(f"{path}/seats/1/release", tokens[1])).status_code == 200
    assert (await door.get(path, tokens[1])).status_code == 401


async def test_links_that_are_made_later_lead_to_the_page_as_well(door: Door) -> None:
    batch = await batched(door, ["a", "b"])
    match_id = batch["matches"][0]["match_id"]
    path = f"/v1/matches/{match_id}"
    for address, body, ends in (
        ("/seats/0/tokens", None, "&seat=0"),
        ("/spectators", {}, ""),
        ("/arbiters", {"external_id": "referee"}, "&arbiter=1"),
    ):
        headers = {"idempotency-key": "once"}
        made = (await door.post(path + address, json=body, headers=headers)).json()
        url = f"{PAGE}#match={match_id}{ends}&token={made['token']}"
        assert made["link"] == {"token": made["token"], "url": url}
        again = (await door.post(path + address, json=body, headers=headers)).json()
        assert (again["token"], again["link"]) == (None, None)
    anew = (await door.post(path + "/seats/0/tokens")).json()["link"]["token"]
    assert (await door.post(path + "/seats/0/claim", anew)).status_code == 200


async def test_users_claim_the_seats_that_stand_for_them(door: Door) -> None:
    await issuer(door)
    batch = await batched(door, ["ada", "bob"])
    path = f"/v1/matches/{batch['matches'][0]['match_id']}"
    ada = signed(claims(door))
    assert (await door.post(f"{path}/seats/1/claim", ada)).status_code == 403
    got = await door.post(f"{path}/seats/0/claim", ada)
    assert (got.status_code, got.json()["token"]) == (200, None)


async def test_whatever_a_match_can_say_one_in_a_batch_can(door: Door) -> None:
    own = {field.name for field in msgspec.structs.fields(MatchTerms)}
    every = {field.name for field in msgspec.structs.fields(MatchBody)}
    assert every - own == {"seats", "accounts", "external_id"}
    body = wanted(["ada", "bob"], ["cyd", "dan"])
    body["defaults"] |= {"start": "manual", "options": {"rounds": 3}, "reveal_after_seconds": 60}
    body["matches"][1] |= {"options": {"rounds": 2}, "external_id": "t2", "start": "auto"}
    batch = (await door.post(BATCHES, json=body)).json()
    shown = [(await door.get(f"/v1/matches/{m['match_id']}")).json() for m in batch["matches"]]
    assert [each["options"]["rounds"] for each in shown] == [3, 2]
    assert [each["start"] for each in shown] == ["manual", "auto"]
    assert [each["reveal_after_seconds"] for each in shown] == [60, 60]
    assert [each["external_id"] for each in shown] == [None, "t2"]


async def test_every_fault_is_told_at_once(door: Door) -> None:
    before = await match_count(door)
    body = {
        "defaults": {"game": "high_card", "options": {"rounds": 1}, "nonsense": 1},
        "matches": [
            {"seats": [{"external_id": "ada"}, {"external_id": "ada"}]},
            {"seats": [{}, {}], "options": {"rounds": 0}},
            {"seats": [{}, {}], "options": {"cards": 1}, "start": "later"},
            {"seats": [{}, {}], "game": "whist"},
            {"seats": [{}], "external_id": "x"},
            {"seats": [{}, {}], "external_id": "x", "reveal_by": 1},
            {},
            {"seats": [{"name": 1}, {}], "accounts": []},
        ],
    }
    refused = await door.post(BATCHES, json=body)
    assert told(refused) == (422, "invalid-request")
    found = faults(refused)
    for fault in (
        ("/defaults/nonsense", "unknown-field"),
        ("/matches/0/seats/1/external_id", "duplicate"),
        ("/matches/2/start", "wrong-shape"),
        ("/matches/3/game", "game-not-found"),
        ("/matches/5/external_id", "duplicate"),
        ("/matches/6/seats", "missing"),
        ("/matches/7/seats/0/name", "unknown-field"),
        ("/matches/7/accounts", "unknown-field"),
    ):
        assert fault in found
    assert ("/matches/4/seats", "options-refused") in found
    assert {pointer for pointer, _ in found if pointer.startswith("/matches/1")}
    assert await match_count(door) == before


async def test_what_is_wrong_with_the_defaults_is_told_once(door: Door) -> None:
    body = wanted(["ada", "bob"], ["cyd", "dan"])
    body["defaults"] = {"game": "high_card", "options": {"nonsense": 1}}
    refused = await door.post(BATCHES, json=body)
    assert faults(refused) == [("/defaults/options/nonsense", "unknown-field")]
    body["defaults"] = {}
    refused = await door.post(BATCHES, json=body)
    assert faults(refused) == [("/matches/0/game", "missing"), ("/matches/1/game", "missing")]


async def test_a_dry_run_makes_nothing(door: Door) -> None:
    before = await match_count(door)
    body = wanted(["ada", "bob"], dry_run=True)
    got = await door.post(BATCHES, json=body)
    assert (got.status_code, got.json()) == (200, {"valid": True, "match_count": 1})
    body["matches"][0]["seats"].pop()
    assert told(await door.post(BATCHES, json=body)) == (422, "invalid-request")
    assert await match_count(door) == before


async def test_external_ids_are_taken_once(door: Door) -> None:
    single = await door.post(
        "/v1/matches", json={"game": "high_card", "seats": 2, "external_id": "single"}
    )
    body = wanted(["a", "b"], ["c", "d"], ["e", "f"], external_id="cup")
    for number, match in enumerate(body["matches"]):
        match["external_id"] = f"cup-{number}"
    first = (await door.post(BATCHES, json=body)).json()
    before = await match_count(door)
    body["matches"][2]["external_id"] = "single"
    body["matches"][1]["external_id"] = "free"
    for dry in (True, False):
        refused = await door.post(BATCHES, json={**body, "dry_run": dry})
        assert told(refused) == (409, "external-id-taken")
        found = {each["pointer"]: each["detail"] for each in refused.json()["errors"]}
        assert set(found) == {*("/external_id", "/matches/0/external_id", "/matches/2/external_id")}
        assert first["matches"][0]["match_id"] in found["/matches/0/external_id"]
        assert single.json()["match_id"] in found["/matches/2/external_id"]
        assert first["id"] in found["/external_id"]
    assert await match_count(door) == before


async def test_of_two_batches_at_once_with_the_same_names_one_is_made(door: Door) -> None:
    body = wanted(["a", "b"])
    body["matches"][0]["external_id"] = "only"
    before = await match_count(door)
    both = await asyncio.gather(*(door.post(BATCHES, json=body) for _ in range(4)))
    assert sorted(each.status_code for each in both) == [201, 409, 409, 409]
    assert await match_count(door) == before + 1


async def test_a_repeated_request_is_told_the_same_links(door: Door) -> None:
    body, headers = wanted(["a", "b"], ["c", "d"], spectators={}), {"idempotency-key": "k1"}
    before = await match_count(door)
    first = await door.post(BATCHES, json=body, headers=headers)
    await finished(door, first.json()["matches"][0])
    again = await door.post(BATCHES, json=body, headers=headers)
    assert (again.status_code, again.content) == (201, first.content)
    assert again.headers["plyscribe-replayed"] == "true"
    assert await match_count(door) == before + 2
    other = await door.post(BATCHES, json=wanted(["a", "b"]), headers=headers)
    assert told(other) == (422, "idempotency-key-reused")


async def test_no_link_is_stored(door: Door) -> None:
    headers = {"idempotency-key": "k2"}
    made = await door.post(BATCHES, json=wanted(["a", "b"]), headers=headers)
    token = made.json()["matches"][0]["seats"][0]["link"]["token"].encode()
    rows = await door.app.parts.database.read(lambda c: c.execute(select(REQUEST)).all())
    tokens = await door.app.parts.database.read(lambda c: c.execute(select(TOKEN)).all())
    assert token not in repr((rows, tokens)).encode()


async def test_nothing_is_left_of_a_batch_that_fails(
    door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At any of its statements."""
    before, batches = await match_count(door), (await door.get(BATCHES)).json()
    for name in ("store_beside", "flush"):
        with monkeypatch.context() as patch:

            def failing(*_: Any) -> Any:
                raise RuntimeError

            patch.setattr(creating, name, failing)
            refused = await door.post(BATCHES, json=wanted(["a", "b"], ["c", "d"]))
            assert refused.status_code == 500
        assert await match_count(door) == before
    assert (await door.get(BATCHES)).json() == batches


# Looked at


async def test_matches_in_pages_and_in_lines(door: Door) -> None:
    batch = await batched(door, *[["a", "b"]] * 5)
    path, found = f"{BATCHES}/{batch['id']}/matches?limit=2", []
    while path:
        got = (await door.get(path)).json()
        found += got["matches"]
        path = got["next"] and f"{BATCHES}/{batch['id']}/matches?limit=2&cursor={got['next']}"
    assert [each["number"] for each in found] == list(range(5))
    assert [e["match_id"] for e in found] == [e["match_id"] for e in batch["matches"]]
    headers = {"accept": "application/x-ndjson"}
    got = await door.get(f"{BATCHES}/{batch['id']}/matches", headers=headers)
    assert [msgspec.json.decode(line) for line in got.content.splitlines()] == found


async def test_matches_that_share_a_place_are_each_on_one_page(door: Door) -> None:
    """As two of one place can be, of which one was voided and then played again elsewhere."""
    batch = await batched(door, *[["a", "b"]] * 4)
    other = await batched(door, *[["a", "b"]] * 3)
    moved = [each["match_id"] for each in other["matches"]]

    def share(connection: Connection) -> None:
        own = BATCH_MATCH.c.match_id.in_(moved)
        place = {"batch_id": batch["id"], "number": 1, "attempt": 0}
        connection.execute(update(BATCH_MATCH).where(own).values(**place))

    await door.app.parts.database.write(share)
    path = f"{BATCHES}/{batch['id']}/matches?limit=2"
    found, following = [], path
    while following:
        got = (await door.get(following)).json()
        found += [each["match_id"] for each in got["matches"]]
        following = f"{path}&cursor={got['next']}" if got["next"] else ""
    wanted_ids = moved + [each["match_id"] for each in batch["matches"]]
    assert sorted(found) == sorted(wanted_ids)


async def test_results_of_a_batch_alone(door: Door) -> None:
    batch = await batched(door, ["a", "b"], ["c", "d"])
    other = await batched(door, ["a", "b"])
    for match in (*batch["matches"], *other["matches"]):
        await finished(door, match)
    await kept(door)
    path = f"{BATCHES}/{batch['id']}/results"
    found = (await door.get(path)).json()["results"]
    assert {e["match_id"] for e in found} == {e["match_id"] for e in batch["matches"]}
    (later,) = (await door.get(f"{path}?after={found[0]['position']}")).json()["results"]
    assert later == found[1]
    got = await door.get(path, headers={"accept": "application/x-ndjson"})
    assert [msgspec.json.decode(line) for line in got.content.splitlines()] == found


@pytest.mark.parametrize(
    ("scoring", "pointers"),
    [
        ({"by": "outcome", "win": -1}, ["/scoring/draw", "/scoring/loss"]),
        ({"by": "outcome", "win": 3, "draw": 1, "loss": 2}, ["/scoring/loss"]),
        ({"by": "rank", "points": [5, 3, 4]}, ["/scoring/points/2"]),
    ],
)
async def test_doing_worse_is_never_worth_more(
    door: Door, scoring: Json, pointers: list[str]
) -> None:
    entrants = [{"external_id": each} for each in ("a", "b")]
    series = {"entrants": entrants, "games": 1, "match": {"game": "high_card"}}
    for path, body in ((BATCHES, wanted(["a", "b"])), ("/v1/series", series)):
        refused = await door.post(path, json={**body, "scoring": scoring})
        assert refused.status_code == 422, refused.text
        assert [each["pointer"] for each in refused.json()["errors"]] == pointers


async def test_standings_are_the_sum_of_the_results(door: Door) -> None:
    scoring = {"by": "outcome", "win": 3, "draw": 1, "loss": -1}
    tables = [["a", "b"], ["b", "a"], ["a", "c"], ["c", "b"]]
    batch = await batched(door, *tables, scoring=scoring)
    path = f"{BATCHES}/{batch['id']}/standings"
    empty = (await door.get(path)).json()
    assert [each["points"] for each in empty["standings"]] == [0, 0, 0]
    assert (empty["final"], empty["pending"]) == (False, 4)
    sums: dict[str, int] = {"a": 0, "b": 0, "c": 0}
    for number, match in enumerate(batch["matches"]):
        table = await finished(door, match, number)
        result = (await door.get(table.path + "/result")).json()
        for seat in result["seats"]:
            sums[seat["external_id"]] += scoring[seat["outcome"]]  # type: ignore[operator]
    await kept(door)
    found = (await door.get(path)).json()
    assert {each["external_id"]: each["points"] for each in found["standings"]} == sums
    ordered = [each["points"] for each in found["standings"]]
    assert ordered == sorted(ordered, reverse=True)
    assert (found["final"], found["pending"], found["provisional"]) == (True, 0, 0)


async def test_a_correction_changes_the_standings_and_a_replay_counts_elsewhere(
    door: Door,
) -> None:
    body = wanted(["a", "b"], ["c", "d"])
    body["defaults"]["reveal_after_seconds"] = 60
    batch = (await door.post(BATCHES, json=body)).json()
    path = f"{BATCHES}/{batch['id']}"
    tables = [await finished(door, match) for match in batch["matches"]]
    dispute = await reviewed(door, tables[0], pause=False)
    await ruled(door, dispute, {"type": "set_result", "ranks": [1, 1], "scores": None})
    await kept(door)
    found = (await door.get(path + "/standings")).json()
    points = {each["external_id"]: each["points"] for each in found["standings"]}
    assert (points["a"], points["b"], found["provisional"]) == (1, 1, 2)
    dispute = await reviewed(door, tables[1], pause=False)
    new = (await ruled(door, dispute, {"type": "replay"})).json()["replacement"]
    await kept(door)
    found = (await door.get(path + "/standings")).json()
    assert (found["pending"], found["final"]) == (1, False)
    assert {e["external_id"]: e["played"] for e in found["standings"]} == {
        "a": 1,
        "b": 1,
        "c": 0,
        "d": 0,
    }
    numbers = [
        (each["number"], each["match_id"])
        for each in (await door.get(path + "/matches")).json()["matches"]
    ]
    assert numbers == [(0, tables[0].match_id), (1, tables[1].match_id), (1, new)]
    for seat in range(2):
        got = await door.post(f"/v1/matches/{new}/seats/{seat}/claim", json={"account": "cd"[seat]})
        assert got.status_code == 200


async def test_others_see_no_batch(door: Door, other_key: str) -> None:
    batch = await batched(door, ["a", "b"])
    path = f"{BATCHES}/{batch['id']}"
    for address in ("", "/matches", "/results", "/standings"):
        assert told(await door.get(path + address, other_key)) == (404, "batch-not-found")
    for address in ("/start", "/cancel"):
        assert told(await door.post(path + address, other_key)) == (404, "batch-not-found")
    assert (await door.get(BATCHES, other_key)).json()["batches"] == []
    seat = batch["matches"][0]["seats"][0]["link"]["token"]
    assert told(await door.get(path, seat)) == (403, "api-key-required")


@pytest.mark.parametrize("missing", ["matches:create", "seats:issue"])
async def test_making_one_needs_two_scopes(door: Door, missing: str) -> None:
    scopes = {"matches:create", "seats:issue"} - {missing}
    refused = await door.post(BATCHES, await key_of(door, *scopes), json=wanted(["a", "b"]))
    assert told(refused) == (403, "scope-missing")
    assert missing in refused.json()["errors"][0]["detail"]


# Directed


async def test_a_director_starts_all_that_can_be(door: Door) -> None:
    body = wanted(["a", "b"], ["c", "d"], ["e", "f"])
    body["defaults"]["start"] = "manual"
    batch = (await door.post(BATCHES, json=body)).json()
    path = f"{BATCHES}/{batch['id']}/start"
    for match in batch["matches"][:2]:
        await seated(door, match)
    headers = {"idempotency-key": "go"}
    first = (await door.post(path, headers=headers)).json()
    assert [each["code"] for each in first["matches"]] == [None, None, "seats-unclaimed"]
    assert (first["done"], first["refused"]) == (2, 1)
    await seated(door, batch["matches"][2])
    again = (await door.post(path, headers=headers)).json()
    assert (again["done"], again["refused"]) == (3, 0)
    anew = (await door.post(path)).json()
    assert {each["code"] for each in anew["matches"]} == {"match-already-started"}


async def test_a_director_cancels_what_has_not_started(door: Door) -> None:
    batch = await batched(door, ["a", "b"], ["c", "d"], ["e", "f"])
    await seated(door, batch["matches"][1])
    await finished(door, batch["matches"][2])
    path = f"{BATCHES}/{batch['id']}"
    done = (await door.post(path + "/cancel")).json()
    codes = [each["code"] for each in done["matches"]]
    assert codes == [None, "match-already-started", "match-over"]
    counts = (await door.get(path)).json()["counts"]
    assert (counts["cancelled"], counts["running"], counts["over"]) == (1, 1, 1)


async def test_a_director_reaches_what_a_ruling_has_just_played_elsewhere(door: Door) -> None:
    body = wanted(["a", "b"])
    body["defaults"]["reveal_after_seconds"] = 60
    body["matches"][0]["external_id"] = "r1"
    batch = (await door.post(BATCHES, json=body)).json()
    path = f"{BATCHES}/{batch['id']}"
    old = await finished(door, batch["matches"][0])
    replayed: list[str] = []
    for _ in range(2):
        dispute = await reviewed(door, old, pause=False)
        ruling = await ruled(door, dispute, {"type": "replay"})
        replayed.append(ruling.json()["replacement"])
    replayed.sort()
    done = (await door.post(path + "/cancel")).json()
    assert [(e["match_id"], e["external_id"], e["code"]) for e in done["matches"]] == [
        (old.match_id, "r1", "match-over"),
        *((each, "r1", None) for each in replayed),
    ]
    await kept(door)
    listed = (await door.get(path + "/matches")).json()["matches"]
    assert [(each["match_id"], each["attempt"], each["status"]) for each in listed] == [
        (old.match_id, 0, "void"),
        *((each, 1, "cancelled") for each in replayed),
    ]


async def test_a_match_of_a_series_is_called_by_its_name(door: Door) -> None:
    batch = await batched(door, ["a", "b"])
    entrants = [{"external_id": each} for each in "ab"]
    body = {"external_id": "final", "games": 1, "entrants": entrants, "batch_id": batch["id"]}
    made = await door.post("/v1/series", json={**body, "match": {"game": "high_card"}})
    assert made.status_code == 201, made.text
    done = (await door.post(f"{BATCHES}/{batch['id']}/cancel")).json()
    assert [each["external_id"] for each in done["matches"]] == [None, "final/1"]


async def test_a_key_that_does_not_manage_directs_nothing(door: Door) -> None:
    batch = await batched(door, ["a", "b"])
    reader = await key_of(door, "matches:read")
    refused = await door.post(f"{BATCHES}/{batch['id']}/cancel", reader)
    assert told(refused) == (403, "scope-missing")


async def test_clocks_are_in_a_batch_as_in_a_match(door: Door) -> None:
    body = wanted(["a", "b"], ["c", "d"])
    body["defaults"]["clock"] = {"time": {"type": "per_move", "move": 60_000}}
    body["matches"][1]["clock"] = {"time": {"type": "per_move", "move": 5_000}, "times": []}
    refused = await door.post(BATCHES, json=body)
    assert [pointer[:16] for pointer, _ in faults(refused)] == ["/matches/1/clock"]
    del body["matches"][1]["clock"]
    batch = (await door.post(BATCHES, json=body)).json()
    await seated(door, batch["matches"][0])
    path = f"{BATCHES}/{batch['id']}"
    done = (await door.post(path + "/pause")).json()
    assert [each["code"] for each in done["matches"]] == [None, "match-not-running"]
    assert (await door.get(path)).json()["counts"]["paused"] == 1
    done = (await door.post(path + "/extend", json={"ms": 1000})).json()
    assert done["done"] >= 1
    done = (await door.post(path + "/resume", json={"account": "referee"})).json()
    assert [each["outcome"] for each in done["matches"]] == ["done", "refused"]


async def test_clocks_are_started_together(door: Door) -> None:
    body = wanted(["a", "b"], ["c", "d"], ["e", "f"], ["g", "h"], ["i", "j"])
    clock = {"time": {"type": "per_move", "move": 60_000}}
    body["defaults"] |= {"start": "manual", "clock": clock}
    body["matches"][3] |= {"clock": None}
    batch = (await door.post(BATCHES, json=body)).json()
    path, matches = f"{BATCHES}/{batch['id']}", batch["matches"]
    for match in matches[:4]:
        await seated(door, match)
    await door.post(f"/v1/matches/{matches[1]['match_id']}/start")
    await door.post(f"/v1/matches/{matches[1]['match_id']}/pause")
    headers = {"idempotency-key": "go"}
    first = (await door.post(path + "/start-clocks", headers=headers)).json()
    codes = [each["code"] for each in first["matches"]]
    assert codes == [None, None, None, "no-clock", "seats-unclaimed"]
    assert (await door.get(path)).json()["counts"]["running"] == 3
    again = (await door.post(path + "/start-clocks", headers=headers)).json()
    assert again == first
    for match in matches[:3]:
        shown = (await door.get(f"/v1/matches/{match['match_id']}")).json()
        assert any(each["since"] is not None for each in shown["clocks"])
    await door.post(f"/v1/matches/{matches[0]['match_id']}/cancel")
    anew = (await door.post(path + "/start-clocks", json={"account": "referee"})).json()
    assert anew["matches"][0]["outcome"] == "refused"
    refused = await door.post(path + "/start-clocks", json={"account": "a"})
    assert refused.json()["matches"][1]["outcome"] == "done"  # Nothing was to be done.
    for scope in ("arbitrate", "matches:manage"):
        key = await key_of(door, scope)
        assert told(await door.post(path + "/start-clocks", key)) == (403, "scope-missing")


async def test_lists_take_so_many_statements_however_much_is_in_them(door: Door) -> None:
    def statements(connection: Connection) -> int:
        counted = []
        event.listen(connection, "before_cursor_execute", lambda *_: counted.append(1))
        told = viewing._told(connection, rows.newest(connection, "main", None, None, 50))
        assert told
        ids = [each.id for each in series_rows.newest(connection, "main", {}, None, 50)]
        series_rows.entrants_of(connection, ids)
        series_rows.kept_games(connection, ids)
        return len(counted)

    async def more() -> None:
        batch = await batched(door, ["a", "b"], ["c", "d"])
        for number in range(2):
            entrants = [{"external_id": "a"}, {"external_id": f"b{number}"}]
            body = {"entrants": entrants, "games": 3, "match": {"game": "high_card"}}
            made = await door.post("/v1/series", json={**body, "batch_id": batch["id"]})
            assert made.status_code == 201, made.text

    await more()
    before = await door.app.parts.database.read(statements)
    await more()
    await more()
    assert await door.app.parts.database.read(statements) == before


async def test_five_hundred_and_no_more(door: Door) -> None:
    body = wanted(*[["a", "b"]] * 501)
    assert told(await door.post(BATCHES, json=body)) == (422, "invalid-request")
    body["matches"].pop()
    for number, match in enumerate(body["matches"]):
        match["external_id"] = f"five-hundred-{number}"
    made = await door.post(BATCHES, json=body)
    assert made.status_code == 201
    assert len({each["match_id"] for each in made.json()["matches"]}) == 500
    last = Table(made.json()["matches"][-1]["match_id"], ())
    assert (await door.get(last.path)).json()["status"] == "seating"
