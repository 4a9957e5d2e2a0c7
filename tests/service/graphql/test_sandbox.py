"""Test matches over GraphQL: marked, and made to end as over REST."""

from tests.service.conftest import Door
from tests.service.graphql.asking import ask, ref
from tests.service.grouping import sandbox_key
from tests.service.test_forced_endings import WAYS, begun, ended

END = """
mutation($match: MatchRef!, $terminal: Forced!, $winner: Int, $key: String) {
  endTestMatch(
    input: {match: $match, terminal: $terminal, winner: $winner, idempotencyKey: $key}
  ) {
    __typename
    ... on EndTestMatchPayload { match { test } receipt { first last } replayed replacement }
    ... on Problem { code }
  }
}
"""
MARKS = """
query($match: MatchRef!) {
  me { org test }
  match(match: $match) { test matchResult { test } }
  matches(first: 10) { edges { node { matchId test } } }
}
"""


async def test_both_doors_do_the_same(door: Door) -> None:
    rehearsing = await sandbox_key(door)
    for terminal in WAYS:
        table = await begun(door, rehearsing)
        done = (await ended(door, rehearsing, table, terminal, "one")).json()
        given = {"match": ref(table.match_id), "terminal": terminal.upper(), "key": "one"}
        again = (await ask(door, END, rehearsing, **given))["endTestMatch"]
        receipt = {name: done[name] for name in ("first", "last")}
        assert (again["receipt"], again["replayed"]) == (receipt, True)
        assert again["replacement"] == done["replacement"]
        assert again["match"]["test"] is True
        live = (await ask(door, END, door.key, **given))["endTestMatch"]
        assert live == {"__typename": "Problem", "code": "SANDBOX_ONLY"}


async def test_a_live_key_ends_no_match_whichever_it_names(door: Door) -> None:
    rehearsing = await sandbox_key(door)
    for own in ("0199c82c-e134-7a8b-a68f-4659d94628b4", "nonsense"):
        given = {"match": ref(own) if "-" in own else {"id": own}, "terminal": "VOID"}
        for key, code in ((door.key, "SANDBOX_ONLY"), (rehearsing, "MATCH_NOT_FOUND")):
            refused = (await ask(door, END, key, **given))["endTestMatch"]
            assert refused == {"__typename": "Problem", "code": code}
            got = await door.post(f"/v1/matches/{own}/end", key, json={"terminal": "void"})
            assert got.json()["code"] == code.lower().replace("_", "-")


async def test_marks_are_told(door: Door) -> None:
    rehearsing = await sandbox_key(door)
    for key, is_test in ((rehearsing, True), (door.key, False)):
        table = await begun(door, key)
        told = await ask(door, MARKS, key, match=ref(table.match_id))
        assert told["me"] == {"org": "main", "test": is_test}
        assert told["match"] == {"test": is_test, "matchResult": {"test": is_test}}
        lines = [each["node"] for each in told["matches"]["edges"]]
        assert lines == [{"matchId": table.match_id, "test": is_test}]
