"""Matches of a deal group: dealt alike, closed by policy, revealed together, all of it checked."""

from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from events import closing
from events.decide import (
    CancelMatch,
    CloseMatch,
    GroupClosed,
    OfGroup,
    Resign,
    RevealMatch,
    StartMatch,
)
from events.observe import observe
from events.refusals import GroupMatchOver, MatchRevealedAlready, RulingImpossible
from events.rulings import ReplaceSeat, Rewind, Void
from events.types import (
    DONE,
    LIVE,
    ChanceDrawn,
    Closing,
    DisputeRuled,
    MatchClosed,
    MatchCreated,
    MovePlayed,
    Outcome,
    Record,
    Start,
    Status,
    Terminal,
)
from events.verify import verify_log, verify_view
from games import registry
from games.core.game import ALL, SPECTATOR
from tests.events.disputed import reviewed, ruled
from tests.events.scripted import (
    GROUP_ID,
    MATCH_ID,
    NOON,
    OTHER_ID,
    Table,
    changed,
    entries,
    resealed,
    where,
)

TIME = NOON + 3_600_000


def group(policy: Closing = Closing.CANCEL, closes_at: int = TIME) -> OfGroup:
    return OfGroup(GROUP_ID, closes_at, policy)


def table(name: str = "high_card", seats: int = 3, **more: Any) -> Table:
    more.setdefault("group", group())
    return Table(registry.game(name), seats, **more)


def draws(at: Table) -> dict[tuple[str, str], tuple[int, ...]]:
    """The picks by label and offer."""
    return {(e.label, e.offer): e.picks for e in at.events if isinstance(e, ChanceDrawn)}


def closed(at: Table, *, early: bool = False) -> Table:
    if not early:
        at.at = TIME
    at.do(CloseMatch(early))
    return at


@pytest.mark.parametrize("name", ["ambagibus", "ambition_tricks", "ambition_characters"])
def test_what_has_the_same_label_and_offer_is_dealt_alike(name: str) -> None:
    seats = registry.game(name).trials[0][1]
    one = table(name, seats).play_on(Random(1))
    other = table(name, seats, match_id=OTHER_ID).play_on(Random(2))
    same = draws(one).keys() & draws(other).keys()
    assert same
    assert {key: draws(one)[key] for key in same} == {key: draws(other)[key] for key in same}
    alone = Table(registry.game(name), seats, seed=bytes(32))
    assert draws(alone) != {key: draws(one)[key] for key in draws(alone)}


def test_event_1_names_the_group_and_how_it_closes() -> None:
    created = table(group=group(Closing.FORFEIT)).events[0]
    assert isinstance(created, MatchCreated)
    pinned = (created.deal_group, created.closes_at, created.closing)
    assert pinned == (GROUP_ID, TIME, Closing.FORFEIT)
    shown = observe(None, created, SPECTATOR, table().dealer)
    assert b'"deal_group":"%b"' % GROUP_ID.encode() in bytes(shown.data or b"")
    alone = Table(registry.game("high_card"), 3).events[0]
    assert b"clos" not in bytes(observe(None, alone, SPECTATOR, table().dealer).data or b"")


def test_the_end_of_a_match_reveals_nothing() -> None:
    one = table("ambagibus", 1).play_on(Random(1))
    assert one.current.status is Status.OVER
    assert not one.current.is_revealed
    assert verify_log(one.records).is_sound
    one.do(RevealMatch())
    verdict = verify_log(one.records)
    assert (verdict.fault, verdict.unchecked) == (None, ())
    assert "draws" in verdict.checked


def test_a_cancelled_match_is_revealed_with_the_others() -> None:
    one = table()
    one.do(CancelMatch())
    assert not one.current.is_revealed
    one.do(RevealMatch())
    assert verify_log(one.records).unchecked == ()


def test_answers_of_one_table_open_nothing_at_another() -> None:
    one, other = table(), table(match_id=OTHER_ID)
    salts = [each.dealer.answer_salt(each.current.match_id, "7.0") for each in (one, other)]
    assert salts[0] != salts[1]


