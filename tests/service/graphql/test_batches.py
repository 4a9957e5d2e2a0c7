"""Results and batches over GraphQL: the same as over REST."""

from typing import Any

from service.graphql.ids import BATCH, node_id
from tests.service.batching import BATCHES, batched, finished, wanted
from tests.service.conftest import Door
from tests.service.graphql.asking import ask, codes, ref
from tests.service.test_results import kept

Json = dict[str, Any]

RESULT = """
query($match: MatchRef!) { match(match: $match) { matchResult {
  matchId status revision version terminal replacedBy
  seats { seat externalId rank score outcome resigned timedOut forfeit penalties }
  evidence { tag payload kid signature }
} } }
"""
RESULTS = """
query($after: Int!) { results(first: 50, after: $after) { after results {
  position matchId status terminal seats { externalId outcome }
} } }
"""
CREATE = """
mutation($body: JSON!, $key: String) {
  createBatch(input: {body: $body, idempotencyKey: $key}) {
    __typename
    ... on CreateBatchPayload {
      replayed
      batch { id batchId externalId matchCount counts scoring }
      matches { number matchId seats { seat externalId link { token url } } spectator { token } }
    }
    ... on Problem { code errors { pointer code } }
  }
}
"""
SHOWN = """
query($batch: BatchRef!) { batch(batch: $batch) {
  batchId matchCount
  matches(first: 10) { number attempt matchId externalId status }
  results(first: 10) { results { matchId terminal } }
  standings { final standings { externalId rank points wins } }
} }
"""
ACT = """
mutation($batch: BatchRef!, $key: String) {
  %s(input: {batch: $batch, idempotencyKey: $key}) {
    __typename
    ... on BatchActionPayload { done refused matches { matchId outcome code } batch { counts } }
    ... on Problem { code }
  }
}
"""


def camel(value: Any) -> Any:
    if isinstance(value, dict):
        return {_camel(name): camel(each) for name, each in value.items()}
    if isinstance(value, list):
        return [camel(each) for each in value]
    return value


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(each.title() for each in rest)


async def test_a_result_is_the_same_at_both_doors(door: Door) -> None:
    batch = await batched(door, ["ada", "bob"])
    table = await finished(door, batch["matches"][0])
    rest = (await door.get(table.path + "/result")).json()
    told = await ask(door, RESULT, match=ref(table.match_id))
    shown = told["match"]["matchResult"]
    evidence = rest.pop("evidence")
    assert shown.pop("evidence") == evidence
    for each in (shown, *shown["seats"]):
        for name in ("status", "terminal", "outcome"):
            if name in each:
                each[name] = each[name].lower()
    assert shown == camel(rest)
    await kept(door)
    listed = (await door.get("/v1/results?limit=50")).json()["results"]
    page = (await ask(door, RESULTS, after=0))["results"]
    assert [e["position"] for e in page["results"]] == [e["position"] for e in listed]
    assert (await ask(door, RESULTS, after=page["after"]))["results"]["results"] == []


