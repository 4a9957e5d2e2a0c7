"""Words and an account that were erased are searched in every byte there is: answers of every
address to everybody, files and rows of the database, and what processes hold in memory.
"""

import gc
import re
import sys
from collections.abc import AsyncIterator, Iterable
from pathlib import Path
from types import ModuleType
from typing import Any
from uuid import uuid4

import httpx
import msgspec
import pytest
from sqlalchemy import Connection, bindparam, insert, update

from events.results import Ending
from events.tables import TICKET
from events.verify_bundle import verify_bundle
from service.app import App, build
from service.callers import Caller, Kind, User
from service.graphql import documents
from service.platforms.links import Try
from service.platforms.tables import LINK
from service.platforms.told import Told
from service.rest import events as rest_events
from service.settings import Settings
from tests.events.bundled import members
from tests.service.client import Table, answer, bearer
from tests.service.conftest import KEY, Clock, Door
from tests.service.graphql.asking import ref
from tests.service.grouping import wanted
from tests.service.hooking import hooked
from tests.service.personal import CHOSEN, IMPERSONAL, PERSONAL, named, stored, with_words
from tests.service.platforms.results import result
from tests.service.positions import choosing

Json = dict[str, Any]

PAGE = (Path(__file__).parents[2] / "docs" / "operations.md").read_text("utf-8")
WAYS = ("talk", "aside", "literal", "claim", "appeal", "reason", "refused")


def planted(way: str) -> str:
    """Made up here alone, so that no list of the test's holds it as a whole."""
    return "-".join(("canary", way, "that", "was", "erased"))


ACCOUNT = "account"
PERSON = "person"  # whom a platform knows the account as
WORDS = "words"  # that a platform said
EVENTS = """query($match: MatchRef!) { events(match: $match, first: 50) {
  edges { node { json } } } }"""


@pytest.fixture(autouse=True)
def _every_answer_is_documented() -> None:
    """Not held to a document: GraphQL has its own."""


@pytest.fixture
async def doors(settings: Settings, clock: Clock) -> AsyncIterator[tuple[Door, ...]]:
    """One process on SQLite; on PostgreSQL two that know nothing of each other."""
    async with build(settings, clock=clock).running() as one:
        if settings.database_url.startswith("sqlite"):
            async with _client(one) as http:
                yield (Door(http, one, clock),)
            return
        async with (
            build(settings, clock=clock).running() as other,
            _client(one) as http,
            _client(other) as there,
        ):
            yield Door(http, one, clock), Door(there, other, clock)


def _client(app: App) -> httpx.AsyncClient:
    return httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://door")


async def done(waiting: Any) -> httpx.Response:
    got: httpx.Response = await waiting
    assert got.status_code in (200, 201), got.text
    return got


async def claimed(door: Door) -> Table:
    """Seat 0 stands for the account that is to be erased."""
    body = {"game": "high_card", "seats": 3, "accounts": [planted(ACCOUNT), "bob", None]}
    headers = {"Idempotency-Key": "create"}
    made = await done(door.post("/v1/matches", json=body, headers=headers))
    match_id, tokens = made.json()["match_id"], []
    for seat, account in enumerate((planted(ACCOUNT), "bob", "cyd")):
        path = f"/v1/matches/{match_id}/seats/{seat}/claim"
        tokens.append((await done(door.post(path, json={"account": account}))).json()["token"])
    return Table(match_id, tuple(tokens))


async def plant(door: Door, table: Table) -> None:
    """Every way in which words come in."""
    token, path = table.tokens[0], table.path
    for way in ("talk", "aside"):
        body = {"decision": None, "move": {"type": "speak", "text": planted(way)}}
        await done(door.post(path + "/moves", token, json=body, headers={"idempotency-key": way}))
    literal = (
        'mutation { playMove(input: {match: {id: "%s"}, idempotencyKey: "literal",'
        ' moveJson: {type: "speak", text: "%s"}}) { __typename } }'
    )
    query = literal % (ref(table.match_id)["id"], planted("literal"))
    said = await done(door.post("/graphql", token, json={"query": query}))
    assert said.json() == {"data": {"playMove": {"__typename": "PlayMovePayload"}}}
    wrong = {"type": "arrange", "cards": [planted("refused")]}
    assert (await answer(door.http, table, 0, "1.0", wrong)).status_code in (409, 422)
    claim = {"about": 1, "claim": planted("claim")}
    headers = {"idempotency-key": "claim"}
    made = await done(door.post(path + "/disputes", token, json=claim, headers=headers))
    own = made.headers["location"]
    await done(door.post(own + "/review", json={"pause": False}))
    ruling = {"ruling": {"type": "note"}, "reason": planted("reason")}
    await done(door.post(own + "/rulings", json=ruling))
    await done(door.post(own + "/appeal", token, json={"reason": planted("appeal")}))


