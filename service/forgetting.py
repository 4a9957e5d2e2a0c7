"""Erasing all that an organisation has about an account, match by match.

No transaction spans matches. What is done is found no more, so whoever asks again goes on where it
broke off.
"""

from collections.abc import Iterable
from typing import Any, Final

import msgspec
from sqlalchemy import (
    BindParameter,
    Connection,
    TextClause,
    bindparam,
    delete,
    select,
    text,
    tuple_,
    update,
)

from events.canonical import prefixed
from events.erasing import Erasing, erase
from events.refusals import Refused
from events.tables import DEAL_GROUP, ERASED_ACCOUNT, HELD, LISTED, MATCH, REQUEST, TICKET
from service import group_rows
from service.bundling import records_of
from service.erasing import Eraser, Order, Target, erase_texts, seats_of
from service.errors import Internal, MatchArchived, MatchNotFound
from service.identities import insert_new
from service.vault import Vault

PAGE: Final = 100
NOBODY: Final = ""  # in place of an erased account: no account is called so
# Never as a value in a statement: those stay in the cache of statements for long.
_WHO: Final[BindParameter[str]] = bindparam("who")
_NAMES: Final = ("account", "accounts", "entrants")  # where answers name accounts


class Forgotten(msgspec.Struct, frozen=True):
    """`matches` were done now; `failed` can't be, by id. With `more`, ask again for the rest."""

    matches: int
    failed: tuple[str, ...]
    more: bool


async def erase_account(
    eraser: Eraser, org: str, account: str, order: Order, most: int
) -> Forgotten:
    """Of at most `most` matches, then of what is of no single match.

    Raises: DatabaseFault, TryAgain.
    """
    database, at = eraser.store.database, eraser.clock()
    row = {
        "org": org,
        "account": account_digest(eraser.vault, org, account),
        "at": at,
        "reason": order.reason,
    }
    await database.write(lambda c: insert_new(c, ERASED_ACCOUNT, row))
    done, after = 0, ""
    failed: list[str] = []
    while found := await database.read(lambda c, after=after: _matches(c, org, account, after)):  # type: ignore[misc]
        for match_id in found:
            if done == most:
                return Forgotten(done, tuple(failed), more=True)
            try:
                await _erase_match(eraser, match_id, account, order)
                done += 1
            except (MatchArchived, MatchNotFound, Internal, Refused):
                failed.append(match_id)
        after = found[-1]
    await database.write(lambda c: _forget_answers(c, org, account))
    await database.shed()
    return Forgotten(done, tuple(failed), more=False)


def account_digest(vault: Vault, org: str, account: str) -> str:
    """What is kept of the name of an erased account: it can be recognised, not read."""
    return vault.derived(prefixed("erased account", org, account)).hex()


async def accounts_of(eraser: Eraser, org: str, digests: Iterable[str]) -> list[str]:
    """The accounts of an organisation that have those digests: all of its accounts are read."""
    wanted = set(digests)
    found: set[str] = set()
    for table in (HELD, LISTED):
        query = select(table.c.account).join(MATCH, MATCH.c.match_id == table.c.match_id)
        query = query.where(MATCH.c.org == org).distinct()
        names = await eraser.store.database.read(lambda c, q=query: c.execute(q).scalars().all())  # type: ignore[misc]
        found.update(each for each in names if account_digest(eraser.vault, org, each) in wanted)
    return sorted(found)


async def _erase_match(eraser: Eraser, match_id: str, account: str, order: Order) -> None:
    """The texts of each hold on a seat with an event for it; then who may claim, and the group."""
    database = eraser.store.database
    held = await database.read(lambda c: _held(c, match_id, account))
    if held:
        row = await eraser.store.match(match_id)
        if row is None:
            raise MatchNotFound
        seats = seats_of(await records_of(eraser.store, match_id, row.version))
        for holder in held:
            if holder in seats:
                target = Target(seat=seats[holder], holder=holder)
                await erase_texts(eraser, match_id, target, order)
            else:
                lost = Erasing(None, None, None, holder, None)
                await database.write(lambda c, lost=lost: erase(c, match_id, lost))  # type: ignore[misc]
    await database.write(lambda c: _forget_listed(c, match_id, account))


def _matches(connection: Connection, org: str, account: str, after: str) -> list[str]:
    """Ids after `after`, in order, of matches with something about the account."""
    found: set[str] = set()
    for table in (HELD, LISTED):
        query = select(table.c.match_id).join(MATCH, MATCH.c.match_id == table.c.match_id)
        query = query.where(table.c.account == _WHO, MATCH.c.org == org)
        if after:
            query = query.where(table.c.match_id > after)
        query = query.distinct().order_by(table.c.match_id).limit(PAGE)
        found.update(connection.execute(query, {"who": account}).scalars())
    return sorted(found)[:PAGE]


def _held(connection: Connection, match_id: str, account: str) -> list[str]:
    query = select(HELD.c.holder).where(HELD.c.match_id == match_id, HELD.c.account == _WHO)
    return sorted(connection.execute(query, {"who": account}).scalars())


def _forget_listed(connection: Connection, match_id: str, account: str) -> None:
    own = (LISTED.c.match_id == match_id, LISTED.c.account == _WHO)
    group = connection.execute(
        select(MATCH.c.deal_group).where(MATCH.c.match_id == match_id)
    ).scalar()
    if group is not None:
        _forget_entrant(connection, group, account)
    connection.execute(delete(LISTED).where(*own), {"who": account})


def _forget_entrant(connection: Connection, group: str, account: str) -> None:
    row = connection.execute(
        select(DEAL_GROUP.c.terms).where(DEAL_GROUP.c.id == group).with_for_update()
    ).first()
    if row is None:
        return
    terms = msgspec.json.decode(row.terms, type=group_rows.Terms)
    tables = tuple(
        msgspec.structs.replace(
            each, entrants=tuple(NOBODY if e == account else e for e in each.entrants)
        )
        for each in terms.tables
    )
    if tables != terms.tables:
        kept = msgspec.json.encode(msgspec.structs.replace(terms, tables=tables))
        connection.execute(update(DEAL_GROUP).where(DEAL_GROUP.c.id == group).values(terms=kept))


def _forget_answers(connection: Connection, org: str, account: str) -> None:
    """In answers kept for repetitions, and in passes that are out."""
    needle = {"needle": msgspec.json.encode(account)}
    place = (REQUEST.c.org, REQUEST.c.route, REQUEST.c.key)
    named = select(*place, REQUEST.c.body).where(REQUEST.c.org == org, _holds(connection, "body"))
    for row in connection.execute(named, needle).all():
        told = msgspec.json.decode(bytes(row.body))
        if (kept := _without(told, account)) != told:
            own = tuple_(*place) == tuple_(row.org, row.route, row.key)
            connection.execute(update(REQUEST).where(own).values(body=msgspec.json.encode(kept)))
    connection.execute(delete(TICKET).where(_holds(connection, "caller")), needle)


def _holds(connection: Connection, column: str) -> TextClause:
    if connection.dialect.name == "postgresql":
        return text(f"position(CAST(:needle AS bytea) IN {column}) > 0")
    return text(f"instr({column}, :needle) > 0")


def _without(told: Any, account: str, name: str = "") -> Any:
    """The same answer, with nobody where it names the account."""
    match told:
        case dict():
            return {each: _without(value, account, each) for each, value in told.items()}
        case list():
            return [_without(each, account, name) for each in told]
        case str() if told == account and name in _NAMES:
            return NOBODY
        case _:
            return told
