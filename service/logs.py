"""Structured logs: names, ids, counts and times; never a move, a token, a body or a view."""

import logging
import sys
from typing import Any, Final, TextIO

import structlog

from service.settings import Settings

# The only keys a line may hold. A line with another one is a programmer error.
FIELDS: Final = frozenset(
    {
        "code", "connection", "database", "deal_group", "error", "event", "exc_info", "exception",
        "games", "level", "match_id", "matches", "method", "milliseconds", "org", "point",
        "principal", "reason", "request_id", "role", "route", "schema", "seats", "series", "stack",
        "status", "streams", "timestamp", "variable", "version", "where", "work",
    }
)  # fmt: skip

Logger = Any  # A structlog logger; its methods come from the configured wrapper.


def logger(settings: Settings, output: TextIO | None = None) -> Logger:
    """A logger that needs no set-up elsewhere, so that no line goes around its rules."""
    output = output or sys.stderr
    as_text: Any = (
        structlog.dev.ConsoleRenderer(colors=output.isatty())
        if settings.log_format == "console"
        else structlog.processors.JSONRenderer()
    )
    return structlog.wrap_logger(
        structlog.PrintLogger(output),
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            without_values,
            only_known_fields,
            as_text,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(_level(settings)),
        cache_logger_on_first_use=True,
    )


def configure(settings: Settings, output: TextIO | None = None) -> None:
    """What libraries tell by the standard library's loggers comes in the same lines as all else."""
    level = max(_level(settings), logging.WARNING)
    logging.basicConfig(level=level, handlers=[Libraries(logger(settings, output))])
    # What strangers send that is no HTTP is no trouble of ours, and they could fill a disk with it.
    logging.getLogger("uvicorn.error").setLevel(max(level, logging.ERROR))


class Libraries(logging.Handler):
    """Tells who said it and the sentence as it stands in its program, without the values in it."""

    def __init__(self, own: Logger) -> None:
        super().__init__()
        self._logger = own

    def emit(self, record: logging.LogRecord) -> None:
        text = record.msg if isinstance(record.msg, str) else type(record.msg).__name__
        error = record.exc_info[1] if record.exc_info else None
        about = {"where": record.name, "reason": text.partition("\n")[0]}
        self._logger.log(record.levelno, "library", **about, exc_info=error)


def _level(settings: Settings) -> int:
    return int(getattr(logging, settings.log_level.upper()))


def only_known_fields(_: Any, __: str, line: Any) -> Any:
    assert set(line) <= FIELDS, sorted(set(line) - FIELDS)
    return line


def where_of(error: BaseException) -> str:
    """Where an error came from, without its text, which may hold what a log must not."""
    steps = []
    trace = error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        steps.append(f"{code.co_qualname}:{trace.tb_lineno}")
        trace = trace.tb_next
    return " < ".join(reversed(steps[-6:]))


def without_values(_: Any, __: str, line: Any) -> Any:
    """An error is named by its class; its text may repeat a body or an SQL parameter."""
    error = line.pop("exc_info", None)
    if isinstance(error, BaseException):
        line["error"] = type(error).__name__
        line["where"] = where_of(error)
    return line
