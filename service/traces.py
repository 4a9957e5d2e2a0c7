"""Traces for OpenTelemetry: what a move waits for, from the door to the delivery of webhooks.

Off unless `PLYSCRIBE_TRACES_URL` names a collector; without it each of these functions costs a look
at one variable. A span tells names, routes, codes, counts and match ids; never a player, a seat, a
token, a move, an address of a webhook, or the text of an error.
"""

import asyncio
import logging
import threading
from collections import OrderedDict
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager
from importlib.metadata import version as installed_version
from typing import TYPE_CHECKING, Any, Final, Protocol

import msgspec

from service.http import Request
from service.ids import match_id_in
from service.logs import Logger
from service.settings import PREFIX, SettingRefused, Settings

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.trace import SpanContext, Tracer

MATCH: Final = "plyscribe.match_id"
CODE: Final = "plyscribe.code"  # of a problem
OUTCOME: Final = "plyscribe.outcome"
ATTEMPT: Final = "plyscribe.attempt"
STATUS: Final = "http.response.status_code"
_METHODS: Final = frozenset({"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"})
_REMEMBERED: Final = 10_000
_EXPORT_SECONDS: Final = 5.0
_END_SECONDS: Final = 3.0  # for what waits when the process stops


class Span(Protocol):
    """What may be added to a span while it is open."""

    def set_attribute(self, key: str, value: str | int) -> None: ...


class _Off:
    """The span and the context of every span while there are no traces."""

    def __enter__(self) -> "_Off":
        return self

    def __exit__(self, *_: object) -> None: ...

    def set_attribute(self, key: str, value: str | int) -> None: ...


_OFF: Final = _Off()
_tracer: "Tracer | None" = None
_stored: "OrderedDict[tuple[str, int], SpanContext]" = OrderedDict()  # what stored a version


def span(name: str, match_id: str) -> AbstractContextManager[Span]:
    """A step of what is being done at a match."""
    if _tracer is None:
        return _OFF
    return _begun(name, {MATCH: match_id})


def door(request: Request, route: str) -> AbstractContextManager[Span]:
    """A request until its answer is known, in the trace that it says it belongs to."""
    if _tracer is None:
        return _OFF
    method = request.method if request.method in _METHODS else "_OTHER"
    told = {"http.request.method": method, "http.route": route}
    match_id = match_id_in(request.path.get("match", ""))
    if match_id is not None:
        told[MATCH] = match_id
    return _begun(f"{method} {route}".strip(), told, "SERVER", parent=_parent(request))


def delivery(match_id: str | None, body: bytes) -> AbstractContextManager[Span]:
    """One attempt to deliver a message; linked to what stored the version it tells of, if that was
    in this process and not long ago.
    """
    if _tracer is None:
        return _OFF
    told = {} if match_id is None else {MATCH: match_id}
    data = msgspec.json.decode(body).get("data")
    number = data.get("version") if isinstance(data, dict) else None
    found = _stored.get((match_id or "", number or 0))
    return _begun("webhook", told, "CLIENT", links=[found] if found is not None else [])


def stored(match_id: str, first: int, last: int) -> None:
    """The span that is open now stored these versions."""
    if _tracer is None:
        return
    from opentelemetry.trace import get_current_span

    context = get_current_span().get_span_context()
    if context.trace_flags.sampled:
        for number in range(first, last + 1):
            _stored[match_id, number] = context
        while len(_stored) > _REMEMBERED:
            _stored.popitem(last=False)


@asynccontextmanager
async def tracing(settings: Settings, log: Logger) -> AsyncIterator[None]:
    """Traces go to the collector that is set while this is open, if one is.

    Raises: SettingRefused if the extra is not installed.
    """
    if settings.traces_url is None:
        yield
        return
    provider = _provider(settings, settings.traces_url, log)
    try:
        with used(provider):
            yield
    finally:
        # A collector that does not answer must not keep the process from its end.
        ending = threading.Thread(target=provider.shutdown, daemon=True)
        ending.start()
        await asyncio.to_thread(ending.join, _END_SECONDS)


@contextmanager
def used(provider: "TracerProvider") -> Iterator[None]:
    """Spans are of this provider while this is open."""
    global _tracer
    before, _tracer = _tracer, provider.get_tracer("plyscribe", installed_version("plyscribe"))
    try:
        yield
    finally:
        _tracer = before
        _stored.clear()


def sampled(share: float) -> Any:
    """The share of traces that is kept. Whoever sends a request may name its trace, and can keep it
    out, but not in.
    """
    from opentelemetry.sdk.trace.sampling import ParentBased, TraceIdRatioBased

    chosen = TraceIdRatioBased(share)
    return ParentBased(chosen, remote_parent_sampled=chosen)


def _begun(
    name: str,
    told: Mapping[str, str],
    kind: str = "INTERNAL",
    parent: "Context | None" = None,
    links: "Sequence[SpanContext]" = (),
) -> AbstractContextManager[Span]:
    from opentelemetry.trace import Link, SpanKind

    assert _tracer is not None
    return _tracer.start_as_current_span(
        name,
        parent,
        SpanKind[kind],
        dict(told),
        [Link(each) for each in links],
        # The text of an error may repeat what was sent.
        record_exception=False,
        set_status_on_exception=False,
    )


def _parent(request: Request) -> "Context":
    """By `traceparent` alone, which holds numbers and nothing else."""
    from opentelemetry.context import Context
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    given = request.header(b"traceparent")
    carrier = {} if given is None else {"traceparent": given}
    return TraceContextTextMapPropagator().extract(carrier, Context())


def _provider(settings: Settings, url: str, log: Logger) -> "TracerProvider":
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError:
        reason = "needs the extra: pip install 'plyscribe[traces]'"
        raise SettingRefused(PREFIX + "TRACES_URL", reason) from None
    names = {"service.name": "plyscribe", "service.version": installed_version("plyscribe")}
    provider = TracerProvider(
        sampled(settings.traces_share), Resource.create(names), shutdown_on_exit=False
    )
    exporter = OTLPSpanExporter(url, timeout=_EXPORT_SECONDS)
    _tell_once(exporter, log)
    provider.add_span_processor(BatchSpanProcessor(exporter))
    return provider


def _tell_once(exporter: Any, log: Logger) -> None:
    """One line of ours when spans are lost, and none more until some arrive again."""
    from opentelemetry.sdk.trace.export import SpanExportResult

    logging.getLogger("opentelemetry").setLevel(logging.CRITICAL + 1)
    export, is_lost = exporter.export, False

    def told(spans: Sequence[Any]) -> Any:
        nonlocal is_lost
        result = export(spans)
        failed = result is not SpanExportResult.SUCCESS
        if failed and not is_lost:
            log.warning("traces_lost")
        is_lost = failed
        return result

    exporter.export = told
