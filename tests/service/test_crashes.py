"""A server killed at the worst moments: nothing acknowledged is lost, nothing is dealt again."""

import asyncio
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import urlsplit

import httpx
import msgspec
import pytest

from tests.service.client import (
    Table,
    answer,
    bearer,
    decision_of,
    open_table,
    play_out,
    random_move,
)
from tests.service.process import Server, server
from tests.waiting import PATIENCE

COMMITS_BEFORE_PLAY = 4  # the match and three claims, the last of which starts it


async def events_of(http: httpx.AsyncClient, table: Table, token: str) -> list[Any]:
    params = {"limit": 500}
    got = await http.get(table.path + "/events", params=params, headers=bearer(token))
    events: list[Any] = got.json()["events"]
    return events


async def everything(http: httpx.AsyncClient, table: Table, key: str) -> list[list[Any]]:
    return [await events_of(http, table, token) for token in (key, *table.tokens)]


@pytest.mark.parametrize(
    ("database_url", "point", "is_stored"),
    [
        ("sqlite", "before_commit", False),
        ("sqlite", "after_commit", True),
        ("sqlite", "after_hint", True),
        ("postgresql", "before_commit", False),
        ("postgresql", "after_commit", True),
    ],
    indirect=["database_url"],
)
async def test_killed_at_a_named_point(
    database_url: str, tmp_path: Path, point: str, is_stored: bool
) -> None:
    at = f"{point}:{COMMITS_BEFORE_PLAY + 1}"
    with server(database_url, tmp_path, TEST="1", TEST_CRASH_AT=at) as first:
        async with first.client() as http:
            table = await open_table(http, first.key, "high_card", 3)
            before = await everything(http, table, first.key)
            own = (await decision_of(http, table, 0))["decision"]
            move = random_move(own["offers"], Random(1))
            with pytest.raises(httpx.TransportError):
                await answer(http, table, 0, own["id"], move)
        await first.has_died()
    with server(database_url, tmp_path) as second:
        async with second.client() as http:
            after = await everything(http, table, second.key)
            assert [each[: len(before[0])] for each in after] == before
            assert len(after[0]) - len(before[0]) == is_stored
            done = await answer(http, table, 0, own["id"], move)
            assert done.status_code == 200
            assert ("plyscribe-replayed" in done.headers) == is_stored
            shown = await play_out(http, table, 1)
            assert shown["status"] == "over"


async def test_killed_between_two_sealed_answers(database_url: str, tmp_path: Path) -> None:
    with server(database_url, tmp_path) as first:
        async with first.client() as http:
            table = await open_table(http, first.key, "high_card", 3)
            own = (await decision_of(http, table, 0))["decision"]
            await answer(http, table, 0, own["id"], random_move(own["offers"], Random(1)))
            choices = {seat: await choice(http, table, seat) for seat in range(3)}
            sealed = await answer(http, table, 1, *choices[1])
            assert sealed.status_code == 200
            before = await everything(http, table, first.key)
        first.kill()
    with server(database_url, tmp_path) as second:
        async with second.client() as http:
            assert await everything(http, table, second.key) == before
            for seat in (0, 2):
                assert await choice(http, table, seat) == choices[seat]
            hidden = (await events_of(http, table, table.tokens[0]))[-1]
            assert hidden["move"] == {"type": "choose", "card": None}
            again = await answer(http, table, 1, *choices[1])
            assert again.content == sealed.content
            for seat in (0, 2):
                assert (await answer(http, table, seat, *choices[seat])).status_code == 200
            shown = (await events_of(http, table, table.tokens[0]))[-1]
            opened = {each["seat"]: each["move"] for each in shown["reveals"]}
            assert opened == {seat: choices[seat][1] for seat in (0, 1)}


async def choice(http: httpx.AsyncClient, table: Table, seat: int) -> tuple[str, Any]:
    own = (await decision_of(http, table, seat))["decision"]
    card = own["offers"][0]["fields"]["card"]["options"][0]
    return own["id"], {"type": "choose", "card": card}


async def test_a_reply_that_is_cut_is_replayed(database_url: str, tmp_path: Path) -> None:
    with server(database_url, tmp_path) as running:
        async with running.client() as http:
            table = await open_table(http, running.key, "high_card", 3)
            own = (await decision_of(http, table, 0))["decision"]
            move = random_move(own["offers"], Random(1))
            version = (await decision_of(http, table, 0))["version"]
            await send_and_hang_up(running, table, own["id"], move)
            params = {"after": version, "wait": 10}
            await http.get(table.path + "/events", params=params, headers=bearer(running.key))
            done = await answer(http, table, 0, own["id"], move)
            assert done.status_code == 200
            assert done.headers["plyscribe-replayed"] == "true"
            assert done.json()["first"] == version + 1


async def send_and_hang_up(running: Server, table: Table, decision: str, move: Any) -> None:
    """A whole request whose answer nobody reads."""
    at = urlsplit(running.address)
    body = msgspec.json.encode({"decision": decision, "move": move})
    head = (
        f"POST {table.path}/moves HTTP/1.1\r\nHost: {at.netloc}\r\n"
        f"Authorization: Bearer {table.tokens[0]}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    _, writer = await asyncio.open_connection(at.hostname, at.port)
    writer.write(head.encode() + body)
    await writer.drain()
    writer.transport.abort()


async def test_a_stopping_server_ends_its_streams_and_others_go_on(
    database_url: str, tmp_path: Path
) -> None:
    async with asyncio.timeout(4 * PATIENCE):  # All of it, with two starts.
        with server(database_url, tmp_path) as first:
            async with first.client() as http:
                table = await open_table(http, first.key, "high_card", 3)
                headers = {**bearer(table.tokens[0]), "Accept": "text/event-stream"}
                seen = b""
                async with http.stream("GET", table.path + "/events", headers=headers) as stream:
                    parts = stream.aiter_bytes()
                    while b"chance_drawn" not in seen:
                        seen += await anext(parts)
                    code = asyncio.create_task(asyncio.to_thread(first.stop))
                    async for part in parts:
                        seen += part
            assert await code == 0
        last = int(seen.rpartition(b"id: ")[2].partition(b"\n")[0])
        with server(database_url, tmp_path) as second:
            async with second.client() as http:
                headers["Last-Event-ID"] = str(last)
                playing = asyncio.create_task(play_out(http, table, 2))
                async with http.stream("GET", table.path + "/events", headers=headers) as stream:
                    rest = b"".join([part async for part in stream.aiter_bytes()])
                await playing
                del headers["Last-Event-ID"]
                whole = await http.get(table.path + "/events", headers=headers)
    pieces = [each for each in (seen + rest).split(b"\n\n") if each.startswith(b"id")]
    assert pieces == [each for each in whole.content.split(b"\n\n") if each.startswith(b"id")]
