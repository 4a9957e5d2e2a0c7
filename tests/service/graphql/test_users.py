"""The token of a user, tried at the match that an argument, the address or the socket names."""

from itertools import product
from typing import Any

import msgspec
import pytest

from service.graphql import sockets
from service.graphql.ids import BATCH, MATCH, node_id
from service.graphql.sockets import BAD_REQUEST, FORBIDDEN, TOO_MANY_REQUESTS, UNAUTHORIZED
from service.settings import Settings
from tests.service.client import bearer
from tests.service.conftest import Door
from tests.service.graphql.asking import ask, post, ref
from tests.service.graphql.sockets import FOLLOW, Wire, socket
from tests.service.graphql.test_identities import CLAIM, ME, VIEW
from tests.service.graphql.test_ids import NOBODYS
from tests.service.signing import signed
from tests.service.test_users import claims, issuer, listed

SEAT = "{ me { seat account } }"


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return msgspec.structs.replace(settings, tick_seconds=0.05)


@pytest.fixture
async def seated(door: Door) -> tuple[str, str]:
    """A match at which ada has seat 1, and ada's token."""
    await issuer(door)
    match_id = (await listed(door, "bob", "ada")).rpartition("/")[2]
    ada = signed(claims(door))
    await ask(door, CLAIM, ada, match=ref(match_id), seat=1)
    await ask(door, CLAIM, match=ref(match_id), seat=0)
    return match_id, ada


def init(wire: Wire, token: str | None, **more: Any) -> None:
    given = {} if token is None else {"authorization": f"Bearer {token}"}
    wire.tell(type="connection_init", payload={**given, **more})


async def code_of(wire: Wire) -> str:
    """Of the one error of the next answer, which ends its operation."""
    told = await wire.next()
    errors = told["payload"] if told["type"] == "error" else told["payload"]["errors"]
    if told["type"] == "next":
        assert (await wire.next())["type"] == "complete"
    (error,) = errors
    code: str = error["extensions"]["code"]
    return code


def spellings(match_id: str) -> tuple[str, str]:
    return match_id, node_id(MATCH, match_id)


async def test_an_argument_names_the_match_by_either_id(
    door: Door, seated: tuple[str, str]
) -> None:
    match_id, ada = seated
    for given in spellings(match_id):
        assert await ask(door, VIEW, ada, match={"id": given}) == {"view": {"viewer": 1}}


async def test_the_address_of_a_request_names_the_match_by_either_id(
    door: Door, seated: tuple[str, str]
) -> None:
    match_id, ada = seated
    for given in spellings(match_id):
        got = await door.http.post(
            f"/graphql?match={given}&seat=1", json={"query": SEAT}, headers=bearer(ada)
        )
        assert got.json()["data"]["me"] == {"seat": 1, "account": "ada"}
    for given in (node_id(BATCH, match_id), NOBODYS, node_id(MATCH, NOBODYS), "x", ""):
        got = await door.http.post(
            f"/graphql?match={given}", json={"query": SEAT}, headers=bearer(ada)
        )
        assert got.json()["errors"][0]["extensions"]["code"] == "UNAUTHORIZED"


async def test_a_socket_is_told_the_match(door: Door, seated: tuple[str, str]) -> None:
    """In its address or in its first message, by either id, with the token in either place."""
    match_id, ada = seated
    for given, is_in_address, is_by_header in product(spellings(match_id), *[(False, True)] * 2):
        query = f"match={given}&seat=1" if is_in_address else ""
        said = {} if is_in_address else {"match": given, "seat": 1}
        async with socket(
            door.app, None, query=query, header=ada if is_by_header else None
        ) as wire:
            init(wire, None if is_by_header else ada, **said)
            assert (await wire.next())["type"] == "connection_ack"
            wire.subscribe(SEAT)
            assert await wire.data() == {"seat": 1, "account": "ada"}


async def test_the_first_message_goes_before_the_address(
    door: Door, seated: tuple[str, str]
) -> None:
    match_id, ada = seated
    async with socket(door.app, None, query=f"match={NOBODYS}&seat=0", header=door.key) as wire:
        init(wire, ada, match=match_id, seat=1)
        assert (await wire.next())["type"] == "connection_ack"
        wire.subscribe(SEAT)
        assert await wire.data() == {"seat": 1, "account": "ada"}


