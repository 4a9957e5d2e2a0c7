"""Refusals say what is wrong in words that help, at both doors."""

import ast
import gzip
import json
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import service
from games.core.moves import IllegalMove, Offer, Text, take
from games.core.text import is_blank
from service.errors import Malformed
from service.repeated import refuse_repeated
from tests.games.high_card.game import Speak
from tests.service.client import Table
from tests.service.conftest import Door
from tests.service.test_disputes import opened, reviewed, ruled

JSON = {"Content-Type": "application/json"}
INVISIBLE = (
    " ",
    "\u200b",
    "\u2060\ufeff",
    "\u00ad",
    "\u3164",
    "\u2800",
    "\ufe0f",
    "\u0301",
    "\u202e\t",
)


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    """Nothing of this depends on the database."""
    return sqlite_url


async def fault(waiting: Any) -> tuple[int, str, str, str]:
    """Status, code, and the first fault's pointer and detail."""
    answer = await waiting
    told = answer.json()
    first = told.get("errors", [{"pointer": "", "detail": ""}])[0]
    return answer.status_code, told["code"], first["pointer"], first["detail"]


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "identity, gzip"])
async def test_a_compressed_body_is_refused_as_such(door: Door, coding: str) -> None:
    body = gzip.compress(b'{"game":"high_card","seats":2}')
    headers = {**JSON, "Content-Encoding": coding}
    found = await fault(door.post("/v1/matches", content=body, headers=headers))
    assert found[:3] == (415, "unsupported-media-type", "Content-Encoding")
    whole = {**JSON, "Content-Encoding": "identity"}
    made = await door.post("/v1/matches", content=gzip.decompress(body), headers=whole)
    assert made.status_code == 201


async def test_a_stage_says_which_and_what_leads_there(door: Door) -> None:
    table = await door.table(seats=2, reveal_after_seconds=60)
    await door.post(table.path + "/seats/0/resign", table.tokens[0])
    path = await opened(door, table)
    code, note = "dispute-stage", {"type": "note"}
    reason = "is open, and has to be under_review: first take it under review"
    assert await fault(ruled(door, path, note)) == (409, code, "dispute", reason)
    reason = "is open, and has to be ruled: first rule on it"
    assert await fault(door.post(path + "/close")) == (409, code, "dispute", reason)
    reason = "a match that is over is reviewed with `pause` false"
    found = await fault(door.post(path + "/review", json={"pause": True}))
    assert found == (409, "match-not-running", "/pause", reason)
    assert (await door.post(path + "/review")).status_code == 200
    other = await opened(door, table, 1)
    reason = f"dispute {path.rpartition('/')[2]} is under review: first rule on it"
    assert await fault(door.post(other + "/review")) == (409, code, "dispute", reason)
    assert (await ruled(door, path, {"type": "replay"})).status_code == 200


async def test_a_ruling_that_is_impossible_says_by_what(door: Door, table: Table) -> None:
    path = await reviewed(door, table)
    for ruling, pointer in (
        ({"type": "rewind", "boundary": "round 99"}, "/ruling/boundary"),
        ({"type": "rewind", "to": 9999}, "/ruling/to"),
        ({"type": "rewind", "to": 1}, "/ruling/to"),
        ({"type": "redraw", "label": "no such draw"}, "/ruling/label"),
        ({"type": "set_result", "ranks": [1, 2]}, "/ruling/ranks"),
        ({"type": "set_result", "ranks": [1, 2, 4]}, "/ruling/ranks"),
        ({"type": "set_result", "ranks": [1, 2, 3], "scores": [1]}, "/ruling/scores"),
    ):
        found = await fault(ruled(door, path, ruling))
        assert found[:3] == (409, "ruling-impossible", pointer), ruling


async def test_what_can_be_accepted_is_named(door: Door, table: Table) -> None:
    headers = {"Accept": "text/html"}
    for path, media in (("/events", "text/event-stream"), ("/view", "application/json")):
        status, code, pointer, detail = await fault(door.get(table.path + path, headers=headers))
        assert (status, code, pointer) == (406, "not-acceptable", "Accept")
        assert media in detail


async def test_numbers_out_of_range_are_called_so(door: Door, table: Table) -> None:
    for number in ("-1", "0", "9" * 30):
        status, _, pointer, detail = await fault(door.get(f"{table.path}/view?at={number}"))
        assert (status, pointer) == (400, "at")
        assert detail.startswith("has to lie between 1 and")
    for text in ("1.5", "x", "--1", "", "-"):
        found = await fault(door.get(f"{table.path}/view?at={text}"))
        assert found[-1] == "is not a whole number"
    mixed = await fault(door.get("/v1/log/consistency?first=5&second=2"))
    assert mixed == (400, "invalid-parameter", "first", "has to be at most `second`")


