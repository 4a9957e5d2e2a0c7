"""Snapshots that are not what the log folds to are found; no others are taken for such."""

from pathlib import Path
from random import Random
from uuid import uuid4

import msgspec
import pytest
from msgspec.structs import replace

from events import snapshots
from events.match import fold
from events.snapshots import MatchCache, Saved, Wrong, save, saved
from events.store import Store
from games import registry
from tests.events.scripted import Table
from tests.events.test_logs import LOGS, read
from tests.events.test_snapshots import LONG, same, stored


@pytest.fixture
def table() -> Table:
    """A match of high card played for a while."""
    return Table(registry.game("high_card"), 2, match_id=str(uuid4())).play_on(Random(1), most=4)


@pytest.mark.parametrize("is_sampled", [True, False])
@pytest.mark.parametrize("page", [3, 500])
async def test_of_a_snapshot_that_is_wrong_the_log_wins(
    store: Store, table: Table, monkeypatch: pytest.MonkeyPatch, page: int, is_sampled: bool
) -> None:
    """It is noticed when it is the turn of a match, and when it leads to what can't be."""
    monkeypatch.setattr(snapshots, "PAGE", page)
    match_id, start = table.current.match_id, len(table.records)
    await stored(store, table)
    wrong = replace(table.current, state=table.steps[0].after.state, at=0)
    await save(store, wrong)
    if not is_sampled:
        table.play_on(Random(2), most=3)
        await stored(store, table, start)
    told: list[tuple[str, Wrong]] = []
    reading = MatchCache(store, every=LONG, wrong=lambda *each: told.append(each))
    reading._restored = 0 if is_sampled else 1
    assert same(await reading.load(match_id), table.current)
    await reading.close()
    assert told == [(match_id, Wrong.SNAPSHOT)]
    assert same(await saved(store, match_id), table.current)


async def test_one_of_so_many_snapshots_is_looked_at_the_first_among_them(store: Store) -> None:
    played = [
        Table(registry.game("high_card"), 2, match_id=str(uuid4())).play_on(Random(n), most=4)
        for n in range(7)
    ]
    told: list[str] = []
    reading = MatchCache(
        store, every=1, wrong=lambda match_id, _what: told.append(match_id), check_every=3
    )
    for each in played:
        await stored(store, each)
        await save(store, replace(each.current, at=each.current.at + 1))
        assert await reading.load(each.current.match_id) is not None
    await reading.close()
    assert told == [played[n].current.match_id for n in (0, 3, 6)]


async def test_of_what_is_sound_nothing_is_told(store: Store, table: Table) -> None:
    match_id, start = table.current.match_id, len(table.records)
    await stored(store, table)
    await save(store, table.current)
    table.play_on(Random(2), most=3)
    await stored(store, table, start)
    told: list[tuple[str, Wrong]] = []
    reading = MatchCache(store, every=LONG, wrong=lambda *each: told.append(each))
    assert same(await reading.load(match_id), table.current)
    assert await reading.load(str(uuid4())) is None
    assert not told


@pytest.mark.parametrize("path", sorted(LOGS.glob("*.jsonl")), ids=lambda path: path.stem)
def test_every_log_folds_to_what_its_snapshots_were(path: Path) -> None:
    """Disputes, rewinds, clocks and erasures: saved at any version, and folded on from there."""
    records, _ = read(path)
    end = fold(records)
    assert end is not None
    last_rewind = max((each.version for each in records if each.kind == "match_rewound"), default=0)
    rng = Random(path.stem)
    for version in {len(records), *rng.sample(range(1, len(records)), min(20, len(records) - 1))}:
        whole = fold(records[:version])
        assert whole is not None
        plain = snapshots._encoded(whole)
        back = snapshots._restored(msgspec.json.decode(plain, type=Saved), whole.game)
        assert snapshots._encoded(back) == plain
        if version >= last_rewind:
            on = fold(records[version:], back)
            assert on is not None
            assert snapshots._encoded(on) == snapshots._encoded(end)
