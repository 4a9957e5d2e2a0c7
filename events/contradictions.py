"""Signed documents about matches held against each other, and against the log of a match.

Two documents that can't both be true prove that whoever signed them lied to somebody.
"""

from collections.abc import Iterable, Mapping
from typing import Final, TypeAlias

import msgspec

from events.canonical import canonical
from events.evidence import (
    DECISION,
    FIRST_REFUSAL,
    Evidence,
    HeadOf,
    Payload,
    ReceiptOf,
    RefusalOf,
    ResultOf,
    ShownOf,
    link,
)
from events.known_log import KnownLog
from events.match import Match
from events.refused import ANSWERED, NotChecked, is_opened, why_wrong
from events.schema import is_known
from events.types import By
from games.core.game import ALL
from games.registry import UnknownGame

FORK: Final = "fork"
TWICE: Final = "twice"
CHAIN: Final = "chain"
HEAD: Final = "head"


class Document(msgspec.Struct, frozen=True):
    """A document with what it says and where it was found.

    `salt` (hex) and `move` are what was kept beside a refusal.
    """

    evidence: Evidence
    payload: Payload
    place: str
    salt: str | None = None
    move: msgspec.Raw | None = None


class Contradiction(msgspec.Struct, frozen=True):
    """`code` is for programs: fork, twice, chain, head, receipt, refusal, shown, result, late,
    overdue.

    `match_id` is None where it is about the log of all matches. `places` are where the documents
    and logs were found that prove it.
    """

    match_id: str | None
    code: str
    reason: str
    places: tuple[str, ...]


Said: TypeAlias = tuple[str, str]  # what was said, and where


def between(documents: Iterable[Document]) -> list[Contradiction]:
    """What the documents of the same matches say against each other."""
    heads: dict[tuple[str, int], Said] = {}
    once: dict[tuple[str, ...], Said] = {}
    links: dict[tuple[str, int, int], Said] = {}
    found: list[Contradiction] = []
    listed = list(documents)
    for each in listed:
        match_id, version, head = match_id_of(each.payload), *head_of(each.payload)
        known = heads.setdefault((match_id, version), (head, each.place))
        if known[0] != head:
            reason = f"event {version} has two hashes: there are two logs"
            found.append(Contradiction(match_id, FORK, reason, (known[1], each.place)))
        for name, said in _said_once(each):
            known = once.setdefault((match_id, *name), (said, each.place))
            if known[0] != said:
                reason = f"two that are told once: {' '.join(name)}"
                found.append(Contradiction(match_id, TWICE, reason, (known[1], each.place)))
        if isinstance(each.payload, RefusalOf):
            place = (match_id, each.payload.seat, each.payload.number)
            links[place] = (link(canonical(each.payload)), each.place)
    return found + _broken_chains(listed, links)


def against(
    documents: Iterable[Document], log: KnownLog, *, is_whole: bool = True
) -> list[Contradiction]:
    """What documents say against a log of their match.

    A document of a later version than its last means that it was cut short, unless it need not be
    the whole log.
    """
    found = []
    for each in documents:
        if match_id_of(each.payload) != log.match_id:
            continue
        if not is_whole and head_of(each.payload)[0] > log.newest:
            continue
        reason = _not_there(each.payload, log)
        code = HEAD
        if reason is None and isinstance(each.payload, ReceiptOf):
            code, reason = "receipt", _not_played(each.payload, log)
        if reason is not None:
            found.append(Contradiction(log.match_id, code, reason, (each.place, log.place)))
    return found


def refused_wrongly(
    documents: Iterable[Document], log: KnownLog
) -> tuple[list[Contradiction], list[str]]:
    """Refusals of the log's match that the rules do not bear out, and what can't be told of which.

    The documents have to go with the log's hashes.
    """
    own = [(d, d.payload) for d in documents if isinstance(d.payload, RefusalOf)]
    own = [each for each in own if each[1].match_id == log.match_id]
    own = [each for each in own if _not_there(each[1], log) is None]
    if not own:
        return [], []
    if log.viewer != ALL:
        return [], ["whether refusals were right: only a full log tells"]
    try:
        then = log.after({payload.version for _, payload in own})
    except UnknownGame as unknown:
        return [], [f"whether refusals were right: the game is not here ({unknown})"]
    found, unchecked = [], []
    for each, payload in own:
        name = f"refusal {payload.number} of seat {payload.seat}"
        if not is_opened(payload, each.salt, each.move):
            reason: str | None = "another move was submitted"
        else:
            try:
                reason = _why_wrong(payload, each.move, then.get(payload.version), log)
            except NotChecked as limit:
                reason = None
                unchecked.append(f"{name}: {limit}")
        if reason is not None:
            told = f"{name} was wrong: {reason}"
            found.append(Contradiction(log.match_id, "refusal", told, (each.place, log.place)))
    return found, unchecked


