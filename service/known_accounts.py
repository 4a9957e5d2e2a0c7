"""Accounts an organisation names anywhere, to be recognised by the digest that is kept of one."""

from collections.abc import Iterable, Iterator

import msgspec
from sqlalchemy import Connection, select

from events.canonical import prefixed
from events.database import Database
from events.tables import DEAL_GROUP, HELD, LISTED, MATCH
from service import group_rows
from service.platforms.tables import CONNECTION
from service.tournament_tables import SERIES, SERIES_ENTRANT
from service.vault import Vault


def account_digest(vault: Vault, org: str, account: str) -> str:
    """What is kept of the name of an erased account: it can be recognised, not read."""
    return vault.derived(prefixed("erased account", org, account)).hex()


async def accounts_of(
    database: Database, vault: Vault, org: str, digests: Iterable[str]
) -> list[str]:
    """The accounts of an organisation that have those digests: all of its accounts are read."""
    wanted = set(digests)
    names = await database.read(lambda c: set(_named(c, org)))
    return sorted(each for each in names if account_digest(vault, org, each) in wanted)


def _named(connection: Connection, org: str) -> Iterator[str]:
    """Wherever an account can be erased from, but answers and tickets, which name these alone."""
    for table in (HELD, LISTED):
        query = select(table.c.account).join(MATCH, MATCH.c.match_id == table.c.match_id)
        yield from connection.execute(query.where(MATCH.c.org == org).distinct()).scalars()
    own = SERIES_ENTRANT.join(SERIES, SERIES.c.id == SERIES_ENTRANT.c.series_id)
    entrants = select(SERIES_ENTRANT.c.external_id).select_from(own).where(SERIES.c.org == org)
    yield from connection.execute(entrants.distinct()).scalars()
    for known in connection.execute(
        select(CONNECTION.c.participants).where(CONNECTION.c.org == org)
    ).scalars():
        yield from msgspec.json.decode(known, type=dict[str, str])
    for terms in connection.execute(
        select(DEAL_GROUP.c.terms).where(DEAL_GROUP.c.org == org)
    ).scalars():
        for each in msgspec.json.decode(terms, type=group_rows.Terms).tables:
            yield from each.entrants
