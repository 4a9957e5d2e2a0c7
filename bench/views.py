"""How long the view of a match of 500 events takes in a service that has nothing of it at hand.

One `plyscribe serve` on PostgreSQL, started anew for each round: a seat asks over HTTP for its view
of each of a few matches, after others have been asked for. `folded` is from the log alone, `saved`
from the snapshot the service left when it folded it. The yardstick is how long Python
`eventsourcing` takes to rebuild an aggregate of as many events from the same PostgreSQL, in one
process and without HTTP.
"""

import time
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any
from uuid import UUID, uuid4

import httpx
import psycopg

from bench.library import Library
from bench.plans import LONGEST, Plan, path_of, plans, played_out, tokens_of
from bench.rounds import Contender, Tell, interleaved, quiet, runs, summary
from bench.served import anew, forget_snapshots, fresh
from service.cli.demo.server import Server
from tests import servers
from tests.waiting import until

MATCHES = 8
BEFORE = 4
EVENTS = 500
RATIOS = {
    "folded / eventsourcing": ("folded_ms", "eventsourcing_ms"),
    "saved / eventsourcing": ("saved_ms", "eventsourcing_ms"),
}


def run(
    rounds: int = 5,
    seconds: float = 2.0,
    tell: Tell = quiet,
    events: int = EVENTS,
    matches: int = MATCHES,
) -> dict[str, Any]:
    """Milliseconds, each the median of the matches. `seconds` is not looked at."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory()))
        postgres = stack.enter_context(servers.postgres())
        again = anew(stack, folder, fresh(postgres))
        first = again()
        url = first.database_url
        tell("matches are played", 0)
        ready, kept = runs(_played(first, events, matches))
        library = Library(servers.create_database(postgres, f"bench_{uuid4().hex}"))
        stack.callback(library.close)
        aggregates = [library.saved(events) for _ in range(matches)]

        def folded(_: int) -> dict[str, float]:
            forget_snapshots(url)
            return _asked(again(), ready)

        def saved(_: int) -> dict[str, float]:
            _until_saved(url, len(ready))
            return _asked(again(), ready)

        contenders: dict[str, Contender] = {
            "folded": folded,
            "saved": saved,
            "eventsourcing": lambda _: _rebuilt(library, aggregates),
        }
        found = interleaved(contenders, rounds, tell)
    found |= {f"played_{name}": [each] for name, each in kept.items()}
    return summary(found, RATIOS, events=events, game=LONGEST)


async def _played(server: Server, events: int, matches: int) -> tuple[list[Plan], dict[str, float]]:
    """Matches that have so many events now; those that end before that are left out."""
    planned = await plans(server, 2 * (BEFORE + matches), "views", LONGEST, events)
    kept = await played_out(server, planned)
    with psycopg.connect(server.database_url) as connection:
        query = "SELECT match_id::text FROM match WHERE version >= %s"
        long = {match_id for (match_id,) in connection.execute(query, (events,))}
    ready = [plan for plan in planned if path_of(plan).rpartition("/")[2] in long]
    assert len(ready) > BEFORE, "too few matches are so long"
    return ready[: BEFORE + matches], kept


def _asked(server: Server, ready: list[Plan]) -> dict[str, float]:
    """Milliseconds from asking to having the view."""
    spent = []
    with httpx.Client(base_url=server.url, trust_env=False, timeout=30) as http:
        for plan in ready:
            headers = {"Authorization": f"Bearer {tokens_of(plan)[0]}"}
            began = time.perf_counter()
            http.get(f"{path_of(plan)}/view", headers=headers).raise_for_status()
            spent.append(1000 * (time.perf_counter() - began))
    return {"ms": median(spent[BEFORE:])}


def _until_saved(url: str, matches: int) -> None:
    """Snapshots are written after the answer."""
    with psycopg.connect(url, autocommit=True) as connection:
        query = "SELECT count(*) FROM snapshot"
        until(lambda: connection.execute(query).fetchone() == (matches,))


def _rebuilt(library: Library, aggregates: list[UUID]) -> dict[str, float]:
    spent = []
    for each in aggregates:
        began = time.perf_counter()
        library.rebuild(each)
        spent.append(1000 * (time.perf_counter() - began))
    return {"ms": median(spent)}
