"""Results of matches that are played, at platforms that answer over HTTP."""

import asyncio
from typing import Any

import msgspec
import pytest
from sqlalchemy import select, text
from sqlalchemy.util import await_only

from service.platforms import managing
from service.platforms.tables import LINK
from service.rounds import STEPS
from tests.service.client import Table
from tests.service.conftest import Door
from tests.service.platforms.fakes import Challonge, Pods, Startgg, Toornament, said
from tests.service.platforms.serving import (
    CONNECTIONS,
    Served,
    connected,
    link_path,
    linked,
    pass_time,
    put,
    settled,
)
from tests.service.test_disputes import reviewed

Json = dict[str, Any]


ONE = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)


async def challonge(door: Door, there: Served, **more: Any) -> tuple[Json, Challonge]:
    fake = there.fakes["/challonge"] = Challonge()
    body = {
        "platform": "challonge",
        "address": f"{there.url}/challonge/v2.1",
        "credentials": {"api_key": "key-1"},
        "tournament": "cup",
        **more,
    }
    return await connected(door, **body), fake


async def over(door: Door, table: Table) -> None:
    """Seat 1 resigns, so seat 0 wins: `a` of the platform."""
    done = await door.post(table.path + "/seats/1/resign", table.tokens[1], json={})
    assert done.status_code == 200, done.text


async def played(door: Door, **more: Any) -> Table:
    table = await door.table(seats=2, **more)
    await over(door, table)
    return table


async def test_a_result_arrives_as_the_match_ends(door: Door, there: Served) -> None:
    connection, fake = await challonge(door, there)
    table = await door.table(seats=2)
    link = await linked(door, connection, table.match_id, "77", "a", "b")
    assert (link["state"], link["wanted"], link["next_at"]) == ("waiting", None, None)
    await over(door, table)
    done = await settled(door, connection, table.match_id, "reported")
    assert (fake.state, fake.winner) == ("complete", "a")
    assert done["wanted"]["status"] == "final"
    (attempt,) = done["log"]
    assert (attempt["outcome"], attempt["status"], attempt["revision"]) == ("reported", 200, 1)
    assert done["attempts"] == 1


async def test_every_platform_is_told(door: Door, there: Served) -> None:
    there.fakes = {
        "/startgg": Startgg(),
        "/toornament": Toornament(),
        "/pods": Pods(("a", "b")),
    }
    table = await played(door)
    bodies: list[tuple[Json, str]] = [
        ({"platform": "startgg", "credentials": {"access_token": "token-1"}}, "65089253"),
        (
            {
                "platform": "toornament",
                "credentials": {
                    "api_key": "key-1",
                    "client_id": "client-1",
                    "client_secret": "very-secret-1",
                },
            },
            "5618",
        ),
        ({"platform": "pods", "credentials": {"access_token": "token-1"}}, "12"),
    ]
    paths = ("/startgg/gql/alpha", "/toornament", "/pods/tables")
    for (body, target), path in zip(bodies, paths, strict=True):
        more = {"tournament": "round 1"} if body["platform"] == "pods" else {}
        connection = await connected(door, **body, **more, address=there.url + path)
        await linked(door, connection, table.match_id, target, "a", "b")
        await settled(door, connection, table.match_id, "reported")
    assert [fake.first for fake in there.fakes.values()] == ["a"] * 3


async def test_a_result_from_before_the_link_is_told_at_once(door: Door, there: Served) -> None:
    table = await played(door)
    await door.app.parts.feeding.catch_up()
    connection, fake = await challonge(door, there)
    await linked(door, connection, table.match_id, "77", "a", "b")
    await settled(door, connection, table.match_id, "reported")
    assert fake.winner == "a"


async def test_seats_are_found_by_their_external_ids(door: Door, there: Served) -> None:
    connection, fake = await challonge(door, there, participants={"ada": "b", "bob": "a"})
    table = await door.table(seats=2, accounts=["ada", "bob"])
    unknown = await door.table(seats=2, accounts=["ada", "cyd"])
    await linked(door, connection, table.match_id, "77")
    await linked(door, connection, unknown.match_id, "78")
    await over(door, table)
    await settled(door, connection, table.match_id, "reported")
    assert fake.winner == "b"
    await over(door, unknown)
    refused = await settled(door, connection, unknown.match_id, "refused")
    assert refused["log"][-1]["outcome"] == "unknown_participant"
    assert not any("/78" in call.url for call in there.calls)