def test_nothing_is_accepted_from_the_closing_time_on() -> None:
    running, seating = table(), table(is_seated=False, start=Start.MANUAL)
    assert running.current.decision is not None
    asked = min(running.current.decision.offers)
    for at in (running, seating):
        at.at = TIME - 1000  # The next command is at the closing time.
    for at, command in ((running, Resign(0)), (seating, StartMatch())):
        with pytest.raises(GroupClosed):
            at.do(command)
    running.at = TIME - 1000
    with pytest.raises(GroupClosed):
        running.play(asked, {"type": "whatever"})
    running.at = TIME - 2000
    running.do(Resign(0))


def test_a_match_without_a_group_never_closes() -> None:
    alone = Table(registry.game("high_card"), 3)
    alone.at = TIME * 2
    alone.do(Resign(0))


def test_closing_cancels() -> None:
    one = closed(table().play_on(Random(1), most=3))
    assert (one.current.status, one.current.outcome) == (Status.CANCELLED, None)


def test_closing_forfeits() -> None:
    one = table(group=group(Closing.FORFEIT), seats=4).play_on(Random(1), most=3)
    one.do(Resign(2))
    one.do(Resign(0))
    outcome = closed(one).current.outcome
    assert outcome is not None
    assert (outcome.terminal, outcome.scores) == (Terminal.CLOSED, None)
    assert outcome.ranks == (3, 2, 4, 2)


@pytest.mark.parametrize(
    ("ranks", "fault"), [((3, 2, 4, 2), ""), ((4, 2, 5, 2), ""), ((3, 2, 5, 2), "outcome")]
)
def test_a_log_with_the_ranks_of_before_stays_sound(
    monkeypatch: pytest.MonkeyPatch, ranks: tuple[int, ...], fault: str
) -> None:
    """An earlier version left out a rank above those that had resigned."""
    written = Outcome(Terminal.CLOSED, ranks, None, "")
    one = table(group=group(Closing.FORFEIT), seats=4).play_on(Random(1), most=3)
    one.do(Resign(2))
    one.do(Resign(0))
    with monkeypatch.context() as before:
        before.setattr(closing, "nobody_won", lambda *_: written)
        records = closed(one).records
    found = verify_log(records).fault
    assert (found.code if found else "") == fault


@pytest.mark.parametrize("name", ["ambagibus", "ambition_tricks"])
def test_closing_plays_to_the_end_by_fallbacks(name: str) -> None:
    seats = registry.game(name).trials[0][1]
    one = table(name, seats, group=group(Closing.FALLBACK)).play_on(Random(3), most=3)
    before = one.current.version
    outcome = closed(one).current.outcome
    assert outcome is not None
    assert (outcome.terminal, outcome.scores is None) == (Terminal.NORMAL, False)
    later = [e for e in one.events if isinstance(e, MovePlayed) and e.version > before]
    assert later
    assert {each.by for each in later} == {"fallback"}


def test_fallbacks_without_an_end_are_forfeited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(closing, "PLAYED_ON_MOST", 50)
    one = closed(table("ambition_characters", 4, group=group(Closing.FALLBACK)))
    outcome = one.current.outcome
    assert outcome is not None
    assert outcome.terminal is Terminal.CLOSED
    assert verify_log(one.records).is_sound


@pytest.mark.parametrize("policy", Closing)
def test_nobody_forfeits_before_the_time_or_without_a_start(policy: Closing) -> None:
    early = closed(table(group=group(policy)).play_on(Random(1), most=3), early=True)
    waiting = closed(table(group=group(policy), is_seated=False))
    for one in (early, waiting):
        assert (one.current.status, one.current.outcome) == (Status.CANCELLED, None)


@pytest.mark.parametrize("policy", Closing)
@pytest.mark.parametrize("early", [False, True])
def test_a_closed_log_is_sound_for_everybody(policy: Closing, early: bool) -> None:
    one = closed(table(group=group(policy)).play_on(Random(5), most=4), early=early)
    one.do(RevealMatch())
    verdict = verify_log(one.records)
    assert (verdict.fault, verdict.unchecked) == (None, ())
    for viewer in (ALL, SPECTATOR, 0, 1, 2):
        assert verify_view(entries(one, viewer), MATCH_ID, 3, viewer).is_sound


