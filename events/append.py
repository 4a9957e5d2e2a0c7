"""What is appended to a match, and the answers an append can get."""

from typing import TypeAlias

import msgspec

from events.erasing import Erasing
from events.types import Record, Status, TextRow


class SeatRow(msgspec.Struct, frozen=True):
    """Who holds a seat; `holder` (the pseudonym in the log) is None when nobody does any more.

    Then the tokens of the seat stop working as well.
    """

    seat: int
    holder: str | None
    account: str | None = None


class Secret(msgspec.Struct, frozen=True):
    """The encrypted seed of a match or of a deal group. One that is stored is kept as it is."""

    id: str
    ciphertext: bytes
    key_id: str


class GameData(msgspec.Struct, frozen=True):
    """A game's component tables by digest."""

    digest: str
    game: str
    tables: bytes


class NewMatch(msgspec.Struct, frozen=True):
    """What is fixed for the life of a match. `listed` says by seat who alone may claim it."""

    org: str
    game: str
    rules_version: int
    seats: int
    data_digest: str
    created_at: int
    external_id: str | None = None
    deal_group: str | None = None
    secret: Secret | None = None
    game_data: GameData | None = None
    listed: tuple[tuple[int, str], ...] = ()


class Append(msgspec.Struct, frozen=True):
    """Events for one match with all that is stored along with them.

    `records` continue `expected_version` and `expected_hash`; a new match has `created` and
    starts from version 0 and its genesis hash. `request` is the hash of what the key stands for.
    A `result` once stored stays when a later append has None. `due_at` (ms) is when
    something follows by the time alone. `erases` goes with an `erased` event.
    """

    match_id: str
    key: str
    request: bytes
    expected_version: int
    expected_hash: bytes
    records: tuple[Record, ...]
    status: Status
    result: bytes | None = None
    texts: tuple[TextRow, ...] = ()
    seats: tuple[SeatRow, ...] = ()
    created: NewMatch | None = None
    due_at: int | None = None
    erases: Erasing | None = None

    @property
    def last(self) -> Record:
        return self.records[-1]


class Appended(msgspec.Struct, frozen=True):
    """Stored and durable. `first` and `last` are versions, `head` the hash of `last`."""

    first: int
    last: int
    head: bytes


class Replayed(msgspec.Struct, frozen=True):
    """The key was used for the same request: its answer, nothing written."""

    first: int
    last: int
    head: bytes


class KeyReused(msgspec.Struct, frozen=True):
    """The key was used for another request."""


class NotFound(msgspec.Struct, frozen=True):
    """There is no such match."""


class Conflict(msgspec.Struct, frozen=True):
    """The match is not where the append expected it: read, decide again, same key."""

    version: int
    head: bytes


Answer: TypeAlias = Appended | Replayed | KeyReused | NotFound | Conflict
