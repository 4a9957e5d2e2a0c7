"""Several bundles held against each other: whether all of them are of one log."""

from collections.abc import Mapping, Sequence
from itertools import combinations

import msgspec

from events.bundle import Bundle
from events.notes import Checkpoint
from events.trust import checkpoint_of


class Fork(msgspec.Struct, frozen=True):
    """Two files that can't both be true. `version` is the first event they differ in, or None;
    `match_id` is None if they are of different matches.
    """

    one: str
    other: str
    version: int | None
    reason: str
    match_id: str | None = None


def forks(bundles: Mapping[str, Bundle]) -> tuple[Fork, ...]:
    """What contradicts each other among sound bundles by name, one finding for two of them."""
    found = (_fork(*one, *other) for one, other in combinations(bundles.items(), 2))
    return tuple(each for each in found if each is not None)


def unjoined(bundles: Mapping[str, Bundle]) -> tuple[str, ...]:
    """What can't be said about several bundles from what is in them."""
    places = {(c.origin, c.size) for c in map(checkpoint_of, bundles.values()) if c is not None}
    origins = {origin for origin, _ in places}
    return tuple(
        f"that the signed roots of {origin} continue each other: plyscribe monitor follows a log"
        for origin in sorted(origins)
        if len([size for name, size in places if name == origin]) > 1
    )


def _fork(name: str, one: Bundle, other_name: str, other: Bundle) -> Fork | None:
    if one.created.match_id == other.created.match_id:
        version = _parted(one.hashes, other.hashes)
        if version is not None or one.created.seats != other.created.seats:
            reason = f"event {version or 1} is not the same in both: there are two logs"
            return Fork(name, other_name, version or 1, reason, one.created.match_id)
    elif _is_dealt_apart(one, other):
        reason = "they are of one deal group, and commit to different seeds"
        return Fork(name, other_name, 1, reason)
    if _contradict(checkpoint_of(one), checkpoint_of(other)):
        reason = "one size of the log of all matches was signed with two roots"
        return Fork(name, other_name, None, reason)
    return None


def _parted(hashes: Sequence[bytes], others: Sequence[bytes]) -> int | None:
    """The first version that differs, of those that both have."""
    pairs = enumerate(zip(hashes, others, strict=False), 1)
    return next((version for version, (one, other) in pairs if one != other), None)


def _is_dealt_apart(one: Bundle, other: Bundle) -> bool:
    group = one.created.deal_group
    same = group is not None and group == other.created.deal_group
    return same and one.created.seed_commitment != other.created.seed_commitment


def _contradict(one: Checkpoint | None, other: Checkpoint | None) -> bool:
    if one is None or other is None or (one.origin, one.size) != (other.origin, other.size):
        return False
    return one.root != other.root
