"""A bundle read: its members told apart, as far as they can be read, and what is not what it says.

What is read is not checked yet: events/verify_bundle.py does that.
"""

from collections.abc import Callable
from typing import Final, TypeVar

import msgspec

from events import chain
from events.bundle import (
    ALWAYS,
    EVENTS,
    FACETS,
    FORMAT,
    HEADS,
    KEYS,
    MANIFEST,
    ORDER,
    PROOF,
    REFUSALS,
    SALTS,
    SEED,
    STATEMENTS,
    TABLES,
    TEXTS,
    Bundle,
    Manifest,
    digest,
    salt_bytes,
    text_line,
    viewer_in,
)
from events.canonical import canonical, decoded
from events.match import decode
from events.refused import refusals_in
from events.schema import NEWEST
from events.statements import statements_in
from events.types import MatchCreated, Record, TextRow
from events.zips import BundleRefused, damage
from games.core.game import ALL, Viewer

T = TypeVar("T")


def manifest_of(members: dict[str, bytes]) -> Manifest:
    """Raises: BundleRefused."""
    if MANIFEST not in members:
        raise BundleRefused(MANIFEST, "is missing")
    try:
        manifest = msgspec.json.decode(members[MANIFEST], type=Manifest)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        raise BundleRefused(MANIFEST, "can't be read") from None
    if manifest.format != FORMAT:
        raise BundleRefused(MANIFEST, f"is of the format {manifest.format!r}, known is {FORMAT}")
    if canonical(manifest) != members[MANIFEST]:
        raise BundleRefused(MANIFEST, "is not canonical")
    return manifest


def damage_of(data: bytes, members: dict[str, bytes], manifest: Manifest) -> BundleRefused | None:
    """The first member that is not what the manifest says, or damage of the zip itself."""
    extra = set(members) - set(manifest.members) - {MANIFEST}
    if extra:
        return BundleRefused(min(extra), "is not in the manifest")
    for name, told in manifest.members.items():
        if name not in members:
            return BundleRefused(name if name in ORDER else MANIFEST, f"{name} is missing")
        if len(members[name]) != told.size or digest(members[name]) != told.sha256:
            return BundleRefused(name, "is not what the manifest says")
    return damage(data, members)


def read(members: dict[str, bytes], manifest: Manifest) -> Bundle:
    """The bundle as far as it goes: as many events as every member has. Raises: BundleRefused."""
    viewer = viewer_in(manifest.perspective)
    for name in ALWAYS:
        if name not in members:
            raise BundleRefused(name, "is missing")
    for name, content in members.items():
        if not content and name not in ALWAYS:
            raise BundleRefused(name, "is empty, and so has no place in a bundle")
    if viewer is None or viewer >= manifest.seats or not 1 <= manifest.seats < 1 << 15:
        raise BundleRefused(MANIFEST, f"has no perspective {manifest.perspective!r}")
    events = _lines(members, EVENTS)
    created = _created(events, viewer)
    seats = created.seats
    parts = (
        _slices(members, SALTS, salt_bytes(viewer)),
        _slices(members, FACETS, (seats + 2) * chain.COMMITMENT_BYTES),
        _slices(members, HEADS, chain.COMMITMENT_BYTES),
    )
    return Bundle(
        viewer,
        created,
        tuple(events),
        *parts,
        texts=_texts(members),
        tables=members.get(TABLES, b""),
        seed=members.get(SEED),
        keys=members.get(KEYS, b""),
        proof=_text(members, PROOF),
        refusals=_parsed(members, REFUSALS, refusals_in),
        statements=_parsed(members, STATEMENTS, statements_in),
    )


def _created(events: list[bytes], viewer: Viewer) -> MatchCreated:
    """What event 1 says, out of the body or an observation. Raises: BundleRefused."""
    try:
        body = events[0]
        if viewer != ALL:
            told = decoded(body)
            data = told.pop("data")
            body = canonical({**told, **data, "schema": NEWEST["match_created"]})
        columns = _COLUMNS.decode(body)
        created = decode(Record(1, columns.kind, columns.schema, columns.at, body, b"", b"", b""))
    except Exception:
        raise BundleRefused("event 1", "can't be read") from None
    if not isinstance(created, MatchCreated) or not 1 <= created.seats < 1 << 15:
        raise BundleRefused("event 1", "does not say which match it is of")
    if not chain.is_id(created.match_id):
        raise BundleRefused("event 1", "has no match id in its one form")
    return created


def records_of(bundle: Bundle, count: int | None = None) -> tuple[Record, ...]:
    """The records of a full bundle. A body that can't be read gives one that can't be either."""
    assert bundle.viewer == ALL
    upto = len(bundle.events) if count is None else count
    return tuple(_record(bundle, index) for index in range(upto))


def _record(bundle: Bundle, index: int) -> Record:
    body = bundle.events[index]
    try:
        told = _COLUMNS.decode(body)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        told = _Columns(index + 1, "", 0, 0)
    rest = (body, bundle.salts[index], bundle.facets[index], bundle.hashes[index])
    return Record(told.version, told.kind, told.schema, told.at, *rest)


def _lines(members: dict[str, bytes], name: str) -> list[bytes]:
    """Raises: BundleRefused."""
    data = members[name]
    if not data.endswith(b"\n"):
        raise BundleRefused(name, "does not end with a line")
    return data[:-1].split(b"\n")


def _slices(members: dict[str, bytes], name: str, width: int) -> tuple[bytes, ...]:
    data = members[name]
    return tuple(data[at : at + width] for at in range(0, len(data) // width * width, width))


def _texts(members: dict[str, bytes]) -> tuple[TextRow, ...]:
    """Raises: BundleRefused."""
    rows = []
    for line in _lines(members, TEXTS) if TEXTS in members else ():
        try:
            row = _TEXT.decode(line)
            made = TextRow(row.version, row.field, chain.salt_in(row.salt), row.text)
        except (msgspec.MsgspecError, UnicodeDecodeError, ValueError):
            raise BundleRefused(TEXTS, "can't be read") from None
        if text_line(made) != line or made.version < 1:
            raise BundleRefused(TEXTS, "is not canonical")
        rows.append(made)
    return tuple(rows)


def _parsed(
    members: dict[str, bytes], name: str, parse: Callable[[bytes], tuple[T, ...]]
) -> tuple[T, ...]:
    """Raises: BundleRefused."""
    try:
        return parse(members[name]) if name in members else ()
    except ValueError as error:
        raise BundleRefused(name, str(error)) from None


def _text(members: dict[str, bytes], name: str) -> str:
    """Raises: BundleRefused."""
    try:
        return members.get(name, b"").decode()
    except UnicodeDecodeError:
        raise BundleRefused(name, "is no text") from None


class _Columns(msgspec.Struct, frozen=True):
    version: int
    kind: str
    schema: int
    at: int


class _Text(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    version: int
    field: str
    salt: str
    text: str


_COLUMNS: Final = msgspec.json.Decoder(_Columns)
_TEXT: Final = msgspec.json.Decoder(_Text)
