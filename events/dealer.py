"""Who draws: picks and answer salts from the secret seed of a match, reproducible once revealed."""

import hashlib
from collections.abc import Iterator
from copy import copy
from hmac import digest as hmac
from typing import Protocol, TypeAlias

from events.canonical import canonical, digest, prefixed
from events.chain import id_bytes, keyed
from games.core.chance import ALGORITHM, draw
from games.core.moves import Offer, wire_offer

SEED_BYTES = 32

Contributions: TypeAlias = tuple[str | None, ...]


class Dealer(Protocol):
    """Draws for one match."""

    def places(self, label: str, offer: Offer, redraw: int = 0) -> tuple[int, ...]:
        """The places of the options drawn."""

    def answer_salt(self, match_id: str, decision: str) -> bytes:
        """The salt under which the answer to a sealed decision is committed to; 32 bytes.

        It is bound to the match: the matches of a deal group share the seed, and an opening at one
        table must open nothing at another.
        """

    def seed(self) -> bytes:
        """The secret, for the reveal."""

    def of(self, contributions: Contributions) -> "Dealer":
        """The dealer once the seats have put that into the seed (hex by seat, or none)."""


class SeedDealer:
    """Draws from a secret seed of 32 bytes."""

    def __init__(self, seed: bytes, contributions: Contributions = ()) -> None:
        self._seed = seed
        self._contributions = contributions
        self._match_seed = match_seed(seed, contributions)
        self._mixed: SeedDealer | None = None

    def places(self, label: str, offer: Offer, redraw: int = 0) -> tuple[int, ...]:
        return draw(offer, words(self._match_seed, label, offer, redraw))

    def answer_salt(self, match_id: str, decision: str) -> bytes:
        bound = prefixed("plyscribe/answer/1", id_bytes(match_id), decision)
        return keyed(self._match_seed, bound)

    def seed(self) -> bytes:
        return self._seed

    def of(self, contributions: Contributions) -> "SeedDealer":
        if contributions == self._contributions:
            return self
        if self._mixed is None or self._mixed._contributions != contributions:
            self._mixed = copy(self)
            self._mixed._contributions = contributions
            self._mixed._match_seed = match_seed(self._seed, contributions)
        return self._mixed


def commitment(seed: bytes, bound_to: bytes) -> bytes:
    """What event 1 publishes: SHA-256 over the seed and the match (or deal group) id, 16 bytes."""
    return hashlib.sha256(b"plyscribe/seed/1" + bound_to + seed).digest()


def match_seed(seed: bytes, contributions: Contributions = ()) -> bytes:
    """The seed mixed with what the seats contribute: by seat in hex, or nothing at all."""
    return hmac(seed, b"plyscribe/match-seed/1" + canonical(contributions), "sha256")


def offer_digest(offer: Offer) -> bytes:
    return digest(wire_offer(offer))


def words(key: bytes, label: str, offer: Offer, redraw: int) -> Iterator[int]:
    """The endless stream of 16-bit words of one draw: block i is one HMAC-SHA256."""
    start = prefixed("plyscribe/stream/1", ALGORITHM, label, redraw, offer_digest(offer))
    block = 0
    while True:
        data = hmac(key, start + prefixed(block), "sha256")
        for place in range(0, 32, 2):
            yield data[place] << 8 | data[place + 1]
        block += 1


def answer_commitment(salt: bytes, move: bytes) -> bytes:
    """Commits to a sealed answer; `move` is its canonical JSON as the log holds it."""
    return hmac(salt, move, "sha256")
