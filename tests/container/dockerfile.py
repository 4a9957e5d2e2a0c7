"""What the Dockerfile says of the image it makes."""

import json
import re
import shlex
from pathlib import Path

ROOT = Path(__file__).parents[2]


def instructions() -> list[tuple[str, str]]:
    """All of them in order: the word in front, and the rest as one line."""
    text = (ROOT / "Dockerfile").read_text("utf-8")
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    whole = re.sub(r"\\\n\s*", " ", "\n".join(lines))
    return [(word, rest.strip()) for word, _, rest in map(_parted, whole.splitlines())]


def of_image(word: str) -> list[str]:
    """What an instruction says in the last stage."""
    found = instructions()
    last = max(place for place, (each, _) in enumerate(found) if each == "FROM")
    return [rest for each, rest in found[last:] if each == word]


def one(word: str) -> str:
    (rest,) = of_image(word)
    return rest


def words(word: str) -> list[str]:
    """A command in its exact form: a JSON list."""
    found: list[str] = json.loads(one(word))
    return found


def environment() -> dict[str, str]:
    pairs = (each.partition("=") for rest in of_image("ENV") for each in shlex.split(rest))
    return {name: value for name, _, value in pairs}


def _parted(line: str) -> tuple[str, str, str]:
    return line.partition(" ")