def test_no_detail_begins_with_what_it_is_about() -> None:
    """The two are told one behind the other."""
    for path in Path(service.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            match node:
                case ast.Call(func=ast.Name(id="Fault"), args=[ast.Constant(about), _, last]):
                    parts = last.values[:1] if isinstance(last, ast.JoinedStr) else [last]
                    words = [str(p.value) for p in parts if isinstance(p, ast.Constant)]
                    assert not any(about and w.split(" ")[0] == about for w in words), path


@pytest.mark.parametrize("text", INVISIBLE)
def test_a_remark_that_nobody_would_see_is_blank(text: str) -> None:
    assert is_blank(text)
    with pytest.raises(IllegalMove):
        take([Offer(Speak, {"text": Text(80)})], {"type": "speak", "text": text})
    for said in (f"{text}a", f"{text}\u00e9", f"{text}\U0001f600", f"{text}!"):
        assert not is_blank(said)


@pytest.mark.parametrize("text", INVISIBLE)
async def test_a_claim_or_a_reason_that_nobody_would_see_is_refused(
    door: Door, table: Table, text: str
) -> None:
    body = {"about": 1, "claim": text}
    refused = await door.post(table.path + "/disputes", table.tokens[0], json=body)
    assert (refused.status_code, refused.json()["code"]) == (422, "invalid-request")
    assert "blank" in refused.text


REPEATED = (
    b'{"a":1,"a":2}',
    b'{"a":{"b":1 , "b" :2}}',
    b'[{"a":1},{"c":[{"b":1,"b":1}]}]',
    b'{"a":1,"\\u0061":2}',
    b'{"x":"\\"","a":1,"a":99999999999999999999999}',
    b'{" : ":" : "," : ":0}',
    b'{"a":1,"a":2,"b":"\\u003a"}',
    b'{"a":{"b":":"},"a":"\\u003A\\u003A"}',
)
SINGLE = (
    b"{}",
    b'[{"a":1},{"a":2}]',
    b'{"a":{"a":1}}',
    b'{"x":"\\"a\\":1,\\"a\\":2"}',
    b'{"x":["a",":","a",": a"],"a":1}',
    b'{"a\\"":1,"a":2}',
    b'{"a:":"\\u003A\\u003a","\\u003a":"::"}',
    b'{"a":"' + b"x" * 50_000 + b'"}',
    b'{"a":"' + b"\\n" * 50_000 + b'","b":[' + b'"c",' * 20_000 + b'"d"]}',
)


@pytest.mark.parametrize("data", REPEATED)
def test_a_member_that_is_given_twice_is_found(data: bytes) -> None:
    with pytest.raises(Malformed):
        refuse_repeated(data)


@pytest.mark.parametrize("data", SINGLE, ids=range(len(SINGLE)))
def test_members_of_different_objects_are_no_repetition(data: bytes) -> None:
    refuse_repeated(data)


Written = tuple[str, bool]  # JSON, and whether an object in it has a member twice


def _list(values: list[Written]) -> Written:
    return f"[{','.join(text for text, _ in values)}]", any(twice for _, twice in values)


def _object(members: list[tuple[str, Written]]) -> Written:
    names = [json.loads(name) for name, _ in members]
    text = ", ".join(f"{name} :{value}" for name, (value, _) in members)
    is_twice = len(set(names)) < len(names) or any(twice for _, (_, twice) in members)
    return f"{{{text}}}", is_twice


PIECES = ("a", ":", " : ", ",", "{", "\\u003a", "\\u003A", "\\u0061", '\\"', "\\\\", "\u00fc")
STRINGS = st.lists(st.sampled_from(PIECES), max_size=3).map(lambda found: f'"{"".join(found)}"')
VALUES: st.SearchStrategy[Written] = st.recursive(
    st.one_of(STRINGS, st.sampled_from(("1", "-0.5e3", "null"))).map(lambda text: (text, False)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(_list),
        st.lists(st.tuples(STRINGS, inner), max_size=3).map(_object),
    ),
)


@given(VALUES)
def test_all_that_is_given_twice_is_found_and_nothing_else(written: Written) -> None:
    text, is_twice = written
    with pytest.raises(Malformed) if is_twice else nullcontext():
        refuse_repeated(text.encode())


async def test_a_body_with_a_member_twice_is_refused(door: Door, table: Table) -> None:
    move = b'{"decision":"1.0","move":{"type":"waive"},"decision":"6.0"}'
    path = table.path + "/moves"
    found = await fault(door.post(path, table.tokens[0], content=move, headers=JSON))
    assert found == (400, "malformed-json", "decision", "is given more than once")
