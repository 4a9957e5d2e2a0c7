"""What clients sent and were answered, and a checker that holds it against the final log.

Times are places in one order: `ended < began` means that the one answer was there before the
other request was sent. The checker knows the log's promises and no game.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import count, pairwise
from typing import Any

import msgspec

Json = dict[str, Any]


class Answered(msgspec.Struct, frozen=True):
    """A move and its receipt: versions `first` to `last`, `head` the hash of `last`."""

    began: int
    ended: int
    seat: int
    decision: str
    move: Json
    first: int
    last: int
    head: str


class Page(msgspec.Struct, frozen=True):
    """The events after `after`, read when the match was at `version`."""

    began: int
    ended: int
    viewer: int
    after: int
    version: int
    events: list[Json]


class Look(msgspec.Struct, frozen=True):
    began: int
    ended: int
    viewer: int
    version: int
    shown: Json


class Stored(msgspec.Struct, frozen=True):
    """A move of a seat in the log."""

    seat: int
    decision: str | None
    move: Json


class Final(msgspec.Struct, frozen=True):
    """What the log says when all is over. `heads` are by place, `seen` are events by viewer;
    `unasked` are the versions that the service adds by itself and not in answer to anything.
    """

    versions: Sequence[int]
    heads: Sequence[str]
    moves: Mapping[int, Stored]
    seen: Mapping[int, Sequence[Json]]
    view: Callable[[int, int], Json]  # (viewer, version)
    unasked: frozenset[int] = frozenset()

    @property
    def version(self) -> int:
        return len(self.versions)

    def complete_at(self, decision: str) -> int:
        """The version by which everybody asked at the same moment had answered."""
        opened = decision.partition(".")[0]
        return max(v for v, m in self.moves.items() if (m.decision or "").startswith(opened + "."))


class History:
    def __init__(self) -> None:
        self.answers: list[Answered] = []
        self.pages: list[Page] = []
        self.looks: list[Look] = []
        self._times = count()

    def now(self) -> int:
        return next(self._times)

    def answered(self, began: int, seat: int, decision: str, move: Json, receipt: Json) -> None:
        got = (receipt["first"], receipt["last"], receipt["head"])
        self.answers.append(Answered(began, self.now(), seat, decision, move, *got))

    def read(self, began: int, viewer: int, after: int, page: Json) -> None:
        got = (page["version"], page["events"])
        self.pages.append(Page(began, self.now(), viewer, after, *got))

    def viewed(self, began: int, viewer: int, shown: Json) -> None:
        self.looks.append(Look(began, self.now(), viewer, shown["version"], shown))


def faults(history: History, final: Final) -> list[str]:
    """Every broken promise; empty if all are kept and every move in the log was acknowledged."""
    return [
        *_log_faults(final),
        *_answer_faults(history.answers, final),
        *_coverage_faults(history.answers, final),
        *_page_faults(history.pages, final),
        *_look_faults(history.looks, final),
        *_order_faults(history),
        *_secrecy_faults(history.pages, final),
    ]


def _log_faults(final: Final) -> Iterator[str]:
    if list(final.versions) != list(range(1, final.version + 1)):
        yield f"the log has versions {list(final.versions)}"
    played = Counter(each.decision for each in final.moves.values() if each.decision)
    for decision, times in played.items():
        if times > 1:
            yield f"decision {decision} is answered {times} times in the log"


def _answer_faults(answers: Sequence[Answered], final: Final) -> Iterator[str]:
    for each in answers:
        found = final.moves.get(each.first)
        if found is None or found.decision != each.decision or found.seat != each.seat:
            yield f"the answer to {each.decision} was acknowledged and is lost"
        elif not _same(found.move, each.move):
            yield f"the log has another answer to {each.decision}"
        elif not each.last <= final.version or final.heads[each.last - 1] != each.head:
            yield f"the receipt for {each.decision} names another head than the log"


def _coverage_faults(answers: Sequence[Answered], final: Final) -> Iterator[str]:
    """From the first move on, each version belongs to one answer, or is unasked."""

    def continued(version: int) -> int:
        """The next version that is somebody's."""
        return next(v for v in count(version + 1) if v not in final.unasked)

    known = {each.first for each in answers}
    for version, move in final.moves.items():
        if version not in known:
            yield f"version {version} answers {move.decision}, which nobody was told"
    ordered = sorted(answers, key=lambda each: each.first)
    for one, other in pairwise(ordered):
        if other.first != continued(one.last):
            yield f"{one.decision} ends at {one.last}, {other.decision} begins at {other.first}"
    if ordered and continued(ordered[-1].last) != final.version + 1:
        yield f"the last answer ends at {ordered[-1].last}, the log at {final.version}"


