"""New series: stored with the first match and the links of all entrants, or not at all."""

from typing import Any, Final

import msgspec
from sqlalchemy import Connection
from sqlalchemy.exc import IntegrityError

from events.canonical import prefixed
from service import credentials
from service.auth import Caller
from service.batches import rows as batch_rows
from service.batches.rows import MOST_PLACES
from service.batches.wanted import Checker
from service.callers import Right, Scope
from service.committing import count_turns, make_known
from service.errors import Fault, Invalid
from service.ids import RANDOM_BYTES, match_id_in, new_match_id
from service.making import Prepared, Ready, ready
from service.parts import Parts
from service.said import NAME_LENGTH
from service.series import names, news, rows
from service.series.bodies import SeriesBody
from service.series.opening import store_match
from service.series.rows import Entrant, SeriesRow
from service.series.terms import Game, Rotation, SeriesState, Tally, Terms, seating
from service.tournament_errors import ExternalIdTaken
from service.vault import Vault

RIGHT: Final = Right((Scope.MATCHES_CREATE, Scope.SEATS_ISSUE))  # it hands out seats
# What a match can say that would be over by the next one.
_MOMENTS: Final = ("reveal_by", "schedule")
_MATCH: Final = "/match"
# What its matches have from the series, and where it says so.
_SAID: Final = {f"{_MATCH}/seats": "/entrants", f"{_MATCH}/schedule": "/join"}


class NewSeries(msgspec.Struct, frozen=True):
    row: SeriesRow
    entrants: tuple[Entrant, ...]
    game: Game
    ready: Ready


async def create_series(
    parts: Parts, caller: Caller, wanted: SeriesBody, series_id: str | None = None
) -> str:
    """The id of a new series of the caller's organisation; again with the same id, the same series.

    Raises: ApiKeyRequired, ScopeMissing, ExternalIdTaken; Invalid with everything that is wrong.
    """
    await parts.doorkeeper.permits(caller, RIGHT)
    at = parts.clock()
    if series_id is None:
        series_id = new_match_id(at, parts.entropy(RANDOM_BYTES))
    elif await parts.database.read(lambda c: rows.find(c, series_id)) is not None:
        return series_id  # An earlier try got as far as that.
    new = prepared_series(parts, caller.org, wanted, series_id, at)
    try:
        is_new = await parts.database.write(lambda c: _store(parts, c, new))
    except IntegrityError:
        # Somebody took the name at this very moment: now it can be seen.
        is_new = await parts.database.write(lambda c: _store(parts, c, new))
    if is_new:
        make_known(parts, new.ready.prepared.current, new.ready.sealed, ())
        count_turns(None, new.ready.prepared.current)
        parts.webhooks.stir()
    return series_id


def prepared_series(
    parts: Parts, org: str, wanted: SeriesBody, series_id: str, at: int
) -> NewSeries:
    """Not stored. Raises: Invalid."""
    entrants = len(wanted.entrants)
    new = ready(parts, _first(parts, org, wanted, at))
    terms = Terms(
        length=wanted.length,
        games=wanted.games,
        rotation=wanted.rotation,
        seatings=wanted.seatings,
        scoring=wanted.scoring,
        opens_on=wanted.opens_on,
        game=new.prepared.fixed.game,
        # Rules that come out meanwhile do not change what is played.
        match={**wanted.match, "rules_version": new.prepared.fixed.rules_version},
        join=None if wanted.join is None else wanted.join.wanted,
    )
    row = SeriesRow(
        id=series_id,
        org=org,
        external_id=wanted.external_id,
        batch_id=wanted.batch_id,
        number=None,
        created_at=at,
        terms=terms,
        state=SeriesState.RUNNING,
        revision=0,
        tally=Tally(SeriesState.RUNNING, (0,) * entrants, 0, None),
    )
    return NewSeries(
        row,
        tuple(
            Entrant(series_id, place, each.external_id, _stored(parts.vault, series_id, place))
            for place, each in enumerate(wanted.entrants)
        ),
        Game(0, 0, new.match_id, seating(terms, 0, entrants), None),
        new,
    )


