"""A whole event on a service that keeps dying, in short; and that its audit finds what is wrong."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from service.cli import main
from service.cli.demo.server import Server
from service.cli.terminal import CannotDo
from service.cli.tournament import command
from service.cli.tournament.audit import Audit, Evidence
from service.cli.tournament.flags import Outage
from service.cli.tournament.pace import QUICK, Pace
from service.cli.tournament.report import report
from service.cli.tournament.stage import SETTINGS, Performed, perform
from tests.forking import started
from tests.service.process import Process

Plant = Callable[[Evidence], Evidence]


class _Forked(Process):
    """A forked server as the demonstration knows its processes."""

    def poll(self) -> int | None:
        return self.returncode


@pytest.fixture
def forked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Starts cost little: servers are forked from one that has imported everything."""

    def begin(server: Server) -> None:
        environ = dict(server._environment())
        server._process = _Forked(started(environ, server._log))  # type: ignore[assignment]

    monkeypatch.setattr(Server, "begin", begin)


async def performed_on(folder: Path, database_url: str | None, pace: Pace = QUICK) -> Performed:
    server = await asyncio.to_thread(Server, folder, database_url, **SETTINGS)
    try:
        return await perform(server, pace, seed=7)
    finally:
        server.kill()


def test_an_event_holds_and_what_does_not_is_found(
    forked: None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = ["demo", "--tournament", "--quick", "--seed", "7", "--data-dir", str(tmp_path)]
    kept: list[Performed] = []

    async def keeping(server: Server, pace: Pace, seed: int) -> Performed:
        kept.append(await perform(server, pace, seed))
        return kept[0]

    monkeypatch.setattr(command, "perform", keeping)
    code, out = main([*words, "--json"]), capsys.readouterr().out
    assert code == 0, out
    _assert_all_of_it_happened(msgspec.json.decode(out)["report"])
    _assert_found(kept[0].evidence)

    async def lying(server: Server, pace: Pace, seed: int) -> Performed:
        return replace(kept[0], evidence=_another_winner(kept[0].evidence))

    monkeypatch.setattr(command, "perform", lying)
    code, out = main(words), capsys.readouterr().out
    assert code == 1
    assert _told_as(out, "DIFFERS") == [_RESULTS, _SWISS]
    assert len(_told_as(out, "holds")) == 9


def _told_as(out: str, word: str) -> list[str]:
    return [line.partition(word)[0].strip() for line in out.splitlines() if f"  {word}" in line]


async def test_an_event_that_takes_too_long_says_so(forked: None, tmp_path: Path) -> None:
    with pytest.raises(CannotDo, match=r"did not end within 0\.5 seconds"):
        await performed_on(tmp_path, None, replace(QUICK, seconds=0.5))


async def test_a_service_that_does_not_come_back_ends_the_event(
    forked: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(server: Server) -> None:
        server._log.write_text("the disk is full")

    pace, begin = replace(QUICK, kill_every=1), Server.begin

    def once(server: Server) -> None:
        begin(server)
        monkeypatch.setattr(Server, "begin", broken)

    monkeypatch.setattr(Server, "begin", once)
    with pytest.raises(CannotDo, match="did not start: the disk is full"):
        await performed_on(tmp_path, None, pace)


@pytest.mark.soak
async def test_an_event_holds_on_every_database(
    forked: None, tmp_path: Path, database_url: str
) -> None:
    told = report(await performed_on(tmp_path, database_url))
    assert told.ok, told.checks
    _assert_all_of_it_happened(msgspec.to_builtins(told))


def _assert_all_of_it_happened(told: dict[str, Any]) -> None:
    facts, terminals = told["facts"], told["terminals"]
    assert facts["kills"] >= 2
    assert facts["outages given back"] >= 1
    assert facts["deliveries that failed"] * 3 >= facts["deliveries of webhooks"] - 3
    assert facts["messages that came again"] >= 1
    assert facts["no-shows"] >= 3
    assert facts["players who never moved"] >= 3
    assert facts["flags"] >= 1
    assert facts["disputes"] == facts["rulings"] == 3
    assert terminals["adjudicated"] == terminals["replayed"] == 1
    assert terminals["closed"] >= 1
    assert terminals["no_show"] >= 1
    assert terminals["cancelled"] == 1


def _assert_found(honest: Evidence) -> None:
    """Each of the faults, where it belongs and nowhere else."""
    for plant, names in _PLANTED:
        wrong = [each.name for each in Audit(plant(honest)).checks() if not each.ok]
        assert wrong == names, plant.__name__


def _another_winner(honest: Evidence) -> Evidence:
    first = honest.swiss[0].match_id
    ranks = honest.told[first].ranks
    turned = replace(honest.told[first], ranks=(*ranks[1:], ranks[0]))
    return replace(honest, told={**honest.told, first: turned})


def _a_point_more(honest: Evidence) -> Evidence:
    player = honest.players[3]
    return replace(honest, points={**honest.points, player: honest.points[player] + 1})


def _another_series_winner(honest: Evidence) -> Evidence:
    tie = honest.ties[0]
    others = {None, *tie.players} - {honest.winners[tie.series_id]}
    winners = {**honest.winners, tie.series_id: sorted(others, key=str)[0]}
    return replace(honest, winners=winners)


def _another_rank(honest: Evidence) -> Evidence:
    player = honest.duplicate[0].players[0]
    return replace(honest, ranks={**honest.ranks, player: 99})


def _a_doubled_code(honest: Evidence) -> Evidence:
    again = replace(honest.messages[0], of="msg_other")
    return replace(honest, messages=(*honest.messages, again))


def _a_missing_code(honest: Evidence) -> Evidence:
    last = honest.duplicate[-1].match_id
    kept = tuple(each for each in honest.messages if each.match_id != last)
    return replace(honest, messages=kept)


def _an_outage_that_was_charged(honest: Evidence) -> Evidence:
    """The whole time of a flag was none in which anybody was served."""
    audit = Audit(honest)
    audit.checks()
    _, flag = audit.flags[0]
    down = Outage(flag.asked - 60_000, flag.fell)
    return replace(honest, outages=(down,))


def _a_flag_before_its_time(honest: Evidence) -> Evidence:
    def earlier(event: Any) -> Any:
        is_flag = event["kind"] == "flag_fell"
        return {**event, "fell": event["fell"] - 700} if is_flag else event

    logs = {name: [earlier(each) for each in log] for name, log in honest.logs.items()}
    return replace(honest, logs=logs)


def _one_out_that_came(honest: Evidence) -> Evidence:
    """Somebody is kept from a seat it had in time."""

    def unseen(event: Any) -> Any:
        is_check = event["kind"] == "presence_checked"
        return {**event, "seen": [None] * len(event["seen"])} if is_check else event

    logs = {name: [unseen(each) for each in log] for name, log in honest.logs.items()}
    return replace(honest, logs=logs)


def _one_in_that_never_came(honest: Evidence) -> Evidence:
    return replace(honest, came={})


def _no_look_at_who_came(honest: Evidence) -> Evidence:
    logs = {
        name: [each for each in log if each["kind"] != "presence_checked"]
        for name, log in honest.logs.items()
    }
    return replace(honest, logs=logs)


def _a_bundle_that_was_touched(honest: Evidence) -> Evidence:
    name, bundle = next(iter(honest.bundles.items()))
    place = bundle.index(b"events.ndjson") + 200
    touched = bundle[:place] + bytes([bundle[place] ^ 1]) + bundle[place + 1 :]
    return replace(honest, bundles={**honest.bundles, name: touched})


def _an_open_match(honest: Evidence) -> Evidence:
    return replace(honest, open=("match 1 is running",))


_RESULTS = "results by webhooks = logs"
_SWISS = "standings of the Swiss = logs = the service's"
_FLAGS = "every flag fell by time that its player had"
_CODES = "every terminal code arrived effectively once"
_CAME = "whoever did not come was out, and nobody else"
_PLANTED: tuple[tuple[Plant, list[str]], ...] = (
    (_another_winner, [_RESULTS, _SWISS]),
    (_a_point_more, [_SWISS]),
    (_another_series_winner, ["winners of the bracket = logs = the service's"]),
    (_another_rank, ["ranks of the duplicate event = logs = the service's"]),
    (_a_doubled_code, [_CODES]),
    (_a_missing_code, [_CODES]),
    (_an_outage_that_was_charged, [_FLAGS]),
    (_a_flag_before_its_time, [_FLAGS]),
    (_one_out_that_came, [_CAME]),
    (_one_in_that_never_came, [_CAME]),
    (_no_look_at_who_came, [_CAME]),
    (_a_bundle_that_was_touched, ["every bundle verifies"]),
    (_an_open_match, ["no match stays open"]),
)
