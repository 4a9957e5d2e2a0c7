"""What rows of the feed make of results, and of what rests on them: kept with their position."""

from collections.abc import Sequence
from typing import Final

import msgspec
from sqlalchemy import Connection, func, insert, select

from events.feed import Entry
from service.batches import rows as batch_rows
from service.result_rows import changed_by
from service.series import rows as series_rows
from service.tournament_tables import RESULT

_COPIED: Final = ("match_id", "org", "external_id", "deal_group")  # of the feed


def record(connection: Connection, entries: Sequence[Entry]) -> None:
    """Keep what rows of the feed made of results. It is called once for each row, in the order of
    its match.

    Each has the position of its row, or the next one behind all that are kept: whoever reads on
    from the last misses none that comes late.
    """
    changed = list(changed_by(connection, entries))
    if not changed:
        return
    positions, last = [], connection.execute(_LAST).scalar() or 0
    for each in changed:
        last = max(each.entry.position, last + 1)
        positions.append(last)
    made = [
        {
            **{name: getattr(each.entry, name) for name in _COPIED},
            "position": position,
            "game": each.log.game,
            "body": msgspec.json.encode(each.results[-1]),
        }
        for position, each in zip(positions, changed, strict=True)
    ]
    connection.execute(insert(RESULT), made)
    series_rows.stir(connection, {each.log.match_id for each in changed}, last)
    elsewhere = {
        each.log.match_id: each.results[-1].replaced_by
        for each in changed
        if each.results[-1].replaced_by is not None
    }
    if elsewhere:
        batch_rows.replace(connection, elsewhere)


_LAST: Final = select(func.max(RESULT.c.position))
