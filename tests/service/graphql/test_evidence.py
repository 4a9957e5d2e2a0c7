"""Receipts, signed refusals, views and heads, keys of seats and entropy over GraphQL."""

from events.entropy import commitment_of
from events.evidence import body_digest
from tests.service.conftest import Door
from tests.service.graphql.asking import PLAY, ask, ref
from tests.service.test_evidence import SEAT_KEY, asked, keyed, keys_of, said, signature

SIGNED_PLAY = """
mutation($input: PlayMoveInput!) { playMove(input: $input) { __typename
  ... on PlayMovePayload { replayed receipt { first last head
    evidence { tag payload kid signature } } }
  ... on Problem { code evidence { salt document { tag payload kid signature } } } } }
"""


async def test_graphql_tells_and_takes_the_same(door: Door) -> None:
    keys = await keys_of(door)
    table = await keyed(door)
    decision, move = await asked(door, table)
    signed = await signature(door, table, decision, move)
    given = {"match": ref(table.match_id), "decision": decision, "moveJson": move}
    unsigned = (await ask(door, SIGNED_PLAY, table.tokens[0], input=given))["playMove"]
    assert unsigned["code"] == "SIGNATURE_WRONG"
    assert said(unsigned["evidence"]["document"], keys)["seat"] == 0
    both = {**given, "signed": signed}
    done = (await ask(door, SIGNED_PLAY, table.tokens[0], input=both))["playMove"]
    rest = {"decision": decision, "move": move, "signed": signed}
    again = await door.post(table.path + "/moves", table.tokens[0], json=rest)
    assert again.json() == done["receipt"]
    query = """query($match: MatchRef!) { match(match: $match) {
      steerable revealBy entropy { closed } view { json evidence { tag payload kid signature } }
      events(first: 2) { head evidence { tag payload kid signature } } } }"""
    told = (await ask(door, query, table.tokens[0], match=ref(table.match_id)))["match"]
    assert said(told["events"]["evidence"], keys)["head"] == told["events"]["head"]
    shown = await door.get(table.path + "/view", table.tokens[0])
    assert said(told["view"]["evidence"], keys)["body"] == body_digest(shown.content)
    assert told["steerable"] == "operator"
    played = await ask(door, PLAY, table.tokens[1], match=ref(table.match_id), decision="1.1")
    assert played["playMove"]["__typename"] == "Problem"


async def test_graphql_takes_entropy_and_keys(door: Door) -> None:
    create_it = """mutation($input: CreateMatchInput!) { createMatch(input: $input) {
      ... on CreateMatchPayload { match { matchId steerable } } } }"""
    made = await ask(door, create_it, input={"game": "high_card", "seats": 2, "entropy": True})
    match_id = made["createMatch"]["match"]["matchId"]
    claim = """mutation($input: ClaimSeatInput!) { claimSeat(input: $input) {
      ... on ClaimSeatPayload { token } ... on Problem { code } } }"""
    tokens = []
    for seat in range(2):
        given = {"match": ref(match_id), "seat": seat, "key": SEAT_KEY}
        tokens.append((await ask(door, claim, input=given))["claimSeat"]["token"])
    contribute = """mutation($input: ContributeEntropyInput!) { contributeEntropy(input: $input) {
      ... on ContributeEntropyPayload { seat replayed match { entropy { closed awaited } } }
      ... on Problem { code } } }"""
    opening = bytes(32)
    for body in ("commitment", "opening"):
        for seat, token in enumerate(tokens):
            value = opening.hex()
            if body == "commitment":
                value = commitment_of(match_id, seat, opening)
            given = {"match": ref(match_id), "seat": seat, body: value}
            told = (await ask(door, contribute, token, input=given))["contributeEntropy"]
            assert told["seat"] == seat
    assert (await door.get(f"/v1/matches/{match_id}")).json()["status"] == "running"
    log = (await door.get(f"/v1/matches/{match_id}/events")).json()["events"]
    assert [each["data"]["key"] for each in log[1:3]] == [SEAT_KEY, SEAT_KEY]
