"""Entropy in two steps: all commit, then all open, and the draws follow from all of it."""

from hashlib import sha256
from hmac import digest as hmac
from random import Random
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from events import decide
from events.canonical import canonical
from events.dealer import SeedDealer, match_seed
from events.decide import (
    CancelMatch,
    ClaimSeat,
    CommitEntropy,
    OpenEntropy,
    ReleaseSeat,
    StartMatch,
)
from events.entropy import commitment_of
from events.sealing import seal
from events.snapshots import Saved
from events.types import ChanceDrawn, EntropyOpened, Start, Status, kind_of
from events.verify import verify_log
from events.verify_view import verify_view
from tests.events.scripted import MATCH_ID, SEED, Table, changed, entries, where
from tests.games import high_card

OPENINGS = tuple(bytes([seat + 1]) * 32 for seat in range(2))


def seated(start: Start = Start.AUTO) -> Table:
    return Table(high_card.GAME, 2, takes_entropy=True, start=start)


def commit(table: Table, seat: int, opening: bytes | None = None) -> None:
    own = commitment_of(MATCH_ID, seat, OPENINGS[seat] if opening is None else opening)
    table.do(CommitEntropy(seat, own))


def contributed(table: Table) -> Table:
    for seat in range(2):
        commit(table, seat)
    for seat in range(2):
        table.do(OpenEntropy(seat, OPENINGS[seat].hex()))
    return table


def test_the_match_starts_once_all_have_opened() -> None:
    table = seated()
    kinds = [kind_of(each) for each in contributed(table).events]
    assert kinds[3:9] == [
        "entropy_committed",
        "entropy_committed",
        "entropy_closed",
        "entropy_opened",
        "entropy_opened",
        "match_started",
    ]
    assert table.current.created.steerable is None
    table.play_on(Random(1))
    assert verify_log(table.records).fault is None


def test_draws_come_from_the_seed_and_all_that_was_put_in() -> None:
    table = contributed(seated())
    said = canonical([each.hex() for each in OPENINGS])
    assert match_seed(SEED, tuple(each.hex() for each in OPENINGS)) == hmac(
        SEED, b"plyscribe/match-seed/1" + said, "sha256"
    )
    drawn = next(each for each in table.events if isinstance(each, ChanceDrawn))
    plain = contributed_with(OPENINGS[0], bytes(32))
    other = next(each for each in plain.events if isinstance(each, ChanceDrawn))
    assert drawn.label == other.label
    assert drawn.picks != other.picks


def contributed_with(*openings: bytes) -> Table:
    table = seated()
    for seat, opening in enumerate(openings):
        commit(table, seat, opening)
    for seat, opening in enumerate(openings):
        table.do(OpenEntropy(seat, opening.hex()))
    return table


def test_a_commitment_binds_match_and_seat() -> None:
    bound = bytes.fromhex(MATCH_ID.replace("-", ""))
    made = sha256(b"plyscribe/entropy/1" + bound + b"\x00\x01" + OPENINGS[1]).hexdigest()
    assert commitment_of(MATCH_ID, 1, OPENINGS[1]) == made


def test_a_seat_may_put_nothing_in() -> None:
    table = seated()
    table.do(CommitEntropy(0, None))
    commit(table, 1)
    table.do(OpenEntropy(1, OPENINGS[1].hex()))
    assert table.current.status is Status.RUNNING
    assert table.current.contributions == (None, OPENINGS[1].hex())


def test_a_seat_that_stays_away_stops_the_start() -> None:
    table = seated(Start.MANUAL)
    for seat in range(2):
        commit(table, seat)
    table.do(OpenEntropy(0, OPENINGS[0].hex()))
    assert table.current.entropy is not None
    assert table.current.entropy.awaited == (1,)
    with pytest.raises(decide.EntropyAwaited):
        table.do(StartMatch())
    with pytest.raises(decide.EntropyIsClosed):
        table.do(ReleaseSeat(1))
    table.do(CancelMatch())
    assert table.current.is_revealed
    assert verify_log(table.records).fault is None


