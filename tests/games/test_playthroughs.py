"""The written-out matches: what is written is what the rules play, and reads as it should."""

from pathlib import Path

import pytest

from games.core.playthrough import HEAD_LINES, rewritten, write
from tests.games import high_card
from tests.playthroughs.regenerate import found, playthroughs


@pytest.mark.parametrize(
    "path", list(playthroughs()), ids=lambda path: f"{path.parent.name}/{path.stem}"
)
def test_a_playthrough_is_what_the_rules_play(path: Path) -> None:
    """If a change of rules is meant: `make playthrough`, and read the diff."""
    text = path.read_text(encoding="utf-8")
    assert rewritten(text, found) == text
    head = dict(line.split(" ", 1) for line in text.splitlines()[:HEAD_LINES])
    assert path.parent.name == head["game"]
    assert path.name.startswith(f"{head['seats']}-seats-")
    assert path.name.endswith(f"-seed{head['seed']}.txt")


def test_the_same_seed_gives_the_same_text_and_another_seed_another() -> None:
    options, seats = high_card.GAME.trials[0]
    first, again, other = (write(high_card.GAME, options, seats, seed) for seed in "AAB")
    assert first == again
    assert first.splitlines()[HEAD_LINES:] != other.splitlines()[HEAD_LINES:]


def test_what_is_hidden_is_told_apart_from_what_all_see() -> None:
    options, seats = high_card.GAME.trials[1]
    text = write(high_card.GAME, options, seats, "1")
    assert "1. [round 1] draw: round 1 deal" in text
    assert "   seat 1, public saw choose card=null" in text
    assert "   opened: seat 0 choose card=" in text
    assert "   0 may ring stake:0..2 | waive" in text
    assert text.endswith("ranks [1,2]\n")
    for line in text.splitlines():
        assert not (line.startswith("   all:") and "hand =" in line and "hand = null" not in line)
