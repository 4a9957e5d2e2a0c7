"""Files made to freeze a verifier: the work of the second one grows as a file does, no faster.

It is counted, not timed: how often each block of it runs.
"""

import hmac
import json
import struct
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from events import chain
from events.bundle import TEXTS, text_line
from events.canonical import canonical, decoded, prefixed
from events.dealer import match_seed
from events.evidence import REFUSAL, RefusalOf
from events.notes import verifier_key
from events.signing import Purpose, new_key
from events.statements import line
from events.types import TextRow
from games import registry
from games.core.game import ALL, SPECTATOR, Viewer
from tests.events.bundled import KEY, MATCH_ID, ORIGIN, forged
from tests.events.scripted import NOON, SEED, Table
from tests.events.test_statements import introduction
from tests.verifier.lies import rebuilt
from tests.verifier.node import PROGRAM, needs_node, run

pytestmark = needs_node

COUNTING = Path(__file__).parent / "counting.mjs"
KEYS = verifier_key(ORIGIN, KEY.public.public)
SIZES = (60, 120, 240)
SALT = bytes(range(32))


class Log:
    """A match of one seat of which anything is said; no rules are asked."""

    def __init__(self, **created: Any) -> None:
        self.at = Table(registry.game("ambagibus"), 1)
        self.facets = [each.facets for each in self.at.sealed]
        assert decoded(self.facets[-1][-1])["asks"] == [0]
        if created:
            shown, body = decoded(self.facets[0][0]), decoded(self.facets[0][-1])
            shown["data"] |= created
            self.facets[0] = (canonical(shown), chain.SAME, canonical(body | created))

    @property
    def next(self) -> int:
        return len(self.facets) + 1

    def add(
        self, kind: str, *, seat: int | None = None, asks: Sequence[int] = (), **said: Any
    ) -> int:
        """An event that hides nothing."""
        told = {"at": NOON + 10_000, "kind": kind, "version": self.next}
        told |= {"asks": asks} if asks else {}
        own = {} if seat is None else {"seat": seat}
        shown = {**told, **own, **({"data": said} if said else {})}
        self.facets.append(
            (canonical(shown), chain.SAME, canonical({**told, **own, **said, "schema": 1}))
        )
        return self.next - 1

    def move(self, body: Mapping[str, Any] | None = None, **shown: Any) -> int:
        """A move of the seat, as the public is shown it, or by its body."""
        told = {"at": NOON + 10_000, "kind": "move_played", "version": self.next, "seat": 0}
        full = canonical({**told, **(body or {}), "schema": 1})
        self.facets.append((canonical({**told, "by": "seat", **shown}), chain.SAME, full))
        return self.next - 1

    def taken_back(self, move: int) -> int:
        """After which the seat is asked again."""
        asked = self.add("takeback_asked", seat=0, move=move)
        return self.add("match_rewound", asks=[0], to=move - 1, cause=asked)

    def bundle(self, viewer: Viewer) -> bytes:
        return rebuilt(self.at, self.facets, viewer)


def digest(text: str) -> str:
    return hmac.digest(SALT, text.encode(), "sha256").hex()


def rows(versions: list[int], text: str) -> bytes:
    made = (text_line(TextRow(each, "text", SALT, text)) + b"\n" for each in versions)
    return b"".join(made)


def said(log: Log, text: str) -> int:
    return log.move({"decision": None, "move": {"text": digest(text), "type": "speak"}})


def one_text_many_times(count: int) -> bytes:
    log = Log()
    version = said(log, "x")
    return forged(log.bundle(ALL), {TEXTS: rows([version] * count, "x")})


def texts_and_erasures(count: int) -> bytes:
    log = Log()
    versions = [said(log, "x") for _ in range(count)]
    for number in range(count):
        log.add("erased", seat=0, holder=f"another {number}")
    return forged(log.bundle(ALL), {TEXTS: rows(versions, "x")})


OPENED = {"type": "sealed", "what": 1}


def answers_taken_back(count: int) -> bytes:
    """One answer stands, many behind it were taken back, and it is opened again and again."""
    log = Log()
    sealed = hmac.digest(SALT, canonical(OPENED), "sha256").hex()
    answer: dict[str, Any] = {"move": {"type": "sealed", "what": None}, "sealed": sealed}
    asking = log.move(decision="4.0", asks=[0], **answer)
    for _ in range(count):
        asking = log.taken_back(log.move(decision=f"{asking}.0", **answer))
    opening = {"seat": 0, "move": OPENED, "decision": "4.0", "salt": SALT.hex()}
    for _ in range(count):
        log.move(move={"type": "show"}, reveals=[opening])
    return log.bundle(SPECTATOR)


