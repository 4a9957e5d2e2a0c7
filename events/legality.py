"""Whether an event could stand where it stands: it follows of itself, or somebody might do it."""

from typing import Any, Final, get_args

import msgspec
from msgspec.structs import replace

from events.agreed import DrawAnswered, DrawOffered
from events.allowing import allow
from events.attended import PresenceChecked, SeatingOpened, StandInSeated
from events.canonical import decoded, raw
from events.dealer import Dealer
from events.entropy import opens
from events.flags import allow_timed, arrival, overdue_before
from events.following import following
from events.match import Match
from events.observe import sealed_as
from events.offering import allow_agreeing
from events.outcome import as_ranked_before
from events.presence import allow_attending
from events.refusals import Refused
from events.rulings import ForceMove
from events.seat_keys import is_key
from events.seating import may_start, unseated
from events.texts import is_digest
from events.timed import FlagFell, MatchPaused, MatchResumed, TimeAdded, TimeCredited
from events.types import (
    DONE,
    Agreed,
    Attended,
    By,
    ChanceDrawn,
    Dispute,
    EntropyClosed,
    EntropyCommitted,
    EntropyOpened,
    Erased,
    Event,
    MatchCancelled,
    MatchClosed,
    MatchCreated,
    MatchEnded,
    MatchRevealed,
    MatchRewound,
    MatchStarted,
    MovePlayed,
    PositionSet,
    SeatClaimed,
    SeatReleased,
    SeatResigned,
    Status,
    Timed,
    Watched,
    kind_of,
)
from games.core.game import Decision, Seat
from games.core.moves import IllegalMove, Move, Offers, take, text_fields


class Wrong(Exception):
    """What is wrong with an event: a code and a reason."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(f"{code}: {reason}")
        self.code = code
        self.reason = reason


LATEST: Final = 2**53 - 1  # ms; what every reader of JSON has exactly


def check_at(at: object) -> None:
    """Raises: Wrong unless it is a time an event can have."""
    if type(at) is not int or not 0 <= at <= LATEST:
        raise Wrong("at", f"not from 0 to {LATEST}")


def check_window(reveal: object, window: object) -> None:
    """Raises: Wrong where event 1 has a window for another reveal than after it, or the reverse."""
    if reveal in ("at_end", "after_window") and (reveal == "after_window") != (window is not None):
        raise Wrong("created", "a reveal after a window without one, or the reverse")


def check_closing(event: MatchCreated) -> None:
    """Raises: Wrong where event 1 has a closing time without a policy, a deal group without one, or
    a schedule that can't be."""
    if (event.closes_at is None) != (event.closing is None):
        raise Wrong("created", "a closing time without what becomes of the match, or the reverse")
    if event.deal_group is not None and event.closes_at is None:
        raise Wrong("created", "a deal group without its closing")
    if event.agreed_draw and event.deal_group is not None:
        raise Wrong("created", "nobody agrees on a draw in a deal group")
    if event.schedule is None:
        return
    if event.deal_group is not None:
        raise Wrong("created", "a match of a deal group has no schedule of its own")
    fault = event.schedule.fault(event.closes_at, takes_entropy=event.steerable is None)
    if fault is not None:
        raise Wrong("created", f"schedule{fault[0]} {fault[1]}")


class Fault(msgspec.Struct, frozen=True):
    """The first thing wrong: at which version, a code for programs, a reason for people."""

    version: int
    code: str
    reason: str


class Verdict(msgspec.Struct, frozen=True):
    """`checked` names the kinds of checks done; `unchecked` what could not be checked, and why."""

    events: int
    fault: Fault | None
    checked: tuple[str, ...]
    unchecked: tuple[str, ...] = ()

    @property
    def is_sound(self) -> bool:
        """Nothing is wrong; `unchecked` may still be long."""
        return self.fault is None


def check(
    before: Match,
    event: Event,
    dealer: Dealer,
    *,
    knows_seed: bool,
    target: Match | None = None,
) -> None:
    """Raises Wrong unless `event` may follow `before`; `asks` is not looked at.

    `target` is the match at the version that the event names to go back to, if it does.
    Without the seed, `dealer` echoes the picks of the log, and commitments to answers are only
    expected to be there. A position may be set; who does not allow it has to see to it.
    """
    if before.is_revealed and not isinstance(event, Dispute | Erased):
        raise Wrong("after_reveal", f"{kind_of(event)} after the reveal")
    due = following(before, dealer, event.at)
    if isinstance(before.due, ForceMove):
        _check_forced(before.due, before, event, dealer, knows_seed)
    elif due is None:
        _check_command(before, event, dealer, knows_seed, target)
    elif not (isinstance(event, PositionSet) and isinstance(due, MatchStarted)):
        if isinstance(due, MatchEnded) and isinstance(event, MatchEnded):
            earlier = as_ranked_before(before, due.outcome)
            due = replace(due, outcome=earlier) if event.outcome == earlier else due
        _check_due(due, event, knows_seed)


