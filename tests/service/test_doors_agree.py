"""One match through REST and the same through GraphQL: equal logs, and equal codes for errors."""

from collections.abc import Awaitable, Callable
from random import Random
from typing import Any

import httpx
import pytest

from events.database import DatabaseUnreachable
from games.core.game import OptionsRefused
from games.core.moves import IllegalMove
from service import commands
from service.app import App
from service.errors import CODES, ROWS, row_of
from service.streams import Streams
from tests.service.client import Table, bearer, decision_of, random_move
from tests.service.clocking import clocked
from tests.service.conftest import Door
from tests.service.contract_checks import _serve, checked_call
from tests.service.graphql.asking import PLAY, ask, codes, ref
from tests.service.graphql.sockets import FOLLOW
from tests.service.grouping import opened
from tests.service.positions import choice, choosing
from tests.service.telling import as_graph, selection
from tests.service.test_disputes import reviewed, ruled
from tests.service.test_keys import made

Json = dict[str, Any]

OWN = {"match_id", "head", "seed_commitment", "sealed", "holder", "seed", "salt", "at", "texts"}


@pytest.fixture(autouse=True)
def _every_answer_is_documented(monkeypatch: pytest.MonkeyPatch) -> None:
    """REST by its document; GraphQL by its own schema."""

    async def called(app: App, scope: Any, receive: Any, send: Any) -> None:
        serve = _serve if scope["path"] == "/graphql" else checked_call
        await serve(app, scope, receive, send)

    monkeypatch.setattr(App, "__call__", called)


async def test_one_script_gives_equal_logs(door: Door) -> None:
    """The seed, and with it every draw, is the same; so are all picks."""
    logs = []
    for through in (_Rest, _Graphql):
        object.__setattr__(door.app.parts, "entropy", Random(1).randbytes)
        door.clock.now += 1
        logs.append(await _scripted(door, through(door)))
    assert logs[0] == logs[1]
    assert logs[0][-1]["kind"] == "match_revealed"


async def test_the_match_its_view_and_its_result_say_the_same(door: Door) -> None:
    query = """query($match: MatchRef!) {match(match: $match) {resultRevision provisional
        matchResult {revision status} view {resultRevision provisional}}}"""

    async def said(table: Table) -> tuple[int, bool]:
        """What they all say."""
        told = [(await door.get(table.path + each)).json() for each in ("", "/view")]
        by_result = (await door.get(table.path + "/result")).json()
        shown = (await ask(door, query, match=ref(table.match_id)))["match"]
        both = [shown, shown["view"]]
        found = {(each["result_revision"], each["provisional"]) for each in told}
        found |= {(each["resultRevision"], each["provisional"]) for each in both}
        found.add((by_result["revision"], by_result["status"] == "provisional"))
        found.add(
            (shown["matchResult"]["revision"], shown["matchResult"]["status"] == "PROVISIONAL")
        )
        (only,) = found
        return only

    cancelled = await door.table(seats=2, reveal_after_seconds=60)
    await door.post(cancelled.path + "/cancel")
    assert await said(cancelled) == (1, True)
    table = await door.table(seats=2, reveal_after_seconds=60)
    await door.post(table.path + "/seats/0/resign", table.tokens[0])
    path = await reviewed(door, table, pause=False)
    await ruled(door, path, {"type": "replay"})
    assert await said(table) == (2, True)
    path = await reviewed(door, table, pause=False)
    await ruled(door, path, {"type": "set_result", "ranks": [1, 1]})
    assert await said(table) == (3, True)
    door.clock.now += 60_000
    assert (await said(table), await said(cancelled)) == ((3, False), (1, False))


async def _scripted(door: Door, through: "_Rest | _Graphql") -> list[Json]:
    match_id = await through.create(external_id=through.name)
    tokens = [await through.claim(match_id, seat) for seat in range(3)]
    table, rng = Table(match_id, tuple(tokens)), Random(7)
    await through.speak(table, 2, "well met")
    while (await door.get(table.path)).json()["status"] == "running":
        for seat in range(3):
            own = (await decision_of(door.http, table, seat))["decision"]
            if own is not None and own["id"] is not None:
                await through.play(table, seat, own["id"], random_move(own["offers"], rng))
    got = await door.get(table.path + "/events?perspective=full&limit=50")
    return [_without_own(each) for each in got.json()["events"]]


