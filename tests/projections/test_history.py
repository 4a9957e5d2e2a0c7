"""Pages of observations: the same bytes whether they are remembered, folded anew or folded on."""

from collections.abc import Iterable
from random import Random

import msgspec
import pytest

from events.dealer import Dealer
from events.disputing import TakeLook
from events.proof import Proof
from events.rulings import Note
from events.types import Record, TextRow
from events.verify import verify_view
from games import registry
from games.core.game import ALL, SPECTATOR
from projections.history import Entry, History
from tests.events.disputed import ARBITER, ruled, to_boundary
from tests.events.scripted import MATCH_ID, Table


class WrittenLog:
    """A log in memory that counts what is read of it."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.read = 0

    async def records(self, match_id: str, after: int, limit: int) -> list[Record]:
        found = list(self.table.records[after : after + limit])
        self.read += len(found)
        return found

    async def texts(self, match_id: str, after: int, through: int) -> list[TextRow]:
        return [row for row in self.table.texts if after < row.version <= through]


def history(table: Table) -> tuple[History, WrittenLog]:
    async def dealer_of(match_id: str) -> Dealer:
        return table.dealer

    log = WrittenLog(table)
    return History(log, dealer_of), log


@pytest.fixture(scope="module")
def table() -> Table:
    return Table(registry.game("ambition_characters"), 3).play_on(Random(5), talk=0.2)


VIEWERS = (0, 1, 2, SPECTATOR)


async def everything(
    pages: History, table: Table, viewer: int, step: int, *, proof: bool = False
) -> list[Entry]:
    entries: list[Entry] = []
    last = table.current.version
    while len(entries) < last:
        entries += await pages.page(MATCH_ID, viewer, len(entries), step, through=last, proof=proof)
    return entries


def bodies(entries: Iterable[Entry]) -> list[bytes]:
    return [entry.body for entry in entries]


@pytest.mark.parametrize("viewer", VIEWERS)
async def test_a_page_is_the_same_remembered_folded_or_in_pieces(table: Table, viewer: int) -> None:
    folded, _ = history(table)
    remembered, log = history(table)
    remembered.remember(MATCH_ID, table.sealed, table.texts)
    whole = bodies(await everything(folded, table, viewer, 10_000))
    assert bodies(await everything(remembered, table, viewer, 10_000)) == whole
    assert log.read == 0
    pieces, _ = history(table)
    assert bodies(await everything(pieces, table, viewer, 7)) == whole


async def test_following_a_match_folds_each_event_once(table: Table) -> None:
    following, log = history(table)
    for version in range(1, table.current.version + 1):
        await following.page(MATCH_ID, 0, version - 1, 50, through=version, proof=False)
    assert log.read == table.current.version


async def test_going_back_folds_from_the_beginning(table: Table) -> None:
    pages, _ = history(table)
    late = await pages.page(MATCH_ID, 0, 60, 1, through=200, proof=False)
    early = await pages.page(MATCH_ID, 0, 10, 1, through=200, proof=False)
    assert [entry.version for entry in (*late, *early)] == [61, 11]
    straight, _ = history(table)
    assert bodies(await everything(straight, table, 0, 100))[10] == early[0].body


async def test_nothing_beyond_the_version_asked_through(table: Table) -> None:
    pages, _ = history(table)
    page = await pages.page(MATCH_ID, 0, 5, 50, through=8, proof=False)
    assert [entry.version for entry in page] == [6, 7, 8]
    assert await pages.page(MATCH_ID, 0, 8, 50, through=8, proof=False) == []


@pytest.mark.parametrize("viewer", VIEWERS)
async def test_the_chain_verifies_from_a_viewers_own_pages(table: Table, viewer: int) -> None:
    pages, _ = history(table)
    entries = await everything(pages, table, viewer, 20, proof=True)
    proofs = [
        (entry.body, msgspec.convert(msgspec.json.decode(entry.body)["proof"], Proof))
        for entry in entries
    ]
    verdict = verify_view(proofs, MATCH_ID, 3, viewer)
    assert verdict.is_sound, verdict.fault


async def test_texts_are_joined_where_the_viewer_sees_their_digest(table: Table) -> None:
    assert table.texts
    pages, _ = history(table)
    for entry in await everything(pages, table, SPECTATOR, 100):
        shown = msgspec.json.decode(entry.body)
        said = [row for row in table.texts if row.version == entry.version]
        assert bool(said) == ("texts" in shown)
        for row in said:
            assert shown["texts"][row.field] == {"text": row.text, "salt": row.salt.hex()}


async def test_the_full_perspective_gives_the_bodies(table: Table) -> None:
    pages, _ = history(table)
    entries = await everything(pages, table, ALL, 20, proof=True)
    for entry, record in zip(entries, table.records, strict=True):
        shown = msgspec.json.decode(entry.body)
        proof = shown.pop("proof")
        shown.pop("texts", None)
        assert shown == msgspec.json.decode(record.body)
        assert proof["salts"] == {"event": record.salt.hex()}


@pytest.mark.parametrize("step", [1, 7, 1000])
async def test_pages_of_a_rewound_match_are_the_same_however_they_are_read(step: int) -> None:
    at = Table(registry.game("high_card"), 3).play_on(Random(5), most=9)
    at.do(TakeLook(ARBITER, 1, 5))
    ruled(at, to_boundary(at, "round 1"))
    at.play_on(Random(6))
    remembering, _ = history(at)
    remembering.remember(MATCH_ID, at.sealed, at.texts)
    for viewer in VIEWERS:
        pages, _ = history(at)
        found = await everything(pages, at, viewer, step)
        assert found == await everything(remembering, at, viewer, 1000)
        proved = await everything(pages, at, viewer, step, proof=True)
        entries = [
            (entry.body, msgspec.convert(msgspec.json.decode(entry.body)["proof"], Proof))
            for entry in proved
        ]
        assert verify_view(entries, MATCH_ID, 3, viewer).fault is None


async def test_claims_and_reasons_are_joined_on() -> None:
    at = Table(registry.game("high_card"), 2)
    ruled(at, Note())
    pages, _ = history(at)
    found = await everything(pages, at, SPECTATOR, 100)
    said = [msgspec.json.decode(entry.body).get("texts") for entry in found]
    assert [each["claim"]["text"] for each in said if each and "claim" in each] == ["It was not so"]
    assert [each["reason"]["text"] for each in said if each and "reason" in each] == ["Because"]
