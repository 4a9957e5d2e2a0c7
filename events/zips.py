"""The one form of a zip that bundles have: stored members, in order, and nothing else.

Equal contents are equal bytes, nothing that is read is larger than the file, and whatever is not in
this form is refused.
"""

import io
import zipfile
from collections.abc import Sequence
from typing import Final
from zlib import crc32

LARGEST: Final = 256 << 20  # bytes of a file that is read at all
_LOCAL: Final = b"PK\x03\x04"
_HEAD_BYTES: Final = 30
_MOST_NAME: Final = 64


class BundleRefused(Exception):
    """No bundle: which member, or `zip`, and what is wrong with it."""

    def __init__(self, place: str, reason: str) -> None:
        super().__init__(f"{place}: {reason}")
        self.place = place
        self.reason = reason


def zipped(members: dict[str, bytes]) -> bytes:
    """The one zip of these members, in the order given."""
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_STORED) as archive:
        for name, data in members.items():
            entry = zipfile.ZipInfo(name)  # of 1980-01-01, the first day there is
            entry.create_system = 3
            entry.external_attr = 0o100644 << 16
            archive.writestr(entry, data)
    return written.getvalue()


def unzipped(data: bytes, names: Sequence[str]) -> dict[str, bytes]:
    """The members as they stand one behind the other, whatever their checksums say.

    Nothing is inflated, and no name leads anywhere: only `names` are taken, each once, in
    their order.
    Raises: BundleRefused.
    """
    if len(data) > LARGEST:
        raise BundleRefused("zip", f"has more than {LARGEST} bytes")
    found: dict[str, bytes] = {}
    at = 0
    while data[at : at + 4] == _LOCAL:
        name, start, end = _placed(data, at, names)
        if name in found:
            raise BundleRefused("zip", f"holds {name} twice")
        found[name] = data[start:end]
        at = end
    if not found:
        raise BundleRefused("zip", "is no bundle")
    if tuple(found) != tuple(each for each in names if each in found):
        raise BundleRefused("zip", "the members are not in their order")
    return found


def damage(data: bytes, members: dict[str, bytes]) -> BundleRefused | None:
    """Where the file is not the one zip of its members, if it isn't."""
    whole = zipped(members)
    if whole == data:
        return None
    pairs = enumerate(zip(whole, data, strict=False))
    common = next((at for at, (one, other) in pairs if one != other), min(len(whole), len(data)))
    at = 0
    for name, content in members.items():
        start = at + _HEAD_BYTES + len(name)
        if at <= common < start and crc32(content) != _number(data, at + 14, 4):
            return BundleRefused(name, "its checksum is of other contents")
        at = start + len(content)
    return BundleRefused("zip", f"is not in its one form from byte {common} on")


def _placed(data: bytes, at: int, names: Sequence[str]) -> tuple[str, int, int]:
    """Name and place of the member whose header stands at a byte. Raises: BundleRefused."""
    head = data[at : at + _HEAD_BYTES]
    flags, method = _number(head, 6, 2), _number(head, 8, 2)
    inside, size = _number(head, 18, 4), _number(head, 22, 4)
    name_length, extra = _number(head, 26, 2), _number(head, 28, 2)
    if len(head) < _HEAD_BYTES or name_length > _MOST_NAME:
        raise BundleRefused("zip", f"is cut off, or damaged at byte {at}")
    start = at + _HEAD_BYTES + name_length
    name = data[at + _HEAD_BYTES : start].decode("ascii", "replace")
    if name not in names:
        raise BundleRefused("zip", f"a bundle has no member {name!r}")
    if flags or method or extra or inside != size:
        raise BundleRefused("zip", f"{name} is compressed, encrypted or has more to it")
    if start + size > len(data):
        raise BundleRefused("zip", f"ends within {name}")
    return name, start, start + size


def _number(head: bytes, at: int, width: int) -> int:
    return int.from_bytes(head[at : at + width], "little")