def _without_own(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_own(each) for name, each in value.items() if name not in OWN}
    if isinstance(value, list):
        return [_without_own(each) for each in value]
    return value


class _Rest:
    name = "rest"

    def __init__(self, door: Door) -> None:
        self._door = door

    async def create(self, external_id: str) -> str:
        body = {"game": "high_card", "seats": 3, "external_id": external_id}
        made = await self._door.post("/v1/matches", json=body)
        return str(made.json()["match_id"])

    async def claim(self, match_id: str, seat: int) -> str:
        got = await self._door.post(f"/v1/matches/{match_id}/seats/{seat}/claim")
        return str(got.json()["token"])

    async def speak(self, table: Table, seat: int, text: str) -> None:
        body = {"decision": None, "move": {"type": "speak", "text": text}}
        key = {"idempotency-key": "a"}
        got = await self._door.post(
            table.path + "/moves", table.tokens[seat], json=body, headers=key
        )
        assert got.status_code == 200

    async def play(self, table: Table, seat: int, decision: str, move: Json) -> None:
        body = {"decision": decision, "move": move}
        got = await self._door.post(table.path + "/moves", table.tokens[seat], json=body)
        assert got.status_code == 200


class _Graphql:
    name = "graphql"

    def __init__(self, door: Door) -> None:
        self._door = door

    async def create(self, external_id: str) -> str:
        query = """mutation($input: CreateMatchInput!) { createMatch(input: $input) {
          ... on CreateMatchPayload { match { matchId } } } }"""
        given = {"game": "high_card", "seats": 3, "externalId": external_id}
        made = await ask(self._door, query, input=given)
        return str(made["createMatch"]["match"]["matchId"])

    async def claim(self, match_id: str, seat: int) -> str:
        query = """mutation($input: ClaimSeatInput!) { claimSeat(input: $input) {
          ... on ClaimSeatPayload { token } } }"""
        told = await ask(self._door, query, input={"match": ref(match_id), "seat": seat})
        return str(told["claimSeat"]["token"])

    async def speak(self, table: Table, seat: int, text: str) -> None:
        given = {"match": ref(table.match_id), "key": "a"}
        move = {"type": "speak", "text": text}
        told = await ask(self._door, PLAY, table.tokens[seat], **given, move=move)
        assert told["playMove"]["__typename"] == "PlayMovePayload"

    async def play(self, table: Table, seat: int, decision: str, move: Json) -> None:
        given = {"match": ref(table.match_id), "decision": decision, "move": move}
        told = await ask(self._door, PLAY, table.tokens[seat], **given)
        assert told["playMove"]["__typename"] == "PlayMovePayload", told


TOLD = {
    "View": ("/view", "query($match: MatchRef!) { view(match: $match) { %s } }"),
    "SeatDecision": ("/decision", "query($match: MatchRef!) { decision(match: $match) { %s } }"),
    "Match": ("", "query($match: MatchRef!) { match(match: $match) { %s } }"),
}


async def test_whatever_rest_tells_of_a_match_graphql_tells_alike(door: Door) -> None:
    """To each viewer, with clocks, while it runs and when it is over."""
    table = await clocked(door)
    for status in ("running", "over"):
        for token in (door.key, *table.tokens):
            for kind, (path, query) in TOLD.items():
                if kind == "SeatDecision" and token == door.key:
                    continue
                rest = (await door.get(table.path + path, token)).json()
                assert rest["status"] == status
                assert rest["clocks"] or status == "over"
                assert status == "running" or kind == "SeatDecision" or rest["result"]
                match = ref(table.match_id)
                told = await ask(door, query % selection(kind, rest), token, match=match)
                assert list(told.values()) == [as_graph(kind, rest)]
        await door.post(table.path + "/seats/0/resign", table.tokens[0])


async def test_whatever_rest_tells_of_a_deal_group_graphql_tells_alike(door: Door) -> None:
    group = await opened(door)
    query = "query($id: ID!) { dealGroup(group: {id: $id}) { %s } }"
    for token in (door.key, group.tables[0].tokens[0]):
        rest = (await door.get(group.path, token)).json()
        told = await ask(door, query % selection("DealGroup", rest), token, id=group.id)
        assert told["dealGroup"] == as_graph("DealGroup", rest)


