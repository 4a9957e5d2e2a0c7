"""An operator who lies, with all digests consistent, is found from what players keep on disk.

Each lie is told by the service itself, which signs it with its own keys; `plyscribe verify` finds
it in the files that players got over the doors.
"""

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from events import decide, observe, sealing
from events.canonical import raw
from events.dealer import SeedDealer
from events.evidence import REFUSAL
from events.following import following
from events.match import Match
from events.seat_keys import coded
from events.types import By, MatchRevealed
from games.core.game import Viewer
from games.core.moves import IllegalMove, Offer, moves, wire_move
from projections.projection import Encodings, project
from tests.service.cli.conftest import Run
from tests.service.cli.lying import (
    SEATS,
    Operator,
    Player,
    kept_away,
    lines_of,
    operator,
    taken_back,
)
from tests.service.client import Table, answer, bearer, decision_of, random_move
from tests.verifier import node

pytestmark = pytest.mark.parametrize("game", sorted(SEATS))
MOVES = 14


def report(run: Run, *words: str | Path) -> tuple[int, Any]:
    """The exit code and the report, with which the second verifier agrees as far as it can."""
    done = run("verify", *words, "--json")
    assert done.out, done.err
    (line,) = done.lines
    if node.IS_THERE:
        node.agree(done.code, line, *words)
    return done.code, line


def faults(told: Any, path: Path) -> list[tuple[str, str]]:
    (own,) = (each for each in told["files"] if each["file"] == str(path))
    return [(each["place"], each["code"]) for each in own["faults"]]


def contradictions(told: Any) -> set[tuple[str, str]]:
    return {(each["code"], each["reason"]) for each in told["contradictions"]}


def first(path: Path, is_it: Callable[[Any], bool]) -> str:
    version = next(each["version"] for each in lines_of(path) if is_it(each))
    return f"event {version}"


def test_an_honest_operator_is_found_honest(game: str, run: Run, tmp_path: Path) -> None:
    async def honest() -> tuple[Path, ...]:
        async with operator(tmp_path) as by:
            table, player = await by.table(game), Player(tmp_path / "kept", Random(1))
            await player.play(by, table, MOVES, looks=3)
            early = await by.bundle(table, "seat:1", "early")
            await by.end(table)
            full = await by.bundle(table, "full")
            return (full, early, player.receipts, *player.views, await by.keys())

    *files, keys = asyncio.run(honest())
    code, told = report(run, *files, "--keys", keys)
    assert (code, told["contradictions"], told["unchecked"]) == (0, [], [])
    assert all(each["ok"] for each in told["files"])
    assert sum(each["documents"] for each in told["files"]) == MOVES + 3


def test_an_operator_who_rewrites_history_before_the_last_receipt(
    game: str, run: Run, tmp_path: Path
) -> None:
    """It goes back to an earlier state of its database, and lets the match come out otherwise."""
    player, other = Player(tmp_path / "kept", Random(1)), Player(tmp_path / "other", Random(2))

    async def rewriting() -> tuple[Path, Path, Path]:
        async with operator(tmp_path) as by:
            table = await by.table(game)
            await player.play(by, table, 4)
        kept_away(tmp_path)
        async with operator(tmp_path) as by:
            await player.play(by, table, 6)
            early = await by.bundle(table, "seat:0", "early")
        taken_back(tmp_path)
        async with operator(tmp_path) as by:
            await other.play(by, table, 6)
            await by.end(table)
            return await by.bundle(table, "full"), early, await by.keys()

    full, early, keys = asyncio.run(rewriting())
    last = msgspec.json.decode(player.receipts.read_bytes().splitlines()[-1])
    code, told = report(run, player.receipts, full, "--keys", keys)
    assert (code, faults(told, full), faults(told, player.receipts)) == (1, [], [])
    assert ("head", f"event {last['last']} has another hash in the log") in contradictions(told)
    code, told = report(run, early, full, "--keys", keys)
    parted = next(
        version
        for version, (one, two) in enumerate(zip(lines_of(early), lines_of(full), strict=False), 1)
        if version > 6 and one["at"] != two["at"]
    )
    reason = f"event {parted} is not the same in both: there are two logs"
    assert (code, contradictions(told)) == (1, {("fork", reason)})


class OtherCards(SeedDealer):
    """Deals two cards the other way round than the seed says."""

    def places(self, label: str, offer: Offer, redraw: int = 0) -> tuple[int, ...]:
        found = super().places(label, offer, redraw)
        return (found[1], found[0], *found[2:]) if len(found) > 1 else found


