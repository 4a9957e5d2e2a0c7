"""An operator's component tables in place of the games' own, read and checked at the start."""

from pathlib import Path
from typing import Final

from games import registry
from service.settings import PREFIX, SettingRefused

VARIABLE: Final = PREFIX + "GAME_TABLES"
MOST_BYTES: Final = 16 << 20


def choose_tables(folder: Path | None) -> None:
    """New matches of a game are played with `SLUG.json` of the folder; all others with their own.

    Matches there are keep the tables they were created with, which the database holds.
    Raises: SettingRefused, naming the file and what the game says is wrong in it.
    """
    found = {} if folder is None else _read(folder)
    for game in registry.games():
        if game.slug not in found:
            registry.choose(game.slug, None)
    for slug, tables in found.items():
        try:
            registry.choose(slug, tables)
        except registry.UnknownGame:
            raise SettingRefused(VARIABLE, f"{slug}.json: there is no game {slug}") from None
        except registry.TablesRefused as refused:
            reason = str(refused).removeprefix(f"{slug}: ")
            raise SettingRefused(VARIABLE, f"{slug}.json: {reason}") from None


def _read(folder: Path) -> dict[str, bytes]:
    """By slug, in the order of names. Raises: SettingRefused."""
    try:
        paths = sorted(each for each in folder.iterdir() if each.suffix == ".json")
    except OSError as error:
        raise SettingRefused(VARIABLE, f"the folder can't be read: {error.strerror}") from None
    found = {}
    for path in paths:
        try:
            if path.stat().st_size > MOST_BYTES:
                raise SettingRefused(VARIABLE, f"{path.name}: has more than {MOST_BYTES} bytes")
            found[path.stem] = path.read_bytes()
        except OSError as error:
            raise SettingRefused(VARIABLE, f"{path.name}: {error.strerror}") from None
    return found