class Twice:
    """The same wrong request at both doors: the code of each."""

    def __init__(self, door: Door, table: Table, other_key: str) -> None:
        self.door = door
        self.table = table
        self.other_key = other_key

    async def play(self, seat: int, decision: Any, move: Any, **more: str) -> tuple[str, str]:
        token = more.get("token", self.table.tokens[seat])
        return await self._play(token, decision, move)

    async def _play(self, token: str, decision: Any, move: Any) -> tuple[str, str]:
        body = {"decision": decision, "move": move}
        rest = await self.door.post(self.table.path + "/moves", token, json=body)
        given = {"match": ref(self.table.match_id), "decision": decision, "move": move}
        return _code(rest), await self._one(PLAY, token, **given)

    async def create(self, token: str = "", **given: Any) -> tuple[str, str]:
        token = token or self.door.key
        body = {"game": "high_card", "seats": 2, **given}
        rest = await self.door.post("/v1/matches", token, json=body)
        body["optionsJson"] = body.pop("options", {})
        query = _mutation("CreateMatchInput", "createMatch")
        return _code(rest), await self._one(query, token, input=body)

    async def seat(
        self, verb: str, seat: int, token: str = "", match_id: str = ""
    ) -> tuple[str, str]:
        token, match_id = token or self.door.key, match_id or self.table.match_id
        path = {"issueSeatToken": "tokens"}.get(verb, verb.removesuffix("Seat"))
        rest = await self.door.post(f"/v1/matches/{match_id}/seats/{seat}/{path}", token)
        kinds = {"claimSeat": "ClaimSeatInput", "resign": "ResignInput"}
        query = _mutation(kinds.get(verb, "SeatInput"), verb)
        given = {"match": ref(match_id), "seat": seat}
        return _code(rest), await self._one(query, token, input=given)

    async def entropy(self, match_id: str, token: str, **said: Any) -> tuple[str, str]:
        path = f"/v1/matches/{match_id}/entropy/0"
        rest = await self.door.http.put(path, json=said, headers=bearer(token))
        query = _mutation("ContributeEntropyInput", "contributeEntropy")
        given = {"match": ref(match_id), "seat": 0, **said}
        return _code(rest), await self._one(query, token, input=given)

    async def match(self, verb: str, token: str = "", match_id: str = "") -> tuple[str, str]:
        token, match_id = token or self.door.key, match_id or self.table.match_id
        rest = await self.door.post(f"/v1/matches/{match_id}/{verb}", token)
        query = _mutation("MatchInput", verb)
        return _code(rest), await self._one(query, token, input={"match": ref(match_id)})

    async def read(self, path: str, query: str, token: str = "") -> tuple[str, str]:
        token = token or self.door.key
        rest = await self.door.get(self.table.path + path, token)
        whole = f"query($match: MatchRef!) {{ {query} }}"
        return _code(rest), await self._one(whole, token, match=ref(self.table.match_id))

    async def _one(self, query: str, token: str, **variables: Any) -> str:
        found = await codes(self.door, query, token, **variables)
        assert len(found) == 1, found
        return found[0]


def _mutation(kind: str, name: str) -> str:
    return (
        f"mutation($input: {kind}!) {{ {name}(input: $input) "
        "{ __typename ... on Problem { code } } }"
    )


def _code(answer: httpx.Response) -> str:
    code: str = answer.json()["code"]
    return CODES[code].graphql


async def _unauthorized(two: Twice) -> tuple[str, str]:
    return await two.play(0, "1.0", {"type": "waive"}, token="st_nobody")


async def _other_seat(two: Twice) -> tuple[str, str]:
    return await two.play(1, "3.0", {"type": "waive"})


async def _answered(two: Twice) -> tuple[str, str]:
    await choosing(two.door, two.table)
    identity, move = await choice(two.door, two.table, 1)
    _, other = await choice(two.door, two.table, 1, place=1)
    body = {"decision": identity, "move": move}
    await two.door.post(two.table.path + "/moves", two.table.tokens[1], json=body)
    return await two.play(1, identity, other)


async def _illegal(two: Twice) -> tuple[str, str]:
    own = (await decision_of(two.door.http, two.table, 0))["decision"]
    return await two.play(0, own["id"], {"type": "waive"})


async def _resigned(two: Twice) -> tuple[str, str]:
    await two.door.post(two.table.path + "/seats/1/resign", two.table.tokens[1])
    return await two.seat("resign", 1, two.table.tokens[1])


