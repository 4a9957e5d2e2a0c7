"""Whether a log that was restored is the one that was published, as far as checkpoints tell.

Every leaf is hashed anew out of its entry: what was stored beside the entries is not believed.
"""

from collections.abc import Iterator, Sequence
from typing import Final

import msgspec
from sqlalchemy import Connection, select, tuple_

from events import chain, merkle, stored
from events.archive import split_hashes
from events.feed import Entry, entries_after
from events.match import LogBroken
from events.monitor import Known, extended
from events.notes import Checkpoint
from events.tables import EVENT

_PAGE: Final = 500


class Restored(msgspec.Struct, frozen=True):
    """A log as it was read: how many entries it has, and its roots at the sizes asked for.

    `torn` are positions whose events are not stored, or are others than the entry says.
    """

    size: int
    roots: dict[int, bytes]
    torn: tuple[int, ...]

    def begins_with(self, checkpoint: Checkpoint) -> bool | None:
        """Whether its first entries are those of the checkpoint; None if it has fewer."""
        if checkpoint.size > self.size:
            return None
        return self.roots[checkpoint.size] == checkpoint.root


def restored(connection: Connection, sizes: Sequence[int]) -> Restored:
    """Read all of the log. Roots are those at `sizes`, as far as there are so many entries."""
    known, roots, torn = Known("", ()), {0: merkle.EMPTY}, list[int]()
    archived = dict[str, bool]()
    wanted = sorted(set(sizes))
    for page in _pages(connection):
        torn += _torn(connection, page, archived)
        hashes = [merkle.leaf_hash(each.leaf) for each in page]
        start = known.size
        for size in (each for each in wanted if start < each <= start + len(page)):
            known = extended(known, hashes[known.size - start : size - start])
            roots[size] = known.root
        known = extended(known, hashes[known.size - start :])
    return Restored(known.size, roots, tuple(torn))


def _pages(connection: Connection) -> Iterator[Sequence[Entry]]:
    """All entries in order; it ends where a position is missing."""
    after = 0
    while page := entries_after(connection, after, _PAGE):
        dense = [each for place, each in enumerate(page, after + 1) if each.position == place]
        yield dense
        if len(dense) < len(page):
            return
        after += len(page)


def _torn(connection: Connection, page: Sequence[Entry], archived: dict[str, bool]) -> list[int]:
    """`archived` says of matches whether their archive can be read, as far as was looked."""
    entries = [each for each in page if each.match_id is not None]
    if not entries:
        return []
    places = [(each.match_id, each.last) for each in entries]
    query = select(EVENT.c.match_id, EVENT.c.version, EVENT.c.hash).where(
        tuple_(EVENT.c.match_id, EVENT.c.version).in_(places)
    )
    found = {(str(of), version): bytes(head) for of, version, head in connection.execute(query)}
    lost = {str(each.match_id) for each in entries if (each.match_id, each.last) not in found}
    for match_id, hashes in (stored.hashes_of(connection, lost) if lost else {}).items():
        if match_id not in archived:
            archived[match_id] = _is_sound(connection, match_id)
        if archived[match_id]:
            parts = enumerate(split_hashes(hashes), 1)
            found |= {(match_id, version): each for version, each in parts}
    return [
        each.position for each in entries if found.get((str(each.match_id), each.last)) != each.head
    ]


def _is_sound(connection: Connection, match_id: str) -> bool:
    """Whether the archive of a match can be read, and each hash of it follows from its event."""
    try:
        archive = stored.archives_of(connection, [match_id])[match_id]
    except (LogBroken, KeyError):
        return False
    head = None
    for record in archive.records:
        seats = len(record.facets) // chain.COMMITMENT_BYTES - 2
        head = chain.link(head or chain.genesis(match_id, seats), record.version, record.facets)
        if head != record.hash:
            return False
    return True
