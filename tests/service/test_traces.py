"""Traces: which spans a move leaves, how they hang together, and what none of them may hold."""

import asyncio
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from random import Random
from threading import Thread
from typing import Any
from uuid import uuid4

import httpx
import msgspec
import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from service import traces
from service.app import build
from service.settings import SettingRefused, Settings, from_environment
from tests.service.client import Table, bearer, decision_of, random_move
from tests.service.conftest import KEY, Door
from tests.service.hooking import hooked
from tests.service.process import server
from tests.service.receiving import receiver
from tests.waiting import eventually

MOVES = "POST /v1/matches/{match}/moves"


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    return sqlite_url


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return msgspec.structs.replace(settings, private_webhooks=True)


@contextmanager
def kept(share: float = 1.0) -> Iterator[InMemorySpanExporter]:
    """All spans that are made in the block."""
    provider, exporter = TracerProvider(traces.sampled(share)), InMemorySpanExporter()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    with traces.used(provider):
        yield exporter
    provider.shutdown()


@pytest.fixture
def spans() -> Iterator[InMemorySpanExporter]:
    with kept() as exporter:
        yield exporter


def named(spans: InMemorySpanExporter, name: str) -> list[ReadableSpan]:
    return [each for each in spans.get_finished_spans() if each.name == name]


def one(spans: InMemorySpanExporter, name: str) -> ReadableSpan:
    (found,) = named(spans, name)
    return found


def told(span: ReadableSpan) -> dict[str, Any]:
    return dict(span.attributes or {})


def parent(span: ReadableSpan) -> int | None:
    return span.parent.span_id if span.parent else None


async def move(door: Door, table: Table) -> httpx.Response:
    """Seat 0 answers what it is asked."""
    own = (await decision_of(door.http, table, 0))["decision"]
    body = {"decision": own["id"], "move": random_move(own["offers"], Random(1))}
    path = table.path + "/moves"
    return await door.post(path, table.tokens[0], json=body)


async def test_a_move_is_one_trace_from_the_door_to_the_hint(
    door: Door, table: Table, spans: InMemorySpanExporter
) -> None:
    spans.clear()
    done = await move(door, table)
    assert done.status_code == 200
    at_door, play = one(spans, MOVES), one(spans, "play_move")
    assert told(at_door) == {
        "http.request.method": "POST",
        "http.route": "/v1/matches/{match}/moves",
        "http.response.status_code": 200,
        "plyscribe.match_id": table.match_id,
    }
    assert (at_door.parent, parent(play)) == (None, at_door.context.span_id)
    steps = [one(spans, name) for name in ("decide", "append", "hint")]
    assert [parent(each) for each in steps] == [play.context.span_id] * 3
    assert told(steps[1])["plyscribe.outcome"] == "appended"
    assert [each.start_time for each in steps] == sorted(each.start_time or 0 for each in steps)


async def test_the_delivery_of_a_webhook_is_linked_to_what_stored_its_version(
    door: Door, table: Table, spans: InMemorySpanExporter
) -> None:
    async with receiver() as got:
        await hooked(door, got.url, types=["match.advanced"])
        await move(door, table)

        async def linked() -> list[ReadableSpan]:
            # Messages of what came before may be among them, from when nothing was kept.
            return [each for each in named(spans, "webhook") if each.links]

        (span,) = await eventually(linked)
    appended = one(spans, "play_move")
    assert told(span) == {
        "plyscribe.match_id": table.match_id,
        "plyscribe.attempt": 1,
        "plyscribe.outcome": "delivered",
    }
    (link,) = span.links
    assert (link.context.span_id, span.parent) == (appended.context.span_id, None)


async def test_nothing_of_a_player_and_no_secret_is_in_a_span(
    door: Door, spans: InMemorySpanExporter
) -> None:
    account, word = f"account-{uuid4().hex}", f"word-{uuid4().hex}"
    table = await door.table()
    async with receiver() as got:
        hook = await hooked(door, got.url + "?key=in-the-address", types=["match.advanced"])
        claimed = await door.post(f"{table.path}/seats/0/claim", json={"account": account})
        assert claimed.status_code == 409
        for token, decision in ((table.tokens[0], None), (table.tokens[1], word), (word, word)):
            body = {"decision": decision, "move": {"type": "speak", "text": word}}
            asked = {"Authorization": f"Bearer {token}", "idempotency-key": word}
            await door.http.post(table.path + "/moves", json=body, headers=asked)
        await door.get(f"/v1/matches/{word}/view?token={word}")
        await door.get(f"/v1/{word}")
        await got.until(1)
        await eventually(_of(spans, "webhook"))
    text = "".join(each.to_json() for each in spans.get_finished_spans())
    assert table.match_id in text
    assert "not-found" in text
    for secret in (*table.tokens, KEY, hook["secret"], account, word, "in-the-address", "Error"):
        assert secret not in text, secret


