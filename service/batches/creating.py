"""New batches: stored with all their matches and links, or not at all."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec
from sqlalchemy import Connection, insert
from sqlalchemy.exc import IntegrityError

from events.append import Appended
from events.flush import flush
from events.tables import TOKEN
from service.auth import Caller
from service.batches import links, rows
from service.batches.points import Scoring
from service.batches.rows import BatchRow, Member, Terms, Watching
from service.batches.wanted import Checker, WantedMatch
from service.callers import Right, Scope
from service.committing import count_turns, make_known
from service.errors import Fault
from service.ids import RANDOM_BYTES, new_match_id
from service.making import Ready, ready, store_beside
from service.parts import Parts
from service.series.names import hold, reserved
from service.tournament_errors import ExternalIdTaken

_BREATH: Final = 16  # matches that are made before others get a turn


class WantedBatch(msgspec.Struct, frozen=True):
    """What the door parsed; matches and defaults are looked at here."""

    external_id: str | None
    defaults: Mapping[str, Any]
    matches: Sequence[Mapping[str, Any]]
    spectators: Watching | None
    scoring: Scoring

    @property
    def arbiters(self) -> list[tuple[str, ...]]:
        """By match, the accounts that arbitrate it; of a batch that was looked at."""
        common = self.defaults.get("arbiters", ())
        own = [each.get("arbiters", common) for each in self.matches]
        return [tuple(each["external_id"] for each in listed) for listed in own]

    @property
    def has_arbiters(self) -> bool:
        """Also of a batch that nobody looked at yet."""
        common = self.defaults.get("arbiters")
        return any(each.get("arbiters", common) for each in self.matches)


class _New(msgspec.Struct, frozen=True):
    row: BatchRow
    made: tuple[Ready, ...]
    members: tuple[Member, ...]
    tokens: tuple[dict[str, Any], ...]


def right_to(wanted: WantedBatch) -> Right:
    """It makes matches and hands out seats, and nobody gives a right away that it does not have."""
    least = (Scope.MATCHES_CREATE, Scope.SEATS_ISSUE)
    return Right((*least, Scope.ARBITRATE) if wanted.has_arbiters else least)


async def check_batch(parts: Parts, caller: Caller, wanted: WantedBatch) -> None:
    """All that would be looked at. Raises: as `create_batch`."""
    await parts.doorkeeper.permits(caller, right_to(wanted))
    checked = await _checked(parts, caller, wanted, parts.clock())
    names = _names(wanted.external_id, checked)
    await parts.database.read(lambda c: _refuse_taken(c, caller.org, wanted.external_id, names))


async def create_batch(
    parts: Parts, caller: Caller, wanted: WantedBatch, batch_id: str | None = None
) -> str:
    """The id of a new batch of the caller's organisation; again with the same id, the same batch.

    Raises: ApiKeyRequired, ScopeMissing, ExternalIdTaken; Invalid with everything that is wrong.
    """
    await parts.doorkeeper.permits(caller, right_to(wanted))
    at = parts.clock()
    if batch_id is None:
        batch_id = new_match_id(at, parts.entropy(RANDOM_BYTES))
    elif await parts.database.read(lambda c: rows.find(c, batch_id)) is not None:
        return batch_id  # An earlier try got as far as that.
    checked = await _checked(parts, caller, wanted, at)
    terms = Terms(wanted.scoring, wanted.spectators)
    row = BatchRow(
        id=batch_id, org=caller.org, external_id=wanted.external_id, created_at=at, terms=terms
    )
    new = await _made(parts, row, checked)
    if await _stored(parts, new):
        parts.crash_at("after_batch")
        for each in new.made:
            make_known(parts, each.prepared.current, each.sealed, ())
            count_turns(None, each.prepared.current)
    return batch_id


async def _checked(
    parts: Parts, caller: Caller, wanted: WantedBatch, at: int
) -> tuple[WantedMatch, ...]:
    checker = Checker(parts, caller.org, wanted.defaults, at)
    checker.scoring(wanted.scoring)
    found = []
    for number, given in enumerate(wanted.matches):
        found.append(checker.match(number, given, f"/matches/{number}"))
        if number % _BREATH == 0:
            await asyncio.sleep(0)
    checker.require_none()
    return tuple(each for each in found if each is not None)


async def _made(parts: Parts, row: BatchRow, checked: Sequence[WantedMatch]) -> _New:
    made: list[Ready] = []
    members: list[Member] = []
    tokens: list[dict[str, Any]] = []
    for each in checked:
        one = ready(parts, each.new)
        made.append(one)
        name, seats = each.new.fixed.external_id, range(each.new.fixed.seats)
        members.append(Member(one.match_id, row.id, each.number, row.org, name))
        tokens += links.seat_rows(parts.vault, one.match_id, seats, row.created_at)
        if row.terms.spectators is not None:
            watching = row.terms.spectators
            tokens.append(links.watch_row(parts.vault, one.match_id, watching, row.created_at))
        tokens += (
            links.arbiter_row(parts.vault, row.org, one.match_id, name, row.created_at)
            for name in each.arbiters
        )
        if each.number % _BREATH == 0:
            await asyncio.sleep(0)
    return _New(row, tuple(made), tuple(members), tuple(tokens))


async def _stored(parts: Parts, new: _New) -> bool:
    """Whether it was stored now. Raises: ExternalIdTaken."""
    # On a cluster no statement locks rows of several shards.
    at_once = 1 if parts.database.is_cluster else len(new.made)
    try:
        return await parts.database.write(lambda c: _store(parts, c, new, at_once))
    except IntegrityError:
        # Somebody took a name at this very moment: now it can be seen.
        return await parts.database.write(lambda c: _store(parts, c, new, at_once))


def _store(parts: Parts, connection: Connection, new: _New, at_once: int) -> bool:
    """All of it; False, and nothing, if the batch is there already. Raises: ExternalIdTaken."""
    if rows.find(connection, new.row.id) is not None:
        return False
    names = {
        each.external_id: f"/matches/{each.number}/external_id"
        for each in new.members
        if each.external_id is not None
    }
    hold(connection, new.row.org, names)
    _refuse_taken(connection, new.row.org, new.row.external_id, names)
    rows.add(connection, new.row, new.members)
    store_beside(connection, new.made)
    appends = [each.append for each in new.made]
    for start in range(0, len(appends), at_once):
        answers = flush(connection, appends[start : start + at_once])
        assert all(isinstance(each, Appended) for each in answers), "an id was there before"
    connection.execute(insert(TOKEN), list(new.tokens))
    parts.crash_at("before_batch")
    return True


def _names(external_id: str | None, checked: Sequence[WantedMatch]) -> dict[str, str]:
    found = {}
    for each in checked:
        name = each.new.fixed.external_id
        if name is not None:
            found[name] = f"/matches/{each.number}/external_id"
    return found


def _refuse_taken(
    connection: Connection, org: str, external_id: str | None, names: Mapping[str, str]
) -> None:
    """`names` are those of matches, with where they stand. Raises: ExternalIdTaken."""
    reserved_names = reserved(connection, org, names)
    taken = rows.taken(connection, org, names)
    faults = [
        Fault(names[name], "taken", f"is the external id of match {match_id}")
        for name, match_id in taken.items()
    ]
    faults += [
        Fault(names[name], "taken", f"is that of a match of series {series_id}")
        for name, series_id in reserved_names.items()
        if name not in taken
    ]
    if external_id is not None:
        for batch in rows.newest(connection, org, external_id, None, 1):
            faults.insert(0, Fault("/external_id", "taken", f"is that of batch {batch.id}"))
    if faults:
        raise ExternalIdTaken(*faults)
