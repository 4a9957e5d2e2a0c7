"""What rows of the feed make of results, and of what rests on them: kept with their position."""

from collections.abc import Sequence
from typing import Final

import msgspec
from sqlalchemy import Connection, insert

from events.feed import Entry
from service.batches import rows as batch_rows
from service.result_rows import changed_by
from service.series import rows as series_rows
from service.tournament_tables import RESULT

_COPIED: Final = ("position", "match_id", "org", "external_id", "deal_group")  # of the feed


def record(connection: Connection, entries: Sequence[Entry]) -> None:
    """Keep what rows of the feed made of results. It is called once for each row, in order."""
    changed = list(changed_by(connection, entries))
    made = [
        {
            **{name: getattr(each.entry, name) for name in _COPIED},
            "game": each.log.game,
            "body": msgspec.json.encode(each.results[-1]),
        }
        for each in changed
    ]
    if made:
        connection.execute(insert(RESULT), made)
        stirred = {each.log.match_id for each in changed}
        series_rows.stir(connection, stirred, changed[-1].entry.position)
    elsewhere = {
        each.log.match_id: each.results[-1].replaced_by
        for each in changed
        if each.results[-1].replaced_by is not None
    }
    if elsewhere:
        batch_rows.replace(connection, elsewhere)