def _check_due(due: Event, event: Event, knows_seed: bool) -> None:
    if type(due) is not type(event):
        raise Wrong("missing", f"{kind_of(due)} is due, not {kind_of(event)}")
    for name in due.__struct_fields__:
        expected, found = getattr(due, name), getattr(event, name)
        if expected == found or name in ("asks", "schema"):
            continue
        if name == "sealed" and not knows_seed and expected and is_digest(found):
            continue
        raise Wrong(_CODES.get(type(event), "due"), f"{name} is not what follows")


_BESIDE_PLAY = (*get_args(Dispute), *get_args(Watched), Erased)
_AFTER_CLOSING = (MatchCancelled, MatchClosed, MatchRevealed, *_BESIDE_PLAY)
_CODES: dict[type[Any], str] = {
    ChanceDrawn: "draw",
    MatchEnded: "outcome",
    MatchRevealed: "seed",
    MatchRewound: "rewind",
    MovePlayed: "fallback",
}


def _check_command(
    before: Match, event: Event, dealer: Dealer, knows_seed: bool, target: Match | None
) -> None:
    closes_at = before.created.closes_at
    if closes_at is not None and not isinstance(event, _AFTER_CLOSING):
        _expect(event.at < closes_at, "late", "the closing time had come")
    if overdue_before(before, event) is not None:
        raise Wrong("clock", f"{kind_of(event)} before the flag of who was late by then")
    match event:
        case MovePlayed():
            _expect(event.by is By.SEAT, "by", f"nobody let the {event.by} play")
            _check_move(before, event, dealer, knows_seed)
        case SeatClaimed(seat=seat, key=key):
            _check_seating(before)
            _expect(_holder(before, seat) is None, "seat", "the seat is claimed already")
            _expect(seat not in before.resigned, "seat", "the seat is out")
            _expect(key is None or is_key(key), "key", "the seat's key is none")
        case EntropyCommitted() | EntropyOpened():
            _check_entropy(before, event)
        case SeatReleased(seat=seat):
            _check_seating(before)
            is_open = before.entropy is None or not before.entropy.is_closed
            _expect(is_open, "entropy", "released after what seats put in was fixed")
            _expect(_holder(before, seat) is not None, "seat", "the seat is free already")
        case MatchStarted() | PositionSet():
            _check_seating(before)
            _check_start(before, event)
        case SeatResigned(seat=seat):
            _expect(before.status is Status.RUNNING, "status", "the match is not running")
            _expect(_is_active(before, seat), "seat", "the seat cannot resign")
        case MatchCancelled():
            _expect(before.status not in DONE, "status", "the match was over")
        case MatchClosed():
            _check_closed(before, event)
        case MatchRevealed():
            untimely = "before the end of the window" if before.status in DONE else "before the end"
            _expect(before.status in DONE and before.reveal_at is None, "unexplained", untimely)
        case FlagFell() | MatchPaused() | MatchResumed() | TimeAdded() | TimeCredited():
            _check_timed(before, event)
        case SeatingOpened() | PresenceChecked() | StandInSeated():
            _check_attended(before, event)
        case DrawOffered() | DrawAnswered():
            _check_agreed(before, event)
        case ChanceDrawn() | MatchEnded() | MatchCreated() | MatchRewound() | EntropyClosed():
            raise Wrong("unexplained", f"no {kind_of(event)} is due")
        case _:
            try:
                allow(before, event, target)
            except Refused as refused:
                raise Wrong("beside_play", f"{type(refused).__name__}") from None


def _check_closed(before: Match, event: MatchClosed) -> None:
    """Of a deal group: a match of its own closes by itself."""
    created = before.created
    can_be = before.status not in DONE and created.closes_at is not None
    _expect(can_be, "status", "there was nothing to close")
    is_due = event.early or event.at >= (created.closes_at or 0)
    is_due = is_due and created.deal_group is not None
    _expect(is_due, "early", "the closing time was to come")


def _check_timed(before: Match, event: Timed) -> None:
    try:
        allow_timed(before, event)
    except Refused as refused:
        raise Wrong("clock", f"{kind_of(event)}: {type(refused).__name__}") from None


def _check_start(before: Match, event: MatchStarted | PositionSet) -> None:
    _expect(not unseated(before), "start", "a seat is free")
    is_due = isinstance(event, PositionSet) or may_start(before, event.at)
    _expect(is_due, "start", "it was not to start so early")
    is_whole = before.entropy is None or before.entropy.is_complete
    _expect(is_whole, "entropy", "started before every seat had put in what it said")


