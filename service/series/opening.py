"""Series that go on: the next match opened when the one before is over, and how it stands, told.

Any process may do it at any time, also several at once: what is done is found done, for a match of
a series is stored in one transaction with its place in it.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Final

import msgspec
from sqlalchemy import Connection, insert
from sqlalchemy.exc import IntegrityError

from events.append import Appended
from events.database import DatabaseBusy, DatabaseContended, DatabaseFault
from events.flush import flush
from events.tables import TOKEN
from games import registry
from games.core.game import Seat
from service import identities, result_rows
from service.batches import links
from service.batches import rows as batch_rows
from service.batches.rows import Member
from service.committing import count_turns, make_known
from service.ids import RANDOM_BYTES, new_match_id
from service.making import Ready, prepared, ready, store_beside
from service.match_bodies import MatchBody
from service.parts import Parts
from service.series import news, rows
from service.series.names import match_name
from service.series.rows import SeriesRow
from service.series.terms import Adopt, Game, Open, SeriesState, follows, seating

_STEPS: Final = 8  # of one series in one go
_ENDED: Final = (SeriesState.CANCELLED,)


async def sweep(parts: Parts) -> None:
    """Look at every series that has to be looked at.

    One that fails is told of and rests for a while; the others go on. Raises: DatabaseFault.
    """
    after: rows.Due | None = None
    while due := await parts.database.read(lambda c, a=after: rows.due(c, a)):  # type: ignore[misc]
        for series_id, since in due:
            if not parts.pauses.rests(series_id, parts.clock()):
                await _look(parts, series_id, since)
        after = due[-1]


async def _look(parts: Parts, series_id: str, since: int) -> None:
    """Raises: DatabaseFault."""
    try:
        is_there = await advance(parts, series_id)
    except (DatabaseBusy, DatabaseContended) as fault:
        # Somebody holds this one; the database is there.
        parts.log.warning("series_waits", series=series_id, error=type(fault).__name__)
        is_there = False
    except DatabaseFault:
        raise
    except Exception as error:
        parts.log.error("series_not_advanced", series=series_id, exc_info=error)
        is_there = False
    if not is_there:
        parts.pauses.failed(series_id, parts.clock())
        return
    parts.pauses.went_on(series_id)
    await parts.database.write(lambda c: rows.looked_at(c, series_id, since))


async def advance(parts: Parts, series_id: str) -> bool:
    """Bring the series to where its results say it is; False if it takes more than some steps."""
    for _ in range(_STEPS):
        if not await _step(parts, series_id):
            return True
    return False


async def _step(parts: Parts, series_id: str) -> bool:
    """Whether anything was done. Another process that does the same at the same time is as good."""
    # By itself: what is known of the series is told, also where the next match can't be made.
    if await parts.database.write(lambda c: _keep_tally(parts, c, series_id)):
        parts.webhooks.stir()
    row = await parts.database.read(lambda c: rows.find(c, series_id))
    if row is None or row.state in _ENDED:
        return False
    games, names = await parts.database.read(lambda c: _played(c, series_id))
    _, following = follows(row.terms, len(names), games)
    if following is None:
        return False
    new: Ready | None = None
    if isinstance(following, Open):
        name = await parts.database.read(lambda c: _name(c, row, following))
        new = _ready(parts, row, names, following, name)
    try:
        done = await parts.database.write(
            lambda c: _store(parts, c, series_id, following, names, new)
        )
    except IntegrityError:
        return True  # Opened by another; look again.
    if done and new is not None:
        parts.crash_at("after_series")
        make_known(parts, new.prepared.current, new.sealed, ())
        count_turns(None, new.prepared.current)
    if done:
        parts.webhooks.stir()
    return True


def _name(connection: Connection, row: SeriesRow, place: Open) -> str | None:
    """The external id of the next match; none where another match has it already."""
    if row.external_id is None or place.attempt > 0:
        return None
    name = match_name(row.external_id, place.number)
    return None if batch_rows.taken(connection, row.org, [name]) else name


def _ready(
    parts: Parts, row: SeriesRow, names: Sequence[str], place: Open, name: str | None
) -> Ready:
    """A match for that place, not stored. Raises: OptionsRefused, Invalid, UnknownGame."""
    seats = seating(row.terms, place.number, len(names))
    at = parts.clock()
    match_id = new_match_id(at, parts.entropy(RANDOM_BYTES))
    join = row.terms.join
    body: Any = msgspec.convert(
        {
            **row.terms.match,
            "schedule": None if join is None else join.schedule(at),
            "seats": len(names),
            "accounts": [names[each] or None for each in seats],
        },
        MatchBody,
    )
    wanted = msgspec.structs.replace(body.wanted, external_id=name)
    game = registry.game(wanted.game, wanted.rules_version)
    return ready(parts, prepared(parts, row.org, game, wanted, match_id, at))


def store_match(
    connection: Connection, parts: Parts, row: SeriesRow, game: Game, new: Ready
) -> None:
    """A match of the series with all that belongs to it, in the transaction it is given."""
    rows.add_match(connection, row.id, game)
    store_beside(connection, [new])
    (answer,) = flush(connection, [new.append])
    assert isinstance(answer, Appended), "an id was there before"
    _give_links(connection, parts, game)
    if row.batch_id is not None:
        assert row.number is not None
        # Behind those that a batch is made with.
        attempt = 1 + game.number * 100 + game.attempt
        member = Member(new.match_id, row.batch_id, row.number, row.org, None, attempt)
        batch_rows.add_members(connection, [member])


def _keep_tally(parts: Parts, connection: Connection, series_id: str) -> bool:
    """How the series stands; whether that is not what it was last said to be."""
    row = rows.locked(connection, series_id)
    if row is None or row.state in _ENDED:
        return False
    games, names = _played(connection, series_id)
    tally, _ = follows(row.terms, len(names), games)
    if tally == row.tally:
        return False
    rows.told(connection, series_id, tally)
    news.tell_tally(connection, parts, row, tally)
    return True


def _store(
    parts: Parts,
    connection: Connection,
    series_id: str,
    following: Open | Adopt,
    known: Sequence[str],
    new: Ready | None,
) -> bool:
    """What follows, if it still does, for the entrants as they were `known`; else nothing."""
    row = rows.locked(connection, series_id)
    assert row is not None
    games, names = _played(connection, series_id)
    tally, now = follows(row.terms, len(names), games)
    if row.state in _ENDED or now != following or (tally, names) != (row.tally, known):
        return False
    if isinstance(now, Open):
        assert new is not None
        game = Game(
            now.number, now.attempt, new.match_id, seating(row.terms, now.number, len(names)), None
        )
        store_match(connection, parts, row, game, new)
    else:
        old = now.instead
        game = Game(old.number, now.attempt, now.match_id, old.seating, None)
        rows.add_match(connection, series_id, game)
        _give_links(connection, parts, game, _left_to(connection, old, names))
    news.tell_opened(connection, parts, row, game)
    parts.crash_at("before_series")
    return True


def _give_links(
    connection: Connection, parts: Parts, game: Game, seats: Iterable[Seat] | None = None
) -> None:
    """The links of the series lead on to its seats, or to those that are named."""
    own = range(len(game.seating)) if seats is None else seats
    tokens = links.seat_rows(parts.vault, game.match_id, own, parts.clock())
    if tokens:
        connection.execute(insert(TOKEN), tokens)


def _left_to(connection: Connection, old: Game, names: Sequence[str]) -> list[Seat]:
    """The seats of a match that nobody else has come to in place of the entrant.

    In the match that is played instead they stand for whoever held them at last.
    """
    accounts = identities.held(connection, old.match_id)
    replaced = result_rows.log_of(connection, old.match_id).replaced
    return [
        seat
        for seat, entrant in enumerate(old.seating)
        if seat not in accounts
        or accounts[seat] == names[entrant]
        or (accounts[seat] is None and seat not in replaced)
    ]


def _played(connection: Connection, series_id: str) -> tuple[list[Game], list[str]]:
    names = [each.external_id for each in rows.entrants(connection, series_id)]
    return rows.games(connection, series_id), names
