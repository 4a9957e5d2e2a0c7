"""Refusals of the feed and of the log of all matches; each with what it answers with."""

from collections.abc import Mapping
from typing import Final

from service.refusal import Refusal, Row


class PositionNotFound(Refusal):
    """Beyond the last position of the feed, or the last that is signed."""


class ProofNotReady(Refusal):
    """The match is not over for this caller, or its end is not in a signed checkpoint yet."""


ROWS: Final[Mapping[type[Exception], Row]] = {
    PositionNotFound: Row(
        404, "position-not-found", "No such position", "The feed has not come to this position."
    ),
    ProofNotReady: Row(
        409,
        "proof-not-ready",
        "The proof is not ready",
        "The match is not over, or the log has no signed checkpoint yet that holds its end.",
    ),
}
