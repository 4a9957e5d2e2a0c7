"""The checker of histories finds every fault that is planted, and none where there is none."""

from typing import Any

import pytest
from msgspec.structs import replace

from tests.faults.history import Final, History, Json, Look, Page, Stored, faults

CARDS = ("KING", "SPY")
HEADS = tuple(f"{version:02x}" for version in range(1, 6))

# Both seats choose at once (1); seat 0 answers (2), then seat 1 (3); seat 0 shows its card (4), by
# which the match ends (5).


def event(version: int, viewer: int) -> Json:
    match version:
        case 2 | 3:
            seat = version - 2
            card = CARDS[seat] if viewer == seat else None
            move = {"type": "choose", "card": card}
            return {"version": version, "kind": "move_played", "seat": seat, "move": move} | {
                "decision": f"1.{seat}"
            }
        case 4:
            shown = {"seat": 0, "move": {"type": "choose", "card": "KING"}, "decision": "1.0"}
            own = {"seat": 0, "move": {"type": "show"}, "decision": "3.0"}
            return {"version": 4, "kind": "move_played", "reveals": [shown]} | own
        case _:
            return {"version": version, "kind": "match_started" if version == 1 else "match_ended"}


def look(viewer: int, version: int) -> Json:
    return {"version": version, "viewer": viewer}


def final() -> Final:
    return Final(
        versions=(1, 2, 3, 4, 5),
        heads=HEADS,
        moves={
            2: Stored(0, "1.0", {"type": "choose", "card": "KING"}),
            3: Stored(1, "1.1", {"type": "choose", "card": "SPY"}),
            4: Stored(0, "3.0", {"type": "show"}),
        },
        seen={viewer: [event(version, viewer) for version in range(1, 6)] for viewer in (0, 1)},
        view=look,
    )


def page(viewer: int, after: int, through: int, version: int) -> Json:
    events = [event(each, viewer) for each in range(after + 1, through + 1)]
    return {"version": version, "events": events}


def receipt(first: int, last: int) -> Json:
    return {"first": first, "last": last, "head": HEADS[last - 1]}


def honest() -> History:
    """Seat 0, then seat 1, reads between; the answers to the sealed decision overlap."""
    history = History()
    one, other = history.now(), history.now()
    history.answered(other, 1, "1.1", {"type": "choose", "card": "SPY"}, receipt(3, 3))
    history.answered(one, 0, "1.0", {"type": "choose", "card": "KING"}, receipt(2, 2))
    history.read(history.now(), 1, 0, page(1, 0, 3, 3))
    history.viewed(history.now(), 1, look(1, 3))
    history.answered(history.now(), 0, "3.0", {"type": "show"}, receipt(4, 5))
    history.read(history.now(), 1, 3, page(1, 3, 5, 5))
    history.read(history.now(), 0, 5, page(0, 5, 5, 5))
    return history


def only(history: History, log: Final, words: str) -> None:
    """Some fault is found, and one of them says so."""
    found = faults(history, log)
    assert any(words in each for each in found), found


def test_an_honest_history_has_no_fault() -> None:
    assert faults(honest(), final()) == []


def test_picks_may_be_sent_in_another_order() -> None:
    history, log = honest(), final()
    sent = {"type": "choose", "card": ["b", "a"]}
    history.answers[0] = replace(history.answers[0], move=sent)
    assert log.moves[3] is not None
    stored = {**log.moves, 3: Stored(1, "1.1", {"type": "choose", "card": ["a", "b"]})}
    assert faults(history, replace(log, moves=stored)) == []


LOGS: list[tuple[str, dict[str, Any], str]] = [
    ("doubled version", {"versions": (1, 2, 3, 3, 5)}, "the log has versions"),
    ("missing version", {"versions": (1, 2, 3, 5)}, "the log has versions"),
    ("other head", {"heads": ("00", *HEADS[1:4], "00")}, "another head"),
]


@pytest.mark.parametrize(
    ("changes", "words"), [each[1:] for each in LOGS], ids=[e[0] for e in LOGS]
)
def test_a_log_with_a_fault(changes: dict[str, Any], words: str) -> None:
    only(honest(), replace(final(), **changes), words)


