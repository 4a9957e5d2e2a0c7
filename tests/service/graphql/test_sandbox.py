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


async def test_marks_are_told(door: Door) -> None:
    rehearsing = await sandbox_key(door)
    for key, is_test in ((rehearsing, True), (door.key, False)):
        table = await begun(door, key)
        told = await ask(door, MARKS, key, match=ref(table.match_id))
        assert told["me"] == {"org": "main", "test": is_test}
        assert told["match"] == {"test": is_test, "matchResult": {"test": is_test}}
        lines = [each["node"] for each in told["matches"]["edges"]]
        assert lines == [{"matchId": table.match_id, "test": is_test}]
