"""Canonical JSON bytes (RFC 8785 in a restricted domain) and length-prefixed hashing input.

The domain: no floats, integers within ±(2^53 - 1), ASCII object keys. In it the sorted output of
msgspec equals RFC 8785, which a test holds against the `rfc8785` package.
"""

import hashlib
from typing import Any

import msgspec

_ENCODER = msgspec.json.Encoder(order="sorted")
SAFE_INTEGER = 2**53 - 1


def canonical(value: object) -> bytes:
    return _ENCODER.encode(value)


def raw(value: object) -> msgspec.Raw:
    """Canonical bytes to be spliced into a larger canonical value."""
    return msgspec.Raw(_ENCODER.encode(value))


def decoded(data: bytes | msgspec.Raw) -> Any:
    return msgspec.json.decode(data)


def digest(value: object) -> bytes:
    """SHA-256 of the canonical bytes."""
    return hashlib.sha256(_ENCODER.encode(value)).digest()


def prefixed(*parts: bytes | str | int) -> bytes:
    """Each part behind its length as four big-endian bytes; a number is eight big-endian bytes."""
    joined = bytearray()
    for part in parts:
        if isinstance(part, int):
            data = part.to_bytes(8, "big", signed=part < 0)
        else:
            data = part.encode() if isinstance(part, str) else part
        joined += len(data).to_bytes(4, "big") + data
    return bytes(joined)
