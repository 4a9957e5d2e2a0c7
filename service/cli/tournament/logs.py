"""What a log says of its match, read from the events themselves: the result, and the codes told.

Nothing here knows how the service finds results; it is what theirs are held against.
"""

import io
import zipfile
from collections.abc import Sequence
from typing import Any, Final

import msgspec

from service.cli.tournament.ledger import Kept

_RULED: Final = {"set_result": "adjudicated", "void": "void", "replay": "replayed"}


class Said(msgspec.Struct):
    """What the log has said so far. `codes` are (revision, terminal) in order."""

    seats: int
    is_apart: bool
    revision: int = 0
    terminal: str | None = None
    ranks: Sequence[int] | None = None
    scores: Sequence[int] | None = None
    is_revealed: bool = False
    unsettled: set[int] = msgspec.field(default_factory=set)
    codes: list[tuple[int, str]] = msgspec.field(default_factory=list)
    ends: int = 0

    def end(self, terminal: str, outcome: Any) -> None:
        self.revision += 1
        self.terminal = terminal
        self.ranks = outcome.get("ranks")
        self.scores = outcome.get("scores")
        if self.is_apart and not self.is_revealed:
            self.codes.clear()  # Of a deal group only what its reveal shows is told.
        self.codes.append((self.revision, terminal))


def events_in(bundle: bytes) -> list[Any]:
    """The events of a full bundle."""
    with zipfile.ZipFile(io.BytesIO(bundle)) as members:
        lines = members.read("events.ndjson").splitlines()
    return [msgspec.json.decode(line) for line in lines]


def said_by(events: Sequence[Any]) -> Said:
    created = events[0]
    said = Said(created["seats"], created.get("deal_group") is not None)
    for event in events[1:]:
        _read(said, event)
    return said


def result_by(match_id: str, said: Said) -> Kept:
    """As the platform would keep it; `version` is none."""
    none = [None] * said.seats
    is_open = bool(said.unsettled) or not said.is_revealed
    status = "provisional" if is_open else "final"
    return Kept(
        match_id=match_id,
        version=0,
        revision=said.revision,
        status="pending" if said.terminal is None else status,
        terminal=said.terminal,
        ranks=tuple(said.ranks or none),
        scores=tuple(said.scores or none),
    )


def _read(said: Said, event: Any) -> None:
    match event["kind"]:
        case "match_ended":
            said.ends += 1
            said.end(event["outcome"]["terminal"], event["outcome"])
        case "match_cancelled":
            said.end("cancelled", {})
        case "match_revealed":
            said.is_revealed = True
        case "match_rewound":
            said.terminal = said.ranks = said.scores = None
        case "dispute_opened":
            said.unsettled.add(event["version"])
        case "dispute_appealed":
            said.unsettled.add(event["dispute"])
        case "dispute_closed":
            said.unsettled.discard(event["dispute"])
        case "dispute_ruled":
            said.unsettled.discard(event["dispute"])
            ruling = event["ruling"]
            if ruling["type"] in _RULED:
                said.end(_RULED[ruling["type"]], ruling)
