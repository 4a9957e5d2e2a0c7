"""A tiny complete game that lives in the tests only; rules in RULES.md."""

from tests.games.high_card.game import GAME, TABLES, make

__all__ = ["GAME", "TABLES", "make"]
