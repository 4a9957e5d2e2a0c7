"""A match as the fold of its log: `evolve` one event, `fold` many records."""

from collections.abc import Iterable
from functools import cache, cached_property
from typing import Any

import msgspec
from msgspec.structs import replace

from events.agreed import DrawAnswered, DrawOffered
from events.agreeing import DrawOffer, agreed
from events.answers import NONE, Answers, answered
from events.answers import answer_to as answer_to
from events.attended import PresenceChecked, SeatingOpened, StandInSeated
from events.attending import Presence, attended, first_status, no_one_yet, noticed
from events.attending import restored as present
from events.chain import genesis
from events.charging import Clocks, at_first, restored, ticked, timed
from events.disputes import (
    Dispute,
    GoBack,
    Takeback,
    amended,
    rewound,
    window_after,
)
from events.entropy import Entropy, after, none_yet, put
from events.holding import seated
from events.pinned import lasting as lasting
from events.rulings import ForceMove
from events.schema import NEWEST, UnknownSchema, upcast
from events.timed import FlagFell, MatchPaused, MatchResumed, TimeAdded, TimeCredited
from events.types import (
    LIVE,
    ChanceDrawn,
    EntropyClosed,
    EntropyCommitted,
    EntropyOpened,
    Event,
    MatchCancelled,
    MatchClosed,
    MatchCreated,
    MatchEnded,
    MatchRevealed,
    MatchRewound,
    MatchStarted,
    MovePlayed,
    Outcome,
    PositionSet,
    Record,
    SeatClaimed,
    SeatReleased,
    SeatResigned,
    Status,
)
from games import registry
from games.core.chance import drawn
from games.core.game import CHANCE, Chance, Decision, Game, Seat, Turn
from games.core.moves import Move, move_type


class LogBroken(Exception):
    """A log that does not fold: the version and what is wrong with it."""

    def __init__(self, version: int, reason: str) -> None:
        super().__init__(f"event {version}: {reason}")
        self.version = version
        self.reason = reason


class TargetUnknown(Exception):
    """A rewind goes back to before what is folded here: fold the log from its beginning."""


class Match(msgspec.Struct, frozen=True, dict=True):
    """A match after `version` events. `asked` holds by seat the version that last asked it, or 0.

    `answers` holds by seat and type of move the latest answer that was committed to. `head` is the
    hash of the last event that was stored or folded.
    `keys` are the seats' own, `signed` the versions of what they signed last, or 0. `entropy` is
    None where seats put nothing into the seed.
    `last` is the last step of the line of play; `due` what a ruling makes follow; `redraws` counts
    by label the draws ordered anew; `revision` counts results; `reveal_at` (ms) ends the window for
    disputes, `at` is the latest event's.
    """

    match_id: str
    game: Game[Any, Any]
    created: MatchCreated
    version: int
    head: bytes
    status: Status
    holders: tuple[str | None, ...]
    asked: tuple[int, ...]
    answers: tuple[Answers, ...]
    resigned: tuple[Seat, ...] = ()
    state: Any = None
    outcome: Outcome | None = None
    seed: str | None = None
    keys: tuple[str | None, ...] = ()
    signed: tuple[int, ...] = ()
    entropy: Entropy | None = None
    last: MovePlayed | ChanceDrawn | None = None
    takeback: Takeback | None = None
    disputes: tuple[Dispute, ...] = ()
    redraws: tuple[tuple[str, int], ...] = ()
    forfeited: tuple[Seat, ...] = ()
    due: GoBack | ForceMove | None = None
    revision: int = 0
    reveal_at: int | None = None
    closed: MatchClosed | None = None
    clocks: Clocks | None = None  # None where there are none
    presence: Presence | None = None  # None without a schedule
    draw_offer: DrawOffer | None = None  # the latest
    at: int = 0

    @property
    def seats(self) -> int:
        return self.created.seats

    @property
    def is_revealed(self) -> bool:
        return self.seed is not None

    @property
    def contributions(self) -> tuple[str | None, ...]:
        """What seats have put into the seed."""
        entropy = self.entropy
        return () if entropy is None or not entropy.is_complete else entropy.openings

    @cached_property
    def turn(self) -> Turn | None:
        """What the game waits for; None while no position exists."""
        return None if self.state is None else self.game.turn(self.state)

    @cached_property
    def decision(self) -> Decision | None:
        """The open decision of a running match; a review holds it open."""
        turn = self.turn
        return turn if self.status in LIVE and isinstance(turn, Decision) else None

    def decision_of(self, seat: Seat) -> str | None:
        """The id of the seat's open decision."""
        decision = self.decision
        if decision is None or seat not in decision.offers:
            return None
        return f"{self.asked[seat]}.{seat}"

    def move_of(self, event: MovePlayed) -> Move:
        return self.game_move(event.move)

    def game_move(self, logged: msgspec.Raw) -> Move:
        """A move as the log holds it, typed."""
        move: Move = _move_decoder(self.game).decode(logged)
        return move

    def drawn_by(self, event: ChanceDrawn) -> Move:
        turn = self.turn
        if not isinstance(turn, Chance):
            raise LogBroken(event.version, "no draw was due")
        return drawn(turn.offer, event.picks)


