"""A match in one file: what one viewer may keep of it, with all that is needed to check it offline.

A zip in one fixed form (docs/auditing.md): fixed members in a fixed order, without compression, so
that equal contents are equal bytes and nothing that is read is larger than the file.
"""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import Any, Final

import msgspec

from events import chain
from events.canonical import canonical, decoded
from events.match import decode
from events.refused import KeptRefusal
from events.refused import line as refusal_line
from events.signing import PublicKey, Purpose
from events.statements import Statement
from events.statements import line as statement_line
from events.texts import places
from events.types import MatchCreated, MatchRevealed, Record, TextRow
from events.zips import zipped
from games.core.game import ALL, SPECTATOR, Seat, Viewer

FORMAT: Final = "plyscribe/bundle/1"

MANIFEST: Final = "manifest.json"
EVENTS: Final = "events.ndjson"
SALTS: Final = "salts.bin"
FACETS: Final = "facets.bin"
HEADS: Final = "heads.bin"
TEXTS: Final = "texts.ndjson"
REFUSALS: Final = "refusals.ndjson"
OPTIONS: Final = "options.json"
TABLES: Final = "tables.bin"
SEED: Final = "seed.bin"
KEYS: Final = "keys.json"
STATEMENTS: Final = "statements.ndjson"
PROOF: Final = "proof.tlog-proof"
ORDER: Final = (
    MANIFEST, EVENTS, SALTS, FACETS, HEADS, TEXTS, REFUSALS, OPTIONS, TABLES, SEED, KEYS,
    STATEMENTS, PROOF,
)  # fmt: skip
ALWAYS: Final = (EVENTS, SALTS, FACETS, HEADS, OPTIONS)
_PURPOSES: Final = (Purpose.CHECKPOINTS, Purpose.RECEIPTS)  # of keys that sign bundles' contents
UNUSED: Final = bytes(chain.SALT_BYTES)  # for the public's salt where it opens nothing of a seat's


