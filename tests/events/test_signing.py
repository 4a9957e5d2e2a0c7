"""A signature is of one key, purpose, tag and payload, and of no other."""

import msgspec
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from events import signing
from events.canonical import canonical, decoded
from events.signing import KeySet, Purpose, Signature, SignatureWrong

NOW = 1_700_000_000_000
KEY = signing.new_key(Purpose.RECEIPTS, b"k" * 32, NOW)
KEYS = KeySet([KEY.public])
TAG, PAYLOAD = "plyscribe/receipt/1", canonical({"match": "m", "last": 7})
SIGNED = signing.sign(KEY, TAG, PAYLOAD)


def test_a_signature_is_verified_with_the_published_keys_alone() -> None:
    published = KeySet.of_jwks(KEYS.jwks())
    assert published.verify(Purpose.RECEIPTS, TAG, PAYLOAD, SIGNED) == KEY.public


def test_the_bytes_are_those_written_down() -> None:
    def part(data: bytes) -> bytes:
        return len(data).to_bytes(4, "big") + data

    parts = (b"plyscribe/signature/1", b"receipts", TAG.encode(), PAYLOAD)
    key = Ed25519PublicKey.from_public_bytes(KEY.public.public)
    key.verify(signing._plain(SIGNED.signature), b"".join(map(part, parts)))


@pytest.mark.parametrize(
    ("purpose", "tag", "payload"),
    [
        (Purpose.WEBHOOKS, TAG, PAYLOAD),
        (Purpose.CHECKPOINTS, TAG, PAYLOAD),
        (Purpose.RECEIPTS, TAG + "1", PAYLOAD),
        (Purpose.RECEIPTS, TAG, PAYLOAD + b" "),
        (Purpose.RECEIPTS, TAG + "\x00", PAYLOAD[1:]),
    ],
)
def test_it_is_good_for_nothing_else(purpose: Purpose, tag: str, payload: bytes) -> None:
    with pytest.raises(SignatureWrong):
        KEYS.verify(purpose, tag, payload, SIGNED)


def test_an_altered_signature_or_key_is_refused() -> None:
    for place in range(len(SIGNED.signature)):
        letter = "A" if SIGNED.signature[place] != "A" else "B"
        altered = SIGNED.signature[:place] + letter + SIGNED.signature[place + 1 :]
        with pytest.raises(SignatureWrong):
            KEYS.verify(Purpose.RECEIPTS, TAG, PAYLOAD, Signature(SIGNED.kid, altered))
    for wrong in (Signature("other", SIGNED.signature), Signature(SIGNED.kid, "")):
        with pytest.raises(SignatureWrong):
            KEYS.verify(Purpose.RECEIPTS, TAG, PAYLOAD, wrong)


def test_a_retired_key_is_good_for_what_it_signed_before() -> None:
    retired = KeySet([msgspec.structs.replace(KEY.public, retired_at=NOW + 1000)])
    assert retired.verify(Purpose.RECEIPTS, TAG, PAYLOAD, SIGNED)
    assert retired.verify(Purpose.RECEIPTS, TAG, PAYLOAD, SIGNED, at=NOW + 999)
    for at in (NOW + 1000, NOW - signing.SKEW_MS - 1):
        with pytest.raises(SignatureWrong):
            retired.verify(Purpose.RECEIPTS, TAG, PAYLOAD, SIGNED, at=at)


def test_the_name_of_a_key_is_its_thumbprint() -> None:
    """The example of RFC 8037, appendix A.3."""
    x = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"
    key = signing.PublicKey(Purpose.WEBHOOKS, signing._plain(x), NOW)
    assert key.kid == "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"


def test_a_key_set_tells_everything_and_reads_it_back() -> None:
    other = msgspec.structs.replace(KEY.public, retired_at=5, introduced=1, retired=9)
    for key in (KEY.public, other):
        (read,) = KeySet.of_jwks(KeySet([key]).jwks())
        assert read == key
    (told,) = decoded(KEYS.jwks())["keys"]
    assert told["kid"] == KEY.public.kid


@pytest.mark.parametrize(
    "wrong", [b"", b"[]", b"{}", b'{"keys":[{"purpose":"receipts"}]}', b'{"keys":7}']
)
def test_what_is_no_key_set_is_refused(wrong: bytes) -> None:
    with pytest.raises(SignatureWrong):
        KeySet.of_jwks(wrong)


def test_keys_of_others_in_a_set_are_passed_over() -> None:
    foreign = {"keys": [{"kty": "RSA", "n": "x", "e": "AQAB"}, *decoded(KEYS.jwks())["keys"]]}
    assert [each.kid for each in KeySet.of_jwks(canonical(foreign))] == [KEY.public.kid]


def test_a_key_that_signs_shows_nothing_of_itself() -> None:
    assert repr(KEY) == f"SigningKey({KEY.public.kid})"
    assert b"k" * 8 not in repr(KEY).encode()
