"""Draws by agreement through GraphQL: the same as over REST."""

from tests.service.conftest import Door
from tests.service.graphql.asking import ask, ref

OFFER = """mutation($match: MatchRef!) { offerDraw(input: {match: $match}) {
  ... on OfferDrawPayload { draw match { agreedDraw draw { id seat open owed } } }
  ... on Problem { code } } }"""
ANSWER = """mutation($match: MatchRef!, $draw: Int!, $accepts: Boolean!) {
  answerDraw(input: {match: $match, draw: $draw, accepts: $accepts}) {
  ... on AnswerDrawPayload { match { status draw { open refused } } }
  ... on Problem { code } } }"""


async def test_a_draw_is_offered_refused_offered_and_accepted(door: Door) -> None:
    table = await door.table(seats=2, agreed_draw=True)
    match = ref(table.match_id)
    made = (await ask(door, OFFER, table.tokens[0], match=match))["offerDraw"]
    line = {"id": made["draw"], "seat": 0, "open": True, "owed": [1]}
    assert made["match"] == {"agreedDraw": True, "draw": line}
    said = {"match": match, "draw": made["draw"], "accepts": False}
    refused = (await ask(door, ANSWER, table.tokens[1], **said))["answerDraw"]
    assert refused["match"] == {"status": "RUNNING", "draw": {"open": False, "refused": True}}
    made = (await ask(door, OFFER, table.tokens[1], match=match))["offerDraw"]
    said = {"match": match, "draw": made["draw"], "accepts": True}
    over = (await ask(door, ANSWER, table.tokens[0], **said))["answerDraw"]
    assert over["match"]["status"] == "OVER"
