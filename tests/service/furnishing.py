"""Databases that are furnished through the door once and copied for each test: copying costs a
hundredth.
"""

import asyncio
import shutil
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from tests.service.conftest import Clock, Door, opened_door, settings_of

Made = TypeVar("Made")


@dataclass(frozen=True)
class Furnished(Generic[Made]):
    """An SQLite file that nobody has open, and what `made` it says of what is in it."""

    path: Path
    made: Made

    def copied(self, folder: Path) -> str:
        """The URL of a copy."""
        path = folder / self.path.name
        shutil.copy(self.path, path)
        return f"sqlite:///{path}"


def furnished(
    folder: Path, template: Path, make: Callable[[Door], Awaitable[Made]]
) -> Furnished[Made]:
    """Of a migrated file, where no loop runs."""
    path = folder / "furnished.db"
    shutil.copy(template, path)

    async def run() -> Made:
        clock = Clock()
        async with opened_door(settings_of(f"sqlite:///{path}", folder), clock) as door:
            made = await make(door)
        assert clock == Clock(), "whoever gets a copy begins at that time"
        return made

    made = asyncio.run(run())
    assert not Path(f"{path}-wal").exists(), "not all of it is in the file"
    return Furnished(path, made)
