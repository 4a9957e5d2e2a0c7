"""The vectors of signed evidence in docs/auditing.md, made here anew."""

import re
from hashlib import sha256
from hmac import digest as hmac
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from events.canonical import canonical
from events.dealer import match_seed
from events.entropy import commitment_of
from events.evidence import HEAD, RECEIPT, HeadOf, ReceiptOf, link, submission
from events.seat_keys import coded, sign_move, signed_bytes
from events.signing import Purpose, new_key, sign

PAGE = Path(__file__).parents[2] / "docs" / "auditing.md"
MATCH_ID = "01890a5d-ac96-774b-bcce-b302099a8057"
HASH = "b2" * 32
NONCE = bytes([2]) * 32
MOVE = b'{"cards":[2,3],"type":"arrange"}'


def vectors() -> dict[str, str]:
    key = new_key(Purpose.RECEIPTS, bytes(range(32)), 0)
    receipt = canonical(ReceiptOf(MATCH_ID, 0, "7.0", 8, 9, HASH, "c3" * 32, 1_700_000_000_000))
    head = canonical(HeadOf(MATCH_ID, 9, HASH))
    owner = Ed25519PrivateKey.from_private_bytes(bytes([1]) * 32)
    committed = hmac(NONCE, MOVE, "sha256")
    signed = sign_move(owner, MATCH_ID, "7.0", MOVE, NONCE, 7, bytes.fromhex(HASH))
    data = signed_bytes(MATCH_ID, "7.0", committed, 7, bytes.fromhex(HASH))
    openings = (bytes([3]) * 32, None)
    contributions = tuple(None if each is None else each.hex() for each in openings)
    return {
        "receipt": receipt.decode(),
        "signature of the receipt": sign(key, RECEIPT, receipt).signature,
        "head": head.decode(),
        "signature of the head": sign(key, HEAD, head).signature,
        "link of {}": link(b"{}"),
        "submitted {} under 02…": submission(NONCE, {}),
        "seat key": coded(owner.public_key().public_bytes_raw()),
        "move": MOVE.decode(),
        "committed under 02…": committed.hex(),
        "signed bytes": data.hex(),
        "signature of the move": signed.signature,
        "commitment of seat 0 to 03…": commitment_of(MATCH_ID, 0, bytes([3]) * 32),
        "contributions": canonical(contributions).decode(),
        "match seed of 00 01 … 1f with them": match_seed(bytes(range(32)), contributions).hex(),
    }


def test_the_vectors_of_evidence_are_right() -> None:
    text = PAGE.read_text("utf-8")
    (block,) = re.findall(r"^```evidence\n(.*?)^```$", text, re.M | re.S)
    found = dict(line.split(" = ", 1) for line in block.strip().splitlines())
    assert found == vectors()


def test_a_seat_commits_as_it_is_written_down() -> None:
    data = b"plyscribe/entropy/1" + bytes.fromhex(MATCH_ID.replace("-", "")) + b"\0\0"
    made = sha256(data + bytes([3]) * 32).hexdigest()
    assert vectors()["commitment of seat 0 to 03…"] == made
