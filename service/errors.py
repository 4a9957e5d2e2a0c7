"""Every error a door can answer with: one table from error class to status and problem type.

A problem's words depend on its type alone, so equal situations give equal bytes.
"""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from events import decide
from events.database import (
    DatabaseBusy,
    DatabaseContended,
    DatabaseFault,
    DatabaseFull,
)
from events.schema import UnknownSchema
from games.core.game import OptionsRefused
from games.core.moves import IllegalMove
from games.registry import UnknownGame
from service import elsewhere
from service.dispute_errors import ArbiterIsParty as ArbiterIsParty
from service.refusal import Fault as Fault
from service.refusal import Refusal as Refusal
from service.refusal import Row as Row
from service.standing import ApiKeyRequired as ApiKeyRequired
from service.standing import ArbiterNotFound as ArbiterNotFound
from service.standing import IssuerNotFound as IssuerNotFound
from service.standing import KeyNotFound as KeyNotFound
from service.standing import NoCredentials as NoCredentials
from service.standing import OrgExists as OrgExists
from service.standing import OrgNotFound as OrgNotFound
from service.standing import OtherSeat as OtherSeat
from service.standing import PreconditionFailed as PreconditionFailed
from service.standing import PreconditionRequired as PreconditionRequired
from service.standing import ScopeMissing as ScopeMissing
from service.standing import SeatTokenRequired as SeatTokenRequired
from service.standing import SpectatorNotFound as SpectatorNotFound
from service.standing import TooManyIssuers as TooManyIssuers
from service.standing import TooManyRequests as TooManyRequests
from service.tournament_errors import DealGroupClosed as DealGroupClosed
from service.tournament_errors import DealGroupNotFound as DealGroupNotFound

PROBLEM_JSON: Final = b"application/problem+json"


class Malformed(Refusal):
    """The body is no JSON."""


class Invalid(Refusal):
    """The body is JSON of a wrong shape."""


class ParameterInvalid(Refusal):
    """A query parameter or header that can't be understood."""


class NotFound(Refusal):
    """No such address."""


class MatchNotFound(Refusal):
    """No such match, or not one this caller may see."""


class SeatNotFound(Refusal):
    """The match has no such seat."""


class VersionNotFound(Refusal):
    """No such version of the match, or none the caller has come to."""


class ProblemNotFound(Refusal):
    """No such problem type."""


class MethodNotAllowed(Refusal):
    """The address does not know this method."""


class NotAcceptable(Refusal):
    """None of the media types the caller accepts can be given."""


class UnsupportedMedia(Refusal):
    """A body that is not JSON by its content type."""


class BodyTooLarge(Refusal):
    """A body above the limit."""


class IdempotencyKeyRequired(Refusal):
    """An aside has no decision that would make a repetition safe."""


class IdempotencyKeyReused(Refusal):
    """The key was used for another request."""


class RequestRunning(Refusal):
    """The same request is being answered."""


class DecisionAnswered(Refusal):
    """The decision has another answer."""


class DecisionClosed(Refusal):
    """The decision is not open for this seat."""


class OfferGone(Refusal):
    """The move was offered when the decision opened and is no more."""


class NotRevealed(Refusal):
    """The full log is open after the reveal."""


class TryAgain(Refusal):
    """The match moved on under every attempt."""


class TooManyStreams(Refusal):
    """This process holds as many open streams and waiting requests as it may."""


class OtherRelease(Refusal):
    """The match is of a release that is not this process's: it can't be read here."""


class Internal(Refusal):
    """A fault of the server."""


class Problem(msgspec.Struct, frozen=True, omit_defaults=True):
    """A problem as RFC 9457 has it."""

    type: str
    title: str
    status: int
    detail: str
    code: str
    errors: tuple[Fault, ...] = ()
    decision: Any = None
    evidence: Any = None


