"""`plyscribe verify` of documents, logs, statements and bundles together, and keys that changed."""

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest

from events.bundle import EVENTS, FACETS, HEADS, MANIFEST, STATEMENTS
from events.canonical import decoded
from events.notes import verifier_key
from events.signing import Purpose
from service.signing_keys import OVERLAP_MS
from tests.events.bundled import forged, members
from tests.service.cli.conftest import Run
from tests.service.cli.lying import Operator, Player, operator
from tests.service.cli.test_operator_lies import contradictions, faults, report
from tests.service.client import Table, answer, bearer, decision_of

GAME = "ambition_tricks"
HOUR_MS = 3_600_000


class Clock:
    def __init__(self) -> None:
        self.now = int(datetime.now(UTC).timestamp() * 1000) - 24 * HOUR_MS

    def __call__(self) -> int:
        return self.now


async def log_of(by: Operator, table: Table, perspective: str, seat: int = 0) -> Path:
    """Events with proofs, as pages of 500."""
    params: dict[str, str | int] = {"perspective": perspective, "proof": "true", "limit": 500}
    got = await by.http.get(
        f"{table.path}/events", params=params, headers=bearer(table.tokens[seat])
    )
    assert got.status_code == 200, got.text
    path = by.folder / f"{perspective}-{seat}.json"
    path.write_bytes(got.content)
    return path


async def statements_of(by: Operator) -> Path:
    path = by.folder / "statements.json"
    path.write_bytes((await by.http.get("/v1/log/statements")).content)
    return path


async def rotated(by: Operator, clock: Clock, purpose: Purpose) -> None:
    await by.app.parts.feeding.catch_up()
    await by.app.parts.keys.rotate(purpose)
    await by.app.parts.feeding.catch_up()
    clock.now += OVERLAP_MS + HOUR_MS


class Kept(msgspec.Struct):
    """Of a match during which both keys were changed; `first` is the verifier key of before."""

    first: str
    full: Path
    early: Path
    receipts: Path
    views: tuple[Path, ...]
    log: Path
    own: Path
    statements: Path
    keys: Path


@pytest.fixture
def kept(tmp_path: Path) -> Kept:
    return asyncio.run(_kept(tmp_path, Clock()))


async def _kept(folder: Path, clock: Clock) -> Kept:
    async with operator(folder, clock=clock) as by:
        await by.app.parts.feeding.catch_up()
        origin, (key,) = by.app.parts.keys.origin, by.app.parts.keys.active(Purpose.CHECKPOINTS)
        table, player = await by.table(GAME), Player(folder / "kept", Random(1))
        await player.play(by, table, 4, looks=2)
        for purpose in (Purpose.CHECKPOINTS, Purpose.RECEIPTS):
            await rotated(by, clock, purpose)
        await player.play(by, table, 4, looks=2)
        asked = (await decision_of(by.http, table, 0))["decision"]
        await answer(by.http, table, 0, asked["id"] or "1.0", {"type": "nothing"})
        early = await by.bundle(table, "seat:0", "early")
        await by.end(table)
        return Kept(
            verifier_key(origin, key.public.public),
            await by.bundle(table, "full"),
            early,
            player.receipts,
            tuple(player.views),
            await log_of(by, table, "full"),
            await log_of(by, table, "own"),
            await statements_of(by),
            await by.keys(),
        )


def test_who_trusts_the_first_key_alone_verifies_all_of_it(kept: Kept, run: Run) -> None:
    files = (kept.full, kept.early, kept.receipts, *kept.views, kept.log, kept.own)
    code, told = report(run, *files, "--keys", kept.first)
    assert contradictions(told) == set()
    assert (code, told["unchecked"]) == (0, [])
    code, told = report(run, kept.receipts, *kept.views, kept.statements, "--keys", kept.first)
    assert code == 0
    assert not [each for each in told["unchecked"] if "signature" in each]


def test_without_statements_nobody_vouches_for_the_new_key(kept: Kept, run: Run) -> None:
    code, told = report(run, kept.receipts, "--keys", kept.first)
    assert (code, told["unchecked"][0]) == (0, "signatures: no key for receipts is trusted")
    cut = kept.statements.with_name("cut.json")
    page = decoded(kept.statements.read_bytes())
    first = [e for e in page["statements"] if e["statement"]["at"] == min_at(page)]
    cut.write_bytes(msgspec.json.encode({"statements": first}))
    code, told = report(run, kept.receipts, cut, "--keys", kept.first)
    assert code == 1
    assert {code for _, code in faults(told, kept.receipts)} == {"signature"}


def min_at(page: Any) -> int:
    return min(int(each["statement"]["at"]) for each in page["statements"])


