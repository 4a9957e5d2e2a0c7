"""A client that knows no game: it plays whatever is on offer, uniformly over offers and picks."""

import asyncio
from dataclasses import dataclass
from random import Random
from typing import Any

import httpx

Json = dict[str, Any]

RUNNING = ("seating", "running")


@dataclass(frozen=True)
class Table:
    """A match somebody created, with the token of each seat."""

    match_id: str
    tokens: tuple[str, ...]

    @property
    def path(self) -> str:
        return f"/v1/matches/{self.match_id}"


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


async def create(http: httpx.AsyncClient, key: str, game: str, seats: int, **more: Any) -> str:
    """The id of a new match."""
    body = {"game": game, "seats": seats, **more}
    made = await http.post("/v1/matches", json=body, headers=bearer(key))
    assert made.status_code == 201, made.text
    match_id: str = made.json()["match_id"]
    return match_id


async def seat_all(http: httpx.AsyncClient, key: str, match_id: str, seats: int) -> Table:
    """Claims every seat; a match with automatic start runs afterwards."""
    tokens = []
    for seat in range(seats):
        path = f"/v1/matches/{match_id}/seats/{seat}/claim"
        claimed = await http.post(path, headers=bearer(key))
        assert claimed.status_code == 200, claimed.text
        tokens.append(claimed.json()["token"])
    return Table(match_id, tuple(tokens))


async def open_table(
    http: httpx.AsyncClient, key: str, game: str, seats: int, **more: Any
) -> Table:
    match_id = await create(http, key, game, seats, **more)
    return await seat_all(http, key, match_id, seats)


def random_move(offers: list[Json], rng: Random) -> Json:
    """A move that fills one of the offers."""
    offer = rng.choice(offers)
    fields = {name: _filled(field, rng) for name, field in offer["fields"].items()}
    return {"type": offer["type"], **fields}


async def moves_page(http: httpx.AsyncClient, table: Table, seat: int, **params: Any) -> Json:
    path, headers = table.path + "/decision/moves", bearer(table.tokens[seat])
    got = await http.get(path, params={"limit": 1000, **params}, headers=headers)
    assert got.status_code == 200, got.text
    page: Json = got.json()
    return page


async def decision_of(http: httpx.AsyncClient, table: Table, seat: int) -> Json:
    """What `GET /decision` says to the seat."""
    got = await http.get(table.path + "/decision", headers=bearer(table.tokens[seat]))
    assert got.status_code == 200, got.text
    shown: Json = got.json()
    return shown


async def answer(
    http: httpx.AsyncClient, table: Table, seat: int, decision: str | None, move: Json
) -> httpx.Response:
    body = {"decision": decision, "move": move}
    return await http.post(table.path + "/moves", json=body, headers=bearer(table.tokens[seat]))


async def play_seat(
    http: httpx.AsyncClient, table: Table, seat: int, rng: Random, *, wait: int = 10
) -> int:
    """Play until the match is over; how many moves this seat made."""
    made = 0
    while True:
        shown = await decision_of(http, table, seat)
        if shown["status"] not in RUNNING:
            return made
        own = shown["decision"]
        if own is not None and own["id"] is not None:
            move = random_move(own["offers"], rng)
            done = await answer(http, table, seat, own["id"], move)
            assert done.status_code in (200, 409), done.text
            made += done.status_code == 200
            continue
        params = {"after": shown["version"], "wait": wait}
        headers = bearer(table.tokens[seat])
        news = await http.get(table.path + "/events", params=params, headers=headers)
        assert news.status_code == 200, news.text


async def play_out(http: httpx.AsyncClient, table: Table, seed: int) -> Json:
    """Every seat played by a client of its own at the same time; the match afterwards."""
    seats = range(len(table.tokens))
    await asyncio.gather(*(play_seat(http, table, s, Random(seed * 100 + s)) for s in seats))
    view = await http.get(table.path + "/view", headers=bearer(table.tokens[0]))
    shown: Json = view.json()
    return shown


def _filled(field: Json, rng: Random) -> Any:
    if "text" in field:
        return "".join(rng.choices("abcdef", k=min(8, field["text"]["most"])))
    if "low" in field:
        return rng.randint(field["low"], field["high"])
    options, least, most = field["options"], field["least"], field["most"]
    if not field["list"]:
        return rng.choice([*options, *([None] if least == 0 else [])])
    k = rng.randint(least, most if field["repeats"] else min(most, len(options)))
    return rng.choices(options, k=k) if field["repeats"] else rng.sample(options, k)
