"""The protocol graphql-transport-ws: what is sent, when it closes and with which code."""

import asyncio
from collections.abc import Awaitable, Callable
from random import Random
from typing import Any

import pytest

from service.graphql import sockets
from tests.service.client import Table, answer, decision_of, play_out, random_move
from tests.service.conftest import KEY, Door
from tests.service.graphql.asking import PLAY, ref
from tests.service.graphql.sockets import FOLLOW, Closed, Wire, socket
from tests.service.positions import choosing
from tests.waiting import eventually


async def test_only_the_one_protocol_is_spoken(door: Door) -> None:
    for offered in ((), ("graphql-ws",)):
        async with socket(door.app, None, subprotocols=offered) as wire:
            assert await wire.closed() == 4406
    async with socket(door.app, KEY) as wire:
        assert wire.subprotocol == sockets.PROTOCOL


async def test_who_leaves_while_it_is_written_to_is_no_failure(
    door: Door, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    failures = list[Exception]()
    monkeypatch.setattr(sockets.Socket, "_failed", lambda _, error: failures.append(error))
    async with socket(door.app, KEY) as wire:
        wire.subscribe(FOLLOW, match=ref(table.match_id))
        await wire.next()
        wire.cut()
        shown = await decision_of(door.http, table, 0)
        move = random_move(shown["decision"]["offers"], Random(1))
        await answer(door.http, table, 0, shown["decision"]["id"], move)
        await eventually(_streams_of(door), lambda left: left == 0)
    assert not failures


async def test_who_has_left_before_it_is_accepted_is_no_failure(door: Door) -> None:
    wire = Wire()
    wire.cut()
    scope = {"type": "websocket", "path": "/graphql", "headers": [], "subprotocols": []}
    await door.app(scope, wire.receive, wire.send)


@pytest.mark.parametrize("payload", [{}, {"authorization": "Bearer pk_x"}, {"authorization": 1}])
async def test_bad_credentials_close_before_the_acknowledgement(
    door: Door, payload: dict[str, Any]
) -> None:
    async with socket(door.app, None) as wire:
        wire.tell(type="connection_init", payload=payload)
        with pytest.raises(Closed) as closed:
            await wire.next()
        assert closed.value.code == 4401


async def test_nothing_is_done_before_the_acknowledgement(door: Door) -> None:
    async with socket(door.app, None) as wire:
        wire.tell(type="ping")
        assert await wire.next() == {"type": "pong"}
        wire.subscribe("{ __typename }")
        assert await wire.closed() == 4401


async def test_who_says_nothing_is_not_waited_for(
    door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sockets, "INIT_SECONDS", 0.05)
    async with socket(door.app, None) as wire:
        assert await wire.closed() == 4408


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("{", 4400),
        ("[]", 4400),
        ('{"type":"start"}', 4400),
        ('{"type":"subscribe","id":"1"}', 4400),
        ('{"type":"subscribe","id":"","payload":{"query":"{ __typename }"}}', 4400),
        ('{"type":"subscribe","id":"1","payload":{}}', 4400),
        ('{"type":"subscribe","id":"1","payload":{"query":1}}', 4400),
        ('{"type":"connection_init"}', 4429),
        ('"' + "x" * 70_000 + '"', 4400),
    ],
    ids=lambda each: str(each)[:40],
)
async def test_a_message_that_is_none_closes(door: Door, text: str, code: int) -> None:
    async with socket(door.app, KEY) as wire:
        wire.tell_text(text)
        assert await wire.closed() == code


@pytest.mark.parametrize("identity", ["1", "é" * 60, "😀" * 40])
async def test_an_id_is_used_once_at_a_time(door: Door, table: Table, identity: str) -> None:
    async with socket(door.app, KEY) as wire:
        wire.subscribe("{ __typename }", identity)
        assert await wire.data(identity) == "Query"
        assert await wire.next() == {"id": identity, "type": "complete"}
        wire.subscribe(FOLLOW, identity, match=ref(table.match_id))
        await wire.data(identity)
        wire.subscribe(FOLLOW, identity, match=ref(table.match_id))
        assert await wire.closed() == 4409


