"""Everything the service has let out about a match, and what it holds of keys and digests."""

import re
from base64 import b64decode
from collections.abc import Iterator
from typing import Final

from events.bundle import ORDER
from events.zips import unzipped

WIDTH: Final = 8  # bytes that tell digests apart, also shortened ones
_HEX: Final = re.compile(rb"[0-9a-f]{32,}")
_CODED: Final = re.compile(rb"[A-Za-z0-9+/_-]{22,}")
_TO_STANDARD: Final = bytes.maketrans(b"-_", b"+/")
_ZIP: Final = b"PK\x03\x04"


class Published:
    """Bytes as they were sent, headers included."""

    def __init__(self) -> None:
        self._texts: set[bytes] = set()
        self._raw: set[bytes] = set()

    def add(self, sent: bytes, *, is_binary: bool = False) -> None:
        """An answer; of a bundle, its members."""
        head, found, zipped = sent.partition(_ZIP)
        if not found:
            (self._raw if is_binary else self._texts).add(sent)
            return
        self._texts.add(head)
        for name, data in unzipped(found + zipped, ORDER).items():
            (self._raw if name.endswith(".bin") else self._texts).add(data)

    @property
    def size(self) -> int:
        return sum(map(len, self._texts | self._raw))

    def windows(self) -> set[bytes]:
        """Every `WIDTH` bytes at every place of whatever is binary, in hex or in base64."""
        found: set[bytes] = set()
        for data in self._blobs():
            found.update(data[at : at + WIDTH] for at in range(len(data) - WIDTH + 1))
        return found

    def keys(self) -> set[bytes]:
        """Every value of 16 or 32 bytes that stands by itself, or in a row of such."""
        found: set[bytes] = set()
        for data in self._blobs():
            if len(data) == 16:
                found.add(data)
            if len(data) % 32 == 0:
                found.update(data[at : at + 32] for at in range(0, len(data), 32))
        return found

    def _blobs(self) -> set[bytes]:
        return self._raw.union(*(_decoded(text) for text in self._texts))


def _decoded(text: bytes) -> Iterator[bytes]:
    for run in _HEX.findall(text):
        yield bytes.fromhex(run[: len(run) // 2 * 2].decode())
    for run in set(_CODED.findall(text)):
        if _HEX.fullmatch(run):
            continue
        for start in range(4):  # Where the value begins in a longer run is not known.
            data = run[start:].translate(_TO_STANDARD)
            yield b64decode(data[: len(data) - (len(data) % 4 == 1)] + b"=" * (-len(data) % 4))
