"""What the log of a match shows beyond the rules: refusals, who played, and the end that opens."""

from typing import Any

import pytest

from events.canonical import decoded
from events.decide import Resign
from events.types import By, MatchRevealed, MovePlayed, Start
from events.verify import verify_log
from games.ambition_characters import GAME
from games.core.game import ALL, SPECTATOR
from games.core.moves import IllegalMove
from tests.events.scripted import Table, finished, shown_to
from tests.games.ambition_characters.build import Play, given


def at_position(text: str) -> Table:
    """A match that goes on from a position, with its log."""
    table = Table(GAME, 3, start=Start.MANUAL)
    table.set_position(given(text).state)
    return table


def shown(table: Table, viewer: int, back: int = 1) -> dict[str, Any]:
    content: dict[str, Any] = decoded(shown_to(table.sealed[-back], viewer))
    return content


def test_sc_09_a_move_that_is_not_offered_is_told_to_its_seat_and_logged_for_nobody() -> None:
    table = at_position(
        "act; coins 1,1,1; S0 [KING] SPY; S1 [THIEF] WITCH; S2 [ACTOR] MADMAN; down WIZARD; "
        "blocked KING, PRINCESS"
    )
    before = table.records
    with pytest.raises(IllegalMove, match=r"^move not offered: activate$"):
        table.play(0, {"type": "activate", "power": "KING", "skip": []})
    assert table.records == before
    table.play(0, {"type": "decline"})
    blocked = shown(table, SPECTATOR)
    table.play(1, {"type": "decline"})
    free = shown(table, SPECTATOR)
    differ = {name for name in blocked if blocked[name] != free[name]}
    assert differ == {"version", "at", "asks", "seat", "decision"}


def test_sc_74_that_a_clock_played_is_public_and_its_live_card_is_seen_by_its_owner() -> None:
    table = at_position(
        "play; standin SPY,WITCH,KING; S0 KING, THIEF; S1 ACTOR, WITCH; S2 SPY, MADMAN; down WIZARD"
    )
    table.do(Resign(1))
    assert isinstance(table.events[-1], MovePlayed)
    for viewer in (0, 1, 2, SPECTATOR):
        seen = shown(table, viewer)
        assert (seen["seat"], seen["by"]) == (1, By.FALLBACK)
        card = "WITCH" if viewer == 1 else None
        assert seen["move"] == {"type": "choose_live", "card": card}
        assert Play(table.current.state).view(viewer).seats[1].choice == card
    table.play(0, {"type": "choose_live", "card": "KING"})
    assert shown(table, 2).get("by", By.SEAT) == By.SEAT


def test_r_35_the_end_opens_the_whole_log() -> None:
    """Every card that was hidden is in the events, which are open to all once the seed is."""
    table = finished("ambition_characters", 3, 5)
    *_, reveal = table.events
    assert isinstance(reveal, MatchRevealed)
    assert bytes.fromhex(reveal.seed) == table.dealer.seed()
    verdict = verify_log(table.records, texts=table.texts)
    assert (verdict.fault, verdict.unchecked) == (None, ())
    assert {"draws", "answers"} <= set(verdict.checked)
    before_it = verify_log(table.records[:-1], texts=table.texts)
    assert not {"draws", "answers"} & set(before_it.checked)
    kinds = set()
    for step, sealed in zip(table.steps, table.sealed, strict=True):
        if not isinstance(step.event, MovePlayed):
            continue
        body = decoded(shown_to(sealed, ALL))["move"]
        public = decoded(shown_to(sealed, SPECTATOR))["move"]
        if public != body:
            kinds.add(body["type"])
            assert None in public.values()
        assert None not in body.values()
    assert kinds == {"pass_card", "choose_live", "keep", "replace_live"}
