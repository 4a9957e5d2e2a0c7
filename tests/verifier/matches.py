"""Matches of every game, played in every way the log knows of, as short as they can be."""

from collections.abc import Callable
from functools import cache
from random import Random

from events.bundle import KEYS, PROOF, REFUSALS, STATEMENTS, key_set
from events.clocks import Bronstein, Correspondence, Delay, Fischer, Flag, PerMove
from events.decide import (
    CancelMatch,
    CloseMatch,
    CommitEntropy,
    OpenEntropy,
    Resign,
    SeatStandIn,
)
from events.disputing import EraseTexts, IssueSeatToken, TakeLook
from events.offering import AnswerDraw, OfferDraw
from events.refusals import FlagDue, FlagHasFallen
from events.refused import KeptRefusal
from events.rulings import Forfeit, Rewind, SetResult, Void
from events.scheduling import NoShow
from events.seat_keys import RESIGNING
from events.statements import line
from events.timing import AddTime, PauseMatch, ResumeMatch
from events.types import Closing
from games import registry
from games.core.game import ALL, SPECTATOR, Viewer
from tests.events import scheduled, test_deal_groups, test_entropy, test_seat_keys
from tests.events.bundled import KEY, OTHER_KEY, bundled, forged, proof, table
from tests.events.clocked import FIVE, MOVE, Clocked
from tests.events.disputed import ARBITER, answer, ask_back, opened, redraw, reviewed, ruled
from tests.events.refused import RECEIPTS, Refused, kept, lines
from tests.events.scripted import NOON, Table
from tests.events.test_logs import ambition_voided, clocked, given_up, high_card_disputed
from tests.events.test_statements import introduction

NOTHING = {"type": "nothing"}
GAMES = sorted({each.slug for each in registry.games()})


def game_table(name: str, **more: object) -> Table:
    game = registry.game(name)
    several = [trial for trial in game.trials if trial[1] > 1]
    options, seats = (several or game.trials)[0]
    return Table(game, seats, options, **more)  # type: ignore[arg-type]


