"""What a subscriber of each door and a folded match take of the service's memory.

Of servers that have just started: others have room left in memory they took before. What 1,000
subscribers add is divided by them; likewise 400 matches in the midst of their play, whose views are
asked for after 100 others: of fewer the room that the start left unused would be counted along.
"""

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx

from bench.plans import Plan, path_of, plans, played_out
from bench.processes import resident
from bench.push import DOORS, SPECTATORS, Subscribe, fanout
from bench.rounds import Contender, Tell, interleaved, quiet, runs, summary
from bench.served import anew, forget_snapshots, fresh
from service.cli.demo.server import Server
from tests import servers

MATCHES = 400
BEFORE = 4  # as many times fewer are asked for first
NAMES = {"fanout": "subscriber", "graphql_fanout": "graphql_subscriber"}


def run(
    rounds: int = 5,
    seconds: float = 2.0,
    tell: Tell = quiet,
    spectators: int = SPECTATORS,
    matches: int = MATCHES,
) -> dict[str, Any]:
    """Kilobytes. `seconds` is not looked at."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory()))
        url = fresh(stack.enter_context(servers.postgres()))
        again = anew(stack, folder, url, stack.enter_context(servers.redis()))
        tell("matches are played", 0)
        ready, kept = runs(_halves(again(), matches + matches // BEFORE))
        found: dict[str, Contender] = {
            name: _subscribers(again, spectators, DOORS[door]) for door, name in NAMES.items()
        }
        found["match"] = lambda _: runs(_folded(again, ready, matches))
        series = interleaved(found, rounds, tell)
    return summary({**series, **{f"played_{name}": [each] for name, each in kept.items()}})


def _subscribers(again: Callable[[], Server], spectators: int, subscribe: Subscribe) -> Contender:
    def taken(number: int) -> dict[str, float]:
        found = runs(fanout(again(), spectators, f"memory {number}", subscribe))
        return {
            "kb": found["taken_kb"],
            **{name: found[name] for name in ("acknowledged", "astray")},
        }

    return taken


async def _halves(server: Server, count: int) -> tuple[list[Plan], dict[str, float]]:
    """So many matches, played half-way."""
    ready = await plans(server, count, "folded")
    return ready, await played_out(server, [plan[: len(plan) // 2] for plan in ready])


async def _folded(again: Callable[[], Server], ready: list[Plan], matches: int) -> dict[str, float]:
    server = again()
    forget_snapshots(server.database_url)
    headers = {"authorization": f"Bearer {server.key}"}
    async with httpx.AsyncClient(base_url=server.url, headers=headers, trust_env=False) as http:
        for plan in ready[:-matches]:
            (await http.get(path_of(plan) + "/view")).raise_for_status()
        before = resident(server.pid)
        for plan in ready[-matches:]:
            (await http.get(path_of(plan) + "/view")).raise_for_status()
    return {"kb": (resident(server.pid) - before) / matches / 1024}
