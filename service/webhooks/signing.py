"""Signatures on what is sent to a webhook, and their headers, as Standard Webhooks 1.0 has them."""

from base64 import b64decode, b64encode
from hmac import digest
from typing import Final

from events.signing import Purpose
from service.signing_keys import SigningKeys
from service.vault import Vault, VaultLocked
from service.webhooks.rows import Hook, Scheme

SECRET_BYTES: Final = 32
SECRET: Final = "whsec_"  # noqa: S105 - what a secret begins with
PUBLIC: Final = "whpk_"  # what a public key begins with


def told(secret: bytes) -> str:
    """A secret as its receiver is told of it."""
    return SECRET + b64encode(secret).decode()


def told_key(public: bytes) -> str:
    return PUBLIC + b64encode(public).decode()


def secret_in(told: str) -> bytes:
    return b64decode(told.removeprefix(SECRET))


def headers(
    vault: Vault, keys: SigningKeys, hook: Hook, message_id: str, body: bytes, now: int
) -> dict[str, str]:
    """Signed for the moment of this attempt (ms), by every secret and key that signs now.

    Raises: VaultLocked.
    """
    seconds = now // 1000
    content = f"{message_id}.{seconds}.".encode() + body
    signed = []
    if Scheme.HMAC in hook.signatures:
        signed += [f"v1,{_coded(digest(s, content, 'sha256'))}" for s in _secrets(vault, hook, now)]
    if Scheme.ED25519 in hook.signatures:
        signed += [
            f"v1a,{_coded(key.private.sign(content))}" for key in keys.active(Purpose.WEBHOOKS)
        ]
    if not signed:  # All of its schemes are of a newer release.
        raise VaultLocked
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(seconds),
        "webhook-signature": " ".join(signed),
    }


def _secrets(vault: Vault, hook: Hook, now: int) -> list[bytes]:
    """The newest first; the one before it until its time is over."""
    sealed = [hook.secret]
    if hook.previous is not None and now < (hook.previous_until or 0):
        sealed.append(hook.previous)
    return [vault.open_webhook(hook.id, each) for each in sealed]


def _coded(signature: bytes) -> str:
    return b64encode(signature).decode()
