"""Every error has a row, every row a page, and no two situations share a code."""

import importlib
import inspect
import pkgutil
from collections.abc import Iterator

import pytest

import events
import games.core
import projections
import service
from events.database import DatabaseUnreachable
from games.core.moves import IllegalMove
from service.errors import CODES, ROWS, Refusal, body_of, row_of
from service.pages import problem_page

# What runs beside the doors: commands, migrations, checks of games and of logs.
BESIDE = (
    "service.cli",
    "service.contract",
    "service.migrations",
    "service.trf",
    "events.verify",
    "events.legality",
    "games.core.laws",
    "games.core.secrecy",
    "games.core.soundness",
    "games.core.walk",
)

# Faults of the operator or of a program, told by a start or a command: to a caller they are 500.
NOT_FOR_CALLERS = {
    "Broken",
    "BundleRefused",
    "CannotDo",
    "Closing",
    "Contradiction",
    "Deposed",
    "Disconnected",
    "EvidenceWrong",
    "FlagDue",
    "Fork",
    "Gone",
    "JwksRefused",
    "Left",
    "LogBroken",
    "LogInconsistent",
    "LogUnusable",
    "Moved",
    "NotChecked",
    "NoteWrong",
    "Overtaken",
    "PluginRefused",
    "RedisAway",
    "RedisRefused",
    "RedisUnfit",
    "Refusal",
    "Refused",
    "Rests",
    "SeatSignatureWrong",
    "SettingRefused",
    "SignatureWrong",
    "Silent",
    "SlowReader",
    "Stopped",
    "TablesRefused",
    "TargetUnknown",
    "Unreached",
    "VaultLocked",
    "_Repeated",
}


def errors() -> Iterator[type[Exception]]:
    """Every exception class of the packages behind the doors."""
    for package in (events, games.core, projections, service):
        for found in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
            if found.name.startswith(BESIDE):
                continue
            module = importlib.import_module(found.name)
            for _, kind in inspect.getmembers(module, inspect.isclass):
                if issubclass(kind, Exception) and kind.__module__ == found.name:
                    yield kind


@pytest.mark.parametrize("kind", sorted(set(errors()), key=str))
def test_every_error_has_a_row(kind: type[Exception]) -> None:
    if kind.__name__ in NOT_FOR_CALLERS:
        assert kind not in ROWS
        return
    instance = kind.__new__(kind)
    assert row_of(instance).code != "internal" or kind.__name__ == "Internal"


def test_codes_are_names_of_their_own() -> None:
    assert len(CODES) == len(ROWS)
    assert all(code == code.lower() and "_" not in code for code in CODES)


@pytest.mark.parametrize("code", sorted(CODES))
def test_every_problem_has_a_page(code: str) -> None:
    text, html = problem_page(code)
    assert len(text) > 40
    assert html.startswith("<p>")


def test_an_unknown_error_tells_nothing() -> None:
    told = body_of(ValueError("the deck is A B C"))
    assert (told.status, told.code, told.errors) == (500, "internal", ())
    assert "deck" not in str(told)


def test_a_fault_of_the_store_tells_nothing() -> None:
    told = body_of(DatabaseUnreachable("INSERT INTO event …"))
    assert (told.status, told.code) == (503, "unavailable")
    assert "INSERT" not in str(told)


def test_an_illegal_move_repeats_its_type_cut_short() -> None:
    told = body_of(IllegalMove("x" * 1000))
    assert told.errors[0].detail == "type " + "x" * 64


def test_graphql_codes_follow_from_the_problem_types() -> None:
    assert row_of(IllegalMove("x")).graphql == "MOVE_NOT_OFFERED"


def test_refusals_carry_no_text() -> None:
    kinds = [kind for kind in ROWS if issubclass(kind, Refusal)]
    assert kinds
    assert all(str(kind()) == kind.__name__ for kind in kinds)