async def _over(two: Twice) -> tuple[str, str]:
    await two.door.post(two.table.path + "/cancel")
    return await two.match("cancel")


async def _unclaimed(two: Twice) -> tuple[str, str]:
    body = {"game": "high_card", "seats": 2, "start": "manual"}
    made = (await two.door.post("/v1/matches", json=body)).json()["match_id"]
    return await two.match("start", match_id=made)


async def _contributing(two: Twice) -> tuple[str, str]:
    """A match of which the first seat has to put into its seed, and the seat's token."""
    body = {"game": "high_card", "seats": 2, "entropy": True}
    made = (await two.door.post("/v1/matches", json=body)).json()["match_id"]
    tokens = [
        (await two.door.post(f"/v1/matches/{made}/seats/{seat}/claim")).json()["token"]
        for seat in range(2)
    ]
    path = f"/v1/matches/{made}/entropy/1"
    await two.door.http.put(path, json={"commitment": None}, headers=bearer(tokens[1]))
    return made, tokens[0]


async def _no_entropy(two: Twice) -> tuple[str, str]:
    body = {"game": "high_card", "seats": 2, "start": "manual"}
    made = (await two.door.post("/v1/matches", json=body)).json()["match_id"]
    claimed = await two.door.post(f"/v1/matches/{made}/seats/0/claim")
    return await two.entropy(made, claimed.json()["token"], commitment=None)


async def _entropy_awaited(two: Twice) -> tuple[str, str]:
    return await two.entropy(*await _contributing(two), opening="00" * 32)


async def _committed(two: Twice) -> tuple[str, str]:
    made, token = await _contributing(two)
    path = f"/v1/matches/{made}/entropy/0"
    await two.door.http.put(path, json={"commitment": "00" * 32}, headers=bearer(token))
    return made, token


async def _entropy_closed(two: Twice) -> tuple[str, str]:
    return await two.entropy(*await _committed(two), commitment="11" * 32)


async def _opening_wrong(two: Twice) -> tuple[str, str]:
    return await two.entropy(*await _committed(two), opening="00" * 32)


async def _unsigned(two: Twice) -> tuple[str, str]:
    signed = {"version": 1, "head": "00" * 32, "nonce": "00" * 32, "signature": "A" * 86}
    path, token = two.table.path + "/seats/1/resign", two.table.tokens[1]
    rest = await two.door.post(path, token, json={"signed": signed})
    given = {"match": ref(two.table.match_id), "seat": 1, "signed": signed}
    query = _mutation("ResignInput", "resign")
    return _code(rest), (await codes(two.door, query, token, input=given))[0]


async def _free(two: Twice) -> tuple[str, str]:
    made = (await two.door.post("/v1/matches", json={"game": "high_card", "seats": 2})).json()
    return await two.seat("releaseSeat", 0, match_id=made["match_id"])


async def _taken(two: Twice) -> tuple[str, str]:
    made = (await two.door.post("/v1/matches", json={"game": "high_card", "seats": 2})).json()
    await two.door.post(f"/v1/matches/{made['match_id']}/seats/0/claim")
    return await two.seat("claimSeat", 0, match_id=made["match_id"])


async def _not_running(two: Twice) -> tuple[str, str]:
    made = (await two.door.post("/v1/matches", json={"game": "high_card", "seats": 2})).json()
    claimed = await two.door.post(f"/v1/matches/{made['match_id']}/seats/0/claim")
    return await two.seat("resign", 0, claimed.json()["token"], made["match_id"])


async def _unavailable(two: Twice) -> tuple[str, str]:
    async def away(*given: Any) -> None:
        raise DatabaseUnreachable("gone")

    two.door.app.parts.store.list_matches = away  # type: ignore[method-assign, assignment]
    rest = await two.door.get("/v1/matches")
    found = await codes(two.door, "{ matches(first: 1) { edges { cursor } } }")
    return _code(rest), found[0]


async def _internal(two: Twice) -> tuple[str, str]:
    async def broken(*given: Any) -> None:
        raise ValueError("the deck is A B C")

    two.door.app.parts.store.list_matches = broken  # type: ignore[method-assign, assignment]
    rest = await two.door.get("/v1/matches")
    query = "{ matches(first: 1) { edges { cursor } } }"
    got = await two.door.http.post("/graphql", json={"query": query}, headers=bearer(two.door.key))
    assert "deck" not in got.text
    return _code(rest), got.json()["errors"][0]["extensions"]["code"]


