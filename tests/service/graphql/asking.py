"""GraphQL over the HTTP of an application in this process."""

from typing import Any

import httpx

from service.graphql.ids import MATCH, node_id
from tests.service.client import bearer
from tests.service.conftest import KEY, Door

Json = dict[str, Any]

ACCEPT = "application/graphql-response+json"
PLAY = """
mutation Play($match: MatchRef!, $decision: String, $move: JSON, $key: String) {
  playMove(input: {match: $match, decision: $decision, moveJson: $move, idempotencyKey: $key}) {
    __typename
    ... on PlayMovePayload {
      receipt { first last head evidence { tag payload kid signature } } replayed
    }
    ... on Problem { code status errors { pointer code detail } decision { id offersJson } }
  }
}
"""


async def post(door: Door, query: str, token: str = KEY, **variables: Any) -> httpx.Response:
    headers = {"accept": ACCEPT, **(bearer(token) if token else {})}
    body = {"query": query, "variables": variables}
    return await door.http.post("/graphql", json=body, headers=headers)


async def ask(door: Door, query: str, token: str = KEY, **variables: Any) -> Json:
    """The data of an answer without errors."""
    got = await post(door, query, token, **variables)
    assert got.status_code == 200, got.text
    told: Json = got.json()
    assert "errors" not in told, told
    data: Json = told["data"]
    return data


async def codes(door: Door, query: str, token: str = KEY, **variables: Any) -> list[str]:
    """The codes of an answer's errors, or the code of the problem that is its data."""
    told = (await post(door, query, token, **variables)).json()
    values = (told.get("data") or {}).values()
    refused = [each for each in values if isinstance(each, dict) and "code" in each]
    errors = [each["extensions"]["code"] for each in told.get("errors", ())]
    return errors + [each["code"] for each in refused]


def ref(match_id: str) -> Json:
    return {"id": node_id(MATCH, match_id)}
