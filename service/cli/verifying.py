"""`plyscribe verify`: all that somebody kept of matches, checked offline and against each other."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from events.trust import Trusted, trusted_in
from events.verify_bundle import Checked
from service.cli.configuration import Flag
from service.cli.evidence_files import (
    UNREADABLE,
    Finding,
    Kept,
    bundle_bytes,
    is_bundle,
    kept_in,
    opened,
)
from service.cli.judging import Summary, Verdict, followed_all, judged, stated, with_unread
from service.cli.sources import bundle_check, log_check, sources
from service.cli.terminal import CannotDo, say, write, write_json
from service.clock import wall_clock

BROKEN = 1
UNREAD = 2


def verify(
    *files: Path,
    keys: str | None = None,
    as_of: datetime | None = None,
    json: Flag = False,
) -> int:
    """Check offline what you kept of matches, each by itself and all of it against each other.

    Takes bundles, receipts, signed refusals, views, decisions and heads, logs with proofs, and
    statements of the log of all matches, of one match or of many. Says of each file whether all of
    it holds, or where it does not; then what can't be true together; and apart from that what
    can't be checked. Exits with 1 if anything is wrong, else with 2 if a file can't be read.

    Parameters
    ----------
    files
        Bundles, as GET /v1/matches/{match}/bundle gives them. Or JSON, a line of JSON each, and
        answers as `curl -i` saves them, with documents, events or statements in them.
    keys
        Whose log you trust: a file with a JWK set or verifier keys, or a verifier key itself.
        Statements among the files and in bundles lead from there to newer keys.
    as_of
        When the files were got. A match that had to be revealed by then and was not is a fault; by
        default it is now.
    json
        One JSON object about all of them.
    """
    if not files:
        raise CannotDo("which files? plyscribe verify FILE...")
    return told(examined(files, keys, as_of), json)


def told(summary: Summary, as_json: bool) -> int:
    """Write it; how the command ends: what is wrong says more than what can't be read."""
    if as_json:
        write_json(summary)
    else:
        _tell(summary)
    if is_wrong(summary):
        return BROKEN
    return 0 if summary.ok else UNREAD


def is_wrong(summary: Summary) -> bool:
    """Whether anything is, beside files that can't be read."""
    read = (each for each in summary.files if each.kind != UNREADABLE)
    return bool(summary.contradictions) or not all(each.ok for each in read)


def examined(files: Sequence[Path], keys: str | None, as_of: datetime | None = None) -> Summary:
    """A file that can't be read is one that is told of. Raises: CannotDo, OSError for the keys."""
    bundles: list[tuple[str, bytes]] = []
    kept: list[Kept] = []
    unread: list[Finding] = []
    for each in dict.fromkeys(files):
        match opened(each, _read):
            case Kept() as found:
                kept.append(found)
            case Finding() as finding:
                unread.append(finding)
            case data:
                bundles.append((str(each), data))
    trusted = None if keys is None else trusted_keys(keys)
    # Bundles are checked with what files of statements lead to; a fork is told by judged().
    known = None if trusted is None else followed_all(trusted, stated(kept))[0]
    checks = [bundle_check(name, data, known) for name, data in bundles]
    checks += [log_check(each.file, each.log) for each in kept if each.log is not None]
    now = wall_clock() if as_of is None else int(as_of.timestamp() * 1000)
    return with_unread(judged(sources(checks, now), kept, trusted), unread)


def _read(path: Path) -> bytes | Kept:
    """Raises: CannotDo, OSError."""
    return bundle_bytes(path) if is_bundle(path) else kept_in(path)


def fault_of(checked: Checked) -> str:
    """Where and why, in one line."""
    assert checked.fault is not None
    return f"{checked.place}: {checked.fault.reason} ({checked.fault.code})"


def trusted_keys(keys: str) -> Trusted:
    """Out of a file, or of a verifier key itself. Raises: CannotDo, OSError."""
    path = Path(keys)
    try:
        return trusted_in(path.read_bytes() if path.exists() else keys.encode())
    except ValueError as error:
        raise CannotDo(f"--keys: {error}") from None


def _tell(summary: Summary) -> None:
    for each in summary.files:
        _tell_of(each)
    for found in summary.contradictions:
        word = "FORK" if found.code == "fork" else f"LIE ({found.code})"
        write(f"{word}: {' and '.join(found.places)}: {found.reason}")
    for limit in summary.unchecked:
        write(f"not checked: {limit}")
    if is_wrong(summary):
        say("it does not hold")
    else:
        say("nothing is wrong" if summary.ok else "not all of it can be read")


def _tell_of(verdict: Verdict) -> None:
    if verdict.kind == UNREADABLE:
        write(f"{verdict.file}: can't be read: {verdict.faults[0].reason}")
        return
    places = ", ".join(each.place for each in verdict.faults)
    write(f"{verdict.file}: {f'WRONG at {places}' if places else 'all that can be checked holds'}")
    if verdict.match_id is not None:
        write(f"  match {verdict.match_id}, {verdict.perspective}, {verdict.events} events")
    if verdict.head is not None:
        write(f"  head {verdict.head}")
    if verdict.documents:
        write(f"  signed documents: {verdict.documents}")
    for each in verdict.faults:
        write(f"  wrong: {each.place}: {each.reason} ({each.code})")
    if verdict.checked:
        write(f"  checked: {', '.join(verdict.checked)}")
    for limit in verdict.unchecked:
        write(f"  not checked: {limit}")
