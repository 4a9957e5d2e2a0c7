"""The Merkle tree as it is stored: the leaves from the feed, full tiles beside them.

Tiles are those of C2SP tlog-tiles: 256 hashes of leaves, or of full tiles of the level below.
"""

from typing import Final

from sqlalchemy import Connection, bindparam, insert, select

from events import merkle
from events.feed import entries_after
from events.merkle import HASH_BYTES
from events.tables import TILE

WIDTH: Final = 256
LEVELS: Final = 64
_HEIGHT: Final = 8  # of a tile: its root is a node eight levels above its hashes


class Tree:
    """The first `size` leaves, read over an open connection. All of them have to be in the feed."""

    def __init__(self, connection: Connection, size: int) -> None:
        self._connection = connection
        self._size = size
        self._kept: dict[tuple[int, int], bytes] = {}

    @property
    def root(self) -> bytes:
        return merkle.root(self._size, self.node)

    def inclusion(self, index: int) -> list[bytes]:
        """What leads from leaf `index` to the root."""
        return merkle.inclusion(index, self._size, self.node)

    def consistency(self, first: int) -> list[bytes]:
        """That this tree begins with the first `first` leaves."""
        return merkle.consistency(first, self._size, self.node)

    def node(self, height: int, index: int) -> bytes:
        """The hash over a complete subtree, as in events/merkle.py."""
        level, rest = divmod(height, _HEIGHT)
        start = index << rest
        number, place = divmod(start, WIDTH)
        end = place + (1 << rest)
        hashes = self.tile(level, number, end)
        return merkle.over([hashes[at : at + HASH_BYTES] for at in _places(place, end)])

    def tile(self, level: int, number: int, width: int) -> bytes:
        """The first `width` hashes of a tile, joined. They have to be in the tree."""
        assert 0 < width <= width_of(level, number, self._size), (level, number, width)
        kept = self._kept.get((level, number), b"")
        if len(kept) < width * HASH_BYTES:
            kept = self._kept[level, number] = self._read(level, number, width)
        return kept[: width * HASH_BYTES]

    def _read(self, level: int, number: int, width: int) -> bytes:
        place = {"of": level, "at": number}
        stored = self._connection.execute(_TILE, place).scalar()
        if stored is not None:
            return bytes(stored)
        if level == 0:
            entries = entries_after(self._connection, number * WIDTH, width)
            assert [each.position for each in entries] == [*_positions(number, width)]
            return b"".join(merkle.leaf_hash(each.leaf) for each in entries)
        first = number * WIDTH
        below = {"of": level - 1, "least": first, "most": first + width - 1}
        roots = {at: bytes(root) for at, root in self._connection.execute(_ROOTS, below)}
        return b"".join(
            roots.get(at) or self._root_of(level - 1, at) for at in range(first, first + width)
        )

    def _root_of(self, level: int, number: int) -> bytes:
        """Of a full tile that is not stored yet."""
        return tile_root(self.tile(level, number, WIDTH))


def width_of(level: int, number: int, size: int) -> int:
    """How many hashes the tile has in a tree of that size; not above 256."""
    return max(0, min(WIDTH, (size >> (_HEIGHT * level)) - number * WIDTH))


def tile_root(hashes: bytes) -> bytes:
    """The node above a full tile."""
    assert len(hashes) == WIDTH * HASH_BYTES
    return merkle.over([hashes[at : at + HASH_BYTES] for at in _places(0, WIDTH)])


def store_full(connection: Connection, before: int, size: int) -> None:
    """Store the tiles that became full as the tree grew from `before` to `size` leaves."""
    tree = Tree(connection, size)
    for level in range(LEVELS // _HEIGHT):
        height = _HEIGHT * (level + 1)
        numbers = range(before >> height, size >> height)
        rows = []
        for number in numbers:
            hashes = tree.tile(level, number, WIDTH)
            row = {"level": level, "number": number, "hashes": hashes, "root": tile_root(hashes)}
            rows.append(row)
        if rows:
            connection.execute(insert(TILE), rows)


def _places(start: int, end: int) -> range:
    return range(start * HASH_BYTES, end * HASH_BYTES, HASH_BYTES)


def _positions(number: int, width: int) -> range:
    return range(number * WIDTH + 1, number * WIDTH + width + 1)


_TILE = select(TILE.c.hashes).where(
    TILE.c.level == bindparam("of"), TILE.c.number == bindparam("at")
)
_ROOTS = select(TILE.c.number, TILE.c.root).where(
    TILE.c.level == bindparam("of"), TILE.c.number.between(bindparam("least"), bindparam("most"))
)
