"""What holds for clocks whatever happens, in whatever order."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from events.clocks import (
    DAY,
    Bronstein,
    Clock,
    Correspondence,
    Delay,
    Fischer,
    Flag,
    PerMove,
    Window,
)
from events.decide import CancelMatch, Resign
from events.match import Folding, fold
from events.refusals import FlagDue, Refused
from events.rulings import Rewind
from events.timed import FlagFell, TimeAdded, TimeCredited
from events.timing import AddTime, PauseMatch, ResumeMatch
from events.types import (
    DONE,
    ChanceDrawn,
    MatchRewound,
    MovePlayed,
    Status,
)
from events.verify import verify_log
from games.core.game import Chance
from games.core.moves import IllegalMove
from tests.events.clocked import Clocked
from tests.events.disputed import ARBITER, ruled

MS = st.integers(0, 20_000)
BANK = st.integers(1, 60_000)
TIMES = st.one_of(
    st.builds(PerMove, move=BANK),
    st.builds(Fischer, bank=BANK, increment=MS, most=st.none() | BANK),
    st.builds(Bronstein, bank=BANK, delay=MS),
    st.builds(Delay, bank=BANK, delay=MS),
    st.builds(Correspondence, days=st.integers(1, 3)),
)
WINDOWS = st.none() | st.builds(
    Window, st.just(""), st.integers(0, 600), st.integers(700, 1439), st.just(((0, 3600),))
)
ACTS = st.lists(
    st.tuples(
        st.sampled_from(
            (*("move",) * 8, *("fire",) * 3, "pause", "resume", "add", "outage", "resign", "rewind")
        ),
        st.integers(0, 3),
        st.one_of(st.integers(0, 30_000), st.integers(0, DAY)),
    ),
    max_size=40,
)
QUICK = settings(max_examples=60)
GAMES = st.sampled_from([("high_card", 2), ("high_card", 4), ("ambition_tricks", 4)])


def played(acts: Any, game: tuple[str, int], times: Any, flag: Flag, window: Any) -> Clocked:
    """A match to which all that happens; what is not possible is left out."""
    name, seats = game
    at = Clocked(name, seats, *(times[:seats]), flag=flag, window=window, abandon_after=4)
    for what, seat, ms in acts:
        at.wait(ms)
        try:
            act(at, what, seat % seats, ms)
        except (Refused, IllegalMove):
            continue
        except FlagDue:
            at.fire()
    return at


def act(at: Clocked, what: str, seat: int, ms: int) -> None:
    match what:
        case "move" if at.asked:
            at.move(at.asked[seat % len(at.asked)], 0, took=ms % 700)
        case "fire":
            at.fire()
        case "pause":
            at.do(PauseMatch(ARBITER))
        case "resume":
            at.do(ResumeMatch(ARBITER))
        case "add":
            at.do(AddTime(seat if ms % 2 else None, ARBITER, 1 + ms))
        case "outage":
            # Two outages never overlap, and nothing is decided in one.
            at.wait(1 + ms)
            at.credit((at.at - ms, at.at))
        case "resign":
            at.do(Resign(seat))
        case "rewind" if at.current.status is Status.RUNNING and at.current.version > 8:
            started = at.events[-1].version - 3
            ruled(at, Rewind(to=started, boundary=None))


TABLES = (
    ACTS,
    GAMES,
    st.lists(TIMES, min_size=4, max_size=4),
    st.sampled_from(Flag),
    WINDOWS,
)


@QUICK
@given(*TABLES)
def test_a_log_with_clocks_folds_and_verifies_from_any_moment(
    acts: Any, game: Any, times: Any, flag: Flag, window: Any
) -> None:
    at = played(acts, game, times, flag, window)
    verdict = verify_log(at.records, seed=at.dealer.seed())
    assert verdict.fault is None, verdict.fault
    folding = Folding(at.records)
    for step, record in zip(at.steps, at.records, strict=True):
        folding.take(record)
        assert folding.current is not None
        assert folding.current.clocks == step.after.clocks
    middle = len(at.records) // 2
    if not any(isinstance(each, MatchRewound) for each in at.events[middle:]):
        resumed = fold(at.records[middle:], fold(at.records[:middle]))
        assert resumed is not None
        assert resumed.clocks == at.current.clocks


BANKS = st.lists(
    st.builds(Fischer, bank=st.just(200 * DAY), increment=st.just(0), most=st.none()),
    min_size=4,
    max_size=4,
)


@QUICK
@given(ACTS, GAMES, BANKS, WINDOWS)
def test_what_is_charged_is_wall_time_minus_credits_and_pauses(
    acts: Any, game: Any, times: Any, window: Any
) -> None:
    at = played([a for a in acts if a[0] != "rewind"], game, times, Flag.FALLBACK, window)
    clock = at.current.created.clock
    assert clock is not None
    added = [0] * at.current.seats
    for event in at.events:
        if isinstance(event, TimeAdded):
            for seat in range(at.current.seats):
                added[seat] += event.ms if event.seat in (None, seat) else 0
    for seat, waited in enumerate(waiting(at, clock)):
        assert 200 * DAY + added[seat] - at.left(seat) == waited


def waiting(at: Clocked, clock: Clock) -> list[int]:
    """By seat how long the match waited for it, by who was asked when: no clock is looked at."""
    total, since = [0] * at.current.seats, dict[int, int]()
    moment, fell = 0, None
    for step in at.steps:
        event, after = step.event, step.after
        if not isinstance(event, ChanceDrawn):  # A draw takes no time.
            moment = (isinstance(event, MovePlayed) and event.arrived) or fell or event.at
        fell = event.fell if isinstance(event, FlagFell) else None
        if isinstance(event, TimeCredited):
            for seat, start in since.items():
                total[seat] -= clock.counted(max(start, event.since), event.until)
        asked = set[int]()
        if after.status is Status.RUNNING and not isinstance(after.turn, Chance):
            asked = set(after.decision.offers if after.decision else ()) - set(after.resigned)
        elif after.status is Status.RUNNING:
            asked = set(since)
        answered = {event.seat} if isinstance(event, MovePlayed) and event.decision else set()
        for seat in sorted(since):
            if seat not in asked or seat in answered:
                total[seat] += clock.counted(since.pop(seat), moment)
        for seat in asked:
            since.setdefault(seat, event.at)
    for seat, start in since.items():
        total[seat] += clock.counted(start, at.at)
    return total


@QUICK
@given(*TABLES)
def test_after_the_end_nothing_is_charged(
    acts: Any, game: Any, times: Any, flag: Flag, window: Any
) -> None:
    at = played(acts, game, times, flag, window)
    for step in at.steps:
        clocks = step.after.clocks
        assert clocks is not None
        if step.after.status is not Status.RUNNING:
            assert all(own.since is None for own in clocks.seats)
    while at.fire():
        continue
    if at.current.status not in DONE:
        at.do(CancelMatch())
    ended = [at.left(seat) for seat in range(at.current.seats)]
    at.wait(DAY)
    assert at.fire() == ()
    assert at.credit((at.at - DAY, at.at)) == ()
    assert [at.left(seat) for seat in range(at.current.seats)] == ended
