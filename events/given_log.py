"""The log of a match as a viewer was given it, with proofs: checked, and asked what it says."""

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

import msgspec

from events import chain
from events.canonical import canonical
from events.legality import Verdict
from events.proof import Proof
from events.types import Record, TextRow
from events.verify import verify_log
from events.verify_view import verify_view
from games.core.game import ALL, SPECTATOR, Viewer

Entry: TypeAlias = Mapping[str, Any]  # an event as the doors show it
_JOINED = ("proof", "texts")


class LogUnusable(Exception):
    """Not a log with proofs from event 1 on; the text says what is missing."""


class GivenLog:
    """Events of one match from the first on, as one viewer saw them, or all of it."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        """Raises: LogUnusable."""
        by_version = {each["version"]: each for each in entries}
        self.entries = tuple(by_version[version] for version in sorted(by_version))
        if not self.entries or self.entries[0]["version"] != 1:
            raise LogUnusable("event 1 is not there")
        if any("proof" not in each for each in self.entries):
            raise LogUnusable("its events have no proofs; ask for them with proof=true")
        try:
            self.proofs = tuple(msgspec.convert(e["proof"], Proof) for e in self.entries)
            first = self.entries[0]
            created = first.get("data", first)
            self.match_id, self.seats = str(created["match_id"]), int(created["seats"])
            self.viewer = self._viewer()
        except (msgspec.ValidationError, KeyError, ValueError, IndexError):
            raise LogUnusable("its first event or its proofs can't be read") from None

    @property
    def heads(self) -> dict[int, str]:
        return {e["version"]: p.hash for e, p in zip(self.entries, self.proofs, strict=True)}

    @property
    def commitments(self) -> dict[int, tuple[str, ...]]:
        pairs = zip(self.entries, self.proofs, strict=True)
        return {each["version"]: proof.commitments for each, proof in pairs}

    @property
    def newest(self) -> int:
        return int(self.entries[-1]["version"])

    def verdict(self, now: int | None) -> Verdict:
        """With `now` (ms), an overdue reveal is a fault."""
        if self.viewer == ALL:
            return verify_log(self.records, texts=self._texts(), now=now or 0)
        shown = [msgspec.json.encode(each) for each in self.entries]
        entries = zip(shown, self.proofs, strict=True)
        return verify_view(entries, self.match_id, self.seats, self.viewer, now)

    @property
    def records(self) -> tuple[Record, ...]:
        """Of a full log: as it is stored."""
        assert self.viewer == ALL
        return tuple(map(_record, self.entries, self.proofs))

    def _texts(self) -> tuple[TextRow, ...]:
        return tuple(
            TextRow(each["version"], field, _salt(row["salt"]), row["text"])
            for each in self.entries
            for field, row in each.get("texts", {}).items()
        )

    def _viewer(self) -> Viewer:
        """Whose log it is: its own salt opens the commitment of that seat alone."""
        salts = self.proofs[0].salts
        if "event" in salts:
            return ALL
        if "own" not in salts:
            return SPECTATOR
        own, bound = chain.salt_in(salts["own"]), chain.id_bytes(self.match_id)
        for seat in range(self.seats):
            # Event 1 is the same for all.
            made = chain.commit(own, bound, 1, seat + 1, chain.SAME).hex()
            if made == self.proofs[0].commitments[seat + 1]:
                return seat
        raise ValueError


def _salt(text: str) -> bytes:
    """Empty, which verify_log takes for wrong, if it is none."""
    try:
        return chain.salt_in(text)
    except ValueError:
        return b""


def _record(entry: Entry, proof: Proof) -> Record:
    body = {name: value for name, value in entry.items() if name not in _JOINED}
    return Record(
        version=body["version"],
        kind=body["kind"],
        schema=body["schema"],
        at=body["at"],
        body=canonical(body),
        salt=bytes.fromhex(proof.salts["event"]),
        facets=bytes.fromhex("".join(proof.commitments)),
        hash=bytes.fromhex(proof.hash),
    )
