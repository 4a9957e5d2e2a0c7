"""High card as if it were installed."""

from games import registry
from tests.games import high_card

SLUG = "high_card"


def install() -> None:
    registry._entries().setdefault(SLUG, registry._admitted(high_card))
