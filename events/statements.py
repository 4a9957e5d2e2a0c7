"""What the log says about its own keys, and whom to trust that trusts one of them.

docs/auditing.md, "Following keys". A statement counts if a trusted key for checkpoints signed it.
"""

from collections.abc import Iterable
from heapq import heappop, heappush
from typing import Any, Final

import msgspec

from events.canonical import canonical, decoded
from events.signing import KeySet, PublicKey, Purpose, Signature, SignatureWrong

TAG: Final = "plyscribe/statement/1"  # of the signature on a statement
INTRODUCED: Final = "key_introduced"
RETIRED: Final = "key_retired"
ORIGIN_CHANGED: Final = "origin_changed"


class Statement(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A leaf of the log about the log: `position` in it, and by which key it was signed."""

    kid: str
    position: int
    signature: str
    statement: msgspec.Raw

    @property
    def said(self) -> dict[str, Any]:
        """Raises: ValueError for what is no statement."""
        told = decoded(self.statement)
        is_one = isinstance(told, dict) and isinstance(told.get("at"), int)
        if not is_one or not isinstance(told.get("kind"), str):
            raise ValueError("is no statement of a log")
        return dict(told)


class Fork(Exception):
    """Two statements of one position that trusted keys signed: `both`, as they were given."""

    def __init__(self, one: Statement, other: Statement) -> None:
        super().__init__(f"the log says two things at position {one.position}")
        self.both = (one, other)


def line(statement: Statement) -> bytes:
    """As a bundle holds it."""
    return canonical(msgspec.structs.replace(statement, statement=_again(statement)))


def statements_in(data: bytes) -> tuple[Statement, ...]:
    """The statements of a bundle, all of which count for who trusts the log's first key.

    Raises: ValueError for any other form than ours, or where one does not count.
    """
    if not data.endswith(b"\n"):
        raise ValueError("does not end with a line")
    found: list[Statement] = []
    for text in data[:-1].split(b"\n"):
        try:
            made = _LINE.decode(text)
            is_own_form = line(made) == text
        except (msgspec.MsgspecError, UnicodeDecodeError):
            raise ValueError("can't be read") from None
        if not is_own_form or made.position <= (found[-1].position if found else 0):
            raise ValueError("is not in its one form, or not in order")
        found.append(made)
    _, counted = _follow(first_key(found), found)
    for each in found:
        if each.position not in counted:
            raise ValueError(f"nobody vouches for the statement at position {each.position}")
    return tuple(found)


def first_key(statements: Iterable[Statement]) -> tuple[PublicKey, ...]:
    """The key that introduces itself, if there is one and no other."""
    own = [(each, introduced(each)) for each in statements]
    found = [key for each, key in own if key is not None and key.kid == each.kid]
    return tuple(found) if len(found) == 1 else ()


def introduced(statement: Statement) -> PublicKey | None:
    """The key that a statement makes known. None if it is no introduction, or names it wrongly."""
    try:
        told = statement.said
        if told["kind"] != INTRODUCED:
            return None
        jwk = {**told["key"], "purpose": told["purpose"], "created_at": told["at"]}
        (key,) = KeySet.of_jwks(canonical({"keys": [jwk]}))
    except (SignatureWrong, ValueError, KeyError, TypeError):
        return None
    return key if key.kid == told["kid"] else None


def followed(keys: Iterable[PublicKey], statements: Iterable[Statement]) -> tuple[PublicKey, ...]:
    """The keys somebody knows who trusts `keys`, with the times they were retired at.

    Raises: Fork.
    """
    known, _ = _follow(keys, statements)
    return tuple(known.values())


def _follow(
    keys: Iterable[PublicKey], statements: Iterable[Statement]
) -> tuple[dict[str, PublicKey], dict[int, Statement]]:
    """The keys that are known in the end, and by position what counted on the way. Raises: Fork."""
    known = {each.kid: each for each in keys}
    counted: dict[int, Statement] = {}
    ordered = sorted(statements, key=lambda each: each.position)
    waiting: dict[str, list[int]] = {}  # places in `ordered`, by a key that is not known yet
    # The first keys of a log may stand in it in any order: what stands before the key that signed
    # it has its turn in the next round. What does not count when its key is known never does.
    turns = [(0, place) for place in range(len(ordered))]  # a round, and in it a place
    while turns:
        turn, place = heappop(turns)
        each = ordered[place]
        if each.kid not in known:
            waiting.setdefault(each.kid, []).append(place)
        elif _counts(each, known[each.kid]):
            first = counted.setdefault(each.position, each)
            if _again(first) != _again(each):
                raise Fork(first, each)
            for other in waiting.pop(_learn(each, known) or "", ()):
                heappush(turns, (turn + (other < place), other))
    return known, counted


def _learn(statement: Statement, known: dict[str, PublicKey]) -> str | None:
    """The id of the key that the statement introduces."""
    key = introduced(statement)
    if key is not None:
        known.setdefault(key.kid, key)
        return key.kid
    told = statement.said
    own = known.get(str(told.get("kid")))
    if told["kind"] == RETIRED and own is not None and told.get("purpose") == own.purpose:
        at = told["at"] if own.retired_at is None else min(own.retired_at, told["at"])
        known[own.kid] = msgspec.structs.replace(own, retired_at=at)
    return None


def _counts(statement: Statement, key: PublicKey) -> bool:
    """By the key that it names."""
    try:
        at = statement.said["at"]
    except ValueError:
        return False
    return (key.retired_at is None or at <= key.retired_at) and _is_signed(statement, key)


def _is_signed(statement: Statement, key: PublicKey) -> bool:
    signed = Signature(statement.kid, statement.signature)
    try:
        leaf = bytes(_again(statement))
        KeySet([key]).verify(Purpose.CHECKPOINTS, TAG, leaf, signed)
    except SignatureWrong:
        return False
    return True


def _again(statement: Statement) -> msgspec.Raw:
    """Its canonical JSON: the leaf."""
    return msgspec.Raw(canonical(decoded(statement.statement)))


_LINE: Final = msgspec.json.Decoder(Statement)
