"""Signatures on what the service says: each under a key for its purpose and with a tag of its own.

A signature is over `prefixed("plyscribe/signature/1", purpose, tag, payload)`, so none can be taken
for one of another purpose or tag. Payloads are canonical JSON, or bytes that a tag describes.
"""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterable, Iterator
from enum import StrEnum
from functools import cached_property
from hashlib import sha256
from typing import Any, Final

import msgspec
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from events.canonical import canonical, decoded, prefixed

SEED_BYTES: Final = 32
SKEW_MS: Final = 60_000  # how far apart the clocks of the service's processes may be
_TAG: Final = "plyscribe/signature/1"


class Purpose(StrEnum):
    """What a key signs, and it signs nothing else."""

    CHECKPOINTS = "checkpoints"
    RECEIPTS = "receipts"  # receipts, refusals, views, decisions, heads
    WEBHOOKS = "webhooks"


class SignatureWrong(Exception):
    """Not made by the key over this payload, tag and purpose, or by a key that is not known."""


class Signature(msgspec.Struct, frozen=True):
    """`kid` names the key; `signature` is base64url without padding."""

    kid: str
    signature: str


class PublicKey(msgspec.Struct, frozen=True, dict=True):
    """A key as everybody may know it. Times in ms; `retired_at` is None while it signs.

    `introduced` and `retired` are the positions in the feed at which the log says so, None until
    then.
    """

    purpose: Purpose
    public: bytes
    created_at: int
    retired_at: int | None = None
    introduced: int | None = None
    retired: int | None = None

    @cached_property
    def kid(self) -> str:
        """The thumbprint of the key (RFC 7638)."""
        return _coded(sha256(canonical(self._key())).digest())

    @cached_property
    def verifier(self) -> Ed25519PublicKey:
        return Ed25519PublicKey.from_public_bytes(self.public)

    def is_active(self, at: int) -> bool:
        return self.retired_at is None or at < self.retired_at

    @property
    def is_placed(self) -> bool:
        """All there is to say about it is in the log."""
        return self.introduced is not None and (self.retired_at is None) == (self.retired is None)

    def jwk(self) -> dict[str, Any]:
        """The key in a JWK set, with what this service says about it besides."""
        own = {name: getattr(self, name) for name in ("created_at", "retired_at")}
        places = {"introduced": self.introduced, "retired": self.retired}
        names = {"kid": self.kid, "use": "sig", "alg": "EdDSA", "purpose": self.purpose.value}
        return {**self._key(), **names, **own, **places}

    def introduction(self) -> bytes:
        """The leaf that makes the key known."""
        return canonical(
            {
                "at": self.created_at,
                "key": self._key(),
                "kid": self.kid,
                "kind": "key_introduced",
                "purpose": self.purpose,
            }
        )

    def retirement(self) -> bytes:
        """The leaf that says from when on the key signs no more."""
        assert self.retired_at is not None
        told = {"at": self.retired_at, "kid": self.kid, "kind": "key_retired"}
        return canonical({**told, "purpose": self.purpose})

    def _key(self) -> dict[str, str]:
        return {"crv": "Ed25519", "kty": "OKP", "x": _coded(self.public)}


class SigningKey(msgspec.Struct, frozen=True):
    """A key that can sign. Never encoded, logged or compared."""

    public: PublicKey
    private: Ed25519PrivateKey

    def __repr__(self) -> str:
        return f"SigningKey({self.public.kid})"


class KeySet:
    """Public keys by id, those that are retired too: what they signed stays signed."""

    def __init__(self, keys: Iterable[PublicKey]) -> None:
        self._keys = {key.kid: key for key in keys}

    def __iter__(self) -> Iterator[PublicKey]:
        return iter(self._keys.values())

    @staticmethod
    def of_jwks(data: bytes) -> "KeySet":
        """The keys of a JWK set that are of this service's kind. Raises: SignatureWrong."""
        try:
            return KeySet(_of_jwk(each) for each in decoded(data)["keys"] if "purpose" in each)
        except (msgspec.MsgspecError, TypeError, KeyError, ValueError):
            raise SignatureWrong("not a set of keys") from None

    def jwks(self) -> bytes:
        return canonical({"keys": [key.jwk() for key in self]})

    def verify(
        self, purpose: Purpose, tag: str, payload: bytes, signed: Signature, at: int | None = None
    ) -> PublicKey:
        """The key that signed it. With `at` (ms), the key has to have been in use then.

        Raises: SignatureWrong.
        """
        key = self._keys.get(signed.kid)
        if key is None or key.purpose is not purpose:
            raise SignatureWrong("no key of that name signs this")
        if at is not None and not (key.created_at - SKEW_MS <= at and key.is_active(at)):
            raise SignatureWrong("the key was not in use at that time")
        try:
            key.verifier.verify(_plain(signed.signature), _bound(purpose, tag, payload))
        except (InvalidSignature, ValueError):
            raise SignatureWrong("the signature is wrong") from None
        return key


def new_key(purpose: Purpose, seed: bytes, at: int) -> SigningKey:
    """A key made of 32 secret bytes."""
    private = Ed25519PrivateKey.from_private_bytes(seed)
    return SigningKey(PublicKey(purpose, private.public_key().public_bytes_raw(), at), private)


def sign(key: SigningKey, tag: str, payload: bytes) -> Signature:
    """`tag` names what is signed, with its version: "plyscribe/receipt/1"."""
    signature = key.private.sign(_bound(key.public.purpose, tag, payload))
    return Signature(key.public.kid, _coded(signature))


def _bound(purpose: Purpose, tag: str, payload: bytes) -> bytes:
    return prefixed(_TAG, purpose.value, tag, payload)


def _of_jwk(jwk: dict[str, Any]) -> PublicKey:
    key = msgspec.convert(
        {
            **{name: jwk.get(name) for name in ("retired_at", "introduced", "retired")},
            "purpose": jwk["purpose"],
            "created_at": jwk["created_at"],
            "public": _plain(jwk["x"]),
        },
        PublicKey,
    )
    if len(key.public) != SEED_BYTES or (jwk["kty"], jwk["crv"]) != ("OKP", "Ed25519"):
        raise ValueError("another kind of key")
    return key


def _coded(data: bytes) -> str:
    return urlsafe_b64encode(data).decode().rstrip("=")


def _plain(text: str) -> bytes:
    """Raises: ValueError, also for another way to write the same bytes."""
    data = urlsafe_b64decode(text + "=" * (-len(text) % 4))
    if _coded(data) != text:
        raise ValueError("not base64url as it is written")
    return data
