"""A dealer that knows no seed: what a log says was drawn is what it deals."""

from events.dealer import SEED_BYTES, Contributions
from events.types import ChanceDrawn, Event, MatchRevealed
from games.core.moves import Offer


class Echo:
    """In place of a dealer while the seed is unknown: it believes the picks of the log."""

    def __init__(self) -> None:
        self.event: Event | None = None
        self.was_asked_for_a_salt = False

    def places(self, label: str, offer: Offer, redraw: int = 0) -> tuple[int, ...]:
        return self.event.picks if isinstance(self.event, ChanceDrawn) else ()

    def answer_salt(self, match_id: str, decision: str) -> bytes:
        self.was_asked_for_a_salt = True
        return bytes(SEED_BYTES)

    def seed(self) -> bytes:
        return bytes.fromhex(self.event.seed) if isinstance(self.event, MatchRevealed) else b""

    def of(self, contributions: Contributions) -> "Echo":
        return self
