"""What has to hold of the database when a soak is over."""

from collections.abc import Sequence

from sqlalchemy import Connection, func, select

from events.canonical import decoded
from events.chain import genesis
from events.database import Database
from events.feed import entries_after
from events.tables import MARK, MATCH
from events.types import Record
from service.cli.checking import checked
from service.cli.rebuilding import read_log
from service.settings import Settings


async def log_faults(settings: Settings, match_ids: Sequence[str], moves: int) -> list[str]:
    """Every log holds in every respect, together they have the moves that were acknowledged and no
    others, and there are no matches that nobody created.
    """
    found, stored = [], 0
    for match_id in match_ids:
        log = await read_log(settings, match_id)
        verdict = checked(log)
        found += [f"{match_id}: {each}" for each in (*verdict.faults, *verdict.unchecked)]
        stored += sum(_is_by_a_seat(record) for record in log.records)
    database = await Database.open(settings.database_url, read_only=True)
    try:
        strange = await database.read(lambda c: set(_heads(c)).difference(match_ids))
    finally:
        await database.close()
    if strange:
        found.append(f"{len(strange)} matches are of nobody's making")
    if moves != stored:
        found.append(f"{moves} moves were acknowledged, {stored} are stored")
    return found


async def is_all_fed(database: Database) -> bool:
    """Whether nothing waits for its place in the feed."""
    count = select(func.count()).select_from(MARK)
    return not await database.read(lambda c: c.execute(count).scalar_one())


async def feed_faults(database: Database) -> list[str]:
    """The feed is dense, in the order of each match, and has all of it."""
    return await database.read(_feed_faults)


def _feed_faults(connection: Connection) -> list[str]:
    entries = entries_after(connection, 0, 100_000_000)
    positions = [each.position for each in entries]
    if positions != list(range(1, len(entries) + 1)):
        return ["the feed has gaps"]
    reached: dict[str, tuple[int, bytes]] = {}
    heads = _heads(connection)
    for each in entries:
        if each.match_id is None:
            continue
        seats = heads[each.match_id][2] if each.match_id in heads else 0
        last, head = reached.get(each.match_id, (0, genesis(each.match_id, seats)))
        if (each.first, each.before) != (last + 1, head):
            return [f"position {each.position} does not continue its match"]
        reached[each.match_id] = (each.last, each.head)
    if reached != {of: (version, head) for of, (version, head, _) in heads.items()}:
        return ["the feed does not end where the matches do"]
    return []


def _heads(connection: Connection) -> dict[str, tuple[int, bytes, int]]:
    """Version, hash and seats of each match."""
    query = select(MATCH.c.match_id, MATCH.c.version, MATCH.c.head, MATCH.c.seats)
    rows = connection.execute(query)
    return {str(of): (version, bytes(head), seats) for of, version, head, seats in rows}


def _is_by_a_seat(record: Record) -> bool:
    """A move that somebody sent; those of who has resigned are not."""
    return record.kind == "move_played" and decoded(record.body).get("by", "seat") == "seat"