ROWS: Final[Mapping[type[Exception], Row]] = {
    Malformed: Row(
        400, "malformed-json", "The body is not JSON", "The body could not be read as JSON."
    ),
    ParameterInvalid: Row(
        400, "invalid-parameter", "A parameter is invalid", "A parameter could not be understood."
    ),
    IdempotencyKeyRequired: Row(
        400,
        "idempotency-key-required",
        "An Idempotency-Key is required",
        "A move without a decision needs the header Idempotency-Key.",
    ),
    NotFound: Row(404, "not-found", "Not found", "There is nothing at this address."),
    MatchNotFound: Row(
        404, "match-not-found", "No such match", "There is no such match that you may see."
    ),
    SeatNotFound: Row(404, "seat-not-found", "No such seat", "The match has no such seat."),
    VersionNotFound: Row(
        404,
        "version-not-found",
        "No such version",
        "The match has no such version that you may see.",
    ),
    ProblemNotFound: Row(
        404, "problem-not-found", "No such problem type", "There is no such problem type."
    ),
    UnknownGame: Row(
        404, "game-not-found", "No such game", "There is no game of that name and rules version."
    ),
    MethodNotAllowed: Row(
        405,
        "method-not-allowed",
        "Method not allowed",
        "The header Allow lists what this address knows.",
    ),
    NotAcceptable: Row(
        406,
        "not-acceptable",
        "No acceptable media type",
        "None of the media types you accept can be given here.",
    ),
    DecisionAnswered: Row(
        409,
        "decision-answered",
        "The decision is answered",
        "This decision already has another answer.",
    ),
    DecisionClosed: Row(
        409, "decision-closed", "The decision is not open", "This decision is not open for you."
    ),
    OfferGone: Row(
        409,
        "offer-gone",
        "The offer is gone",
        "The match moved on since the decision opened, and this move is not offered any more.",
    ),
    decide.MatchNotRunning: Row(
        409, "match-not-running", "The match is not running", "This needs a running match."
    ),
    decide.MatchAlreadyStarted: Row(
        409, "match-already-started", "The match has started", "This is possible before the start."
    ),
    decide.MatchEndedAlready: Row(
        409, "match-over", "The match is over", "The match has already ended."
    ),
    decide.SeatTaken: Row(409, "seat-taken", "The seat is taken", "The seat is already claimed."),
    decide.SeatFree: Row(409, "seat-free", "The seat is free", "Nobody has claimed the seat."),
    decide.SeatsUnclaimed: Row(
        409, "seats-unclaimed", "Seats are unclaimed", "A match starts when every seat is claimed."
    ),
    decide.NoEntropy: Row(
        409,
        "no-entropy",
        "Seats put nothing in",
        "This match was created without contributions of the seats to its seed.",
    ),
    decide.EntropyIsClosed: Row(
        409,
        "entropy-closed",
        "It is fixed",
        "What the seat puts into the seed is fixed, and so is who holds it.",
    ),
    decide.EntropyAwaited: Row(
        409,
        "entropy-awaited",
        "A seat is awaited",
        "First the seats named in the match's `entropy` have to put in what they want.",
    ),
    decide.AlreadyResigned: Row(
        409, "already-resigned", "The seat has resigned", "This seat has resigned before."
    ),
    NotRevealed: Row(
        409,
        "not-revealed",
        "The match is not revealed",
        "The full log is open once the match has been revealed.",
    ),
    RequestRunning: Row(
        409,
        "request-running",
        "The same request is running",
        "A request with this Idempotency-Key is still being answered.",
    ),
    BodyTooLarge: Row(413, "body-too-large", "The body is too large", "The body is too large."),
    UnsupportedMedia: Row(
        415,
        "unsupported-media-type",
        "Unsupported media type",
        "Send the body as application/json.",
    ),
    Invalid: Row(
        422,
        "invalid-request",
        "The request is invalid",
        "Something in the body can't be taken here: `errors` says what, and where.",
    ),
    decide.OpeningWrong: Row(
        422,
        "opening-wrong",
        "Another opening was committed to",
        "This is not what the seat committed to.",
    ),
    decide.MoveUnsigned: Row(
        422,
        "signature-wrong",
        "The seat's signature is wrong",
        "A seat with a key signs what it does with it, and a seat without one signs nothing.",
    ),
    OptionsRefused: Row(
        422, "options-refused", "The options are refused", "The game does not allow these options."
    ),
    IllegalMove: Row(
        422, "move-not-offered", "The move is not offered", "No current offer takes this move."
    ),
    IdempotencyKeyReused: Row(
        422,
        "idempotency-key-reused",
        "The Idempotency-Key was used before",
        "This Idempotency-Key was used with another request.",
    ),
    **elsewhere.ROWS,
    Internal: Row(
        500, "internal", "Internal error", "Something went wrong here; nothing of it is your fault."
    ),
    TryAgain: Row(
        503, "try-again", "Try again", "The match is changing too fast; send the request again."
    ),
    TooManyStreams: Row(
        503,
        "too-many-streams",
        "Too many streams",
        "This process holds as many open streams as it may; try again, or ask without waiting.",
    ),
    OtherRelease: Row(
        503,
        "other-release",
        "Another release is needed",
        "The match needs another release of the service than the one that was asked; try again.",
    ),
    DatabaseFault: Row(
        503,
        "unavailable",
        "Not available",
        "The store can't do its work; what you sent may or may not have been done. Send it again.",
    ),
}

