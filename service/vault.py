"""The server's secret key and what is derived from it: sealed seeds, request hashes, cursors."""

import hashlib
import os
import secrets
from collections.abc import Sequence
from hmac import compare_digest
from hmac import digest as hmac
from pathlib import Path
from typing import Final
from uuid import UUID

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from events.append import Secret
from events.canonical import prefixed
from events.chain import keyed
from service.settings import PREFIX, SettingRefused, Settings

KEY_BYTES: Final = 32
NONCE_BYTES: Final = 12
KEY_FILE: Final = "secret.key"
_TAG_BYTES: Final = 16


class VaultLocked(Exception):
    """Sealed bytes that this key does not open: another key, another match, or damage."""


class Vault:
    """Everything that needs the server's secret key; each purpose has a key of its own."""

    def __init__(self, key: bytes) -> None:
        assert len(key) == KEY_BYTES
        self._cipher = AESGCM(hmac(key, b"plyscribe/vault/seeds/1", "sha256"))
        self._signing = AESGCM(hmac(key, b"plyscribe/vault/signing/1", "sha256"))
        self._webhooks = AESGCM(hmac(key, b"plyscribe/vault/webhooks/1", "sha256"))
        self._connections = AESGCM(hmac(key, b"plyscribe/vault/connections/1", "sha256"))
        self._requests = hmac(key, b"plyscribe/vault/requests/1", "sha256")
        self._cursors = hmac(key, b"plyscribe/vault/cursors/1", "sha256")
        self._tokens = hmac(key, b"plyscribe/vault/tokens/1", "sha256")
        self.key_id = hashlib.sha256(b"plyscribe/vault/id/1" + key).hexdigest()[:16]

    def seal(self, match_id: str, secret: bytes) -> bytes:
        """AES-256-GCM under a fresh nonce, bound to the match and the key."""
        return _sealed(self._cipher, self._bound(match_id), secret)

    def open(self, match_id: str, sealed: bytes) -> bytes:
        """Raises: VaultLocked."""
        return _opened(self._cipher, self._bound(match_id), sealed, match_id)

    def seal_signing(self, identity: str, seed: bytes) -> bytes:
        """The private half of a key that signs, likewise, bound to the id of its row."""
        return _sealed(self._signing, UUID(identity).bytes, seed)

    def open_signing(self, identity: str, sealed: bytes) -> bytes:
        """Raises: VaultLocked."""
        return _opened(self._signing, UUID(identity).bytes, sealed, identity)

    def seal_webhook(self, identity: str, secret: bytes) -> bytes:
        """The secret that a webhook is signed with, likewise."""
        return _sealed(self._webhooks, identity.encode(), secret)

    def open_webhook(self, identity: str, sealed: bytes) -> bytes:
        """Raises: VaultLocked."""
        return _opened(self._webhooks, identity.encode(), sealed, identity)

    def seal_connection(self, identity: str, credentials: bytes) -> bytes:
        """What a platform knows an organisation by, likewise."""
        return _sealed(self._connections, identity.encode(), credentials)

    def open_connection(self, identity: str, sealed: bytes) -> bytes:
        """Raises: VaultLocked."""
        return _opened(self._connections, identity.encode(), sealed, identity)

    def opens(self, secret: Secret) -> bool:
        try:
            self.open(secret.id, secret.ciphertext)
        except VaultLocked:
            return False
        return True

    def request_hash(self, request: bytes) -> bytes:
        """What the log keeps of a request: nothing can be guessed from it without the key."""
        return keyed(self._requests, request)

    def signed(self, cursor: bytes, bound_to: bytes) -> bytes:
        """A cursor behind its tag: nobody makes one up or uses it in another place."""
        return self._tag(cursor, bound_to) + cursor

    def unsigned(self, signed: bytes, bound_to: bytes) -> bytes | None:
        """The cursor, or None if its tag is wrong."""
        tag, cursor = signed[:_TAG_BYTES], signed[_TAG_BYTES:]
        return cursor if compare_digest(self._tag(cursor, bound_to), tag) else None

    def derived(self, purpose: bytes) -> bytes:
        """32 bytes that only this server can make again."""
        return hmac(self._tokens, purpose, "sha256")

    def _tag(self, cursor: bytes, bound_to: bytes) -> bytes:
        return hmac(self._cursors, prefixed(bound_to, cursor), "sha256")[:_TAG_BYTES]

    def _bound(self, match_id: str) -> bytes:
        return b"plyscribe/seed-at-rest/1" + UUID(match_id).bytes + self.key_id.encode()


def unlocked(settings: Settings, seeds: Sequence[Secret] = (), *, is_used: bool = False) -> Vault:
    """The vault under the key that is set, or the key file, made on the first start (mode 0600).

    It has to open `seeds`; where there are some, or the key `is_used` otherwise, none is made.

    Raises: SettingRefused.
    """
    path = settings.data_dir / KEY_FILE
    if settings.secret_key is not None:
        vault, name = Vault(bytes.fromhex(settings.secret_key)), "this key"
    elif (seeds or is_used) and not path.exists():
        raise SettingRefused(
            PREFIX + "SECRET_KEY",
            f"the database holds seeds, but the key that opens them is neither set nor in {path}",
        )
    else:
        vault, name = Vault(_from_file(path)), f"the key in {path}"
    if not all(vault.opens(each) for each in seeds):
        raise SettingRefused(
            PREFIX + "SECRET_KEY",
            f"{name} does not open the seeds in the database; they were sealed with another one",
        )
    return vault


def _sealed(cipher: AESGCM, bound: bytes, secret: bytes) -> bytes:
    nonce = os.urandom(NONCE_BYTES)
    return nonce + cipher.encrypt(nonce, secret, bound)


def _opened(cipher: AESGCM, bound: bytes, sealed: bytes, name: str) -> bytes:
    """Raises: VaultLocked."""
    try:
        return cipher.decrypt(sealed[:NONCE_BYTES], sealed[NONCE_BYTES:], bound)
    except (InvalidTag, ValueError):
        raise VaultLocked(name) from None


def _from_file(path: Path) -> bytes:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        made = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return _read(path)
    key = secrets.token_bytes(KEY_BYTES)
    with os.fdopen(made, "wb") as file:
        file.write(key.hex().encode())
        file.flush()
        os.fsync(file.fileno())
    return key


def _read(path: Path) -> bytes:
    try:
        key = bytes.fromhex(path.read_text("ascii").strip())
    except ValueError:
        key = b""
    if len(key) != KEY_BYTES:
        raise SettingRefused(PREFIX + "SECRET_KEY", f"the key file {path} is damaged")
    return key
