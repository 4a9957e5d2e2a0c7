"""The keys an issuer signs with: fetched with care, kept for a while, checked for what they are.

An issuer's address is what somebody typed in, so a fetch goes to public addresses alone, follows
nothing, and takes neither much nor long.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, Final
from weakref import WeakValueDictionary

import msgspec
from joserfc.errors import JoseError
from joserfc.jwk import ECKey, KeySet, OKPKey, RSAKey

from service.reaching import Unreached, reach

LARGEST: Final = 64 * 1024
SECONDS: Final = 5.0
EVERY_MS: Final = 60_000  # a fetch for an unknown key comes at most so often
KEPT_MS: Final = 600_000  # a key that is taken back works for so long at most
_LEAST_RSA_BITS: Final = 2048
_MOST_SETS: Final = 1_000
_MOST_KEYS: Final = 50

Key = RSAKey | ECKey | OKPKey


class JwksRefused(Exception):
    """Keys that can't be had or can't be used."""


class KeySets:
    """The key sets of issuers by their address, each fetched by one request at a time."""

    def __init__(self, clock: Callable[[], int], *, allow_private: bool = False) -> None:
        self._clock = clock
        self._allow_private = allow_private
        self._kept: OrderedDict[str, tuple[int, dict[str | None, Key]]] = OrderedDict()
        self._fetching: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def key(self, uri: str, kid: str | None) -> Key | None:
        """The key of that id, fetched anew if it is not known or old."""
        async with self._fetching.setdefault(uri, asyncio.Lock()):
            at, keys = self._kept.get(uri, (-KEPT_MS, {}))
            age = self._clock() - at
            if age < 0:  # A clock was set back: nobody knows how old they are.
                age = KEPT_MS
            if age >= KEPT_MS or (kid not in keys and age >= EVERY_MS):
                # Stored before the fetch too, so that failures are throttled like successes.
                self._kept[uri] = (self._clock(), keys if age < KEPT_MS else {})
                try:
                    keys = keys_in(await fetched(uri, allow_private=self._allow_private))
                except JwksRefused:
                    keys = self._kept[uri][1]
                self._kept[uri] = (self._clock(), keys)
                self._kept.move_to_end(uri)
                if len(self._kept) > _MOST_SETS:
                    self._kept.popitem(last=False)
            return keys.get(kid)


def keys_in(data: bytes) -> dict[str | None, Key]:
    """The keys of a JWK set by `kid` that sign by one of our algorithms; one alone also as None.

    Raises: JwksRefused for what is no set, or holds a private key.
    """
    try:
        listed = msgspec.json.decode(data, type=_Set).keys
        if any({"d", "k"} & set(each) for each in listed):
            raise JwksRefused("holds a secret")
        known = [each for each in listed if each.get("kty") in ("RSA", "EC", "OKP")]
        found = KeySet.import_key_set({"keys": known}).keys if known else []
    except (msgspec.MsgspecError, JoseError, ValueError, TypeError, KeyError) as error:
        raise JwksRefused("is no JWK set") from error
    usable = [
        key
        for key in found
        if isinstance(key, Key) and algorithm_of(key) and key.get("use", "sig") == "sig"
    ]
    keys: dict[str | None, Key] = {key.kid: key for key in usable if key.kid is not None}
    if len(usable) == 1:
        keys[None] = usable[0]
    return keys


def algorithm_of(key: Key) -> str | None:
    """The one algorithm a key is used with, None for a key we don't use."""
    match key:
        case RSAKey():
            return "RS256" if key.raw_value.key_size >= _LEAST_RSA_BITS else None
        case ECKey():
            return "ES256" if key.curve_name == "P-256" else None
        case OKPKey():
            return "EdDSA" if key.curve_name == "Ed25519" else None


async def fetched(uri: str, *, allow_private: bool = False) -> bytes:
    """What is at the address. Raises: JwksRefused."""
    try:
        answer = await reach("GET", uri, seconds=SECONDS, most=LARGEST, allow_private=allow_private)
    except Unreached as error:
        raise JwksRefused(f"can't be fetched: {error.reason}") from error
    if answer.status != 200:
        raise JwksRefused("answers with another status than 200")
    if len(answer.body) > LARGEST:
        raise JwksRefused("is too large")
    return answer.body


class _Set(msgspec.Struct, frozen=True):
    keys: list[dict[str, Any]] = msgspec.field()

    def __post_init__(self) -> None:
        if len(self.keys) > _MOST_KEYS:
            raise ValueError("too many keys")
