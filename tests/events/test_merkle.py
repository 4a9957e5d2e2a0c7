"""The tree of RFC 9162, held against one written down straight from its definition."""

from collections.abc import Sequence
from hashlib import sha256

import pytest

from events import merkle

MOST = 71
# The leaves and roots that implementations of RFC 6962 and 9162 have been checked with for years.
KNOWN_LEAVES = [
    bytes.fromhex(each)
    for each in (
        "", "00", "10", "2021", "3031", "40414243", "5051525354555657",
        "606162636465666768696a6b6c6d6e6f",
    )
]  # fmt: skip
KNOWN_ROOTS = (
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
)


def written_out(leaves: Sequence[bytes]) -> bytes:
    """MTH of RFC 9162, 2.1.1, word by word."""
    n = len(leaves)
    if n == 0:
        return sha256(b"").digest()
    if n == 1:
        return sha256(b"\x00" + leaves[0]).digest()
    k = 1
    while k * 2 < n:
        k *= 2
    return sha256(b"\x01" + written_out(leaves[:k]) + written_out(leaves[k:])).digest()


def path_written_out(m: int, leaves: Sequence[bytes]) -> list[bytes]:
    """PATH of RFC 9162, 2.1.3.1."""
    n = len(leaves)
    if n == 1:
        return []
    k = 1
    while k * 2 < n:
        k *= 2
    if m < k:
        return [*path_written_out(m, leaves[:k]), written_out(leaves[k:])]
    return [*path_written_out(m - k, leaves[k:]), written_out(leaves[:k])]


def proof_written_out(m: int, leaves: Sequence[bytes], is_whole: bool = True) -> list[bytes]:
    """SUBPROOF of RFC 9162, 2.1.4.1."""
    n = len(leaves)
    if m == n:
        return [] if is_whole else [written_out(leaves)]
    k = 1
    while k * 2 < n:
        k *= 2
    if m <= k:
        return [*proof_written_out(m, leaves[:k], is_whole), written_out(leaves[k:])]
    return [*proof_written_out(m - k, leaves[k:], False), written_out(leaves[:k])]


LEAVES = [f"leaf {number}".encode() for number in range(MOST)]
ROOTS = [written_out(LEAVES[:size]) for size in range(MOST + 1)]


def node(height: int, index: int) -> bytes:
    return written_out(LEAVES[index << height : (index + 1) << height])


def test_roots_are_the_known_ones() -> None:
    for size, wanted in enumerate(KNOWN_ROOTS, 1):
        hashes = [merkle.leaf_hash(each) for each in KNOWN_LEAVES[:size]]
        assert merkle.over(hashes).hex() == wanted
    assert merkle.EMPTY.hex().startswith("e3b0c44298fc1c149afbf4c8996fb924")


def test_known_consistency() -> None:
    path = [
        bytes.fromhex(each)
        for each in (
            "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
            "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
            "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
        )
    ]
    one, other = bytes.fromhex(KNOWN_ROOTS[5]), bytes.fromhex(KNOWN_ROOTS[7])
    assert merkle.is_consistent(6, 8, one, other, path)
    assert not merkle.is_consistent(6, 8, bytes.fromhex(KNOWN_ROOTS[4]), other, path)


@pytest.mark.parametrize("size", range(MOST + 1))
def test_root_and_proofs_of_every_size_are_those_written_out(size: int) -> None:
    assert merkle.root(size, node) == ROOTS[size]
    assert merkle.over([merkle.leaf_hash(each) for each in LEAVES[:size]]) == ROOTS[size]
    for index in range(size):
        path = merkle.inclusion(index, size, node)
        assert path == path_written_out(index, LEAVES[:size])
        assert merkle.is_included(merkle.leaf_hash(LEAVES[index]), index, size, path, ROOTS[size])
    for first in range(size + 1):
        path = merkle.consistency(first, size, node)
        assert path == (proof_written_out(first, LEAVES[:size]) if first else [])
        assert merkle.is_consistent(first, size, ROOTS[first], ROOTS[size], path)


@pytest.mark.parametrize("size", [1, 2, 3, 6, 7, 8, 13, 33])
def test_a_wrong_inclusion_is_found(size: int) -> None:
    for index in range(size):
        leaf, path = merkle.leaf_hash(LEAVES[index]), merkle.inclusion(index, size, node)
        root = ROOTS[size]
        assert not merkle.is_included(merkle.leaf_hash(b"other"), index, size, path, root)
        assert not merkle.is_included(leaf, index, size, [*path, root], root)
        assert not merkle.is_included(leaf, index, size, path, ROOTS[size + 1])
        assert not merkle.is_included(leaf, size, size, path, root)
        for place in range(len(path)):
            assert not merkle.is_included(leaf, index, size, path[:place], root)
            flipped = [*path]
            flipped[place] = bytes([flipped[place][0] ^ 1]) + flipped[place][1:]
            assert not merkle.is_included(leaf, index, size, flipped, root)
        for other in (each for each in range(size) if each != index):
            assert not merkle.is_included(leaf, other, size, path, root)


@pytest.mark.parametrize("second", [1, 2, 3, 6, 7, 8, 13, 33])
def test_a_wrong_consistency_is_found(second: int) -> None:
    for first in range(1, second):
        path = merkle.consistency(first, second, node)
        one, other = ROOTS[first], ROOTS[second]
        forked = written_out([*LEAVES[: first - 1], b"other", *LEAVES[first:second]])
        assert not merkle.is_consistent(first, second, one, forked, path)
        assert not merkle.is_consistent(first, second, ROOTS[first + 1], other, path)
        assert not merkle.is_consistent(first, second, one, other, [*path, one])
        for place in range(len(path)):
            assert not merkle.is_consistent(first, second, one, other, path[:place])
            flipped = [*path]
            flipped[place] = bytes([flipped[place][0] ^ 1]) + flipped[place][1:]
            assert not merkle.is_consistent(first, second, one, other, flipped)
    assert not merkle.is_consistent(second, second - 1, ROOTS[second], ROOTS[second - 1], [])
    assert not merkle.is_consistent(0, second, ROOTS[1], ROOTS[second], [])
    assert not merkle.is_consistent(second, second, ROOTS[second - 1], ROOTS[second], [])


def test_a_leaf_is_never_a_node() -> None:
    left, right = merkle.leaf_hash(b"a"), merkle.leaf_hash(b"b")
    assert merkle.leaf_hash(left + right) != merkle.node_hash(left, right)
