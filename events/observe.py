"""What each viewer saw of an event: every event exists for everybody, its content may not."""

from hmac import digest as hmac
from typing import Any

from msgspec import Raw

from events.canonical import canonical, decoded, raw
from events.chain import SAME
from events.dealer import Dealer, answer_commitment
from events.match import Match, answer_to
from events.types import (
    ChanceDrawn,
    Erased,
    Event,
    MovePlayed,
    Observation,
    PositionSet,
    Reveal,
    SeatSignature,
    SeenSignature,
    kind_of,
)
from games.core.game import CHANCE, SEALED, SPECTATOR, Decision, Seat, Seen, Viewer
from games.core.moves import Move, Wire

_ENVELOPE = frozenset({"version", "at", "asks", "schema", "kind", "seat"})


def observe(before: Match | None, event: Event, viewer: Viewer, dealer: Dealer) -> Observation:
    """The event as `viewer` (a seat or SPECTATOR) saw it; `before` is None for the first event."""
    if isinstance(event, ChanceDrawn | MovePlayed):
        assert before is not None
        seat, move, seen = _stepped(before, event)
        if viewer != SPECTATOR:
            seen = before.game.redact(before.state, seat, move, viewer)
        return _observed(before, event, seen, dealer)
    if isinstance(event, PositionSet) or (isinstance(event, Erased) and event.hidden):
        return _envelope(event)
    return _lifecycle(event)


def facets(before: Match | None, event: Event, seats: int, dealer: Dealer) -> tuple[bytes, ...]:
    """The bytes committed to by facet index: public, seat 0 … n-1, full (the body)."""
    return (*shown_facets(before, event, seats, dealer), canonical(event))


def shown_facets(
    before: Match | None, event: Event, seats: int, dealer: Dealer
) -> tuple[bytes, ...]:
    """The facets without the full one: public, seat 0 … n-1."""
    if before is None or not isinstance(event, ChanceDrawn | MovePlayed):
        return (canonical(observe(before, event, SPECTATOR, dealer)), *(SAME,) * seats)
    seat, move, seen = _stepped(before, event)
    shown = [canonical(_observed(before, event, seen, dealer))]
    for viewer in range(seats):
        own = before.game.redact(before.state, seat, move, viewer)
        facet = SAME if own == seen else canonical(_observed(before, event, own, dealer))
        shown.append(SAME if facet == shown[0] else facet)
    return tuple(shown)


def sealed_as(
    current: Match, seat: Seat, decision: str | None, move: Raw, dealer: Dealer
) -> str | None:
    """The commitment that an answer carries, in hex; None if the public sees the answer whole.

    Whether there is one follows from what the public sees of the step and from nothing else.
    """
    turn = current.turn
    if decision is None or not isinstance(turn, Decision) or turn.mode is not SEALED:
        return None
    seen = _public(current, seat, move)[1].move
    if not has_blanks(seen):
        return None
    salt = dealer.of(current.contributions).answer_salt(current.match_id, decision)
    return answer_commitment(salt, bytes(move)).hex()


def seen_signature(signed: SeatSignature, move: bytes) -> SeenSignature:
    """Without the nonce: what is signed may be hidden, and may be one of few things."""
    committed = hmac(bytes.fromhex(signed.nonce), move, "sha256").hex()
    return SeenSignature(signed.version, signed.head, committed, signed.signature)


def _stepped(before: Match, event: ChanceDrawn | MovePlayed) -> tuple[Seat, Move, Seen]:
    """Who moved, what, and the step as the public saw it."""
    if isinstance(event, MovePlayed):
        return (event.seat, *_public(before, event.seat, event.move))
    move = before.drawn_by(event)
    return CHANCE, move, before.game.redact(before.state, CHANCE, move, SPECTATOR)


def _public(before: Match, seat: Seat, logged: Raw) -> tuple[Move, Seen]:
    """A move and what the public sees of it; kept, for it is asked for again when sealing."""
    kept: tuple[Seat, Raw, Move, Seen] | None = before.__dict__.get("public")
    if kept is not None and kept[0] == seat and kept[1] == logged:
        return kept[2:]
    move = before.game_move(logged)
    seen = before.game.redact(before.state, seat, move, SPECTATOR)
    before.__dict__["public"] = (seat, logged, move, seen)
    return move, seen


def _observed(
    before: Match, event: ChanceDrawn | MovePlayed, seen: Seen, dealer: Dealer
) -> Observation:
    move = None if seen.move is None else raw(seen.move)
    reveals = tuple(_opening(before, seat, wire, dealer) for seat, wire in seen.reveals)
    if isinstance(event, ChanceDrawn):
        return Observation(
            version=event.version,
            kind=kind_of(event),
            at=event.at,
            asks=event.asks,
            label=event.label,
            redraw=event.redraw,
            move=move,
            reveals=reveals,
        )
    return Observation(
        version=event.version,
        kind=kind_of(event),
        at=event.at,
        asks=event.asks,
        seat=event.seat,
        decision=event.decision,
        by=event.by,
        move=move,
        sealed=event.sealed,
        signed=None if event.signed is None else seen_signature(event.signed, bytes(event.move)),
        reveals=reveals,
        arrived=event.arrived,
    )


def has_blanks(seen: Wire | None) -> bool:
    """A null in a wire move; one that was picked counts as well, or it could be told apart."""
    if seen is None:
        return True
    values = seen.values()
    return any(v is None or (isinstance(v, list | tuple) and None in v) for v in values)


def _opening(before: Match, seat: Seat, wire: Wire, dealer: Dealer) -> Reveal:
    """The salt is given only with the very answer it commits to, never beside a part of it."""
    move = raw(wire)
    found = answer_to(before, seat, wire["type"])
    if found is None:
        return Reveal(seat, move)
    decision, sealed = found
    salt = dealer.of(before.contributions).answer_salt(before.match_id, decision)
    if answer_commitment(salt, bytes(move)).hex() != sealed:
        return Reveal(seat, move)
    return Reveal(seat, move, decision, salt.hex())


def _lifecycle(event: Event) -> Observation:
    body: dict[str, Any] = decoded(canonical(event))
    data = {name: value for name, value in body.items() if name not in _ENVELOPE}
    # Nothing is hidden in these, nonces included.
    return _envelope(event, seat=getattr(event, "seat", None), data=raw(data) if data else None)


def _envelope(event: Event, seat: int | None = None, data: Raw | None = None) -> Observation:
    return Observation(
        version=event.version,
        kind=kind_of(event),
        at=event.at,
        asks=event.asks,
        seat=seat,
        data=data,
    )