def _check_attended(before: Match, event: Attended) -> None:
    try:
        allow_attending(before, event)
    except Refused as refused:
        raise Wrong("presence", f"{kind_of(event)}: {type(refused).__name__}") from None


def _check_agreed(before: Match, event: Agreed) -> None:
    try:
        allow_agreeing(before, event)
    except Refused as refused:
        raise Wrong("agreement", f"{kind_of(event)}: {type(refused).__name__}") from None


def _check_forced(
    forced: ForceMove, before: Match, event: Event, dealer: Dealer, knows_seed: bool
) -> None:
    if not isinstance(event, MovePlayed) or event.by is not By.ARBITER:
        raise Wrong("missing", f"the move of an arbiter is due, not {kind_of(event)}")
    ruled = (event.seat, event.decision) == (forced.seat, forced.decision)
    _expect(ruled, "by", "not the decision that was ruled on")
    _check_move(before, event, dealer, knows_seed)


def _check_move(before: Match, event: MovePlayed, dealer: Dealer, knows_seed: bool) -> None:
    decision = before.decision
    if decision is None:
        raise Wrong("status", "nobody is asked")
    _expect(before.status is Status.RUNNING, "status", "the match is under review")
    _expect(_is_active(before, event.seat), "seat", "the seat cannot play")
    offers = _offers(before, decision, event)
    _check_arrival(before, event)
    move = _taken(offers, decoded(event.move))
    _expect(raw(move) == event.move, "move", "the move is not in canonical form")
    sealed = sealed_as(before, event.seat, event.decision, event.move, dealer)
    is_possible = bool(sealed and event.sealed and is_digest(event.sealed))
    fits = event.sealed == sealed or (not knows_seed and is_possible)
    _expect(fits, "answer", "the commitment to the answer is not the seed's")


def _check_arrival(before: Match, event: MovePlayed) -> None:
    arrived = None
    if event.by is By.SEAT and event.decision is not None:
        try:
            arrived = arrival(before, event.seat, event.arrived, event.at)
        except Refused:
            raise Wrong("clock", "the answer came when its time was over") from None
    _expect(event.arrived == arrived, "clock", "it can't have arrived then")


def _offers(before: Match, decision: Decision, event: MovePlayed) -> Offers:
    if event.decision is None:
        return decision.asides.get(event.seat, ())
    own = before.decision_of(event.seat)
    _expect(event.decision == own, "decision", f"open is {own}, not {event.decision}")
    return decision.offers[event.seat]


def _taken(offers: Offers, wire: Any) -> Move:
    """The move if an offer takes it; where a text belongs there has to be a digest."""
    kind = wire.get("type") if isinstance(wire, dict) else None
    names = {n for o in offers if o.move.__struct_config__.tag == kind for n in text_fields(o)}
    digests = {name: wire.get(name) for name in names}
    for name, value in digests.items():
        _expect(is_digest(value), "move", f"{name}: no digest")
    try:
        move = take(offers, wire if not digests else {**wire, **dict.fromkeys(digests, "-")})
    except IllegalMove as error:
        raise Wrong("move", str(error)) from None
    return replace(move, **digests) if digests else move


def _check_entropy(before: Match, event: EntropyCommitted | EntropyOpened) -> None:
    _check_seating(before)
    _expect(_holder(before, event.seat) is not None, "seat", "nobody holds the seat")
    entropy = before.entropy
    if entropy is None:
        raise Wrong("entropy", "nothing is put into the seed of this match")
    if isinstance(event, EntropyCommitted):
        is_free = not entropy.is_closed and not entropy.said[event.seat]
        _expect(is_free, "entropy", "what the seat puts in is fixed")
        said = event.commitment
        _expect(said is None or is_digest(said), "entropy", "no commitment")
        return
    is_due = entropy.is_closed and entropy.openings[event.seat] is None
    _expect(is_due, "entropy", "opened before all were fixed, or twice")
    fits = opens(entropy, before.match_id, event.seat, event.opening)
    _expect(fits, "entropy", "the opening is not what the seat committed to")


def _check_seating(before: Match) -> None:
    _expect(before.status is Status.SEATING, "status", "the match had started")


def _holder(before: Match, seat: Seat) -> str | None:
    _expect(0 <= seat < before.seats, "seat", "there is no such seat")
    return before.holders[seat]


def _is_active(before: Match, seat: Seat) -> bool:
    return 0 <= seat < before.seats and seat not in before.resigned


def _expect(holds: bool, code: str, reason: str) -> None:
    if not holds:
        raise Wrong(code, reason)
