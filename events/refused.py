"""Refusals as a bundle keeps them for arbiters, and whether a refusal was right by the rules."""

from collections.abc import Iterable, Mapping
from typing import Final

import msgspec

from events import refusals
from events.canonical import canonical, decoded
from events.chain import salt_in
from events.decide import PlayMove, taken
from events.evidence import (
    FIRST_REFUSAL,
    REFUSAL,
    Evidence,
    EvidenceWrong,
    RefusalOf,
    link,
    payload_of,
    submission,
)
from events.match import Match
from games.core.moves import IllegalMove

# What a refusal says, by what the rules say: the codes of the doors.
CODES: Final[Mapping[type[Exception], str]] = {
    refusals.MatchNotRunning: "match-not-running",
    refusals.MatchUnderReview: "match-under-review",
    refusals.MatchIsPaused: "match-paused",
    refusals.AlreadyResigned: "already-resigned",
    refusals.DecisionClosed: "decision-closed",
    refusals.OfferGone: "offer-gone",
    IllegalMove: "move-not-offered",
}
ANSWERED: Final = "decision-answered"
GROUP_CLOSED: Final = "deal-group-closed"
MATCH_CLOSED: Final = "match-closed"
FELL: Final = "flag-fell"  # also of a flag that the log does not say yet
_OF_OFFERS: Final = (CODES[refusals.OfferGone], CODES[IllegalMove])


class KeptRefusal(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`salt` (hex) opens what `evidence` says was submitted; both it and `move` may be gone.

    `move` is JSON, null if it is gone.
    """

    evidence: Evidence
    salt: str | None
    move: msgspec.Raw


class NotChecked(Exception):
    """Why it can't be told whether a refusal was right."""


def line(refusal: KeptRefusal) -> bytes:
    """As a bundle holds it."""
    evidence = msgspec.structs.asdict(refusal.evidence)
    said = {**evidence, "payload": decoded(refusal.evidence.payload)}
    return canonical({"evidence": said, "move": _wire(refusal.move), "salt": refusal.salt})


def refusals_in(data: bytes) -> tuple[KeptRefusal, ...]:
    """Raises: ValueError for any other form than ours."""
    if not data.endswith(b"\n"):
        raise ValueError("does not end with a line")
    found = []
    for each in data[:-1].split(b"\n"):
        try:
            made = _LINE.decode(each)
            is_own_form = line(made) == each
        except (msgspec.MsgspecError, UnicodeDecodeError):
            raise ValueError("can't be read") from None
        if not is_own_form:
            raise ValueError("is not in its one form")
        found.append(made)
    return tuple(found)


def chained(kept: Iterable[KeptRefusal], match_id: str, seats: int) -> tuple[RefusalOf, ...]:
    """What refusals say, which are those of one match: of each seat from the first on, unbroken.

    Raises: ValueError.
    """
    said: list[RefusalOf] = []
    for each in kept:
        try:
            payload = payload_of(each.evidence)
        except EvidenceWrong as wrong:
            raise ValueError(str(wrong)) from None
        is_own = each.evidence.tag == REFUSAL and payload.match_id == match_id
        if not is_own or not isinstance(payload, RefusalOf) or not 0 <= payload.seat < seats:
            raise ValueError("holds something else than refusals of this match")
        before = said[-1] if said and said[-1].seat == payload.seat else None
        if said and payload.seat < said[-1].seat:
            raise ValueError("is not in order")
        number = 1 if before is None else before.number + 1
        prev = FIRST_REFUSAL if before is None else link(canonical(before))
        if payload.number != number or payload.prev != prev:
            raise ValueError(f"leaves out refusal {number} of seat {payload.seat}")
        said.append(payload)
    return tuple(said)


def is_opened(payload: RefusalOf, salt: str | None, move: msgspec.Raw | None) -> bool:
    """Whether the move is the one that was submitted, and the salt one.

    Both may be gone, or the move alone, which may be too long to be kept. A move without its salt
    proves nothing.
    """
    wire = _wire(move)
    if salt is None:
        return wire is None
    try:
        opener = salt_in(salt)
    except ValueError:
        return False
    return wire is None or submission(opener, wire) == payload.submitted


def why_wrong(
    payload: RefusalOf, move: msgspec.Raw | None, then: Match, answered: frozenset[tuple[int, str]]
) -> str | None:
    """Why the refusal was wrong by the rules; None if it was right.

    `then` is the match at the version it names, `answered` are the decisions that seats answered
    in the whole log. Raises: NotChecked.
    """
    code, decision, seat = payload.code, payload.decision, payload.seat
    if not 0 <= seat < then.seats:
        return "the match has no such seat"
    if code == ANSWERED:
        is_right = decision is not None and (seat, decision) in answered
        return None if is_right else "nobody has answered that decision"
    if code in (GROUP_CLOSED, MATCH_CLOSED):
        closes_at = then.created.closes_at
        is_right = closes_at is not None and payload.at >= closes_at
        return None if is_right else "it was not closed"
    if code not in CODES.values():
        raise NotChecked(f"refused as {code}, which leaves nothing in the log")
    found = _found(payload, move, then)
    if found == code:
        return None
    return "the move was on offer" if found is None else f"it was {found}, not {code}"


def _found(payload: RefusalOf, move: msgspec.Raw | None, then: Match) -> str | None:
    """The code the rules have for the move at that time, None if they take it.

    Raises: NotChecked.
    """
    wire = _wire(move)
    try:
        taken(then, PlayMove(payload.seat, payload.decision, wire, bytes(32)))
    except (refusals.Refused, IllegalMove) as refused:
        found = FELL if isinstance(refused, refusals.FlagHasFallen) else CODES[type(refused)]
        if wire is None and found in _OF_OFFERS:
            if payload.code in _OF_OFFERS:
                raise NotChecked("the move is not there") from None
            return "an open decision"
        return found
    return None


def _wire(move: msgspec.Raw | None) -> object:
    return None if move is None else decoded(move)


_LINE: Final = msgspec.json.Decoder(KeptRefusal)
