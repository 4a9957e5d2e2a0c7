"""Matches brought to where something is asked."""

from random import Random
from typing import Any

from tests.service.client import Table, answer, decision_of, random_move
from tests.service.conftest import Door


async def choosing(door: Door, table: Table) -> None:
    """High card: play on until all seats choose a card at once."""
    shown = await decision_of(door.http, table, 0)
    move = random_move(shown["decision"]["offers"], Random(1))
    done = await answer(door.http, table, 0, shown["decision"]["id"], move)
    assert done.status_code == 200, done.text


async def choice(door: Door, table: Table, seat: int, place: int = 0) -> tuple[str, dict[str, Any]]:
    """High card: the seat's open decision and one of its two cards."""
    own = (await decision_of(door.http, table, seat))["decision"]
    card = own["offers"][0]["fields"]["card"]["options"][place]
    return own["id"], {"type": "choose", "card": card}


async def begun(
    door: Door, slug: str, seats: int, moves: int, **more: Any
) -> tuple[Table, dict[str, Any]]:
    """A running match in which so many answers were given, and its last seat's view before them.

    Some draws of a solitaire maze end it after one answer: such matches are left behind.
    """
    for _ in range(50):
        table = await door.table(slug, seats=seats, **more)
        first = (await door.get(table.path + "/view", table.tokens[-1])).json()
        await _played(door, table, moves)
        if (await door.get(table.path)).json()["status"] == "running":
            return table, first
    raise AssertionError(f"all were over after {moves} answers")


async def _played(door: Door, table: Table, moves: int) -> None:
    rng = Random(table.match_id[-1])
    for _ in range(moves):
        for seat in range(len(table.tokens)):
            own = (await decision_of(door.http, table, seat))["decision"]
            if own is not None and own["id"] is not None:
                move = random_move(own["offers"], rng)
                done = await answer(door.http, table, seat, own["id"], move)
                assert done.status_code == 200, done.text
                break
