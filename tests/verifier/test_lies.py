"""Thousands of changed bundles: both verifiers find each, and name the same place.

What needs the rules of a game is found by the one that has them, and listed here as such.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import islice
from math import perm
from random import Random

import msgspec
import pytest

from events.bundle import REFUSALS, STATEMENTS, TEXTS
from events.notes import verifier_key
from events.types import ChanceDrawn, Closing
from events.verify_bundle import Checked, verify_bundle
from games.core.game import ALL, SPECTATOR, Viewer
from tests.events.bundled import KEY, ORIGIN, TRUSTED
from tests.verifier import lies
from tests.verifier.lies import Lie
from tests.verifier.matches import GAMES, MATCHES, REFUSED, filed, played
from tests.verifier.node import Said, needs_node, said

pytestmark = needs_node

KEYS = verifier_key(ORIGIN, KEY.public.public)
SHORT = (
    *(f"{name}, brief" for name in GAMES),
    *("signed", "signed off", "entropy of both", "disputed", "redrawn", "taken back"),
    *("clocked", "put out by the clock"),
)
VIEWERS: tuple[Viewer, ...] = (ALL, SPECTATOR, 0)

MOST_ALIKE = 500  # outcomes of a draw

# Nobody can tell them from what happened: another log is as legal.
UNPROVABLE = {
    *("dispute_opened.arbiter", "dispute_opened.about", "dispute_opened.seat"),
    *("review_started.arbiter", "review_started.pause"),
    *("dispute_ruled.arbiter", "dispute_ruled.ruling", "dispute_closed.arbiter"),
    *("dispute_appealed.seat", "takeback_answered.seat", "takeback_answered.consents"),
    *("look_taken.arbiter", "look_taken.seat", "look_taken.through"),
    *("seat_token_issued.seat", "seat_tokens_revoked.seat", "move_played.arrived"),
    *("match_paused.arbiter", "match_resumed.arbiter", "time_added.arbiter"),
    *("time_added.seat", "time_added.ms", "time_credited.since", "time_credited.until"),
    *("presence_checked.seen", "draw_answered.seat", "draw_answered.accepts"),
}
UNPROVABLE_BEFORE_THE_REVEAL = {"move_played.sealed", "chance_drawn.picks"}
# What the code of the verifier with the rules means that they alone show, by what was changed.
OF_THE_RULES = {
    "field": {"move", "asks", "fallback", "outcome", "beside_play", "missing", "fold"},
    "facet": {"facet"},
    "order": {
        "clock",  # That a flag was due, of a seat whose log was cut: it takes who was asked.
        *("move", "asks", "fallback", "outcome", "beside_play", "missing", "unexplained"),
        *("draw", "answer", "decision", "facet", "fold"),
    },
}


class Case(msgspec.Struct, frozen=True):
    match: str
    lie: Lie
    python: Checked
    script: Said

    @property
    def kind(self) -> str:
        return self.lie.what.split(":")[0]

    @property
    def code(self) -> str:
        return "" if self.python.fault is None else self.python.fault.code

    @property
    def is_newer(self) -> bool:
        limits = (" ".join(self.python.unchecked), " ".join(self.script.unchecked))
        return "from there on" in limits[0] and "of a newer release" in limits[1]

    def __str__(self) -> str:
        script = (self.script.place, self.script.code, self.script.reason)
        return f"{self.match}, {self.lie.what}: {self.python.place} {self.python.fault} {script}"


def told(name: str, share: int) -> Iterator[Lie]:
    """Of one match; every `share`-th of those that are many."""
    at, rng = played(name), Random(name)
    count = 60 // share
    for viewer in VIEWERS:
        data = filed(name, viewer)
        yield from lies.flips(data, rng, count)
        yield from lies.cuts(data, rng, count // 4)
        yield from lies.of_members(data, rng, count)
        yield from islice(lies.of_the_manifest(data, rng), rng.randrange(share), None, share)
        yield from lies.of_the_proof(at, data)
        yield from lies.of_the_signed(data, rng, count)
    yield from islice(lies.of_fields(at, rng), 0, None, share)
    yield from lies.of_order(at, rng, count)
    yield from lies.of_facets(at, rng, count // 2)
    for viewer in (SPECTATOR, 0):
        yield from islice(lies.of_sights(at, viewer, rng), 0, None, share)


def judged(names: tuple[str, ...], share: int) -> list[Case]:
    given = [(name, lie) for name in names for lie in told(name, share)]
    script = said([lie.data for _, lie in given], KEYS, alike=True)
    pairs = zip(given, script, strict=True)
    return [Case(name, lie, verify_bundle(lie.data, TRUSTED), own) for (name, lie), own in pairs]


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    return judged(SHORT, 7)


def version(place: str | None) -> int:
    return int((place or "").partition("event ")[2] or 0)


def may_come_out_alike(case: Case) -> bool:
    """Another label or offer may give the same picks, of a draw of few or before the reveal."""
    if not case.script.ok or case.lie.what.rpartition(".")[2] not in ("label", "offer"):
        return False
    (changed,) = case.lie.places
    event = played(case.match).events[version(changed) - 1]
    if not played(case.match).current.is_revealed:
        return True
    return isinstance(event, ChanceDrawn) and perm(event.options, len(event.picks)) <= MOST_ALIKE


def is_unprovable(case: Case) -> bool:
    what = case.lie.what[7:]
    is_revealed = played(case.match).current.is_revealed
    is_hidden = what in UNPROVABLE_BEFORE_THE_REVEAL or case.kind == "facet"
    # A group that is cancelled anyway may as well have been closed early.
    is_cancelled = played(case.match).current.created.closing is Closing.CANCEL
    is_early = what == "match_closed.early" and is_cancelled
    return what in UNPROVABLE or is_early or (not is_revealed and is_hidden)


def is_of_an_unknown_clock(case: Case) -> bool:
    """What was left on a clock is the rules' to say where a decision closed without its answer."""
    limits = " ".join(case.script.unchecked)
    return case.code == "clock" and case.script.ok and "when its decision closed" in limits


