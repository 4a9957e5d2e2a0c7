"""All that somebody kept of matches, each by itself and held against everything else."""

from collections.abc import Iterable, Sequence
from functools import partial
from itertools import combinations

import msgspec

from events.bundle import keys_in, perspective_of
from events.contradictions import (
    FORK,
    Contradiction,
    Document,
    against,
    between,
    match_id_of,
    refused_wrongly,
)
from events.evidence import EvidenceWrong, HeadOf, ShownOf, verify
from events.forks import forks, unjoined
from events.known_log import KnownLog
from events.signing import SKEW_MS, PublicKey, SignatureWrong
from events.statements import Fork, Statement, first_key, followed
from events.trust import Trusted
from events.verify_signed import refusals_of
from games.core.game import ALL
from service.cli.evidence_files import UNREADABLE, Finding, Kept
from service.cli.remaking import result_otherwise, shown_otherwise
from service.cli.sources import Source

UNSIGNED = "signatures: no keys were given"
WHOSE = "whose the signatures are: no keys were given"
NO_KEY = "signatures: no key for receipts is trusted"


class Verdict(msgspec.Struct, frozen=True):
    """What is said of one file: a `bundle`, `evidence`, which is all that is JSON, or `unreadable`.

    `match_id`, `perspective`, `events` and `head` are of the log in it, null without one;
    `documents` is how many signed ones it holds. Of a log the first fault is told.
    """

    file: str
    kind: str
    ok: bool
    match_id: str | None
    perspective: str | None
    events: int | None
    head: str | None
    documents: int
    faults: tuple[Finding, ...]
    checked: tuple[str, ...]
    unchecked: tuple[str, ...]


class Summary(msgspec.Struct, frozen=True):
    """`contradictions` can't be true together; `unchecked` is what all the files leave open."""

    ok: bool
    files: tuple[Verdict, ...]
    contradictions: tuple[Contradiction, ...]
    unchecked: tuple[str, ...]


def judged(sources: Sequence[Source], kept: Sequence[Kept], trusted: Trusted | None) -> Summary:
    """The verdict on all of it together."""
    forked: list[Contradiction] = []
    if trusted is None:
        signers = _own_keys(sources, kept)
    else:
        signers, forked = followed_all(trusted, [*_told(sources), *stated(kept)])
    documents = [document for each in kept for document in each.documents]
    unsigned, limits = _signatures(documents, signers, is_trusted=trusted is not None)
    # What is wrongly signed is nobody's word.
    words = [each for number, each in enumerate(documents) if number not in unsigned]
    has_logs = trusted is not None and bool(trusted.keys)
    found, more = _together(sources, words, signers, is_one_log=has_logs)
    own = {each.file for each in kept}
    by_file = {each.file: each for each in sources if each.file in own}
    files = [
        *(_of_bundle(each) for each in sources if each.file not in own),
        *(_of_kept(each, by_file.get(each.file), unsigned.values()) for each in kept),
    ]
    unique = tuple(dict.fromkeys([*forked, *found]))
    is_ok = not unique and all(each.ok for each in files)
    return Summary(is_ok, tuple(files), unique, tuple(dict.fromkeys([*limits, *more])))


def with_unread(summary: Summary, unread: Iterable[Finding]) -> Summary:
    """Files that can't be read are told of beside the others, and not all is well then."""
    told = tuple(_verdict(each.place, UNREADABLE, None, 0, [each]) for each in unread)
    files = (*summary.files, *told)
    return msgspec.structs.replace(summary, ok=summary.ok and not told, files=files)


def _together(
    sources: Sequence[Source],
    documents: Sequence[Document],
    signers: Trusted,
    *,
    is_one_log: bool,
) -> tuple[list[Contradiction], list[str]]:
    """What contradicts each other, and what can't be told.

    `is_one_log`: all proofs are of a log that is trusted.
    """
    logs = [each.log for each in sources if each.log is not None]
    sound = [each for each in sources if each.is_sound]
    bundles = {each.file: each.bundle for each in sound if each.bundle is not None}
    inside = [d for name, each in bundles.items() for d in refusals_of(each, f"{name}:refusals")]
    found = between([*documents, *inside]) + _late(documents, logs, signers)
    for fork in forks(bundles, is_one_log=is_one_log):
        found.append(Contradiction(fork.match_id, FORK, fork.reason, (fork.one, fork.other)))
    found += _parted(sound)
    limits = list(unjoined(bundles, is_one_log=is_one_log))
    newest: dict[str, int] = {}
    for log in logs:
        newest[log.match_id] = max(log.newest, newest.get(log.match_id, 0))
    for log in logs:  # A shorter one may be older.
        is_whole = log.newest == newest[log.match_id]
        found += against([*documents, *inside], log, is_whole=is_whole)
    best = _best([each.log for each in sound if each.log is not None])
    for log in best:
        for find in (refused_wrongly, shown_otherwise, result_otherwise):
            wrong, open_ = find(documents, log)
            found, limits = found + wrong, limits + open_
    without = {match_id_of(each.payload) for each in documents} - {log.match_id for log in best}
    limits += [f"match {each}: no sound log of it was given" for each in sorted(without)]
    return found, limits


def _best(logs: Iterable[KnownLog]) -> list[KnownLog]:
    """Of each match its full log that goes furthest, or else any."""
    found: dict[str, KnownLog] = {}
    for log in sorted(logs, key=lambda each: (each.viewer == ALL, each.newest)):
        found[log.match_id] = log
    return list(found.values())


