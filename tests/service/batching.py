"""Batches of high card, and how they are played."""

from collections.abc import Sequence
from typing import Any

from tests.service.client import Table, bearer, play_out
from tests.service.conftest import Door

Json = dict[str, Any]

BATCHES = "/v1/batches"


def wanted(*tables: Sequence[str | None], **more: Any) -> Json:
    """The body of a batch with a match for each list of entrants."""
    matches = [{"seats": [{"external_id": name} for name in table]} for table in tables]
    return {"defaults": {"game": "high_card"}, "matches": matches, **more}


async def batched(door: Door, *tables: Sequence[str | None], **more: Any) -> Json:
    made = await door.post(BATCHES, json=wanted(*tables, **more))
    assert made.status_code == 201, made.text
    batch: Json = made.json()
    return batch


async def seated(door: Door, match: Json) -> Table:
    """A match of a new batch whose seats are claimed by their links."""
    tokens = [each["link"]["token"] for each in match["seats"]]
    for seat, token in enumerate(tokens):
        path = f"/v1/matches/{match['match_id']}/seats/{seat}/claim"
        got = await door.http.post(path, headers=bearer(token))
        assert got.status_code == 200, got.text
        assert got.json()["token"] is None
    return Table(match["match_id"], tuple(tokens))


async def finished(door: Door, match: Json, seed: int = 1) -> Table:
    table = await seated(door, match)
    await play_out(door.http, table, seed)
    return table