def test_a_draw_that_is_not_the_groups_is_found() -> None:
    one = table("ambition_tricks", 4).play_on(Random(1), most=2)
    one.do(CancelMatch())
    one.do(RevealMatch())
    drawn = next(e for e in one.events if isinstance(e, ChanceDrawn))
    picks = ((drawn.picks[0] + 1) % drawn.options,)
    assert len(drawn.picks) == 1
    assert where(verify_log(changed(one, drawn.version, picks=picks))) == (drawn.version, "draw")


def test_a_seed_of_another_group_is_found() -> None:
    one = table(seats=2)
    one.do(CancelMatch())
    one.do(RevealMatch())
    forged = changed(one, 1, deal_group=OTHER_ID)
    assert where(verify_log(forged)) == (one.current.version, "seed")


@pytest.mark.parametrize("fields", [{"closes_at": None}, {"closing": None}], ids=str)
def test_a_group_without_its_closing_is_found(fields: dict[str, Any]) -> None:
    assert where(verify_log(changed(table(), 1, **fields))) == (1, "created")


def test_a_group_with_a_window_of_its_own_is_made_nowhere_and_found() -> None:
    forged = changed(table(), 1, window=1000, reveal="after_window")
    assert where(verify_log(forged)) == (1, "created")
    with pytest.raises(AssertionError):
        table(window=1000)


def test_what_is_over_in_a_group_is_not_rewound() -> None:
    over = table("ambagibus", 1).play_on(Random(1))
    void = table()
    ruled(void, Void())
    for at in (over, void):
        target = next(each.after.version for each in at.steps if each.after.status in LIVE)
        dispute = reviewed(at, pause=False)
        with pytest.raises(GroupMatchOver):
            ruled(at, Rewind(to=target, boundary=None), dispute)
        at.do(RevealMatch())
        with pytest.raises(MatchRevealedAlready):
            ruled(at, Rewind(to=target, boundary=None), dispute)


def test_nobody_comes_to_a_seat_after_the_closing_time() -> None:
    one = table()
    dispute = reviewed(one)
    given = ReplaceSeat(seat=0, holder="somebody else")
    one.at = TIME - 1000
    with pytest.raises(RulingImpossible):
        ruled(one, given, dispute)
    one.at = TIME - 2000
    ruled(one, given, dispute)
    version = next(e.version for e in one.events if isinstance(e, DisputeRuled))
    assert where(verify_log(moved_to(one, version, TIME))) == (version, "beside_play")


@pytest.mark.parametrize("policy", list(Closing))
def test_a_match_under_review_ends_with_its_group(policy: Closing) -> None:
    one = table("ambition_characters", 4, group=group(policy)).play_on(Random(1), most=5)
    reviewed(one)
    assert any(each.paused for each in one.current.disputes)
    closed(one)
    assert one.current.status in DONE
    one.do(RevealMatch())
    verdict = verify_log(one.records)
    assert (verdict.fault, verdict.unchecked) == (None, ())


def test_a_late_move_and_an_early_closing_are_found() -> None:
    one = table(seats=2).play_on(Random(1), most=2)
    last = [e for e in one.events if isinstance(e, MovePlayed)][-1]
    assert where(verify_log(moved_to(one, last.version, TIME))) == (last.version, "late")
    late = closed(table(seats=2))
    version = late.current.version - 1
    assert isinstance(late.events[version - 1], MatchClosed)
    assert where(verify_log(moved_to(late, version, TIME - 1))) == (version, "early")


def moved_to(one: Table, version: int, time: int) -> tuple[Record, ...]:
    """The log with one event at another time."""
    events = [replace(e, at=time) if e.version == version else e for e in one.events]
    return resealed(events, one.dealer)


def test_a_closing_without_a_group_or_after_the_end_is_found() -> None:
    alone = Table(registry.game("high_card"), 2)
    over = table(seats=2)
    over.do(CancelMatch())
    for at in (alone, over):
        event = MatchClosed(version=at.current.version + 1, at=TIME)
        forged = resealed((*at.events, event), at.dealer)
        assert where(verify_log(forged)) == (event.version, "status")


def test_another_end_than_the_policys_is_found() -> None:
    one = closed(table(seats=2))
    other = closed(table(seats=2, group=group(Closing.FORFEIT)))
    ended = replace(other.events[-1], version=one.current.version)
    forged = resealed((*one.events[:-1], ended), one.dealer)
    assert where(verify_log(forged)) == (ended.version, "missing")
