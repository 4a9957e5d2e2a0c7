"""Schedules through GraphQL: the same as over REST."""

from service.flags import grace_of, settling_of, sweep
from tests.service.client import bearer
from tests.service.clocking import passed, served_anew
from tests.service.conftest import Door
from tests.service.graphql.asking import ask, codes, ref

CREATE = """mutation($schedule: JSON) {
  createMatch(input: {game: "high_card", seats: 3, schedule: $schedule}) {
    ... on CreateMatchPayload { match { matchId status schedule } }
    ... on Problem { code } } }"""
STAND_IN = """mutation($input: SeatStandInInput!) { seatStandIn(input: $input) {
  ... on SeatStandInPayload { seat token match { status schedule } }
  ... on Problem { code } } }"""
ASKED = "query($match: MatchRef!) { match(match: $match) { status } }"


async def test_a_match_is_scheduled_and_a_stand_in_seated(door: Door) -> None:
    await served_anew(door)
    join_by = door.clock.now + 5_000
    when = {"join_by": join_by, "no_show": "stand_in"}
    made = (await ask(door, CREATE, schedule=when))["createMatch"]["match"]
    assert (made["status"], made["schedule"]["join_by"]) == ("SEATING", join_by)
    path, tokens = f"/v1/matches/{made['matchId']}", []
    for seat in (0, 1):
        got = await door.http.post(f"{path}/seats/{seat}/claim", headers=bearer(door.key))
        tokens.append(got.json()["token"])
    # Whoever asks here is there as well.
    await ask(door, ASKED, tokens[0], match=ref(made["matchId"]))
    await passed(door, 5_000 + grace_of(door.app.parts) + settling_of(door.app.parts))
    await sweep(door.app.parts)
    given = {"match": ref(made["matchId"]), "account": "bot-1"}
    assert await codes(door, STAND_IN, input={**given, "seat": 0}) == ["NO_STAND_IN_DUE"]
    seated = (await ask(door, STAND_IN, input={**given, "seat": 2}))["seatStandIn"]
    assert seated["match"]["status"] == "RUNNING"
    assert seated["match"]["schedule"]["vacant"] == [1]
    got = await door.http.get(path + "/view", headers=bearer(seated["token"]))
    assert got.status_code == 200


async def test_schedules_that_can_not_be_are_a_problem(door: Door) -> None:
    assert await codes(door, CREATE, schedule={"no_show": "void"}) == ["INVALID_REQUEST"]
