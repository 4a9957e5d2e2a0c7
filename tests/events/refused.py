"""Refusals of scripted matches, signed and chained by a key of the tests' own."""

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from events.bundle import key_set
from events.canonical import canonical, raw
from events.evidence import FIRST_REFUSAL, REFUSAL, RefusalOf, document, link, submission
from events.refused import KeptRefusal, line
from events.signing import Purpose, SigningKey, new_key, sign
from tests.events.bundled import KEY
from tests.events.scripted import NOON, Table

RECEIPTS: SigningKey = new_key(Purpose.RECEIPTS, bytes(range(2, 34)), NOON)
KEYS_TOO = key_set(sorted((KEY.public, RECEIPTS.public), key=lambda each: each.kid))
SALT = bytes(range(32))


class Refused(msgspec.Struct, frozen=True):
    """What a seat sent at a version, and the code it was refused with."""

    version: int
    seat: int
    decision: str | None
    move: Any
    code: str
    at: int = NOON + 1


def kept(at: Table, refused: Sequence[Refused], key: SigningKey = RECEIPTS) -> list[KeptRefusal]:
    """In the order given, which is by seat."""
    found: list[KeptRefusal] = []
    before: RefusalOf | None = None
    for each in refused:
        if before is not None and before.seat != each.seat:
            before = None
        said = RefusalOf(
            match_id=at.current.match_id,
            seat=each.seat,
            number=1 if before is None else before.number + 1,
            prev=FIRST_REFUSAL if before is None else link(canonical(before)),
            decision=each.decision,
            submitted=submission(SALT, each.move),
            code=each.code,
            version=each.version,
            head=at.records[each.version - 1].hash.hex(),
            at=each.at,
        )
        before = said
        found.append(signed(said, each.move, key))
    return found


def signed(said: RefusalOf, move: Any, key: SigningKey = RECEIPTS) -> KeptRefusal:
    payload = canonical(said)
    evidence = document(REFUSAL, payload, sign(key, REFUSAL, payload))
    return KeptRefusal(evidence, SALT.hex(), raw(move))


def lines(refusals: Sequence[KeptRefusal]) -> bytes:
    return b"".join(line(each) + b"\n" for each in refusals)


def without_move(refusal: KeptRefusal) -> KeptRefusal:
    return replace(refusal, move=raw(None), salt=None)
