"""Mutations: what they do is what the REST door does; refusals are data."""

from typing import Any

from tests.service.client import Table, decision_of
from tests.service.conftest import Door
from tests.service.graphql.asking import PLAY, ask, codes, ref
from tests.service.positions import choice, choosing
from tests.service.test_keys import made

CREATE = """
mutation($input: CreateMatchInput!) {
  createMatch(input: $input) {
    __typename
    ... on CreateMatchPayload { match { id matchId status optionsJson externalId } }
    ... on Problem { code status type errors { pointer code detail } }
  }
}
"""
CLAIM = """
mutation($input: ClaimSeatInput!) {
  claimSeat(input: $input) {
    __typename
    ... on ClaimSeatPayload { seat token replayed receipt { first last head } }
    ... on Problem { code }
  }
}
"""


async def create(door: Door, **given: Any) -> Any:
    body = {"game": "high_card", "seats": 2, **given}
    return (await ask(door, CREATE, input=body))["createMatch"]


async def test_a_match_is_created_with_typed_options(door: Door) -> None:
    made = await create(door, options={"highCard": {"rounds": 1}}, externalId="a")
    assert made["match"]["status"] == "SEATING"
    assert made["match"]["optionsJson"] == {"rounds": 1, "talk": True}
    plain = await create(door, optionsJson={"rounds": 1})
    assert plain["match"]["optionsJson"] == made["match"]["optionsJson"]


async def test_what_is_wrong_with_a_match_is_data(door: Door) -> None:
    wrong: tuple[tuple[Any, str, str | None], ...] = (
        ({"game": "whist"}, "GAME_NOT_FOUND", None),
        ({"seats": 9}, "OPTIONS_REFUSED", "/seats"),
        ({"seats": 0}, "INVALID_REQUEST", "/seats"),
        ({"externalId": ""}, "INVALID_REQUEST", "/external_id"),
        ({"optionsJson": {"rounds": 9}}, "INVALID_REQUEST", "/options/rounds"),
        ({"options": {"highCard": {"rounds": 9}}}, "INVALID_REQUEST", "/options/rounds"),
        ({"options": {"ambitionCharacters": {}}}, "INVALID_REQUEST", "/options"),
    )
    for given, code, pointer in wrong:
        made = await create(door, **given)
        assert made["code"] == code, given
        assert [each["pointer"] for each in made["errors"]] == ([pointer] if pointer else [])
        assert (made["errors"] or [{}])[0].get("code") != "internal"


async def test_a_repeated_creation_is_one_match(door: Door) -> None:
    first = await create(door, idempotencyKey="k1")
    again = await create(door, idempotencyKey="k1")
    assert first == again
    other = await create(door, idempotencyKey="k1", seats=3)
    assert other["code"] == "IDEMPOTENCY_KEY_REUSED"
    for key in ("ä", "", "x" * 256):
        assert (await create(door, idempotencyKey=key))["code"] == "INVALID_PARAMETER"


async def test_seats_are_claimed_and_released(door: Door) -> None:
    match = {"id": (await create(door))["match"]["id"]}
    claimed = (await ask(door, CLAIM, input={"match": match, "seat": 0}))["claimSeat"]
    assert claimed["token"].startswith("st_")
    taken = (await ask(door, CLAIM, input={"match": match, "seat": 0}))["claimSeat"]
    assert taken == {"__typename": "Problem", "code": "SEAT_TAKEN"}
    for seat in (-1, 7):
        none = (await ask(door, CLAIM, input={"match": match, "seat": seat}))["claimSeat"]
        assert none["code"] == "SEAT_NOT_FOUND"
    release = """mutation($input: SeatInput!) { releaseSeat(input: $input) {
      __typename ... on ReleaseSeatPayload { seat match { seats { holder } } } } }"""
    freed = await ask(door, release, claimed["token"], input={"match": match, "seat": 0})
    assert freed["releaseSeat"]["__typename"] == "ReleaseSeatPayload"
    shown = "query($match: MatchRef!) { match(match: $match) { seats { holder } } }"
    assert (await ask(door, shown, match=match))["match"]["seats"] == [{"holder": None}] * 2


async def test_tokens_are_issued_and_revoked(door: Door, table: Table) -> None:
    given = {"match": ref(table.match_id), "seat": 1}
    issue = """mutation($input: SeatInput!) { issueSeatToken(input: $input) {
      __typename ... on IssueSeatTokenPayload { token seat link { token url } }
      ... on Problem { code } } }"""
    keyed = {**given, "idempotencyKey": "k"}
    made = (await ask(door, issue, input=keyed))["issueSeatToken"]
    token = made["token"]
    assert made["link"] == {"token": token, "url": None}
    again = (await ask(door, issue, input=keyed))["issueSeatToken"]
    assert (again["token"], again["link"]) == (None, None)
    assert (await door.get(table.path + "/view", table.tokens[1])).status_code == 401
    assert (await door.get(table.path + "/view", token)).status_code == 200
    revoke = """mutation($input: SeatTokenInput!) { revokeSeatTokens(input: $input) {
      __typename ... on RevokeSeatTokensPayload { seat } } }"""
    await ask(door, revoke, input=given)
    assert (await door.get(table.path + "/view", token)).status_code == 401
    assert await codes(door, issue, table.tokens[0], input=given) == ["API_KEY_REQUIRED"]


