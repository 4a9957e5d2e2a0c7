"""Erasing all that an organisation has about an account, match by match.

No transaction spans matches. What is done is found no more, so whoever asks again goes on where it
broke off.
"""

from collections.abc import Collection, Sequence
from typing import Any, Final

import msgspec
from sqlalchemy import BindParameter, Connection, bindparam, delete, select, update

from events.database import Database, DatabaseFault
from events.erasing import Erasing, erase
from events.tables import DEAL_GROUP, ERASED_ACCOUNT, HELD, LISTED, MATCH, TOKEN
from service import group_rows
from service.arbitration import arbiter_name
from service.bundling import records_of
from service.erasing import Eraser, Order, Target, erase_texts, seats_of
from service.errors import MatchNotFound, TryAgain
from service.identities import RULE, insert_new
from service.kept_answers import NOBODY, forget_answers
from service.known_accounts import account_digest
from service.platforms.forgetting import forget_participant, forget_seats
from service.tournament_tables import SERIES, SERIES_ENTRANT

PAGE: Final = 100
_AT_ONCE: Final = 1000  # tokens
# Never as a value in a statement: those stay in the cache of statements for long.
_WHO: Final[BindParameter[str]] = bindparam("who")


class Forgotten(msgspec.Struct, frozen=True):
    """`matches` were done now; `failed` can't be, by id. With `more`, ask again for the rest."""

    matches: int
    failed: tuple[str, ...]
    more: bool


async def erase_account(
    eraser: Eraser, org: str, account: str, order: Order, most: int
) -> Forgotten:
    """First its tokens as an arbiter, and where later matches and reports take names from, then of
    at most `most` matches, then in what was answered.

    Raises: DatabaseFault, TryAgain.
    """
    database, at = eraser.store.database, eraser.clock()
    row = {
        "org": org,
        "account": account_digest(eraser.vault, org, account),
        "at": at,
        "reason": order.reason,
    }
    await database.write(lambda c: _note(c, row, again=order.again))
    await _stop_arbitrating(eraser, org, account)
    await database.write(lambda c: _forget_series(c, org, account))
    await database.write(lambda c: forget_participant(c, org, account))
    done, failed = 0, dict[str, None]()
    while found := await _left(database, org, account, failed):
        for match_id in found:
            if done == most:
                return Forgotten(done, tuple(failed), more=True)
            try:
                await _erase_match(eraser, match_id, account, order)
                done += 1
            except (DatabaseFault, TryAgain):
                raise
            except Exception:  # It takes nothing, or can't be read; the others can.
                failed[match_id] = None
    await database.write(lambda c: forget_answers(c, org, account))
    await database.shed()
    return Forgotten(done, tuple(failed), more=False)


async def _stop_arbitrating(eraser: Eraser, org: str, account: str) -> None:
    """The tokens that were made for the account as an arbiter work no more. They are known by the
    name that the log of the match has for it.
    """
    database, after = eraser.store.database, b""
    while found := await database.read(lambda c, after=after: _arbiters(c, org, after)):  # type: ignore[misc]
        after = found[-1].hash
        own = [
            each.hash
            for each in found
            if each.arbiter == arbiter_name(eraser.vault, org, each.match_id, account)
        ]
        if own:
            rows = [{"of": each, "at": eraser.clock()} for each in own]
            await database.write(lambda c, rows=rows: c.execute(_STOP, rows))  # type: ignore[misc]
            eraser.stopped(own)


def _arbiters(connection: Connection, org: str, after: bytes) -> Sequence[Any]:
    """Some of the arbiters' tokens of the organisation that work, by their hash."""
    token = TOKEN.c
    query = select(token.hash, token.match_id, token.arbiter)
    query = query.join(MATCH, MATCH.c.match_id == token.match_id).where(
        MATCH.c.org == org, token.kind == RULE, token.revoked_at.is_(None), token.hash > after
    )
    return connection.execute(query.order_by(token.hash).limit(_AT_ONCE)).all()


async def _left(database: Database, org: str, account: str, failed: Collection[str]) -> list[str]:
    """Ids of matches with something about the account, but for what failed; first the oldest.

    Looked for from the start each time: a match that is played in place of another takes names
    from that one, and its id may be older than others.
    """
    after = ""
    while found := await database.read(lambda c, after=after: _matches(c, org, account, after)):  # type: ignore[misc]
        left = [each for each in found if each not in failed]
        if left:
            return left
        after = found[-1]
    return []


def _note(connection: Connection, row: dict[str, Any], *, again: bool) -> None:
    """That the account is erased, and when that last began; done `again`, it is as it was."""
    if not insert_new(connection, ERASED_ACCOUNT, row) and not again:
        own = (ERASED_ACCOUNT.c.org == row["org"], ERASED_ACCOUNT.c.account == row["account"])
        newer = update(ERASED_ACCOUNT).where(*own, ERASED_ACCOUNT.c.at < row["at"])
        connection.execute(newer.values(at=row["at"]))


async def _erase_match(eraser: Eraser, match_id: str, account: str, order: Order) -> None:
    """Who was at its seats at platforms; the texts of each hold on a seat with an event for it;
    then who may claim, and the group.
    """
    database = eraser.store.database
    held = await database.read(lambda c: _held(c, match_id, account))
    own = set(await database.read(lambda c: _listed(c, match_id, account)))
    if held:
        row = await eraser.store.match(match_id)
        if row is None:
            raise MatchNotFound
        seats = seats_of(await records_of(eraser.store, match_id, row.version))
        own.update(seats[holder] for holder in held if holder in seats)
    await database.write(lambda c: forget_seats(c, match_id, own))
    if held:
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


def _listed(connection: Connection, match_id: str, account: str) -> list[int]:
    query = select(LISTED.c.seat).where(LISTED.c.match_id == match_id, LISTED.c.account == _WHO)
    return list(connection.execute(query, {"who": account}).scalars())


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


def _forget_series(connection: Connection, org: str, account: str) -> None:
    """Among the entrants of series, whose later matches nobody may claim by the name.

    Each is held, as by who opens its next match: that one is there before, or without the name.
    """
    entrant = SERIES_ENTRANT.c
    named = select(entrant.series_id).where(entrant.external_id == _WHO)
    own = select(SERIES.c.id).where(SERIES.c.org == org, SERIES.c.id.in_(named))
    locked = own.order_by(SERIES.c.id).with_for_update()
    for series_id in connection.execute(locked, {"who": account}).scalars().all():
        connection.execute(
            update(SERIES_ENTRANT)
            .where(entrant.external_id == _WHO, entrant.series_id == series_id)
            .values(external_id=NOBODY),
            {"who": account},
        )


_STOP: Final = (
    update(TOKEN)
    .where(TOKEN.c.hash == bindparam("of"), TOKEN.c.revoked_at.is_(None))
    .values(revoked_at=bindparam("at"))
)
