"""Several bundles held against each other: whether all of them are of one log."""

from collections.abc import Mapping, Sequence
from itertools import combinations

import msgspec

from events.bundle import Bundle, keys_in
from events.signing import Purpose
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


def forks(bundles: Mapping[str, Bundle], *, is_one_log: bool = False) -> tuple[Fork, ...]:
    """What contradicts each other among sound bundles by name, one finding for two of them.

    With `is_one_log`, logs of one name are one, as keys that are trusted signed all proofs. Else
    they are if a key signed both: whoever likes can give a log a name.
    """
    found = (
        _fork(*one, *other, is_one_log=is_one_log)
        for one, other in combinations(bundles.items(), 2)
    )
    return tuple(each for each in found if each is not None)


def unjoined(bundles: Mapping[str, Bundle], *, is_one_log: bool = False) -> tuple[str, ...]:
    """What can't be said about several bundles from what is in them. As `forks`."""
    places = {(c.origin, c.size) for c in map(checkpoint_of, bundles.values()) if c is not None}
    origins = {origin for origin, _ in places}
    continued = (
        f"that the signed roots of {origin} continue each other: plyscribe monitor follows a log"
        for origin in sorted(origins)
        if len([size for name, size in places if name == origin]) > 1
    )
    pairs = combinations(bundles.values(), 2)
    apart = {_origin(one) for one, other in pairs if not is_one_log and _is_open(one, other)}
    whose = (
        f"whose log {each} is: bundles have two roots of one size, by different keys"
        for each in sorted(apart)
    )
    return (*continued, *whose)


def _fork(
    name: str, one: Bundle, other_name: str, other: Bundle, *, is_one_log: bool
) -> Fork | None:
    if one.created.match_id == other.created.match_id:
        version = _parted(one.hashes, other.hashes)
        if version is not None or one.created.seats != other.created.seats:
            reason = f"event {version or 1} is not the same in both: there are two logs"
            return Fork(name, other_name, version or 1, reason, one.created.match_id)
    elif _is_dealt_apart(one, other):
        reason = "they are of one deal group, and commit to different seeds"
        return Fork(name, other_name, 1, reason)
    if _contradict(one, other) and (is_one_log or _have_a_common_key(one, other)):
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


def _contradict(bundle: Bundle, another: Bundle) -> bool:
    """Whether their logs have one name and two roots of one size."""
    one, other = checkpoint_of(bundle), checkpoint_of(another)
    if one is None or other is None or (one.origin, one.size) != (other.origin, other.size):
        return False
    return one.root != other.root


def _is_open(one: Bundle, other: Bundle) -> bool:
    return _contradict(one, other) and not _have_a_common_key(one, other)


def _have_a_common_key(one: Bundle, other: Bundle) -> bool:
    """Whether a key signed the roots of both: all that are in a sound bundle signed its own."""
    return not _signers(one).isdisjoint(_signers(other))


def _signers(bundle: Bundle) -> set[str]:
    return {each.kid for each in keys_in(bundle.keys) if each.purpose is Purpose.CHECKPOINTS}


def _origin(bundle: Bundle) -> str:
    checkpoint = checkpoint_of(bundle)
    assert checkpoint is not None
    return checkpoint.origin
