"""Where processor time goes: of a move in the service, or of checking a log.

Of a move: a run of the `http` part under the sampling profiler py-spy (`pip install py-spy`), which
looks at the server from outside. A sample counts for the part that its innermost frame of a known
file belongs to, so that what a library does counts for who called it. The rest is the event loop.
Of an event that is checked (`--verify`): a timer of processor time in this process.
"""

import argparse
import re
import shutil
import signal
import subprocess
import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Final

from bench.http import CONNECTIONS, MATCHES, Load, played
from bench.plans import LARGEST, SIMPLEST
from bench.processes import cpu_seconds
from bench.rounds import runs
from bench.served import fresh, served
from events.verify import verify_log
from games import registry
from service.cli.demo.server import Server
from tests import servers
from tests.events.scripted import finished

RATE = 250  # samples a second
OTHER: Final = "event loop and transports"
PARTS: Final[Sequence[tuple[str, str]]] = (
    ("signed receipts", r"service/(notary|receipts)|events/(evidence|signing|signatures)"),
    ("facets, commitments, chain", r"events/(sealing|chain|observe|proof|envelope)"),
    ("rules of the game", r"games/"),
    ("decide, settle, evolve", r"events/(decide|match|accept|asking|automatic|dealer)"),
    ("checks of the verifier", r"events/(verify|legality)"),
    ("kept matches", r"events/snapshots"),
    ("group commit and database", r"events/(batching|flush|store|append|database|engines)"),
    ("who calls: tokens, limits", r"service/(auth|callers|limits|admitting|lookups|tickets)"),
    ("streams and hints", r"service/(live|streams|rest/events)|projections/(news|redis|history)"),
    (
        "feed, signed log, results, watches",
        r"events/(feed|merkle|tiles|checkpoints|consumers)"
        r"|service/(feeding|tilekeeping|recording|rounds|closer|flag_watch|pulse|webhooks|proving)",
    ),
    ("HTTP: parsing, headers, answering", r"uvicorn/protocols|uvicorn/middleware|service/http"),
    ("routes and commands", r"starlette|service/(?!cli)"),
)
_FRAME = re.compile(r"\(([^():]+\.py)(?::\d+)?\)$")


def parts_of(folded: Iterable[str]) -> Counter[str]:
    """Samples by part, of lines as `frame;frame;... count`, outermost frame first."""
    found: Counter[str] = Counter()
    for line in folded:
        stack, _, count = line.rstrip().rpartition(" ")
        found[_part(stack.split(";"))] += int(count)
    return found


def _part(stack: Sequence[str]) -> str:
    for frame in reversed(stack):
        file = _FRAME.search(frame)
        for name, pattern in PARTS:
            if file is not None and re.search(rf"(^|/)({pattern})", file[1]):
                return name
    return OTHER


def table(samples: Counter[str], microseconds: float) -> str:
    """As Markdown: the share of each part, and its microseconds."""
    total = samples.total() or 1
    lines = ["| part | share | µs |", "|---|---|---|"]
    for name, count in samples.most_common():
        lines.append(f"| {name} | {count / total:.0%} | {microseconds * count / total:,.0f} |")
    return "\n".join([*lines, f"| all | 100% | {microseconds:,.0f} |"])


def profiled(server: Server, load: Load, program: str, out: Path) -> str:
    """The table of one run, whose samples are left in a file."""
    options = ["--pid", str(server.pid), "--rate", str(RATE), "--nonblocking", "--format", "raw"]
    command = [program, "record", *options, "--duration", "3600", "--output", str(out)]
    begun: list[tuple[subprocess.Popen[bytes], float]] = []

    def begin() -> None:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        begun.append((process, cpu_seconds(server.pid)))

    found = runs(played(server, load, "profile", begin))
    ((process, before),) = begun
    spent = cpu_seconds(server.pid) - before
    process.send_signal(signal.SIGINT)
    process.wait(60)
    with out.open() as folded:
        samples = parts_of(folded)
    return table(samples, 1e6 * spent / found["acknowledged"])


def checking(game: str, seconds: float) -> str:
    """The table of checking one log over and over."""
    options, seats = max(registry.game(game).trials, key=lambda trial: trial[1])
    records = finished(game, seats, options=options).records
    stacks: list[str] = []

    def note(_signal: int, frame: FrameType | None) -> None:
        codes = [each.f_code for each, _ in traceback.walk_stack(frame)]
        stacks.append(";".join(f"{c.co_name} ({c.co_filename})" for c in reversed(codes)) + " 1")

    before = signal.signal(signal.SIGPROF, note)
    signal.setitimer(signal.ITIMER_PROF, 1 / RATE, 1 / RATE)
    start, checked = time.process_time(), 0
    try:
        while time.process_time() < start + seconds:
            assert verify_log(records).is_sound
            checked += len(records)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
    return table(parts_of(stacks), 1e6 * (time.process_time() - start) / checked)


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.profile", description=__doc__)
    parser.add_argument("--game", default=SIMPLEST, choices=(SIMPLEST, LARGEST))
    parser.add_argument("--watchers", type=int, default=0, help="seats of a match that watch")
    parser.add_argument("--sqlite", action="store_true", help="instead of PostgreSQL and Redis")
    parser.add_argument("--verify", action="store_true", help="of an event that is checked")
    parser.add_argument("--folded", type=Path, help="keep the samples there, a stack a line")
    parser.add_argument("--seconds", type=float, default=10.0)
    chosen = parser.parse_args()
    if chosen.verify:
        print(checking(chosen.game, chosen.seconds))
        return
    program = shutil.which("py-spy")
    if program is None:
        sys.exit("py-spy is not there: pip install py-spy")
    # As many matches as a fast machine gets through.
    matches = max(CONNECTIONS, round(MATCHES[chosen.game] * chosen.seconds / 2))
    load = Load(chosen.game, chosen.seconds, watchers=chosen.watchers, matches=matches)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory()))
        url = redis = None
        if not chosen.sqlite:
            url = fresh(stack.enter_context(servers.postgres()))
            redis = stack.enter_context(servers.redis())
        server = served(stack, folder / "served", url, redis)
        print(profiled(server, load, program, chosen.folded or folder / "folded.txt"))


if __name__ == "__main__":
    main()