def damage_is_found_by_both(cases: list[Case]) -> None:
    for case in cases:
        if case.kind in ("file", "member", "manifest", "proof", "seed", "sight"):
            if case.lie.what == "proof: keys without it":
                assert case.script.place == "keys.json", str(case)
            assert case.python.fault is not None, str(case)
            # What does not begin like a zip is taken for a document.
            script = "zip" if case.script.place == "file" else case.script.place
            assert script == case.python.place, str(case)
            # A text may name another event, and what is signed another key.
            free = (TEXTS, REFUSALS, STATEMENTS)
            anywhere = not case.lie.places or any(each in case.lie.what for each in free)
            assert anywhere or script in case.lie.places, str(case)


def what_is_signed_is_found_by_both(cases: list[Case]) -> None:
    """But for what the rules alone say of a refusal, and for what may be gone."""
    for case in (case for case in cases if case.kind == "signed"):
        reason = "" if case.python.fault is None else case.python.fault.reason
        if case.script.place != (case.python.place or None):
            assert case.script.ok, str(case)
            assert "was wrong" in reason, str(case)


def a_log_sealed_again_is_found(cases: list[Case]) -> Counter[str]:
    """By both in the same place, or by the rules alone, which are counted by the code."""
    alone: Counter[str] = Counter()
    for case in cases:
        if case.kind not in OF_THE_RULES or case.is_newer:
            continue
        if case.python.fault is None:
            assert case.script.ok, str(case)
            assert is_unprovable(case) or case.kind == "order", str(case)
        elif case.script.place != case.python.place:
            of_rules = case.code in OF_THE_RULES[case.kind] or is_of_an_unknown_clock(case)
            assert of_rules or may_come_out_alike(case), str(case)
            assert (
                case.script.ok
                or version(case.script.place) > version(case.python.place)
                or (case.script.place == "texts.ndjson")
            ), str(case)
            alone[f"{case.kind}: {case.code}"] += 1
        if case.kind == "field" and case.python.fault is not None:  # It may show later.
            (changed,) = case.lie.places
            assert version(case.python.place) >= version(changed), str(case)
    return alone


def test_there_are_thousands(cases: list[Case]) -> None:
    assert len(cases) > 2000
    counted = Counter(case.kind for case in cases)
    assert min(counted.values()) > 10, counted
    assert {case.match for case in cases} == set(SHORT)


def test_damage_is_found_by_both_verifiers_in_the_same_place(cases: list[Case]) -> None:
    damage_is_found_by_both(cases)


def test_what_is_signed_is_judged_alike_by_both_verifiers(cases: list[Case]) -> None:
    what_is_signed_is_found_by_both(cases)
    signed = [case for case in cases if case.kind == "signed"]
    assert {case.match for case in signed} == set(REFUSED)
    wrong = Counter(case.script.place for case in signed)
    assert min(wrong[REFUSALS], wrong[STATEMENTS]) > 10, wrong
    assert sum(case.script.ok for case in signed) * 5 < len(signed)


def test_a_log_that_was_sealed_again_is_found_by_both_or_by_the_rules(cases: list[Case]) -> None:
    alone = a_log_sealed_again_is_found(cases)
    both = [c for c in cases if c.kind in OF_THE_RULES and c.script.place == c.python.place != ""]
    assert sum(alone.values()) < len(both)


def test_what_cannot_have_been_otherwise_is_rare(cases: list[Case]) -> None:
    """Of what was left out, doubled, exchanged or cut off, few are logs that could be true."""
    order = [case for case in cases if case.kind == "order" and "cut off" not in case.lie.what]
    assert sum(case.python.fault is None for case in order) * 10 < len(order)


@pytest.mark.fuzz
@pytest.mark.parametrize("name", [name for name in MATCHES if name != "running"])
def test_every_lie_about_every_match(name: str) -> None:
    cases = judged((name,), 1)
    damage_is_found_by_both(cases)
    what_is_signed_is_found_by_both(cases)
    a_log_sealed_again_is_found(cases)
