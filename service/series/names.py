"""The names that a series gives to its matches, kept for them from its creation on."""

from collections.abc import Collection

import msgspec
from sqlalchemy import Connection, select

from events.tables import ORG
from service.series.terms import Terms
from service.tournament_tables import SERIES


def match_name(external_id: str, number: int) -> str:
    """The external id of a match of the series `external_id`, counted from 0."""
    return f"{external_id}/{number + 1}"


def match_names(external_id: str, games: int) -> list[str]:
    """Those of all its matches."""
    return [match_name(external_id, number) for number in range(games)]


def reserved(connection: Connection, org: str, names: Collection[str]) -> dict[str, str]:
    """Those of the names that matches of a series of the organisation have or will have, and of
    which series.
    """
    asked = {name: parted for name in names if (parted := _parted(name)) is not None}
    if not asked:
        return {}
    wanted = {external_id for external_id, _ in asked.values()}
    own = SERIES.c
    query = select(own.id, own.external_id, own.terms).where(
        own.org == org, own.external_id.in_(wanted)
    )
    found = {
        row.external_id: (row.id, msgspec.json.decode(row.terms, type=Terms).games)
        for row in connection.execute(query)
    }
    return {
        name: found[external_id][0]
        for name, (external_id, number) in asked.items()
        if external_id in found and number <= found[external_id][1]
    }


def hold(connection: Connection, org: str, names: Collection[str]) -> None:
    """One at a time from here to the end of the transaction: whatever takes names of an
    organisation that matches of a series could have.
    """
    if not any(_parted(name) for name in names):
        return
    connection.execute(select(ORG.c.id).where(ORG.c.id == org).with_for_update())


def _parted(name: str) -> tuple[str, int] | None:
    """The external id of the series and the number (from 1) that a name would be of."""
    external_id, _, number = name.rpartition("/")
    is_number = number.isascii() and number.isdigit() and not number.startswith("0")
    return (external_id, int(number)) if external_id and is_number and len(number) < 5 else None
