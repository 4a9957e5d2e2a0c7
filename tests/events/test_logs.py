"""Old logs fold to the same match for ever.

`tests/logs/NAME.jsonl` is one match. Line by line a stored event as a JSON object: `version`,
`kind`, `schema`, `at` as numbers and text, `body` as the text of its canonical JSON, `salt`,
`facets` and `hash` in hex. The last line is `{"digest": ...}`: SHA-256 (hex) over the canonical
JSON of `[version, status, asked, resigned, outcome, state]` after the last event.

A file that is there is never written again. If one of these tests fails, the code is wrong: a new
rules version, an upcaster or a field with a default is what keeps old logs alive. A new log is
added with `python -m tests.events.test_logs NAME`, from the matches in MATCHES below.
"""

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random

import msgspec
import pytest

from events.canonical import canonical, decoded, digest
from events.clocks import Bronstein, Delay, Fischer, Window
from events.decide import CloseMatch, OfGroup, Resign, RevealMatch, overdue
from events.disputing import EraseTexts, IssueSeatToken, RevokeSeatTokens, StartReview, TakeLook
from events.match import Match, fold
from events.rulings import (
    AdjustClock,
    ForceMove,
    Forfeit,
    Note,
    ReplaceSeat,
    Replay,
    Rewind,
    SetResult,
)
from events.timing import AddTime, PauseMatch, ResumeMatch
from events.types import Closing, Record
from events.verify import OF_THE_OPERATOR, verify_log
from games import registry
from games.core.moves import sample, wire_move
from tests.events.clocked import Clocked
from tests.events.disputed import (
    ARBITER,
    answer,
    appealed,
    ask_back,
    boundary_of,
    closed,
    opened,
    redraw,
    reviewed,
    ruled,
    to_boundary,
)
from tests.events.scripted import GROUP_ID, NOON, OTHER_ID, Table, finished

LOGS = Path(__file__).parent.parent / "logs"


def resigned() -> Table:
    """Three rounds of four seats; one resigns in the second, words are said before and after."""
    game = registry.game("high_card")
    table = Table(game, 4, game.options(rounds=3)).play_on(Random(7), most=9, talk=0.3)
    table.do(Resign(2))
    return table.play_on(Random(8), talk=0.3)


def given_up() -> Table:
    table = Table(registry.game("ambition_characters"), 2).play_on(Random(5), most=40)
    table.do(Resign(1))
    return table


def high_card_disputed() -> Table:
    """A takeback refused and one granted, looks and tokens, every kind of ruling but the last.

    One seat is replaced, one is out in the end; a deal is drawn anew, and a rewind is undone.
    """
    game = registry.game("high_card")
    at = Table(game, 3, game.options(rounds=3), window=60_000)
    at.play_on(Random(1), most=1)
    ask_back(at, 0)
    answer(at, 1)
    answer(at, 2)
    at.play_on(Random(2), most=1)
    ask_back(at, 0)
    answer(at, 1, consents=False)
    at.do(TakeLook(ARBITER, 1, at.current.version))
    at.do(RevokeSeatTokens(1))
    at.do(IssueSeatToken(1))
    ruled(at, redraw(at, "round 1 deal"))
    at.play_on(Random(3), most=6)
    reached = at.current.version
    ruled(at, to_boundary(at, "round 1"))
    at.play_on(Random(4), most=2)
    ruled(at, Rewind(to=reached, boundary=None))
    ruled(at, ReplaceSeat(seat=2, holder="player 3"))
    decision = at.current.decision
    assert decision is not None
    seat, offers = next(iter(decision.offers.items()))
    forced = ForceMove(seat=seat, decision=at.current.decision_of(seat) or "")
    ruled(at, forced, move=wire_move(sample(offers, Random(5))))
    ruled(at, Forfeit(seat=1))
    at.play_on(Random(6))
    dispute = reviewed(at, 0, pause=False)
    ruled(at, Note(), dispute)
    appealed(at, dispute)
    at.do(StartReview(dispute, ARBITER, False))
    ruled(at, SetResult(ranks=(1, 3, 1), scores=(4, 0, 4)), dispute)
    closed(at, opened(at, 2), seat=2)
    at._log(overdue(at.current, at.dealer, at.at + 60_000))
    return at


def ambition_voided() -> Table:
    """Rewound to where its round began, played on, then void; another is played in its place."""
    at = Table(registry.game("ambition_characters"), 3).play_on(Random(5), most=40)
    ruled(at, to_boundary(at, boundary_of(at.current) or ""))
    at.play_on(Random(6), most=12)
    ruled(at, Replay(match_id=OTHER_ID))
    return at


