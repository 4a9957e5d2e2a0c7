"""Takebacks, disputes, looks, tokens, erasures: the commands, and the first event of each."""

from typing import Any, TypeAlias, assert_never

import msgspec

from events.allowing import BesidePlay, allow
from events.match import Match
from events.rulings import (
    Ruling,
)
from events.texts import apart
from events.types import Dispute as DisputeEvent
from events.types import (
    DisputeAppealed,
    DisputeClosed,
    DisputeOpened,
    DisputeRuled,
    Erased,
    Event,
    LookTaken,
    ReviewStarted,
    SeatTokenIssued,
    SeatTokensRevoked,
    TakebackAnswered,
    TakebackAsked,
    TextRow,
)
from games.core.game import Seat


class AskTakeback(msgspec.Struct, frozen=True):
    """`target` is the match before the last step."""

    seat: Seat
    target: Match | None


class AnswerTakeback(msgspec.Struct, frozen=True):
    """`target` is the match before the move that is to be taken back."""

    seat: Seat
    takeback: int
    consents: bool
    target: Match | None


class OpenDispute(msgspec.Struct, frozen=True):
    """By a seat or by an arbiter; `text_salt` is 32 random bytes, as in all that says a text."""

    seat: Seat | None
    arbiter: str | None
    about: int
    claim: str
    text_salt: bytes


class StartReview(msgspec.Struct, frozen=True):
    dispute: int
    arbiter: str
    pause: bool


class RuleDispute(msgspec.Struct, frozen=True):
    """`target` is the match a rewind goes back to; `move` is the one a ForceMove plays, as sent."""

    dispute: int
    arbiter: str
    ruling: Ruling
    reason: str
    text_salt: bytes
    target: Match | None = None
    move: Any = None


class AppealDispute(msgspec.Struct, frozen=True):
    dispute: int
    seat: Seat
    reason: str
    text_salt: bytes


class CloseDispute(msgspec.Struct, frozen=True):
    dispute: int
    seat: Seat | None
    arbiter: str | None


class TakeLook(msgspec.Struct, frozen=True):
    """`seat` is None for everything at once."""

    arbiter: str
    seat: Seat | None
    through: int


class IssueSeatToken(msgspec.Struct, frozen=True):
    seat: Seat


class RevokeSeatTokens(msgspec.Struct, frozen=True):
    seat: Seat


class EraseTexts(msgspec.Struct, frozen=True):
    """One text (`of`, `field`) or all of a seat, as in the event."""

    of: int | None = None
    field: str | None = None
    seat: Seat | None = None
    holder: str | None = None
    hidden: bool = False


DisputeCommand: TypeAlias = OpenDispute | StartReview | RuleDispute | AppealDispute | CloseDispute
Disputing: TypeAlias = (
    DisputeCommand
    | AskTakeback
    | AnswerTakeback
    | TakeLook
    | IssueSeatToken
    | RevokeSeatTokens
    | EraseTexts
)


PlayedBack: TypeAlias = AskTakeback | AnswerTakeback  # not once a deal group has closed


def opening(current: Match, command: Disputing, at: int) -> tuple[Event, tuple[TextRow, ...]]:
    """The first event of a command, and its texts. Raises: Refused."""
    event, texts = _opening(current, command, at)
    allow(current, event, getattr(command, "target", None))
    return event, texts


def _opening(current: Match, command: Disputing, at: int) -> tuple[BesidePlay, tuple[TextRow, ...]]:
    version = current.version + 1
    match command:
        case OpenDispute() | StartReview() | RuleDispute() | AppealDispute() | CloseDispute():
            return _disputed(version, command, at)
        case AskTakeback(seat=seat):
            move = 0 if current.last is None else current.last.version
            return TakebackAsked(version=version, at=at, seat=seat, move=move), ()
        case AnswerTakeback(seat=seat, takeback=takeback, consents=consents):
            event = TakebackAnswered(
                version=version, at=at, seat=seat, takeback=takeback, consents=consents
            )
            return event, ()
        case TakeLook(arbiter=arbiter, seat=seat, through=through):
            look = LookTaken(version=version, at=at, arbiter=arbiter, seat=seat, through=through)
            return look, ()
        case IssueSeatToken(seat=seat):
            return SeatTokenIssued(version=version, at=at, seat=seat), ()
        case RevokeSeatTokens(seat=seat):
            return SeatTokensRevoked(version=version, at=at, seat=seat), ()
        case EraseTexts():
            return Erased(version=version, at=at, **msgspec.structs.asdict(command)), ()
    assert_never(command)


def _disputed(
    version: int, command: DisputeCommand, at: int
) -> tuple[DisputeEvent, tuple[TextRow, ...]]:
    match command:
        case OpenDispute(seat=seat, arbiter=arbiter, about=about, claim=claim, text_salt=salt):
            said, texts = apart({"claim": claim}, salt, version)
            opened = DisputeOpened(
                version=version, at=at, seat=seat, arbiter=arbiter, about=about, claim=said["claim"]
            )
            return opened, texts
        case StartReview(dispute=dispute, arbiter=arbiter, pause=pause):
            started = ReviewStarted(
                version=version, at=at, dispute=dispute, arbiter=arbiter, pause=pause
            )
            return started, ()
        case RuleDispute(dispute=dispute, arbiter=arbiter, ruling=ruling):
            said, texts = apart({"reason": command.reason}, command.text_salt, version)
            ruled = DisputeRuled(
                version=version,
                at=at,
                dispute=dispute,
                arbiter=arbiter,
                ruling=ruling,
                reason=said["reason"],
            )
            return ruled, texts
        case AppealDispute(dispute=dispute, seat=seat, text_salt=salt):
            said, texts = apart({"reason": command.reason}, salt, version)
            appealed = DisputeAppealed(
                version=version, at=at, dispute=dispute, seat=seat, reason=said["reason"]
            )
            return appealed, texts
        case CloseDispute(dispute=dispute, seat=seat, arbiter=arbiter):
            closed = DisputeClosed(
                version=version, at=at, dispute=dispute, seat=seat, arbiter=arbiter
            )
            return closed, ()
    assert_never(command)
