"""What callers may know: views, decisions, moves on offer, matches, games."""

from itertools import islice
from typing import Any, Final

import msgspec

from events.clocks import Clock
from events.match import Match, options_of
from events.store import MatchFilter, MatchRow
from events.types import Start, Status
from games import registry
from games.core.game import SPECTATOR, AnyGame, Decision, Seat, Viewer
from games.core.moves import Move, Offer, Wire, count, moves, shown_offer, wire_move
from projections.clocks import ClockLine, clock_lines
from projections.matches import MatchSummary, summary
from projections.projection import Asked, OwnDecision, SeatLine, own_decision, project
from projections.schedules import ScheduleLine, schedule_line
from service.apart import groups_apart, is_apart, is_inside, stored_as, told_apart
from service.auth import Caller, require
from service.callers import WATCHING, Scope
from service.committing import loaded
from service.errors import DecisionClosed, MatchNotFound, SeatNotFound, SeatTokenRequired
from service.parts import Parts
from service.spectating import shown, shown_at

# How far the moves of one decision are listed; beyond, a client fills the offers itself.
LISTED: Final = 20_000
READING: Final = (Scope.MATCHES_READ, *WATCHING)


class SeatDecision(msgspec.Struct, frozen=True):
    """What a seat is asked, with who else is asked; never what is offered to others."""

    match_id: str
    version: int
    status: str
    seat: int
    asked: Asked | None
    decision: OwnDecision | None
    clocks: tuple[ClockLine, ...] | None


class Listed(msgspec.Struct, frozen=True):
    """A move on offer; or, where free text is to be filled in, the offer itself."""

    move: Wire | None = None
    offer: Wire | None = None


class MovePage(msgspec.Struct, frozen=True):
    """`count` is null where an offer takes free text or the number is too large for JSON.

    `start` is the place in the enumeration it starts at, `after` the one to go on from, null where
    the listing ends.
    """

    match_id: str
    version: int
    decision: str | None
    moves: tuple[Listed, ...]
    count: int | None
    exact: bool
    start: int
    after: int | None

    def place(self, number: int) -> str:
        """A place in the enumeration as a cursor holds it: it serves this decision alone."""
        return f"{self.decision or ''} {number}"


class EntropyLine(msgspec.Struct, frozen=True):
    """What seats put into the seed, by seat. `closed`: all is committed to, and is being opened.

    `awaited` are the seats that the start waits for.
    """

    closed: bool
    awaited: tuple[int, ...]
    commitments: tuple[str | None, ...]
    openings: tuple[str | None, ...]


class MatchDetail(MatchSummary, frozen=True, kw_only=True):
    """A match as everybody who may see it does.

    `reveal_at` (ms) is when the window for disputes ends, while it is open.
    """

    data_digest: str
    reconstructed: bool
    options: msgspec.Raw
    start: Start
    reveal: str
    reveal_by: int | None
    seed_commitment: str
    steerable: str | None
    entropy: EntropyLine | None
    reveal_after_seconds: int | None
    reveal_at: int | None
    revealed: bool
    result_revision: int
    provisional: bool
    seating: tuple[SeatLine, ...]
    asked: Asked | None
    clock: Clock | None
    clocks: tuple[ClockLine, ...] | None
    schedule: ScheduleLine | None
    agreed_draw: bool


async def view(
    parts: Parts, caller: Caller, match_id: str, at: int | None = None
) -> tuple[Match, Viewer]:
    """The match, now or after version `at`, and how the caller sees it.

    Raises: MatchNotFound, ScopeMissing, VersionNotFound.
    """
    return await shown_at(parts, caller, match_id, at)


async def own_match(parts: Parts, caller: Caller, match_id: str) -> tuple[Match, Seat]:
    """The match and the seat the caller plays. Raises: MatchNotFound, SeatTokenRequired."""
    seat = await parts.doorkeeper.seat_of(caller, match_id)
    return await loaded(parts, match_id), seat


