"""Answers of the GraphQL door are described by its own schema."""

import pytest


@pytest.fixture(autouse=True)
def _every_answer_is_documented() -> None:
    """In place of the check against the OpenAPI document, which has no such address."""


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    """What differs between databases is tested below the doors, and by test_doors_agree."""
    return sqlite_url
