"""A program that folds a match from its database and holds it against what the server served."""

import asyncio
import sys
from collections import Counter
from typing import Any

import msgspec

from events.canonical import canonical, digest
from events.match import Match, evolve
from events.observe import observe
from events.proof import Proof
from events.types import Event, Outcome
from events.verify_view import verify_view
from games.core.game import SPECTATOR, Viewer
from projections.projection import project
from service.cli.checking import checked
from service.cli.configuration import configured
from service.cli.demo.client import Served
from service.cli.rebuilding import Log, Step, dealer_of, read_log, steps

JOINED_ON = ("texts", "proof")


class Evidence(msgspec.Struct, frozen=True):
    """What is held against the log: what each viewer was served, and the revealed log as served."""

    database_url: str
    data_dir: str
    match_id: str
    served: list[Served]
    full: list[dict[str, Any]]


class Check(msgspec.Struct, frozen=True):
    name: str
    ok: bool
    detail: str = ""


class Rebuilt(msgspec.Struct, frozen=True):
    """The checks, and what the log says about the match. `state` is the digest of its state."""

    checks: list[Check]
    events: dict[str, int]
    head: str
    state: str
    outcome: Outcome | None

    @property
    def ok(self) -> bool:
        return all(each.ok for each in self.checks)


def main() -> None:
    evidence = msgspec.json.decode(sys.stdin.buffer.read(), type=Evidence)
    sys.stdout.buffer.write(msgspec.json.encode(held_against(evidence)))


def held_against(evidence: Evidence) -> Rebuilt:
    settings = configured(database_url=evidence.database_url, data_dir=evidence.data_dir)
    log = asyncio.run(read_log(settings, evidence.match_id))
    made = steps(log)
    last = made[-1].after
    checks = [_log_check(log), _state_check(last, evidence.full)]
    for served in evidence.served:
        checks += _viewer_checks(log, made, served)
    return Rebuilt(
        checks=checks,
        events=dict(Counter(record.kind for record in log.records)),
        head=last.head.hex(),
        state=digest(last.state).hex(),
        outcome=last.outcome,
    )


def _log_check(log: Log) -> Check:
    verdict = checked(log)
    wrong = (*verdict.faults, *verdict.unchecked)
    return Check("log: chain, rules, draws", not wrong, "; ".join(wrong))


def _state_check(last: Match, full: list[dict[str, Any]]) -> Check:
    """The log as the server showed it after the reveal folds to the state of the one stored."""
    served: Match | None = None
    for body in full:
        served = evolve(served, msgspec.json.decode(canonical(_bare(body)), type=Event))
    same = served is not None and canonical(served.state) == canonical(last.state)
    return Check("state", same, "" if same else "the served log folds to another state")


def _viewer_checks(log: Log, made: tuple[Step, ...], served: Served) -> list[Check]:
    viewer = SPECTATOR if served.seat is None else served.seat
    name = "spectator" if served.seat is None else f"seat {served.seat}"
    view = _json(project(made[-1].after, viewer))
    changed = [key for key in view if served.view.get(key) != view[key]]
    checks = [Check(f"{name}: view", not changed, ", ".join(changed))]
    dealer = dealer_of(log)
    seen = [_json(observe(step.before, step.event, viewer, dealer)) for step in made]
    told = [_bare(each) for each in served.events]
    checks.append(Check(f"{name}: events", seen == told, f"{len(told)} of {len(seen)}"))
    if served.events and "proof" in served.events[0]:
        checks.append(_proof_check(name, log, served.events, viewer))
    return checks


def _proof_check(name: str, log: Log, events: list[Any], viewer: Viewer) -> Check:
    entries = [(canonical(each), msgspec.convert(each["proof"], Proof)) for each in events]
    found = verify_view(entries, log.row.match_id, log.row.seats, viewer)
    return Check(f"{name}: proof", found.is_sound, found.fault.reason if found.fault else "")


def _bare(event: dict[str, Any]) -> dict[str, Any]:
    """What the chain commits to, without what is joined on."""
    return {name: value for name, value in event.items() if name not in JOINED_ON}


def _json(value: object) -> Any:
    return msgspec.json.decode(msgspec.json.encode(value))


if __name__ == "__main__":
    main()
