"""Old logs fold to the same match for ever.

`tests/logs/NAME.jsonl` is one match. Line by line a stored event as a JSON object: `version`,
`kind`, `schema`, `at` as numbers and text, `body` as the text of its canonical JSON, `salt`,
`facets` and `hash` in hex. The last line is `{"digest": ...}`: SHA-256 (hex) over the canonical
JSON of `[version, status, asked, resigned, outcome, state]` after the last event.

A file that is there is never written again. If one of these tests fails, the code is wrong: a new
rules version, an upcaster or a field with a default is what keeps old logs alive. A new log is
added with `python -m tests.events.test_logs NAME`, from the matches in MATCHES below.
"""

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random

import msgspec
import pytest

from events.canonical import canonical, decoded, digest
from events.decide import CloseMatch, OfGroup, Resign, RevealMatch
from events.match import Match, fold
from events.types import Closing, Record
from events.verify import verify_log
from games import registry
from tests.events.scripted import GROUP_ID, NOON, Table, finished

LOGS = Path(__file__).parent.parent / "logs"


def resigned() -> Table:
    """Three rounds of four seats; one resigns in the second, words are said before and after."""
    game = registry.game("high_card")
    table = Table(game, 4, game.options(rounds=3)).play_on(Random(7), most=9, talk=0.3)
    table.do(Resign(2))
    return table.play_on(Random(8), talk=0.3)


def given_up() -> Table:
    table = Table(registry.game("ambition_characters"), 2).play_on(Random(5), most=40)
    table.do(Resign(1))
    return table


def played_on() -> Table:
    """Of a deal group that closes after a few moves, by fallbacks, and is revealed."""
    group = OfGroup(GROUP_ID, NOON + 10_000, Closing.FALLBACK)
    table = Table(registry.game("high_card"), 3, group=group).play_on(Random(4), most=3)
    table.at = NOON + 10_000
    table.do(CloseMatch(early=False))
    table.do(RevealMatch())
    return table


MATCHES: Mapping[str, Callable[[], Table]] = {
    "high_card_four_seats": lambda: finished("high_card", 4, 1),
    "high_card_resigned": resigned,
    "ambition_four_seats": lambda: finished("ambition_characters", 4, 1),
    "ambition_given_up": given_up,
    "high_card_played_on": played_on,
}


@pytest.mark.parametrize("path", sorted(LOGS.glob("*.jsonl")), ids=lambda path: path.stem)
def test_an_old_log_folds_to_the_same_match(path: Path) -> None:
    records, expected = read(path)
    current = fold(records)
    assert current is not None
    assert digest_of(current) == expected


@pytest.mark.parametrize("path", sorted(LOGS.glob("*.jsonl")), ids=lambda path: path.stem)
def test_an_old_log_is_sound(path: Path) -> None:
    records, _ = read(path)
    verdict = verify_log(records)
    assert (verdict.fault, verdict.unchecked) == (None, ())


def test_there_are_logs() -> None:
    assert {"high_card_four_seats", "high_card_resigned"} <= {p.stem for p in LOGS.glob("*.jsonl")}


def digest_of(current: Match) -> str:
    state = msgspec.to_builtins(current.state)
    outcome = msgspec.to_builtins(current.outcome)
    place = [current.version, current.status, current.asked, current.resigned]
    return digest([*place, outcome, state]).hex()


def read(path: Path) -> tuple[tuple[Record, ...], str]:
    *lines, last = [decoded(line) for line in path.read_bytes().splitlines()]
    return tuple(_record(line) for line in lines), last["digest"]


def written(table: Table) -> bytes:
    lines = [canonical(_line(record)) for record in table.records]
    return b"\n".join([*lines, canonical({"digest": digest_of(table.current)}), b""])


def _record(line: dict[str, str | int]) -> Record:
    binary = {name: bytes.fromhex(str(line[name])) for name in ("salt", "facets", "hash")}
    return msgspec.convert({**line, **binary, "body": str(line["body"]).encode()}, Record)


def _line(record: Record) -> dict[str, object]:
    fields = msgspec.structs.asdict(record)
    binary = {name: fields[name].hex() for name in ("salt", "facets", "hash")}
    return {**fields, **binary, "body": record.body.decode()}


def main() -> None:
    for name in sys.argv[1:]:
        path = LOGS / f"{name}.jsonl"
        if path.exists():
            sys.exit(f"{path.name} is there and stays as it is")
        path.write_bytes(written(MATCHES[name]()))


if __name__ == "__main__":
    main()
