"""New deal groups: stored with all their matches, or not at all."""

from collections.abc import Sequence
from uuid import UUID

import msgspec
from sqlalchemy import Connection

from events.append import Append, Appended, NewMatch, Secret
from events.canonical import prefixed, raw
from events.dealer import SEED_BYTES, commitment
from events.decide import CreateMatch, OfGroup, create
from events.flush import flush
from events.match import Match
from events.sandbox import is_test
from events.sealing import Sealed, seal
from events.types import Closing, Start
from games import registry
from games.core.chance import ALGORITHM
from games.core.game import AnyGame
from service import group_rows
from service.auth import Caller
from service.committing import append_of, count_turns, make_known
from service.deal_groups import found
from service.errors import Fault, Invalid
from service.group_rows import GroupRow, GroupState, Table, Terms
from service.ids import RANDOM_BYTES, new_match_id
from service.making import RIGHT, listed, options_in, tables_of
from service.parts import Parts
from service.times import require_future
from service.timing import WantedClock, clock_of


class NewGroupRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What the door parsed. `tables` are the entrants by table and seat, `options` JSON."""

    game: str
    rules_version: int | None
    options: msgspec.Raw
    seats: int
    tables: tuple[tuple[str, ...], ...]
    closes_at: int
    closing: Closing
    start: Start
    external_id: str | None
    clock: WantedClock | None = None


async def create_group(
    parts: Parts, caller: Caller, wanted: NewGroupRequest, group_id: str | None = None
) -> str:
    """The id of a new group of the caller's organisation; again with the same id, the same group.

    It is stored with all its matches or not at all. Raises: ApiKeyRequired, ScopeMissing,
    UnknownGame, OptionsRefused, Invalid.
    """
    await parts.doorkeeper.permits(caller, RIGHT)
    at = parts.clock()
    if group_id is None:
        group_id = new_match_id(at, parts.entropy(RANDOM_BYTES))
    elif await found(parts, group_id) is not None:
        return group_id  # An earlier try got as far as that.
    _check_tables(wanted)
    require_future("/closes_at", wanted.closes_at, at)
    game = registry.game(wanted.game, wanted.rules_version)
    seed = parts.entropy(SEED_BYTES)
    row = _row(parts, caller, wanted, game, group_id, seed, at)
    secret = Secret(group_id, parts.vault.seal(group_id, seed), parts.vault.key_id)
    made = [_match(parts, row, game, table, seed, secret) for table in row.terms.tables]
    # On a cluster no statement locks rows of several shards.
    at_once = 1 if parts.database.is_cluster else len(made)
    if await parts.database.write(lambda c: _store(c, row, made, at_once)):
        for each in made:
            make_known(parts, each.current, each.sealed, ())
            count_turns(None, each.current)
    return group_id


class _New(msgspec.Struct, frozen=True):
    """A match as it will be stored with its group."""

    current: Match
    sealed: tuple[Sealed, ...]
    append: Append


def _check_tables(wanted: NewGroupRequest) -> None:
    """Raises: Invalid, naming the place of each fault."""
    faults, seen = [], set[str]()
    for number, table in enumerate(wanted.tables):
        if len(table) != wanted.seats:
            reason = f"needs {wanted.seats} entrants, one for each seat"
            faults.append(Fault(f"/tables/{number}", "wrong-length", reason))
        for seat, entrant in enumerate(table):
            if entrant in seen:
                reason = "has a seat in this group already"
                faults.append(Fault(f"/tables/{number}/{seat}", "duplicate", reason))
            seen.add(entrant)
    if faults:
        raise Invalid(*faults)


def _row(
    parts: Parts,
    caller: Caller,
    wanted: NewGroupRequest,
    game: AnyGame,
    group_id: str,
    seed: bytes,
    at: int,
) -> GroupRow:
    tables = tuple(
        Table(new_match_id(at, parts.entropy(RANDOM_BYTES)), table) for table in wanted.tables
    )
    terms = Terms(
        rules_version=game.rules_version,
        options=raw(game.complete(options_in(game, wanted.options))),
        seats=wanted.seats,
        data_digest=game.data_digest,
        seed_commitment=commitment(seed, UUID(group_id).bytes).hex(),
        algorithm=ALGORITHM,
        start=wanted.start,
        reveal="at_end",
        closing=wanted.closing,
        tables=tables,
        clock=clock_of(wanted.clock, wanted.seats, at, caller.org),
    )
    return GroupRow(
        id=group_id,
        org=caller.org,
        external_id=wanted.external_id,
        game=game.slug,
        created_at=at,
        closes_at=wanted.closes_at,
        terms=terms,
        state=GroupState.RUNNING,
    )


def _match(
    parts: Parts, row: GroupRow, game: AnyGame, table: Table, seed: bytes, secret: Secret
) -> _New:
    """Raises: OptionsRefused."""
    terms, match_id = row.terms, table.match_id
    command = CreateMatch(
        match_id=match_id,
        game=game,
        options=options_in(game, terms.options),
        seats=terms.seats,
        seed_commitment=terms.seed_commitment,
        algorithm=terms.algorithm,
        start=terms.start,
        group=OfGroup(row.id, row.closes_at, terms.closing),
        clock=terms.clock,
        test=is_test(row.org),
    )
    steps = create(command, row.created_at)
    sealed = seal(steps, parts.dealers.new(match_id, seed), parts.entropy)
    fixed = NewMatch(
        org=row.org,
        game=row.game,
        rules_version=terms.rules_version,
        seats=terms.seats,
        data_digest=terms.data_digest,
        created_at=row.created_at,
        deal_group=row.id,
        secret=secret,
        game_data=tables_of(game),
        listed=listed(table.entrants),
    )
    request = parts.vault.request_hash(prefixed("create", row.org, match_id))
    append = append_of(steps, sealed, "create", request, created=fixed)
    return _New(steps[-1].after, sealed, append)


def _store(connection: Connection, row: GroupRow, made: Sequence[_New], at_once: int) -> bool:
    """The group and all its matches; False, and nothing, if the group is there already."""
    if group_rows.find(connection, row.id) is not None:
        return False
    group_rows.add(connection, row)
    appends = [each.append for each in made]
    for start in range(0, len(appends), at_once):
        answers = flush(connection, appends[start : start + at_once])
        assert all(isinstance(each, Appended) for each in answers), "an id was there before"
    return True
