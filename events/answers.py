"""The latest answers that were committed to, by seat and type of move."""

from functools import lru_cache
from typing import TYPE_CHECKING, Final

import msgspec

from games.core.game import Seat

if TYPE_CHECKING:
    from events.match import Match

_VERSION_BYTES: Final = 4
_BYTES: Final = _VERSION_BYTES + 32


class Answers(msgspec.Struct, frozen=True, gc=False):
    """What one seat committed to: types of moves, and the latest answer of each, joined.

    An answer is the version that asked for it and the commitment. A match has these for as long as
    it is at hand, so they are as small as they can be.
    """

    kinds: tuple[str, ...] = ()
    joined: bytes = b""


NONE: Final = Answers()


def answer_to(current: "Match", seat: Seat, kind: str) -> tuple[str, str] | None:
    """Decision and commitment, in hex, of the seat's latest committed answer of this type of
    move."""
    own = current.answers[seat]
    if kind not in own.kinds:
        return None
    place = own.kinds.index(kind) * _BYTES
    sealed = place + _VERSION_BYTES
    asked = int.from_bytes(own.joined[place:sealed])
    return f"{asked}.{seat}", own.joined[sealed : place + _BYTES].hex()


def answered(own: Answers, kind: str, decision: str, sealed: str) -> Answers:
    """After one more answer, to a decision; `sealed` is the commitment in hex."""
    asked = int(decision.partition(".")[0])
    answer = asked.to_bytes(_VERSION_BYTES) + bytes.fromhex(sealed)
    joined = own.joined
    if kind not in own.kinds:
        return Answers(_with(own.kinds, kind), joined + answer)
    place = own.kinds.index(kind) * _BYTES
    return Answers(own.kinds, joined[:place] + answer + joined[place + _BYTES :])


@lru_cache(1024)
def _with(kinds: tuple[str, ...], kind: str) -> tuple[str, ...]:
    """Matches of a game share these."""
    return (*kinds, kind)