class Member(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a member of the zip has to be; the digest in hex."""

    size: int
    sha256: str


class Manifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a bundle says it is. `events` is how many there are, `head` the last hash in hex."""

    format: str
    perspective: str
    match_id: str
    game: str
    rules_version: int
    data_digest: str
    seats: int
    events: int
    head: str
    members: dict[str, Member]


class Bundle(msgspec.Struct, frozen=True):
    """What one viewer keeps of a match, from event 1 on.

    `events` are the canonical bodies for ALL, else what the viewer was shown. `salts` are by event
    the event's salt for ALL, the public's facet salt for the public, and for a seat its own behind
    the public's, which is zeros where the seat did not see what the public saw. `tables` is empty
    for a game without; `seed` is None before the reveal; `proof` is empty where there is none.
    `refusals` are for arbiters; `keys` signed them and the proof's checkpoint, `statements` say
    whose keys they are.
    """

    viewer: Viewer
    created: MatchCreated
    events: tuple[bytes, ...]
    salts: tuple[bytes, ...]
    facets: tuple[bytes, ...]
    hashes: tuple[bytes, ...]
    texts: tuple[TextRow, ...] = ()
    tables: bytes = b""
    seed: bytes | None = None
    keys: bytes = b""
    proof: str = ""
    refusals: tuple[KeptRefusal, ...] = ()
    statements: tuple[Statement, ...] = ()


def bundle_of(
    records: Sequence[Record],
    texts: Iterable[TextRow],
    tables: bytes,
    *,
    viewer: Viewer = ALL,
    shown: Sequence[bytes] = (),
    proof: str = "",
    keys: bytes = b"",
    refusals: Sequence[KeptRefusal] = (),
    statements: Sequence[Statement] = (),
) -> Bundle:
    """The bundle of a match's log from event 1 on; `shown` is what the viewer saw of each event.

    That the viewer may have it is for the caller to see to. Raises: LogBroken, UnknownSchema.
    """
    created = decode(records[0])
    assert isinstance(created, MatchCreated)
    events = tuple(each.body for each in records) if viewer == ALL else tuple(shown)
    assert len(events) == len(records), (len(events), len(records))
    return Bundle(
        viewer=viewer,
        created=created,
        events=events,
        salts=tuple(_salts(each, viewer, created.match_id) for each in records),
        facets=tuple(each.facets for each in records),
        hashes=tuple(each.hash for each in records),
        texts=tuple(row for row in texts if viewer == ALL or _is_shown(row, events)),
        tables=tables,
        seed=_seed(records),
        keys=keys if proof or refusals else b"",
        proof=proof,
        refusals=tuple(refusals),
        statements=tuple(statements),
    )


def packed(bundle: Bundle) -> bytes:
    """The file."""
    contents = {
        EVENTS: _lines(bundle.events),
        SALTS: b"".join(bundle.salts),
        FACETS: b"".join(bundle.facets),
        HEADS: b"".join(bundle.hashes),
        TEXTS: _lines(map(text_line, bundle.texts)),
        REFUSALS: _lines(map(refusal_line, bundle.refusals)),
        OPTIONS: bytes(bundle.created.options),
        TABLES: bundle.tables,
        SEED: bundle.seed or b"",
        KEYS: bundle.keys,
        STATEMENTS: _lines(map(statement_line, bundle.statements)),
        PROOF: bundle.proof.encode(),
    }
    created = bundle.created
    return zipped(
        manifested(
            {name: data for name, data in contents.items() if data or name in ALWAYS},
            perspective=perspective_of(bundle.viewer),
            match_id=created.match_id,
            game=created.game,
            rules_version=created.rules_version,
            data_digest=created.data_digest,
            seats=created.seats,
            events=len(bundle.events),
            head=bundle.hashes[-1].hex(),
        )
    )


def manifested(members: dict[str, bytes], **facts: Any) -> dict[str, bytes]:
    """The members with the manifest before them."""
    listed = {name: Member(len(data), digest(data)) for name, data in members.items()}
    manifest = Manifest(format=FORMAT, members=listed, **facts)
    return {MANIFEST: canonical(manifest), **members}


def perspective_of(viewer: Viewer) -> str:
    if viewer == ALL:
        return "full"
    return "public" if viewer == SPECTATOR else f"seat:{viewer}"


def viewer_in(perspective: str) -> Viewer | None:
    """None for what is no perspective."""
    if perspective in ("full", "public"):
        return ALL if perspective == "full" else SPECTATOR
    word, _, number = perspective.partition(":")
    is_number = number.isascii() and number.isdigit() and len(number) <= 5
    if word != "seat" or not is_number or str(int(number)) != number:
        return None
    return int(number)


def key_set(keys: Iterable[PublicKey]) -> bytes:
    """The JWK set of a bundle: what never changes about the keys that signed what is in it."""
    return canonical({"keys": [_jwk(each) for each in keys]})


def keys_in(data: bytes) -> tuple[PublicKey, ...]:
    """The keys of a bundle's set. Raises: ValueError for any other form than ours."""
    try:
        listed = [
            PublicKey(Purpose(each["purpose"]), _plain(each["x"]), 0)
            for each in decoded(data)["keys"]
        ]
    except (msgspec.MsgspecError, TypeError, KeyError) as error:
        raise ValueError("is no set of keys") from error
    kids = [each.kid for each in listed]
    is_ours = key_set(listed) == data and all(len(each.public) == 32 for each in listed)
    if not is_ours or any(each.purpose not in _PURPOSES for each in listed):
        raise ValueError("is not in its one form")
    if not listed or kids != sorted(set(kids)):
        raise ValueError("has no keys, or not in order")
    return tuple(listed)


def digest(data: bytes) -> str:
    return sha256(data).hexdigest()


def salt_bytes(viewer: Viewer) -> int:
    """How many bytes of salts there are of each event."""
    return chain.SALT_BYTES * (2 if viewer >= 0 else 1)


def is_as_public(salt: bytes, match_id: str, version: int, seat: Seat, facets: bytes) -> bool:
    """Whether a seat's commitment says that it saw what the public saw."""
    index = seat + 1
    made = chain.commit(salt, chain.id_bytes(match_id), version, index, chain.SAME)
    return made == facets[index * len(made) : (index + 1) * len(made)]


def _salts(record: Record, viewer: Viewer, match_id: str) -> bytes:
    if viewer == ALL:
        return record.salt
    public = chain.facet_salt(record.salt, chain.PUBLIC)
    if viewer == SPECTATOR:
        return public
    own = chain.facet_salt(record.salt, viewer + 1)
    is_same = is_as_public(own, match_id, record.version, viewer, record.facets)
    return (public if is_same else UNUSED) + own


def _seed(records: Sequence[Record]) -> bytes | None:
    for record in reversed(records):
        if record.kind == "match_revealed":
            event = decode(record)
            assert isinstance(event, MatchRevealed)
            return bytes.fromhex(event.seed)
    return None


def _is_shown(row: TextRow, events: Sequence[bytes]) -> bool:
    """Whether the viewer saw the digest of the text, and so may have the text."""
    if row.version > len(events):
        return False
    return places(decoded(events[row.version - 1])).get(row.field) is not None


def text_line(row: TextRow) -> bytes:
    return canonical(
        {"field": row.field, "salt": row.salt.hex(), "text": row.text, "version": row.version}
    )


def _lines(lines: Iterable[bytes]) -> bytes:
    return b"".join(line + b"\n" for line in lines)


def _jwk(key: PublicKey) -> dict[str, str]:
    own = {"alg": "EdDSA", "crv": "Ed25519", "kid": key.kid, "kty": "OKP", "use": "sig"}
    x = urlsafe_b64encode(key.public).decode().rstrip("=")
    return {**own, "purpose": key.purpose.value, "x": x}


def _plain(text: str) -> bytes:
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))
