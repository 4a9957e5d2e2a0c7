"""Guesses at hidden values, and every way in which a published value could prove one right.

A guess is right or wrong; only the right one can match a digest of the truth. So the true value
is tried with everything that was published as a key, and all the others of a small space with
what lies near: constants, and what is public of the same event.
"""

from collections.abc import Iterable, Iterator, Sequence
from hashlib import md5, sha1, sha256, sha512
from hmac import digest as hmac
from typing import Any, Final

import msgspec
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from events import chain
from events.canonical import canonical, prefixed
from events.dealer import SeedDealer
from events.evidence import PAYLOADS
from events.merkle import leaf_hash
from events.seat_keys import signed_bytes
from events.signing import Purpose
from tests.secrecy.published import WIDTH

_COMMIT: Final = b"plyscribe/facet/1"
TAGS: Final = (*PAYLOADS, "plyscribe/refusal-link/1", "plyscribe/event/1", "plyscribe/facet/1")


class Guess(msgspec.Struct, frozen=True):
    """One value that may be hidden in an event, in every form it could be hashed in.

    `anywhere` are bytes by themselves, `facets` what a commitment of that index may open to.
    """

    anywhere: tuple[bytes, ...]
    facets: tuple[tuple[int, bytes], ...]


class Place(msgspec.Struct, frozen=True):
    """Where the value is hidden: the match, its event, who hides it, in which decision.

    `near` are values published of this event and the one before it.
    """

    match_id: str
    version: int
    seat: int
    decision: str | None
    near: tuple[bytes, ...]

    @property
    def constants(self) -> tuple[bytes, ...]:
        """Keys that need not be published to be known."""
        own = chain.id_bytes(self.match_id)
        names = (self.match_id, str(self.version), str(self.seat), self.decision or "")
        texts = tuple(name.encode() for name in names)
        return (b"", bytes(16), bytes(32), own, sha256(own).digest(), *texts, *_hashed(texts))


def guessed(body: dict[str, Any], shown: dict[str, Any], place: Place, wire: Any) -> Guess:
    """The guess that the event of `body`, seen as `shown` by who hides it, has this move."""
    filled = canonical({**body, "move": wire} if "move" in body else body)
    own = canonical({**shown, "move": wire})
    anywhere = {canonical(wire), msgspec.json.encode(wire), filled, own, *_single(wire)}
    return Guess(tuple(anywhere), ((place.seat + 1, own), (place.seat + 1, b"="), (-1, filled)))


def proof_of(
    guess: Guess, place: Place, keys: Iterable[bytes], seats: int, windows: set[bytes]
) -> str | None:
    """How what was published proves the guess right: the way of hashing and the key, if any."""
    for form in guess.anywhere:
        if any(digest[:WIDTH] in windows for digest in _unkeyed(form)):
            return f"without a key: {form[:80]!r}"
    for key in keys:
        for form in guess.anywhere:
            if any(digest[:WIDTH] in windows for digest in _keyed(key, form)):
                return f"under the key {key.hex()}: {form[:80]!r}"
        if len(key) == 32:
            digests = _committed(guess, place, key, seats)
            if any(digest[:WIDTH] in windows for digest in digests):
                return f"a commitment under {key.hex()}"
    return None


def is_signed(
    guess: Guess,
    place: Place,
    by: Sequence[tuple[bytes, bytes]],
    heads: Sequence[tuple[int, bytes]],
) -> bool:
    """Whether a published signature is over a guess: a key and its signature say so as well."""
    said = [*guess.anywhere, *_hashed(guess.anywhere)]
    said += [hmac(key, form, "sha256") for key in (b"", bytes(32)) for form in guess.anywhere]
    tried = [*said]
    for form in said:
        for purpose in Purpose:
            tried += [prefixed("plyscribe/signature/1", purpose, tag, form) for tag in TAGS]
        tried += [signed_bytes(place.match_id, place.decision, form, *head) for head in heads]
    return any(_verifies(key, signature, each) for key, signature in by for each in tried)


def _committed(guess: Guess, place: Place, key: bytes, seats: int) -> Iterator[bytes]:
    bound = chain.id_bytes(place.match_id)
    for number, facet in guess.facets:
        index = number % (seats + 2)
        for salt in (key, chain.facet_salt(key, index)):
            yield chain.commit(salt, bound, place.version, index, facet)
    if place.decision is not None:
        salt = SeedDealer(key).answer_salt(place.match_id, place.decision)
        yield from (chain.keyed(salt, form) for form in guess.anywhere)


def _keyed(key: bytes, form: bytes) -> Iterator[bytes]:
    yield sha256(key + form).digest()
    yield sha256(form + key).digest()
    yield hmac(key, form, "sha256")
    yield hmac(form, key, "sha256")


def _unkeyed(form: bytes) -> Iterator[bytes]:
    yield sha256(form).digest()
    yield leaf_hash(form)
    for name in (md5, sha1, sha512):
        yield name(form).digest()
    for tag in TAGS:
        yield sha256(tag.encode() + form).digest()
        yield sha256(prefixed(tag, form)).digest()


def _hashed(forms: Iterable[bytes]) -> tuple[bytes, ...]:
    return tuple(sha256(form).digest() for form in forms)


def _single(wire: dict[str, Any]) -> Iterator[bytes]:
    """The picks of a move one by one: a card by itself, as JSON and as its name."""
    for name, value in wire.items():
        if name == "type":
            continue
        yield canonical(value)
        for each in value[:3] if isinstance(value, list | tuple) else (value,):
            yield from (canonical(each), str(each).encode())


def _verifies(key: bytes, signature: bytes, message: bytes) -> bool:
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature, message)
    except InvalidSignature:
        return False
    return True
