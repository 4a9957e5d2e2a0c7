"""Matches of high card brought to where something is asked."""

from random import Random
from typing import Any

from tests.service.client import Table, answer, decision_of, random_move
from tests.service.conftest import Door


async def choosing(door: Door, table: Table) -> None:
    """Play on until all seats choose a card at once."""
    shown = await decision_of(door.http, table, 0)
    move = random_move(shown["decision"]["offers"], Random(1))
    done = await answer(door.http, table, 0, shown["decision"]["id"], move)
    assert done.status_code == 200, done.text


async def choice(door: Door, table: Table, seat: int, place: int = 0) -> tuple[str, dict[str, Any]]:
    """The seat's open decision and one of its two cards."""
    own = (await decision_of(door.http, table, seat))["decision"]
    card = own["offers"][0]["fields"]["card"]["options"][place]
    return own["id"], {"type": "choose", "card": card}