def _page_faults(pages: Sequence[Page], final: Final) -> Iterator[str]:
    for each in pages:
        wanted = final.seen[each.viewer][each.after : each.after + len(each.events)]
        if [_bare(event) for event in each.events] != [_bare(event) for event in wanted]:
            yield f"viewer {each.viewer} read after {each.after} what is not in the log"
        if not each.events and each.version > each.after:
            yield f"viewer {each.viewer} was not given what is after {each.after}"


def _look_faults(looks: Sequence[Look], final: Final) -> Iterator[str]:
    for each in looks:
        if each.shown != final.view(each.viewer, each.version):
            yield f"viewer {each.viewer} saw another position at version {each.version}"


def _order_faults(history: History) -> Iterator[str]:
    """What was answered before something was asked is part of what is answered then."""
    reads: list[Page | Look] = [*history.pages, *history.looks]
    known = [(each.ended, each.last) for each in history.answers]
    known += [(each.ended, each.version) for each in reads]
    known.sort()
    asked = [(each.began, each.version, "a read") for each in reads]
    asked += [(each.began, each.first - 1, f"answer {each.decision}") for each in history.answers]
    newest, place = 0, 0
    for began, version, name in sorted(asked):
        while place < len(known) and known[place][0] < began:
            newest = max(newest, known[place][1])
            place += 1
        if version < newest:
            yield f"{name} stands on version {version} after {newest} was known"


def _secrecy_faults(pages: Sequence[Page], final: Final) -> Iterator[str]:
    """Before the last of those asked together has answered, nobody else is shown an answer."""
    complete = defaultdict(int, {d: final.complete_at(d) for d in _decisions(final)})
    for page in pages:
        for event in page.events:
            for seat, decision, move in _shown(event):
                is_early = event["version"] < complete[decision]
                if is_early and seat != page.viewer and _tells(move):
                    yield f"viewer {page.viewer} was shown the answer to {decision} early"


def _decisions(final: Final) -> Iterator[str]:
    return (each.decision for each in final.moves.values() if each.decision is not None)


def _shown(event: Json) -> Iterator[tuple[int, str, Json | None]]:
    if event["kind"] == "move_played" and event.get("decision") is not None:
        yield event["seat"], event["decision"], event.get("move")
    for each in event.get("reveals", ()):
        if each.get("decision") is not None:
            yield each["seat"], each["decision"], each["move"]


def _tells(move: Json | None) -> bool:
    """Whether there is a value in it beside its type."""
    return move is not None and any(v is not None for k, v in move.items() if k != "type")


def _same(stored: Json, sent: Json) -> bool:
    """Picks may be sent in another order than they are stored in."""
    return stored.keys() == sent.keys() and all(
        sorted(value) == sorted(sent[name])
        if isinstance(value, list) and isinstance(sent[name], list)
        else value == sent[name]
        for name, value in stored.items()
    )


def _bare(event: Json) -> Json:
    """Without what is joined on when it is shown."""
    return {name: value for name, value in event.items() if name not in ("texts", "proof")}