async def test_mutations_of_one_request_each_tell_of_what_they_left(door: Door) -> None:
    query = """mutation($match: MatchRef!) {
      a: claimSeat(input: {match: $match, seat: 0}) { ...Told }
      b: claimSeat(input: {match: $match, seat: 1}) { ...Told }
      c: start(input: {match: $match}) { ... on StartPayload {
        receipt { last } match { version status view { version } } } } }
      fragment Told on ClaimSeatResult { ... on ClaimSeatPayload {
        receipt { last } match { version status view { version } } } }"""
    match = {"id": (await create(door, start="MANUAL"))["match"]["id"]}
    told = await ask(door, query, match=match)
    for each in told.values():
        assert (
            each["match"]["version"] == each["receipt"]["last"] == each["match"]["view"]["version"]
        )
    assert [each["match"]["status"] for each in told.values()] == ["SEATING", "SEATING", "RUNNING"]


ISSUE = """mutation($input: IssueSpectatorTokenInput!) { issueSpectatorToken(input: $input) {
  __typename ... on IssueSpectatorTokenPayload { token spectator { ...Line } match {
    spectators(first: 1) { edges { node { ...Line } } } } }
  ... on Problem { code errors { pointer } } } }
  fragment Line on Spectator { spectatorId delayVersions delaySeconds createdAt expiresAt
    revokedAt }"""
LISTED = """query($match: MatchRef!, $first: Int! = 9, $after: String) {
  match(match: $match) { spectators(first: $first, after: $after) {
    edges { node { spectatorId } } pageInfo { hasNextPage endCursor } } } }"""
REVOKE = """mutation($input: RevokeSpectatorTokenInput!) { revokeSpectatorToken(input: $input) {
  ... on RevokeSpectatorTokenPayload { spectatorId } ... on Problem { code } } }"""


async def test_spectators_are_issued_listed_and_revoked(door: Door, table: Table) -> None:
    match = ref(table.match_id)
    ends = door.clock.now + 60_000
    given = {"match": match, "delayVersions": 2, "delaySeconds": 0, "expiresAt": ends}
    issued = (await ask(door, ISSUE, input=given))["issueSpectatorToken"]
    token, line = issued["token"], issued["spectator"]
    assert issued["match"]["spectators"] == {"edges": [{"node": line}]}
    rest = (await door.get(table.path + "/spectators")).json()["spectators"]
    assert [each["id"] for each in rest] == [line["spectatorId"]]
    assert (line["delayVersions"], line["expiresAt"], line["revokedAt"]) == (2, ends, None)
    now = (await door.get(table.path)).json()["version"]
    assert (await door.get(table.path, token)).json()["version"] == now - 2
    gone = {"match": match, "spectatorId": line["spectatorId"]}
    told = (await ask(door, REVOKE, input=gone))["revokeSpectatorToken"]
    assert told == {"spectatorId": line["spectatorId"]}
    assert (await door.get(table.path, token)).status_code == 401
    assert await codes(door, REVOKE, input=gone) == ["SPECTATOR_NOT_FOUND"]
    listed = LISTED.replace("spectatorId", "revokedAt")
    ((edge,), _) = (await ask(door, listed, match=match))["match"]["spectators"].values()
    assert edge["node"]["revokedAt"] is not None


async def test_spectators_are_listed_page_by_page(door: Door, table: Table) -> None:
    match, found, after = ref(table.match_id), [], None
    for _ in range(5):
        await door.post(table.path + "/spectators", json={})
    while True:
        asked = await ask(door, LISTED, match=match, first=2, after=after)
        edges, page = asked["match"]["spectators"].values()
        found += [each["node"]["spectatorId"] for each in edges]
        after = page["endCursor"]
        if not page["hasNextPage"]:
            break
    rest = (await door.get(table.path + "/spectators")).json()["spectators"]
    assert found == [each["id"] for each in rest]
    moves = "query($match: MatchRef!, $after: String) { moves(match: $match, first: 1, "
    stolen = moves + "after: $after) { count } }"
    assert await codes(door, stolen, table.tokens[0], match=match, after=after) == [
        "INVALID_PARAMETER"
    ]


async def test_a_spectator_s_token_is_told_once(door: Door, table: Table) -> None:
    given = {"match": ref(table.match_id), "idempotencyKey": "k"}
    first = (await ask(door, ISSUE, input=given))["issueSpectatorToken"]
    again = (await ask(door, ISSUE, input=given))["issueSpectatorToken"]
    assert first["token"].startswith("sp_")
    assert again == {**first, "token": None}
    other = {**given, "delayVersions": 1}
    assert await codes(door, ISSUE, input=other) == ["IDEMPOTENCY_KEY_REUSED"]


