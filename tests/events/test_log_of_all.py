"""The log of all matches as docs/auditing.md describes it: its vectors, made here anew.

Nothing of `events` makes the wanted values, but what the tests of it hold to its contract.
"""

import json
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from uuid import UUID

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from events import notes, signing
from events.canonical import canonical as house_canonical
from events.feed import Entry
from events.signing import Purpose
from tests.events.test_merkle import path_written_out, proof_written_out, written_out

ROOT = Path(__file__).parents[2]
ORIGIN = "log.example/plyscribe"
SEED = bytes(range(32))
AT = 1_700_000_000_000
MATCH = "01890a5d-ac96-774b-bcce-b302099a8057"
HEADS = tuple(bytes([number]) * 32 for number in (0xA1, 0xB2, 0xC3))


def canonical(value: object) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def b64(data: bytes) -> str:
    return b64encode(data).decode()


def b64url(data: bytes) -> str:
    return urlsafe_b64encode(data).decode().rstrip("=")


def prefixed(*parts: str | bytes) -> bytes:
    coded = [part.encode() if isinstance(part, str) else part for part in parts]
    return b"".join(len(part).to_bytes(4, "big") + part for part in coded)


KEY = Ed25519PrivateKey.from_private_bytes(SEED)
PUBLIC = KEY.public_key().public_bytes_raw()
JWK = {"crv": "Ed25519", "kty": "OKP", "x": b64url(PUBLIC)}
KID = b64url(sha256(canonical(JWK)).digest())


def leaves() -> list[bytes]:
    """A key's introduction, and a match in two steps."""
    introduction = {
        "at": AT,
        "key": JWK,
        "kid": KID,
        "kind": "key_introduced",
        "purpose": "checkpoints",
    }
    steps = [
        {
            "first": first,
            "head_after": HEADS[number + 1].hex(),
            "head_before": HEADS[number].hex(),
            "kind": "match",
            "last": last,
            "match_id": MATCH,
        }
        for number, (first, last) in enumerate(((1, 4), (5, 5)))
    ]
    return [canonical(introduction), *map(canonical, steps)]


def note_of(size: int, root: bytes) -> str:
    text = f"{ORIGIN}\n{size}\n{b64(root)}\n"
    identity = sha256(ORIGIN.encode() + b"\n\x01" + PUBLIC).digest()[:4]
    return f"{text}\n\u2014 {ORIGIN} {b64(identity + KEY.sign(text.encode()))}\n"


def vectors() -> dict[str, str]:
    made = leaves()
    root = written_out(made)
    path, grown = path_written_out(2, made), proof_written_out(2, made)
    identity = sha256(ORIGIN.encode() + b"\n\x01" + PUBLIC).digest()[:4]
    payload = canonical({"version": 7})
    bound = prefixed("plyscribe/signature/1", "receipts", "plyscribe/receipt/1", payload)
    stated = prefixed("plyscribe/signature/1", "checkpoints", "plyscribe/statement/1", made[0])
    return {
        "secret key": SEED.hex(),
        "public key": PUBLIC.hex(),
        "kid": KID,
        "verifier key": f"{ORIGIN}+{identity.hex()}+" + b64(b"\x01" + PUBLIC),
        **{f"leaf {number}": each.decode() for number, each in enumerate(made)},
        **{f"leaf hash {n}": written_out([each]).hex() for n, each in enumerate(made)},
        "root of 2": written_out(made[:2]).hex(),
        "root of 3": root.hex(),
        "inclusion of leaf 2 in 3": " ".join(each.hex() for each in path),
        "consistency of 2 and 3": " ".join(each.hex() for each in grown),
        "checkpoint signature": note_of(3, root).splitlines()[-1].split(" ")[2],
        "signature of leaf 0 as a statement": b64url(KEY.sign(stated)),
        'signed bytes of {"version":7} as a receipt': bound.hex(),
        'signature of {"version":7} as a receipt': b64url(KEY.sign(bound)),
    }


def entries() -> Sequence[Entry]:
    first = Entry(position=1, statement=leaves()[0])
    steps = ((2, 1, 4), (3, 5, 5))
    return [
        first,
        *(
            Entry(position=at, match_id=MATCH, first=a, last=b, before=HEADS[n], head=HEADS[n + 1])
            for n, (at, a, b) in enumerate(steps)
        ),
    ]


def test_the_vectors_of_the_document_are_right() -> None:
    text = (ROOT / "docs" / "auditing.md").read_text()
    block = text.split("```vectors\n")[1].split("```")[0]
    found = dict(line.split(" = ", 1) for line in block.strip().splitlines())
    assert found == vectors()


def test_the_proof_of_the_document_is_right() -> None:
    made = leaves()
    note = note_of(3, written_out(made))
    path = [b64(each) for each in path_written_out(2, made)]
    lines = ["c2sp.org/tlog-proof@v1", f"extra {b64(made[2])}", "index 2", *path, "", note]
    text = (ROOT / "docs" / "auditing.md").read_text()
    assert text.split("```tlog-proof\n")[1].split("```")[0] == "\n".join(lines)


def test_the_service_makes_the_same_bytes() -> None:
    assert [each.leaf for each in entries()] == leaves()
    wanted = vectors()
    key = signing.new_key(Purpose.CHECKPOINTS, SEED, AT)
    assert key.public.introduction() == leaves()[0]
    assert key.public.kid == wanted["kid"]
    assert notes.verifier_key(ORIGIN, PUBLIC) == wanted["verifier key"]
    stated = signing.sign(key, "plyscribe/statement/1", leaves()[0])
    assert stated.signature == wanted["signature of leaf 0 as a statement"]
    root = bytes.fromhex(wanted["root of 3"])
    assert notes.signed(notes.Checkpoint(ORIGIN, 3, root).text, ORIGIN, [KEY]) == note_of(3, root)
    receipts = signing.new_key(Purpose.RECEIPTS, SEED, AT)
    signed = signing.sign(receipts, "plyscribe/receipt/1", house_canonical({"version": 7}))
    assert signed.signature == wanted['signature of {"version":7} as a receipt']
    assert UUID(MATCH).version == 7
