"""Subscriptions as server-sent events, in the distinct connections mode of graphql-sse."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from service.app import App
from tests.service.client import Table, bearer, play_out
from tests.service.conftest import KEY, Door
from tests.service.driving import Reading
from tests.service.graphql.asking import ref
from tests.service.graphql.sockets import FOLLOW
from tests.service.positions import choosing
from tests.waiting import PATIENCE


class Posting(Reading):
    """A stream that is asked for by POST."""

    def __init__(self, body: bytes) -> None:
        super().__init__()
        self._body = body

    async def receive(self) -> Any:
        if not self._was_asked:
            self._was_asked = True
            return {"type": "http.request", "body": self._body, "more_body": False}
        return await super().receive()


@asynccontextmanager
async def stream(
    app: App, token: str, query: str, last: int | None = None, **variables: Any
) -> AsyncIterator[Posting]:
    reading = Posting(json.dumps({"query": query, "variables": variables}).encode())
    named = {**bearer(token), "accept": "text/event-stream", "content-type": "application/json"}
    if last is not None:
        named["last-event-id"] = str(last)
    scope = {
        "type": "http",
        "method": "POST",
        "path": "/graphql",
        "query_string": b"",
        "headers": [(k.lower().encode(), v.encode()) for k, v in named.items()],
    }
    task = asyncio.create_task(app(scope, reading.receive, reading.send))
    try:
        yield reading
    finally:
        reading.drop()
        await asyncio.wait_for(task, PATIENCE)


def items(text: bytes) -> list[tuple[int | None, Any]]:
    """The id and the data of each whole event."""
    found = []
    for part in text.decode().split("\n\n")[:-1]:
        fields = dict(line.split(": ", 1) for line in part.split("\n") if ": " in line)
        if fields.get("event") == "next":
            identity = int(fields["id"]) if "id" in fields else None
            found.append((identity, json.loads(fields["data"])))
    return found


async def test_a_whole_match_is_streamed_and_resumed_by_the_last_id(
    door: Door, table: Table
) -> None:
    await play_out(door.http, table, 3)
    rest = (await door.get(table.path + "/events", table.tokens[2])).json()["events"]
    async with stream(door.app, table.tokens[2], FOLLOW, match=ref(table.match_id)) as reading:
        whole = await reading.rest()
    assert whole.endswith(b"event: complete\ndata:\n\n")
    assert reading.headers["content-type"] == "text/event-stream"
    shown = [(i, told["data"]["matchEvents"]) for i, told in items(whole)]
    events = [(i, each["json"]) for i, each in shown if each["__typename"] == "Event"]
    assert events == [(each["version"], each) for each in rest]
    for last in (1, 5, len(rest) - 1):
        given = {"match": ref(table.match_id), "after": 0}
        async with stream(door.app, table.tokens[2], FOLLOW, last, **given) as reading:
            tail = items(await reading.rest())
        assert [i for i, told in tail if "json" in told["data"]["matchEvents"]] == list(
            range(last + 1, len(rest) + 1)
        )


async def test_a_query_is_one_event(door: Door) -> None:
    async with stream(door.app, KEY, "{ __typename }") as reading:
        assert items(await reading.rest()) == [(None, {"data": {"__typename": "Query"}})]


async def test_what_can_t_be_opened_is_told_and_ends(door: Door) -> None:
    async with stream(door.app, KEY, FOLLOW, match={"id": "x"}) as reading:
        ((_, told),) = items(await reading.rest())
    assert told["errors"][0]["extensions"]["code"] == "MATCH_NOT_FOUND"
    async with stream(door.app, KEY, "{") as reading:
        await reading.rest()
        assert reading.status == 400


async def test_a_revoked_token_ends_the_stream(door: Door, table: Table) -> None:
    async with stream(door.app, table.tokens[1], FOLLOW, match=ref(table.match_id)) as reading:
        await reading.until(b"CaughtUp")
        await door.delete(table.path + "/seats/1/tokens")
        await choosing(door, table)
        last = items(await reading.rest())
    assert [told["errors"][0]["extensions"]["code"] for _, told in last] == ["UNAUTHORIZED"]
