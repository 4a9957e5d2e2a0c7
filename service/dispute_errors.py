"""What disputes, takebacks, clocks, erasures are refused with: rows of the table of errors."""

from collections.abc import Mapping
from typing import Final

from events import refusals
from service import clock_errors, schedule_errors
from service.refusal import Refusal, Row


class ArbiterIsParty(Refusal):
    """Who holds, held or may claim a seat of a match, or of its deal group, can't arbitrate it."""


ROWS: Final[Mapping[type[Exception], Row]] = {
    **clock_errors.ROWS,
    **schedule_errors.ROWS,
    ArbiterIsParty: Row(
        403,
        "arbiter-is-party",
        "A party can't arbitrate",
        "Who holds, held or may claim a seat of the match or its deal group can't arbitrate it.",
    ),
    refusals.DisputeNotFound: Row(
        404, "dispute-not-found", "No such dispute", "The match has no such dispute."
    ),
    refusals.TextNotFound: Row(
        404, "text-not-found", "No such text", "There is no text at that place that you may see."
    ),
    refusals.MatchUnderReview: Row(
        409,
        "match-under-review",
        "The match is under review",
        "A dispute holds the play until an arbiter has ruled.",
    ),
    refusals.MatchRevealedAlready: Row(
        409,
        "match-revealed",
        "The match is revealed",
        "Nothing is hidden any more, so this is not possible.",
    ),
    refusals.GroupMatchOver: Row(
        409,
        "deal-group-match-over",
        "The match is over",
        "A match of a deal group that is over is not played on: the others may rest on its end.",
    ),
    refusals.TakebackImpossible: Row(
        409,
        "takeback-impossible",
        "The move can't be taken back",
        "Only your own last move is taken back, if nobody can have learnt anything by it.",
    ),
    refusals.TakebackClosed: Row(
        409,
        "takeback-closed",
        "The takeback is closed",
        "This takeback does not wait for your answer, or was asked for before.",
    ),
    refusals.DisputeOpenAlready: Row(
        409,
        "dispute-open",
        "A dispute is open",
        "You have a dispute that is not ruled on yet.",
    ),
    refusals.DisputesExhausted: Row(
        409, "disputes-exhausted", "Too many disputes", "The match takes no further dispute."
    ),
    refusals.WrongStage: Row(
        409,
        "dispute-stage",
        "Not at this stage",
        "The dispute is not at the stage where this is possible.",
    ),
    refusals.RulingImpossible: Row(
        409,
        "ruling-impossible",
        "Not possible in this match",
        "The match can't be changed or looked at in this way.",
    ),
}