def test_an_operator_who_deals_another_card_than_committed(
    game: str, run: Run, tmp_path: Path
) -> None:
    async def dealing() -> tuple[Path, Path, Path]:
        async with operator(tmp_path, dealer=lambda _, seed: OtherCards(seed)) as by:
            table, player = await by.table(game), Player(tmp_path / "kept", Random(1))
            await player.play(by, table, MOVES)
            await by.end(table)
            return await by.bundle(table, "full"), player.receipts, await by.keys()

    full, receipts, keys = asyncio.run(dealing())
    code, told = report(run, receipts, full, "--keys", keys)
    dealt = first(full, lambda each: len(each.get("picks", ())) > 1)
    assert (code, faults(told, full), contradictions(told)) == (1, [(dealt, "draw")], set())


def test_an_operator_who_shows_one_seat_another_position_than_the_log(
    game: str, run: Run, tmp_path: Path
) -> None:
    """Seat 0 sees what seat 1 should, under its own name and rightly signed."""

    def lying(_: Encodings, current: Match, viewer: Viewer) -> bytes:
        shown = project(current, 1 if viewer == 0 else viewer)
        named = msgspec.structs.replace(shown, viewer=0) if viewer == 0 else shown
        return msgspec.json.encode(named, order="deterministic")

    async def showing() -> tuple[Path, ...]:
        async with operator(tmp_path) as by:
            table, player = await by.table(game), Player(tmp_path / "kept", Random(1))
            await player.play(by, table, MOVES)
            true = await player.look(by, table, 1)
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(Encodings, "view", lying)
                false = await player.look(by, table, 0)
            await by.end(table)
            return false, true, await by.bundle(table, "full"), await by.keys()

    false, true, full, keys = asyncio.run(showing())
    code, told = report(run, false, true, full, "--keys", keys)
    version = msgspec.json.decode(false.read_bytes().partition(b"\r\n\r\n")[2])["version"]
    reason = f"seat:0 was shown something else at version {version}"
    assert (code, contradictions(told)) == (1, {("shown", reason)})
    (lie,) = told["contradictions"]
    assert lie["places"] == [f"{false}:1", str(full)]


def test_an_operator_who_shows_one_seat_another_event_than_the_log(
    game: str, run: Run, tmp_path: Path
) -> None:
    """Seat 0 is dealt to its face what seat 1 got; the chain commits to that."""
    honest = observe.facets

    def lying(before: Any, event: Any, seats: int, dealer: Any) -> tuple[bytes, ...]:
        made = honest(before, event, seats, dealer)
        return (made[0], made[2], *made[2:]) if len(set(made[1:3])) == 2 else made

    async def showing() -> tuple[Path, Path, Path]:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sealing, "facets", lying)
            async with operator(tmp_path) as by:
                table, player = await by.table(game), Player(tmp_path / "kept", Random(1))
                await player.play(by, table, MOVES)
                await by.end(table)
                return await by.bundle(table, "full"), player.receipts, await by.keys()

    full, receipts, keys = asyncio.run(showing())
    code, told = report(run, receipts, full, "--keys", keys)
    ((place, kind),) = faults(told, full)
    assert (code, kind) == (1, "facet")
    assert "not what seat 0 was shown" in run("verify", full).out
    version = int(place.removeprefix("event "))
    assert lines_of(full)[version - 1]["kind"] in ("chance_drawn", "move_played")


def test_an_operator_who_swaps_a_sealed_answer(game: str, run: Run, tmp_path: Path) -> None:
    """It commits to what the seat said, and plays something else that was on offer."""
    honest, swapped = decide._play, list[int]()

    def lying(current: Match, command: Any, dealer: Any, at: int, by: By = By.SEAT) -> Any:
        event, texts = honest(current, command, dealer, at, by)
        others = moves(decide._offers(current, command))
        wires = (raw(wire_move(each)) for each in others if not isinstance(each, Offer))
        other = next((wire for wire in wires if bytes(wire) != bytes(event.move)), None)
        if event.sealed is None or other is None or texts or swapped:
            return event, texts
        swapped.append(event.version)
        return msgspec.structs.replace(event, move=other), texts

    async def swapping() -> tuple[Path, Path, Path]:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(decide, "_play", lying)
            async with operator(tmp_path) as by:
                table, player = await by.table(game), Player(tmp_path / "kept", Random(1))
                await player.play(by, table, MOVES)
                await by.end(table)
                return await by.bundle(table, "full"), player.receipts, await by.keys()

    full, receipts, keys = asyncio.run(swapping())
    code, told = report(run, receipts, full, "--keys", keys)
    assert (code, faults(told, full)) == (1, [(f"event {swapped[0]}", "answer")])


