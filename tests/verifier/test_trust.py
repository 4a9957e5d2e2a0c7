"""Whose signatures are: files of keys, keys that were retired, and strangers, in both verifiers."""

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from events import decide
from events.bundle import KEYS, PROOF, REFUSALS, STATEMENTS, key_set
from events.decide import ClaimSeat
from events.notes import verifier_key
from events.signing import KeySet, PublicKey
from events.statements import Statement, line
from events.trust import Trusted
from games import registry
from games.core.game import ALL, SPECTATOR
from service.cli.terminal import CannotDo
from service.cli.verifying import examined
from tests.events.bundled import KEY, MATCH_ID, ORIGIN, OTHER_KEY, bundled, forged, proof, table
from tests.events.refused import KEYS_TOO, RECEIPTS, kept, lines
from tests.events.scripted import NOON, OTHER_ID, Table
from tests.events.test_refused import PLAYED, RIGHT
from tests.events.test_statements import FIRST, SECOND, retirement, rotated
from tests.verifier.node import PROGRAM, needs_node, report, run
from tests.verifier.test_kept import both

pytestmark = needs_node

BOTH = KeySet([KEY.public, RECEIPTS.public]).jwks()
OURS = verifier_key(ORIGIN, KEY.public.public)
ANOTHER = verifier_key(ORIGIN, OTHER_KEY.public.public)
FOREIGN = {"kty": "RSA", "n": "AQAB", "e": "AQAB"}


def jwks(*keys: dict[str, Any]) -> bytes:
    return json.dumps({"keys": keys}).encode()


def jwk(key: PublicKey, **other: Any) -> dict[str, Any]:
    return {**key.jwk(), **other}


def log(*keys: Any) -> bytes:
    return json.dumps({"origin": ORIGIN, "size": 3, "verifier_keys": keys}).encode()


# What a bundle with refusals is under them: wrong in a member, or sound as far as they tell.
ALL_OF_IT, ITS_PROOF, ITS_REFUSALS, NO_KEYS = "sound", "proof alone", "refusals alone", "no keys"
FILES: dict[str, tuple[bytes, str]] = {
    "a verifier key": (OURS.encode(), ITS_PROOF),
    "with blanks around it": (f"\n {OURS}\r\n\r\n".encode(), ITS_PROOF),
    "two, of which one is ours": (f"{ANOTHER}\n{OURS}\n".encode(), ITS_PROOF),
    "two in a line": (f"{ANOTHER} {OURS}".encode(), ITS_PROOF),
    "another's": (ANOTHER.encode(), PROOF),
    "of another log": (
        verifier_key("log.example/other", KEY.public.public).encode(),
        PROOF,
    ),
    "the answer of a log": (log(OURS), ITS_PROOF),
    "the answer of a log with two": (log(ANOTHER, OURS), ITS_PROOF),
    "the answer of a log with another's": (log(ANOTHER), PROOF),
    "the answer of a log without keys": (log(), NO_KEYS),
    "the answer of a log with a number": (log(OURS, 7), NO_KEYS),
    "a set": (BOTH, ALL_OF_IT),
    "a set with a key of no purpose": (
        jwks(FOREIGN, jwk(KEY.public), jwk(RECEIPTS.public)),
        ALL_OF_IT,
    ),
    "for checkpoints alone": (jwks(jwk(KEY.public)), ITS_PROOF),
    "for checkpoints and others' receipts": (
        jwks(jwk(KEY.public), jwk(OTHER_KEY.public, purpose="receipts")),
        REFUSALS,
    ),
    "by another id": (jwks(jwk(KEY.public, kid="x"), jwk(RECEIPTS.public, kid="y")), ALL_OF_IT),
    "for receipts alone": (jwks(jwk(RECEIPTS.public)), ITS_REFUSALS),
    "for receipts alone, another's": (
        jwks(jwk(OTHER_KEY.public, purpose="receipts")),
        REFUSALS,
    ),
    "for webhooks": (jwks(jwk(KEY.public, purpose="webhooks")), NO_KEYS),
    "of no time": (jwks({n: v for n, v in jwk(KEY.public).items() if n != "created_at"}), NO_KEYS),
    "of another curve": (jwks(jwk(KEY.public, crv="Ed448")), NO_KEYS),
    "half a key": (jwks(jwk(KEY.public, x="AAAA")), NO_KEYS),
    "an empty set": (jwks(), NO_KEYS),
    "a list": (b"[]", NO_KEYS),
    "nothing": (b"", NO_KEYS),
    "blanks": (b" \n ", NO_KEYS),
    "a bundle": (bundled(table("high_card"), ALL), NO_KEYS),
    "no text": (b"\xff\xfe", NO_KEYS),
    "half a line": (OURS[:-4].encode(), NO_KEYS),
    "a name alone": (ORIGIN.encode(), NO_KEYS),
}
OPEN = {
    "whose log the proof is of": ITS_REFUSALS,
    "whose the refusals' signatures are": ITS_PROOF,
}


