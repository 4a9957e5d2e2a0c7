"""A database whose feed stands far beyond what 32 bits hold, without all that would be before."""

from sqlalchemy import Connection, insert, update

from events import tiles
from events.database import Database
from events.merkle import HASH_BYTES
from events.tables import CHECKPOINT, FEED_STATE, TILE

FAR = 2**32  # positions that are taken: four levels of full tiles
NAME = "log.example/far"


async def placed(url: str) -> None:
    """A new database's feed goes on after `FAR`; one that is there stays.

    Of the tree there is the one tile that all the later leaves need, of hashes that are of nothing.
    """
    opened = await Database.open(url)
    await opened.write(_place)
    await opened.close()


def top() -> tuple[bytes, bytes]:
    """The hashes of the tile above all that is said to be there, and the root of them."""
    hashes = bytes(range(256)) * HASH_BYTES
    return hashes, tiles.tile_root(hashes)


def _place(connection: Connection) -> None:
    hashes, root = top()
    is_new = update(FEED_STATE).where(FEED_STATE.c.size == 0)
    if connection.execute(is_new.values(size=FAR, origin=NAME)).rowcount == 0:
        return
    tile = {"level": 3, "number": 0, "hashes": hashes, "root": root}
    connection.execute(insert(TILE), [tile])
    signed = {"size": FAR, "origin": NAME, "root": root, "note": "", "at": 1}
    connection.execute(insert(CHECKPOINT), [signed])
