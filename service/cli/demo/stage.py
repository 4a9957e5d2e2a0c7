"""The demonstration itself: who is started, what is gathered, what has to agree."""

import tempfile
import time
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Any

import httpx
import msgspec
from cyclopts import Parameter

from games import registry
from games.core.game import AnyGame, Trial
from service.cli.configuration import DataDir, Flag
from service.cli.demo.client import Door, Served, Task
from service.cli.demo.programs import Program, ended_by_sigterm
from service.cli.demo.rebuild import Evidence, Rebuilt
from service.cli.demo.server import Server
from service.cli.demo.summary import Played, as_json, show_summary
from service.cli.terminal import CannotDo, progress, say, write_json
from service.cli.tournament.command import Wishes, run

DEFAULT_GAME = "ambition_characters"
DIFFERS = 1
SECONDS = 300  # that a match may take
_NO_WISHES = Wishes()


def demo(
    *,
    game: str | None = None,
    seed: int = 1,
    seats: int | None = None,
    trial: int | None = None,
    data_dir: DataDir = None,
    timeout: float | None = None,
    wishes: Annotated[Wishes, Parameter(name="*")] = _NO_WISHES,
    json: Flag = False,
) -> int:
    """Play a whole match over HTTP, kill the server, and rebuild the match from its log.

    A server process, one program for each seat that picks uniformly among the moves it is offered
    and knows no game, and a spectator on server-sent events. Exits with 1 if anything that was
    served differs from what the log alone gives. Or play a whole tournament.

    Parameters
    ----------
    game
        The game to play: the first of its trials if nothing else is said.
    seed
        Of the programs' choices. The deal is the server's own secret, another one each time.
    seats
        Play the first trial with so many seats.
    trial
        Play this one of the game's trials, counted from 0.
    data_dir
        Keep the database here, for a look with plyscribe replay.
    timeout
        The most seconds the match, or the tournament, may take.
    json
        The summary as JSON.
    """
    if wishes.tournament:
        _refuse({"--game": game, "--seats": seats, "--trial": trial}, "a tournament")
        return run(wishes, seed, data_dir, timeout, json=json)
    _refuse(dict.fromkeys(wishes.names, True), "a single match: add --tournament")
    record = registry.game(game or _first_game())
    options, count = _trial(record, seats, trial)
    return _play(record, options, count, seed, data_dir, timeout or SECONDS, json=json)


def _play(
    record: AnyGame,
    options: Any,
    count: int,
    seed: int,
    data_dir: Path | None,
    timeout: float,
    *,
    json: bool,
) -> int:
    with ended_by_sigterm(), ExitStack() as stack:
        folder = data_dir or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        folder.mkdir(parents=True, exist_ok=True)
        stage = _Stage(record.slug, options, count, seed, timeout)
        try:
            played, rebuilt = stage.perform(folder)
        except httpx.HTTPError as error:
            raise CannotDo(f"the server did not answer as it should: {error}") from error
    if json:
        write_json(as_json(played, rebuilt))
    else:
        show_summary(played, rebuilt)
    if data_dir is not None:
        say(f"again: plyscribe replay {played.match_id} --data-dir {data_dir}")
    return 0 if rebuilt.ok else DIFFERS


def _refuse(options: Mapping[str, object], what: str) -> None:
    """Raises: CannotDo for options that were given and mean nothing there."""
    given = ", ".join(name for name, value in options.items() if value is not None)
    if given:
        raise CannotDo(f"{given}: not for {what}")


def _first_game() -> str:
    slugs = [each.slug for each in registry.games()]
    return DEFAULT_GAME if DEFAULT_GAME in slugs else slugs[0]


def _trial(record: AnyGame, seats: int | None, number: int | None) -> Trial:
    trials = record.trials if number is None else record.trials[number : number + 1]
    fitting = [each for each in trials if seats in (None, each[1])]
    if not fitting:
        have = ", ".join(f"{place}: {each[1]}" for place, each in enumerate(record.trials))
        raise CannotDo(f"{record.slug} has no such trial; its trials have these seats: {have}")
    return fitting[0]


class _Stage:
    """One performance."""

    def __init__(self, game: str, options: Any, seats: int, seed: int, timeout: float) -> None:
        self._game, self._options, self._seats = game, options, seats
        self._seed, self._timeout = seed, timeout

    def perform(self, folder: Path) -> tuple[Played, Rebuilt]:
        say(f"starting a server, {self._seats} programs and a spectator: {self._game}")
        server = Server(folder)
        try:
            match_id, tokens = self._arrange(server)
            began = time.monotonic()
            served = self._play(server, match_id, tokens)
            seconds = time.monotonic() - began
            with Door(Task(server.url, match_id, server.key)) as door:
                full = door.events(perspective="full")
        finally:
            server.kill()
        say("the server is killed; folding the log in a new process")
        evidence = Evidence(server.database_url, str(folder), match_id, served, full)
        with Program("rebuild", evidence) as program:
            rebuilt = program.answer(Rebuilt)
        return Played(self._game, match_id, self._seats, self._seed, seconds, served), rebuilt

    def _arrange(self, server: Server) -> tuple[str, list[str]]:
        """A match with every seat claimed: its id, and the tokens by seat."""
        headers = {"authorization": f"Bearer {server.key}"}
        with httpx.Client(base_url=server.url, headers=headers, trust_env=False) as http:
            body = {
                "game": self._game,
                "seats": self._seats,
                "options": msgspec.to_builtins(self._options),
            }
            made = http.post("/v1/matches", json=body).raise_for_status().json()
            at = f"/v1/matches/{made['match_id']}/seats"
            tokens = [
                http.post(f"{at}/{seat}/claim", json={}).raise_for_status().json()["token"]
                for seat in range(self._seats)
            ]
        return made["match_id"], tokens

    def _play(self, server: Server, match_id: str, tokens: list[str]) -> list[Served]:
        watcher = Task(server.url, match_id, server.key)
        tasks = [
            Task(server.url, match_id, token, seat, str(self._seed))
            for seat, token in enumerate(tokens)
        ]
        with ExitStack() as stack:
            programs = [stack.enter_context(Program("spectator", watcher))]
            programs += [stack.enter_context(Program("player", task)) for task in tasks]
            self._watch(stack.enter_context(Door(watcher)), programs)
            return [program.answer(Served) for program in programs]

    def _watch(self, door: Door, programs: list[Program]) -> None:
        """Show how far the match is until every program is done, or one has failed."""
        deadline = time.monotonic() + self._timeout
        with progress("events", None) as done:
            while any(program.is_running for program in programs):
                if any(program.has_failed for program in programs):
                    return
                if time.monotonic() > deadline:
                    raise CannotDo(f"the match did not end within {self._timeout:g} seconds")
                done(door.get("/view")["version"])
                time.sleep(0.2)