async def test_a_frame_with_a_member_twice_is_none(door: Door, table: Table) -> None:
    """As a body over HTTP: nobody knows which of the two is meant."""
    for frame in (
        '{"type": "subscribe", "type": "ping", "id": "1"}',
        '{"type": "subscribe", "id": "1", "payload": {"query": "{ __typename }", "variables":'
        ' {"move": {"card": "ACTOR", "card": "THIEF"}}}}',
    ):
        async with socket(door.app, KEY) as wire:
            wire.tell_text(frame)
            assert await wire.closed() == 4400


async def test_an_operation_that_can_t_be_run_leaves_the_others_alone(
    door: Door, table: Table
) -> None:
    async with socket(door.app, KEY) as wire:
        for identity, query, code in (
            ("a", "{", "GRAPHQL_SYNTAX"),
            ("b", "subscription { nothing }", "GRAPHQL_INVALID"),
            ("c", "subscription { decisions { version } }", "SEAT_TOKEN_REQUIRED"),
        ):
            wire.subscribe(query, identity)
            told = await wire.next()
            assert (told["id"], told["type"]) == (identity, "error")
            assert told["payload"][0]["extensions"]["code"] == code
        wire.subscribe(FOLLOW, "d", match={"id": "nothing"})
        told = await wire.next()
        assert told["payload"][0]["extensions"]["code"] == "MATCH_NOT_FOUND"
        wire.subscribe("{ __typename }", "a")
        assert await wire.data("a") == "Query"


async def test_operations_of_a_connection_are_bounded(
    door: Door, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sockets, "OPERATIONS", 2)
    version = (await door.get(table.path)).json()["version"]
    async with socket(door.app, KEY) as wire:
        for identity in ("1", "2"):
            wire.subscribe(FOLLOW, identity, match=ref(table.match_id), after=version)
            assert (await wire.data(identity))["__typename"] == "CaughtUp"
        wire.subscribe(FOLLOW, "3", match=ref(table.match_id))
        told = await wire.next()
        assert told["payload"][0]["extensions"]["code"] == "GRAPHQL_TOO_MANY_SUBSCRIPTIONS"
        wire.tell(id="1", type="complete")
        wire.subscribe("{ __typename }", "3")
        assert await wire.data("3") == "Query"


async def test_a_whole_match_is_followed_and_resumed(door: Door, table: Table) -> None:
    match, token = ref(table.match_id), table.tokens[1]
    found: list[Any] = []
    playing = asyncio.create_task(play_out(door.http, table, 5))
    is_over = False
    while not is_over:
        async with socket(door.app, token) as wire:
            wire.subscribe(FOLLOW, match=match, after=found[-1]["version"] if found else 0)
            for _ in range(7):
                told = await wire.next()
                if told["type"] == "complete":
                    is_over = True
                    break
                value = told["payload"]["data"]["matchEvents"]
                if value["__typename"] == "Event":
                    found.append(value)
    await playing
    rest = (await door.get(table.path + "/events", token)).json()
    assert [each["json"] for each in found] == rest["events"]
    assert [each["version"] for each in found] == list(range(1, rest["version"] + 1))


async def test_the_end_of_the_backlog_is_marked(door: Door, table: Table) -> None:
    shown = (await door.get(table.path)).json()
    async with socket(door.app, KEY) as wire:
        wire.subscribe(FOLLOW, match=ref(table.match_id))
        for version in range(1, shown["version"] + 1):
            assert (await wire.data())["version"] == version
        marker = {"__typename": "CaughtUp", "version": shown["version"], "head": shown["head"]}
        assert await wire.data() == marker
        await choosing(door, table)
        assert (await wire.data())["version"] == shown["version"] + 1


async def test_decisions_come_as_they_open(door: Door, table: Table) -> None:
    query = """subscription($after: Int! = 0) { decisions(after: $after) {
      version seat decision { id offersJson } } }"""
    async with socket(door.app, table.tokens[0]) as wire:
        wire.subscribe(query)
        first = await wire.data()
        rest = await decision_of(door.http, table, 0)
        assert first["decision"]["id"] == rest["decision"]["id"]
        assert first["decision"]["offersJson"] == rest["decision"]["offers"]
        move = random_move(first["decision"]["offersJson"], Random(1))
        await answer(door.http, table, 0, first["decision"]["id"], move)
        second = await wire.data()
        assert second["decision"]["id"] != first["decision"]["id"]
    async with socket(door.app, table.tokens[0]) as wire:
        wire.subscribe(query, after=int(first["decision"]["id"].split(".")[0]))
        assert (await wire.data())["decision"] == second["decision"]


