"""What a log says that somebody holds, whichever form it has: a bundle, or events with proofs."""

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

import msgspec

from events import chain
from events.bundle import Bundle
from events.canonical import decoded
from events.given_log import GivenLog
from events.match import Folding, Match, decode
from events.schema import UnknownSchema
from events.types import MovePlayed, Record
from events.unpacking import records_of
from games.core.game import ALL, Viewer
from games.registry import UnknownGame


class KnownLog(msgspec.Struct, frozen=True, dict=True):
    """A log that was found sound, from `place`; by version what is known of each event.

    `heads` and `commitments` are in hex; `lines` are what the viewer was shown; `records` are
    there for ALL alone.
    """

    place: str
    match_id: str
    viewer: Viewer
    heads: Mapping[int, str]
    commitments: Mapping[int, tuple[str, ...]]
    lines: Mapping[int, Mapping[str, Any]]
    records: tuple[Record, ...] = ()

    @cached_property
    def newer(self) -> int | None:
        """The first event of a full log that a newer release wrote, if there is one."""
        for each in self.records:
            try:
                decode(each)
            except UnknownSchema:
                return each.version
        return None

    @property
    def readable(self) -> tuple[Record, ...]:
        """The records of a full log before that event."""
        return self.records if self.newer is None else self.records[: self.newer - 1]

    @property
    def newest(self) -> int:
        return max(self.heads)

    @cached_property
    def answered(self) -> frozenset[tuple[int, str]]:
        """The decisions that seats answered, in a full log as far as it can be read."""
        played = (decode(each) for each in self.readable if each.kind == "move_played")
        return frozenset(
            (each.seat, each.decision)
            for each in played
            if isinstance(each, MovePlayed) and each.decision is not None
        )

    def at(self, version: int) -> int | None:
        """When an event happened (ms)."""
        line = self.lines.get(version)
        return None if line is None else int(line["at"])

    def after(self, versions: Iterable[int]) -> dict[int, Match]:
        """The match after each of some events of a full log, as far as it can be folded.

        Where its rules are those of another release, nobody has looked whether it can.
        Raises: UnknownGame.
        """
        wanted, found = frozenset(versions), {}
        needed = self.readable[: max(wanted, default=0)]
        folding = Folding(needed)
        for record in needed:
            try:
                folding.take(record)
            except UnknownGame:
                raise
            except Exception:
                break
            if record.version in wanted:
                assert folding.current is not None
                found[record.version] = folding.current
        return found


def of_bundle(place: str, bundle: Bundle) -> KnownLog:
    width, numbered = chain.COMMITMENT_BYTES, range(1, len(bundle.events) + 1)
    parts = (
        tuple(joined[at : at + width].hex() for at in range(0, len(joined), width))
        for joined in bundle.facets
    )
    return KnownLog(
        place=place,
        match_id=bundle.created.match_id,
        viewer=bundle.viewer,
        heads=dict(enumerate((each.hex() for each in bundle.hashes), 1)),
        commitments=dict(enumerate(parts, 1)),
        lines=dict(zip(numbered, map(decoded, bundle.events), strict=True)),
        records=records_of(bundle) if bundle.viewer == ALL else (),
    )


def of_given(place: str, log: GivenLog) -> KnownLog:
    return KnownLog(
        place=place,
        match_id=log.match_id,
        viewer=log.viewer,
        heads=log.heads,
        commitments=log.commitments,
        lines={each["version"]: each for each in log.entries},
        records=log.records if log.viewer == ALL else (),
    )
