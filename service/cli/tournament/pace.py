"""How large an event is, and how much time its players have."""

from typing import Any, Final

import msgspec


class Pace(msgspec.Struct, frozen=True):
    """Times in ms unless they say otherwise. `bracket` is how many play it, a power of two. `join`
    is how long players may take to come, where that is looked at.
    """

    players: int
    rounds: int
    bracket: int
    duplicate: int
    move: int
    bank: int
    join: int
    turn_limit: int
    group_seconds: int
    kill_every: float
    seconds: float  # before it is given up


FULL: Final = Pace(
    players=64,
    rounds=6,
    bracket=8,
    duplicate=16,
    move=8_000,
    bank=20_000,
    join=20_000,
    turn_limit=12,
    group_seconds=120,
    kill_every=5,
    seconds=3600,
)
QUICK: Final = Pace(
    players=12,
    rounds=2,
    bracket=2,
    duplicate=4,
    move=3_500,
    bank=6_000,
    join=10_000,
    turn_limit=3,
    group_seconds=15,
    kill_every=3,
    seconds=300,
)


def per_move(ms: int, flag: str) -> dict[str, Any]:
    return {"time": {"type": "per_move", "move": ms}, "flag": flag}


def fischer(bank: int, flag: str) -> dict[str, Any]:
    time = {"type": "fischer", "bank": bank, "increment": bank // 20}
    return {"time": time, "flag": flag}
