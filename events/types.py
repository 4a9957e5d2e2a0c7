"""The events of a match, their stored form, and the values they carry.

A body is the canonical JSON of an event, without the fields that have their default value: so a
field added later, with a default, changes no byte of an old log, and a release that does not know
it refuses an event that has it. Defaults are never changed, fields never renamed or reused; a
changed shape gets a higher `schema` and an upcaster in events/schema.py.
"""

from typing import TypeAlias

import msgspec
from msgspec import Raw

from events.agreed import Agreed as Agreed
from events.attended import Attended as Attended
from events.clocks import Clock
from events.envelope import Envelope as _Event
from events.rulings import Ruling
from events.scheduling import Schedule
from events.signatures import SeatSignature as SeatSignature
from events.signatures import SeenSignature as SeenSignature
from events.timed import Timed as Timed
from events.words import DONE as DONE
from events.words import HELD as HELD
from events.words import LIVE as LIVE
from events.words import UNFINISHED as UNFINISHED
from events.words import UNSTARTED as UNSTARTED
from events.words import By as By
from events.words import Closing as Closing
from events.words import Start as Start
from events.words import Status as Status
from events.words import Terminal as Terminal

FORMAT = 1  # of the log; bound into the hash before event 1


class Outcome(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """By seat. Rank 1 is best, ties share a rank; scores are None where the game gave none."""

    terminal: Terminal
    ranks: tuple[int, ...]
    scores: tuple[int, ...] | None
    note: str


class MatchCreated(_Event, frozen=True, kw_only=True):
    """Everything pinned for life. `options` are whole, defaults filled in.

    `window` (ms) is how long after the end disputes keep the reveal waiting, if `reveal` is
    "after_window".
    """

    format: int
    match_id: str
    game: str
    rules_version: int
    options: Raw
    seats: int
    data_digest: str
    seed_commitment: str
    algorithm: str
    start: Start
    reveal: str
    reveal_by: int | None
    deal_group: str | None
    steerable: str | None
    window: int | None = None
    closes_at: int | None = None  # of the match or its deal group, like `closing`
    closing: Closing | None = None
    clock: Clock | None = None
    schedule: Schedule | None = None
    agreed_draw: bool = False  # seats may agree on one
    test: bool = False  # made in a sandbox, to rehearse


class SeatClaimed(_Event, frozen=True, kw_only=True):
    """`holder` is a pseudonym; who it stands for lies outside the log.

    With a `key` (Ed25519, base64url) all that the seat does carries its signature.
    """

    seat: int
    holder: str
    key: str | None = None


class SeatReleased(_Event, frozen=True, kw_only=True):
    seat: int


class EntropyCommitted(_Event, frozen=True, kw_only=True):
    """What the seat is going to put into the seed, committed to (hex); None is nothing."""

    seat: int
    commitment: str | None


class EntropyClosed(_Event, frozen=True, kw_only=True):
    """Every seat has said what it commits to; nobody changes it any more."""


class EntropyOpened(_Event, frozen=True, kw_only=True):
    """`opening` (hex) is what the seat puts into the seed."""

    seat: int
    opening: str


class MatchStarted(_Event, frozen=True, kw_only=True):
    pass


class PositionSet(_Event, frozen=True, kw_only=True):
    """For tests alone: opens a match from a position instead of MatchStarted. No door makes one."""

    state: Raw


class ChanceDrawn(_Event, frozen=True, kw_only=True):
    """`offer` is the digest of the canonical offer, `options` how many it had, `picks` places."""

    label: str
    redraw: int = 0
    options: int
    offer: str
    picks: tuple[int, ...]


class MovePlayed(_Event, frozen=True, kw_only=True):
    """`decision` is None for an aside. A Text in `move` is HMAC-SHA256(its salt, text) in hex.

    `sealed` (hex) commits to an answer to a sealed decision that the public does not see whole.
    `arrived` (ms) is when a seat's answer came in, where there are clocks.
    """

    seat: int
    decision: str | None
    move: Raw
    by: By = By.SEAT
    sealed: str | None = None
    signed: SeatSignature | None = None
    arrived: int | None = None


class SeatResigned(_Event, frozen=True, kw_only=True):
    seat: int
    signed: SeatSignature | None = None


class MatchEnded(_Event, frozen=True, kw_only=True):
    outcome: Outcome


class MatchCancelled(_Event, frozen=True, kw_only=True):
    pass


class MatchClosed(_Event, frozen=True, kw_only=True):
    """The closing time came; or an arbiter closed the deal group `early`."""

    early: bool = False


class MatchRevealed(_Event, frozen=True, kw_only=True):
    """Opens the seed; from here on salts and the whole log are open to all who see the match."""

    seed: str


class SeatTokenIssued(_Event, frozen=True, kw_only=True):
    """A new token plays the seat; older ones work no more. Not with a claim, which says as much."""

    seat: int


class SeatTokensRevoked(_Event, frozen=True, kw_only=True):
    """The tokens of the seat work no more."""

    seat: int


class TakebackAsked(_Event, frozen=True, kw_only=True):
    """The seat wants its last move back, the one of version `move`."""

    seat: int
    move: int


class TakebackAnswered(_Event, frozen=True, kw_only=True):
    """`takeback` is the version that asked. One refusal ends it, the last consent grants it."""

    seat: int
    takeback: int
    consents: bool


class MatchRewound(_Event, frozen=True, kw_only=True):
    """The play goes on from the position after event `to`.

    What came since stays in the log, as do seats, disputes and redraw counts. `cause` is the
    version of the ruling, or of the takeback that was granted.
    """

    to: int
    cause: int


class DisputeOpened(_Event, frozen=True, kw_only=True):
    """A claim about event `about`, by a seat or by an arbiter (a pseudonym).

    `claim` is the digest of a text that lies beside the log, as that of a Text in a move.
    """

    seat: int | None
    arbiter: str | None
    about: int
    claim: str


class ReviewStarted(_Event, frozen=True, kw_only=True):
    """`dispute` is the version that opened it. With `pause` nobody moves until the ruling."""

    dispute: int
    arbiter: str
    pause: bool


class DisputeRuled(_Event, frozen=True, kw_only=True):
    """`reason` is the digest of a text that lies beside the log."""

    dispute: int
    arbiter: str
    ruling: Ruling
    reason: str


class DisputeAppealed(_Event, frozen=True, kw_only=True):
    """Once, by a seat; `reason` is the digest of a text that lies beside the log."""

    dispute: int
    seat: int
    reason: str


class DisputeClosed(_Event, frozen=True, kw_only=True):
    """By the arbiter once it is ruled, or by the seat that opened it: withdrawn."""

    dispute: int
    seat: int | None
    arbiter: str | None


class LookTaken(_Event, frozen=True, kw_only=True):
    """An arbiter looked at what the seat (None: everybody together) sees after event `through`."""

    arbiter: str
    seat: int | None
    through: int


class Erased(_Event, frozen=True, kw_only=True):
    """Deleted are the text `field` of event `of`, or all by `seat` so far, or what it said while
    `holder` had it. `hidden`: the public saw no text there, so nobody is told what was meant.
    """

    of: int | None = None
    field: str | None = None
    seat: int | None = None
    holder: str | None = None
    hidden: bool = False


Takeback: TypeAlias = TakebackAsked | TakebackAnswered
Dispute: TypeAlias = DisputeOpened | ReviewStarted | DisputeRuled | DisputeAppealed | DisputeClosed
Watched: TypeAlias = SeatTokenIssued | SeatTokensRevoked | LookTaken

Event: TypeAlias = (
    MatchCreated
    | SeatClaimed
    | SeatReleased
    | MatchStarted
    | PositionSet
    | ChanceDrawn
    | MovePlayed
    | SeatResigned
    | MatchEnded
    | MatchCancelled
    | MatchClosed
    | MatchRevealed
    | EntropyCommitted
    | EntropyClosed
    | EntropyOpened
    | MatchRewound
    | Takeback
    | Dispute
    | Watched
    | Timed
    | Attended
    | Agreed
    | Erased
)


class Reveal(msgspec.Struct, frozen=True, omit_defaults=True):
    """An earlier sealed answer opened: HMAC-SHA256(salt, canonical move) is what it committed to.

    `decision` and `salt` (hex) are None if nothing committed to the answer: it was never hidden
    from the public, or lies before the log (a set position).
    """

    seat: int
    move: Raw
    decision: str | None = None
    salt: str | None = None


class Observation(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One event for one viewer; never changes until the reveal.

    `move` has null at every hidden place and is null if its type is hidden. `sealed` (hex) commits
    to a hidden answer. `data` holds the public content of an event that is not a step of the game.
    """

    version: int
    kind: str
    at: int
    asks: tuple[int, ...] = ()
    seat: int | None = None
    decision: str | None = None
    by: By | None = None
    label: str | None = None
    redraw: int | None = None
    move: Raw | None = None
    sealed: str | None = None
    signed: SeenSignature | None = None
    reveals: tuple[Reveal, ...] = ()
    data: Raw | None = None
    arrived: int | None = None


class Record(msgspec.Struct, frozen=True):
    """An event as stored. `kind`, `schema`, `version`, `at` are copies of what the body says.

    `facets` are the commitments, 32 bytes each: public, seat 0 … n-1, full.
    """

    version: int
    kind: str
    schema: int
    at: int
    body: bytes
    salt: bytes
    facets: bytes
    hash: bytes


class TextRow(msgspec.Struct, frozen=True):
    """A free text kept outside the log, so that it can be erased without touching it."""

    version: int
    field: str
    salt: bytes
    text: str


def kind_of(event: Event) -> str:
    return str(event.__struct_config__.tag)
