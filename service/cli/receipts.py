"""`plyscribe receipt check`: signed documents against keys, each other and a log, offline."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import msgspec
from cyclopts import Parameter

from events.contradictions import Contradiction, Document, against, between
from events.evidence import (
    DECISION,
    EvidenceWrong,
    ResultOf,
    ShownOf,
    body_digest,
    verify,
    viewer_name,
)
from events.given_log import GivenLog
from events.match import Match, decode, fold
from events.results import RESULT_FORM, Result, result_in
from events.signing import KeySet, SignatureWrong
from games.core.game import ALL, SPECTATOR, Viewer
from projections.projection import Encodings
from service import queries
from service.cli.evidence_files import documents_in, keys_in, log_in
from service.cli.terminal import say, write_json
from service.clock import wall_clock
from service.notary import FORM


class Report(msgspec.Struct, frozen=True):
    """`faults` say what is wrong; `unchecked` what could not be checked from what was given."""

    ok: bool
    documents: int
    faults: tuple[str, ...]
    contradictions: tuple[Contradiction, ...]
    unchecked: tuple[str, ...]


def check(
    *files: Path,
    keys: Path | None = None,
    log: Path | None = None,
    json: Annotated[bool, Parameter(negative="")] = False,
) -> int:
    """Check receipts, signed refusals, views, decisions and heads, without any service.

    1 if anything is wrong: a signature, two documents that contradict each other, or a log that is
    not the one that was signed.

    Parameters
    ----------
    files
        JSON, a line of JSON each, or answers as `curl -i` saves them: whatever holds documents.
    keys
        The service's keys, from `/.well-known/jwks.json`. Without them signatures are not checked.
    log
        Events of the match from the first on with `proof=true`; best those of `perspective=full`,
        after the reveal.
    json
        The report as one line of JSON.
    """
    known = None if keys is None else keys_in(keys)
    given = None if log is None else log_in(log)
    report = checked([*map(documents_in, files)], known, given, wall_clock())
    if json:
        write_json(report)
    else:
        _tell(report)
    return 0 if report.ok else 1


def checked(
    found: Sequence[tuple[list[Document], list[str]]],
    keys: KeySet | None,
    log: GivenLog | None,
    now: int,
) -> Report:
    documents = [each for listed, _ in found for each in listed]
    faults = [fault for _, wrong in found for fault in wrong]
    unchecked = []
    if keys is None:
        unchecked.append("signatures: no keys were given")
    else:
        faults += _unsigned(documents, keys)
    contradictions = between(documents)
    if log is None:
        unchecked.append("the log: none was given")
    else:
        verdict = log.verdict(now)
        unchecked += verdict.unchecked
        if verdict.fault is not None:
            wrong = verdict.fault
            faults.append(f"event {wrong.version}: {wrong.reason} ({wrong.code})")
        about = (log.match_id, log.heads, log.commitments, log.newest)
        contradictions += against(documents, *about)
        shown, limits = _shown(documents, log)
        results, more = _results(documents, log)
        contradictions += shown + results
        unchecked += limits + more
    if not documents and not faults:
        faults.append("there is no signed document in these files")
    is_ok = not faults and not contradictions
    return Report(is_ok, len(documents), tuple(faults), tuple(contradictions), tuple(unchecked))


def _unsigned(documents: Sequence[Document], keys: KeySet) -> list[str]:
    faults = []
    for each in documents:
        try:
            verify(each.evidence, keys)
        except (EvidenceWrong, SignatureWrong) as wrong:
            faults.append(f"{each.place}: {each.evidence.tag}: {wrong}")
    return faults


def _shown(documents: Sequence[Document], log: GivenLog) -> tuple[list[Contradiction], list[str]]:
    """Views and decisions made again from a full log: they have to be what was signed."""
    found: list[Contradiction] = []
    own = [d for d in documents if isinstance(d.payload, ShownOf)]
    own = [each for each in own if each.payload.match_id == log.match_id]
    if log.viewer != ALL:
        return [], ["views and decisions: only a full log says what they had to be"] if own else []
    unchecked = []
    for each in own:
        payload = each.payload
        assert isinstance(payload, ShownOf)
        current = fold(log.records[: payload.version])
        if payload.form != FORM or current is None:
            unchecked.append(f"{each.place}: written in form {payload.form}")
        elif _digest(each.evidence.tag, current, payload.viewer) != payload.body:
            reason = f"{payload.viewer} was shown something else at version {payload.version}"
            found.append(Contradiction(log.match_id, "shown", reason, (each.place,)))
    return found, unchecked


def _results(documents: Sequence[Document], log: GivenLog) -> tuple[list[Contradiction], list[str]]:
    """Signed results made again from a full log: they have to be what was signed."""
    found: list[Contradiction] = []
    unchecked: list[str] = []
    for each in documents:
        payload, place = each.payload, each.place
        if not isinstance(payload, ResultOf) or payload.match_id != log.match_id:
            continue
        if log.viewer != ALL or payload.form != RESULT_FORM:
            unchecked.append(f"{place}: only a full log, and the same form, says what it had to be")
            continue
        if payload.version > log.newest:
            continue  # Said already.
        wanted = result_in([decode(record) for record in log.records[: payload.version]])
        if any(getattr(wanted, n) != getattr(payload, n) for n in Result.__struct_fields__):
            reason = f"the result was said to be another at version {payload.version}"
            found.append(Contradiction(log.match_id, "result", reason, (place,)))
    return found, unchecked


def _digest(tag: str, current: Match, name: str) -> str:
    named = {viewer_name(viewer): viewer for viewer in (SPECTATOR, *range(current.seats))}
    viewer: Viewer = named.get(name, SPECTATOR)
    if tag == DECISION:
        return body_digest(msgspec.json.encode(queries.decision_of(current, viewer)))
    return body_digest(Encodings().view(current, viewer))


def _tell(report: Report) -> None:
    for fault in report.faults:
        say(f"wrong: {fault}")
    for each in report.contradictions:
        say(f"contradiction: match {each.match_id}: {each.reason} ({', '.join(each.places)})")
    for limit in report.unchecked:
        say(f"not checked: {limit}")
    outcome = "nothing is wrong" if report.ok else "something is wrong"
    say(f"{report.documents} signed documents: {outcome}")
