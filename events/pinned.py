"""Event 1 as a match keeps it for as long as it is at hand."""

from sys import intern
from typing import Any

from msgspec.structs import replace

from events.types import MatchCreated
from games.core.game import Game


def lasting(created: MatchCreated, game: Game[Any, Any]) -> MatchCreated:
    """The same, for as long as the match is at hand: without the body it was read from, and with
    what all matches of a game say alike held once."""
    return replace(
        created,
        options=created.options.copy(),
        game=game.slug,
        data_digest=game.data_digest,
        algorithm=intern(created.algorithm),
    )