async def _body(two: Twice, content: bytes, media: str = "application/json") -> tuple[str, str]:
    """What is wrong with a body before anybody has looked at what it asks for."""
    headers = {"content-type": media, **bearer(two.door.key)}
    rest = await two.door.http.post("/v1/matches", content=content, headers=headers)
    own = await two.door.http.post("/graphql", content=content, headers=headers)
    told = own.json()
    found = told["errors"][0]["extensions"]["code"] if "errors" in told else _code(own)
    return _code(rest), found


async def _method(two: Twice) -> tuple[str, str]:
    rest = await two.door.http.put("/v1/matches", json={})
    return _code(rest), _code(await two.door.http.put("/graphql", json={}))


async def _accept(two: Twice) -> tuple[str, str]:
    headers = {"accept": "image/png", **bearer(two.door.key)}
    rest = await two.door.http.get("/v1/matches", headers=headers)
    return _code(rest), _code(await two.door.http.get("/graphql", headers=headers))


async def _reused(two: Twice) -> tuple[str, str]:
    headers = {"idempotency-key": "k"}
    found = []
    for seats in (2, 3):
        body = {"game": "high_card", "seats": seats}
        found.append(await two.door.post("/v1/matches", json=body, headers=headers))
        query, given = (
            _mutation("CreateMatchInput", "createMatch"),
            {**body, "idempotencyKey": "k"},
        )
        told = await codes(two.door, query, input=given)
    return _code(found[-1]), told[0]


async def _scope(two: Twice) -> tuple[str, str]:
    return await two.match("cancel", (await made(two.door, "observe"))["secret"])


async def _spectator(two: Twice) -> tuple[str, str]:
    rest = await two.door.delete(two.table.path + "/spectators/none")
    query = _mutation("RevokeSpectatorTokenInput", "revokeSpectatorToken")
    given = {"match": ref(two.table.match_id), "spectatorId": "none"}
    return _code(rest), await two._one(query, two.door.key, input=given)


async def _arbiter(two: Twice) -> tuple[str, str]:
    rest = await two.door.delete(two.table.path + "/arbiters/none")
    query = _mutation("RevokeArbiterTokenInput", "revokeArbiterToken")
    given = {"match": ref(two.table.match_id), "arbiterId": "none"}
    return _code(rest), await two._one(query, two.door.key, input=given)


async def _streams(two: Twice) -> tuple[str, str]:
    object.__setattr__(two.door.app.parts, "streams", Streams(1, most=0))
    headers = {"accept": "text/event-stream", **bearer(two.door.key)}
    rest = await two.door.http.get(two.table.path + "/events", headers=headers)
    asked = {"query": FOLLOW, "variables": {"match": ref(two.table.match_id)}}
    return _code(rest), _code(await two.door.http.post("/graphql", json=asked, headers=headers))


class Disputing:
    """Takebacks and disputes at both doors."""

    def __init__(self, two: Twice) -> None:
        self.two, self.door, self.table = two, two.door, two.table

    async def open(self, seat: int = 0) -> int:
        body = {"about": 1, "claim": "No"}
        made = await self.door.post(
            self.table.path + "/disputes", self.table.tokens[seat], json=body
        )
        return int(made.json()["id"])

    async def review(self, dispute: int, *, pause: bool = False) -> None:
        path = f"{self.table.path}/disputes/{dispute}/review"
        assert (await self.door.post(path, json={"pause": pause})).status_code == 200

    async def do(
        self, path: str, name: str, token: str, body: Json | None, **given: Any
    ) -> tuple[str, str]:
        rest = await self.door.post(self.table.path + path, token, json=body or {})
        plain = ("askTakeback", "offerDraw")
        kind = "MatchInput" if name in plain else f"{name[0].upper()}{name[1:]}Input"
        whole = {"match": ref(self.table.match_id), **given}
        return _code(rest), await self.two._one(_mutation(kind, name), token, input=whole)

    async def rule(self, dispute: int, ruling: Json) -> tuple[str, str]:
        body = {"ruling": ruling, "reason": "Because"}
        path = f"/disputes/{dispute}/rulings"
        return await self.do(path, "ruleDispute", self.door.key, body, dispute=dispute, **body)


WORDLESS = {"event": 1, "field": "claim"}