def _parted(sources: Sequence[Source]) -> list[Contradiction]:
    """Sound logs of one match that are not the same; of two bundles forks() tells."""
    found = []
    for one, other in combinations(sources, 2):
        if one.log is None or other.log is None or one.log.match_id != other.log.match_id:
            continue
        if one.bundle is not None and other.bundle is not None:
            continue
        both = sorted(set(one.log.heads) & set(other.log.heads))
        version = next((v for v in both if one.log.heads[v] != other.log.heads[v]), None)
        if version is not None:
            reason = f"event {version} is not the same in both: there are two logs"
            found.append(Contradiction(one.log.match_id, FORK, reason, (one.file, other.file)))
    return found


def _late(
    documents: Iterable[Document], logs: Iterable[KnownLog], signers: Trusted
) -> list[Contradiction]:
    """What a retired key says of an event that came long after its retirement."""
    found = []
    by_match = {log.match_id: log for log in sorted(logs, key=lambda each: each.newest)}
    for each in documents:
        payload, log = each.payload, by_match.get(match_id_of(each.payload))
        if log is None or not isinstance(payload, ShownOf | HeadOf):
            continue
        at, retired_at = log.at(payload.version), signers.retired_at(each.evidence.kid)
        if at is not None and retired_at is not None and at > retired_at + SKEW_MS:
            reason = f"a key that was retired before signed what is of event {payload.version}"
            found.append(Contradiction(log.match_id, "late", reason, (each.place, log.place)))
    return found


def _signatures(
    documents: Sequence[Document], signers: Trusted, *, is_trusted: bool
) -> tuple[dict[int, Finding], list[str]]:
    """What is wrongly signed, by the place of the document among them, and what can't be told.

    Without a trust the keys are what the files say they are: what they signed is theirs at least.
    """
    keys, found, is_open = signers.receipts, dict[int, Finding](), False
    kids = {each.kid for each in keys}
    for number, each in enumerate(documents):
        if not kids or (not is_trusted and each.evidence.kid not in kids):
            is_open = True
            continue
        try:
            verify(each.evidence, keys)
        except (EvidenceWrong, SignatureWrong) as wrong:
            found[number] = Finding(each.place, "signature", f"{each.evidence.tag}: {wrong}")
    limits = [] if is_trusted or not documents else [WHOSE]
    if is_open:
        limits = [NO_KEY if is_trusted else UNSIGNED]
    return found, limits


def followed_all(
    trusted: Trusted, told: Iterable[tuple[str, Sequence[Statement]]]
) -> tuple[Trusted, list[Contradiction]]:
    """What the statements of all files lead to, and which files have two logs."""
    joined: list[tuple[str, Sequence[Statement]]] = []
    found = []
    for file, statements in told:
        known = [*joined, (file, statements)]
        try:
            trusted, joined = trusted.following(statements), known
        except Fork as fork:
            places = dict.fromkeys(_where(known, each) for each in fork.both)
            found.append(Contradiction(None, FORK, str(fork), tuple(places)))
    return trusted, found


def _where(told: Iterable[tuple[str, Sequence[Statement]]], statement: Statement) -> str:
    """The first file that has it."""
    return next(file for file, statements in told if statement in statements)


def _told(sources: Iterable[Source]) -> list[tuple[str, Sequence[Statement]]]:
    bundles = [(e.file, e.bundle) for e in sources if e.bundle is not None and e.is_sound]
    return [(file, bundle.statements) for file, bundle in bundles if bundle.statements]


def stated(kept: Iterable[Kept]) -> list[tuple[str, Sequence[Statement]]]:
    return [(each.file, each.statements) for each in kept if each.statements]


def _own_keys(sources: Iterable[Source], kept: Iterable[Kept]) -> Trusted:
    """Keys as the files themselves tell of them."""
    known: list[PublicKey] = []
    for each in sources:
        if each.bundle is not None and each.is_sound:
            known += keys_in(each.bundle.keys) if each.bundle.keys else ()
    for _, statements in [*_told(sources), *stated(kept)]:
        try:
            known += followed(first_key(statements), statements)
        except Fork:
            continue
    return Trusted((), tuple(known))


def _of_bundle(source: Source) -> Verdict:
    return _verdict(source.file, "bundle", source, 0, [])


def _of_kept(kept: Kept, source: Source | None, unsigned: Iterable[Finding]) -> Verdict:
    own = (each for each in unsigned if each.place.rpartition(":")[0] == kept.file)
    faults = [*kept.faults, *own]
    return _verdict(kept.file, "evidence", source, len(kept.documents), faults, kept.limits)


def _verdict(
    file: str,
    kind: str,
    source: Source | None,
    documents: int,
    faults: Sequence[Finding],
    limits: Sequence[str] = (),
) -> Verdict:
    log = None if source is None else source.log
    told = partial(Verdict, file=file, kind=kind, documents=documents)
    own = [source.fault] if source is not None and source.fault is not None else []
    refusals = len(source.bundle.refusals) if source is not None and source.bundle else 0
    return told(
        ok=not faults and not own,
        match_id=None if log is None else log.match_id,
        perspective=None if log is None else perspective_of(log.viewer),
        events=None if log is None else len(log.lines),
        head=None if log is None else log.heads[log.newest],
        documents=documents + refusals,
        faults=(*faults, *own),
        checked=() if source is None else source.checked,
        unchecked=(*limits, *(() if source is None else source.unchecked)),
    )
