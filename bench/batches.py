"""How long a batch of 500 matches takes, from sending it to having all its links.

One `plyscribe serve` on SQLite (FULL) and one on PostgreSQL (fsync on), a real game of four seats,
with a link for every seat and one to watch each match. The yardstick is as many single-row commits
of plain SQLite as there are matches: what one commit for each would cost at the least.
"""

import time
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any
from uuid import uuid4

import httpx

from bench import yardsticks
from service import migrate
from service.cli.demo.server import Server
from tests import servers

MATCHES = 500
GOAL = 2.0  # seconds
SEATS = 4
GAME = "ambition_tricks"


def run(rounds: int = 5, seconds: float = 2.0, matches: int = MATCHES) -> dict[str, Any]:
    """Seconds by database: every round and the median."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory()))
        postgres = stack.enter_context(servers.postgres())
        found = {
            "sqlite": _server(stack, folder / "sqlite", None),
            "postgresql": _server(stack, folder / "postgresql", postgres),
        }
        figures: dict[str, list[float]] = {name: [] for name in (*found, "sqlite3_loop")}
        for number in range(rounds):
            for name, server in found.items():
                figures[name].append(_made(server, matches, f"{name} {number}"))
            rate = yardsticks.sqlite_loop(folder / f"{uuid4().hex}.db", min(seconds, 1.0))
            figures["sqlite3_loop"].append(matches / rate)
    return {
        "matches": matches,
        "seconds": {
            name: {"median": round(median(each), 3), "rounds": [round(one, 3) for one in each]}
            for name, each in figures.items()
        },
    }


def _server(stack: ExitStack, folder: Path, postgres: str | None) -> Server:
    folder.mkdir()
    url = None
    if postgres is not None:
        url = servers.create_database(postgres, f"bench_{uuid4().hex}")
        migrate.upgrade(url)
    server = Server(folder, url)
    stack.callback(server.stop)
    return server


def _made(server: Server, matches: int, name: str) -> float:
    """Seconds until the batch is answered; what is stored is counted."""
    body = {
        "external_id": name,
        "defaults": {"game": GAME, "start": "manual"},
        "matches": [
            {
                "external_id": f"{name} {number}",
                "seats": [{"external_id": f"player {number} {seat}"} for seat in range(SEATS)],
            }
            for number in range(matches)
        ],
        "spectators": {},
    }
    headers = {"Authorization": f"Bearer {server.key}"}
    with httpx.Client(base_url=server.url, timeout=60, trust_env=False, headers=headers) as http:
        began = time.perf_counter()
        made = http.post("/v1/batches", json=body)
        spent = time.perf_counter() - began
        assert made.status_code == 201, made.text[:500]
        shown = http.get(f"/v1/batches/{made.json()['id']}").json()
        assert shown["counts"]["seating"] == matches, "stored matches are those acknowledged"
    return spent
