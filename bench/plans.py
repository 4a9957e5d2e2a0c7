"""Matches whose moves are known before the clock starts: the load client must cost next to nothing.

Each match is created and seated over HTTP. Its seed is opened with the server's key, and the match
is played ahead in this process: the server will draw the same, so its decisions have the same ids.
What was played is counted in the database: as many rows as were acknowledged.
"""

import re
from asyncio import gather
from random import Random
from typing import Any, Final

import httpx
import msgspec
from sqlalchemy import func, select

from bench.connections import Tally, drive, request
from events.database import Database
from events.dealer import Dealer, SeedDealer
from events.decide import PlayMove, decide
from events.match import Match, fold
from events.store import Store
from events.tables import EVENT
from games import registry
from games.core.moves import sample, wire_move
from service.cli.configuration import configured
from service.cli.demo.server import Server
from service.vault import unlocked

Plan = list[bytes]  # the requests of one match, in order
SIMPLEST: Final = "ambition_tricks"
LARGEST: Final = "star_realms"
LONGEST: Final = "ambition_characters"  # of random matches, so it takes fewest for as many moves
ENDLESS: Final = 2**31
_ENDLESS_SECONDS: Final = 3_600.0

_PATH = re.compile(rb"POST (\S+)/moves ")
_TOKEN = re.compile(rb"Bearer (\S+)")


async def plans(
    server: Server, count: int, seed: str, game: str = LONGEST, events: int = ENDLESS
) -> list[Plan]:
    """So many matches of the game's first trial, ready to be played until they have `events`."""
    seated = _seated(server, count, game)
    settings = configured(data_dir=server.data_dir, database_url=server.database_url)
    vault = unlocked(settings)
    database = await Database.open(server.database_url, read_only=True)
    try:
        store, made = Store(database), []
        for number, (match_id, tokens) in enumerate(seated):
            secret = await store.secret(match_id)
            current = fold(await store.records(match_id))
            assert secret is not None
            assert current is not None
            dealer = SeedDealer(vault.open(match_id, secret.ciphertext))
            rng = Random(f"{seed}/{number}")
            made.append(_played_ahead(current, tokens, dealer, rng, events))
        return made
    finally:
        await database.close()


def path_of(plan: Plan) -> str:
    """The match's, as `/v1/matches/{id}`."""
    found = _PATH.match(plan[0])
    assert found is not None
    return found[1].decode()


def tokens_of(plan: Plan) -> list[str]:
    """The seats' whose moves it has, in the order of their first."""
    return list(dict.fromkeys(_TOKEN.findall(each)[0].decode() for each in plan))


async def counted(
    server: Server, ready: list[Plan], connections: int, seconds: float
) -> tuple[Tally, dict[str, float]]:
    """Drives the plans; beside the tally, how many moves were acknowledged and how many are astray.

    Astray are rows that are there without having been acknowledged, or the other way round.
    """
    before = await played_rows(server.database_url)
    tally = await drive(server.url, ready, connections, seconds)
    stored = await played_rows(server.database_url) - before
    return tally, kept(len(tally.latencies), stored)


async def played_out(server: Server, ready: list[Plan]) -> dict[str, float]:
    """Plays all plans to their end, each over a connection of its own; what is kept, as above."""
    before = await played_rows(server.database_url)
    tallies = await gather(*(drive(server.url, [plan], 1, _ENDLESS_SECONDS) for plan in ready))
    stored = await played_rows(server.database_url) - before
    return kept(sum(len(each.latencies) for each in tallies), stored)


def kept(acknowledged: int, stored: int) -> dict[str, float]:
    return {"acknowledged": acknowledged, "astray": abs(stored - acknowledged)}


async def played_rows(url: str) -> int:
    """How many answers to decisions are stored."""
    query = select(func.count()).select_from(EVENT).where(EVENT.c.kind == "move_played")
    database = await Database.open(url, read_only=True)
    try:
        return await database.read(lambda connection: connection.execute(query).scalar_one())
    finally:
        await database.close()


def _seated(server: Server, count: int, game: str) -> list[tuple[str, list[str]]]:
    options, seats = registry.game(game).trials[0]
    body = {"game": game, "seats": seats, "options": msgspec.to_builtins(options)}
    headers = {"authorization": f"Bearer {server.key}"}
    made = []
    with httpx.Client(base_url=server.url, headers=headers, trust_env=False, timeout=30) as http:
        for _ in range(count):
            match_id = _posted(http, "/v1/matches", body)["match_id"]
            at = f"/v1/matches/{match_id}/seats"
            tokens = [_posted(http, f"{at}/{seat}/claim", {})["token"] for seat in range(seats)]
            made.append((match_id, tokens))
    return made


def _posted(http: httpx.Client, path: str, body: Any) -> Any:
    return http.post(path, json=body).raise_for_status().json()


def _played_ahead(
    current: Match, tokens: list[str], dealer: Dealer, rng: Random, events: int
) -> Plan:
    path = f"/v1/matches/{current.match_id}/moves"
    plan: Plan = []
    while (decision := current.decision) is not None and current.version < events:
        seat = rng.choice(sorted(decision.offers))
        wire = wire_move(sample(decision.offers[seat], rng))
        name = current.decision_of(seat)
        body = msgspec.json.encode({"decision": name, "move": wire})
        plan.append(request(path, tokens[seat], body))
        current = decide(current, PlayMove(seat, name, wire, bytes(32)), dealer, at=0)[-1].after
    return plan
