"""Whose log a bundle's proof is of: the keys somebody trusts, and what a proof says under them."""

from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

from events import chain, merkle, notes
from events.bundle import KEYS, PROOF, STATEMENTS, Bundle, keys_in
from events.canonical import canonical, decoded
from events.notes import Checkpoint, NoteWrong
from events.signing import SKEW_MS, KeySet, PublicKey, Purpose, SignatureWrong
from events.statements import Fork, Statement, first_key, followed
from events.zips import BundleRefused

_OWN: Final = "whose log the proof is of: the keys are the bundle's own, none were given"
_NO_KEY: Final = "whose log the proof is of: no key for checkpoints is trusted"


class Trusted(msgspec.Struct, frozen=True):
    """Public keys of logs, each with the log's name, or None where any name will do.

    `known` are the same and others with their purposes and times, as far as these are known;
    `statements` lead to further ones.
    """

    keys: tuple[tuple[str | None, bytes], ...]
    known: tuple[PublicKey, ...] = ()
    statements: tuple[Statement, ...] = ()

    def following(self, statements: Iterable[Statement]) -> "Trusted":
        """With the keys that these statements lead to, together with those there are.

        Raises: Fork.
        """
        told = (*self.statements, *statements)
        known = followed((*_plainly(self.keys), *self.known), told)
        named: dict[tuple[str | None, bytes], None] = dict.fromkeys(self.keys)
        times = {each.kid: each for each in self.known}
        for name in {name for name, _ in self.keys}:
            own = _plainly(each for each in self.keys if each[0] == name)
            own = [times.get(each.kid, each) for each in own]
            ours = (each for each in followed(own, told) if each.purpose is Purpose.CHECKPOINTS)
            named |= {(name, each.public): None for each in ours}
        return Trusted(tuple(named), known, told)

    @property
    def receipts(self) -> KeySet:
        """The keys for receipts."""
        return KeySet(each for each in self.known if each.purpose is Purpose.RECEIPTS)

    def retired_at(self, kid: str) -> int | None:
        """From when on (ms) a key signs nothing, if that is known."""
        times = [each.retired_at for each in self.known if each.kid == kid]
        return min((each for each in times if each is not None), default=None)


class _Log(msgspec.Struct):
    verifier_keys: tuple[str, ...]


_LOG: Final = msgspec.json.Decoder(_Log)


def trusted_in(data: bytes) -> Trusted:
    """Out of a JWK set, or of verifier keys (`name+id+key`), a line each.

    Verifier keys may also stand as GET /v1/log has them. Raises: ValueError for anything else.
    """
    known: tuple[PublicKey, ...] = ()
    if data.startswith(b"PK"):
        raise ValueError("a zip holds no keys to trust: give a JWK set or verifier keys")
    data = _in_log(data)
    if data.lstrip().startswith(b"{"):
        try:
            known = tuple(KeySet.of_jwks(data))
        except SignatureWrong as wrong:
            raise ValueError(str(wrong)) from None
        ours = [each for each in known if each.purpose is Purpose.CHECKPOINTS]
        keys: list[tuple[str | None, bytes]] = [(None, each.public) for each in ours]
    else:
        try:
            keys = [notes.opened_verifier_key(line) for line in data.decode().split()]
        except UnicodeDecodeError:
            raise ValueError("is no text: give a JWK set or verifier keys") from None
        except NoteWrong as wrong:
            raise ValueError(str(wrong)) from None
    if not keys and not any(each.purpose is Purpose.RECEIPTS for each in known):
        raise ValueError("holds no key for checkpoints or receipts")
    return Trusted(tuple(keys), known)


def _in_log(data: bytes) -> bytes:
    """The verifier keys, a line each, of an answer of GET /v1/log; anything else as it is."""
    try:
        return "\n".join(_LOG.decode(data).verifier_keys).encode()
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return data


def check_keys(bundle: Bundle) -> Trusted:
    """The keys of a bundle, with the times its own statements tell. Raises: BundleRefused."""
    try:
        keys = keys_in(bundle.keys)
    except ValueError as error:
        raise BundleRefused(KEYS, str(error)) from None
    signing = {each.purpose for each in keys}
    if (Purpose.CHECKPOINTS in signing) != bool(bundle.proof):
        raise BundleRefused(KEYS, "are of no proof, or lack the proof's")
    signers = {each.evidence.kid for each in bundle.refusals}
    if {each.kid for each in keys if each.purpose is Purpose.RECEIPTS} != signers:
        raise BundleRefused(KEYS, "are not those that signed the refusals")
    try:
        told = followed(first_key(bundle.statements), bundle.statements)
    except Fork as fork:
        raise BundleRefused(STATEMENTS, str(fork)) from None
    times = {each.kid: each for each in told}
    ours = tuple(times.get(each.kid, each) for each in keys)
    own = ((None, each.public) for each in ours if each.purpose is Purpose.CHECKPOINTS)
    return Trusted(tuple(own), ours)


def _plainly(keys: Iterable[tuple[str | None, bytes]]) -> list[PublicKey]:
    return [PublicKey(Purpose.CHECKPOINTS, public, 0) for _, public in keys]


def check_proof(bundle: Bundle, own: Trusted, trusted: Trusted | None) -> tuple[str, ...]:
    """That the end of the bundle is in a signed log; what that leaves open.

    Raises: BundleRefused.
    """
    try:
        proof = notes.proof_in(bundle.proof)
        checkpoint = _signed(proof.checkpoint, own.keys, every=True)
        if trusted is not None and trusted.keys:
            _signed(proof.checkpoint, trusted.keys)
    except NoteWrong as wrong:
        raise BundleRefused(PROOF, str(wrong)) from None
    if notes.proof_text(proof) != bundle.proof:
        raise BundleRefused(PROOF, "is not in its one form")
    leaf = merkle.leaf_hash(proof.extra)
    if not merkle.is_included(leaf, proof.index, checkpoint.size, proof.path, checkpoint.root):
        raise BundleRefused(PROOF, "does not lead from the entry to the signed root")
    first, last = _entry(proof.extra, bundle)
    _check_in_use(bundle.events[first - 1 : last], [own, *([trusted] if trusted else [])])
    limits: tuple[str, ...] = ()
    if trusted is None or not trusted.keys:
        limits = (_OWN if trusted is None else _NO_KEY,)
    if last < len(bundle.events):
        limits = (*limits, f"that events after {last} are in the log of all matches")
    return limits


def _check_in_use(events: Iterable[bytes], told: Sequence[Trusted]) -> None:
    """That no key signed a checkpoint over events of long after it was retired.

    Raises: BundleRefused.
    """
    latest = max(int(decoded(each)["at"]) for each in events)
    for each in (key for key in told[0].known if key.purpose is Purpose.CHECKPOINTS):
        times = [by.retired_at(each.kid) for by in told]
        retired_at = min((time for time in times if time is not None), default=None)
        if retired_at is not None and latest > retired_at + SKEW_MS:
            raise BundleRefused(PROOF, f"is signed by key {each.kid}, which was retired before")


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


def _entry(leaf: bytes, bundle: Bundle) -> tuple[int, int]:
    """From where to where the entry of the log tells of this match. Raises: BundleRefused."""
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
    return int(first), int(last)