def test_what_is_out_of_turn_is_refused() -> None:
    table = seated()
    with pytest.raises(decide.EntropyAwaited):
        table.do(OpenEntropy(0, OPENINGS[0].hex()))
    commit(table, 0)
    with pytest.raises(decide.EntropyIsClosed):
        commit(table, 0, bytes(32))
    commit(table, 1)
    with pytest.raises(decide.OpeningWrong):
        table.do(OpenEntropy(0, OPENINGS[1].hex()))
    with pytest.raises(decide.OpeningWrong):
        table.do(OpenEntropy(0, "no hex"))
    table.do(OpenEntropy(0, OPENINGS[0].hex()))
    with pytest.raises(decide.EntropyIsClosed):
        table.do(OpenEntropy(0, OPENINGS[0].hex()))
    with pytest.raises(decide.NoEntropy):
        Table(high_card.GAME, 2, start=Start.MANUAL).do(CommitEntropy(0, None))
    free = Table(high_card.GAME, 2, takes_entropy=True, is_seated=False)
    with pytest.raises(decide.SeatFree):
        free.do(CommitEntropy(0, None))


def test_whoever_takes_a_seat_commits_anew() -> None:
    table = seated()
    commit(table, 0)
    table.do(ReleaseSeat(0))
    commit(table, 1)
    table.do(ClaimSeat(0, "another"))
    assert table.current.entropy is not None
    assert table.current.entropy.awaited == (0,)
    commit(table, 0)
    assert table.current.entropy.is_closed


@pytest.mark.parametrize(
    ("kind", "fields", "code"),
    [
        ("entropy_opened", {"opening": bytes(32).hex()}, "entropy"),
        ("entropy_committed", {"commitment": "ab"}, "entropy"),
        ("chance_drawn", {"picks": (0, 1, 2, 3, 4, 5, 6, 7, 8, 9)}, "draw"),
    ],
)
def test_another_contribution_or_draw_is_found(kind: str, fields: Any, code: str) -> None:
    table = contributed(seated()).play_on(Random(2))
    version = next(e.version for e in table.events if kind_of(e) == kind)
    assert where(verify_log(changed(table, version, **fields))) == (version, code)


def test_a_viewer_finds_an_opening_that_was_not_committed_to() -> None:
    table = contributed(seated())
    assert verify_view(entries(table, 0), MATCH_ID, 2, 0).fault is None
    version = next(e.version for e in table.events if isinstance(e, EntropyOpened))
    step = table.steps[version - 1]
    lie = replace(step, event=replace(step.event, opening=bytes(32).hex()))
    table.sealed[:] = seal(
        [*table.steps[: version - 1], lie, *table.steps[version:]], table.dealer, table.entropy
    )
    assert where(verify_view(entries(table, 0), MATCH_ID, 2, 0)) == (version, "entropy")


def test_a_snapshot_holds_all_of_a_match() -> None:
    assert {"keys", "signed", "entropy"} <= set(Saved.__struct_fields__)
    table = contributed(seated())
    saved = msgspec.json.encode(table.current.entropy)
    assert msgspec.json.decode(saved, type=type(table.current.entropy)) == table.current.entropy


def test_a_dealer_gives_the_same_for_the_same_contributions() -> None:
    dealer = SeedDealer(SEED)
    mixed = dealer.of(("aa", None))
    assert dealer.of(()) is dealer
    assert dealer.of(("aa", None)) is mixed
    assert mixed.answer_salt(MATCH_ID, "1.0") != dealer.answer_salt(MATCH_ID, "1.0")
    assert mixed.answer_salt(MATCH_ID, "1.0") == SeedDealer(SEED, ("aa", None)).answer_salt(
        MATCH_ID, "1.0"
    )
