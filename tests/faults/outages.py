"""What clients are told while the database is away."""

import asyncio

import httpx

from tests.faults.players import GAME, Ask, give
from tests.faults.serving import KEY
from tests.service.client import Table, bearer


async def assert_told(http: httpx.AsyncClient, table: Table, ask: Ask) -> None:
    """What needs the database says when to come again; what does not is as ever."""
    assert (await http.get("/livez")).status_code == 200
    seat, spectator = bearer(table.tokens[ask.seat]), bearer(KEY)
    answers = await asyncio.gather(
        http.get("/readyz"),
        http.get(table.path + "/view", headers=seat),
        http.get(table.path + "/events", headers=spectator),
        http.post("/v1/matches", json={"game": GAME, "seats": 4}, headers=spectator),
        give(http, table, ask),
    )
    for answer in answers:
        assert_unavailable(answer)


def assert_unavailable(answer: httpx.Response) -> None:
    assert answer.status_code == 503, f"{answer.status_code} instead of 503: {answer.text}"
    assert answer.headers["content-type"] == "application/problem+json"
    assert int(answer.headers["retry-after"]) > 0
    assert answer.json()["code"] == "unavailable"
