"""Where a bot's seats come from: links and tokens by option, environment or file."""

import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from service.cli.terminal import CannotDo
from service.credentials import SEAT_TOKEN

VARIABLE: Final = "BOT_LINKS"  # without the prefix of settings: those have to be the service's
_LARGEST: Final = 64 * 1024 * 1024  # bytes; a batch of 500 matches has about 1 MB
_TOKEN: Final = re.compile(rf"(?<![a-z0-9_]){SEAT_TOKEN}[a-z2-7]{{16,}}(?![a-z0-9_])")


def tokens_of(given: Sequence[str], file: Path | None, players: Sequence[str]) -> list[str]:
    """The tokens of seats, each once, in the order they were named.

    `players` are external ids: of a JSON file, the seats of these alone.
    Raises: CannotDo, which never repeats what was given.
    """
    found = [_token(word, f"link {place}") for place, word in enumerate(given, 1)]
    words = os.environ.get(VARIABLE, "").split()
    found += [_token(word, f"{VARIABLE}, link {place}") for place, word in enumerate(words, 1)]
    if file is not None:
        found += _of_file(file, players)
    elif players:
        raise CannotDo("--player chooses among the seats of a file: name one with --links")
    if not found:
        raise CannotDo(f"no seat to play: give links, --links FILE or {VARIABLE}")
    return list(dict.fromkeys(found))


def _of_file(file: Path, players: Sequence[str]) -> list[str]:
    text = _read(file)
    if text.lstrip()[:1] in ("{", "["):
        try:
            value = msgspec.json.decode(text)
        except msgspec.DecodeError:
            raise CannotDo(f"{file}: is damaged JSON") from None
        found = [token for player, token in _in_json(value) if not players or player in players]
    elif players:
        raise CannotDo(f"{file}: says not whom its links are for, so --player can't choose")
    else:
        words = text.split()
        found = [_token(word, f"{file}, link {place}") for place, word in enumerate(words, 1)]
    if not found:
        raise CannotDo(f"{file}: has no link to a seat" + (" of them" if players else ""))
    return found


def _in_json(value: Any) -> Iterator[tuple[str | None, str]]:
    """Whom a seat is for and its token, wherever in an answer of the service they stand.

    Links of spectators and of whole series play nothing and are passed over.
    """
    if isinstance(value, list):
        for each in value:
            yield from _in_json(each)
    if not isinstance(value, Mapping):
        return
    link = value.get("link")
    own = (link if isinstance(link, Mapping) else value).get("token")
    if "seat" in value and isinstance(own, str) and _TOKEN.fullmatch(own):
        yield value.get("external_id"), own
        return
    for each in value.values():
        yield from _in_json(each)


def _token(word: str, where: str) -> str:
    found = _TOKEN.findall(word)
    if len(found) != 1:
        raise CannotDo(f"{where}: is no link to a seat")
    token: str = found[0]
    return token


def _read(file: Path) -> str:
    with sys.stdin.buffer if str(file) == "-" else file.open("rb") as source:
        data = source.read(_LARGEST + 1)
    if len(data) > _LARGEST:
        raise CannotDo(f"{file}: is larger than {_LARGEST} bytes")
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise CannotDo(f"{file}: is not UTF-8") from None