async def public_match(parts: Parts, caller: Caller, match_id: str) -> tuple[Match, Viewer]:
    """The match as its resource and its seats tell of it; a key needs to read no more than that.

    Raises: MatchNotFound, ScopeMissing.
    """
    viewer = await parts.doorkeeper.viewer_of(caller, match_id, *READING)
    return await shown(parts, caller, match_id), viewer


def decision_of(current: Match, seat: Seat) -> SeatDecision:
    decision = current.decision
    return SeatDecision(
        match_id=current.match_id,
        version=current.version,
        status=current.status,
        seat=seat,
        asked=None if decision is None else _asked(decision),
        decision=own_decision(current, seat),
        clocks=clock_lines(current),
    )


def moves_list(match_id: str, seat: Seat) -> bytes:
    """What a cursor into the moves on offer to a seat is bound to."""
    return f"moves {match_id} {seat}".encode()


def moves_page(current: Match, seat: Seat, place: str | None, limit: int) -> MovePage:
    """The moves the seat's decision offers, from a place of an earlier page on.

    Raises: DecisionClosed if that page was of another decision.
    """
    after = 0
    if place is not None:
        named, _, given = place.partition(" ")
        if named != (current.decision_of(seat) or ""):
            raise DecisionClosed(decision=own_decision(current, seat))
        after = int(given)
    decision = current.decision
    offers = decision.offers.get(seat, ()) if decision else ()
    upto = min(after + limit, LISTED)
    listed = tuple(_listed(each) for each in islice(moves(offers), after, upto))
    total = count(offers)
    is_more = len(listed) == upto - after and (total is None or upto < total) and listed
    return MovePage(
        match_id=current.match_id,
        version=current.version,
        decision=current.decision_of(seat),
        moves=listed,
        count=total if total is None or total < 2**53 else None,
        exact=total is not None and total < 2**53,
        start=after,
        after=upto if is_more and upto < LISTED else None,
    )


async def match_detail(
    parts: Parts, caller: Caller, match_id: str
) -> tuple[MatchDetail, Match, Viewer]:
    """Raises: MatchNotFound, ScopeMissing."""
    current, viewer = await public_match(parts, caller, match_id)
    row = await parts.store.match(match_id)
    if row is None:
        raise MatchNotFound
    detail = _detail(row, current)
    if is_apart(caller, current) and caller.delay is None:
        # That it is over may be seen, and no more.
        detail = msgspec.structs.replace(detail, status=told_apart(Status(row.status)))
    return detail, current, viewer


async def new_match(parts: Parts, match_id: str) -> tuple[MatchDetail, Match]:
    """A match as its creator is told of it. Raises: MatchNotFound."""
    row = await parts.store.match(match_id)
    if row is None:
        raise MatchNotFound
    current = await loaded(parts, match_id)
    return _detail(row, current), current


async def list_matches(
    parts: Parts, caller: Caller, narrowed: MatchFilter, before: str | None, limit: int
) -> list[MatchSummary]:
    """The organisation's matches, newest first; tokens of a match list nothing.

    They are narrowed by the status that the caller is told.
    Raises: ApiKeyRequired, ScopeMissing.
    """
    require(caller, Scope.MATCHES_READ)
    status = narrowed.status
    stored: tuple[Status, ...] = ()
    if status is not None and not is_inside(caller):
        stored = stored_as(Status(status))
    found: list[MatchSummary] = []
    while True:
        rows = await parts.store.list_matches(caller.org, narrowed, before, limit, stored)
        apart = await groups_apart(parts, caller, (row.deal_group for row in rows))
        lines = [
            await _at_start(parts, caller, row) if row.deal_group in apart else summary(row)
            for row in rows
        ]
        found += [each for each in lines if status in (None, each.status)]
        if len(rows) < limit or len(found) >= limit:
            return found[:limit]
        before = rows[-1].match_id


