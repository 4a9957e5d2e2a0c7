"""What a process does: it has the doors, or does what waits, or both.

Decision 0027 says what belongs to whom.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from service.refusal import Refusal, Row


class Role(StrEnum):
    """`has_doors`: matches are played here. `has_work`: what is due without a request is done
    here: flags and schedules, closings and reveals, the feed, results, series, webhooks, reports.
    """

    ALL = "all"
    WEB = "web"
    WORKER = "worker"

    @property
    def has_doors(self) -> bool:
        return self is not Role.WORKER

    @property
    def has_work(self) -> bool:
        return self is not Role.WEB


class Misdirected(Refusal):
    """A process without doors was asked for something else than whether it is well."""


ROWS: Final[Mapping[type[Exception], Row]] = {
    Misdirected: Row(
        421,
        "misdirected",
        "This process has no doors",
        "This process only works behind the doors of the service; others answer requests.",
    ),
}
