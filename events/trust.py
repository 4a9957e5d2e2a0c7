"""Whose log a bundle's proof is of: the keys somebody trusts, and what a proof says under them."""

from collections.abc import Sequence
from typing import Final

import msgspec

from events import chain, merkle, notes
from events.bundle import KEYS, PROOF, Bundle, keys_in
from events.canonical import canonical, decoded
from events.notes import Checkpoint, NoteWrong
from events.signing import KeySet, Purpose, SignatureWrong
from events.zips import BundleRefused

_OWN: Final = "whose log the proof is of: the keys are the bundle's own, none were given"


class Trusted(msgspec.Struct, frozen=True):
    """Public keys of logs, each with the log's name, or None where any name will do."""

    keys: tuple[tuple[str | None, bytes], ...]


def trusted_in(data: bytes) -> Trusted:
    """Out of a JWK set, or of verifier keys (`name+id+key`), a line each.

    Raises: ValueError for anything else.
    """
    if data.lstrip().startswith(b"{"):
        try:
            found = KeySet.of_jwks(data)
        except SignatureWrong as wrong:
            raise ValueError(str(wrong)) from None
        ours = [each for each in found if each.purpose is Purpose.CHECKPOINTS]
        keys: list[tuple[str | None, bytes]] = [(None, each.public) for each in ours]
    else:
        try:
            keys = [notes.opened_verifier_key(line) for line in data.decode().split()]
        except (NoteWrong, UnicodeDecodeError) as wrong:
            raise ValueError(str(wrong)) from None
    if not keys:
        raise ValueError("holds no key for checkpoints")
    return Trusted(tuple(keys))


def check_keys(data: bytes) -> Trusted:
    """The keys of a bundle. Raises: BundleRefused."""
    try:
        return Trusted(tuple((None, each) for each in keys_in(data)))
    except ValueError as error:
        raise BundleRefused(KEYS, str(error)) from None


def check_proof(bundle: Bundle, own: Trusted, trusted: Trusted | None) -> tuple[str, ...]:
    """That the end of the bundle is in a signed log; what that leaves open.

    Raises: BundleRefused.
    """
    try:
        proof = notes.proof_in(bundle.proof)
        checkpoint = _signed(proof.checkpoint, own.keys, every=True)
        if trusted is not None:
            _signed(proof.checkpoint, trusted.keys)
    except NoteWrong as wrong:
        raise BundleRefused(PROOF, str(wrong)) from None
    if notes.proof_text(proof) != bundle.proof:
        raise BundleRefused(PROOF, "is not in its one form")
    leaf = merkle.leaf_hash(proof.extra)
    if not merkle.is_included(leaf, proof.index, checkpoint.size, proof.path, checkpoint.root):
        raise BundleRefused(PROOF, "does not lead from the entry to the signed root")
    last = _entry(proof.extra, bundle)
    limits = () if trusted is not None else (_OWN,)
    if last < len(bundle.events):
        limits = (*limits, f"that events after {last} are in the log of all matches")
    return limits


def checkpoint_of(bundle: Bundle) -> Checkpoint | None:
    """The checkpoint of a proof that holds; None without one."""
    if not bundle.proof:
        return None
    return _unsigned(notes.proof_in(bundle.proof).checkpoint)


def _signed(
    note: str, keys: Sequence[tuple[str | None, bytes]], *, every: bool = False
) -> Checkpoint:
    """The checkpoint that one of the keys signed, or that every one did. Raises: NoteWrong."""
    origin = _unsigned(note).origin
    found, wrong = None, NoteWrong(f"none of the keys signed a checkpoint of {origin}")
    for name, public in keys:
        try:
            found = notes.opened(note, name or origin, public)
        except NoteWrong as error:
            if every:
                raise
            wrong = wrong if "did not sign" in str(error) else error
    if found is None:
        raise wrong
    return found


def _unsigned(note: str) -> Checkpoint:
    """Raises: NoteWrong."""
    text, _, _ = note.rpartition("\n\n")
    return notes.checkpoint_in(text + "\n")


def _entry(leaf: bytes, bundle: Bundle) -> int:
    """Up to which event the entry of the log tells of this match. Raises: BundleRefused."""
    try:
        told = decoded(leaf)
        first, last = told["first"], told["last"]
        is_own = told["match_id"] == bundle.created.match_id and told["kind"] == "match"
        is_own = is_own and canonical(told) == leaf and 1 <= first <= last
    except (msgspec.MsgspecError, TypeError, KeyError):
        is_own = False
    if not is_own:
        raise BundleRefused(PROOF, "is of something else than this match")
    if last > len(bundle.hashes):
        raise BundleRefused(
            f"event {len(bundle.hashes) + 1}", f"is missing: the log has events up to {last}"
        )
    created = bundle.created
    genesis = chain.genesis(created.match_id, created.seats, created.format)
    before = bundle.hashes[first - 2] if first > 1 else genesis
    if bundle.hashes[last - 1].hex() != told["head_after"]:
        raise BundleRefused(f"event {last}", "is not the one in the log of all matches")
    if before.hex() != told["head_before"]:
        raise BundleRefused(f"event {first - 1}", "is not the one in the log of all matches")
    return int(last)