async def ruled(door: Door, table: Table, **ruling: Any) -> None:
    path = await reviewed(door, table, pause=False)
    body = {"ruling": ruling, "reason": "seen"}
    done = await door.post(path + "/rulings", json=body)
    assert done.status_code == 200, done.text


async def test_a_correction_is_told_as_such(door: Door, there: Served) -> None:
    connection, fake = await challonge(door, there)
    table = await played(door)
    await linked(door, connection, table.match_id, "77", "a", "b")
    await settled(door, connection, table.match_id, "reported")
    await ruled(door, table, type="set_result", ranks=[2, 1], scores=None)
    done = await settled(door, connection, table.match_id, "reported", 2)
    assert fake.winner == "b"
    assert [each["revision"] for each in done["log"]] == [1, 2]
    assert done["wanted"]["terminal"] == "adjudicated"


async def test_provisional_results_are_told_to_who_asks_for_them(door: Door, there: Served) -> None:
    early, fake = await challonge(door, there, provisional=True)
    late = await connected(
        door,
        platform="pods",
        address=f"{there.url}/pods/tables",
        credentials={"access_token": "token-1"},
        tournament="round 1",
    )
    there.fakes["/pods"] = pods = Pods()
    table = await door.table(seats=2, reveal_after_seconds=60)
    await linked(door, early, table.match_id, "77", "a", "b")
    await linked(door, late, table.match_id, "12", "a", "b")
    await over(door, table)
    done = await settled(door, early, table.match_id, "reported")
    assert done["wanted"]["status"] == "provisional"
    assert fake.state == "complete"
    assert (await door.get(link_path(late, table.match_id))).json()["state"] == "waiting"
    await ruled(door, table, type="void")
    await settled(door, early, table.match_id, "reported", 2)
    assert fake.state == "open"
    assert (await door.get(link_path(late, table.match_id))).json()["state"] == "waiting"
    assert pods.calls == []
    # Nobody disputes it, so it is the first that is told there.
    pass_time(door, 61_000)
    await door.get(table.path + "/result")
    told = await settled(door, late, table.match_id, "reported")
    assert [each["revision"] for each in told["log"]] == [2]
    assert pods.table is not None
    assert (pods.table["status"], pods.table["terminal"]) == ("Pending", "void")


@ONE
async def test_a_busy_platform_is_left_alone_for_as_long_as_it_asks(
    door: Door, there: Served
) -> None:
    connection, fake = await challonge(door, there)
    table = await played(door)
    there.ahead = [said(429, {"errors": {"detail": "slow down", "status": 429}}, 900)]
    await linked(door, connection, table.match_id, "77", "a", "b")
    waits = await settled(door, connection, table.match_id, "pending", 1)
    assert waits["next_at"] - door.clock.now == 900_000
    assert (waits["log"][0]["outcome"], waits["log"][0]["detail"]) == ("busy", "slow down")
    pass_time(door, 899_999)
    assert len(there.calls) == 1
    pass_time(door, 1)
    await settled(door, connection, table.match_id, "reported")
    assert fake.state == "complete"


@ONE
async def test_ten_attempts_in_three_days_then_it_has_failed(door: Door, there: Served) -> None:
    connection, fake = await challonge(door, there)
    table = await played(door)
    there.ahead = [said(503)] * 10
    await linked(door, connection, table.match_id, "77", "a", "b")
    for number, step in enumerate(STEPS, 1):
        waits = await settled(door, connection, table.match_id, "pending", number)
        pause = waits["next_at"] - door.clock.now
        assert 900 * step <= pause <= 1100 * step
        pass_time(door, pause)
    await settled(door, connection, table.match_id, "failed", 10)
    again = await door.post(link_path(connection, table.match_id) + "/report")
    assert (again.status_code, again.json()["state"]) == (202, "pending")
    await settled(door, connection, table.match_id, "reported")
    assert fake.state == "complete"


