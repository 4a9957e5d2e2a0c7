"""Clocks through GraphQL: the same as over REST."""

from typing import Any

from tests.service.client import Table, bearer, seat_all
from tests.service.clocking import (
    FISCHER,
    PER_MOVE,
    answer,
    fallen,
    move_of,
    moved,
    passed,
    served_anew,
    thought_over,
)
from tests.service.conftest import Door
from tests.service.graphql.asking import PLAY, ask, codes, ref
from tests.service.graphql.sockets import socket
from tests.service.graphql.test_disputes import do

LONG = 3_000_000_000  # ms; more than an Int holds
CREATE = """mutation($clock: JSON) {
  createMatch(input: {game: "high_card", seats: 2, clock: $clock}) {
    ... on CreateMatchPayload { match { matchId clock clocks { seat remaining since } } }
    ... on Problem { code } } }"""
SHOWN = """query($match: MatchRef!) { match(match: $match) { status
  clocks { seat remaining delay since deadline } view { clocks { seat remaining } } } }"""


async def clocked(door: Door, clock: Any) -> Table:
    made = (await ask(door, CREATE, clock=clock))["createMatch"]["match"]
    assert made["clock"]["times"] == [clock["time"] | {"most": None}] * 2
    assert [line["since"] for line in made["clocks"]] == [None, None]
    return await seat_all(door.http, door.key, made["matchId"], 2)


async def test_clocks_are_set_shown_stopped_and_added_to(door: Door) -> None:
    table = await clocked(door, FISCHER)
    await passed(door, 5_000)
    await do(door, table, "pauseMatch", door.key, "replayed", account="referee")
    shown = (await ask(door, SHOWN, match=ref(table.match_id)))["match"]
    assert shown["status"] == "PAUSED"
    await passed(door, 9_000)
    await do(door, table, "resumeMatch", door.key, "replayed")
    await do(door, table, "extendMatch", door.key, "replayed", ms=LONG, seat=0)
    assert (await answer(door, table, 0)).status_code == 200
    shown = (await ask(door, SHOWN, match=ref(table.match_id)))["match"]
    rest = (await door.get(table.path)).json()["clocks"]
    assert shown["clocks"] == rest
    assert shown["view"]["clocks"] == [
        {"seat": s, "remaining": rest[s]["remaining"]} for s in (0, 1)
    ]
    assert rest[0]["remaining"] == 60_000 - 5_000 + LONG + 2_000


async def test_clocks_that_cannot_be_are_a_problem(door: Door) -> None:
    assert await codes(door, CREATE, clock={}) == ["INVALID_REQUEST"]


async def test_a_late_answer_is_a_problem_and_its_flag_falls(door: Door) -> None:
    clock = {"time": {**PER_MOVE["time"], "type": "fischer", "bank": 10_000, "increment": 0}}
    del clock["time"]["move"]
    table = await clocked(door, clock)
    query = """mutation($match: MatchRef!, $move: JSON) {
      playMove(input: {match: $match, decision: "5.0", moveJson: $move}) {
        ... on Problem { code } } }"""
    await passed(door, 10_001)
    move = {"type": "arrange", "cards": [1, 2]}
    found = await codes(door, query, table.tokens[0], match=ref(table.match_id), move=move)
    assert found == ["FLAG_FELL"]
    await fallen(door)
    found = await codes(door, query, table.tokens[0], match=ref(table.match_id), move=move)
    assert found == ["FLAG_FELL"]


async def test_an_answer_is_charged_until_all_of_it_was_there(door: Door) -> None:
    await served_anew(door)
    table = await clocked(door, FISCHER)
    variables = {"match": ref(table.match_id), **(await move_of(door, table, 0))}
    headers = {"content-type": "application/json", **bearer(table.tokens[0])}
    slow = thought_over(door, {"query": PLAY, "variables": variables}, 7_000)
    done = await door.http.post("/graphql", headers=headers, content=slow)
    assert done.json()["data"]["playMove"]["__typename"] == "PlayMovePayload"
    assert (await moved(door, table))["arrived"] == door.clock.now


async def test_what_comes_over_a_socket_is_charged_until_it_came(door: Door) -> None:
    await served_anew(door)
    table = await clocked(door, FISCHER)
    variables = {"match": ref(table.match_id), **(await move_of(door, table, 0))}
    async with socket(door.app, table.tokens[0]) as wire:
        await passed(door, 7_000)
        wire.subscribe(PLAY, **variables)
        assert (await wire.data())["__typename"] == "PlayMovePayload"
    assert (await moved(door, table))["arrived"] == door.clock.now
