"""How long a batch of 500 matches takes, from sending it to having all its links.

One `plyscribe serve` on SQLite (FULL) and one on PostgreSQL (fsync on), a real game of four seats,
with a link for every seat and one to watch each match. The yardstick is as many single-row commits
of plain SQLite as there are matches: what one commit for each would cost at the least.
"""

import time
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from uuid import uuid4

import httpx

from bench import yardsticks
from bench.rounds import Contender, Tell, interleaved, quiet, summary
from bench.served import fresh, served
from service.cli.demo.server import Server
from tests import servers

MATCHES = 500
SEATS = 4
GAME = "ambition_tricks"
RATIOS = {
    "sqlite / loop": ("sqlite_seconds", "sqlite3_loop_seconds"),
    "postgresql / loop": ("postgresql_seconds", "sqlite3_loop_seconds"),
}


def run(
    rounds: int = 5, seconds: float = 2.0, tell: Tell = quiet, matches: int = MATCHES
) -> dict[str, Any]:
    """Seconds by database."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory()))
        url = fresh(stack.enter_context(servers.postgres()))

        def ours(server: Server, name: str) -> Contender:
            return lambda number: {"seconds": _made(server, matches, f"{name} {number}")}

        found: dict[str, Contender] = {
            "sqlite": ours(served(stack, folder / "sqlite"), "sqlite"),
            "postgresql": ours(served(stack, folder / "postgresql", url), "postgresql"),
            "sqlite3_loop": lambda _: {
                "seconds": matches
                / yardsticks.sqlite_loop(folder / f"{uuid4().hex}.db", min(seconds, 1.0))
            },
        }
        series = interleaved(found, rounds, tell)
    return summary(series, RATIOS, matches=matches)


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