NONE: list[tuple[str, dict[str, Any], tuple[int, str]]] = [
    ("seat=x", {}, BAD_REQUEST),
    ("seat=1000", {}, BAD_REQUEST),
    ("seat=0&seat=1", {}, BAD_REQUEST),
    ("match=a&match=b", {}, BAD_REQUEST),
    ("match=%ff", {}, BAD_REQUEST),
    ("", {"seat": "1"}, BAD_REQUEST),
    ("", {"seat": True}, BAD_REQUEST),
    ("", {"seat": -1}, BAD_REQUEST),
    ("match=x", {}, UNAUTHORIZED),
    (f"match={NOBODYS}", {}, UNAUTHORIZED),
    ("", {"match": NOBODYS}, UNAUTHORIZED),
    ("", {"match": 1}, UNAUTHORIZED),
    ("", {"match": node_id(BATCH, NOBODYS)}, UNAUTHORIZED),
]


async def test_what_is_no_match_or_no_seat_closes_a_socket(door: Door) -> None:
    await issuer(door)
    for query, said, code in NONE:
        async with socket(door.app, None, query=query) as wire:
            init(wire, signed(claims(door)), **said)
            assert await wire.closed() == code[0], (query, said)


async def test_an_operation_names_the_match_on_a_socket_that_does_not(
    door: Door, seated: tuple[str, str]
) -> None:
    """Each of its operations does; what names none, or one of others, tells nothing."""
    match_id, ada = seated
    foreign = (await listed(door, "bob", "eve")).rpartition("/")[2]
    asked: list[tuple[str, dict[str, Any]]] = [
        (ME, {}),
        ("subscription { decisions { version } }", {}),
        (VIEW, {"match": {"id": foreign}}),
        (VIEW, {"match": {"id": NOBODYS}}),
        (FOLLOW, {"match": {"id": foreign}}),
    ]
    async with socket(door.app, None) as wire:
        init(wire, ada)
        assert (await wire.next())["type"] == "connection_ack"
        for query, given in asked:
            wire.subscribe(query, **given)
            assert await code_of(wire) == "UNAUTHORIZED"
        for given_id in spellings(match_id):
            wire.subscribe(VIEW, match={"id": given_id})
            assert await wire.data() == {"viewer": 1}
            assert (await wire.next())["type"] == "complete"
        wire.subscribe(FOLLOW, match={"id": match_id})
        assert (await wire.data())["version"] == 1
        door.clock.now += 300_000
        assert await wire.closed() == FORBIDDEN[0]


async def test_a_socket_that_lets_nobody_in_is_not_kept(
    door: Door, seated: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    match_id, ada = seated
    monkeypatch.setattr(sockets, "INIT_SECONDS", 0.5)
    async with socket(door.app, None) as known, socket(door.app, None) as wire:
        init(known, ada)
        known.subscribe(VIEW, match=ref(match_id))
        assert (await known.next())["type"] == "connection_ack"
        assert await known.data() == {"viewer": 1}
        assert (await known.next())["type"] == "complete"
        init(wire, "a.b.c")
        assert (await wire.next())["type"] == "connection_ack"
        wire.subscribe(VIEW, match=ref(match_id))
        assert await code_of(wire) == "UNAUTHORIZED"
        assert await wire.closed() == UNAUTHORIZED[0]
        known.subscribe(VIEW, match=ref(match_id))
        assert await known.data() == {"viewer": 1}


async def test_a_limit_holds_on_a_socket_whose_operations_name_the_match(
    door: Door, seated: tuple[str, str]
) -> None:
    """Those that were under way before anybody was let in are counted as well."""
    match_id, ada = seated
    narrow = msgspec.structs.replace(door.app.parts.settings, requests_per_minute=60)
    object.__setattr__(door.app.parts, "settings", narrow)
    async with socket(door.app, None) as wire:
        init(wire, ada)
        assert (await wire.next())["type"] == "connection_ack"
        for number in range(10):
            wire.subscribe(VIEW, str(number), match=ref(match_id))
        ended = 0
        while ended < 10:
            told = await wire.next()
            assert told["type"] != "error"
            ended += told["type"] == "complete"
        wire.subscribe(VIEW, match=ref(match_id))
        await wire.data()
    left = (await post(door, VIEW, ada, match=ref(match_id))).headers["ratelimit"]
    assert int(left.split(";r=")[1].split(";")[0]) <= 60 - 13
    object.__setattr__(
        door.app.parts, "settings", msgspec.structs.replace(narrow, requests_per_minute=1)
    )
    await post(door, VIEW, ada, match=ref(match_id))
    for query in (VIEW, FOLLOW):
        async with socket(door.app, None) as wire:
            init(wire, ada)
            assert (await wire.next())["type"] == "connection_ack"
            wire.subscribe(query, match=ref(match_id))
            assert await wire.closed() == TOO_MANY_REQUESTS[0]
