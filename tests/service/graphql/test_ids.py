"""A reference takes the opaque id of a thing and the plain one, which everything else hands out."""

import pytest
from graphql import GraphQLInputObjectType

from service.graphql.ids import BATCH, DEAL_GROUP, MATCH, id_in, node_id
from service.graphql.schema import graph
from tests.service.batching import batched
from tests.service.client import Table
from tests.service.conftest import Door
from tests.service.graphql.asking import ask, codes
from tests.service.grouping import opened

NOBODYS = "01890000-0000-7000-8000-000000000000"
QUERIES = {
    MATCH: "query($ref: MatchRef!) { match(match: $ref) { id matchId } }",
    DEAL_GROUP: "query($ref: DealGroupRef!) { dealGroup(group: $ref) { id groupId } }",
    BATCH: "query($ref: BatchRef!) { batch(batch: $ref) { id batchId } }",
}
CODES = {
    MATCH: "MATCH_NOT_FOUND",
    DEAL_GROUP: "DEAL_GROUP_NOT_FOUND",
    BATCH: "BATCH_NOT_FOUND",
}
AFTER = """
query($ref: BatchRef!, $after: String!) { batch(batch: $ref) {
  matches(first: 9, afterNumber: 0, afterMatch: $after) { matchId }
} }
"""


async def there(door: Door, kind: str) -> str:
    """The plain id of a thing of the kind."""
    if kind == DEAL_GROUP:
        return (await opened(door)).id
    batch = await batched(door, ["ada", "bob"])
    return str(batch["matches"][0]["match_id"] if kind == MATCH else batch["id"])


@pytest.mark.parametrize("kind", QUERIES)
async def test_a_reference_takes_either_id(door: Door, other_key: str, kind: str) -> None:
    """That of another kind names nothing, and so does one of another organisation."""
    plain, query = await there(door, kind), QUERIES[kind]
    opaque = node_id(kind, plain)
    (told,) = (await ask(door, query, ref={"id": plain})).values()
    assert set(told.values()) == {plain, opaque}
    assert await ask(door, query, ref={"id": opaque}) == await ask(door, query, ref={"id": plain})
    for given in (
        *(node_id(each, plain) for each in QUERIES if each != kind),
        node_id(kind, plain.upper()),
        node_id(kind, opaque),
        plain.upper(),
        plain + " ",
        opaque + "=",
        NOBODYS,
        "",
    ):
        assert await codes(door, query, ref={"id": given}) == [CODES[kind]]
        assert await codes(door, query, "st_nobody", ref={"id": given}) == ["UNAUTHORIZED"]
    for given in (plain, opaque, NOBODYS, node_id(kind, NOBODYS)):
        assert await codes(door, query, other_key, ref={"id": given}) == [CODES[kind]]


async def test_a_mutation_takes_either_id(door: Door, table: Table) -> None:
    resign = "mutation($ref: MatchRef!, $seat: Int!) { resign(input: {match: $ref, seat: $seat}) {"
    resign += " __typename ... on Problem { code } } }"
    for seat, given in enumerate((table.match_id, node_id(MATCH, table.match_id))):
        told = await ask(door, resign, table.tokens[seat], ref={"id": given}, seat=seat)
        assert told["resign"] == {"__typename": "ResignPayload"}


async def test_a_page_of_a_batch_goes_on_after_either_id(door: Door) -> None:
    batch = await batched(door, ["ada", "bob"], ["cyd", "dan"])
    first, second = (each["match_id"] for each in batch["matches"])
    for given in (first, node_id(MATCH, first)):
        told = await ask(door, AFTER, ref={"id": batch["id"]}, after=given)
        assert told["batch"]["matches"] == [{"matchId": second}]
    for given in (node_id(BATCH, first), "x"):
        found = await codes(door, AFTER, ref={"id": batch["id"]}, after=given)
        assert found == ["INVALID_PARAMETER"]


@pytest.mark.parametrize("kind", QUERIES)
def test_no_plain_id_is_an_opaque_one(kind: str) -> None:
    """Or one text could name two things."""
    opaque = node_id(kind, NOBODYS)
    assert opaque[0] not in "0123456789abcdef-"
    assert id_in(kind, opaque) == id_in(kind, NOBODYS) == NOBODYS


def test_every_reference_says_so() -> None:
    refs = {
        name: kind
        for name, kind in graph().schema.type_map.items()
        if isinstance(kind, GraphQLInputObjectType) and name.endswith("Ref")
    }
    assert set(refs) == {"MatchRef", "DealGroupRef", "BatchRef"}
    for kind in refs.values():
        assert "over REST" in (kind.fields["id"].description or "")