async def _under_review(two: Twice) -> tuple[str, str]:
    at = Disputing(two)
    await at.review(await at.open(), pause=True)
    return await two.seat("resign", 1, two.table.tokens[1])


async def _takeback_closed(two: Twice) -> tuple[str, str]:
    given = {"takeback": 9, "consents": True}
    token = two.table.tokens[0]
    return await Disputing(two).do("/takebacks/9/consent", "answerTakeback", token, None, **given)


async def _dispute_open(two: Twice) -> tuple[str, str]:
    at = Disputing(two)
    await at.open()
    body = {"about": 1, "claim": "Again"}
    return await at.do("/disputes", "openDispute", two.table.tokens[0], body, **body)


async def _dispute_stage(two: Twice) -> tuple[str, str]:
    at = Disputing(two)
    return await at.rule(await at.open(), {"type": "note"})


async def _ruling_impossible(two: Twice) -> tuple[str, str]:
    at = Disputing(two)
    dispute = await at.open()
    await at.review(dispute)
    return await at.rule(dispute, {"type": "rewind", "to": 1})


async def _revealed(two: Twice) -> tuple[str, str]:
    at = Disputing(two)
    dispute = await at.open()
    await two.door.post(two.table.path + "/seats/0/resign", two.table.tokens[0])
    await two.door.post(two.table.path + "/seats/1/resign", two.table.tokens[1])
    await at.review(dispute)
    return await at.rule(dispute, {"type": "rewind", "to": 6})


async def _party(two: Twice) -> tuple[str, str]:
    at = Disputing(two)
    dispute = await at.open()
    body = {"pause": False}
    path, token = f"/disputes/{dispute}/review", two.table.tokens[1]
    return await at.do(path, "reviewDispute", token, body, dispute=dispute, **body)


async def _paused(two: Twice) -> tuple[str, str]:
    at = Disputing(two)
    assert (await two.door.post(two.table.path + "/pause")).status_code == 200
    return await at.do("/pause", "pauseMatch", two.door.key, None)


