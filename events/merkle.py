"""The Merkle tree of the log of all matches, as RFC 9162 (section 2.1) has it: roots and proofs.

`node(height, index)` gives the hash over the 2**height leaves from `index * 2**height` on. Only
complete subtrees are asked for, so what it gives for a tree stays right when the tree grows.
"""

from collections.abc import Callable, Sequence
from hashlib import sha256

HASH_BYTES = 32
EMPTY = sha256(b"").digest()  # the root of a tree without leaves

Node = Callable[[int, int], bytes]

_LEAF = b"\x00"
_NODE = b"\x01"


def leaf_hash(leaf: bytes) -> bytes:
    return sha256(_LEAF + leaf).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    return sha256(_NODE + left + right).digest()


def root(size: int, node: Node) -> bytes:
    """The root over the first `size` leaves."""
    return _over(0, size, node) if size else EMPTY


def inclusion(index: int, size: int, node: Node) -> list[bytes]:
    """What leads from leaf `index` (from 0) to the root of `size` leaves, the leaf's side first."""
    assert 0 <= index < size
    path = []
    start, end = 0, size
    while end - start > 1:
        middle = start + _split(end - start)
        if index < middle:
            path.append(_over(middle, end, node))
            end = middle
        else:
            path.append(_over(start, middle, node))
            start = middle
    return path[::-1]


def consistency(first: int, second: int, node: Node) -> list[bytes]:
    """That the tree of `second` leaves begins with the tree of `first`; none for an empty one."""
    assert 0 <= first <= second
    if first in (0, second):
        return []
    path = []
    start, end, is_whole = 0, second, True
    while first != end:
        middle = start + _split(end - start)
        if first <= middle:
            path.append(_over(middle, end, node))
            end = middle
        else:
            path.append(_over(start, middle, node))
            start, is_whole = middle, False
    return [*([] if is_whole else [_over(start, end, node)]), *path[::-1]]


def is_included(leaf: bytes, index: int, size: int, path: Sequence[bytes], expected: bytes) -> bool:
    """Whether the path leads from the hash of a leaf to that root (RFC 9162, 2.1.3.2)."""
    if not 0 <= index < size:
        return False
    place, last, found = index, size - 1, leaf
    for each in path:
        if last == 0:
            return False
        if place & 1 or place == last:
            found = node_hash(each, found)
            while not place & 1 and place:
                place, last = place >> 1, last >> 1
        else:
            found = node_hash(found, each)
        place, last = place >> 1, last >> 1
    return last == 0 and found == expected


def is_consistent(
    first: int, second: int, first_root: bytes, second_root: bytes, path: Sequence[bytes]
) -> bool:
    """Whether the path proves that one tree begins with the other (RFC 9162, 2.1.4.2)."""
    if not 0 <= first <= second:
        return False
    if first == second:
        return not path and first_root == second_root
    if first == 0:
        return not path and first_root == EMPTY
    rest = [first_root, *path] if first & (first - 1) == 0 else list(path)
    if not rest:
        return False
    place, last = first - 1, second - 1
    while place & 1:
        place, last = place >> 1, last >> 1
    one = other = rest[0]
    for each in rest[1:]:
        if last == 0:
            return False
        if place & 1 or place == last:
            one, other = node_hash(each, one), node_hash(each, other)
            while not place & 1 and place:
                place, last = place >> 1, last >> 1
        else:
            other = node_hash(other, each)
        place, last = place >> 1, last >> 1
    return last == 0 and one == first_root and other == second_root


def over(hashes: Sequence[bytes]) -> bytes:
    """The root over hashes of leaves, or of complete subtrees of equal size."""
    row = list(hashes)
    while len(row) > 1:
        paired = [node_hash(row[at], row[at + 1]) for at in range(0, len(row) - 1, 2)]
        # One that is left over has no sibling yet and stands for its place on the next level.
        row = paired + row[len(paired) * 2 :]
    return row[0] if row else EMPTY


def _over(start: int, end: int, node: Node) -> bytes:
    """The root over leaves `start` to `end - 1`, of which all but the last subtree are complete."""
    size = end - start
    if size & (size - 1) == 0:
        height = size.bit_length() - 1
        return node(height, start >> height)
    middle = start + _split(size)
    return node_hash(_over(start, middle, node), _over(middle, end, node))


def _split(size: int) -> int:
    """The largest power of two below `size`."""
    return 1 << ((size - 1).bit_length() - 1)
