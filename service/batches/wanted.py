"""What a batch is asked to be, looked at whole: every fault is found before anything is made."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any, Final

import msgspec

from games import registry
from games.core.game import AnyGame, OptionsRefused
from games.registry import UnknownGame
from service.batches.bodies import ArbiterBody, BatchDefaults, BatchMatchBody, SeatBody
from service.batches.points import Scoring, faults_in
from service.errors import Fault, Invalid, faults_of
from service.faulting import fault_in
from service.http import whole_numbers
from service.ids import RANDOM_BYTES, new_match_id
from service.making import Prepared, prepared
from service.match_bodies import MatchBody
from service.parts import Parts

DEFAULTS: Final = "/defaults"
Given = Mapping[str, Any]


class WantedMatch(msgspec.Struct, frozen=True):
    """A match that could be stored, with its game; `number` is its place in the batch, `arbiters`
    are accounts.
    """

    number: int
    new: Prepared
    arbiters: tuple[str, ...]


class Checker:
    """Looks at matches one after the other; `faults` are all there are, in their order."""

    def __init__(self, parts: Parts, org: str, defaults: Given, at: int) -> None:
        self.faults: dict[tuple[str, str], Fault] = {}
        self._parts = parts
        self._org = org
        self._at = at
        self._given = defaults
        self._defaults = self._fields(BatchDefaults, defaults, DEFAULTS)
        self._names: dict[str, str] = {}

    def match(self, number: int, given: Given, at: str) -> WantedMatch | None:
        """`at` is the pointer to where it stands. None, and faults, if it can't be made."""
        known = len(self.faults)
        own = self._fields(BatchMatchBody, given, at)
        merged = {**self._defaults, **own}
        seats: Sequence[SeatBody] = merged.pop("seats", ())
        names = [each.external_id for each in seats]
        self._unique(names, f"{at}/seats")
        ruling: Sequence[ArbiterBody] = merged.pop("arbiters", ())
        arbiters = tuple(each.external_id for each in ruling)
        self._apart(arbiters, names, f"{at if 'arbiters' in own else DEFAULTS}/arbiters")
        self._named(own.get("external_id"), f"{at}/external_id")
        if "seats" not in given:
            self.tell(Fault(f"{at}/seats", "missing", "has to be there"))
        if "game" not in {**self._given, **given}:
            self.tell(Fault(f"{at}/game", "missing", "is neither here nor among the defaults"))
        if len(self.faults) > known or not {"game"} <= set(merged) or not seats:
            return None
        body = MatchBody(seats=len(seats), accounts=tuple(names), **merged)
        new = self._prepared(body, own, at)
        return None if new is None else WantedMatch(number, new, arbiters)

    def scoring(self, scoring: Scoring) -> None:
        for fault in faults_in(scoring):
            self.tell(msgspec.structs.replace(fault, pointer=f"/scoring{fault.pointer}"))

    def require_none(self) -> None:
        """Raises: Invalid with all that is wrong."""
        if self.faults:
            raise Invalid(*self.faults.values())

    def _prepared(self, body: MatchBody, own: Given, at: str) -> Prepared | None:
        parts = self._parts
        match_id = new_match_id(self._at, parts.entropy(RANDOM_BYTES))
        try:
            wanted = body.wanted
            game: AnyGame = registry.game(wanted.game, wanted.rules_version)
            return prepared(parts, self._org, game, wanted, match_id, self._at)
        except UnknownGame:
            name = "rules_version" if body.rules_version is not None else "game"
            fault = Fault(f"/{name}", "game-not-found", "there is no such game, or rules of it")
            self.tell(_at(fault, own, at))
        except (Invalid, OptionsRefused) as refused:
            for each in faults_of(refused):
                self.tell(_at(each, own, at))
        return None

    def _fields(self, kind: Any, given: Given, at: str) -> dict[str, Any]:
        """Those that are as they should be, typed."""
        known, found = _types(kind), {}
        for name, value in given.items():
            if name not in known:
                self.tell(Fault(f"{at}/{name[:64]}", "unknown-field", "is not known here"))
                continue
            try:
                found[name] = msgspec.convert(whole_numbers(value), known[name])
            except msgspec.ValidationError as error:
                self.tell(fault_in(error, known[name], f"{at}/{name}"))
        return found

    def _unique(self, names: Iterable[str | None], at: str) -> None:
        seen = set[str]()
        for seat, name in enumerate(names):
            if name is not None and name in seen:
                reason = "has a seat in this match already"
                self.tell(Fault(f"{at}/{seat}/external_id", "duplicate", reason))
            seen.add(name or "")

    def _apart(self, arbiters: Sequence[str], names: Sequence[str | None], at: str) -> None:
        """Nobody arbitrates what they play in."""
        for number, name in enumerate(arbiters):
            if name in names:
                reason = "has a seat in a match and can't arbitrate it"
                self.tell(Fault(f"{at}/{number}/external_id", "arbiter-is-party", reason))
            if name in arbiters[:number]:
                self.tell(Fault(f"{at}/{number}/external_id", "duplicate", "is there already"))

    def _named(self, name: str | None, at: str) -> None:
        if name is None:
            return
        if name in self._names:
            self.tell(Fault(at, "duplicate", f"is the same as {self._names[name]}"))
        self._names.setdefault(name, at)

    def tell(self, fault: Fault) -> None:
        self.faults.setdefault((fault.pointer, fault.code), fault)


def _at(fault: Fault, own: Given, at: str) -> Fault:
    """Where what is wrong stands: with the match, or among the defaults."""
    name = fault.pointer.split("/")[1]
    place = at if name in own or name in ("seats", "accounts") else DEFAULTS
    return Fault(place + fault.pointer, fault.code, fault.detail)


@cache
def _types(kind: Any) -> dict[str, Any]:
    return {field.name: field.type for field in msgspec.structs.fields(kind)}
