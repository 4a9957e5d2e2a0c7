"""Signed notes and what is written in them: checkpoints and proofs of the log (C2SP).

Formats: signed-note, tlog-checkpoint and tlog-proof as C2SP publishes them, with Ed25519.
"""

import binascii
from base64 import b64decode, b64encode
from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import Final

import msgspec
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from events.merkle import HASH_BYTES

MOST_SIGNATURES: Final = 100
_ED25519: Final = b"\x01"
_DASH: Final = "\u2014 "
_PROOF: Final = "c2sp.org/tlog-proof@v1"
_ID_BYTES: Final = 4


class NoteWrong(Exception):
    """Not a note, not of this form, or without a right signature of the key that was asked for."""


class Checkpoint(msgspec.Struct, frozen=True):
    """What a log says of itself: its name, its size in leaves, its root."""

    origin: str
    size: int
    root: bytes

    @property
    def text(self) -> str:
        return f"{self.origin}\n{self.size}\n{b64encode(self.root).decode()}\n"


class Proof(msgspec.Struct, frozen=True):
    """That the leaf `index` (from 0) is in the log. `checkpoint` is the signed note, `extra` is
    whatever whoever made the proof sends along, and not authenticated.
    """

    index: int
    path: tuple[bytes, ...]
    checkpoint: str
    extra: bytes = b""


def key_id(name: str, public: bytes) -> bytes:
    """How a signature line names the key."""
    return sha256(name.encode() + b"\n" + _ED25519 + public).digest()[:_ID_BYTES]


def verifier_key(name: str, public: bytes) -> str:
    """Name, id and key in one line, as programs that verify notes take it."""
    return f"{name}+{key_id(name, public).hex()}+{b64encode(_ED25519 + public).decode()}"


def opened_verifier_key(line: str) -> tuple[str, bytes]:
    """Name and public key. Raises: NoteWrong."""
    name, _, rest = line.partition("+")
    identity, _, key = rest.partition("+")
    public = _decoded(key)[1:]
    if len(public) != HASH_BYTES or not is_name(name) or verifier_key(name, public) != line:
        raise NoteWrong(f"no Ed25519 verifier key: {identity or line[:40]}")
    return name, public


def is_name(name: str) -> bool:
    """Whether a key, and so a log, may be called that."""
    return bool(name) and "+" not in name and not any(map(str.isspace, name)) and name.isprintable()


def signed(text: str, name: str, keys: Iterable[Ed25519PrivateKey]) -> str:
    """The note of a text that ends with a new line, signed with each key in the name."""
    assert text.endswith("\n"), text
    assert is_name(name), name
    lines = [_signature_line(text, name, each) for each in keys]
    assert lines
    return text + "\n" + "".join(lines)


def verified(note: str, name: str, public: bytes) -> str:
    """The text of a note that the key signed; other signatures are passed over.

    Raises: NoteWrong.
    """
    text, lines = _split(note)
    wanted = key_id(name, public)
    for said, signature in list(map(_opened_line, lines)):
        if said == name and signature[:_ID_BYTES] == wanted:
            _check(public, signature[_ID_BYTES:], text.encode())
            return text
    raise NoteWrong(f"{name} did not sign it with the key {wanted.hex()}")


def unverified(note: str) -> str:
    """The text of a note, by whomever it is signed. Raises: NoteWrong."""
    return _split(note)[0]


def checkpoint_in(text: str) -> Checkpoint:
    """Raises: NoteWrong. Lines after the third are passed over."""
    lines = text.split("\n")
    if len(lines) < 4 or lines[-1] != "" or not lines[0]:
        raise NoteWrong("no checkpoint")
    return Checkpoint(lines[0], _number(lines[1]), _hash(lines[2]))


def opened(note: str, name: str, public: bytes) -> Checkpoint:
    """The checkpoint of a log whose name and key are known. Raises: NoteWrong."""
    found = checkpoint_in(verified(note, name, public))
    if found.origin != name:
        raise NoteWrong("the checkpoint of another log")
    return found


def proof_text(proof: Proof) -> str:
    """The proof as a file of the type .tlog-proof."""
    extra = [f"extra {b64encode(proof.extra).decode()}"] if proof.extra else []
    hashes = [b64encode(each).decode() for each in proof.path]
    return "\n".join([_PROOF, *extra, f"index {proof.index}", *hashes, "", proof.checkpoint])


def proof_in(text: str) -> Proof:
    """Raises: NoteWrong."""
    head, _, checkpoint = text.partition("\n\n")
    first, *lines = head.split("\n")
    if first != _PROOF or not checkpoint:
        raise NoteWrong("no proof")
    extra = b""
    if lines and lines[0].startswith("extra "):
        extra = _decoded(lines.pop(0).removeprefix("extra "))
    if not lines or not lines[0].startswith("index "):
        raise NoteWrong("a proof without its index")
    index = _number(lines[0].removeprefix("index "))
    return Proof(index, tuple(map(_hash, lines[1:])), checkpoint, extra)


def _signature_line(text: str, name: str, key: Ed25519PrivateKey) -> str:
    identity = key_id(name, key.public_key().public_bytes_raw())
    return f"{_DASH}{name} {b64encode(identity + key.sign(text.encode())).decode()}\n"


def _split(note: str) -> tuple[str, Sequence[str]]:
    text, gap, rest = note.rpartition("\n\n")
    lines = rest.split("\n")
    if not gap or lines[-1] != "" or not 1 < len(lines) <= MOST_SIGNATURES + 1:
        raise NoteWrong("no signed note")
    return text + "\n", lines[:-1]


def _opened_line(line: str) -> tuple[str, bytes]:
    name, _, coded = line.removeprefix(_DASH).partition(" ")
    signature = _decoded(coded)
    if not line.startswith(_DASH) or not is_name(name) or len(signature) <= _ID_BYTES:
        raise NoteWrong("a malformed signature line")
    return name, signature


def _check(public: bytes, signature: bytes, data: bytes) -> None:
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, data)
    except (InvalidSignature, ValueError):
        raise NoteWrong("the signature is wrong") from None


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit()) or len(text) > 16 or str(int(text)) != text:
        raise NoteWrong("not a number")
    return int(text)


def _hash(text: str) -> bytes:
    found = _decoded(text)
    if len(found) != HASH_BYTES:
        raise NoteWrong("not a hash")
    return found


def _decoded(text: str) -> bytes:
    """Base64 as it is always written: padded, no bits left over."""
    try:
        found = b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise NoteWrong("not base64") from None
    if b64encode(found).decode() != text:
        raise NoteWrong("not base64 as it is written")
    return found
