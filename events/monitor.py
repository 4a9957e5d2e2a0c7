"""What somebody who follows a log knows of it, and what contradicts that: no I/O in here.

Every leaf is hashed in, so a root that goes with it continues all roots before, and whether an
entry is in the log shows by its place.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from events import merkle
from events.canonical import canonical, raw
from events.notes import Checkpoint
from events.signing import PublicKey, Purpose
from events.statements import Fork, Statement, followed


class Contradiction(Exception):
    """Two things that were said don't go together: the log forked, or something is not in it."""


class Subtree(msgspec.Struct, frozen=True):
    """A complete subtree of 2**height leaves, by its hash in hex."""

    height: int
    hash: str


class Known(msgspec.Struct, frozen=True):
    """A log as far as it was followed.

    `frontier` are the complete subtrees that make up its `size` leaves, from the left. `keys` are
    the public keys (hex) that are trusted to sign checkpoints. `matches` holds by id how many
    events are known and the hash of the last in hex. `note` is the last checkpoint.
    """

    origin: str
    keys: tuple[str, ...]
    size: int = 0
    frontier: tuple[Subtree, ...] = ()
    note: str = ""
    matches: dict[str, tuple[int, str]] = {}

    @property
    def root(self) -> bytes:
        """Of all leaves."""
        if not self.frontier:
            return merkle.EMPTY
        *rest, last = (bytes.fromhex(each.hash) for each in self.frontier)
        for each in reversed(rest):
            last = merkle.node_hash(each, last)
        return last


def grown(known: Known, checkpoint: Checkpoint, note: str, hashes: Sequence[bytes]) -> Known:
    """The log with the next leaves, by their hashes, up to a checkpoint with a right signature.

    Raises: Contradiction if the signed root is of other leaves.
    """
    if checkpoint.origin != known.origin:
        raise Contradiction(f"the log was called {known.origin}, now it is {checkpoint.origin}")
    if checkpoint.size < known.size:
        raise Contradiction(f"the log had {known.size} leaves, now it has {checkpoint.size}")
    assert len(hashes) == checkpoint.size - known.size
    found = msgspec.structs.replace(extended(known, hashes), note=note)
    if found.root != checkpoint.root:
        size = found.size
        raise Contradiction(
            f"the signed root of {size} leaves does not continue the {known.size} leaves known"
        )
    return found


def extended(known: Known, hashes: Sequence[bytes]) -> Known:
    """The log with the next leaves, by their hashes, whatever was signed of them."""
    frontier = list(known.frontier)
    for each in hashes:
        frontier.append(Subtree(0, each.hex()))
        while len(frontier) > 1 and frontier[-1].height == frontier[-2].height:
            right, left = frontier.pop(), frontier.pop()
            joined = merkle.node_hash(bytes.fromhex(left.hash), bytes.fromhex(right.hash))
            frontier.append(Subtree(left.height + 1, joined.hex()))
    size = known.size + len(hashes)
    return msgspec.structs.replace(known, size=size, frontier=tuple(frontier))


def placed(hashes: Sequence[bytes], start: int, position: int, leaf: bytes) -> None:
    """That a leaf stands at a position of the log; `hashes` are those after `start` leaves.

    Raises: Contradiction.
    """
    index = position - 1 - start
    if not 0 <= index < len(hashes) or merkle.leaf_hash(leaf) != hashes[index]:
        raise Contradiction(f"what is told of position {position} is not what the log has there")


def leaf_of(entry: Mapping[str, Any]) -> bytes:
    """The leaf of an entry of a feed, out of what the feed tells of it."""
    return canonical(
        {
            "first": entry["first"],
            "head_after": entry["head"],
            "head_before": entry["before"],
            "kind": "match",
            "last": entry["last"],
            "match_id": entry["match_id"],
        }
    )


def continued(known: Known, entry: Mapping[str, Any]) -> tuple[Known, str]:
    """The log with what an entry says of its match, and what can't be told of it.

    Raises: Contradiction if the entry does not continue what is known of the match.
    """
    match_id, first, last = str(entry["match_id"]), int(entry["first"]), int(entry["last"])
    upto, head = known.matches.get(match_id, (0, ""))
    limit = ""
    if first > upto + 1:
        limit = f"match {match_id}: events {upto + 1} to {first - 1} were not told"
    elif first <= upto or last < first:
        raise Contradiction(f"match {match_id}: event {first} is told a second time")
    elif upto and entry["before"] != head:
        raise Contradiction(f"match {match_id}: event {first} does not continue event {upto}")
    matches = {**known.matches, match_id: (last, str(entry["head"]))}
    return msgspec.structs.replace(known, matches=matches), limit


def introduced(known: Known, statements: Iterable[Mapping[str, Any]]) -> Known:
    """The log with the keys that statements of it make known, as far as trusted keys signed them.

    Raises: Contradiction if they say two things in one place.
    """
    told = [
        Statement(
            kid=each["kid"],
            position=int(each["position"]),
            signature=each["signature"],
            statement=raw(each["statement"]),
        )
        for each in statements
    ]
    trusted = (PublicKey(Purpose.CHECKPOINTS, bytes.fromhex(key), 0) for key in known.keys)
    try:
        keys = followed(trusted, told)
    except Fork as fork:
        raise Contradiction(str(fork)) from None
    ours = (each.public.hex() for each in keys if each.purpose is Purpose.CHECKPOINTS)
    return msgspec.structs.replace(known, keys=tuple(ours))
