"""Links of arbiters over GraphQL: the same rights as over REST."""

from typing import Any

from tests.service.batching import batched, seated, wanted
from tests.service.conftest import Door
from tests.service.graphql.asking import ask, codes, ref
from tests.service.grouping import key_of

Json = dict[str, Any]

REFEREE: Json = {"external_id": "referee"}
CREATE = """
mutation($body: JSON!, $key: String) {
  createBatch(input: {body: $body, idempotencyKey: $key}) {
    ... on CreateBatchPayload { matches { arbiters { externalId link { token } } } }
    ... on Problem { code errors { pointer code } }
  }
}
"""
ISSUE = """
mutation($match: MatchRef!, $id: String!, $key: String) {
  issueArbiterToken(input: {match: $match, externalId: $id, idempotencyKey: $key}) {
    ... on IssueArbiterTokenPayload { token arbiter { arbiterId arbiter } }
    ... on Problem { code }
  }
}
"""
REVOKE = """
mutation($match: MatchRef!, $id: String!) {
  revokeArbiterToken(input: {match: $match, arbiterId: $id}) {
    ... on RevokeArbiterTokenPayload { arbiterId }
    ... on Problem { code }
  }
}
"""
PAUSE = """
mutation($match: MatchRef!) { pauseMatch(input: {match: $match}) {
  ... on PauseMatchPayload { replayed } ... on Problem { code } } }
"""
RULE = """
mutation($match: MatchRef!, $dispute: Int!, $ruling: JSON!) {
  ruleDispute(input: {match: $match, dispute: $dispute, ruling: $ruling, reason: "So"}) {
    ... on RuleDisputePayload { token } ... on Problem { code } } }
"""
OPEN = """
mutation($match: MatchRef!) {
  openDispute(input: {match: $match, about: 1, claim: "So"}) {
    ... on OpenDisputePayload { dispute } ... on Problem { code } } }
"""
REVIEW = """
mutation($match: MatchRef!, $dispute: Int!) {
  reviewDispute(input: {match: $match, dispute: $dispute, pause: false}) {
    ... on ReviewDisputePayload { replayed } ... on Problem { code } } }
"""
VIEW = """
query($match: MatchRef!, $at: Int) {
  view(match: $match, at: $at, look: {seat: 0}) { viewer } }
"""


async def test_arbiters_of_a_batch_are_linked(door: Door) -> None:
    body = wanted(["ada", "bob"])
    body["matches"][0]["arbiters"] = [REFEREE]
    key = await key_of(door, "matches:create", "seats:issue")
    assert await codes(door, CREATE, key, body=body) == ["SCOPE_MISSING"]
    made = (await ask(door, CREATE, body=body, key="a"))["createBatch"]
    again = (await ask(door, CREATE, body=body, key="a"))["createBatch"]
    assert again == made
    (arbiter,) = made["matches"][0]["arbiters"]
    assert arbiter["externalId"] == "referee"
    me = (await ask(door, "{ me { kind match { matchId } } }", arbiter["link"]["token"]))["me"]
    assert me["kind"] == "ARBITER_TOKEN"
    body["matches"][0]["arbiters"] = [{"external_id": "bob"}]
    refused = (await ask(door, CREATE, body=body))["createBatch"]
    assert refused["errors"] == [
        {"pointer": "/matches/0/arbiters/0/external_id", "code": "arbiter-is-party"}
    ]


async def test_rights_are_those_of_rest(door: Door) -> None:
    body = wanted(["ada", "bob"])
    body["matches"][0]["arbiters"] = [REFEREE]
    (match,) = (await door.post("/v1/batches", json=body)).json()["matches"]
    token = match["arbiters"][0]["link"]["token"]
    table = await seated(door, match)
    own = ref(table.match_id)
    assert await codes(door, PAUSE, table.tokens[0], match=own) == ["ARBITER_IS_PARTY"]
    other = (await batched(door, ["cyd", "dan"]))["matches"][0]["match_id"]
    assert await codes(door, PAUSE, token, match=ref(other)) == ["MATCH_NOT_FOUND"]
    assert await codes(door, VIEW, token, match=own) == ["INVALID_PARAMETER"]
    assert (await ask(door, VIEW, token, match=own, at=1))["view"]["viewer"] == 0
    dispute = (await ask(door, OPEN, token, match=own))["openDispute"]["dispute"]
    await ask(door, REVIEW, token, match=own, dispute=dispute)
    seat = {"type": "replace_seat", "seat": 0}
    for account in ("bob", "zoe"):  # who has the other seat, and who has none
        ruling = {**seat, "account": account}
        named = await codes(door, RULE, token, match=own, dispute=dispute, ruling=ruling)
        assert named == ["SCOPE_MISSING"]
    for ruling, found in (
        ({**seat, "account": "referee"}, {"code": "ARBITER_IS_PARTY"}),
        (seat, {"token": None}),
    ):
        told = await ask(door, RULE, token, match=own, dispute=dispute, ruling=ruling)
        assert told["ruleDispute"] == found


async def test_both_doors_issue_and_take_back(door: Door) -> None:
    table = await door.table(seats=2, accounts=["ada", None])
    match = ref(table.match_id)
    made = (await ask(door, ISSUE, match=match, id="referee", key="g"))["issueArbiterToken"]
    again = (await ask(door, ISSUE, match=match, id="referee", key="g"))["issueArbiterToken"]
    assert again == {**made, "token": None}
    assert await codes(door, ISSUE, match=match, id="ada") == ["ARBITER_IS_PARTY"]
    key = await key_of(door, "seats:issue")
    assert await codes(door, ISSUE, key, match=match, id="referee") == ["SCOPE_MISSING"]
    assert await codes(door, ISSUE, made["token"], match=match, id="x") == ["API_KEY_REQUIRED"]
    me = await ask(door, "{ me { kind arbiter match { matchId } } }", made["token"])
    assert me["me"]["arbiter"] == made["arbiter"]["arbiter"]
    assert (await ask(door, PAUSE, made["token"], match=match))["pauseMatch"] == {"replayed": False}
    shown = "query($match: MatchRef!) { match(match: $match) { arbiters(first: 5) { edges { node"
    shown += " { arbiterId arbiter } } } } }"
    listed = (await ask(door, shown, match=match))["match"]["arbiters"]["edges"]
    assert [each["node"] for each in listed] == [made["arbiter"]]
    identity = made["arbiter"]["arbiterId"]
    assert (await ask(door, REVOKE, match=match, id=identity))["revokeArbiterToken"]
    assert await codes(door, PAUSE, made["token"], match=match) == ["UNAUTHORIZED"]