_EVIDENCE: Final = "evidence"  # where an error carries what was signed about it

_SAME: Final[Mapping[type[Exception], type[Exception]]] = {
    decide.DecisionClosed: DecisionClosed,
    decide.OfferGone: OfferGone,
    decide.GroupClosed: DealGroupClosed,
    DatabaseBusy: DatabaseFault,
    DatabaseContended: DatabaseFault,
    DatabaseFull: DatabaseFault,
    UnknownSchema: OtherRelease,
}

CODES: Final[Mapping[str, Row]] = {row.code: row for row in ROWS.values()}


def row_of(error: BaseException) -> Row:
    """The row of the error's class or of the nearest class above it; without one, `internal`."""
    for kind in type(error).__mro__:
        kind = _SAME.get(kind, kind)
        if kind in ROWS:
            return ROWS[kind]
    return ROWS[Internal]


def body_of(error: BaseException) -> Problem:
    row = row_of(error)
    decision = error.decision if isinstance(error, Refusal) else None
    return Problem(
        type=f"/problems/{row.code}",
        title=row.title,
        status=row.status,
        detail=row.detail,
        code=row.code,
        errors=faults_of(error),
        decision=decision,
        evidence=vars(error).get(_EVIDENCE),
    )


def attach(error: Exception, evidence: Any) -> Exception:
    """The same error, told with what was signed about it."""
    vars(error)[_EVIDENCE] = evidence
    return error


def headers_of(error: BaseException) -> tuple[tuple[bytes, bytes], ...]:
    own = error.headers if isinstance(error, Refusal) else ()
    match row_of(error).status:
        case 401:
            return (*own, (b"www-authenticate", b'Bearer realm="plyscribe"'))
        case 503:
            return (*own, (b"retry-after", b"1"))
        case _:
            return own


def faults_of(error: BaseException) -> tuple[Fault, ...]:
    """What is wrong, where that is known."""
    match error:
        case Refusal():
            return error.faults
        case decide.Refused(member=member, why=why) if why:
            return (Fault(member, row_of(error).code, why),)
        case IllegalMove():
            # The type is the caller's own word, and all that may be said.
            return (Fault("/move", "move-not-offered", f"type {error.kind[:64]}"),)
        case OptionsRefused(pointer=pointer, reason=reason):
            pointer = pointer if pointer == "/seats" else f"/options{pointer}"
            return (Fault(pointer, "options-refused", reason),)
        case _:
            return ()
