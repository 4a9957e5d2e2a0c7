"""Takebacks, disputes, rulings of every kind and rewinds at the doors: no viewer tells two worlds
apart by what it is shown or answered. Pure rewinds are in test_rewinds.py.
"""

import os
from collections import Counter
from collections.abc import Callable
from secrets import token_hex
from typing import Any

import pytest
from msgspec.structs import replace

from events import allowing
from events.refusals import RulingImpossible, TakebackImpossible
from games.core.game import AnyGame, Chance, Decision
from games.registry import HOUSE
from projections.learning import learnt
from service import credentials, disputes, looking
from tests.games import high_card
from tests.secrecy.broken import TRUE
from tests.secrecy.disputing import Disputing
from tests.secrecy.following import Interference, Worlds, follow
from tests.secrecy.moments import case

CASES = 2
LONG = int(os.environ.get("PLYSCRIBE_FUZZ", "300"))
MOST = 60  # cases tried for one that shows a leak
GAMES = [*(package.GAME for package in HOUSE), high_card.GAME]
by_game = pytest.mark.parametrize("game", GAMES, ids=lambda game: str(game.slug))


@pytest.fixture(autouse=True)
def _pseudonyms_are_equal(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are random and say nothing, but two worlds would have two."""
    monkeypatch.setattr(credentials, "pseudonym", lambda: "p_another")


async def disputed(worlds: Worlds, game: AnyGame, seed: str, cases: int) -> Counter[str]:
    """What was done in all: acts by their last word, refused ones apart.

    Half of the cases begin with a draw, so that there is something to draw anew.
    """
    done = Counter[str]()
    for number in range(cases):
        one = case(game, seed, number, None if number % 2 else _is_drawn(game))
        assert one is not None
        followed = await follow(worlds, one, horizon=3, by=_counting(done))
        done["dropped"] += followed.is_dropped
        done["differing"] += followed.differing
    print(dict(done))
    return done


def _is_drawn(game: AnyGame) -> Callable[[Any], bool]:
    return lambda state: isinstance(game.turn(state), Chance)


def _counting(done: Counter[str]) -> type[Disputing]:
    class Counting(Disputing):
        async def _do(self, path: str, *more: Any, **named: Any) -> Any:
            got = await super()._do(path, *more, **named)
            word = path.rsplit("/", 1)[-1]
            if word == "rulings":
                word = str(more[1]["ruling"]["type"])
            done[word if got is not None else f"{word} refused"] += 1
            return got

    return Counting


@by_game
async def test_no_viewer_tells_disputed_worlds_apart(worlds: Worlds, game: AnyGame) -> None:
    has_takebacks = game is high_card.GAME  # In others hardly a move shows so little.
    seed, cases = ("disputed 7", 4) if has_takebacks else ("disputed 2", CASES)
    done = await disputed(worlds, game, seed, cases)
    assert done["disputes"] >= cases
    assert done["review"] >= cases
    assert done["rewind"] >= cases
    assert done["redraw"] > 0
    if has_takebacks:
        assert done["consent"] > 0
        assert done["refuse"] > 0


@pytest.mark.fuzz
@by_game
async def test_no_viewer_tells_many_disputed_worlds_apart(worlds: Worlds, game: AnyGame) -> None:
    done = await disputed(worlds, game, token_hex(8), LONG)
    assert {"rewind", "redraw"} <= done.keys()
    if LONG >= 50:  # Some rulings come once in five cases, if then they are possible.
        rulings = {"force_move", "note", "set_result", "void", "replay", "forfeit"}
        assert rulings | {"replace_seat", "appeal", "close"} <= done.keys()


# Services that tell on purpose


def _is_late(current: Any) -> bool:
    state = current.state
    return bool(getattr(state, "deck", ())) and state.deck[0] > "M"


def telling_takebacks(patch: pytest.MonkeyPatch) -> None:
    """Whether a move is taken back hangs on the top of the deck."""
    honest = allowing._allow_asking

    def telling(current: Any, event: Any, target: Any) -> None:
        if _is_late(current):
            raise TakebackImpossible
        honest(current, event, target)

    patch.setattr(allowing, "_allow_asking", telling)


def telling_rewinds(patch: pytest.MonkeyPatch) -> None:
    """Whether a rewind is possible hangs on the top of the deck."""
    honest = allowing._allow_rewind

    def telling(current: Any, to: int, target: Any, member: str) -> None:
        if _is_late(current):
            raise RulingImpossible
        honest(current, to, target, member)

    patch.setattr(allowing, "_allow_rewind", telling)


def reports_for_all(patch: pytest.MonkeyPatch) -> None:
    """A seat is shown the parts of all seats in a report."""

    async def everybody(parts: Any, caller: Any, current: Any, *more: Any) -> frozenset[int]:
        return frozenset(range(current.seats))

    patch.setattr(looking, "_seats_to_report", everybody)


def neighbours_report(patch: pytest.MonkeyPatch) -> None:
    """A seat's part of a report is what its neighbour learnt."""

    def shifted(steps: Any, seat: int, dealer: Any) -> Any:
        return learnt(steps, seat ^ 1, dealer)

    patch.setattr(looking, "learnt", shifted)


def neighbours_replay(patch: pytest.MonkeyPatch) -> None:
    """A replay shows a seat the views of its neighbour."""
    honest = looking._step

    def shifted(each: Any, event: Any, viewer: int, *, in_play: bool) -> Any:
        return honest(each, event, 0 if viewer < 0 else viewer ^ 1, in_play=in_play)

    patch.setattr(looking, "_step", shifted)


def telling_disputes(patch: pytest.MonkeyPatch) -> None:
    """A dispute says in its claim what lies on top of the deck."""
    honest = disputes.disputes_of

    async def telling(parts: Any, caller: Any, match_id: str) -> Any:
        current = await parts.cache.load(match_id)
        found = await honest(parts, caller, match_id)
        return [replace(each, claim="late") if _is_late(current) else each for each in found]

    patch.setattr(disputes, "disputes_of", telling)


LEAKS = {
    telling_takebacks: "takebacks",
    telling_rewinds: "rulings",
    reports_for_all: "report",
    neighbours_report: "report",
    neighbours_replay: "replay",
    telling_disputes: "disputes",
}


@pytest.mark.parametrize("plant", LEAKS, ids=lambda plant: str(plant.__name__))
async def test_a_leak_in_disputes_is_seen(
    worlds: Worlds, monkeypatch: pytest.MonkeyPatch, plant: Any
) -> None:
    plant(monkeypatch)
    for number in range(MOST):
        one = case(TRUE, "disputed leaks", number, _is_asked)
        if one is None:
            continue
        try:
            await follow(worlds, one, horizon=3, by=Disputing)
        except Interference as interference:
            seen = str(interference)
            break
    else:
        pytest.fail("the leak was not seen")
    assert LEAKS[plant] in seen


def _is_asked(state: Any) -> bool:
    return bool(state.deck) and isinstance(TRUE.turn(state), Decision)
