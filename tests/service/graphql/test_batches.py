"""Results and batches over GraphQL: the same as over REST."""

from typing import Any

from service.graphql.ids import BATCH, node_id
from tests.service.batching import BATCHES, batched, finished, seated, wanted
from tests.service.conftest import Door
from tests.service.graphql.asking import ask, codes, ref
from tests.service.grouping import key_of
from tests.service.test_disputes import reviewed, ruled
from tests.service.test_results import kept

Json = dict[str, Any]

RESULT = """
query($match: MatchRef!) { match(match: $match) { matchResult {
  matchId test status revision version terminal replacedBy
  seats { seat externalId rank score outcome resigned timedOut forfeit penalties }
  evidence { tag payload kid signature }
} } }
"""
RESULTS = """
query($after: WholeNumber!) { results(first: 50, after: $after) { after results {
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
    assert await codes(door, RESULTS, after=-5) == ["INVALID_PARAMETER"]


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
    assert [each["status"] for each in shown["matches"]] == ["OVER", "SEATING"]
    assert [e["matchId"] for e in shown["results"]["results"]] == [table.match_id]
    rest = (await door.get(f"{BATCHES}/{batch_id}/standings")).json()
    assert [(each["externalId"], each["points"]) for each in shown["standings"]["standings"]] == [
        (each["external_id"], each["points"]) for each in rest["standings"]
    ]
    done = (await ask(door, ACT % "cancelBatch", batch={"id": made["batch"]["id"]}))["cancelBatch"]
    assert [each["code"] for each in done["matches"]] == ["MATCH_OVER", None]
    assert done["batch"]["counts"]["cancelled"] == 1
    done = (await ask(door, ACT % "startBatch", batch={"id": made["batch"]["id"]}))["startBatch"]
    assert (done["done"], done["refused"]) == (0, 2)
    node = "query($id: ID!) { node(id: $id) { ... on Batch { externalId } } }"
    found = await ask(door, node, id=made["batch"]["id"])
    assert found["node"]["externalId"] == "graph"
    listed = await ask(door, "{ batches(first: 5) { edges { node { batchId } } } }")
    assert batch_id in [each["node"]["batchId"] for each in listed["batches"]["edges"]]


async def test_who_directs_a_batch_does_not_read_it_for_that(door: Door) -> None:
    """The scope `matches:read` is asked for wherever matches, results or standings are told."""
    batch = await batched(door, ["ada", "bob"])
    await finished(door, batch["matches"][0])
    await kept(door)
    key = await key_of(door, "matches:manage", "audit:read")
    identity = node_id(BATCH, batch["id"])
    start = """mutation($batch: BatchRef!) { startBatch(input: {batch: $batch}) {
      ... on BatchActionPayload { refused batch { %s } } } }"""
    for part in (
        "matches(first: 5) { matchId }",
        "results(first: 5) { after }",
        "standings { final }",
    ):
        assert await codes(door, start % part, key, batch={"id": identity}) == ["SCOPE_MISSING"]
        node = "query($id: ID!) { node(id: $id) { ... on Batch { %s } } }"
        assert await codes(door, node % part, key, id=identity) == ["SCOPE_MISSING"]
        assert await ask(door, node % part, id=identity)
    told = await ask(door, start % "matchCount", key, batch={"id": identity})
    assert told["startBatch"]["batch"] == {"matchCount": 1}


async def test_what_rest_directs_graphql_directs(door: Door) -> None:
    body = wanted(["ada", "bob"], ["cyd", "dan"], external_id="directed")
    body["defaults"] |= {"start": "manual", "clock": {"time": {"type": "per_move", "move": 60_000}}}
    batch = (await door.post(BATCHES, json=body)).json()
    await seated(door, batch["matches"][0])
    act = """mutation($batch: BatchRef!, $account: String) {
      %s(input: {batch: $batch, account: $account%s}) {
        ... on BatchActionPayload { matches { code } batch { counts } }
        ... on Problem { code } } }"""
    own, reader = {"externalId": "directed"}, await key_of(door, "matches:read", "matches:manage")
    for name, more, first, status in (
        ("startBatchClocks", "", None, "running"),
        ("pauseBatch", "", None, "paused"),
        ("extendBatch", ", ms: 3000000000", None, "paused"),
        ("resumeBatch", "", None, "running"),
        ("resumeBatch", "", "MATCH_NOT_PAUSED", "running"),
    ):
        query = act % (name, more)
        assert await codes(door, query, reader, batch=own) == ["SCOPE_MISSING"]
        done = (await ask(door, query, batch=own, account="referee"))[name]
        assert done["matches"][0]["code"] == first, name
        assert done["batch"]["counts"][status] == 1
    bad = act % ("extendBatch", ", ms: 0")
    assert await codes(door, bad, batch=own) == ["INVALID_REQUEST"]


async def test_scores_and_their_sums_are_told_however_large(door: Door) -> None:
    largest = 2**31 - 1
    batch = await batched(door, ["ada", "bob"], ["ada", "cyd"], scoring={"by": "score"})
    for match in batch["matches"]:
        path = await reviewed(door, await seated(door, match), pause=False)
        ruling: Json = {"type": "set_result", "ranks": [1, 2]}
        refused = await ruled(door, path, ruling | {"scores": [2**31, 0]})
        assert [e["pointer"] for e in refused.json()["errors"]] == ["/ruling/scores/0"]
        done = await ruled(door, path, ruling | {"scores": [largest, -largest]})
        assert done.status_code == 200, done.text
    await kept(door)
    query = """query($id: ID!) { batch(batch: {id: $id}) {
      results(first: 5) { results { seats { score } } }
      standings { standings { externalId points score } } } }"""
    told = (await ask(door, query, id=node_id(BATCH, batch["id"])))["batch"]
    assert [seat["score"] for each in told["results"]["results"] for seat in each["seats"]] == [
        largest,
        -largest,
    ] * 2
    first, *_ = told["standings"]["standings"]
    assert first == {"externalId": "ada", "points": 2 * largest, "score": 2 * largest}


async def test_lists_are_narrowed_and_go_on(door: Door) -> None:
    named = await batched(door, ["ada", "bob"], external_id="narrow", spectators={})
    query = """query($id: String) { batches(first: 5, externalId: $id) {
      edges { node { batchId spectators } } } }"""
    (edge,) = (await ask(door, query, id="narrow"))["batches"]["edges"]
    rest = (await door.get(f"{BATCHES}/{named['id']}")).json()
    assert edge["node"] == {"batchId": named["id"], "spectators": rest["spectators"]}
    several = await batched(door, *[["ada", "bob"]] * 3)
    page = """query($id: ID!, $number: Int!, $attempt: Int!, $match: String) {
      node(id: $id) { ... on Batch { matches(first: 2, afterNumber: $number,
        afterAttempt: $attempt, afterMatch: $match) { number attempt matchId } } } }"""
    identity = node_id(BATCH, several["id"])
    first = (await ask(door, page, id=identity, number=-1, attempt=0))["node"]["matches"]
    last = first[-1]
    place = {"number": last["number"], "attempt": last["attempt"], "match": last["matchId"]}
    rest_of = (await ask(door, page, id=identity, **place))["node"]["matches"]
    assert [each["number"] for each in first + rest_of] == [0, 1, 2]
    wrong = {**place, "match": "nonsense"}
    assert await codes(door, page, id=identity, **wrong) == ["INVALID_PARAMETER"]


async def test_series_are_listed_as_over_rest(door: Door, other_key: str) -> None:
    batch = await batched(door, ["cyd", "dan"])
    body = {
        "entrants": [{"external_id": "ada"}, {"external_id": "bob"}],
        "games": 3,
        "match": {"game": "high_card"},
    }
    for number in range(3):
        more = {"external_id": f"listed {number}", "batch_id": batch["id"]}
        assert (await door.post("/v1/series", json={**body, **more})).status_code == 201
    query = """query($after: String, $state: SeriesState, $id: String) {
      seriesList(first: 2, after: $after, state: $state, externalId: $id) {
        edges { cursor node { seriesId externalId batchId state
          matches { matchId status terminal } } } pageInfo { hasNextPage endCursor } } }"""
    first = (await ask(door, query))["seriesList"]
    assert first["pageInfo"]["hasNextPage"]
    second = (await ask(door, query, after=first["pageInfo"]["endCursor"]))["seriesList"]
    nodes = [each["node"] for each in first["edges"] + second["edges"]][:3]
    rest = (await door.get("/v1/series?limit=3")).json()["series"]
    assert [each["seriesId"] for each in nodes] == [each["id"] for each in rest]
    assert [each["batchId"] for each in nodes] == [batch["id"]] * 3
    assert nodes[0]["matches"][0]["status"] == "PENDING"
    (only,) = (await ask(door, query, id="listed 1", state="RUNNING"))["seriesList"]["edges"]
    assert only["node"]["externalId"] == "listed 1"
    assert (await ask(door, query, state="DECIDED", id="listed 1"))["seriesList"]["edges"] == []
    assert (await ask(door, query, other_key))["seriesList"]["edges"] == []


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
        "join": {"within_seconds": 60, "no_show": "void"},
    }
    made = (await ask(door, create, body=body, key="s"))["createSeries"]
    assert (await ask(door, create, body=body, key="s"))["createSeries"]["replayed"]
    series_id = made["series"]["seriesId"]
    assert made["series"]["terms"]["length"] == "best_of"
    assert made["series"]["terms"]["join"] == body["join"]
    rest = (await door.get(f"/v1/series/{series_id}")).json()
    shown = "query($id: String!) { series(seriesId: $id) { state matches { matchId seating } } }"
    told = (await ask(door, shown, id=series_id))["series"]
    assert [e["matchId"] for e in told["matches"]] == [e["match_id"] for e in rest["matches"]]
    assert await codes(door, shown, other_key, id=series_id) == ["SERIES_NOT_FOUND"]
    assert await codes(door, shown, id="nonsense") == ["SERIES_NOT_FOUND"]
    cancel = """mutation($id: String!) { cancelSeries(input: {seriesId: $id}) {
      ... on CancelSeriesPayload { series { state } } ... on Problem { code } } }"""
    assert await codes(door, cancel, other_key, id=series_id) == ["SERIES_NOT_FOUND"]
    assert (await ask(door, cancel, id=series_id))["cancelSeries"]["series"]["state"] == "CANCELLED"