def answers_of_other_types(count: int) -> bytes:
    """One answer is opened again and again, behind many of another type."""
    log = Log()
    sealed = hmac.digest(SALT, canonical(OPENED), "sha256").hex()
    asking = log.move(
        decision="4.0", asks=[0], sealed=sealed, move={"type": "sealed", "what": None}
    )
    other: dict[str, Any] = {"move": {"type": "other", "what": None}, "sealed": "00" * 32}
    for _ in range(count):
        asking = log.move(decision=f"{asking}.0", asks=[0], **other)
    opening = {"seat": 0, "move": OPENED, "decision": "4.0", "salt": SALT.hex()}
    for _ in range(count):
        log.move(move={"type": "show"}, reveals=[opening])
    return log.bundle(SPECTATOR)


def many_offsets(count: int) -> bytes:
    """A clock that runs by the hour, whose local time was often set, and answers on it."""
    offsets = [[NOON - 3_600_000 + number, number % 2] for number in range(count)]
    window = {"zone": "X/Y", "opens": 0, "closes": 1439, "offsets": offsets}
    clock = {"abandon_after": 2, "flag": "fallback", "window": window}
    log = Log(clock={**clock, "times": [{"type": "per_move", "move": 3_600_000}]})
    asking = 4
    for _ in range(count):
        decision = f"{asking}.0"
        asking = log.move(asks=[0], decision=decision, move={"type": "x"}, arrived=NOON + 10_000)
    return log.bundle(SPECTATOR)


def statements_backwards(count: int) -> bytes:
    """Each introduces the key of the one before it."""
    keys = [
        new_key(Purpose.CHECKPOINTS, bytes([7, *struct.pack(">I", n), *bytes(27)]), NOON)
        for n in range(count)
    ]
    signers = [*keys[1:], KEY]
    told = [introduction(n, k, by) for n, (k, by) in enumerate(zip(keys, signers, strict=True), 1)]
    return json.dumps({"statements": [json.loads(line(each)) for each in told]}).encode()


def unsigned(tag: str, payload: Any) -> dict[str, Any]:
    return {"tag": tag, "payload": payload, "kid": "x", "signature": "A" * 86}


def refusals_of_one_number(count: int) -> bytes:
    head, nothing = "11" * 32, "00" * 32
    made = [
        RefusalOf(MATCH_ID, 0, number, nothing, "6.0", f"{n:064x}", "illegal", 6, head, NOON)
        for number in (1, 2)
        for n in range(count)
    ]
    return json.dumps([unsigned(REFUSAL, msgspec.structs.asdict(each)) for each in made]).encode()


def draws_of_many_options(count: int) -> bytes:
    """One each of as many as there can be."""
    log, nothing = Log(), bytes(32)
    told = {"at": NOON + 10_000, "kind": "chance_drawn", "options": 65_536, "offer": nothing.hex()}
    for number in range(count):
        label, version = f"draw {number}", log.next
        stream = prefixed("plyscribe/stream/1", "draw/1", label, 0, nothing, 0)
        pick = int.from_bytes(hmac.digest(match_seed(SEED), stream, "sha256")[:2])
        body = {**told, "label": label, "picks": [pick], "version": version, "schema": 1}
        log.facets.append((b"{}", chain.SAME, canonical(body)))
    log.add("match_cancelled")
    log.add("match_revealed", seed=SEED.hex())
    return log.bundle(ALL)


HURTING: dict[str, Callable[[int], bytes]] = {
    each.__name__: each
    for each in (
        one_text_many_times,
        texts_and_erasures,
        answers_taken_back,
        answers_of_other_types,
        many_offsets,
        statements_backwards,
        refusals_of_one_number,
        draws_of_many_options,
    )
}


@pytest.fixture(scope="module")
def found() -> dict[str, list[dict[str, Any]]]:
    """By what hurts the verdicts on files of all sizes, each with the work it took."""
    files = [make(size) for make in HURTING.values() for size in SIZES]
    framed = b"".join(struct.pack(">I", len(each)) + each for each in files)
    done = run("--import", COUNTING, PROGRAM, "--batch", "--keys", KEYS, stdin=framed)
    assert (done.returncode, done.stderr.decode()) == (0, "")
    made = iter([json.loads(each) for each in done.stdout.splitlines()])
    sizes = iter(map(len, files))
    return {name: [{**next(made), "size": next(sizes)} for _ in SIZES] for name in HURTING}


@pytest.mark.parametrize("name", HURTING)
def test_work_grows_as_the_file_does(name: str, found: dict[str, list[dict[str, Any]]]) -> None:
    small, middle, large = (each["work"] for each in found[name])
    assert (large - middle) < 2.15 * (middle - small), (small, middle, large)
    assert large < 10 * found[name][-1]["size"]


def test_all_of_what_hurts_is_gone_through(found: dict[str, list[dict[str, Any]]]) -> None:
    """None is refused before the place where it would hurt."""
    faults = {name: [each["faults"] for each in verdicts] for name, verdicts in found.items()}
    places = {name: {f["place"] for each in told for f in each} for name, told in faults.items()}
    doubled = places.pop("one_text_many_times")
    assert (doubled, set().union(*places.values())) == ({TEXTS}, set())
