"""Schemathesis over REST: every check, in every phase, against a server of its own."""

from pathlib import Path

import pytest

from tests.service.contract_runs import hold_for_a_while, hold_for_long

DOOR = ("/openapi.json", "tests.service.contract_hooks")


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    return sqlite_url


def test_the_contract_holds_for_a_while(database_url: str, tmp_path: Path) -> None:
    hold_for_a_while(*DOOR, database_url, tmp_path, 1)


@pytest.mark.fuzz
def test_the_contract_holds_for_long(database_url: str, tmp_path: Path) -> None:
    hold_for_long(*DOOR, database_url, tmp_path, seconds=600)
