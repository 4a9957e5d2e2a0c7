"""The latest answers that were committed to, by seat and type of move."""

from typing import TYPE_CHECKING

import msgspec

from games.core.game import Seat

if TYPE_CHECKING:
    from events.match import Match


class Answer(msgspec.Struct, frozen=True, gc=False):
    """A committed answer: its type of move, the version that asked for it, the commitment.

    As small as it can be: a match has one by seat and type of move for as long as it is at hand.
    """

    kind: str
    asked: int
    sealed: bytes


def committed(kind: str, decision: str, sealed: str) -> Answer:
    """`sealed` is the commitment in hex."""
    return Answer(kind, int(decision.partition(".")[0]), bytes.fromhex(sealed))


def answer_to(current: "Match", seat: Seat, kind: str) -> tuple[str, str] | None:
    """Decision and commitment, in hex, of the seat's latest committed answer of this type of
    move."""
    for own in current.answers[seat]:
        if own.kind == kind:
            return f"{own.asked}.{seat}", own.sealed.hex()
    return None


def answered(
    answers: tuple[tuple[Answer, ...], ...], seat: Seat, answer: Answer
) -> tuple[tuple[Answer, ...], ...]:
    own = (answer, *(each for each in answers[seat] if each.kind != answer.kind))
    return (*answers[:seat], own, *answers[seat + 1 :])