def fold(records: Iterable[Record], onto: Match | None = None) -> Match | None:
    """The match after `records`, trusted: nothing is checked but what folding needs.

    Raises: TargetUnknown if a rewind goes back to before `onto`.
    """
    listed = tuple(records)
    folding = Folding(listed, onto)
    for record in listed:
        folding.take(record)
    return folding.current


class Folding:
    """Folds records one after another, onto a match or from the beginning.

    It keeps the matches that rewinds among `ahead`, the records to come, go back to.
    """

    def __init__(self, ahead: Iterable[Record], onto: Match | None = None) -> None:
        self.current = onto
        self._goals = {goal for r in ahead if (goal := rewind_goal(r)) is not None}
        self._kept: dict[int, Match] = {}
        self._keep()

    def take(self, record: Record) -> Event:
        """One more record; its event. Raises: TargetUnknown, LogBroken, UnknownSchema."""
        event = decode(record)
        target = None
        if isinstance(event, MatchRewound):
            target = self._kept.get(event.to)
            if target is None:
                raise TargetUnknown
        self.current = evolve(self.current, event, target)
        # The fold owns its newest value, so the head is set in place.
        msgspec.structs.force_setattr(self.current, "head", record.hash)
        if self._goals:
            self._keep()
        return event

    def _keep(self) -> None:
        if self.current is not None and self.current.version in self._goals:
            self._kept[self.current.version] = self.current


def rewind_goal(record: Record) -> int | None:
    """The version a record goes back to, None if it is no rewind."""
    if record.kind != _REWOUND:
        return None
    event = decode(record)
    assert isinstance(event, MatchRewound)
    return event.to


def decode(record: Record) -> Event:
    """The event of a record, in its newest shape. Raises: UnknownSchema, LogBroken."""
    version, kind, schema, body = record.version, record.kind, record.schema, record.body
    if NEWEST.get(kind) != schema:
        body = upcast(version, kind, schema, body)
    try:
        event: Event = _EVENTS.decode(body)
    except msgspec.ValidationError as error:
        if "unknown field" not in str(error):
            raise
        raise UnknownSchema(version, kind, schema) from None
    if (event.schema, event.version) != (schema, version):
        raise LogBroken(version, "schema or version differ between column and body")
    return event


def evolve(current: Match | None, event: Event, target: Match | None = None) -> Match:
    """The match after one more event; a rewind needs the match it goes back to.

    Raises: LogBroken, registry.UnknownGame.
    """
    if current is None:
        if not isinstance(event, MatchCreated):
            raise LogBroken(event.version, "a log begins with match_created")
        game = registry.game(event.game, event.rules_version, event.data_digest)
        return opened(event, game)
    if event.version != current.version + 1:
        raise LogBroken(event.version, f"stands after event {current.version}")
    if isinstance(event, MatchRewound):
        if target is None or target.version != event.to or target.status not in LIVE:
            raise LogBroken(event.version, f"cannot go back to {event.to}")
        clocks = None if target.clocks is None else restored(target.clocks)
        presence = present(current.presence, target.presence)
        changed = replace(
            rewound(current, event, target),
            asked=_asked(current.asked, event),
            clocks=clocks,
            presence=presence,
            draw_offer=None,
            at=max(current.at, event.at),
        )
        return changed if clocks is None else ticked(event, changed)
    changed = _evolved(current, event, _asked(current.asked, event))
    if event.at > current.at:
        msgspec.structs.force_setattr(changed, "at", event.at)  # Nobody else holds it yet.
    if isinstance(event, MovePlayed | SeatResigned) and event.signed is not None:
        signed = put(current.signed, event.seat, event.version)
        msgspec.structs.force_setattr(changed, "signed", signed)
    if current.presence is not None:
        noticed(event, changed)
    return changed if current.clocks is None else ticked(event, changed)


def options_of(current: Match) -> msgspec.Struct:
    options: msgspec.Struct = msgspec.json.decode(
        current.created.options, type=current.game.options
    )
    return options