async def named_elsewhere(door: Door, table: Table) -> list[str]:
    """Wherever else an organisation names an account; the addresses that tell of it."""
    seats = [{"external_id": planted(ACCOUNT)}, {"external_id": "bob"}]
    batch: Json = {"defaults": {"game": "high_card"}, "matches": [{"seats": seats}]}
    series: Json = {"entrants": seats, "games": 3, "match": {"game": "high_card"}}
    known = {planted(ACCOUNT): planted(PERSON), "bob": "b"}
    platform = {
        "platform": "startgg",
        "credentials": {"access_token": "token-1"},
        "participants": known,
        "enabled": False,
    }
    made = [
        (await done(door.post(path, json=body, headers={"Idempotency-Key": path}))).json()["id"]
        for path, body in (
            ("/v1/batches", batch),
            ("/v1/series", series),
            ("/v1/connections", platform),
        )
    ]
    connection = f"/v1/connections/{made[2]}"
    changed = {"participants": {**known, "cyd": "c"}}
    await done(door.http.patch(connection, json=changed, headers={**bearer(KEY), "If-Match": "*"}))
    link = f"{connection}/links/{table.match_id}"
    body = {"target": "1", "participants": [planted(PERSON), "b", "c"]}
    for _ in range(2):  # Made, and changed.
        await done(door.http.put(link, json=body, headers=bearer(KEY)))
    await door.app.parts.database.write(lambda c: told_before(c, table.match_id))
    await door.app.parts.database.write(lambda c: admitted(c, table.match_id))
    return [
        *("/v1/batches", "/v1/series", "/v1/connections", connection, connection + "/links"),
        *(f"/v1/batches/{made[0]}{each}" for each in ("", "/matches", "/standings")),
        *(f"/v1/series/{made[1]}", link),
    ]


def told_before(connection: Connection, match_id: str) -> None:
    """As if results had been told: `begun` and `log` of the links of the match."""
    begun = Told(match_id, "high_card", result(Ending.NORMAL, (1, 2, 3)), (planted(PERSON), "b"))
    tried = Try(1, 2, 1, 409, "rejected", f"{planted(PERSON)} is {planted(WORDS)}")
    own = update(LINK).where(LINK.c.match_id == bindparam("of"))
    values = {"sent": msgspec.json.encode([begun]), "tries": msgspec.json.encode([tried])}
    statement = own.values(begun=bindparam("sent"), log=bindparam("tries"))
    connection.execute(statement, {"of": match_id, **values})


def admitted(connection: Connection, match_id: str) -> None:
    """A ticket that is out for the account as a user."""
    user = User("issuer", 1, planted(ACCOUNT), 1)
    caller = Caller(org="main", hash=b"-", kind=Kind.USER, match_id=match_id, user=user)
    row = {"hash": b"-", "path": "/", "caller": msgspec.json.encode(caller), "expires_at": 1 << 50}
    connection.execute(insert(TICKET), [row])


async def everything(
    door: Door, table: Table, group: str, others: Iterable[str]
) -> dict[str, bytes]:
    """What every address says to everybody who may ask."""
    found = {}
    path, hooks = table.path, (await door.get("/v1/webhooks")).json()["webhooks"]
    dispute = (await door.get(path + "/disputes")).json()["disputes"][0]["id"]
    asked = [
        path,
        *(path + each for each in ("/events", "/events?proof=true", "/events?perspective=full")),
        *(path + each for each in ("/view", "/decision", "/replay", "/seats", "/refusals")),
        *(path + each for each in ("/disputes", f"/disputes/{dispute}", "/takebacks", "/proof")),
        *(f"{path}/bundle?perspective={each}" for each in ("full", "public", "seat:0", "seat:1")),
        *("/v1/matches", "/v1/feed", "/v1/deal-groups", "/v1/keys", "/v1/me", "/metrics"),
        *(f"/v1/webhooks/{each['id']}/deliveries" for each in hooks),
        f"/v1/deal-groups/{group}",
        f"/v1/deal-groups/{group}/standings",
        *others,
    ]
    for token in (KEY, *table.tokens):
        for each in asked:
            found[f"{each} {token}"] = await _said(await door.get(each, token))
        for media in ("text/event-stream", "application/x-ndjson"):
            headers = {"accept": media}
            got = await door.get(path + "/events", token, headers=headers)
            found[f"{media} {token}"] = got.content
        body = {"query": EVENTS, "variables": {"match": ref(table.match_id)}}
        got = await door.post("/graphql", token, json=body)
        assert "errors" not in got.json(), got.text
        found[f"graphql {token}"] = got.content
    return found