def test_without_keys_it_stays_open_whose_the_signatures_are(kept: Kept, run: Run) -> None:
    code, told = report(run, kept.receipts)
    assert (code, told["unchecked"][0]) == (0, "signatures: no keys were given")
    code, told = report(run, kept.receipts, kept.full)
    assert (code, told["unchecked"]) == (0, ["whose the signatures are: no keys were given"])
    lines = kept.receipts.read_bytes().replace(b'"seat":0', b'"seat":1', 1)
    kept.receipts.write_bytes(lines)
    code, told = report(run, kept.receipts, kept.full)
    assert code == 1, "what the bundle's own keys signed is checked all the same"
    assert ("signature" in {code for _, code in faults(told, kept.receipts)}) is True


def test_what_a_retired_key_signed_of_a_later_event_is_found(kept: Kept, run: Run) -> None:
    """A view of late, signed by the key that was retired an hour before."""
    asyncio.run(_signed_late(kept))
    code, told = report(run, kept.views[-1], kept.full, "--keys", kept.keys)
    assert code == 1
    assert {each for each, _ in contradictions(told)} == {"late"}
    code, told = report(run, kept.views[-1], "--keys", kept.keys)
    assert code == 0, "without the log it can't be told when it was signed"


async def _signed_late(kept: Kept) -> None:
    from events.evidence import VIEW, document, payload_of
    from events.signing import sign

    folder, path = kept.full.parent, kept.views[-1]
    head, _, body = path.read_bytes().partition(b"\r\n\r\n")
    lines = head.split(b"\r\n")
    place = next(n for n, x in enumerate(lines) if x.lower().startswith(b"plyscribe-evidence:"))
    told = decoded(lines[place].partition(b":")[2])
    async with operator(folder) as by:
        old = [k for k in by.app.parts.keys._keys if k.public.purpose is Purpose.RECEIPTS][-1]
        payload = msgspec.json.encode(told["payload"], order="sorted")
        evidence = document(VIEW, payload, sign(old, VIEW, payload))
        assert payload_of(evidence)
    lines[place] = b"plyscribe-evidence: " + msgspec.json.encode(evidence)
    path.write_bytes(b"\r\n".join(lines) + b"\r\n\r\n" + body)


def test_receipt_check_takes_a_bundle_for_a_log(kept: Kept, run: Run) -> None:
    words = (kept.receipts, "--keys", kept.keys, "--log", kept.full, "--json")
    checked, verified = (
        run("receipt", "check", *words),
        run("verify", *words[:3], kept.full, "--json"),
    )
    assert checked.code == 0, checked.out
    assert checked.lines == verified.lines, "one implementation, one form"


def test_a_log_is_what_a_bundle_is(kept: Kept, run: Run) -> None:
    lines = decoded(kept.log.read_bytes())
    lines["events"][4]["at"] += 1
    touched = kept.log.with_name("touched.json")
    touched.write_bytes(msgspec.json.encode(lines))
    code, told = report(run, touched, kept.full, kept.own)
    assert (code, faults(told, touched), faults(told, kept.full)) == (
        1,
        [("event 5", "commitment")],
        [],
    )


def test_an_older_file_of_a_match_is_not_overdue(kept: Kept, run: Run) -> None:
    later = (datetime.now(UTC) + timedelta(days=400)).isoformat()
    assert run("verify", kept.early, kept.full, "--as-of", later).code == 0


def test_files_of_several_matches_are_kept_apart(kept: Kept, run: Run, tmp_path: Path) -> None:
    other = tmp_path / "another"
    other.mkdir()
    again = asyncio.run(_kept(other, Clock()))
    files = (kept.full, again.full, kept.receipts, again.receipts)
    code, told = report(run, *files)
    assert (code, told["contradictions"]) == (0, [])
    assert len({each["match_id"] for each in told["files"]} - {None}) == 2
    code, told = report(run, *files, "--keys", kept.keys)
    assert code == 1, "another service's keys"
    assert faults(told, again.receipts)
    assert not faults(told, kept.receipts)


def test_damage_of_any_kind_is_told_and_nothing_breaks(kept: Kept, run: Run) -> None:
    """Events, or whole members, that are not what they were, beside documents of the match."""
    data, rng = kept.full.read_bytes(), Random(5)
    lines = members(data)[EVENTS].splitlines(keepends=True)
    changes: list[dict[str, bytes | None]] = [
        {EVENTS: b"".join([*lines[:5], each, *lines[6:]])}
        for each in (b"[]\n", b"{}\n", b"null\n", b"x\n", b'{"at":"x","kind":1,"version":6}\n')
    ]
    changes += [{name: None} for name in members(data) if name != MANIFEST]
    changes += [{HEADS: rng.randbytes(64)}, {FACETS: rng.randbytes(640)}, {STATEMENTS: b"{}\n"}]
    for change in changes:
        kept.full.write_bytes(forged(data, change))
        code, told = report(run, kept.full, kept.receipts, *kept.views, "--keys", kept.first)
        is_optional = change.keys() <= {STATEMENTS}
        assert code == 1, change.keys()
        assert faults(told, kept.full) or is_optional
    for size in (0, 1, 30, len(data) // 2):
        kept.full.write_bytes(data[:size])
        assert report(run, kept.full, kept.receipts)[0] == 1
