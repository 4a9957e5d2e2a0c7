"""The keys an issuer signs with: fetched with care, kept for a while, checked for what they are.

An issuer's address is what somebody typed in, so a fetch goes to public addresses alone, follows
nothing, and takes neither much nor long.
"""

import asyncio
import socket
from collections.abc import Callable
from ipaddress import IPv6Address, IPv6Network, ip_address
from typing import Any, Final
from urllib.parse import urlsplit

import httpx
import msgspec
from joserfc.errors import JoseError
from joserfc.jwk import ECKey, KeySet, OKPKey, RSAKey

LARGEST: Final = 64 * 1024
SECONDS: Final = 5.0
EVERY_MS: Final = 60_000  # a fetch for an unknown key comes at most so often
KEPT_MS: Final = 600_000  # a key that is taken back works for so long at most
_LEAST_RSA_BITS: Final = 2048
_MOST_KEYS: Final = 50
_NAT64: Final = IPv6Network("64:ff9b::/96")

Key = RSAKey | ECKey | OKPKey


class JwksRefused(Exception):
    """Keys that can't be had or can't be used."""


class KeySets:
    """The key sets of issuers by their address, each fetched by one request at a time."""

    def __init__(self, clock: Callable[[], int], *, allow_private: bool = False) -> None:
        self._clock = clock
        self._allow_private = allow_private
        self._kept: dict[str, tuple[int, dict[str | None, Key]]] = {}
        self._fetching: dict[str, asyncio.Lock] = {}

    async def key(self, uri: str, kid: str | None) -> Key | None:
        """The key of that id, fetched anew if it is not known or old."""
        lock = self._fetching.setdefault(uri, asyncio.Lock())
        async with lock:
            at, keys = self._kept.get(uri, (-KEPT_MS, {}))
            age = self._clock() - at
            if age >= KEPT_MS or (kid not in keys and age >= EVERY_MS):
                # Stored before the fetch too, so that failures are throttled like successes.
                self._kept[uri] = (self._clock(), keys if age < KEPT_MS else {})
                try:
                    keys = keys_in(await fetched(uri, allow_private=self._allow_private))
                except JwksRefused:
                    keys = self._kept[uri][1]
                self._kept[uri] = (self._clock(), keys)
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
        async with asyncio.timeout(SECONDS):
            return await _fetched(uri, allow_private)
    except (TimeoutError, OSError, ValueError, httpx.HTTPError) as error:
        raise JwksRefused("can't be fetched") from error


async def _fetched(uri: str, allow_private: bool) -> bytes:
    parts = urlsplit(uri)
    host = parts.hostname
    if host is None or parts.scheme not in (("https", "http") if allow_private else ("https",)):
        raise JwksRefused("is no https address")
    port = parts.port or (443 if parts.scheme == "https" else 80)
    address = await _resolved(host, port, allow_private)
    # Pinned: the name is not resolved a second time, but the certificate has to be the name's.
    pinned = httpx.URL(uri).copy_with(host=address)
    headers = {"host": parts.netloc.rpartition("@")[2], "accept-encoding": "identity"}
    async with httpx.AsyncClient(trust_env=False, follow_redirects=False) as client:
        request = client.build_request(
            "GET", pinned, headers=headers, extensions={"sni_hostname": host}
        )
        answer = await client.send(request, stream=True)
        try:
            return await _body(answer)
        finally:
            await answer.aclose()


async def _body(answer: httpx.Response) -> bytes:
    if answer.status_code != 200:
        raise JwksRefused("answers with another status than 200")
    body = b""
    async for part in answer.aiter_raw():
        body += part
        if len(body) > LARGEST:
            raise JwksRefused("is too large")
    return body


async def _resolved(host: str, port: int, allow_private: bool) -> str:
    """An address of the host. One that is not public among them refuses all."""
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    addresses = [str(each[4][0]) for each in found]
    if not addresses or not (allow_private or all(map(is_public, addresses))):
        raise JwksRefused("is not at a public address")
    return addresses[0]


def is_public(address: str) -> bool:
    """Whether an address lies in the open, also the one inside of an IPv6 address that wraps it."""
    parsed = ip_address(address.partition("%")[0])
    if isinstance(parsed, IPv6Address):
        if parsed in _NAT64:
            return is_public(str(ip_address(int(parsed) & 0xFFFFFFFF)))
        wrapped = parsed.ipv4_mapped or parsed.sixtofour
        if wrapped is not None:
            return is_public(str(wrapped))
        if parsed.teredo is not None:
            return False
    return parsed.is_global and not parsed.is_multicast


class _Set(msgspec.Struct, frozen=True):
    keys: list[dict[str, Any]] = msgspec.field()

    def __post_init__(self) -> None:
        if len(self.keys) > _MOST_KEYS:
            raise ValueError("too many keys")
