"""New matches: from what is wanted to what is stored of them."""

from collections.abc import Sequence
from typing import Final
from uuid import UUID

import msgspec
from sqlalchemy import Connection

from events.append import Append, GameData, NewMatch, Secret
from events.canonical import prefixed
from events.clocks import Clock
from events.dealer import SEED_BYTES, Dealer, commitment
from events.decide import CreateMatch, Step, create
from events.match import Match
from events.sandbox import is_test
from events.sealing import Sealed, seal
from events.types import Start
from games import registry
from games.core.chance import ALGORITHM
from games.core.game import AnyGame
from service import presence, revealing
from service.callers import Right, Scope
from service.committing import append_of, commit
from service.errors import Fault, Invalid
from service.http import fault_in
from service.ids import RANDOM_BYTES, new_match_id
from service.parts import Parts
from service.pinning import WantedSchedule, pinned_of
from service.times import require_future
from service.timing import WantedClock, clock_of

RIGHT: Final = Right((Scope.MATCHES_CREATE,))  # matches by themselves, and in deal groups


class NewMatchRequest(msgspec.Struct, frozen=True):
    """What the door parsed: a match to create. `options` are JSON."""

    game: str
    rules_version: int | None
    options: msgspec.Raw
    seats: int
    start: Start
    external_id: str | None
    accounts: tuple[str | None, ...] = ()  # by seat, who may claim it; () is nobody
    entropy: bool = False  # whether seats put something into the seed
    reveal_by: int | None = None  # ms; the latest time of the reveal
    reveal_after_seconds: int | None = None  # how long disputes keep the reveal waiting
    clock: WantedClock | Clock | None = None
    schedule: WantedSchedule | None = None
    agreed_draw: bool = False  # whether seats may agree on a draw


class Prepared(msgspec.Struct, frozen=True):
    """A match that could be stored: its first event, and what is stored along with it."""

    steps: tuple[Step, ...]
    dealer: Dealer
    request: bytes
    fixed: NewMatch
    window: int | None

    @property
    def current(self) -> Match:
        return self.steps[-1].after

    @property
    def is_awaited(self) -> bool:
        """It will be looked at who is there."""
        schedule = self.current.created.schedule
        return schedule is not None and schedule.join_by is not None


class Ready(msgspec.Struct, frozen=True):
    """A match as it will be stored."""

    prepared: Prepared
    sealed: tuple[Sealed, ...]
    append: Append

    @property
    def match_id(self) -> str:
        return self.append.match_id


async def made(
    parts: Parts, org: str, game: AnyGame, wanted: NewMatchRequest, match_id: str | None
) -> str:
    """The id of a new match of that game. Raises: OptionsRefused, Invalid."""
    at = parts.clock()
    match_id = match_id or new_match_id(at, parts.entropy(RANDOM_BYTES))
    new = prepared(parts, org, game, wanted, match_id, at)
    if new.is_awaited:
        await parts.database.write(lambda c: presence.expect(c, match_id, wanted.seats))
    if new.window is not None:
        await parts.database.write(lambda c: revealing.watch(c, match_id, at))
    await commit(parts, new.steps, new.dealer, "create", new.request, created=new.fixed)
    return match_id


def prepared(
    parts: Parts, org: str, game: AnyGame, wanted: NewMatchRequest, match_id: str, at: int
) -> Prepared:
    """A new match, not stored. Raises: OptionsRefused, Invalid."""
    seed = parts.entropy(SEED_BYTES)
    pinned = pinned_of(wanted.schedule, at, takes_entropy=wanted.entropy)
    options = options_in(game, wanted.options)
    if wanted.agreed_draw:
        game.new(options, wanted.seats)
        if not game.agreed_draw(options, wanted.seats):
            raise Invalid(Fault("/agreed_draw", "impossible", "its game allows none"))
    command = CreateMatch(
        match_id=match_id,
        game=game,
        options=options,
        seats=wanted.seats,
        seed_commitment=commitment(seed, UUID(match_id).bytes).hex(),
        algorithm=ALGORITHM,
        start=wanted.start,
        takes_entropy=wanted.entropy,
        reveal_by=wanted.reveal_by,
        window=_window(wanted),
        clock=clock_of(wanted.clock, wanted.seats, at, org),
        test=is_test(org),
        schedule=pinned.schedule,
        closes_at=pinned.closes_at,
        closing=pinned.closing,
        agreed_draw=wanted.agreed_draw,
    )
    require_future("/reveal_by", wanted.reveal_by, at)
    steps = create(command, at)
    fixed = NewMatch(
        org=org,
        game=game.slug,
        rules_version=game.rules_version,
        seats=wanted.seats,
        data_digest=game.data_digest,
        created_at=at,
        external_id=wanted.external_id,
        secret=Secret(match_id, parts.vault.seal(match_id, seed), parts.vault.key_id),
        game_data=tables_of(game),
        listed=listed(wanted.accounts),
    )
    request = parts.vault.request_hash(prefixed("create", org, match_id))
    dealer = parts.dealers.new(match_id, seed)
    return Prepared(steps, dealer, request, fixed, command.window)


def ready(parts: Parts, new: Prepared) -> Ready:
    """Sealed: nothing of it can be changed any more."""
    sealed = seal(new.steps, new.dealer, parts.entropy)
    append = append_of(new.steps, sealed, "create", new.request, created=new.fixed)
    return Ready(new, sealed, append)


def store_beside(connection: Connection, made: Sequence[Ready]) -> None:
    """What lies beside the logs of new matches, in the transaction that stores them."""
    for each in made:
        if each.prepared.is_awaited:
            presence.expect(connection, each.match_id, each.prepared.fixed.seats)
        if each.prepared.window is not None:
            revealing.watch(connection, each.match_id, each.prepared.fixed.created_at)


def listed(accounts: Sequence[str | None]) -> tuple[tuple[int, str], ...]:
    """By seat, who may claim it, of those that are for somebody."""
    return tuple((seat, account) for seat, account in enumerate(accounts) if account is not None)


def options_in(game: AnyGame, given: msgspec.Raw) -> msgspec.Struct:
    """Raises: Invalid."""
    try:
        names = msgspec.json.decode(given, type=dict[str, msgspec.Raw])
        for name in names:
            if name not in game.options.__struct_encode_fields__:
                raise Invalid(Fault(f"/options/{name[:64]}", "unknown-field", "no such option"))
        options: msgspec.Struct = msgspec.json.decode(given, type=game.options)
    except msgspec.ValidationError as error:
        raise Invalid(fault_in(error, "/options")) from None
    return options


def _window(wanted: NewMatchRequest) -> int | None:
    """The ms of the window for disputes, which passes as fast as the clocks do: whole seconds."""
    seconds = wanted.reveal_after_seconds
    speed = wanted.clock.speed if isinstance(wanted.clock, WantedClock) else 1
    return None if seconds is None else 1000 * -(-seconds // speed)


def tables_of(game: AnyGame) -> GameData | None:
    if not game.data_digest:
        return None
    tables = registry.tables_of(game.slug, game.data_digest)
    return GameData(game.data_digest, game.slug, tables)
