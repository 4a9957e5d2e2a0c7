"""What each viewer saw of an event: every event exists for everybody, its content may not."""

from typing import Any

from msgspec import Raw

from events.canonical import canonical, decoded, raw
from events.chain import SAME
from events.dealer import Dealer, answer_commitment
from events.match import Match, answer_to
from events.types import (
    ChanceDrawn,
    Event,
    MovePlayed,
    Observation,
    PositionSet,
    Reveal,
    SeatClaimed,
    SeatReleased,
    SeatResigned,
    kind_of,
)
from games.core.game import CHANCE, SEALED, SPECTATOR, Decision, Seen, Viewer
from games.core.moves import Move, Wire

_ENVELOPE = frozenset({"version", "at", "asks", "schema", "kind", "seat"})


def observe(before: Match | None, event: Event, viewer: Viewer, dealer: Dealer) -> Observation:
    """The event as `viewer` (a seat or SPECTATOR) saw it; `before` is None for the first event."""
    match event:
        case ChanceDrawn():
            assert before is not None
            return _observed_draw(before, event, viewer, dealer)
        case MovePlayed():
            assert before is not None
            return _observed_move(before, event, viewer, dealer)
        case PositionSet():
            return _envelope(event)
    return _lifecycle(event)


def facets(before: Match | None, event: Event, seats: int, dealer: Dealer) -> tuple[bytes, ...]:
    """The bytes committed to by facet index: public, seat 0 … n-1, full (the body)."""
    public = canonical(observe(before, event, SPECTATOR, dealer))
    if not isinstance(event, ChanceDrawn | MovePlayed):
        return (public, *(SAME,) * seats, canonical(event))
    own = (canonical(observe(before, event, seat, dealer)) for seat in range(seats))
    return (public, *(SAME if each == public else each for each in own), canonical(event))


def _observed_draw(
    before: Match, event: ChanceDrawn, viewer: Viewer, dealer: Dealer
) -> Observation:
    seen = before.game.redact(before.state, CHANCE, before.drawn_by(event), viewer)
    return Observation(
        version=event.version,
        kind=kind_of(event),
        at=event.at,
        asks=event.asks,
        label=event.label,
        redraw=event.redraw,
        move=_shown(seen.move),
        reveals=_opened(before, seen, dealer),
    )


def _observed_move(before: Match, event: MovePlayed, viewer: Viewer, dealer: Dealer) -> Observation:
    move = before.move_of(event)
    seen = before.game.redact(before.state, event.seat, move, viewer)
    return Observation(
        version=event.version,
        kind=kind_of(event),
        at=event.at,
        asks=event.asks,
        seat=event.seat,
        decision=event.decision,
        by=event.by,
        move=_shown(seen.move),
        sealed=_sealed(before, event, move, dealer),
        reveals=_opened(before, seen, dealer),
    )


def _sealed(before: Match, event: MovePlayed, move: Move, dealer: Dealer) -> str | None:
    """The commitment to an answer of a sealed decision that the public does not see whole."""
    if event.decision is None:
        return None
    turn = before.turn
    if not isinstance(turn, Decision) or turn.mode is not SEALED:
        return None
    public = before.game.redact(before.state, event.seat, move, SPECTATOR).move
    if public is not None and canonical(public) == bytes(event.move):
        return None
    salt = dealer.answer_salt(event.decision)
    return answer_commitment(salt, bytes(event.move)).hex()


def _opened(before: Match, seen: Seen, dealer: Dealer) -> tuple[Reveal, ...]:
    return tuple(_opening(before, seat, wire, dealer) for seat, wire in seen.reveals)


def _opening(before: Match, seat: int, wire: Wire, dealer: Dealer) -> Reveal:
    decision = answer_to(before, seat, wire["type"])
    if decision is None:
        return Reveal(seat, raw(wire))
    return Reveal(seat, raw(wire), decision, dealer.answer_salt(decision).hex())


def _shown(move: Wire | None) -> Raw | None:
    return None if move is None else raw(move)


def _lifecycle(event: Event) -> Observation:
    body: dict[str, Any] = decoded(canonical(event))
    data = {name: value for name, value in body.items() if name not in _ENVELOPE}
    seat = event.seat if isinstance(event, SeatClaimed | SeatReleased | SeatResigned) else None
    return _envelope(event, seat=seat, data=raw(data) if data else None)


def _envelope(event: Event, seat: int | None = None, data: Raw | None = None) -> Observation:
    return Observation(
        version=event.version,
        kind=kind_of(event),
        at=event.at,
        asks=event.asks,
        seat=seat,
        data=data,
    )