def test_an_operator_who_plays_in_a_keyed_seat_s_name(game: str, run: Run, tmp_path: Path) -> None:
    key = coded(Ed25519PrivateKey.generate().public_key().public_bytes_raw())

    async def playing() -> tuple[Path, Path, Path]:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(decide, "_check_signed", lambda *_: None)
            async with operator(tmp_path) as by:
                table, player = await by.table(game, key=key), Player(tmp_path / "kept", Random(1))
                await player.play(by, table, MOVES)
                public = await by.bundle(table, "public")
                await by.end(table)
                return public, await by.bundle(table, "full"), await by.keys()

    public, full, keys = asyncio.run(playing())
    played = first(full, lambda each: each["kind"] == "move_played" and each["seat"] == 0)
    for path in (public, full):
        code, told = report(run, path, "--keys", keys)
        assert (code, faults(told, path)) == (1, [(played, "signature")])


def test_an_operator_who_withholds_the_reveal(game: str, run: Run, tmp_path: Path) -> None:
    honest = following

    def lying(*about: Any) -> Any:
        found = honest(*about)
        return None if isinstance(found, MatchRevealed) else found

    async def withholding() -> tuple[Path, Path]:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(decide, "following", lying)
            async with operator(tmp_path) as by:
                table, player = await by.table(game), Player(tmp_path / "kept", Random(1))
                await player.play(by, table, MOVES)
                await by.end(table)
                return await by.bundle(table, "seat:0"), await by.keys()

    own, keys = asyncio.run(withholding())
    later = (datetime.now(UTC) + timedelta(hours=1)).isoformat()
    code, told = report(run, own, "--keys", keys, "--as-of", later)
    end = len(lines_of(own))
    assert lines_of(own)[-1]["kind"] == "match_cancelled"
    assert (code, faults(told, own)) == (1, [(f"event {end + 1}", "overdue")])
    at_the_time = datetime.fromtimestamp(lines_of(own)[-1]["at"] / 1000, UTC).isoformat()
    assert run("verify", own, "--keys", keys, "--as-of", at_the_time).code == 0


def test_an_operator_who_forks_the_log(game: str, run: Run, tmp_path: Path) -> None:
    """Two holders were shown two logs from the same beginning; any two things they kept tell."""
    one, two = Player(tmp_path / "one", Random(1)), Player(tmp_path / "two", Random(2))

    async def forking() -> tuple[list[Path], list[Path], Path]:
        async with operator(tmp_path) as by:
            table = await by.table(game)
        kept_away(tmp_path)
        held = []
        for name, player in (("one", one), ("two", two)):
            taken_back(tmp_path)
            async with operator(tmp_path) as by:
                await player.play(by, table, 6, looks=6)
                head = await by.http.get(table.path + "/events", headers=bearer(table.tokens[2]))
                (player.folder / "head.json").write_bytes(head.content)
                own = await by.bundle(table, "public", name)
                held.append([player.receipts, player.folder / "head.json", own])
                keys = await by.keys()
        return held[0], held[1], keys

    ones, twos, keys = asyncio.run(forking())
    for mine in ones:
        for yours in twos:
            code, told = report(run, mine, yours, "--keys", keys)
            assert (code, all(each["ok"] for each in told["files"])) == (1, True), (mine, yours)
            assert {each["code"] for each in told["contradictions"]} <= {"fork", "head", "twice"}


def test_an_operator_who_refuses_what_was_on_offer(game: str, run: Run, tmp_path: Path) -> None:
    """It says that a decision was closed, or that a move was not offered; the seat keeps it."""

    async def refusing_moves() -> tuple[Path, Path, Path]:
        async with operator(tmp_path) as by:
            table, player = await by.table(game), Player(tmp_path / "kept", Random(1))
            await player.play(by, table, MOVES)
            told = await _wrongly_refused(by, table)
            await by.end(table)
            path = tmp_path / "refusals.json"
            path.write_bytes(msgspec.json.encode(told))
            return path, await by.bundle(table, "full"), await by.keys()

    path, full, keys = asyncio.run(refusing_moves())
    code, told = report(run, path, full, "--keys", keys)
    reasons = {each["reason"] for each in told["contradictions"] if each["code"] == "refusal"}
    assert code == 1
    assert any("was wrong: the move was on offer" in each for each in reasons), reasons
    assert len(reasons) == 2


async def _wrongly_refused(by: Operator, table: Table) -> Any:
    """The refusals of a seat whose possible moves the service does not take."""
    asked = [await decision_of(by.http, table, seat) for seat in range(len(table.tokens))]
    seat = next(s for s, each in enumerate(asked) if each["decision"] and each["decision"]["id"])
    own = asked[seat]["decision"]
    for refused in (IllegalMove("?"), decide.DecisionClosed()):

        def lying(*_: Any, refused: Exception = refused) -> Any:
            raise refused

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(decide, "_play", lying)
            move = random_move(own["offers"], Random(3))
            told = await answer(by.http, table, seat, own["id"], move)
            assert told.json()["evidence"]["document"]["tag"] == REFUSAL
    got = await by.http.get(table.path + "/refusals", headers=bearer(table.tokens[seat]))
    return got.json()