async def test_a_revoked_token_ends_the_connection(door: Door, table: Table) -> None:
    version = (await door.get(table.path)).json()["version"]
    async with socket(door.app, table.tokens[1]) as wire:
        wire.subscribe(FOLLOW, match=ref(table.match_id), after=version)
        assert (await wire.data())["__typename"] == "CaughtUp"
        await door.delete(table.path + "/seats/1/tokens")
        await choosing(door, table)
        with pytest.raises(Closed) as closed:
            await wire.next()
        assert closed.value.code == 4403
    async with socket(door.app, table.tokens[0]) as wire:
        await door.delete(table.path + "/seats/0/tokens")
        wire.subscribe("{ __typename }")
        assert await wire.closed() == 4403


async def test_who_does_not_read_is_dropped_resumably(
    door: Door, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(door.app.parts.streams, "_send_seconds", 0.1)
    async with socket(door.app, KEY) as wire:
        wire.pause()
        wire.subscribe(FOLLOW, match=ref(table.match_id))
        assert await wire.closed() == 1013


async def test_a_stopping_service_says_so(door: Door, table: Table) -> None:
    version = (await door.get(table.path)).json()["version"]
    async with socket(door.app, KEY) as wire:
        wire.subscribe(FOLLOW, match=ref(table.match_id), after=version)
        await wire.data()
        door.app.stop_streams()
        assert await wire.closed() == 1012


async def test_each_operation_loads_anew(door: Door, table: Table) -> None:
    query = "query($match: MatchRef!) { match(match: $match) { version asked { kind } } }"
    async with socket(door.app, KEY) as wire:
        wire.subscribe(query, "1", match=ref(table.match_id))
        before = await wire.data("1")
        await wire.next()
        await choosing(door, table)
        wire.subscribe(query, "2", match=ref(table.match_id))
        after = await wire.data("2")
        assert after["version"] > before["version"]
        assert (before["asked"]["kind"], after["asked"]["kind"]) == ("arrange", "choose")


async def test_two_identities_never_share_what_was_loaded(door: Door, table: Table) -> None:
    query = """query($match: MatchRef!) { match(match: $match) { a: view { viewer viewJson }
      b: view { viewer viewJson } } }"""
    shown = []
    for token in (KEY, *table.tokens):
        async with socket(door.app, token) as wire:
            wire.subscribe(query, match=ref(table.match_id))
            value = await wire.data()
            assert value["a"] == value["b"]
            shown.append(value["a"])
    assert [each["viewer"] for each in shown] == [None, 0, 1, 2]
    hands = [each["viewJson"]["hand"] for each in shown]
    assert hands[0] is None
    assert len({tuple(hand) for hand in hands[1:]}) == 3


async def test_watchers_of_one_kind_share_an_encoding_and_others_do_not(
    door: Door, table: Table
) -> None:
    events = []
    for token in (KEY, KEY, *table.tokens):
        async with socket(door.app, token) as wire:
            wire.subscribe(FOLLOW, match=ref(table.match_id))
            events.append([await wire.data() for _ in range(6)])
    rest = [
        (await door.get(table.path + "/events", token)).json()["events"][:6]
        for token in (KEY, KEY, *table.tokens)
    ]
    assert [[each["json"] for each in mine] for mine in events] == rest
    assert events[0] == events[1]
    assert len({str(each) for each in events}) == 4


async def test_a_move_is_played_over_the_socket(door: Door, table: Table) -> None:
    own = (await decision_of(door.http, table, 0))["decision"]
    move = random_move(own["offers"], Random(1))
    async with socket(door.app, table.tokens[0]) as wire:
        wire.subscribe(PLAY, match=ref(table.match_id), decision=own["id"], move=move)
        assert (await wire.data())["__typename"] == "PlayMovePayload"


def _streams_of(door: Door) -> Callable[[], Awaitable[int]]:
    async def look() -> int:
        return len(door.app.parts.streams)

    return look
