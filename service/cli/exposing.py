"""Metrics told over a port of their own, of this process or of all workers together.

The port is apart from the service's, so that whoever may call the one need not reach the other.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from tempfile import TemporaryDirectory
from typing import Final

from msgspec.structs import replace
from prometheus_client import CollectorRegistry, start_http_server
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead

from service import signals
from service.cli.listening import reason_of_binding
from service.cli.terminal import CannotDo
from service.settings import Settings

_SHARED: Final = "PROMETHEUS_MULTIPROC_DIR"  # read by the library when a worker imports it


@contextmanager
def exposed(settings: Settings, registry: CollectorRegistry) -> Iterator[Settings]:
    """Metrics are told while this is open, if they shall be; the settings with the port it took.

    Raises: CannotDo.
    """
    if settings.metrics_port is None:
        yield settings
        return
    try:
        server, thread = start_http_server(settings.metrics_port, settings.host, registry)
    except OSError as error:
        option = "--metrics-port"
        why = reason_of_binding(error, settings.host, settings.metrics_port, option)
        raise CannotDo(why) from None
    try:
        yield replace(settings, metrics_port=server.server_port)
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextmanager
def of_all_workers(
    settings: Settings,
) -> Iterator[tuple[CollectorRegistry, Callable[[int], None]]]:
    """Where workers that start while this is open put their numbers together.

    To be called with the pid of a worker that died: what it counted stays, what it held is gone.
    """
    registry = CollectorRegistry()
    deaths = signals.workers_died(registry)
    if settings.metrics_port is None:
        yield registry, lambda pid: None
        return
    before = os.environ.get(_SHARED)
    with TemporaryDirectory(prefix="plyscribe-metrics-") as folder:
        os.environ[_SHARED] = folder
        MultiProcessCollector(registry, path=folder)  # type: ignore[no-untyped-call]

        def died(pid: int) -> None:
            deaths.inc()
            mark_process_dead(pid, folder)  # type: ignore[no-untyped-call]

        try:
            yield registry, died
        finally:
            del os.environ[_SHARED]
            if before is not None:
                os.environ[_SHARED] = before
