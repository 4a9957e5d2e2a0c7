"""`plyscribe demo --tournament`: what may be wished for, and the event from start to end."""

import asyncio
import tempfile
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from msgspec.structs import replace

from service.cli.configuration import Flag
from service.cli.demo.programs import ended_by_sigterm
from service.cli.demo.server import Server
from service.cli.terminal import CannotDo, say, write_json
from service.cli.tournament.pace import FULL, QUICK, Pace
from service.cli.tournament.report import report, show_report
from service.cli.tournament.stage import SETTINGS, perform
from service.cli.tournament.swiss import POD

DIFFERS = 1
_LEAST_SECONDS = 1.0  # between two kills


@dataclass(frozen=True)
class Wishes:
    """Of a tournament.

    Parameters
    ----------
    tournament
        Play a whole event as a tournament platform would, while the service keeps being killed:
        a Swiss, a bracket, a duplicate event.
    quick
        A small event: less than a minute.
    players
        So many play the Swiss, a multiple of 4.
    rounds
        Of the Swiss.
    kill_every
        Seconds between two kills, on the average.
    database_url
        The database of the service, which the event is stored in for good.
    """

    tournament: Flag = False
    quick: Flag = False
    players: int | None = None
    rounds: int | None = None
    kill_every: float | None = None
    database_url: str | None = None

    @property
    def names(self) -> list[str]:
        """Of the options that were given beside `tournament`."""
        given = {name: value for name, value in vars(self).items() if value not in (None, False)}
        return [f"--{name.replace('_', '-')}" for name in given if name != "tournament"]


def run(
    wishes: Wishes, seed: int, data_dir: Path | None, timeout: float | None, *, json: bool
) -> int:
    """0 if everything holds. Raises: CannotDo."""
    pace = pace_of(wishes, timeout)
    with ended_by_sigterm(), ExitStack() as stack:
        folder = data_dir or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        folder.mkdir(parents=True, exist_ok=True)
        say(f"starting a service; {pace.players} players, {pace.rounds} rounds, seed {seed}")
        server = Server(folder, wishes.database_url, **SETTINGS)
        try:
            performed = asyncio.run(perform(server, pace, seed))
        finally:
            server.kill()
    told = report(performed)
    if json:
        write_json({"ok": told.ok, "report": told})
    else:
        show_report(told)
    return 0 if told.ok else DIFFERS


def pace_of(wishes: Wishes, timeout: float | None) -> Pace:
    """Raises: CannotDo for an event that can't be."""
    pace = QUICK if wishes.quick else FULL
    players = pace.players if wishes.players is None else wishes.players
    rounds = pace.rounds if wishes.rounds is None else wishes.rounds
    every = pace.kill_every if wishes.kill_every is None else wishes.kill_every
    least = max(3 * POD, pace.bracket, pace.duplicate)
    if players % POD or players < least:
        raise CannotDo(f"--players: has to be a multiple of {POD}, {least} at least")
    if rounds < 1:
        raise CannotDo("--rounds: has to be 1 at least")
    if every < _LEAST_SECONDS:
        raise CannotDo(f"--kill-every: has to be {_LEAST_SECONDS:g} seconds at least")
    return replace(
        pace,
        players=players,
        rounds=rounds,
        kill_every=every,
        seconds=pace.seconds if timeout is None else timeout,
    )
