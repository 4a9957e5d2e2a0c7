"""Schemathesis over GraphQL: every check that applies, against a server of its own."""

from pathlib import Path

import pytest

from tests.service.contract_runs import hold_for_a_while, hold_for_long

DOOR = ("/graphql", "tests.service.graphql.contract_hooks")


def test_the_schema_holds_for_a_while(database_url: str, tmp_path: Path) -> None:
    hold_for_a_while(*DOOR, database_url, tmp_path, 8)


@pytest.mark.fuzz
def test_the_schema_holds_for_long(database_url: str, tmp_path: Path) -> None:
    hold_for_long(*DOOR, database_url, tmp_path, seconds=600)
