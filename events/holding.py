"""Who holds a seat: with a claim comes a key of its own, with a release all of it goes."""

from typing import TYPE_CHECKING

from msgspec.structs import replace

from events.entropy import put, without
from events.types import SeatClaimed, SeatReleased

if TYPE_CHECKING:
    from events.match import Match


def seated(current: "Match", event: SeatClaimed | SeatReleased) -> "Match":
    """Whoever takes a seat brings a key of its own, and puts into the seed what it wants."""
    seat = event.seat
    holder, key = (event.holder, event.key) if isinstance(event, SeatClaimed) else (None, None)
    entropy = current.entropy
    return replace(
        current,
        version=event.version,
        holders=put(current.holders, seat, holder),
        keys=put(current.keys, seat, key),
        entropy=None if entropy is None else without(entropy, seat),
    )
