"""Views of others and of the past: what may be looked at, and the event that says it was."""

import msgspec
from msgspec import Raw

from events.canonical import prefixed
from events.decide import Command
from events.disputes import found
from events.disputing import TakeLook
from events.match import Match, decode
from events.refusals import DisputeNotFound, RulingImpossible
from events.rewinding import rewinds_of, skipped
from events.types import MatchRewound, Record
from games.core.game import SPECTATOR, Seat, Viewer
from projections.learning import Learnt, Skipped, learnt
from projections.projection import project
from service.arbitration import arbiter_of
from service.auth import Caller
from service.callers import ARBITERS
from service.changing import change
from service.errors import (
    Fault,
    OtherSeat,
    ParameterInvalid,
    SeatNotFound,
    VersionNotFound,
)
from service.lines import line_of
from service.parts import Parts
from service.spectating import shown

MOST_STEPS = 100


class Wish(msgspec.Struct, frozen=True):
    """Whose sight is wanted (a seat or SPECTATOR; None is the caller's own) at which version.

    `account` is whom an arbiter acts for.
    """

    viewer: Viewer | None = None
    at: int | None = None
    account: str | None = None


class Right(msgspec.Struct, frozen=True):
    """That a caller may look: at what match, as far as it has come, as which viewer.

    `arbiter` is who the log has to say looked, at version `at`; None where it is nobody's business.
    """

    current: Match
    viewer: Viewer
    at: int | None
    arbiter: str | None


class ReplayStep(msgspec.Struct, frozen=True):
    """An event as the viewer saw it, and the view after it.

    `in_play` is false for what a rewind has skipped by now.
    """

    version: int
    in_play: bool
    boundary: str | None
    event: Raw
    view: Raw


class ReplayPage(msgspec.Struct, frozen=True):
    """`after` is the version to go on after, None where the replay ends."""

    match_id: str
    viewer: int | None
    version: int
    steps: tuple[ReplayStep, ...]
    after: int | None


class InformationReport(msgspec.Struct, frozen=True):
    """What each seat learnt by what the rewind of version `rewind` skipped, from `to` on.

    `seats` holds by seat the steps; None for seats the caller may not look at.
    """

    match_id: str
    rewind: int | None
    to: int
    skipped: tuple[int, ...]
    seats: tuple[tuple[Learnt, ...] | None, ...]


async def looked_at(
    parts: Parts, caller: Caller, match_id: str, wish: Wish
) -> tuple[Match, Viewer]:
    """The match as it was, and as whom it is shown.

    One's own sight and the public's at any version; others' after the reveal, or for an arbiter,
    who names the version: then the log says first that this was looked at.
    Raises: MatchNotFound, ScopeMissing, VersionNotFound, SeatNotFound, OtherSeat, ArbiterIsParty,
    ParameterInvalid.
    """
    current, viewer = await _allowed(parts, caller, match_id, wish)
    at = current.version if wish.at is None else wish.at
    return await parts.past.at(current, at), viewer


async def replay(
    parts: Parts, caller: Caller, match_id: str, wish: Wish, after: int, limit: int
) -> ReplayPage:
    """Steps `after` + 1 … as far as version `at`, as one viewer saw them.

    Raises: as `looked_at`.
    """
    current, viewer = await _allowed(parts, caller, match_id, wish)
    through = current.version if wish.at is None else wish.at
    if after > through:
        raise VersionNotFound
    last = min(through, after + min(limit, MOST_STEPS))
    entries = await parts.history.page(
        match_id, viewer, after, last - after, through=last, proof=False
    )
    matches = await parts.past.each(match_id, after, last) if last > after else []
    played = set(await line_of(parts, await parts.past.at(current, through)))
    steps = tuple(
        _step(each, Raw(entry.body), viewer, in_play=each.version in played)
        for each, entry in zip(matches, entries, strict=True)
    )
    following = last if last < through else None
    own = None if viewer == SPECTATOR else viewer
    return ReplayPage(match_id, own, through, steps, following)


