"""What `erased` events name, what they do to a match, and what nobody learns by them."""

from random import Random

import pytest
from msgspec.structs import replace
from sqlalchemy import select

from events.append import Append, Appended, SeatRow
from events.bundle import TEXTS, text_line
from events.canonical import canonical, decoded
from events.database import Database
from events.disputing import EraseTexts
from events.erasing import Erasing
from events.erasure import erased, holders
from events.observe import observe
from events.refusals import TextNotFound
from events.rulings import ReplaceSeat
from events.store import Store
from events.tables import ERASURE, HELD
from events.types import Erased, Record, TextRow
from events.verify import verify_log
from events.verify_bundle import verify_bundle
from games import registry
from games.core.game import ALL, SPECTATOR
from tests.events.appends import creation, following
from tests.events.bundled import bundled, forged, members
from tests.events.disputed import opened, ruled
from tests.events.scripted import Table


def spoken() -> Table:
    """Seats 0 and 1 have said something each, then seat 1 opened a dispute."""
    game = registry.game("high_card")
    table = Table(game, 3, game.options(rounds=1))
    for seat in (0, 1):
        table.say(seat, {"type": "speak", "text": f"by {seat}"})
    opened(table, 1)
    return table


def named(table: Table) -> dict[tuple[int, str], int]:
    lines = [decoded(record.body) for record in table.records]
    return erased(lines, [(row.version, row.field) for row in table.texts])


def test_one_text_or_all_of_a_seat_so_far_is_named() -> None:
    table = spoken()
    first, second, claim = (row.version for row in table.texts)
    table.do(EraseTexts(of=first, field="text"))
    assert named(table) == {(first, "text"): table.current.version}
    table.do(EraseTexts(seat=1))
    last = table.current.version
    table.say(1, {"type": "speak", "text": "again"})
    assert named(table) == {
        (first, "text"): last - 1,
        (second, "text"): last,
        (claim, "claim"): last,
    }


def test_what_a_holder_said_is_told_from_what_the_next_one_says() -> None:
    table = spoken()
    ruled(table, ReplaceSeat(seat=1, holder="another"))
    table.say(1, {"type": "speak", "text": "new here"})
    said = [row.version for row in table.texts if row.field == "text"]
    table.do(EraseTexts(seat=1, holder="player 1"))
    assert {version for version, field in named(table) if field == "text"} == {said[1]}
    table.do(EraseTexts(seat=1, holder="another"))
    assert {version for version, field in named(table) if field == "text"} == {said[1], said[2]}
    seen = [observe(s.before, s.event, SPECTATOR, table.dealer) for s in table.steps]
    told = [decoded(each) for each in map(canonical, seen)]
    assert holders(told) == holders([decoded(record.body) for record in table.records])


def test_nothing_else_changes_and_the_log_holds_at_any_time() -> None:
    for moment in (0, 2, 1000):
        table = spoken().play_on(Random(5), most=moment, talk=0)
        before = table.current
        table.do(EraseTexts(seat=0))
        after = table.current
        changed = {"version", "head", "at"}
        for name in before.__struct_fields__:
            assert (getattr(before, name) == getattr(after, name)) or name in changed
        assert before.is_revealed is (moment == 1000)
        table.play_on(Random(5))
        found = verify_log(table.records, texts=table.texts)
        assert (found.fault, found.unchecked) == (None, ())


@pytest.mark.parametrize(
    "command",
    [
        EraseTexts(),
        EraseTexts(of=1),
        EraseTexts(of=99, field="text"),
        EraseTexts(of=1, field="Text"),
        EraseTexts(of=1, field="text", seat=1),
        EraseTexts(seat=1, hidden=True),
        EraseTexts(seat=1, field="text"),
        EraseTexts(seat=1, holder=""),
        EraseTexts(holder="player 1"),
    ],
)
def test_an_erasure_names_one_text_or_one_seat(command: EraseTexts) -> None:
    table = spoken()
    with pytest.raises(TextNotFound):
        table.do(command)


def test_nobody_is_told_which_hidden_text_was_meant() -> None:
    table = spoken()
    told = []
    for of in (4, 5):
        event = Erased(version=table.current.version + 1, at=1, of=of, field="text", hidden=True)
        viewers = (SPECTATOR, 0, 1, 2)
        told += [observe(table.current, event, each, table.dealer) for each in viewers]
    assert set(map(canonical, told)) == {canonical(told[0])}
    assert (told[0].data, told[0].seat) == (None, None)
    shown = observe(table.current, replace(event, hidden=False), 0, table.dealer)
    assert decoded(shown.data or b"") == {"field": "text", "of": 5}


@pytest.mark.parametrize("viewer", [ALL, SPECTATOR, 2])
def test_a_bundle_that_keeps_an_erased_text_is_wrong(viewer: int) -> None:
    table = spoken()
    kept = table.texts[0]
    table.do(EraseTexts(of=kept.version, field=kept.field))
    table.play_on(Random(5), talk=0)
    table.texts.remove(kept)
    sound = bundled(table, viewer, proved=False)
    assert verify_bundle(sound).is_sound
    lines = b"".join(map(_line, [kept, *table.texts]))
    assert lines.count(b"\n") == members(sound)[TEXTS].count(b"\n") + 1
    found = verify_bundle(forged(sound, {TEXTS: lines}))
    assert found.fault is not None
    assert (found.fault.code, found.fault.version) == ("erased", kept.version)


async def test_event_and_rows_go_together(database: Database) -> None:
    store = Store(database)
    texts = (TextRow(1, "claim", bytes(32), "a"), TextRow(1, "reason", bytes(32), "b"))
    first = creation(texts=texts, seats=(SeatRow(0, "p_0", "ada"), SeatRow(1, "p_1", "bob")))
    await store.append(first)
    erasing = Erasing(None, None, 0, "p_0", "asked for", texts=((1, "claim"), (9, "none")))
    second = following(first, "erase", erases=erasing)
    wrong = replace(_erased(second), expected_version=7, records=_moved(second, 8))
    assert not isinstance(await store.append(wrong), Appended)
    assert len(await store.texts(first.match_id, 0, 9)) == 2
    assert isinstance(await store.append(_erased(second)), Appended)
    assert await store.texts(first.match_id, 0, 9) == [texts[1]]
    assert await store.seats(first.match_id) == [SeatRow(0, "p_0", None), SeatRow(1, "p_1", "bob")]
    held = select(HELD.c.account).where(HELD.c.match_id == first.match_id)
    assert await database.read(lambda c: list(c.execute(held).scalars())) == ["bob"]
    noted = select(ERASURE).where(ERASURE.c.match_id == first.match_id)
    (row,) = await database.read(lambda c: c.execute(noted).all())
    assert tuple(row)[1:] == (2, None, None, 0, "p_0", second.last.at, "asked for")


def _erased(append: Append) -> Append:
    (record,) = append.records
    return replace(append, records=(replace(record, kind="erased"),))


def _moved(append: Append, version: int) -> tuple[Record, ...]:
    (record,) = append.records
    return (replace(record, kind="erased", version=version),)


def _line(row: TextRow) -> bytes:
    return text_line(row) + b"\n"
