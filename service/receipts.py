"""What commands are answered with."""

import msgspec

from events.evidence import Evidence


class Receipt(msgspec.Struct, frozen=True):
    """What a command led to: versions `first` to `last`, `head` the hash of `last` in hex."""

    first: int
    last: int
    head: str


class MoveReceipt(Receipt, frozen=True):
    """`evidence` is the receipt signed: proof that the move was accepted, and when."""

    evidence: Evidence