async def test_a_batch_is_made_looked_at_and_directed(door: Door) -> None:
    body = wanted(["ada", "bob"], ["cyd", "dan"], external_id="graph", spectators={})
    made = (await ask(door, CREATE, body=body, key="g1"))["createBatch"]
    assert made["batch"]["matchCount"] == 2
    again = (await ask(door, CREATE, body=body, key="g1"))["createBatch"]
    assert again == {**made, "replayed": True}
    batch_id = made["batch"]["batchId"]
    assert made["batch"]["id"] == node_id(BATCH, batch_id)
    match = made["matches"][0]
    table = await finished(door, {**match, "match_id": match["matchId"]})
    await kept(door)
    shown = (await ask(door, SHOWN, batch={"externalId": "graph"}))["batch"]
    assert [each["status"] for each in shown["matches"]] == ["over", "seating"]
    assert [e["matchId"] for e in shown["results"]["results"]] == [table.match_id]
    rest = (await door.get(f"{BATCHES}/{batch_id}/standings")).json()
    assert [(each["externalId"], each["points"]) for each in shown["standings"]["standings"]] == [
        (each["external_id"], each["points"]) for each in rest["standings"]
    ]
    done = (await ask(door, ACT % "cancelBatch", batch={"id": made["batch"]["id"]}))["cancelBatch"]
    assert [each["code"] for each in done["matches"]] == ["match-over", None]
    assert done["batch"]["counts"]["cancelled"] == 1
    done = (await ask(door, ACT % "startBatch", batch={"id": made["batch"]["id"]}))["startBatch"]
    assert (done["done"], done["refused"]) == (0, 2)
    node = "query($id: ID!) { node(id: $id) { ... on Batch { externalId } } }"
    found = await ask(door, node, id=made["batch"]["id"])
    assert found["node"]["externalId"] == "graph"
    listed = await ask(door, "{ batches(first: 5) { edges { node { batchId } } } }")
    assert batch_id in [each["node"]["batchId"] for each in listed["batches"]["edges"]]


async def test_refusals_are_those_of_rest(door: Door, other_key: str) -> None:
    refused = (await ask(door, CREATE, body={"matches": [{}]}))["createBatch"]
    assert refused["code"] == "INVALID_REQUEST"
    assert {each["pointer"] for each in refused["errors"]} == {
        "/matches/0/game",
        "/matches/0/seats",
    }
    dry = (await ask(door, CREATE, body=wanted(["a", "b"], dry_run=True)))["createBatch"]
    assert dry["batch"] is None
    batch = await batched(door, ["a", "b"], external_id="taken")
    told = await codes(door, CREATE, body=wanted(["a", "b"], external_id="taken"))
    assert told == ["EXTERNAL_ID_TAKEN"]
    identity = {"id": node_id(BATCH, batch["id"])}
    assert await codes(door, SHOWN, other_key, batch=identity) == ["BATCH_NOT_FOUND"]
    assert await codes(door, SHOWN, batch={"id": "nonsense"}) == ["BATCH_NOT_FOUND"]
    assert await codes(door, ACT % "startBatch", other_key, batch=identity) == ["BATCH_NOT_FOUND"]


async def test_a_series_is_made_looked_at_and_called_off(door: Door, other_key: str) -> None:
    create = """mutation($body: JSON!, $key: String) {
      createSeries(input: {body: $body, idempotencyKey: $key}) {
        ... on CreateSeriesPayload {
          series { seriesId state matches { matchId seating } entrants { externalId points } terms }
          entrants { externalId link { token } } replayed }
        ... on Problem { code errors { pointer } } } }"""
    body = {
        "entrants": [{"external_id": "ada"}, {"external_id": "bob"}],
        "games": 3,
        "match": {"game": "high_card"},
    }
    made = (await ask(door, create, body=body, key="s"))["createSeries"]
    assert (await ask(door, create, body=body, key="s"))["createSeries"]["replayed"]
    series_id = made["series"]["seriesId"]
    assert made["series"]["terms"]["length"] == "best_of"
    rest = (await door.get(f"/v1/series/{series_id}")).json()
    shown = "query($id: String!) { series(seriesId: $id) { state matches { matchId seating } } }"
    told = (await ask(door, shown, id=series_id))["series"]
    assert [e["matchId"] for e in told["matches"]] == [e["match_id"] for e in rest["matches"]]
    assert await codes(door, shown, other_key, id=series_id) == ["SERIES_NOT_FOUND"]
    assert await codes(door, shown, id="nonsense") == ["SERIES_NOT_FOUND"]
    cancel = """mutation($id: String!) { cancelSeries(input: {seriesId: $id}) {
      ... on CancelSeriesPayload { series { state } } ... on Problem { code } } }"""
    assert await codes(door, cancel, other_key, id=series_id) == ["SERIES_NOT_FOUND"]
    assert (await ask(door, cancel, id=series_id))["cancelSeries"]["series"]["state"] == "cancelled"
