"""Why a match does not accept a command; the doors have a problem type for each."""


class Refused(Exception):
    """A command the match does not accept. `why` may say more than the kind does, of what everybody
    sees who may send the command; `member` is the part of the request that it is about.
    """

    def __init__(self, member: str = "", why: str = "") -> None:
        super().__init__(*filter(None, (member, why)))
        self.member = member
        self.why = why


class MatchNotRunning(Refused):
    """Moves and resignations need a running match."""


class MatchUnderReview(Refused):
    """A dispute holds the play until an arbiter has ruled."""


class MatchIsPaused(Refused):
    """An arbiter stopped the play, and has not let it go on."""


class MatchNotPaused(Refused):
    """Only what is paused is resumed."""


class FlagHasFallen(Refused):
    """The time of the seat for this decision was over when its answer came in."""


class FlagDue(Exception):
    """No refusal: before this a flag has to fall whose time was over at `over` (ms)."""

    def __init__(self, over: int) -> None:
        super().__init__(over)
        self.over = over


class NoClock(Refused):
    """The match has no clocks."""


class MatchRevealedAlready(Refused):
    """Everything is open: nothing can be played again, or looked at in secret."""


class AlreadyResigned(Refused):
    """A seat resigns once, and plays no more: its fallback does."""


class DecisionClosed(Refused):
    """The decision is not open for this seat."""


class GroupClosed(Refused):
    """The closing time of the match's deal group has come."""


class MatchIsClosed(Refused):
    """The closing time of the match itself has come."""


class NoAgreedDraw(Refused):
    """The seats of this match can't agree on a draw."""


class DrawClosed(Refused):
    """That offer does not wait for this seat's answer; an offer is made once between two steps."""


class SeatingNotOpen(Refused):
    """The seats of the match can't be claimed yet."""


class StartNotDue(Refused):
    """The match does not start that early."""


class NoStandInDue(Refused):
    """Nobody may take this seat in place of who holds it."""


class GroupMatchOver(Refused):
    """A match of a deal group that is over stays over: others of the group may rest on it."""


class TakebackImpossible(Refused):
    """Not the seat's own last move, or one by which somebody may have learnt something."""


class TakebackClosed(Refused):
    """That takeback does not wait for this seat's answer; a move is asked for once only."""


class DisputeNotFound(Refused):
    """The match has no such dispute."""


class DisputeOpenAlready(Refused):
    """Who has an unsettled dispute can't open another."""


class DisputesExhausted(Refused):
    """The match has as many disputes as one may have."""


class WrongStage(Refused):
    """The dispute is not where this is possible."""


class RulingImpossible(Refused):
    """The match can't be changed that way."""


class TextNotFound(Refused):
    """There is no text at that place, as far as the public can tell."""


class MatchAlreadyStarted(Refused):
    """Seats change hands and a match starts before the start only."""


class MatchEndedAlready(Refused):
    """A match that is over can't be cancelled."""


class SeatTaken(Refused):
    """The seat is claimed."""


class SeatFree(Refused):
    """The seat is not claimed."""


class SeatsUnclaimed(Refused):
    """A match starts when every seat is claimed."""


class OfferGone(Refused):
    """The decision is open, the move is offered no more; events were applied since it opened."""


class MoveUnsigned(Refused):
    """A seat with a key signs what it does; one without has nothing to sign with."""


class NoEntropy(Refused):
    """Seats put nothing into the seed of this match."""


class EntropyIsClosed(Refused):
    """What the seat puts into the seed is fixed."""


class EntropyAwaited(Refused):
    """First every seat has to say what it puts into the seed."""


class OpeningWrong(Refused):
    """It is not what the seat committed to."""
