"""The verdict on a log read from the database: the log itself, and the head stored beside it."""

import msgspec

from events.verify import NOT_REVEALED, verify_log
from service.cli.rebuilding import Log, steps


class Verdict(msgspec.Struct, frozen=True):
    """`faults` say what is wrong; `unchecked` what could not be checked from here."""

    ok: bool
    match_id: str
    version: int
    head: str
    status: str
    checked: tuple[str, ...]
    unchecked: tuple[str, ...]
    faults: tuple[str, ...]


def checked(log: Log) -> Verdict:
    """Chain, commitments, rules and draws of the log; then that the stored head agrees."""
    found = verify_log(log.records, seed=log.seed, texts=log.texts)
    faults = _head_faults(log)
    if found.fault is not None:
        wrong = found.fault
        faults = (f"event {wrong.version}: {wrong.reason} ({wrong.code})", *faults)
    return Verdict(
        ok=not faults,
        match_id=log.row.match_id,
        version=log.row.version,
        head=log.row.head.hex(),
        status=str(log.row.status),
        checked=(*found.checked, "head"),
        unchecked=_limits(found.unchecked, log),
        faults=faults,
    )


def _limits(unchecked: tuple[str, ...], log: Log) -> tuple[str, ...]:
    if not log.misfit:
        return unchecked
    return tuple(each.replace(NOT_REVEALED, "the key does not fit the seed") for each in unchecked)


def _head_faults(log: Log) -> tuple[str, ...]:
    if not log.records:
        return ("the log is empty",)
    last, row, made = log.records[-1], log.row, steps(log)
    stored: dict[str, object] = {"version": row.version, "head": row.head}
    logged: dict[str, object] = {"version": last.version, "head": last.hash}
    if len(made) == len(log.records):  # Else a newer release wrote the rest, or it is at fault.
        stored["status"], logged["status"] = str(row.status), str(made[-1].after.status)
    return tuple(
        f"the stored {name} of the match is not that of its log"
        for name, value in stored.items()
        if logged[name] != value
    )