MOVES: list[tuple[str, dict[int, Stored | None], str]] = [
    ("lost", {3: None}, "is lost"),
    ("another's", {3: Stored(0, "1.1", {"type": "choose", "card": "SPY"})}, "is lost"),
    ("changed", {3: Stored(1, "1.1", {"type": "choose", "card": "KING"})}, "another answer"),
    ("doubled", {5: Stored(1, "1.1", {"type": "choose", "card": "SPY"})}, "2 times"),
    ("unknown", {5: Stored(1, "4.1", {"type": "show"})}, "nobody was told"),
]


@pytest.mark.parametrize(
    ("moves", "words"), [each[1:] for each in MOVES], ids=[e[0] for e in MOVES]
)
def test_a_log_with_other_moves(moves: dict[int, Stored | None], words: str) -> None:
    log = final()
    changed = {**log.moves, **moves}
    kept = {version: move for version, move in changed.items() if move is not None}
    only(honest(), replace(log, moves=kept), words)


@pytest.mark.parametrize(
    ("place", "changes", "words"),
    [
        (0, {"first": 2, "last": 3}, "begins at"),
        (2, {"first": 5}, "is lost"),
        (2, {"last": 4, "head": HEADS[3]}, "the last answer ends at 4"),
        (1, {"last": 9}, "another head"),
        (1, {"began": 50, "ended": 51}, "answer 1.0 stands on version 1 after 5"),
    ],
    ids=["overlapping", "misplaced", "short", "beyond", "out of order"],
)
def test_an_answer_that_tells_what_is_not_so(
    place: int, changes: dict[str, Any], words: str
) -> None:
    history = honest()
    history.answers[place] = replace(history.answers[place], **changes)
    only(history, final(), words)


def other_page(**changes: Any) -> Page:
    return replace(honest().pages[0], **changes)


EVENTS = [event(version, 1) for version in (1, 2, 3)]


@pytest.mark.parametrize(
    ("read", "words"),
    [
        (other_page(events=EVENTS[1:]), "what is not in the log"),
        (other_page(events=[EVENTS[0], EVENTS[2]]), "what is not in the log"),
        (other_page(events=[*EVENTS, EVENTS[2]]), "what is not in the log"),
        (other_page(events=[EVENTS[0], EVENTS[2], EVENTS[1]]), "what is not in the log"),
        (other_page(events=[*EVENTS[:2], {**EVENTS[2], "at": 1}]), "what is not in the log"),
        (other_page(events=[]), "was not given"),
        (other_page(events=EVENTS[:1], version=1), "stands on version 1 after 3"),
        (other_page(events=[EVENTS[0], event(2, 0)]), "the answer to 1.0 early"),
    ],
    ids=["late", "gap", "doubled", "reordered", "changed", "withheld", "stale", "disclosed"],
)
def test_a_page_that_is_no_part_of_the_log(read: Page, words: str) -> None:
    history = honest()
    history.pages[0] = read
    only(history, final(), words)


def test_a_secret_is_found_even_where_the_log_tells_it_too() -> None:
    """The log's own observation is not trusted: it may be what is wrong."""
    log, history = final(), honest()
    told = [event(1, 1), event(2, 0), *log.seen[1][2:]]
    history.pages[0] = other_page(events=told[:3])
    found = faults(history, replace(log, seen={**log.seen, 1: told}))
    assert found == ["viewer 1 was shown the answer to 1.0 early"]


def test_an_answer_that_is_opened_early_is_found() -> None:
    log, history = final(), honest()
    opened = [{"seat": 0, "move": {"type": "choose", "card": "KING"}, "decision": "1.0"}]
    told = [event(1, 1), {**event(2, 1), "reveals": opened}, *log.seen[1][2:]]
    history.pages[0] = other_page(events=told[:3])
    found = faults(history, replace(log, seen={**log.seen, 1: told}))
    assert found == ["viewer 1 was shown the answer to 1.0 early"]


@pytest.mark.parametrize(
    ("shown", "words"),
    [
        (Look(99, 100, 1, 3, {"version": 3, "viewer": 0}), "another position"),
        (Look(99, 100, 1, 4, look(1, 4)), "stands on version 4 after 5"),
    ],
    ids=["another's", "stale"],
)
def test_a_look_at_another_position(shown: Look, words: str) -> None:
    history = honest()
    history.looks.append(shown)
    only(history, final(), words)