def _first(parts: Parts, org: str, wanted: SeriesBody, at: int) -> Prepared:
    """The first match. Raises: Invalid with all that is wrong with the series."""
    checker = Checker(parts, org, {}, at)
    _check(checker, wanted)
    order = tuple(range(len(wanted.entrants)))
    if wanted.rotation is Rotation.GIVEN and wanted.seatings:
        given = wanted.seatings[0]
        order = given if sorted(given) == list(order) else order
    seats = [{"external_id": wanted.entrants[each].external_id} for each in order]
    name = None if wanted.external_id is None else names.match_name(wanted.external_id, 0)
    for own in ("seats", "external_id", "arbiters"):
        if own in wanted.match:
            checker.tell(Fault(f"/match/{own}", "unknown-field", "follows from the series"))
    for own in _MOMENTS:
        if wanted.match.get(own) is not None:
            reason = "is a moment, and the matches follow one another"
            checker.tell(Fault(f"/match/{own}", "not-of-a-series", reason))
    match: dict[str, Any] = {**wanted.match, "seats": seats, "schedule": None}
    if wanted.join is not None:
        match["schedule"] = wanted.join.wanted.schedule(at)
    of_match = Checker(parts, org, {}, at)
    found = of_match.match(0, match, _MATCH)
    for fault in of_match.faults.values():
        checker.tell(msgspec.structs.replace(fault, pointer=_said_at(fault.pointer)))
    checker.require_none()
    assert found is not None
    fixed = msgspec.structs.replace(found.new.fixed, external_id=name)
    return msgspec.structs.replace(found.new, fixed=fixed)


def _said_at(pointer: str) -> str:
    """Where the body of a series says what its matches have at `pointer`."""
    for own, place in _SAID.items():
        if pointer.startswith(own):
            return place + pointer.removeprefix(own)
    return pointer


def link_token(vault: Vault, series_id: str, entrant: int) -> str:
    """The token of an entrant's link, the same whenever it is made."""
    purpose = prefixed("link", "series", series_id, entrant)
    return credentials.series_token(credentials.token_secret(vault.derived(purpose)))


def _stored(vault: Vault, series_id: str, entrant: int) -> bytes:
    return credentials.stored(link_token(vault, series_id, entrant))


def _check(checker: Checker, wanted: SeriesBody) -> None:
    checker.scoring(wanted.scoring)
    if wanted.batch_id is not None and match_id_in(wanted.batch_id) is None:
        checker.tell(Fault("/batch_id", "unknown", "is no batch of yours"))
    if wanted.external_id is not None:
        longest = names.match_name(wanted.external_id, wanted.games - 1)
        if len(longest) > NAME_LENGTH:
            reason = "is too long to name matches after it"
            checker.tell(Fault("/external_id", "wrong-length", reason))
    places: dict[str, int] = {}
    for place, each in enumerate(wanted.entrants):
        if each.external_id in places:
            reason = "is among the entrants already"
            checker.tell(Fault(f"/entrants/{place}/external_id", "duplicate", reason))
        places[each.external_id] = place
    if wanted.rotation is not Rotation.GIVEN:
        if wanted.seatings:
            checker.tell(Fault("/seatings", "not-asked-for", "goes with the rotation given"))
        return
    if len(wanted.seatings) != wanted.games:
        checker.tell(Fault("/seatings", "wrong-length", "needs an entry for each match"))
    for number, order in enumerate(wanted.seatings):
        if sorted(order) != list(range(len(wanted.entrants))):
            reason = "has to hold every entrant once"
            checker.tell(Fault(f"/seatings/{number}", "wrong-shape", reason))


def _refuse_taken(connection: Connection, row: SeriesRow) -> None:
    """The name of the series and those of its matches. Raises: ExternalIdTaken."""
    if row.external_id is None:
        return
    own = names.match_names(row.external_id, row.terms.games)
    names.hold(connection, row.org, own)
    named: Any = {"external_id": row.external_id}
    for each in rows.newest(connection, row.org, named, None, 1):
        raise ExternalIdTaken(Fault("/external_id", "taken", f"is that of series {each.id}"))
    taken = batch_rows.taken(connection, row.org, own)
    for name in own:
        if name in taken:
            reason = f"match {taken[name]} has the name {name}"
            raise ExternalIdTaken(Fault("/external_id", "taken", reason))


def _store(parts: Parts, connection: Connection, new: NewSeries) -> bool:
    """All of it; False, and nothing, if the series is there already. Raises: ExternalIdTaken."""
    row = new.row
    if rows.find(connection, row.id) is not None:
        return False
    _refuse_taken(connection, row)
    if row.batch_id is not None:
        batch = batch_rows.locked(connection, row.batch_id)
        if batch is None or batch.org != row.org:
            raise Invalid(Fault("/batch_id", "unknown", "is no batch of yours"))
        number = batch_rows.next_number(connection, row.batch_id)
        if number >= MOST_PLACES:
            raise Invalid(Fault("/batch_id", "full", f"has {MOST_PLACES} places already"))
        row = msgspec.structs.replace(row, number=number)
    rows.add(connection, row, new.entrants)
    store_match(connection, parts, row, new.game, new.ready)
    news.tell_opened(connection, parts, row, new.game)
    parts.crash_at("before_series")
    return True