def brief(name: str, plies: int = 8) -> Table:
    """A few moves, a rewind, a few more; then all resign but one, so all of it is revealed."""
    at = game_table(name).play_on(Random(name), most=plies, talk=0.2)
    if at.current.decision is None:
        return at
    goals = [v for v in range(1, at.current.version) if at.after(v).decision is not None]
    ruled(at, Rewind(to=goals[len(goals) // 2], boundary=None))
    at.play_on(Random(f"{name} again"), most=plies, talk=0.2)
    for seat in range(max(1, at.current.seats - 1)):
        at.do(Resign(seat))
    return at


def redrawn() -> Table:
    at = game_table("high_card").play_on(Random(1), most=3)
    ruled(at, redraw(at, "round 1 deal"))
    return at.play_on(Random(2))


def taken_back() -> Table:
    at = Table(registry.game("high_card"), 3).play_on(Random(1), most=1)
    ask_back(at, 0)
    answer(at, 1)
    answer(at, 2)
    at.play_on(Random(2), most=1)
    ask_back(at, 0)
    answer(at, 1, consents=False)
    return at.play_on(Random(3))


def entropic(*, keyed: bool = False) -> Table:
    at = test_entropy.contributed(test_entropy.seated())
    at.play_on(Random(1), most=4)
    if not keyed:
        at.do(Resign(1))
    return at


def half_opened() -> Table:
    """Both commit, one of them to nothing; the other stays away, and the match is cancelled."""
    at = test_entropy.seated()
    at.do(CommitEntropy(0, None))
    test_entropy.commit(at, 1)
    at.do(CancelMatch())
    return at


def one_sided() -> Table:
    at = test_entropy.seated()
    at.do(CommitEntropy(0, None))
    test_entropy.commit(at, 1)
    at.do(OpenEntropy(1, test_entropy.OPENINGS[1].hex()))
    return at.play_on(Random(4))


def signed_to_the_end() -> Table:
    return test_seat_keys.to_the_end(test_seat_keys.keyed())


def signed_off() -> Table:
    at = test_seat_keys.keyed()
    test_seat_keys.played(at, Random(1))
    signed = test_seat_keys.signature(at.current, RESIGNING, b"{}")
    at.do(Resign(0, signed))
    return at.play_on(Random(2))


def grouped(policy: Closing, *, early: bool = False) -> Table:
    one = test_deal_groups.table(group=test_deal_groups.group(policy))
    return test_deal_groups.closed(one.play_on(Random(5), most=4), early=early)


def watched() -> Table:
    at = game_table("high_card").play_on(Random(6), most=2)
    at.do(TakeLook("arbiter 1", None, at.current.version))
    at.do(IssueSeatToken(1))
    at.do(CancelMatch())
    return at


def judged() -> Table:
    at = game_table("high_card", window=60_000).play_on(Random(7), most=4)
    ruled(at, Forfeit(seat=1))
    at.play_on(Random(8))
    dispute = reviewed(at, 0, pause=False)
    ruled(at, SetResult(ranks=(1,) * at.current.seats, scores=None), dispute)
    opened(at, 0)
    return at


def voided() -> Table:
    at = game_table("star_realms", reveal_by=NOON + 3_600_000).play_on(Random(9), most=6)
    ruled(at, Void())
    return at


def running() -> Table:
    return game_table("ambition_tricks").play_on(Random(1), most=9)


def closed_single() -> Table:
    at = test_deal_groups.table("ambagibus", 1, group=test_deal_groups.group(Closing.CANCEL))
    at.play_on(Random(1), most=3)
    at.at = test_deal_groups.TIME
    at.do(CloseMatch(False))
    return at


def in_time(at: Clocked, moves: int) -> Clocked:
    """Whoever is asked answers after 700 ms, the last of them first; others wait meanwhile."""
    for _ in range(moves):
        if at.asked:
            at.move(at.asked[-1], 700, took=50)
    return at


def timed_out() -> Clocked:
    """Two flags fall at the same moment, and the match ends."""
    at = in_time(Clocked("high_card", 3, MOVE, flag=Flag.FORFEIT), 1)
    at.fire(20_000)
    return at


def put_out() -> Clocked:
    """One flag falls, and the others play on until one is left."""
    times = (Delay(bank=100_000, delay=500), FIVE, Bronstein(bank=2_000, delay=1_000))
    at = in_time(Clocked("high_card", 3, *times, flag=Flag.REMOVE), 2)
    at.fire(5_000)
    in_time(at, 2)
    while at.asked:
        at.fire(400_000)
    return at


def abandoned() -> Clocked:
    at = in_time(Clocked("high_card", 2, FIVE, abandon_after=2), 2)
    while at.asked:
        at.fire(1_000_000)
    return at


def late_in_the_open() -> Clocked:
    """Whoever answers first goes on for all, once the flags of who was late have fallen."""
    banks = (PerMove(move=4_000), FIVE, Fischer(bank=9_000, increment=0, most=None))
    at = Clocked("high_card", 3, *banks, abandon_after=20)
    for _ in range(60):
        try:
            if at.asked:
                at.move(at.asked[-1], 900, took=1_700)
        except (FlagDue, FlagHasFallen):
            at.fire()
        if at.current.version % 7 == 0:
            at.wait(9_000).credit((at.at - 5_000, at.at - 1_000))
    return at


def stood_still() -> Clocked:
    """Paused, given time, credited, taken back to before all of that."""
    times = (Correspondence(days=1), Fischer(bank=9_000, increment=500, most=9_100))
    at = in_time(Clocked("ambition_tricks", 4, *times, MOVE, FIVE), 4)
    at.wait(100).do(PauseMatch(ARBITER))
    at.wait(100_000).do(ResumeMatch(ARBITER))
    at.wait(10).do(AddTime(None, ARBITER, 1_500))
    at.wait(2_000).credit((at.at - 1_500, at.at))
    back = at.current.version - 6
    in_time(at, 3)
    ruled(at, Rewind(to=back, boundary=None))
    in_time(at, 2)
    for seat in (1, 2, 3):
        at.do(Resign(seat))
    return at


def without_one() -> Table:
    """Seat 1 is out for not coming, comes back by a rewind, and goes with others."""
    at = scheduled.late(NoShow.FORFEIT, 4)
    at.play_on(Random(3), most=2)
    goal = next(v for v in range(6, at.current.version) if at.after(v).decision is not None)
    ruled(at, Rewind(to=goal, boundary=None))
    for seat in (1, 0, 3):
        at.do(Resign(seat))
    return at


def waited() -> Table:
    """Stands still, goes on, and is over at its time while it stands again."""
    at = scheduled.late(NoShow.WAIT, ends=60 * scheduled.MINUTE)
    at.do(ResumeMatch(ARBITER))
    at.play_on(Random(1), most=2)
    at.do(PauseMatch(ARBITER))
    at.at_time(61 * scheduled.MINUTE).fire()
    return at


def stood_in_late() -> Table:
    """In place of a seat with a key; what it said is erased, and not what the other says."""
    at = scheduled.Scheduled(
        seats=3, join_by=10 * scheduled.MINUTE, no_show=NoShow.STAND_IN, agreed_draw=True
    )
    at.claim(1, key=test_seat_keys.KEY).claim(0, 2)
    at.at_time(11 * scheduled.MINUTE).look(scheduled.MINUTE, None, scheduled.MINUTE)
    at.do(SeatStandIn(1, "stand-in"))
    at.say(1, {"type": "speak", "text": "Hello"})
    at.do(EraseTexts(seat=1, holder="player 1"))
    return at.play_on(Random(1))


def drawn() -> Table:
    at = game_table("star_realms", agreed_draw=True).play_on(Random(1), most=3)
    at.do(OfferDraw(0))
    at.do(AnswerDraw(1, at.current.version, accepts=True))
    return at


def drawn_by_three() -> Table:
    at = Table(registry.game("high_card"), 4, agreed_draw=True).play_on(Random(1), most=1)
    at.do(Resign(1))
    at.do(OfferDraw(0))
    offer = at.current.version
    at.do(AnswerDraw(3, offer, accepts=True))
    at.do(AnswerDraw(2, offer, accepts=True))
    return at


def undrawn() -> Table:
    """Refused, played on, taken back, and cut off by a resignation."""
    at = Table(registry.game("high_card"), 3, agreed_draw=True).play_on(Random(1), most=1)
    at.do(OfferDraw(0))
    at.do(AnswerDraw(1, at.current.version, accepts=False))
    at.do(OfferDraw(1))
    at.do(AnswerDraw(0, at.current.version, accepts=True))
    at.play_on(Random(2), most=1)
    at.do(OfferDraw(0))
    goal = at.current.version - 2
    ruled(at, Rewind(to=goal, boundary=None))
    at.do(OfferDraw(0))
    at.do(AnswerDraw(1, at.current.version, accepts=True))
    at.do(Resign(2))
    at.do(Resign(1))
    return at


MATCHES: dict[str, Callable[[], Table]] = {
    **{name: lambda name=name: table(name) for name in GAMES},  # type: ignore[misc]
    **{f"{name}, brief": lambda name=name: brief(name) for name in GAMES},  # type: ignore[misc]
    "redrawn": redrawn,
    "taken back": taken_back,
    "entropy of both": entropic,
    "entropy, still running": lambda: entropic(keyed=True),
    "entropy of one": one_sided,
    "entropy that was not opened": half_opened,
    "signed": signed_to_the_end,
    "signed off": signed_off,
    "disputed": high_card_disputed,
    "ambition, void": ambition_voided,
    "ambition, given up": given_up,
    "group, cancelled": lambda: grouped(Closing.CANCEL),
    "group, forfeited": lambda: grouped(Closing.FORFEIT),
    "group, played on": lambda: grouped(Closing.FALLBACK),
    "group, closed early": lambda: grouped(Closing.FORFEIT, early=True),
    "group of one seat": closed_single,
    "watched": watched,
    "judged": judged,
    "void": voided,
    "clocked": clocked,
    "timed out": timed_out,
    "put out by the clock": put_out,
    "abandoned": abandoned,
    "late in the open": late_in_the_open,
    "stood still": stood_still,
    "running": running,
    "opened and started": scheduled.opened_and_started,
    "closed by itself": lambda: scheduled.ran_out(Closing.FORFEIT, opens=1_000),
    "cancelled by itself": lambda: scheduled.ran_out(Closing.CANCEL),
    "played on by itself": lambda: scheduled.ran_out(Closing.FALLBACK),
    "no show of one": lambda: scheduled.absent(NoShow.FORFEIT, 2),
    "no show of all": lambda: scheduled.absent(NoShow.FORFEIT, 2, None, None),
    "void by a no show": lambda: scheduled.absent(NoShow.VOID),
    "without one that did not come": without_one,
    "no show, waiting": waited,
    "stood in": scheduled.stood_in,
    "stood in late": stood_in_late,
    "no show on clocks": scheduled.timed,
    "drawn by agreement": drawn,
    "drawn by those who are left": drawn_by_three,
    "draws that came to nothing": undrawn,
}


@cache
def played(name: str) -> Table:
    return MATCHES[name]()


# Bundles as arbiters keep them, of a log that changed its key.
REFUSED = ("disputed", "taken back")
STATED = tuple(introduction(n, key, KEY) for n, key in enumerate((RECEIPTS, KEY, OTHER_KEY), 1))


def filed(name: str, viewer: Viewer) -> bytes:
    """The bundle of a match; of some with refusals and statements, its proof by the second key."""
    at = played(name)
    data = bundled(at, viewer)
    if name not in REFUSED:
        return data
    told = b"".join(line(each) + b"\n" for each in STATED)
    changes = {STATEMENTS: told, PROOF: proof(at, OTHER_KEY).encode()}
    if viewer != ALL:
        return forged(data, {**changes, KEYS: key_set([OTHER_KEY.public])})
    keys = sorted((OTHER_KEY.public, RECEIPTS.public), key=lambda each: each.kid)
    return forged(data, {**changes, KEYS: key_set(keys), REFUSALS: lines(refused(at))})


def refused(at: Table) -> list[KeptRefusal]:
    """Rightly, of two seats."""
    version = next(v for v in range(1, at.current.version) if at.after(v).decision is not None)
    then = at.after(version)
    assert then.decision is not None
    first, *_ = then.decision.offers
    second = next(seat for seat in range(at.current.seats) if seat != first)
    told = [
        Refused(version, first, then.decision_of(first), NOTHING, "move-not-offered"),
        Refused(version, first, "1.0", NOTHING, "decision-closed"),
        Refused(at.current.version, first, "9.9", NOTHING, "match-not-running"),
        Refused(version, second, "1.0", NOTHING, "decision-closed"),
        Refused(version, second, "1.0", NOTHING, "signature-wrong"),
    ]
    return kept(at, sorted(told, key=lambda each: each.seat))


def viewers(at: Table) -> tuple[Viewer, ...]:
    return (ALL, SPECTATOR, *range(at.current.seats))