@ONE
async def test_a_platform_that_never_answers_is_given_up_on_in_time(
    door: Door, there: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    quick = msgspec.structs.replace(door.app.settings, webhook_seconds=0.2)
    monkeypatch.setattr(door.app.parts.reporting, "_settings", quick)
    connection, _ = await challonge(door, there)
    table = await played(door)
    there.hangs = True
    await linked(door, connection, table.match_id, "77", "a", "b")
    waits = await settled(door, connection, table.match_id, "pending", 1)
    assert (waits["log"][0]["outcome"], waits["log"][0]["status"]) == ("timeout", None)


async def test_refused_credentials_hold_up_all_until_there_are_others(
    door: Door, there: Served
) -> None:
    wrong = {"api_key": "wrong-key-7"}
    connection, fake = await challonge(door, there, credentials=wrong)
    table = await played(door)
    other = await played(door)
    await linked(door, connection, table.match_id, "77", "a", "b")
    await settled(door, connection, table.match_id, "pending", 1)
    path = f"{CONNECTIONS}/{connection['id']}"

    async def shown() -> Json:
        found: Json = (await door.get(path)).json()
        return found

    held = await shown()
    assert (held["enabled"], held["disabled"]) == (False, "unauthorized")
    await linked(door, connection, other.match_id, "78", "a", "b")
    pass_time(door, 3_600_000)
    await asyncio.sleep(0.3)
    assert len(there.calls) == 1
    change = {"credentials": {"api_key": "key-1"}, "enabled": True}
    headers = {"Authorization": f"Bearer {door.key}", "If-Match": "*"}
    done = await door.http.patch(path, json=change, headers=headers)
    assert (done.status_code, done.json()["disabled"]) == (200, None)
    assert (await settled(door, connection, table.match_id, "reported"))["attempts"] == 1
    refused = await settled(door, connection, other.match_id, "refused")
    assert refused["log"][-1]["outcome"] == "unknown_target"
    assert fake.state == "complete"


async def test_what_was_told_in_confidence_is_told_nobody(door: Door, there: Served) -> None:
    secret = "wrong-key-7"
    body = {
        "platform": "challonge",
        "address": f"{there.url}/challonge/v2.1",
        "credentials": {"api_key": secret},
        "tournament": "cup",
    }
    made = await door.post(CONNECTIONS, json=body, headers={"Idempotency-Key": "one"})
    connection = made.json()
    assert secret not in made.text
    table = await played(door)
    there.ahead = [said(422, {"errors": {"detail": f"{secret} may not do this\n", "status": 422}})]
    await linked(door, connection, table.match_id, "77", "a", "b")
    refused = await settled(door, connection, table.match_id, "refused")
    assert refused["log"][0]["detail"] == "… may not do this"
    assert "may not do this" in await stored(door, "platform_link")
    assert connection["id"] in await stored(door, "request")
    for table_name in ("platform_connection", "platform_link", "request"):
        assert secret not in await stored(door, table_name)


async def stored(door: Door, table: str) -> str:
    """All that is in a table."""
    query = text(f"SELECT * FROM {table}")
    rows = await door.app.parts.database.read(lambda c: c.execute(query).all())
    assert rows
    return repr(rows)


@ONE
async def test_what_a_platform_told_in_confidence_is_told_nobody(door: Door, there: Served) -> None:
    known = {"api_key": "key-1", "client_id": "client-1", "client_secret": "very/secret&1"}
    connection = await connected(
        door, platform="toornament", address=f"{there.url}/toornament", credentials=known
    )
    table = await played(door)
    # As a form has it, and with something in it that does not show.
    spelt = "fetched-7 very/secret&1 very%2Fsecret%261 fetch\x00ed\u200b-7"
    there.ahead = [
        said(200, {"access_token": "fetched-7"}),
        said(400, {"errors": [{"message": f"no: {spelt}"}]}),
    ]
    await linked(door, connection, table.match_id, "5618", "a", "b")
    refused = await settled(door, connection, table.match_id, "refused")
    assert refused["log"][0]["detail"] == "no: … … … …"


@ONE
async def test_credentials_under_another_key_hold_the_connection(door: Door, there: Served) -> None:
    connection, _ = await challonge(door, there)
    await door.app.parts.database.write(
        lambda c: c.execute(text("UPDATE platform_connection SET credentials = x'00112233'"))
    )
    table = await played(door)
    await linked(door, connection, table.match_id, "77", "a", "b")
    await settled(door, connection, table.match_id, "pending", 1)
    shown = (await door.get(f"{CONNECTIONS}/{connection['id']}")).json()
    assert (shown["disabled"], there.calls) == ("secret_not_readable", [])


async def test_a_removed_connection_tells_nothing_more(door: Door, there: Served) -> None:
    connection, _ = await challonge(door, there)
    table = await played(door)
    there.ahead = [said(503)]
    await linked(door, connection, table.match_id, "77", "a", "b")
    await settled(door, connection, table.match_id, "pending", 1)
    gone = await door.delete(f"{CONNECTIONS}/{connection['id']}")
    assert gone.status_code == 204
    pass_time(door, 3_600_000)
    await asyncio.sleep(0.3)
    assert len(there.calls) == 1
    for name in ("platform_connection", "platform_link"):
        query = text(f"SELECT count(*) FROM {name} WHERE org = 'main' AND {_OF[name]} = :of")
        own = {"of": connection["id"]}
        count = await door.app.parts.database.read(
            lambda c, q=query, o=own: c.execute(q, o).scalar()  # type: ignore[misc]
        )
        assert count == 0


_OF = {"platform_connection": "id", "platform_link": "connection_id"}


@ONE
async def test_an_attempt_nobody_heard_of_again_is_made_again(door: Door, there: Served) -> None:
    """As if the process that began it had died: its time runs out, and the platform has it."""
    connection, fake = await challonge(door, there)
    table = await played(door)
    there.gate = asyncio.Event()
    await linked(door, connection, table.match_id, "77", "a", "b")
    await there.until(1)
    for task in tuple(door.app.parts.reporting._rounds._going):
        task.cancel()
    there.gate.set()
    there.gate = None
    assert (await door.get(link_path(connection, table.match_id))).json()["state"] == "pending"
    pass_time(door, 480_000)
    done = await settled(door, connection, table.match_id, "reported")
    assert (done["attempts"], fake.state) == (2, "complete")


@ONE
async def test_a_result_that_comes_while_another_is_told_is_told_next(
    door: Door, there: Served
) -> None:
    connection, fake = await challonge(door, there)
    table = await played(door)
    there.gate = asyncio.Event()
    await linked(door, connection, table.match_id, "77", "a", "b")
    await there.until(1)
    await ruled(door, table, type="set_result", ranks=[2, 1], scores=None)
    await door.app.parts.feeding.catch_up()
    await asyncio.sleep(0.3)
    assert there.most_at_once == 1
    there.gate.set()
    done = await settled(door, connection, table.match_id, "reported", 2)
    assert [each["revision"] for each in done["log"]] == [1, 2]
    assert fake.winner == "b"


@ONE
async def test_a_link_to_another_place_is_told_there(door: Door, there: Served) -> None:
    connection, fake = await challonge(door, there)
    table = await played(door)
    await linked(door, connection, table.match_id, "76", "a", "b")
    await settled(door, connection, table.match_id, "refused")
    await linked(door, connection, table.match_id, "77", "a", "b")
    await settled(door, connection, table.match_id, "reported")
    assert fake.winner == "a"


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
async def test_a_link_does_not_outlive_a_connection_that_is_removed_meanwhile(
    door: Door, there: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    connection, _ = await challonge(door, there)
    table = await door.table(seats=2)
    seats, removals = managing._seats, list[asyncio.Task[Any]]()

    def meanwhile(*about: Any) -> int:
        headers = {"If-Match": "*"}
        path = f"{CONNECTIONS}/{connection['id']}"
        removals.append(asyncio.get_running_loop().create_task(door.delete(path, headers=headers)))
        await_only(asyncio.sleep(0.3))
        return seats(*about)

    monkeypatch.setattr(managing, "_seats", meanwhile)
    await put(door, link_path(connection, table.match_id), {"target": "77", "participants": []})
    (removal,) = removals
    assert (await removal).status_code == 204
    left = select(LINK.c.match_id).where(LINK.c.connection_id == connection["id"])
    found = await door.app.parts.database.read(lambda c: c.execute(left).all())
    assert found == []
