"""Clocks through GraphQL: the same as over REST."""

from typing import Any

from tests.service.client import Table, seat_all
from tests.service.clocking import FISCHER, PER_MOVE, answer, fallen, passed
from tests.service.conftest import Door
from tests.service.graphql.asking import ask, codes, ref
from tests.service.graphql.test_disputes import do

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
    await do(door, table, "extendMatch", door.key, "replayed", ms=1_000, seat=0)
    assert (await answer(door, table, 0)).status_code == 200
    shown = (await ask(door, SHOWN, match=ref(table.match_id)))["match"]
    rest = (await door.get(table.path)).json()["clocks"]
    assert shown["clocks"] == rest
    assert shown["view"]["clocks"] == [
        {"seat": s, "remaining": rest[s]["remaining"]} for s in (0, 1)
    ]
    assert rest[0]["remaining"] == 60_000 - 5_000 + 1_000 + 2_000


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
