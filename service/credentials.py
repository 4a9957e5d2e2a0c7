"""API keys, tokens and tickets: how they look, how they are made, what is stored of them."""

import hashlib
import secrets
from base64 import b32encode
from typing import Final

API_KEY: Final = "pk_"
TEST_KEY: Final = "pt_"  # of a sandbox; as long as the other
SEAT_TOKEN: Final = "st_"  # noqa: S105 - a prefix, not a token.
SPECTATOR_TOKEN: Final = "sp_"  # noqa: S105
ARBITER_TOKEN: Final = "ar_"  # noqa: S105
SERIES_TOKEN: Final = "sl_"  # noqa: S105
TICKET: Final = "tk_"
OPAQUE: Final = (  # all but users' own tokens
    API_KEY,
    TEST_KEY,
    SEAT_TOKEN,
    SPECTATOR_TOKEN,
    ARBITER_TOKEN,
)
_SECRET_BYTES: Final = 30  # 48 characters in Base32
LONGEST: Final = 8192  # users' tokens bring claims along


def new_api_key(*, test: bool = False) -> str:
    """`pk_<prefix>_<secret>`; the prefix may be shown, the secret is shown once."""
    kind = TEST_KEY if test else API_KEY
    return f"{kind}{_coded(secrets.token_bytes(5))}_{_coded(secrets.token_bytes(_SECRET_BYTES))}"


def prefix_of(api_key: str) -> str:
    """The part of a key that may be shown: `pk_<prefix>` or `pt_<prefix>`."""
    return api_key[: api_key.index("_", len(API_KEY))]


def seat_token(secret: bytes | None = None) -> str:
    """A token from 30 given or random bytes; derived ones are the same for a repeated request."""
    return SEAT_TOKEN + _coded(secret or secrets.token_bytes(_SECRET_BYTES))


def spectator_token(secret: bytes | None = None) -> str:
    """As that of a seat."""
    return SPECTATOR_TOKEN + _coded(secret or secrets.token_bytes(_SECRET_BYTES))


def arbiter_token(secret: bytes | None = None) -> str:
    """As that of a seat."""
    return ARBITER_TOKEN + _coded(secret or secrets.token_bytes(_SECRET_BYTES))


def series_token(secret: bytes) -> str:
    """Of an entrant's link to a series: it leads to tokens of seats, and is none."""
    return SERIES_TOKEN + _coded(secret)


def ticket() -> str:
    return TICKET + _coded(secrets.token_bytes(_SECRET_BYTES))


def token_secret(derived: bytes) -> bytes:
    """30 bytes of a token out of 32 derived ones."""
    return derived[:_SECRET_BYTES]


def stored(credential: str) -> bytes:
    """What is stored: a plain hash, since what it hides has 240 random bits."""
    return hashlib.sha256(b"plyscribe/credential/1" + credential.encode()).digest()


def pseudonym() -> str:
    """A holder's name in the log; who it stands for lies outside."""
    return "p_" + _coded(secrets.token_bytes(10))


def _coded(data: bytes) -> str:
    return b32encode(data).decode().rstrip("=").lower()
