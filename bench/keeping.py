"""What was measured last, a file a part, and the pages made of it."""

import json
from pathlib import Path
from typing import Any, Final

from bench import rows, scaling

RESULTS: Final = scaling.RESULTS
TABLE: Final = "results.md"


def stored(folder: Path = RESULTS) -> dict[str, Any]:
    """By part."""
    return {file.stem: json.loads(file.read_bytes()) for file in sorted(folder.glob("*.json"))}


def table_of(folder: Path = RESULTS) -> str:
    return rows.markdown(stored(folder))


def keep(folder: Path, part: str, found: dict[str, Any]) -> None:
    """Of a part at once, so that a run that is broken off keeps what it has."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{part}.json").write_text(json.dumps(found, indent=2) + "\n")
    (folder.parent / TABLE).write_text(table_of(folder))
    if folder == RESULTS:
        scaling.PAGE.write_text(scaling.page())
