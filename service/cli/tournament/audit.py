"""What has to hold when the event is over: the platform, the service and the logs say the same."""

import tempfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from service.cli.tournament.bracket import Tie, winner
from service.cli.tournament.duplicate import ranking
from service.cli.tournament.flags import (
    Fallen,
    NotCounted,
    Outage,
    charged_outages,
    flags_in,
    is_explained,
)
from service.cli.tournament.ledger import Kept, Message
from service.cli.tournament.logs import Said, result_by, said_by
from service.cli.tournament.platform import Fixture
from service.cli.tournament.presence import Came, wrongly_out
from service.cli.tournament.swiss import totals
from service.cli.verifying import examined

_MOST: Final = 5  # differences that are told of one check


class Check(msgspec.Struct, frozen=True):
    name: str
    wrong: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        return not self.wrong


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that is held against each other.

    `told` and `listed` are results by match as webhooks and as the list of results told them;
    `bundles` are those of the matches, `logs` the events in them, `keys` the service's JWK set.
    `came` is when players came to their seats, by themselves.
    `points`, `winners`, `ranks` are the service's own standings of the three events: sums
    over the batches of the Swiss, by series, by entrant. `open` are matches that are not over.
    """

    players: tuple[str, ...]
    swiss: tuple[Fixture, ...]
    ties: tuple[Tie, ...]
    duplicate: tuple[Fixture, ...]
    told: Mapping[str, Kept]
    listed: Mapping[str, Kept]
    messages: tuple[Message, ...]
    bundles: Mapping[str, bytes]
    keys: bytes
    logs: Mapping[str, Sequence[Any]]
    came: Came
    points: Mapping[str, int]
    winners: Mapping[str, str | None]
    ranks: Mapping[str, int | None]
    open: tuple[str, ...]
    outages: tuple[Outage, ...]
    faults: tuple[str, ...]

    @property
    def fixtures(self) -> tuple[Fixture, ...]:
        return (*self.swiss, *(each for tie in self.ties for each in tie.matches), *self.duplicate)


class Audit:
    """The checks, in the order in which they are told; `flags` are known once they are made."""

    def __init__(self, evidence: Evidence) -> None:
        self.given = evidence
        self.said: dict[str, Said] = {
            match_id: said_by(events) for match_id, events in evidence.logs.items()
        }
        self.results = {match_id: result_by(match_id, said) for match_id, said in self.said.items()}
        self.flags: list[tuple[str, Fallen]] = []  # with the match

    def checks(self) -> list[Check]:
        named: Sequence[tuple[str, Callable[[], list[str]]]] = (
            ("every bundle verifies", self._bundles),
            ("results by webhooks = logs", lambda: self._results(self.given.told)),
            ("results by the list = logs", lambda: self._results(self.given.listed)),
            ("standings of the Swiss = logs = the service's", self._swiss),
            ("winners of the bracket = logs = the service's", self._bracket),
            ("ranks of the duplicate event = logs = the service's", self._duplicate),
            ("every terminal code arrived effectively once", self._codes),
            ("every flag fell by time that its player had", self._flags),
            ("whoever did not come was out, and nobody else", self._presence),
            ("no match stays open", lambda: list(self.given.open)),
            ("nobody got an answer that should not be", lambda: list(self.given.faults)),
        )
        return [Check(name, _few(find())) for name, find in named]

    def _bundles(self) -> list[str]:
        missing = [
            f"{each.name}: no bundle of it"
            for each in self.given.fixtures
            if each.match_id not in self.given.bundles
        ]
        return [*missing, *unverified(self.given.bundles, self.given.keys)]

    def _results(self, kept: Mapping[str, Kept]) -> list[str]:
        """Of every match, but for the version: the log says since when by itself."""
        found = []
        for fixture in self.given.fixtures:
            own, logged = kept.get(fixture.match_id), self.results.get(fixture.match_id)
            if own is None or logged is None:
                found.append(f"{fixture.name}: {'no result was told' if own is None else 'no log'}")
            elif msgspec.structs.replace(own, version=0) != logged:
                found.append(f"{fixture.name}: told {_short(own)}, logged {_short(logged)}")
        return found

    def _swiss(self) -> list[str]:
        given = self.given
        logged = totals(given.players, given.swiss, self.results)
        kept = totals(given.players, given.swiss, given.told)
        return [*_unlike("points kept", kept, logged), *_unlike("its points", given.points, logged)]

    def _bracket(self) -> list[str]:
        given = self.given
        logged = {each.series_id: winner(each, self.results) for each in given.ties}
        kept = {each.series_id: winner(each, given.told) for each in given.ties}
        return [
            *_unlike("winner kept", kept, logged),
            *_unlike("its winner", given.winners, logged),
        ]

    def _duplicate(self) -> list[str]:
        given = self.given
        logged = ranking(given.duplicate, self.results)
        kept = ranking(given.duplicate, given.told)
        return [*_unlike("rank kept", kept, logged), *_unlike("its rank", given.ranks, logged)]

    def _codes(self) -> list[str]:
        """A message of each type for a result there was, and each end of a match in some."""
        found = []
        facts = Counter((each.match_id, each.version, each.type) for each in self.given.messages)
        found += [
            f"match {match_id}: {kind} of version {version} was told {count} times"
            for (match_id, version, kind), count in facts.items()
            if count > 1
        ]
        told: dict[str, set[tuple[int, str]]] = {}
        finals: dict[tuple[str, int], set[int]] = {}
        for each in self.given.messages:
            if each.terminal is not None:
                told.setdefault(each.match_id, set()).add((each.revision, each.terminal))
            if each.status == "final":
                finals.setdefault((each.match_id, each.revision), set()).add(each.version)
        for fixture in self.given.fixtures:
            said = self.said.get(fixture.match_id)
            codes = set() if said is None else set(said.codes)
            if told.get(fixture.match_id, set()) != codes:
                ends = sorted(told.get(fixture.match_id, set()))
                found.append(f"{fixture.name}: told {ends}, logged {sorted(codes)}")
            last = () if said is None else finals.get((fixture.match_id, said.revision), ())
            if len(last) != 1:
                found.append(f"{fixture.name}: its last end was told {len(last)} times as final")
        return found

    def _flags(self) -> list[str]:
        found = []
        for fixture in self.given.fixtures:
            try:
                flags, wrong = flags_in(self.given.logs.get(fixture.match_id, ({},)))
            except NotCounted as reason:
                found.append(f"{fixture.name}: {reason}")
                continue
            found += [f"{fixture.name}: {each}" for each in wrong]
            self.flags += [(fixture.match_id, each) for each in flags]
            found += [
                f"{fixture.name}: seat {each.seat} lost {charged_outages(each, self.given.outages)}"
                f" ms of {each.had} through outages"
                for each in flags
                if not is_explained(each, self.given.outages)
            ]
        return found

    def _presence(self) -> list[str]:
        return [
            f"{fixture.name}: {each}"
            for fixture in self.given.fixtures
            for each in wrongly_out(
                fixture.match_id, self.given.logs.get(fixture.match_id, ({},)), self.given.came
            )
        ]


def unverified(bundles: Mapping[str, bytes], keys: bytes) -> list[str]:
    """What `plyscribe verify` finds wrong in bundles by match, with the keys to trust."""
    with tempfile.TemporaryDirectory() as folder:
        trusted = Path(folder) / "keys.json"
        trusted.write_bytes(keys)
        files = [Path(folder) / f"{match_id}.zip" for match_id in bundles]
        for file, bundle in zip(files, bundles.values(), strict=True):
            file.write_bytes(bundle)
        summary = examined(files, str(trusted))
    found = []
    for each in summary.files:
        name = Path(each.file).stem
        found += [f"{name}: {fault.place}: {fault.reason}" for fault in each.faults]
        if "proof" not in each.checked:
            found.append(f"{name}: nothing proves that it is in the log of all matches")
    return [*found, *(each.reason for each in summary.contradictions)]


def _unlike(
    what: str, own: Mapping[str, int | str | None], logged: Mapping[str, int | str | None]
) -> list[str]:
    names = sorted({*own, *logged})
    return [
        f"{name}: {what} {own.get(name)}, by the logs {logged.get(name)}"
        for name in names
        if name not in own or name not in logged or own[name] != logged[name]
    ]


def _short(result: Kept) -> str:
    return f"{result.terminal} {result.status} r{result.revision} {list(result.ranks)}"


def _few(found: Sequence[str]) -> tuple[str, ...]:
    more = len(found) - _MOST
    return (*found[:_MOST], *([f"and {more} more"] if more > 0 else []))
