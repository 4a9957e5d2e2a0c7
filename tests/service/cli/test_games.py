"""`plyscribe games`: the list, and the laws with the seed of a failure."""

import re
from dataclasses import replace
from types import SimpleNamespace

import msgspec
import pytest

from games import registry
from tests.games import high_card
from tests.games.high_card.game import State
from tests.service.cli.conftest import Run


def test_the_games_are_listed(run: Run, high_card_game: None) -> None:
    told = run("games", "list")
    assert told.code == 0
    assert "high_card" in told.out
    (facts,) = run("games", "list", "--json").lines
    assert facts["slug"] == "high_card"
    assert facts["seats"] == list(high_card.GAME.seats)


def test_a_game_that_keeps_the_laws_passes(run: Run, high_card_game: None) -> None:
    told = run("games", "check", "high_card", "--matches", 2, "--seed", "s")
    assert told.code == 0
    assert "every law holds" in told.err
    (report,) = run("games", "check", "high_card", "--matches", 2, "--seed", "s", "--json").lines
    assert (report["ok"], report["matches"], report["seed"]) == (True, 2, "s")


@pytest.fixture
def leaky(monkeypatch: pytest.MonkeyPatch, high_card_game: None) -> None:
    """High card with a view that shows the deck."""
    game = high_card.GAME

    def shows_all(state: State, viewer: int) -> msgspec.Struct:
        return msgspec.structs.replace(game.view(state, viewer), round=sum(state.deck))

    broken = replace(game, view=shows_all)
    package = SimpleNamespace(GAME=broken, make=lambda _: broken, TABLES=high_card.TABLES)
    monkeypatch.setattr(registry, "_made", {})
    monkeypatch.setattr(registry, "HOUSE", (package,))
    registry._entries.cache_clear()


def test_a_broken_law_comes_with_the_command_that_finds_it(run: Run, leaky: None) -> None:
    told = run("games", "check", "high_card", "--matches", 5)
    assert told.code == 1
    assert "BROKEN" in told.out
    again = re.search(r"plyscribe (games check .*)", told.err)
    assert again is not None
    assert run(*again[1].split()).code == 1


def test_a_broken_law_as_json(run: Run, leaky: None) -> None:
    told = run("games", "check", "high_card", "--json")
    assert told.code == 1
    assert told.lines[0]["failure"]["law"]


@pytest.mark.parametrize(
    "words",
    [
        ("games", "check", "chess"),
        ("games", "check"),
        ("games", "check", "high_card", "--matches", "0"),
        ("games", "check", "high_card", "--matches", "many"),
        ("fly",),
        ("games", "fly"),
        ("games", "list", "--fast"),
    ],
)
def test_mistakes_are_one_line_and_exit_2(
    run: Run, high_card_game: None, words: tuple[str, ...]
) -> None:
    refused = run(*words)
    assert (refused.code, refused.out) == (2, "")
    assert refused.err.startswith("plyscribe: ")
    assert len(refused.err.splitlines()) == 1


def test_a_setting_that_cannot_be_read_is_one_line(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLYSCRIBE_PORT", "high")
    refused = run("serve")
    assert refused.code == 2
    assert "PLYSCRIBE_PORT" in refused.err


def test_the_version(run: Run) -> None:
    assert run("version").out == run("--version").out == "0.1.0\n"


def test_help_names_every_command(run: Run) -> None:
    told = run("--help")
    for command in ("serve", "migrate", "demo", "replay", "games", "version"):
        assert command in told.out
