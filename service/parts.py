"""What the doors work with: the joined parts of a running service."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from weakref import WeakValueDictionary

from events.append import Secret
from events.batching import CrashPoint
from events.database import Database
from events.dealer import Dealer
from events.match import LogBroken
from events.sealing import Entropy
from events.snapshots import MatchCache
from events.store import Store
from projections.history import History
from projections.news import News
from projections.projection import Encodings
from service.auth import Doorkeeper
from service.clock import Clock as Clock
from service.closer import Closer
from service.feeding import Feeding
from service.flag_watch import FlagWatch
from service.limits import Limits
from service.logs import Logger
from service.notary import Notary
from service.open_times import Answers
from service.past import Past
from service.pauses import Pauses
from service.platforms.reporting import Reporting
from service.presence import Presence
from service.pulse import Pulse
from service.recording import Recording
from service.settings import Settings
from service.signals import Work
from service.signing_keys import SigningKeys
from service.streams import Streams
from service.tilekeeping import Tiles
from service.vault import Vault
from service.webhooks.delivering import Delivering

DealerFactory = Callable[[str, bytes], Dealer]  # (match id, seed)


class Dealers:
    """The dealer of each match, its seed opened when it is first needed."""

    def __init__(self, store: Store, vault: Vault, make: DealerFactory, most: int = 10_000) -> None:
        self._store = store
        self._vault = vault
        self._make = make
        self._most = most
        self._kept: OrderedDict[str, Dealer] = OrderedDict()

    async def of(self, match_id: str) -> Dealer:
        """Its seed is its own, or its deal group's. Raises: VaultLocked, LogBroken."""
        kept = self._kept.get(match_id)
        if kept is not None:
            self._kept.move_to_end(match_id)
            return kept
        secret = await self._store.secret(match_id) or await self._of_group(match_id)
        if secret is None:
            raise LogBroken(1, "the seed is lost")
        return self.keep(match_id, self._vault.open(secret.id, secret.ciphertext))

    def keep(self, match_id: str, seed: bytes) -> Dealer:
        made = self._kept[match_id] = self.new(match_id, seed)
        if len(self._kept) > self._most:
            self._kept.popitem(last=False)
        return made

    def new(self, match_id: str, seed: bytes) -> Dealer:
        return self._make(match_id, seed)

    async def _of_group(self, match_id: str) -> Secret | None:
        row = await self._store.match(match_id)
        return (row and row.deal_group and await self._store.secret(row.deal_group)) or None


@dataclass(frozen=True)
class Parts:
    """`schema` is the revision this program needs.

    `lanes` put the commands of one match in this process in line: they would only
    collide. `swept_at` holds when old answers were last forgotten, `swept_groups`
    how far the running deal groups were last looked through, `pauses` which series rest,
    `answers` are those whose decisions are still to be measured.
    """

    settings: Settings
    database: Database
    schema: str
    store: Store
    cache: MatchCache
    vault: Vault
    dealers: Dealers
    history: History
    encodings: Encodings
    news: News
    past: Past
    doorkeeper: Doorkeeper
    limits: Limits
    streams: Streams
    keys: SigningKeys
    notary: Notary
    feeding: Feeding
    webhooks: Delivering
    reporting: Reporting
    recording: Recording
    closer: Closer
    pulse: Pulse
    presence: Presence
    clock: Clock
    entropy: Entropy
    crash_at: CrashPoint
    log: Logger
    tiles: Tiles = field(default_factory=Tiles)
    flags: FlagWatch = field(default_factory=FlagWatch)
    answers: Answers = field(default_factory=Answers)
    swept_at: list[int] = field(default_factory=lambda: [0])
    swept_groups: list[str | None] = field(default_factory=lambda: [None])
    pauses: Pauses = field(default_factory=lambda: Pauses(Work.SERIES))
    lanes: "WeakValueDictionary[str, asyncio.Lock]" = field(default_factory=WeakValueDictionary)

    @property
    def is_alone(self) -> bool:
        """Nobody does what this process leaves to others, as far as is known here."""
        return not (self.feeding.is_kept and self.pulse.is_heard)

    def lane(self, match_id: str) -> asyncio.Lock:
        lane = self.lanes.get(match_id)
        if lane is None:
            lane = self.lanes[match_id] = asyncio.Lock()
        return lane
