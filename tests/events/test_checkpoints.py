"""Tiles and signed roots of a stored log, and what is refused when it was tampered with."""

from uuid import uuid4

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from msgspec.structs import asdict
from sqlalchemy import Connection, delete, insert, select, update

from events import checkpoints, merkle, notes, tiles
from events.checkpoints import LogInconsistent, Signed, Signer, newest
from events.database import Database
from events.feed import Deposed, Entry
from events.merkle import HASH_BYTES
from events.tables import CHECKPOINT, FEED, FEED_STATE, TILE
from events.tiles import WIDTH, Tree
from tests.events.test_feed import database, expired, leading, sequencer
from tests.events.test_merkle import path_written_out, proof_written_out, written_out

__all__ = ["database"]

KEY = Ed25519PrivateKey.from_private_bytes(b"k" * 32)
PUBLIC = KEY.public_key().public_bytes_raw()
ORIGIN = "log.example/test"
NOW = 1_700_000_000_000


@pytest.fixture(autouse=True)
async def _unsigned(database: Database) -> None:
    def work(connection: Connection) -> None:
        for table in (CHECKPOINT, TILE):
            connection.execute(delete(table))
        connection.execute(update(FEED_STATE).values(origin=ORIGIN))

    await database.write(work)


def entries(start: int, end: int) -> list[Entry]:
    """Rows at positions `start + 1` to `end`: statements are leaves like all others."""
    return [
        Entry(position=at, statement=f"statement {at}".encode()) for at in range(start + 1, end + 1)
    ]


async def grown(database: Database, start: int, end: int) -> None:
    def work(connection: Connection) -> None:
        connection.execute(insert(FEED), [asdict(each) for each in entries(start, end)])
        connection.execute(update(FEED_STATE).values(size=end))

    await database.write(work)


def leaves(size: int) -> list[bytes]:
    return [each.leaf for each in entries(0, size)]


async def epoch_of(database: Database) -> int:
    await expired(database)
    return await leading(sequencer(database, str(uuid4())))


async def signed(signer: Signer, epoch: int) -> Signed:
    made = await signer.sign(epoch, [KEY], NOW)
    assert made is not None
    return made


async def test_the_log_grows_by_signed_steps(database: Database) -> None:
    signer, epoch, size = Signer(database), await epoch_of(database), 0
    known: list[Signed] = []
    for end in (1, 2, 255, 256, 257, 600, 1030):
        await grown(database, size, end)
        size = end
        made = await signed(signer, epoch)
        assert notes.opened(made.note, ORIGIN, PUBLIC) == made.checkpoint
        assert (made.checkpoint.size, made.checkpoint.root) == (end, written_out(leaves(end)))
        known.append(made)
    assert await signer.sign(epoch, [KEY], NOW) is None, "it has not grown"
    assert await database.read(newest) == known[-1]
    whole = leaves(size)
    for index in (0, 1, 255, 256, 511, 1023, 1024, 1029):
        path = await database.read(lambda c, index=index: Tree(c, size).inclusion(index))  # type: ignore[misc]
        assert path == path_written_out(index, whole)
    for before in (each.checkpoint for each in known):
        path = await database.read(lambda c, b=before: Tree(c, size).consistency(b.size))  # type: ignore[misc]
        assert path == proof_written_out(before.size, whole)


async def test_tiles_are_laid_out_as_specified(database: Database) -> None:
    size = 2 * WIDTH + 7
    await grown(database, 0, size)
    await signed(Signer(database), await epoch_of(database))
    hashes = [merkle.leaf_hash(each) for each in leaves(size)]
    stored = await database.read(lambda c: c.execute(select(TILE.c.level, TILE.c.number)).all())
    assert sorted(map(tuple, stored)) == [(0, 0), (0, 1)]

    def tile(level: int, number: int, width: int) -> bytes:
        return b"".join(
            written_out(leaves(size)[at * WIDTH**level : (at + 1) * WIDTH**level])
            for at in range(number * WIDTH, number * WIDTH + width)
        )

    for level, number, width in ((0, 0, WIDTH), (0, 0, 3), (0, 1, WIDTH), (0, 2, 7), (1, 0, 2)):
        found = await database.read(lambda c, a=(level, number, width): Tree(c, size).tile(*a))  # type: ignore[misc]
        assert found == tile(level, number, width)
        assert tiles.width_of(level, number, size) >= width
    assert b"".join(hashes[:3]) == tile(0, 0, 3)
    assert [tiles.width_of(level, 0, 70_000) for level in range(4)] == [256, 256, 1, 0]
    assert [tiles.width_of(0, 273, 70_000), tiles.width_of(1, 1, 70_000)] == [112, 17]
    assert tiles.width_of(1, 0, 256) == 1


