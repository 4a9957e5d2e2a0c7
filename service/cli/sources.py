"""The logs that somebody kept, as bundles or as events: each checked by itself."""

from collections.abc import Callable, Iterable

import msgspec

from events.bundle import Bundle
from events.given_log import GivenLog
from events.known_log import KnownLog, of_bundle, of_given
from events.legality import Fault
from events.trust import Trusted
from events.verify_bundle import Checked, verify_bundle
from service.cli.evidence_files import Finding

Check = Callable[[int], "Source"]  # as of a time in ms


class Source(msgspec.Struct, frozen=True):
    """What is known of a log that was given. `log` is None if nothing of it can be used, `bundle`
    if it is none.
    """

    file: str
    log: KnownLog | None
    bundle: Bundle | None
    fault: Finding | None
    checked: tuple[str, ...]
    unchecked: tuple[str, ...]

    @property
    def is_sound(self) -> bool:
        return self.fault is None

    @property
    def is_revealed(self) -> bool:
        lines = self.log.lines.values() if self.log else ()
        return any(each["kind"] == "match_revealed" for each in lines)


def bundle_check(file: str, data: bytes, trusted: Trusted | None) -> Check:
    def check(now: int) -> Source:
        return _of_bundle(file, verify_bundle(data, trusted, now=now))

    return check


def log_check(file: str, log: GivenLog) -> Check:
    def check(now: int) -> Source:
        found = log.verdict(now or None)
        finding = None if found.fault is None else _finding(found.fault)
        return Source(file, _known(file, log), None, finding, found.checked, found.unchecked)

    return check


def sources(checks: Iterable[Check], now: int) -> list[Source]:
    """All that were given. Of several logs of a match the longest tells whether its reveal is
    overdue at `now` (ms): a shorter one may be older.
    """
    found = [(check(0), check) for check in checks]
    longest: dict[str, tuple[Source, Check]] = {}
    for source, check in found:
        log = source.log
        if log is None or not source.is_sound:
            continue
        known = longest.get(log.match_id)
        if known is None or known[0].log is None or known[0].log.newest < log.newest:
            longest[log.match_id] = (source, check)
    late = {source.file: _as_of(source, check, now) for source, check in longest.values()}
    return [late.get(source.file, source) for source, _ in found]


def _as_of(source: Source, check: Check, now: int) -> Source:
    if source.is_revealed:
        return source
    again = check(now)
    fault = again.fault
    is_overdue = fault is not None and (
        fault.code == "overdue" or (fault.code == "missing" and "match_revealed" in fault.reason)
    )
    return again if is_overdue else source


def _of_bundle(file: str, checked: Checked) -> Source:
    finding = None
    if checked.fault is not None:
        finding = Finding(checked.place, checked.fault.code, checked.fault.reason)
    bundle = checked.bundle
    return Source(
        file,
        None if bundle is None else _known(file, bundle),
        bundle,
        finding,
        checked.checked,
        checked.unchecked,
    )


def _known(file: str, given: Bundle | GivenLog) -> KnownLog | None:
    """None for what can't be read that far."""
    try:
        made = of_bundle(file, given) if isinstance(given, Bundle) else of_given(file, given)
        is_readable = all(
            isinstance(each.get("at"), int) and isinstance(each.get("kind"), str)
            for each in made.lines.values()
        )
        return made if made.heads and is_readable else None
    except Exception:
        return None


def _finding(fault: Fault) -> Finding:
    return Finding(f"event {fault.version}", fault.code, fault.reason)
