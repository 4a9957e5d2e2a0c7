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

FORK: Final = "fork"
TWICE: Final = "twice"
CHAIN: Final = "chain"


class Document(msgspec.Struct, frozen=True):
    """A document with what it says and where it was found."""

    evidence: Evidence
    payload: Payload
    place: str


class Contradiction(msgspec.Struct, frozen=True):
    """`code` is for programs: fork, twice, chain, head, receipt, shown, result. `places` are where
    the documents were found that prove it.
    """

    match_id: str
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
    documents: Iterable[Document],
    match_id: str,
    heads: Mapping[int, str],
    commitments: Mapping[int, tuple[str, ...]],
    newest: int,
) -> list[Contradiction]:
    """What documents of a match say against its log, whose versions `heads` and `commitments` hold.

    `newest` is the last version of the log: a document of a later one means that it was cut short.
    """
    found = []
    for each in documents:
        payload, place = each.payload, (each.place,)
        if match_id_of(payload) != match_id:
            continue
        version, head = head_of(payload)
        if version > newest:
            reason = f"event {version} was signed and is not in the log"
            found.append(Contradiction(match_id, "head", reason, place))
        elif heads.get(version, head) != head:
            reason = f"event {version} has another hash in the log"
            found.append(Contradiction(match_id, "head", reason, place))
        elif isinstance(payload, ReceiptOf) and _is_another(payload, commitments):
            reason = f"seat {payload.seat} was shown another event {payload.first}"
            found.append(Contradiction(match_id, "receipt", reason, place))
    return found


def _is_another(payload: ReceiptOf, commitments: Mapping[int, tuple[str, ...]]) -> bool:
    own = commitments.get(payload.first)
    return own is not None and own[payload.seat + 1] != payload.commitment


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