CASES: dict[str, Callable[[Twice], Awaitable[tuple[str, str]]]] = {
    "unauthorized": _unauthorized,
    "seat-token-required": lambda two: two.read("/decision", "decision(match: $match) { seat }"),
    "api-key-required": lambda two: two.match("cancel", two.table.tokens[0]),
    "other-seat": _other_seat,
    "match-not-found": lambda two: two.match("cancel", two.other_key),
    "seat-not-found": lambda two: two.seat("issueSeatToken", 9),
    "game-not-found": lambda two: two.create(game="whist"),
    "decision-answered": _answered,
    "decision-closed": lambda two: two.play(0, "1.0", {"type": "waive"}),
    "move-not-offered": _illegal,
    "idempotency-key-required": lambda two: two.play(0, None, {"type": "speak", "text": "x"}),
    "idempotency-key-reused": _reused,
    "match-not-running": _not_running,
    "match-already-started": lambda two: two.match("start"),
    "match-over": _over,
    "seat-taken": _taken,
    "seat-free": _free,
    "seats-unclaimed": _unclaimed,
    "already-resigned": _resigned,
    "no-entropy": _no_entropy,
    "entropy-awaited": _entropy_awaited,
    "entropy-closed": _entropy_closed,
    "opening-wrong": _opening_wrong,
    "signature-wrong": _unsigned,
    "not-revealed": lambda two: two.read(
        "/events?perspective=full",
        "events(match: $match, first: 1, perspective: FULL) { version }",
    ),
    "invalid-request": lambda two: two.create(options={"rounds": 9}),
    "options-refused": lambda two: two.create(seats=9),
    "invalid-parameter": lambda two: two.read(
        "/events?after=x", 'events(match: $match, first: 1, after: "x") { version }'
    ),
    "version-not-found": lambda two: two.read(
        "/view?at=999", "view(match: $match, at: 999) { version }"
    ),
    "spectator-not-found": _spectator,
    "arbiter-not-found": _arbiter,
    "scope-missing": _scope,
    "too-many-streams": _streams,
    "malformed-json": lambda two: _body(two, b"{"),
    "unsupported-media-type": lambda two: _body(two, b"a=b", "application/x-www-form-urlencoded"),
    "body-too-large": lambda two: _body(two, b" " * 70_000),
    "method-not-allowed": _method,
    "not-acceptable": _accept,
    "match-under-review": _under_review,
    "match-paused": _paused,
    "match-not-paused": lambda two: Disputing(two).do("/resume", "resumeMatch", two.door.key, None),
    "no-clock": lambda two: Disputing(two).do(
        "/extend", "extendMatch", two.door.key, {"ms": 1}, ms=1
    ),
    "sandbox-only": lambda two: Disputing(two).do(
        "/end", "endTestMatch", two.door.key, {"terminal": "void"}, terminal="VOID"
    ),
    "no-agreed-draw": lambda two: Disputing(two).do(
        "/draws", "offerDraw", two.table.tokens[0], None
    ),
    "match-revealed": _revealed,
    "takeback-impossible": lambda two: Disputing(two).do(
        "/takebacks", "askTakeback", two.table.tokens[1], None
    ),
    "takeback-closed": _takeback_closed,
    "dispute-not-found": lambda two: Disputing(two).rule(999, {"type": "note"}),
    "text-not-found": lambda two: Disputing(two).do(
        "/erasures", "eraseTexts", two.door.key, WORDLESS, **WORDLESS
    ),
    "dispute-open": _dispute_open,
    "dispute-stage": _dispute_stage,
    "ruling-impossible": _ruling_impossible,
    "arbiter-is-party": _party,
    "unavailable": _unavailable,
    "internal": _internal,
}
# What both doors tell alike is held by the test of everything that is raised below them; no request
# that is wrong in this way can be made by hand at both of them.
BELOW = {
    "disputes-exhausted",  # by the match
    "flag-fell",  # in tests of clocks at either door
    "match-closed",  # in tests of schedules
    "seating-not-open",
    "start-not-due",
    "no-stand-in-due",
    "draw-closed",  # in tests of draws
    "deal-group-closed",  # in tests of deal groups at either door
    "deal-group-match-over",
    "deal-group-not-found",
    "batch-not-found",  # in tests of batches at either door
    "external-id-taken",
    "series-not-found",
    "series-over",
    "other-release",  # in tests of newer events
    "offer-gone",  # by play_move, of decisions that are open to all
    "request-running",  # by repeating
    "too-many-requests",  # by admitting
    "try-again",  # by the commands
}
# What REST alone has. Whoever administers an organisation does so by a few calls of a script or a
# page of its own, where a graph has nothing to add, and needs If-Match; see docs/clients.md.
REST_ALONE = {
    "connection-not-found",
    "delivery-not-found",
    "issuer-not-found",
    "key-not-found",
    "link-not-found",
    "nothing-to-report",
    "org-exists",
    "not-in-sandbox",
    "too-many-connections",
    "too-many-issuers",
    "too-many-links",
    "too-many-webhooks",
    "webhook-disabled",
    "webhook-not-found",
    "org-not-found",
    "position-not-found",  # of the feed; results have it at both doors
    "precondition-failed",
    "precondition-required",
    "not-found",  # an address
    "misdirected",  # a process without doors
    "problem-not-found",  # an address
    "proof-not-ready",  # of the log of all matches
}


@pytest.mark.parametrize("code", sorted(CASES))
async def test_an_error_has_the_same_code_at_both_doors(
    door: Door, table: Table, other_key: str, code: str
) -> None:
    wanted = CODES[code].graphql
    assert await CASES[code](Twice(door, table, other_key)) == (wanted, wanted)


@pytest.mark.parametrize("kind", sorted(ROWS, key=str))
async def test_whatever_is_raised_below_is_told_alike(
    door: Door, table: Table, monkeypatch: pytest.MonkeyPatch, kind: type[Exception]
) -> None:
    """Also where the document of REST knows no such answer to this request."""
    given: dict[Any, tuple[str, ...]] = {IllegalMove: ("x",), OptionsRefused: ("/seats", "x")}
    error = kind(*given.get(kind, ()))
    wanted = row_of(error).graphql

    async def refused(*given: Any) -> None:
        raise error

    monkeypatch.setattr(App, "__call__", _serve)
    monkeypatch.setattr(commands, "play_move", refused)
    assert await Twice(door, table, "").play(0, "1.0", {}) == (wanted, wanted)


def test_every_error_has_its_case() -> None:
    of_graphql = {code for code in CODES if code.startswith("graphql-")}
    assert not set(CASES) & (BELOW | REST_ALONE)
    assert set(CASES) | BELOW | REST_ALONE | of_graphql == set(CODES)
    assert row_of(DatabaseUnreachable()).code == "unavailable"