_REWOUND = str(MatchRewound.__struct_config__.tag)
_EVENTS: msgspec.json.Decoder[Any] = msgspec.json.Decoder(Event)


@cache
def _move_decoder(game: Game[Any, Any]) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(game.move)


@cache
def _state_decoder(game: Game[Any, Any]) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(game.state)


def opened(event: MatchCreated, game: Game[Any, Any]) -> Match:
    return Match(
        match_id=event.match_id,
        game=game,
        created=lasting(event, game),
        version=1,
        head=genesis(event.match_id, event.seats, event.format),
        status=first_status(event.schedule),
        holders=(None,) * event.seats,
        asked=(0,) * event.seats,
        answers=(NONE,) * event.seats,
        keys=(None,) * event.seats,
        signed=(0,) * event.seats,
        entropy=none_yet(event.seats) if event.steerable is None else None,
        clocks=None if event.clock is None else at_first(event.clock, event.seats),
        presence=None if event.schedule is None else no_one_yet(event.seats),
        at=event.at,
    )


def _evolved(current: Match, event: Event, asked: tuple[int, ...]) -> Match:
    version = event.version
    match event:
        case MovePlayed(seat=seat):
            move = current.move_of(event)
            state = current.game.apply(current.state, seat, move)
            answers = current.answers
            if event.sealed is not None and event.decision is not None:
                own = answered(answers[seat], move_type(move), event.decision, event.sealed)
                answers = put(answers, seat, own)
            after = replace(
                current, version=version, state=state, asked=asked, answers=answers, last=event
            )
            return after if current.due is None else replace(after, due=None)
        case ChanceDrawn():
            state = current.game.apply(current.state, CHANCE, current.drawn_by(event))
            return replace(current, version=version, state=state, asked=asked, last=event)
        case MatchStarted():
            state = current.game.new(options_of(current), current.seats)
            return replace(
                current, version=version, status=Status.RUNNING, state=state, asked=asked
            )
        case PositionSet():
            state = _state_decoder(current.game).decode(event.state)
            return replace(
                current, version=version, status=Status.RUNNING, state=state, asked=asked
            )
        case _:
            return _arranged(current, event)


def _arranged(current: Match, event: Event) -> Match:
    """After an event that leaves the position as it is."""
    version = event.version
    match event:
        case SeatClaimed() | SeatReleased():
            return seated(current, event)
        case EntropyCommitted() | EntropyClosed() | EntropyOpened():
            assert current.entropy is not None
            return replace(current, version=version, entropy=after(current.entropy, event))
        case SeatResigned(seat=seat):
            resigned = (*current.resigned, seat)
            return replace(current, version=version, resigned=resigned, takeback=None)
        case MatchEnded(outcome=outcome):
            return replace(
                current,
                version=version,
                status=Status.OVER,
                outcome=outcome,
                revision=current.revision + 1,
                reveal_at=window_after(current, event.at),
            )
        case MatchCancelled():
            reveal_at = window_after(current, event.at)
            return replace(current, version=version, status=Status.CANCELLED, reveal_at=reveal_at)
        case MatchClosed():
            return replace(current, version=version, closed=event)
        case MatchRevealed(seed=seed):
            return replace(current, version=version, seed=seed)
        case FlagFell() | MatchPaused() | MatchResumed() | TimeAdded() | TimeCredited():
            return timed(current, event)
        case SeatingOpened() | PresenceChecked() | StandInSeated():
            return attended(current, event)
        case DrawOffered() | DrawAnswered():
            return agreed(current, event)
        case MatchCreated():
            raise LogBroken(version, "match_created stands first only")
        case MovePlayed() | ChanceDrawn() | MatchStarted() | PositionSet() | MatchRewound():
            raise AssertionError(event)
        case _:
            return amended(current, event)


def asking(current: Match, event: Event) -> Match:
    """The match after an event whose `asks` were found once it was applied."""
    last = current.last
    if isinstance(event, MovePlayed | ChanceDrawn):
        last = event
    after = replace(current, asked=_put_all(current.asked, event.asks, current.version), last=last)
    after.__dict__.update(current.__dict__)  # The turn is the same.
    return after


def _asked(asked: tuple[int, ...], event: Event) -> tuple[int, ...]:
    return _put_all(asked, event.asks, event.version) if event.asks else asked


def _put_all(asked: tuple[int, ...], asks: tuple[Seat, ...], version: int) -> tuple[int, ...]:
    return tuple(version if s in asks else v for s, v in enumerate(asked))