async def test_a_caller_says_which_trace_it_belongs_to_and_no_more(
    door: Door, table: Table
) -> None:
    trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    for share, flag, count in ((1.0, "01", 1), (1.0, "00", 0), (0.0, "01", 0)):
        with kept(share) as spans:
            traceparent = f"00-{trace}-00f067aa0ba902b7-{flag}"
            headers = {"traceparent": traceparent, "tracestate": "vendor=secret"}
            await door.get(table.path, headers={"Authorization": f"Bearer {KEY}", **headers})
            found = named(spans, "GET /v1/matches/{match}")
        assert len(found) == count, (share, flag)
        for each in found:
            assert each.context.trace_id == int(trace, 16)
            assert "secret" not in each.to_json()


async def test_without_a_collector_there_is_nothing(door: Door, table: Table) -> None:
    assert traces.span("decide", table.match_id) is traces.span("append", table.match_id)
    with traces.span("decide", table.match_id) as span:
        span.set_attribute("plyscribe.outcome", "none")
    assert (await move(door, table)).status_code == 200
    assert not traces._stored
    with kept() as spans:
        assert (await door.get(table.path)).status_code == 200
    assert len(named(spans, "GET /v1/matches/{match}")) == 1


async def test_spans_arrive_at_a_collector_when_the_service_ends(
    sqlite_url: str, tmp_path: Path
) -> None:
    with _collector() as (url, got):
        with server(sqlite_url, tmp_path / "data", TRACES_URL=url) as served:
            async with served.client() as http:
                assert (await http.get("/v1/games", headers=bearer(KEY))).status_code == 200
            assert await asyncio.to_thread(served.stop) == 0
        request = ExportTraceServiceRequest.FromString(got[0])
    (resource,) = request.resource_spans
    names = {each.key: each.value.string_value for each in resource.resource.attributes}
    assert names["service.name"] == "plyscribe"
    found = [each.name for scope in resource.scope_spans for each in scope.spans]
    assert "GET /v1/games" in found


async def test_a_collector_that_is_not_there_does_not_hold_up_the_end(
    sqlite_url: str, tmp_path: Path
) -> None:
    url = "http://127.0.0.1:9/v1/traces"
    with server(sqlite_url, tmp_path / "data", TRACES_URL=url) as served:
        async with served.client() as http:
            assert (await http.get("/v1/games", headers=bearer(KEY))).status_code == 200
        assert await asyncio.to_thread(served.stop) == 0


async def test_a_collector_that_refuses_is_told_once(
    sqlite_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_BSP_SCHEDULE_DELAY", "20")
    with (
        _collector(400) as (url, got),
        server(sqlite_url, tmp_path / "data", TRACES_URL=url) as served,
    ):
        async with served.client() as http:

            async def refused() -> int:
                await http.get("/v1/games", headers=bearer(KEY))
                return len(got)

            await eventually(refused, lambda count: count >= 3)
        assert await asyncio.to_thread(served.stop) == 0
    said = "".join(each.read_text() for each in (tmp_path / "data").glob("*.log"))
    assert (said.count("traces_lost"), "Traceback" in said) == (1, False)


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("TRACES_URL", "collector:4318"),
        ("TRACES_URL", "http://me:secret@collector/v1/traces"),
        ("TRACES_URL", "http://collector/v1/traces?key=secret"),
        ("TRACES_SHARE", "1.5"),
        ("TRACES_SHARE", "half"),
    ],
)
def test_a_setting_that_can_not_be_used_is_refused(variable: str, value: str) -> None:
    with pytest.raises(SettingRefused) as refused:
        from_environment({"PLYSCRIBE_" + variable: value})
    assert variable in str(refused.value)
    assert "secret" not in str(refused.value)


async def test_without_the_extra_the_start_says_what_to_install(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.trace", None)
    on = msgspec.structs.replace(settings, traces_url="http://127.0.0.1:9/v1/traces")
    with pytest.raises(SettingRefused, match=r"plyscribe\[traces\]"):
        async with build(on).running():
            pass


def _of(spans: InMemorySpanExporter, name: str) -> Any:
    async def look() -> list[ReadableSpan]:
        return named(spans, name)

    return look


@contextmanager
def _collector(status: int = 200) -> Iterator[tuple[str, list[bytes]]]:
    """The address of a server that takes spans, and what it was sent."""
    got: list[bytes] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            got.append(self.rfile.read(int(self.headers["content-length"])))
            self.send_response(status)
            self.end_headers()

        def log_message(self, *_: Any) -> None: ...

    with HTTPServer(("127.0.0.1", 0), Handler) as listening:
        thread = Thread(target=listening.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.server_port}/v1/traces", got
        finally:
            listening.shutdown()
            thread.join()
