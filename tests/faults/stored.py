"""What is in the database, read apart from any server."""

from collections import Counter
from typing import Any

import msgspec

from events.canonical import decoded
from events.observe import observe
from events.timed import TimeCredited
from events.types import MovePlayed, Record
from games.core.game import SPECTATOR
from projections.projection import project
from service.cli.checking import checked
from service.cli.rebuilding import Log, dealer_of, read_log, steps
from tests.faults.history import Final, Stored
from tests.faults.serving import Service

Records = tuple[Record, ...]


async def log_of(service: Service, match_id: str) -> Log:
    """Read-only, with the server running or dead."""
    return await read_log(service.settings, match_id)


async def records_of(service: Service, match_id: str) -> Records:
    return (await log_of(service, match_id)).records


async def assert_sound(service: Service, match_id: str, *, with_clocks: bool = False) -> Log:
    """The log holds in every respect, its draws and hidden answers too; but for what clocks say,
    which is the operator's word.
    """
    log = await log_of(service, match_id)
    verdict = checked(log)
    assert verdict.ok, verdict.faults
    assert verdict.unchecked == () or with_clocks
    assert all(each.startswith("clocks: ") for each in verdict.unchecked)
    return log


def assert_continues(log: Records, earlier: Records) -> None:
    """Nothing that was stored has changed by a byte."""
    assert log[: len(earlier)] == earlier


def answers_in(log: Records) -> Counter[str]:
    """How often each decision is answered."""
    bodies = [decoded(record.body) for record in log if record.kind == "move_played"]
    return Counter(body["decision"] for body in bodies)


def final_of(log: Log) -> Final:
    """All that may be held against a history."""
    made, dealer = steps(log), dealer_of(log)
    viewers = (SPECTATOR, *range(log.row.seats))
    return Final(
        versions=[record.version for record in log.records],
        heads=[record.hash.hex() for record in log.records],
        moves={
            step.event.version: Stored(
                step.event.seat, step.event.decision, msgspec.json.decode(step.event.move)
            )
            for step in made
            if isinstance(step.event, MovePlayed)
        },
        seen={v: [_json(observe(s.before, s.event, v, dealer)) for s in made] for v in viewers},
        view=lambda viewer, version: _json(project(made[version - 1].after, viewer)),
        unasked=frozenset(s.event.version for s in made if isinstance(s.event, TimeCredited)),
    )


def _json(value: object) -> Any:
    return msgspec.json.decode(msgspec.json.encode(value))
