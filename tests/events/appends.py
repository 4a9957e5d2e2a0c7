"""Appends for tests of the store: bodies mean nothing there, only versions, hashes and keys do."""

from collections.abc import Iterable
from hashlib import sha256
from typing import Any
from uuid import uuid4

from msgspec.structs import replace

from events.append import Answer, Append, Appended, NewMatch, Replayed
from events.types import Record, Status

GENESIS = b"\0" * 32
NEW = NewMatch(org="org", game="high_card", rules_version=1, seats=2, data_digest="", created_at=1)


def creation(match_id: str | None = None, key: str = "create", **changes: Any) -> Append:
    """Event 1 of a match."""
    match_id = match_id or str(uuid4())
    made = Append(
        match_id=match_id,
        key=key,
        request=b"create",
        expected_version=0,
        expected_hash=GENESIS,
        records=chained(GENESIS, 0, 1, key),
        status=Status.SEATING,
        created=NEW,
    )
    return replace(made, **changes)


def following(before: Append, key: str, count: int = 1, **changes: Any) -> Append:
    """Events on top of what `before` appended."""
    last = before.last
    made = Append(
        match_id=before.match_id,
        key=key,
        request=b"request " + key.encode(),
        expected_version=last.version,
        expected_hash=last.hash,
        records=chained(last.hash, last.version, count, key),
        status=Status.RUNNING,
    )
    return replace(made, **changes)


def chained(prev: bytes, version: int, count: int, label: str) -> tuple[Record, ...]:
    records = []
    for number in range(version + 1, version + count + 1):
        body = f'{{"label":"{label}","version":{number}}}'.encode()
        prev = sha256(prev + body).digest()
        records.append(Record(number, "move_played", 1, number, body, b"s" * 32, b"f" * 128, prev))
    return tuple(records)


def line(match_id: str, length: int) -> list[Append]:
    """A match of that many appends."""
    appends = [creation(match_id)]
    for number in range(1, length):
        appends.append(following(appends[-1], f"move {number}"))
    return appends


def said(answer: Answer) -> tuple[int, int, bytes]:
    """What an accepted append was answered, the first time or again."""
    assert isinstance(answer, Appended | Replayed), answer
    return answer.first, answer.last, answer.head


def hashes(records: Iterable[Record]) -> list[bytes]:
    return [record.hash for record in records]
