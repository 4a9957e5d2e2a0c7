"""How long the bundle of a match takes to be made and to be checked, scaled to 500 events.

Milliseconds of processor time, of a match of about 500 events: to make its full bundle; to make a
seat's, for which the log is folded as in a service that has nothing of it at hand; to check the
full one, all of it, as whoever holds the file does. The second verifier has a process of Node for
every round: `js_verified_ms` is its first check, `js_again_ms` a later one, when the code has been
compiled.
"""

import json
import struct
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

from bench.rounds import Contender, Tell, interleaved, quiet, summary
from events.bundle import bundle_of, packed
from events.chain import SAME
from events.match import decode, evolve
from events.observe import shown_facets
from events.verify_bundle import verify_bundle
from games import registry
from tests.events.scripted import Table, finished
from tests.verifier import node

EVENTS = 500
MATCH = ("ambition_characters", 6)  # name and seats of a match with about so many
NEAR = 10  # events more or fewer are as good; what is told is scaled
TIMES = 5  # in one round
TIMING = Path(__file__).with_name("timing.mjs")


def run(rounds: int = 5, seconds: float = 2.0, tell: Tell = quiet) -> dict[str, Any]:
    """`seconds` is not looked at."""
    table, tables = _match()
    scale = EVENTS / len(table.records)

    def made() -> bytes:
        return packed(bundle_of(table.records, table.texts, tables))

    data = made()
    assert verify_bundle(data).is_sound
    work: dict[str, Callable[[], object]] = {
        "full_made": made,
        "seat_made": lambda: _of_a_seat(table, tables),
        "full_verified": lambda: verify_bundle(data),
    }

    def timed(work: Callable[[], object]) -> Contender:
        return lambda _: {"ms": _milliseconds(work) * scale}

    contenders: dict[str, Contender] = {name: timed(each) for name, each in work.items()}
    if node.IS_THERE:
        contenders["js"] = lambda _: {name: ms * scale for name, ms in _by_node(data).items()}
    found = interleaved(contenders, rounds, tell)
    skipped = [] if node.IS_THERE else ["js: Node 20 or newer is not installed"]
    return summary(found, events=len(table.records), bytes=len(data), skipped=skipped)


def _match() -> tuple[Table, bytes]:
    name, seats = MATCH
    options = next(options for options, taken in registry.game(name).trials if taken == seats)
    matches = (finished(name, seats, number, options) for number in range(50))
    table = next(each for each in matches if abs(len(each.records) - EVENTS) <= NEAR)
    return table, registry.tables_of(name, table.game.data_digest)


def _of_a_seat(table: Table, tables: bytes) -> bytes:
    shown, before = [], None
    for record in table.records:
        event = decode(record)
        public, own, *_ = shown_facets(before, event, table.current.seats, table.dealer)
        shown.append(public if own == SAME else own)
        before = evolve(before, event)
    return packed(bundle_of(table.records, table.texts, tables, viewer=0, shown=shown))


def _milliseconds(work: Callable[[], object]) -> float:
    begun = time.process_time()
    for _ in range(TIMES):
        work()
    return (time.process_time() - begun) * 1000 / TIMES


def _by_node(data: bytes) -> dict[str, float]:
    files = (b"", *[data] * TIMES)  # With the first, which is none, the program has started.
    framed = b"".join(struct.pack(">I", len(each)) + each for each in files)
    done = node.run("--import", TIMING, node.PROGRAM, "--batch", stdin=framed)
    assert done.returncode == 0, done.stderr.decode()
    _, first, *later = map(json.loads, done.stdout.splitlines())
    assert first["ok"], first["faults"]
    again = median(each["milliseconds"] for each in later)
    return {"verified_ms": first["milliseconds"], "again_ms": again}
