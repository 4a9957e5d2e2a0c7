"""Decisions in the form this game uses: one seat is asked, and everybody may talk."""

from collections.abc import Mapping
from functools import cache
from typing import Final

from games.ambition_characters.moves import Speak
from games.ambition_characters.state import State
from games.core.game import Decision
from games.core.moves import Offer, Text, offer

TALK: Final = (offer(Speak, text=Text(280)),)


def ask(state: State, kind: str, seat: int, *offers: Offer) -> Decision:
    return Decision(kind, {seat: offers}, asides=asides(state))


def asides(state: State) -> Mapping[int, tuple[Offer, ...]]:
    """Rules: AC-90, AC-91."""
    return _talk(len(state.coins) if state.options.table_talk else 0)


@cache
def _talk(seats: int) -> Mapping[int, tuple[Offer, ...]]:
    return dict.fromkeys(range(seats), TALK)
