"""A bundle out of a file, as the commands need it that read databases otherwise."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from events.bundle import Bundle
from events.canonical import decoded
from events.store import MatchRow
from events.types import Status
from events.unpacking import records_of
from events.verify_bundle import Checked, verify_bundle
from games.core.game import ALL
from service.cli.checking import Verdict
from service.cli.evidence_files import bundle_bytes
from service.cli.rebuilding import Log, steps
from service.cli.terminal import CannotDo
from service.cli.verifying import fault_of


class GivenBundle(msgspec.Struct, frozen=True):
    """What could be read of a bundle, and the verdict on all of it."""

    bundle: Bundle
    checked: Checked

    @property
    def log(self) -> Log:
        """Of a full bundle."""
        bundle = self.bundle
        created, length = bundle.created, min(len(bundle.events), len(bundle.hashes))
        row = MatchRow(
            match_id=created.match_id,
            org="",
            external_id=None,
            game=created.game,
            rules_version=created.rules_version,
            seats=created.seats,
            data_digest=created.data_digest,
            deal_group=created.deal_group,
            created_at=created.at,
            version=length,
            head=bundle.hashes[length - 1],
            status="",
            result=None,
        )
        count = min(length, len(bundle.salts), len(bundle.facets))
        return Log(row, records_of(bundle, count), bundle.texts, bundle.seed)

    @property
    def verdict(self) -> Verdict:
        bundle, found = self.bundle, self.checked
        return Verdict(
            ok=found.is_sound,
            match_id=bundle.created.match_id,
            version=len(bundle.events),
            head=bundle.hashes[-1].hex(),
            status=self.status,
            checked=found.checked,
            unchecked=found.unchecked,
            faults=() if found.fault is None else (fault_of(found),),
        )

    @property
    def status(self) -> str:
        """As far as the bundle shows it."""
        if self.bundle.viewer == ALL and (made := steps(self.log)):
            return str(made[-1].after.status)
        kinds = {decoded(line)["kind"] for line in self.bundle.events if self.checked.is_sound}
        ends = {"match_cancelled": Status.CANCELLED, "match_ended": Status.OVER}
        for kind, status in {**ends, "match_started": Status.RUNNING}.items():
            if kind in kinds:
                return str(status)
        return str(Status.SEATING)

    def sight(self) -> Iterator[tuple[dict[str, Any], dict[str, str]]]:
        """What the viewer was shown, event by event, with the texts; as far as it can be read."""
        for version, line in enumerate(self.bundle.events, 1):
            try:
                seen = decoded(line)
            except msgspec.MsgspecError:
                return
            yield seen, {row.field: row.text for row in self.bundle.texts if row.version == version}


def read_bundle(path: Path) -> GivenBundle:
    """Raises: CannotDo for what can't be read at all."""
    found = verify_bundle(bundle_bytes(path))
    if found.bundle is None or not found.bundle.hashes:
        raise CannotDo(f"{path}: {fault_of(found)}")
    return GivenBundle(found.bundle, found)