@pytest.fixture(scope="module")
def refused(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("refused") / "full.zip"
    data = {REFUSALS: lines(kept(PLAYED, RIGHT)), KEYS: KEYS_TOO}
    path.write_bytes(forged(bundled(PLAYED, ALL), data))
    return path


def told(places: list[str], unchecked: str) -> str:
    (found,) = places or [each for limit, each in OPEN.items() if limit in unchecked] or [ALL_OF_IT]
    return found


def by_script(path: Path, keys: Path) -> str:
    done = run(PROGRAM, "--json", path, "--keys", keys)
    if done.returncode == 2:
        assert done.stdout == b""
        return NO_KEYS
    (made,) = json.loads(done.stdout)["files"]
    return told([each["place"] for each in made["faults"]], " ".join(made["unchecked"]))


def by_program(path: Path, keys: Path) -> str:
    try:
        (made,) = examined([path], str(keys)).files
    except CannotDo:
        return NO_KEYS
    return told([each.place for each in made.faults], " ".join(made.unchecked))


@pytest.mark.parametrize("name", FILES)
def test_a_file_of_keys_is_good_for_the_same_in_both(
    name: str, refused: Path, tmp_path: Path
) -> None:
    data, wanted = FILES[name]
    keys = tmp_path / "keys"
    keys.write_bytes(data)
    assert by_script(refused, keys) == wanted
    assert by_program(refused, keys) == wanted


# Keys that were retired


def stated(*statements: Statement) -> bytes:
    return b"".join(line(each) + b"\n" for each in statements)


def test_a_key_may_not_have_signed_what_came_after_its_retirement_whoever_tells_of_that() -> None:
    """Who trusts the proof's own key does not follow those who retired it, but the bundle does."""
    latest = max(each.at for each in table("ambition_tricks").events)
    trusted = Trusted(((ORIGIN, OTHER_KEY.public.public),))
    for when, place in ((latest - 60_001, PROOF), (latest - 60_000, None)):
        data = rotated(FIRST, SECOND, retirement(4, OTHER_KEY, KEY, when))
        assert both(data, ANOTHER, trusted).place == place
        assert both(data).place == place


def test_a_retired_key_is_held_against_the_events_that_its_entry_covers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The first entry of a match may be another key's: what counts is what is in this one.

    The log is one from before moments were kept in order, in which a clock was set back.
    """
    monkeypatch.setattr(decide, "max", lambda at, _before: at, raising=False)
    at = Table(registry.game("high_card"), 2, is_seated=False)
    at.at += 36_000_000
    at.do(ClaimSeat(0, "player 0"))
    at.at = NOON
    at.do(ClaimSeat(1, "player 1"))
    at.play_on(Random(1))
    late = next(each.version for each in at.events if each.at > NOON + 3_600_000)
    gone = retirement(3, KEY, KEY, NOON + 3_600_000)
    for first, place in ((late, PROOF), (late + 1, None)):
        changes = {PROOF: proof(at, first=first).encode(), STATEMENTS: stated(FIRST, gone)}
        assert both(forged(bundled(at, ALL), changes)).place == place, first


# Strangers


def test_the_log_of_a_stranger_with_its_name_is_another_log(tmp_path: Path) -> None:
    """Anybody can sign something in a log's name; only who signed both contradicts itself."""
    paths: list[Path] = []
    for match_id, key in ((MATCH_ID, KEY), (OTHER_ID, KEY), (OTHER_ID, OTHER_KEY)):
        at = Table(registry.game("high_card"), 2, match_id=match_id).play_on(Random(3))
        changes = {PROOF: proof(at, key).encode(), KEYS: key_set([key.public])}
        paths.append(tmp_path / f"{len(paths)}.zip")
        paths[-1].write_bytes(forged(bundled(at, SPECTATOR), changes))
    ours, again, stranger = paths
    keys = tmp_path / "keys"
    keys.write_text(f"{OURS}\n{ANOTHER}")
    for files, trusted, codes in (
        ((ours, again), None, ["fork"]),
        ((ours, stranger), None, []),
        ((ours, stranger), keys, ["fork"]),
    ):
        given = () if trusted is None else ("--keys", trusted)
        code, made = report(*files, *given)
        own = examined(files, None if trusted is None else str(trusted))
        assert (code, [each["code"] for each in made["contradictions"]]) == (len(codes), codes)
        assert [each.code for each in own.contradictions] == codes
        for unchecked in (made["unchecked"], own.unchecked):
            assert (f"whose log {ORIGIN} is" in " ".join(unchecked)) == (not codes)
