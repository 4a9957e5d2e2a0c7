"""What seats put into the seed of a match, in two steps: all commit, then all open.

So nobody, the operator included, chooses what goes in once it knows what the others put in.
"""

from hashlib import sha256
from typing import Final, TypeAlias, TypeVar

import msgspec
from msgspec.structs import replace

from events.chain import id_bytes
from events.types import EntropyClosed, EntropyCommitted, EntropyOpened

OPENING_BYTES: Final = 32
_TAG: Final = b"plyscribe/entropy/1"

T = TypeVar("T")

EntropyEvent: TypeAlias = EntropyCommitted | EntropyClosed | EntropyOpened


class Entropy(msgspec.Struct, frozen=True):
    """By seat, in hex. `said`: the seat has committed, or said that it puts nothing in.

    `is_closed`: all have said what they commit to; from then on they open it.
    """

    said: tuple[bool, ...]
    commitments: tuple[str | None, ...]
    openings: tuple[str | None, ...]
    is_closed: bool = False

    @property
    def awaited(self) -> tuple[int, ...]:
        """The seats the start waits for: they have to commit, or once it is closed to open."""
        if not self.is_closed:
            return tuple(seat for seat, said in enumerate(self.said) if not said)
        pairs = enumerate(zip(self.commitments, self.openings, strict=True))
        return tuple(seat for seat, (put, opened) in pairs if put and not opened)

    @property
    def is_complete(self) -> bool:
        return self.is_closed and not self.awaited


def none_yet(seats: int) -> Entropy:
    return Entropy((False,) * seats, (None,) * seats, (None,) * seats)


def commitment_of(match_id: str, seat: int, opening: bytes) -> str:
    """SHA-256 over the match, the seat and its 32 random bytes, in hex."""
    return sha256(_TAG + id_bytes(match_id) + seat.to_bytes(2, "big") + opening).hexdigest()


def opens(entropy: Entropy, match_id: str, seat: int, opening: str) -> bool:
    """Whether it is what the seat committed to, in hex as it is always written."""
    try:
        data = bytes.fromhex(opening)
    except ValueError:
        return False
    is_spelled = len(data) == OPENING_BYTES and data.hex() == opening
    return is_spelled and commitment_of(match_id, seat, data) == entropy.commitments[seat]


def after(entropy: Entropy, event: EntropyEvent) -> Entropy:
    match event:
        case EntropyCommitted(seat=seat, commitment=commitment):
            return replace(
                entropy,
                said=put(entropy.said, seat, value=True),
                commitments=put(entropy.commitments, seat, commitment),
            )
        case EntropyClosed():
            return replace(entropy, is_closed=True)
        case EntropyOpened(seat=seat, opening=opening):
            return replace(entropy, openings=put(entropy.openings, seat, opening))


def without(entropy: Entropy, seat: int) -> Entropy:
    """The seat was released: whoever takes it commits anew."""
    return replace(
        entropy,
        said=put(entropy.said, seat, value=False),
        commitments=put(entropy.commitments, seat, None),
    )


def put(values: tuple[T, ...], seat: int, value: T) -> tuple[T, ...]:
    return (*values[:seat], value, *values[seat + 1 :])