async def _at_start(parts: Parts, caller: Caller, row: MatchRow) -> MatchSummary:
    """The line of a match the caller stands apart from; that it is over may be seen."""
    current = await shown(parts, caller, row.match_id)
    status = told_apart(Status(row.status))
    return msgspec.structs.replace(_told(row, current), status=status)


async def match_named(parts: Parts, caller: Caller, external_id: str) -> str:
    """The id of the organisation's newest match of that external id.

    Raises: MatchNotFound, ApiKeyRequired.
    """
    found = await list_matches(parts, caller, MatchFilter(external_id=external_id), None, 1)
    if not found:
        raise MatchNotFound
    return found[0].match_id


async def held_match(parts: Parts, caller: Caller) -> str:
    """The match whose seat the caller plays. Raises: SeatTokenRequired, MatchNotFound."""
    if caller.match_id is None:
        raise SeatTokenRequired
    await parts.doorkeeper.seat_of(caller, caller.match_id)
    return caller.match_id


async def seat_line(parts: Parts, caller: Caller, match_id: str, seat: Seat) -> SeatLine:
    """Raises: MatchNotFound, ScopeMissing, SeatNotFound."""
    current, _ = await public_match(parts, caller, match_id)
    if not 0 <= seat < current.seats:
        raise SeatNotFound
    return seat_lines(current)[seat]


def seat_lines(current: Match) -> tuple[SeatLine, ...]:
    return project(current, SPECTATOR).seats


def games() -> list[Any]:
    return [game_line(each) for each in registry.games()]


def game_line(game: AnyGame) -> dict[str, Any]:
    return {
        "slug": game.slug,
        "name": game.name,
        "rules_version": game.rules_version,
        "seats": game.seats,
        "data_digest": game.data_digest,
    }


def game_detail(game: AnyGame) -> dict[str, Any]:
    """With the JSON Schemas (2020-12) of options, moves and views."""
    return {
        **game_line(game),
        "options": msgspec.json.schema(game.options),
        "moves": msgspec.json.schema(game.move),
        "view": msgspec.json.schema(game.views),
    }


def _entropy(current: Match) -> EntropyLine | None:
    entropy = current.entropy
    if entropy is None:
        return None
    return EntropyLine(entropy.is_closed, entropy.awaited, entropy.commitments, entropy.openings)


def _asked(decision: Decision) -> Asked:
    return Asked(decision.kind, decision.mode, tuple(sorted(decision.offers)))


def _listed(each: Move | Offer) -> Listed:
    if isinstance(each, Offer):
        return Listed(offer=shown_offer(each))
    return Listed(move=wire_move(each))


def _told(row: MatchRow, current: Match) -> MatchSummary:
    """The row may be newer or older than the fold; what both say is told from the fold."""
    result = current.outcome
    return msgspec.structs.replace(
        summary(row),
        version=current.version,
        head=current.head.hex(),
        status=current.status,
        result=None if result is None else msgspec.Raw(msgspec.json.encode(result)),
    )


def _detail(row: MatchRow, current: Match) -> MatchDetail:
    shown = project(current, SPECTATOR)
    created = current.created
    line = _told(row, current)
    return MatchDetail(
        **msgspec.structs.asdict(line),
        data_digest=created.data_digest,
        reconstructed=current.game.reconstructed(options_of(current)),
        options=created.options,
        start=created.start,
        reveal=created.reveal,
        reveal_by=created.reveal_by,
        seed_commitment=created.seed_commitment,
        steerable=created.steerable,
        entropy=_entropy(current),
        reveal_after_seconds=None if created.window is None else created.window // 1000,
        reveal_at=None if current.is_revealed else current.reveal_at,
        revealed=current.is_revealed,
        result_revision=shown.result_revision,
        provisional=shown.provisional,
        seating=shown.seats,
        asked=shown.asked,
        clock=created.clock,
        clocks=shown.clocks,
        schedule=schedule_line(current),
        agreed_draw=created.agreed_draw,
    )
