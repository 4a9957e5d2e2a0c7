"""Series that go on: the next match opened when the one before is over, and how it stands, told.

Any process may do it at any time, also several at once: what is done is found done, for a match of
a series is stored in one transaction with its place in it.
"""

from collections.abc import Sequence
from typing import Any, Final

import msgspec
from sqlalchemy import Connection, insert
from sqlalchemy.exc import IntegrityError

from events.append import Appended
from events.database import DatabaseFault
from events.flush import flush
from events.tables import TOKEN
from games import registry
from service.batches import links
from service.batches import rows as batch_rows
from service.batches.rows import Member
from service.committing import count_turns, make_known
from service.ids import RANDOM_BYTES, new_match_id
from service.making import Ready, prepared, ready, store_beside
from service.parts import Parts
from service.rest.inputs import MatchBody
from service.series import news, rows
from service.series.rows import SeriesRow
from service.series.terms import Adopt, Game, Open, SeriesState, follows, seating

_STEPS: Final = 8  # of one series in one go
_ENDED: Final = (SeriesState.CANCELLED,)


async def sweep(parts: Parts) -> None:
    """Look at every series that has to be looked at. One that fails is told of and tried again."""
    for series_id, since in await parts.database.read(rows.due):
        try:
            await advance(parts, series_id)
        except DatabaseFault:
            raise
        except Exception as error:
            parts.log.error("series_not_advanced", series=series_id, exc_info=error)
            continue
        await parts.database.write(lambda c, s=series_id, d=since: rows.looked_at(c, s, d))  # type: ignore[misc]


async def advance(parts: Parts, series_id: str) -> None:
    """Bring the series to where its results say it is; nothing if it is there."""
    for _ in range(_STEPS):
        if not await _step(parts, series_id):
            return


async def _step(parts: Parts, series_id: str) -> bool:
    """Whether anything was done. Another process that does the same at the same time is as good."""
    row = await parts.database.read(lambda c: rows.find(c, series_id))
    if row is None or row.state in _ENDED:
        return False
    games, names = await parts.database.read(lambda c: _played(c, series_id))
    _, following = follows(row.terms, len(names), games)
    new: Ready | None = None
    if isinstance(following, Open):
        new = ready_match(parts, row, names, following)
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
    return done


def ready_match(parts: Parts, row: SeriesRow, names: Sequence[str], place: Open) -> Ready:
    """A match for that place, not stored. Raises: OptionsRefused, Invalid, UnknownGame."""
    seats = seating(row.terms, place.number, len(names))
    at = parts.clock()
    match_id = new_match_id(at, parts.entropy(RANDOM_BYTES))
    name = None
    if row.external_id is not None and place.attempt == 0:
        name = f"{row.external_id}/{place.number + 1}"
    body: Any = msgspec.convert(
        {
            **row.terms.match,
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


def _store(
    parts: Parts,
    connection: Connection,
    series_id: str,
    following: Open | Adopt | None,
    known: Sequence[str],
    new: Ready | None,
) -> bool:
    """All that follows, if it still does, for the entrants as they were `known`."""
    row = rows.locked(connection, series_id)
    assert row is not None
    games, names = _played(connection, series_id)
    tally, now = follows(row.terms, len(names), games)
    if row.state in _ENDED or now != following or names != known:
        return row.state not in _ENDED
    is_done = False
    if tally != row.tally:
        rows.told(connection, series_id, tally)
        news.tell_tally(connection, parts, row, tally)
        row = msgspec.structs.replace(row, state=tally.state, revision=row.revision + 1)
        is_done = True
    if isinstance(now, Open):
        assert new is not None
        game = Game(
            now.number, now.attempt, new.match_id, seating(row.terms, now.number, len(names)), None
        )
        store_match(connection, parts, row, game, new)
        news.tell_opened(connection, parts, row, game)
        parts.crash_at("before_series")
        is_done = True
    elif isinstance(now, Adopt):
        old = now.instead
        game = Game(old.number, old.attempt + 1, now.match_id, old.seating, None)
        rows.add_match(connection, series_id, game)
        _give_links(connection, parts, game)
        news.tell_opened(connection, parts, row, game)
        is_done = True
    return is_done


def _give_links(connection: Connection, parts: Parts, game: Game) -> None:
    """The links of the series lead on to its seats."""
    seats = range(len(game.seating))
    tokens = links.seat_rows(parts.vault, game.match_id, seats, parts.clock())
    connection.execute(insert(TOKEN), tokens)


def _played(connection: Connection, series_id: str) -> tuple[list[Game], list[str]]:
    names = [each.external_id for each in rows.entrants(connection, series_id)]
    return rows.games(connection, series_id), names