def why_open(log: KnownLog) -> str:
    """Why it can't be told how a match stood at an event of a full log."""
    if log.newer is None:
        return "the rules are those of another release"
    return f"event {log.newer} is of a newer release"


def _why_wrong(
    payload: RefusalOf, move: msgspec.Raw | None, then: Match | None, log: KnownLog
) -> str | None:
    """Raises: NotChecked."""
    # The answer may be among what can't be read.
    is_open = payload.code == ANSWERED and (payload.seat, payload.decision) not in log.answered
    if then is None or (is_open and log.newer is not None):
        raise NotChecked(why_open(log))
    return why_wrong(payload, move, then, log.answered)


def _not_there(payload: Payload, log: KnownLog) -> str | None:
    version, head = head_of(payload)
    if version > log.newest:
        return f"event {version} was signed and is not in the log"
    if log.heads.get(version, head) != head:
        return f"event {version} has another hash in the log"
    if version < 1:
        return f"there is no event {version}"
    return None


def _not_played(payload: ReceiptOf, log: KnownLog) -> str | None:
    """What a receipt says of the event it acknowledges that the log does not."""
    first, seat = payload.first, payload.seat
    own = log.commitments.get(first)
    if own is not None and (not 0 <= seat < len(own) - 2 or own[seat + 1] != payload.commitment):
        return f"seat {seat} was shown another event {first}"
    at = log.at(first)
    if at is not None and at != payload.at:
        return f"event {first} has another time in the log"
    line = log.lines.get(first)
    if line is None or log.viewer not in (ALL, seat):
        return None
    if not is_known(line["kind"], line.get("schema", 1)):
        return None  # A newer release says in another way what was played.
    said = (line["kind"], line.get("seat"), line.get("decision"), line.get("by", By.SEAT))
    if said != ("move_played", seat, payload.decision, By.SEAT):
        return f"event {first} is not what seat {seat} played"
    return None


def match_id_of(payload: Payload) -> str:
    return payload.match_id


def head_of(payload: Payload) -> tuple[int, str]:
    """The version a document speaks of, and the hash it says it has."""
    if isinstance(payload, ReceiptOf):
        return payload.last, payload.head
    return payload.version, payload.head


def _said_once(document: Document) -> list[tuple[tuple[str, ...], str]]:
    """What can be said in one way only: its name, and what is said."""
    payload = document.payload
    match payload:
        case ReceiptOf(seat=seat, decision=str(decision)):
            return [(("answer", str(seat), decision), canonical(payload).decode())]
        case RefusalOf(seat=seat, number=number):
            return [(("refusal", str(seat), str(number)), canonical(payload).decode())]
        case ShownOf(form=form, viewer=viewer, version=version, body=body):
            kind = "decision" if document.evidence.tag == DECISION else "view"
            return [((kind, viewer, str(version), f"form {form}"), body)]
        case ResultOf(form=form, version=version):
            return [(("result", str(version), f"form {form}"), canonical(payload).decode())]
        case ReceiptOf() | HeadOf():
            return []


def _broken_chains(
    documents: Iterable[Document], links: Mapping[tuple[str, int, int], Said]
) -> list[Contradiction]:
    """Refusals that do not stand behind the one before them, where both are there."""
    found = []
    for each in documents:
        payload = each.payload
        if not isinstance(payload, RefusalOf):
            continue
        before = links.get((payload.match_id, payload.seat, payload.number - 1))
        wanted = FIRST_REFUSAL if payload.number == 1 else before and before[0]
        if wanted is not None and payload.prev != wanted:
            places = (*([before[1]] if before else []), each.place)
            reason = f"refusal {payload.number} of seat {payload.seat} leaves something out"
            found.append(Contradiction(payload.match_id, CHAIN, reason, places))
    return found
