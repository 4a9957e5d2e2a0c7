"""A stream that is cut anywhere and taken up again gives what an undisturbed one gives."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

import msgspec
import pytest

from tests.service.client import Table, play_out
from tests.service.conftest import Door
from tests.service.driving import reading

Events = list[tuple[int, bytes]]  # version, the event as it was sent


@dataclass(frozen=True)
class Form:
    """How a client reads a form of stream: whole frames alone, whatever was cut off after them."""

    accept: str
    whole: Callable[[bytes], Events]


def blocks(sent: bytes) -> Events:
    """The whole blocks of server-sent events, as a browser takes them."""
    found = []
    for block in sent.split(b"\n\n")[:-1]:
        fields = dict(line.split(b": ", 1) for line in block.split(b"\n") if line[:1] != b":")
        if b"data" in fields and b"event" not in fields:
            found.append((int(fields[b"id"]), fields[b"data"]))
    return found


def lines(sent: bytes) -> Events:
    return [(msgspec.json.decode(e)["version"], e) for e in sent.split(b"\n")[:-1] if e]


FORMS = (Form("text/event-stream", blocks), Form("application/x-ndjson", lines))


@pytest.fixture(params=FORMS, ids=["sse", "ndjson"])
def form(request: pytest.FixtureRequest) -> Form:
    made: Form = request.param
    return made


@pytest.fixture(params=[-1, 1], ids=["spectator", "seat"])
def token(request: pytest.FixtureRequest, door: Door, table: Table) -> str:
    return door.key if request.param < 0 else table.tokens[request.param]


async def read(door: Door, table: Table, form: Form, token: str, after: int) -> bytes:
    """All that a stream after a version sends. A client of either form can give its cursor."""
    more: dict[str, Any] = {}
    query = f"after={after}"
    if form.accept == "text/event-stream":
        more, query = {"Last_Event_ID": str(after)}, ""
    path = table.path + "/events"
    async with reading(door.app, path, token, form.accept, query, **more) as stream:
        return await stream.rest()


async def assert_resumes(
    door: Door, table: Table, form: Form, token: str, offsets: Callable[[bytes], list[int]]
) -> None:
    await play_out(door.http, table, 6)
    undisturbed = await read(door, table, form, token, 0)
    events = form.whole(undisturbed)
    assert [version for version, _ in events] == list(range(1, len(events) + 1))
    rests: dict[int, Events] = {}
    for offset in offsets(undisturbed):
        got = form.whole(undisturbed[:offset])
        last = got[-1][0] if got else 0
        if last not in rests:
            rests[last] = form.whole(await read(door, table, form, token, last))
        assert got + rests[last] == events, offset


async def test_a_stream_cut_at_any_frame_or_byte_resumes(
    door: Door, table: Table, form: Form, token: str
) -> None:
    def chosen(sent: bytes) -> list[int]:
        rng = Random(len(sent))
        bounds = [place + 1 for place, byte in enumerate(sent) if byte == 10]
        return [0, *bounds, *(rng.randrange(len(sent) + 1) for _ in range(50))]

    await assert_resumes(door, table, form, token, chosen)


@pytest.mark.fuzz
async def test_a_stream_cut_at_every_byte_resumes(
    door: Door, table: Table, form: Form, token: str
) -> None:
    await assert_resumes(door, table, form, token, lambda sent: list(range(len(sent) + 1)))


async def test_streams_cut_while_the_match_goes_on_miss_nothing(
    door: Door, table: Table, form: Form, token: str
) -> None:
    """Each reader takes a few bytes, is cut in the midst of a frame and comes again."""
    seen: Events = []
    rng = Random(3)
    playing = asyncio.create_task(play_out(door.http, table, 8))
    path = table.path + "/events"
    while not (seen and b'"kind":"match_revealed"' in seen[-1][1]):
        after = seen[-1][0] if seen else 0
        async with reading(door.app, path, token, form.accept, f"after={after}") as stream:
            sent = b""
            for _ in range(rng.randint(1, 4)):
                if (part := await stream.part()) is None:
                    break
                sent += part
        seen += form.whole(sent[: rng.randrange(len(sent) + 1)])
    await playing
    assert seen == form.whole(await read(door, table, form, token, 0))
