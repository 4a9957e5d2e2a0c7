"""Two services that differ in nothing but what the test opens in them."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests import installing
from tests.secrecy.following import Worlds
from tests.secrecy.worlds import two_worlds


@pytest.fixture(autouse=True)
def _high_card_is_known() -> None:
    """High card as if it were installed."""
    installing.install()


@pytest.fixture
async def worlds(tmp_path: Path, _sqlite_template: Path) -> AsyncIterator[Worlds]:
    async with two_worlds(tmp_path, _sqlite_template) as opened:
        yield opened