def high_card_erased() -> Table:
    """What was said is erased while it is played and after the reveal, one word of it hidden."""
    game = registry.game("high_card")
    at = Table(game, 3, game.options(rounds=1))
    for seat in (0, 1, 1):
        at.say(seat, {"type": "speak", "text": f"by {seat}"})
    first = at.texts[0].version
    at.do(EraseTexts(of=first, field="text"))
    at.do(EraseTexts(of=first + 1, field="text", hidden=True))
    at.play_on(Random(2), most=2)
    at.do(EraseTexts(seat=1))
    at.play_on(Random(2), talk=0)
    at.do(EraseTexts(seat=0, holder="player 0"))
    return at


def played_on() -> Table:
    """Of a deal group that closes after a few moves, by fallbacks, and is revealed."""
    group = OfGroup(GROUP_ID, NOON + 10_000, Closing.FALLBACK)
    table = Table(registry.game("high_card"), 3, group=group).play_on(Random(4), most=3)
    table.at = NOON + 10_000
    table.do(CloseMatch(early=False))
    table.do(RevealMatch())
    return table


def clocked() -> Clocked:
    """Every kind of clock but one, a daily window, and every event of clocks."""
    window = Window("Europe/Berlin", 22 * 60, 10 * 60, ((NOON - 1, 3600), (NOON + 40_000, 7200)))
    times = (
        Fischer(bank=60_000, increment=2_000, most=65_000),
        Bronstein(bank=30_000, delay=5_000),
        Delay(bank=0, delay=9_000),
    )
    at = Clocked("high_card", 3, *times, window=window, abandon_after=2)
    at.move(0, 4_000, took=500)
    at.move(1, 3_000)
    at.fire(9_000)
    at.wait(1_000).do(PauseMatch(ARBITER))
    at.wait(60_000).do(ResumeMatch(ARBITER))
    at.do(AddTime(1, ARBITER, 10_000))
    at.wait(30_000)
    at.credit((at.at - 20_000, at.at))
    while at.asked:
        at.move(at.asked[-1], 1_000)
        if at.current.revision == 0 and at.current.version > 16:
            break
    ruled(at, AdjustClock(seat=None, ms=-1_000))
    ruled(at, Rewind(to=12, boundary=None))
    while at.asked:
        at.fire(20_000)
    return at


MATCHES: Mapping[str, Callable[[], Table]] = {
    "high_card_four_seats": lambda: finished("high_card", 4, 1),
    "high_card_resigned": resigned,
    "ambition_four_seats": lambda: finished("ambition_characters", 4, 1),
    "ambition_given_up": given_up,
    "high_card_disputed": high_card_disputed,
    "ambition_voided": ambition_voided,
    "high_card_played_on": played_on,
    "high_card_clocked": clocked,
    "high_card_erased": high_card_erased,
}


@pytest.mark.parametrize("path", sorted(LOGS.glob("*.jsonl")), ids=lambda path: path.stem)
def test_an_old_log_folds_to_the_same_match(path: Path) -> None:
    records, expected = read(path)
    current = fold(records)
    assert current is not None
    assert digest_of(current) == expected


@pytest.mark.parametrize("path", sorted(LOGS.glob("*.jsonl")), ids=lambda path: path.stem)
def test_an_old_log_is_sound(path: Path) -> None:
    records, _ = read(path)
    verdict = verify_log(records)
    clocks = (f"clocks: {OF_THE_OPERATOR}",) if "clocks" in verdict.checked else ()
    assert (verdict.fault, verdict.unchecked) == (None, clocks)


def test_there_are_logs() -> None:
    assert {"high_card_four_seats", "high_card_resigned"} <= {p.stem for p in LOGS.glob("*.jsonl")}


def digest_of(current: Match) -> str:
    state = msgspec.to_builtins(current.state)
    outcome = msgspec.to_builtins(current.outcome)
    place = [current.version, current.status, current.asked, current.resigned]
    return digest([*place, outcome, state]).hex()


def read(path: Path) -> tuple[tuple[Record, ...], str]:
    *lines, last = [decoded(line) for line in path.read_bytes().splitlines()]
    return tuple(_record(line) for line in lines), last["digest"]


def written(table: Table) -> bytes:
    lines = [canonical(_line(record)) for record in table.records]
    return b"\n".join([*lines, canonical({"digest": digest_of(table.current)}), b""])


def _record(line: dict[str, str | int]) -> Record:
    binary = {name: bytes.fromhex(str(line[name])) for name in ("salt", "facets", "hash")}
    return msgspec.convert({**line, **binary, "body": str(line["body"]).encode()}, Record)


def _line(record: Record) -> dict[str, object]:
    fields = msgspec.structs.asdict(record)
    binary = {name: fields[name].hex() for name in ("salt", "facets", "hash")}
    return {**fields, **binary, "body": record.body.decode()}


def main() -> None:
    for name in sys.argv[1:]:
        path = LOGS / f"{name}.jsonl"
        if path.exists():
            sys.exit(f"{path.name} is there and stays as it is")
        path.write_bytes(written(MATCHES[name]()))


if __name__ == "__main__":
    main()