async def _said(got: httpx.Response) -> bytes:
    if got.headers.get("content-type") == "application/zip":
        assert verify_bundle(got.content).is_sound
        return b"".join(members(got.content).values())
    return got.content


def remembered(*roots: object) -> bytes:
    """Every text and every bytes that can be reached from there, modules left out."""
    seen = {id(vars(each)) for each in list(sys.modules.values()) if isinstance(each, ModuleType)}
    left, found = list(roots), []
    while left:
        one = left.pop()
        if id(one) in seen or isinstance(one, ModuleType | type):
            continue
        seen.add(id(one))
        if isinstance(one, str):
            found.append(one.encode(errors="replace"))
        elif isinstance(one, bytes | bytearray):
            found.append(bytes(one))
        else:
            left += gc.get_referents(one)
    return b"\n".join(found)


def files_of(url: str) -> bytes:
    """The file of SQLite and what lies beside it."""
    path = Path(url.removeprefix("sqlite:///"))
    return b"\n".join(each.read_bytes() for each in sorted(path.parent.glob(path.name + "*")))


def told_in(columns: Iterable[tuple[str, str]], names: Iterable[str], data: Any) -> Any:
    """Of columns, those that hold any of the names."""
    return {column for column in columns if holding(names, data[column])}


def holding(names: Iterable[str], data: bytes) -> set[str]:
    return {name for name in names if planted(name).encode() in data}


async def test_nothing_is_left_of_what_was_erased(
    doors: tuple[Door, ...], settings: Settings, tmp_path: Path
) -> None:
    door, url = doors[0], settings.database_url
    names = {*WAYS, ACCOUNT, PERSON, WORDS}
    await hooked(door, "https://play.example.org/hooks")
    table = await claimed(door)
    body = wanted(door, [planted(ACCOUNT)], ["bob"])
    headers = {"Idempotency-Key": uuid4().hex}
    group = (await done(door.post("/v1/deal-groups", json=body, headers=headers))).json()["id"]
    await plant(door, table)
    await choosing(door, table)
    for seat in (0, 1):
        await done(door.post(f"{table.path}/seats/{seat}/resign", table.tokens[seat]))
    others = await named_elsewhere(door, table)
    await door.app.parts.feeding.catch_up()

    told = [await everything(each, table, group, others) for each in doors]
    assert holding(names, b"".join(told[0].values())) == names
    rows = await door.app.parts.database.read(stored)
    assert told_in(rows, names, rows) == named(PERSONAL)

    body = {"account": planted(ACCOUNT), "reason": "asked for"}
    erased = (await done(door.post("/v1/erasures", json=body))).json()
    assert (erased["failed"], erased["more"]) == ([], False)
    ruled = (await door.get(table.path + "/disputes")).json()["disputes"][0]["ruled_at"]
    body = {"event": ruled, "field": "reason"}
    await done(door.post(table.path + "/erasures", json=body))

    for each in doors:
        for place, said in (await everything(each, table, group, others)).items():
            assert not holding(names, said), place
        kept = remembered(
            each.app, rest_events._kept_event, rest_events._kept_line, documents, each.app.parts
        )
        assert table.match_id.encode() in kept
        assert not holding(names, kept)
    rows = await door.app.parts.database.read(stored)
    assert told_in(rows, names, rows) == set()
    if url.startswith("sqlite"):
        assert not holding(names, files_of(url))
    again = {"decision": None, "move": {"type": "speak", "text": "another"}}
    headers = {**bearer(table.tokens[0]), "idempotency-key": "talk"}
    got = await door.http.post(table.path + "/moves", json=again, headers=headers)
    assert not holding(names, got.content)


def test_every_column_that_may_hold_words_is_one_that_is_of_persons_or_not() -> None:
    kinds = [named(each) for each in (PERSONAL, CHOSEN, IMPERSONAL)]
    assert set().union(*kinds) == with_words()
    assert sum(map(len, kinds)) == len(with_words())


def test_the_manual_says_where_all_of_it_lies() -> None:
    lines = [line.split("|") for line in PAGE.splitlines() if line.startswith("| `")]
    said = [(_words(line[1]), _words(line[2])) for line in lines if len(line) == 4]
    for table, column in sorted(named(PERSONAL)):
        assert any(table in tables and column in columns for tables, columns in said), (
            table,
            column,
        )


def _words(cell: str) -> set[str]:
    return set(re.findall(r"`(\w+)`", cell))