async def information_report(
    parts: Parts,
    caller: Caller,
    match_id: str,
    dispute: int,
    to: int | None,
    account: str | None,
) -> InformationReport:
    """What each seat learnt in the range the dispute's ruling skipped, or would skip back to `to`.

    A seat sees its own part; an arbiter all, which the log says first unless all is revealed.
    Raises: MatchNotFound, ScopeMissing, OtherSeat, ArbiterIsParty, DisputeNotFound,
    RulingImpossible if the dispute has rewound nothing.
    """
    viewer = await parts.doorkeeper.viewer_of(caller, match_id)
    current = await shown(parts, caller, match_id)
    own = found(current, dispute)
    if own is None:
        raise DisputeNotFound
    rewinds = await parts.store.rewinds(match_id, current.version)
    goals = rewinds_of(rewinds)
    rewind = _rewind_of(rewinds, own.ruling) if to is None else current.version + 1
    if to is not None:
        if not 1 <= to < current.version:
            raise RulingImpossible
        goals = {**goals, rewind: to}
    seats = await _seats_to_report(parts, caller, current, viewer, account, rewind - 1)
    versions = skipped(goals, rewind)
    matches = await parts.past.each(match_id, 0, rewind - 1)
    records = await parts.store.records(match_id, 0, rewind - 1)
    steps = [
        Skipped(matches[v - 2], decode(records[v - 1]), matches[v - 1]) for v in versions if v > 1
    ]
    dealer = await parts.dealers.of(match_id)
    lines = tuple(
        learnt(steps, seat, dealer) if seat in seats else None for seat in range(current.seats)
    )
    return InformationReport(
        match_id, rewind if to is None else None, goals[rewind], versions, lines
    )


async def take_look(
    parts: Parts,
    caller: Caller,
    match_id: str,
    arbiter: str,
    seat: Seat | None,
    through: int,
    occasion: str = "",
) -> None:
    """Say in the log that an arbiter looks, once for each arbiter, seat and version or occasion.

    Raises: MatchRevealedAlready, RulingImpossible.
    """

    async def make(current: Match) -> Command:
        return TakeLook(arbiter, seat, through)

    name = f"{arbiter} {seat} {occasion or through}"
    await change(parts, caller, match_id, "TakeLook", make, name, prefixed(name))


async def _allowed(parts: Parts, caller: Caller, match_id: str, wish: Wish) -> tuple[Match, Viewer]:
    """The newest the caller has come to, and the viewer it may look as."""
    right = await right_to(parts, caller, match_id, wish)
    await exercise(parts, caller, right)
    return right.current, right.viewer


async def exercise(parts: Parts, caller: Caller, right: Right) -> None:
    """Before anything is shown. Raises: MatchRevealedAlready, RulingImpossible."""
    if right.arbiter is not None:
        assert right.at is not None
        await take_look(
            parts, caller, right.current.match_id, right.arbiter, right.viewer, right.at
        )


async def right_to(parts: Parts, caller: Caller, match_id: str, wish: Wish) -> Right:
    """What a caller may look at; nothing is shown or said yet. Raises: as `looked_at`."""
    own = await parts.doorkeeper.viewer_of(caller, match_id)
    current = await shown(parts, caller, match_id)
    if wish.at is not None and not 1 <= wish.at <= current.version:
        raise VersionNotFound
    viewer = own if wish.viewer is None else wish.viewer
    if viewer in (own, SPECTATOR):
        return Right(current, viewer, wish.at, None)
    if not 0 <= viewer < current.seats:
        raise SeatNotFound
    if current.is_revealed or caller.holds(viewer):
        return Right(current, viewer, wish.at, None)
    if caller.kind not in ARBITERS:
        raise OtherSeat
    arbiter = await arbiter_of(parts, caller, match_id, wish.account)
    if wish.at is None:
        raise ParameterInvalid(Fault("at", "missing", "a look at another seat is at a version"))
    return Right(current, viewer, wish.at, arbiter)


async def _seats_to_report(
    parts: Parts,
    caller: Caller,
    current: Match,
    viewer: Viewer,
    account: str | None,
    through: int,
) -> frozenset[Seat]:
    everybody = frozenset(range(current.seats))
    if current.is_revealed:
        return everybody
    if viewer != SPECTATOR:
        return frozenset(seat for seat in everybody if caller.holds(seat))
    if caller.kind not in ARBITERS:
        raise OtherSeat
    arbiter = await arbiter_of(parts, caller, current.match_id, account)
    await take_look(parts, caller, current.match_id, arbiter, None, through)
    return everybody


def _rewind_of(rewinds: list[Record], ruling: int | None) -> int:
    """The version of the rewind that a ruling led to. Raises: RulingImpossible."""
    for record in rewinds:
        event = decode(record)
        if isinstance(event, MatchRewound) and event.cause == ruling:
            return record.version
    raise RulingImpossible


def _step(each: Match, event: Raw, viewer: Viewer, *, in_play: bool) -> ReplayStep:
    told = project(each, viewer)
    view = Raw(msgspec.json.encode(told.view, order="deterministic"))
    return ReplayStep(each.version, in_play, told.boundary, event, view)