async def test_a_tree_of_three_levels(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """With tiles four wide, or it would take 65,536 leaves to have a second one."""
    monkeypatch.setattr(tiles, "WIDTH", 4)
    monkeypatch.setattr(tiles, "_HEIGHT", 2)
    signer, epoch, size = Signer(database), await epoch_of(database), 0
    for end in (3, 17, 70, 90):
        await grown(database, size, end)
        size = end
        made = await signed(signer, epoch)
        assert made.checkpoint.root == written_out(leaves(end))
    rows = await database.read(lambda c: c.execute(select(TILE.c.level, TILE.c.number)).all())
    by_level = [sum(1 for level, _ in rows if level == each) for each in range(4)]
    assert by_level == [22, 5, 1, 0]
    whole = leaves(size)
    for index in range(0, size, 7):
        path = await database.read(lambda c, index=index: Tree(c, size).inclusion(index))  # type: ignore[misc]
        assert path == path_written_out(index, whole)


async def refused(database: Database, signer: Signer, epoch: int) -> None:
    before = await database.read(newest)
    with pytest.raises(LogInconsistent):
        await signer.sign(epoch, [KEY], NOW)
    assert await database.read(newest) == before


async def tampered(database: Database) -> tuple[Signer, int]:
    """A signed log of ten leaves, of which one is then another; and two more."""
    await grown(database, 0, 10)
    signer, epoch = Signer(database), await epoch_of(database)
    await signed(signer, epoch)
    other = update(FEED).where(FEED.c.position == 4).values(statement=b"another")
    await database.write(lambda c: c.execute(other))
    await grown(database, 10, 12)
    return signer, epoch


async def test_a_log_that_was_changed_is_not_signed(database: Database) -> None:
    signer, epoch = await tampered(database)
    await refused(database, signer, epoch)
    await refused(database, Signer(database), epoch)


async def test_without_the_check_it_would_be(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    signer, epoch = await tampered(database)
    before = await database.read(newest)
    monkeypatch.setattr(checkpoints, "_continues", lambda *_: True)
    after = await signed(signer, epoch)
    assert before is not None
    one, other = before.checkpoint, after.checkpoint
    path = proof_written_out(one.size, leaves(other.size))
    assert not merkle.is_consistent(one.size, other.size, one.root, other.root, path)


async def test_a_log_that_was_cut_off_is_not_signed(database: Database) -> None:
    """The rows and the checkpoint are gone together, as after a restore; the process remembers."""
    await grown(database, 0, 10)
    signer, epoch = Signer(database), await epoch_of(database)
    await signed(signer, epoch)
    await grown(database, 10, 12)
    await signed(signer, epoch)

    def restore(connection: Connection) -> None:
        connection.execute(delete(FEED).where(FEED.c.position > 10))
        connection.execute(delete(CHECKPOINT).where(CHECKPOINT.c.size > 10))
        connection.execute(update(FEED_STATE).values(size=10))

    await database.write(restore)
    await grown(database, 10, 11)
    await refused(database, signer, epoch)
    await database.write(lambda c: c.execute(update(FEED_STATE).values(origin="log.example/new")))
    made = await signed(signer, epoch)
    assert made.checkpoint.origin == "log.example/new", "a break was declared"


async def test_a_tile_that_was_changed_is_noticed(database: Database) -> None:
    await grown(database, 0, WIDTH)
    signer, epoch = Signer(database), await epoch_of(database)
    await signed(signer, epoch)
    wrong = bytes(WIDTH * HASH_BYTES)
    await database.write(lambda c: c.execute(update(TILE).values(hashes=wrong, root=wrong[:32])))
    await grown(database, WIDTH, WIDTH + 1)
    await refused(database, signer, epoch)


async def test_a_signer_that_lost_its_lease_signs_nothing(database: Database) -> None:
    await grown(database, 0, 3)
    signer, epoch = Signer(database), await epoch_of(database)
    assert await epoch_of(database) == epoch + 1
    with pytest.raises(Deposed):
        await signer.sign(epoch, [KEY], NOW)
    assert await database.read(newest) is None


async def test_without_the_fence_it_would(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checkpoints, "still_leads", lambda *_: True)
    await grown(database, 0, 3)
    signer, epoch = Signer(database), await epoch_of(database)
    assert await epoch_of(database) == epoch + 1
    assert await signed(signer, epoch)


async def test_what_was_signed_is_not_signed_again(database: Database) -> None:
    await grown(database, 0, 3)
    epoch = await epoch_of(database)
    await signed(Signer(database), epoch)
    assert await Signer(database).sign(epoch, [KEY], NOW) is None
    count = await database.read(lambda c: len(c.execute(select(CHECKPOINT)).all()))
    assert count == 1


async def test_much_at_once_is_signed_in_pieces(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checkpoints, "_MOST_LEAVES", 4)
    await grown(database, 0, 10)
    signer, epoch = Signer(database), await epoch_of(database)
    sizes = [(await signed(signer, epoch)).checkpoint.size for _ in range(3)]
    assert sizes == [4, 8, 10]
