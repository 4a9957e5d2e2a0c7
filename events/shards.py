"""Where matches lie on a cluster: a transaction should keep to one shard."""

from collections import OrderedDict
from collections.abc import Sequence
from typing import Final

from sqlalchemy import Connection

from events.append import Append
from events.database import Database, DatabaseFault

_KEPT: Final = 100_000
_SHARDS: Final = (
    "SELECT asked.id, get_shard_id_for_distribution_column('match', asked.id)"
    " FROM unnest($1::uuid[]) AS asked (id)"
)


class Shards:
    """What is known of them. Nothing but speed depends on it, so it may be out of date: what spans
    shards is refused by the cluster as a whole, and is then tried in halves.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._known: OrderedDict[str, int] = OrderedDict()

    async def grouped(self, appends: Sequence[Append]) -> list[list[Append]]:
        """Those of one shard together, in their order; all in one while nobody can tell."""
        try:
            await self._learn({each.match_id for each in appends}.difference(self._known))
        except DatabaseFault:
            return [list(appends)]
        groups: dict[int, list[Append]] = {}
        for each in appends:
            self._known.move_to_end(each.match_id)
            groups.setdefault(self._known[each.match_id], []).append(each)
        while len(self._known) > _KEPT:
            self._known.popitem(last=False)
        return list(groups.values())

    def forget(self) -> None:
        """Matches may lie elsewhere by now."""
        self._known.clear()

    async def _learn(self, match_ids: set[str]) -> None:
        if match_ids:
            found = await self._database.read(lambda c: _shards(c, sorted(match_ids)))
            self._known.update(found)


def _shards(connection: Connection, match_ids: list[str]) -> dict[str, int]:
    rows = connection.exec_driver_sql(_SHARDS, (match_ids,))
    return {str(match_id): shard for match_id, shard in rows}
