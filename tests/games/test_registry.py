"""The registry: one record per game, rules version and table set, and games from outside."""

from dataclasses import replace
from functools import cache
from importlib.metadata import EntryPoint
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from games import registry
from games.core.game import AnyGame
from games.core.tables import digest
from games.registry import PluginRefused, TablesRefused, UnknownGame
from tests.games import high_card

PLUGIN = EntryPoint("high_card", "tests.games.high_card", registry.GROUP)
MORE_CARDS = b'{"cards":12}'


@pytest.fixture(autouse=True)
def _fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every test reads the entry points anew, and leaves the records of the process alone."""
    monkeypatch.setattr(registry, "_made", {})
    monkeypatch.setattr(registry, "_tables", {})
    monkeypatch.setattr(registry, "_entries", cache(registry._entries.__wrapped__))


def plugged(monkeypatch: pytest.MonkeyPatch, *points: EntryPoint) -> None:
    def found(group: str) -> tuple[EntryPoint, ...]:
        assert group == "plyscribe.games"
        return points

    monkeypatch.setattr(registry, "entry_points", found)


def housed(monkeypatch: pytest.MonkeyPatch, **changes: Any) -> None:
    """High card as the only game of the house, with some attributes of its package changed."""
    package = {"GAME": high_card.GAME, "make": high_card.make, "TABLES": high_card.TABLES}
    plugged(monkeypatch)
    monkeypatch.setattr(registry, "HOUSE", (SimpleNamespace(**{**package, **changes}),))


def test_every_game_of_the_house_is_found_by_its_slug() -> None:
    for package in registry.HOUSE:
        assert isinstance(package, ModuleType)
        assert registry.game(package.GAME.slug) is package.GAME
        assert package.__name__ == f"games.{package.GAME.slug}"
    slugs = [each.slug for each in registry.games()]
    assert slugs == sorted(slugs)


def test_default_tables_make_the_game_of_the_package() -> None:
    for each in registry.games():
        tables = registry.tables_of(each.slug, each.data_digest)
        assert digest(tables) == each.data_digest
        assert registry.install(each.slug, tables) is each
        assert registry.game(each.slug, each.rules_version, each.data_digest) is each


def test_what_is_unknown_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    housed(monkeypatch)
    for slug, version, data in [("chess", 1, None), ("high_card", 2, None), ("high_card", 1, "00")]:
        with pytest.raises(UnknownGame):
            registry.game(slug, version, data)
    with pytest.raises(UnknownGame):
        registry.tables_of("high_card", "00")
    with pytest.raises(UnknownGame):
        registry.install("chess", b"")
    with pytest.raises(UnknownGame):
        registry.install("high_card", MORE_CARDS, 2)


def test_other_tables_are_installed_once_and_found_by_digest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    housed(monkeypatch)
    larger = registry.install("high_card", MORE_CARDS)
    assert larger is registry.install("high_card", MORE_CARDS)
    assert larger is registry.game("high_card", data_digest=digest(MORE_CARDS))
    assert registry.tables_of("high_card", digest(MORE_CARDS)) == MORE_CARDS
    assert len(larger.new(larger.options(), 2).deck) == 12
    assert registry.game("high_card") is high_card.GAME


def test_tables_that_make_no_game_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    housed(monkeypatch)
    with pytest.raises(TablesRefused, match=r"high_card: .*cards"):
        registry.install("high_card", b'{"cards":1}')
    with pytest.raises(UnknownGame):
        registry.tables_of("high_card", digest(b'{"cards":1}'))


def test_a_make_that_loses_the_digest_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    housed(monkeypatch, make=lambda tables: high_card.GAME)
    with pytest.raises(TablesRefused, match="digest"):
        registry.install("high_card", MORE_CARDS)


def test_earlier_rules_stay_beside_the_newest(monkeypatch: pytest.MonkeyPatch) -> None:
    def second(tables: bytes) -> AnyGame:
        return replace(high_card.make(tables), rules_version=2)

    newest = second(high_card.TABLES)
    housed(monkeypatch, GAME=newest, make=second, OLD_RULES={1: high_card.make})
    assert registry.game("high_card") is newest
    old = registry.game("high_card", 1)
    assert old.rules_version == 1
    assert old is registry.game("high_card", 1)
    assert registry.install("high_card", MORE_CARDS, 1).rules_version == 1
    assert registry.game("high_card", 2, digest(MORE_CARDS)).rules_version == 2


def test_a_game_comes_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    plugged(monkeypatch, PLUGIN)
    assert registry.game("high_card") is high_card.GAME
    assert high_card.GAME in registry.games()
    assert len(registry.games()) == len(registry.HOUSE) + 1


@pytest.mark.parametrize(
    ("point", "reason"),
    [
        (EntryPoint("chess", "no.such.package", registry.GROUP), "no.such"),
        (EntryPoint("chess", "tests.games.high_card", registry.GROUP), "its slug is 'high_card'"),
        (EntryPoint("chess", "json", registry.GROUP), "GAME"),
    ],
)
def test_a_broken_plugin_is_named(
    monkeypatch: pytest.MonkeyPatch, point: EntryPoint, reason: str
) -> None:
    plugged(monkeypatch, point)
    with pytest.raises(PluginRefused, match=rf"chess = {point.value}.*{reason.split('.')[0]}"):
        registry.games()


@pytest.mark.parametrize(
    "changes", [{"GAME": "high_card"}, {"make": None}, {"TABLES": "{}"}, {"TABLES": b"{}"}]
)
def test_a_package_that_is_no_game_is_refused(
    monkeypatch: pytest.MonkeyPatch, changes: dict[str, Any]
) -> None:
    for name, value in changes.items():
        monkeypatch.setattr(high_card, name, value)
    plugged(monkeypatch, PLUGIN)
    with pytest.raises(PluginRefused, match="high_card"):
        registry.games()


def test_tables_that_are_a_file_of_the_package_are_found_by_digest(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    folder = tmp_path / "folder_game"
    folder.mkdir()
    (folder / "__init__.py").write_text("from tests.games.high_card import GAME, make\n")
    (folder / "other.json").write_bytes(MORE_CARDS)
    monkeypatch.syspath_prepend(str(tmp_path))
    plugged(monkeypatch, EntryPoint("high_card", "folder_game", registry.GROUP))
    with pytest.raises(PluginRefused, match="no TABLES"):
        registry.games()
    (folder / "cards.json").write_bytes(high_card.TABLES)
    tables = registry.tables_of("high_card", high_card.GAME.data_digest)
    assert tables == high_card.TABLES


def test_a_slug_that_exists_already_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    twin = EntryPoint("high_card", "twin.package", registry.GROUP)
    plugged(monkeypatch, PLUGIN, twin)
    with pytest.raises(PluginRefused, match=r"already"):
        registry.games()
    housed(monkeypatch)
    plugged(monkeypatch, PLUGIN)
    registry._entries.cache_clear()
    with pytest.raises(PluginRefused, match=r"already"):
        registry.games()
