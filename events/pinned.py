"""Events as a match keeps them for as long as it is at hand: event 1, and the last step."""

from functools import lru_cache
from sys import intern
from typing import Any

from msgspec import Raw
from msgspec.structs import force_setattr, replace

from events.types import ChanceDrawn, MatchCreated, MovePlayed
from games.core.game import Game


def lasting(created: MatchCreated, game: Game[Any, Any]) -> MatchCreated:
    """The same, for as long as the match is at hand: without the body it was read from, and with
    what all matches of a game say alike held once."""
    return replace(
        created,
        options=_shared(bytes(created.options)),
        game=game.slug,
        data_digest=game.data_digest,
        **{name: _once(getattr(created, name)) for name in _FEW},
    )


@lru_cache(256)
def _shared(options: bytes) -> Raw:
    """Most matches of a game have the same options."""
    return Raw(options)


def _once(said: str | None) -> str | None:
    return None if said is None else intern(said)


# What is one of a few words.
_FEW = ("algorithm", "reveal", "steerable")


def hold_alone(last: MovePlayed | ChanceDrawn | None) -> None:
    """From now on without the body it was read from. It says the same to all who hold it."""
    if isinstance(last, MovePlayed):
        force_setattr(last, "move", last.move.copy())
