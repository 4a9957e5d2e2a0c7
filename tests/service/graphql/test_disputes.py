"""Takebacks, disputes and looks through GraphQL: the same as over REST."""

from typing import Any

from tests.service.client import Table
from tests.service.conftest import Door
from tests.service.graphql.asking import ask, ref
from tests.service.positions import choosing

Json = dict[str, Any]


async def do(door: Door, table: Table, name: str, token: str, fields: str, **given: Any) -> Json:
    """The payload of a mutation."""
    kind = "Match" if name == "askTakeback" else name[0].upper() + name[1:]
    payload = name[0].upper() + name[1:]
    query = f"""mutation($input: {kind}Input!) {{ {name}(input: $input) {{
      __typename ... on Problem {{ code }} ... on {payload}Payload {{ {fields} }} }} }}"""
    whole = {"match": ref(table.match_id), **given}
    told: Json = (await ask(door, query, token, input=whole))[name]
    assert told["__typename"] == f"{payload}Payload", told
    return told


async def test_a_takeback_by_consent(door: Door, table: Table) -> None:
    await choosing(door, table)
    asked = await do(door, table, "askTakeback", table.tokens[0], "takeback")
    query = "query($match: MatchRef!) { match(match: $match) { takeback { id owed open } } }"
    shown = await ask(door, query, table.tokens[1], match=ref(table.match_id))
    assert shown["match"]["takeback"] == {"id": asked["takeback"], "owed": [1, 2], "open": True}
    for seat in (1, 2):
        given = {"takeback": asked["takeback"], "consents": True}
        await do(door, table, "answerTakeback", table.tokens[seat], "replayed", **given)
    rest = (await door.get(table.path + "/decision", table.tokens[0])).json()
    assert rest["decision"]["kind"] == "arrange"


async def test_a_dispute_to_its_end_and_what_rest_tells_of_it(door: Door, table: Table) -> None:
    await choosing(door, table)
    claim = {"about": 1, "claim": "No"}
    made = await do(door, table, "openDispute", table.tokens[0], "dispute", **claim)
    own = {"dispute": made["dispute"]}
    review = {**own, "pause": True, "account": "referee"}
    await do(door, table, "reviewDispute", door.key, "replayed", **review)
    ruling = {**own, "ruling": {"type": "rewind", "boundary": "round 1"}, "reason": "Because"}
    key = {"idempotencyKey": "once"}
    fields = "token replacement replayed receipt { first last head }"
    ruled = await do(door, table, "ruleDispute", door.key, fields, **ruling, **key)
    again = await do(door, table, "ruleDispute", door.key, fields, **ruling, **key)
    assert (ruled["replayed"], again["replayed"]) == (False, True)
    assert ruled["receipt"] == again["receipt"]
    appeal = {**own, "reason": "Why?"}
    await do(door, table, "appealDispute", table.tokens[1], "replayed", **appeal)
    await do(door, table, "reviewDispute", door.key, "replayed", **own, pause=False)
    await do(
        door, table, "ruleDispute", door.key, fields, **own, ruling={"type": "note"}, reason="So"
    )
    query = """query($match: MatchRef!) { match(match: $match) { disputes {
      id seat about stage pause appealed claim ruledAt ruling reason } } }"""
    shown = await ask(door, query, table.tokens[1], match=ref(table.match_id))
    rest = (await door.get(f"{table.path}/disputes", table.tokens[1])).json()["disputes"]
    (line,) = shown["match"]["disputes"]
    ruled_at, stage = line.pop("ruledAt"), line.pop("stage").lower()
    told = {**line, "match_id": table.match_id, "ruled_at": ruled_at, "stage": stage}
    assert told == rest[0]
    other = await do(door, table, "openDispute", table.tokens[2], "dispute", **claim)
    closing = {"dispute": other["dispute"]}
    await do(door, table, "closeDispute", table.tokens[2], "replayed", **closing)


async def test_looks_replays_and_reports(door: Door, table: Table) -> None:
    await choosing(door, table)
    query = """query($match: MatchRef!, $look: Look) { match(match: $match) {
      view(at: 6, look: $look) { json }
      replay(first: 50, at: 6, look: $look) { steps { version event } } } }"""
    look = {"seat": 1, "account": "referee"}
    shown = (await ask(door, query, match=ref(table.match_id), look=look))["match"]
    own = (await door.get(table.path + "/view?at=6", table.tokens[1])).json()
    assert shown["view"]["json"] == own
    seen = (await door.get(table.path + "/events", table.tokens[1])).json()["events"]
    assert [each["event"] for each in shown["replay"]["steps"]] == seen[:6]
    assert [each["kind"] for each in seen].count("look_taken") == 1
    claim = {"about": 1, "claim": "No"}
    made = await do(door, table, "openDispute", table.tokens[0], "dispute", **claim)
    report = """query($match: MatchRef!, $dispute: Int!) { match(match: $match) {
      informationReport(dispute: $dispute, to: 5) { rewind to skipped seats } } }"""
    given = {"match": ref(table.match_id), "dispute": made["dispute"]}
    told = (await ask(door, report, table.tokens[0], **given))["match"]["informationReport"]
    path = f"{table.path}/disputes/{made['dispute']}/report?to=5"
    rest = (await door.get(path, table.tokens[0])).json()
    assert told == {name: rest[name] for name in told}