async def test_spectators_are_the_business_of_keys_that_issue(
    door: Door, table: Table, other_key: str
) -> None:
    given = {"match": ref(table.match_id)}
    reads = (await made(door, "matches:read"))["secret"]
    for token, code in (
        (table.tokens[0], "API_KEY_REQUIRED"),
        (reads, "SCOPE_MISSING"),
        (other_key, "MATCH_NOT_FOUND"),
    ):
        assert await codes(door, ISSUE, token, input=given) == [code]
        assert await codes(door, REVOKE, token, input={**given, "spectatorId": "x"}) == [code]
        assert await codes(door, LISTED, token, **given) == [code]
    for wrong in ({"delayVersions": -1}, {"delaySeconds": 31 * 86_400}, {"expiresAt": -1}):
        assert await codes(door, ISSUE, input={**given, **wrong}) == ["INVALID_REQUEST"]


async def test_an_empty_decision_is_none(door: Door, table: Table) -> None:
    """It is no aside: that has null."""
    given = {"match": ref(table.match_id), "decision": "", "key": "a"}
    move = {"type": "speak", "text": "hello"}
    assert await codes(door, PLAY, table.tokens[0], **given, move=move) == ["INVALID_REQUEST"]


async def test_a_typed_move_is_played(door: Door, table: Table) -> None:
    own = (await decision_of(door.http, table, 0))["decision"]
    cards = own["offers"][0]["fields"]["cards"]["options"]
    query = """mutation($match: MatchRef!, $decision: String!, $cards: [Int!]!) {
      validateMove(input: {match: $match, decision: $decision,
          move: {highCard: {arrange: {cards: $cards}}}}) {
        ... on ValidateMovePayload { moveJson move { ... on HighCardArrangeMove { cards } } } }
      playMove(input: {match: $match, decision: $decision,
          move: {highCard: {arrange: {cards: $cards}}}}) {
        ... on PlayMovePayload { receipt { first last } match { version asked { kind } } }
        ... on Problem { code } } }"""
    variables = {"match": ref(table.match_id), "decision": own["id"], "cards": cards}
    told = await ask(door, query, table.tokens[0], **variables)
    assert told["validateMove"]["move"] == {"cards": cards}
    assert told["validateMove"]["moveJson"] == {"type": "arrange", "cards": cards}
    assert told["playMove"]["match"]["version"] == told["playMove"]["receipt"]["last"]
    assert told["playMove"]["match"]["asked"] == {"kind": "choose"}


async def test_a_move_without_fields_and_an_aside(door: Door, table: Table) -> None:
    query = """mutation($match: MatchRef!, $move: MoveInput!, $key: String) {
      playMove(input: {match: $match, move: $move, idempotencyKey: $key}) {
        __typename ... on Problem { code } } }"""
    speak = {"highCard": {"speak": {"text": "hello"}}}
    match, token = ref(table.match_id), table.tokens[1]
    assert await codes(door, query, token, match=match, move=speak) == ["IDEMPOTENCY_KEY_REQUIRED"]
    assert await codes(door, query, token, match=match, move=speak, key="a") == []
    waive: Any = {"highCard": {"waive": {}}}
    refused = await codes(door, query, token, match=match, move=waive, key="b")
    assert refused == ["MOVE_NOT_OFFERED"]


async def test_a_repeated_move_is_told_as_the_first_time(door: Door, table: Table) -> None:
    await choosing(door, table)
    identity, move = await choice(door, table, 1)
    _, other = await choice(door, table, 1, place=1)
    given = {"match": ref(table.match_id), "decision": identity}
    first = (await ask(door, PLAY, table.tokens[1], **given, move=move))["playMove"]
    again = (await ask(door, PLAY, table.tokens[1], **given, move=move))["playMove"]
    assert again == {**first, "replayed": True}
    assert await codes(door, PLAY, table.tokens[1], **given, move=other) == ["DECISION_ANSWERED"]
    rest = {"decision": identity, "move": move}
    told = await door.post(table.path + "/moves", table.tokens[1], json=rest)
    assert told.json() == first["receipt"]
    assert told.headers["plyscribe-replayed"] == "true"


async def test_a_refused_move_comes_with_the_fresh_decision(door: Door, table: Table) -> None:
    given = {"match": ref(table.match_id), "decision": "1.0", "move": {"type": "waive"}}
    told = (await ask(door, PLAY, table.tokens[0], **given))["playMove"]
    own = (await decision_of(door.http, table, 0))["decision"]
    assert told["code"] == "DECISION_CLOSED"
    assert told["decision"] == {"id": own["id"], "offersJson": own["offers"]}
