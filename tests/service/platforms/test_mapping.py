"""The table of docs/tournaments.md, cell by cell, against the adapters."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from events.results import WITHOUT_RESULT, Ending
from service.platforms.adapters import ADAPTERS
from service.platforms.told import DONE, Outcome, Platform, Told
from tests.service.platforms.fakes import Challonge, Fake, Pods, Startgg, Toornament, drive
from tests.service.platforms.results import PLAYERS, earlier, shaped

PAGE = (Path(__file__).parents[3] / "docs" / "tournaments.md").read_text("utf-8")
FAKES: dict[str, tuple[Platform, Callable[..., Fake]]] = {
    "Challonge": (Platform.CHALLONGE, Challonge),
    "start.gg": (Platform.STARTGG, Startgg),
    "Toornament": (Platform.TOORNAMENT, Toornament),
    "pods": (Platform.PODS, Pods),
}


def rows() -> list[dict[str, str]]:
    """The table, by the names of its columns."""
    found = re.search(r"^\| ending .*?\n\n", PAGE, re.M | re.S)
    assert found is not None
    names, _, *lines = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in found[0].split("\n")
        if line
    ]
    return [dict(zip(names, line, strict=True)) for line in lines]


ROWS = rows()
CELLS = [
    pytest.param(row, name, id=f"{row['ending']}-{row['result']}-{name}")
    for row in ROWS
    for name in FAKES
]


def told_at(name: str, told: Told, before: list[Told]) -> str:
    """What stands at the platform, or why nothing is told, after these results in order."""
    platform, fake = FAKES[name]
    there = fake(PLAYERS[: len(told.participants)])
    report = ADAPTERS[platform].report
    for number, each in enumerate(before):
        assert drive(report(each, there.target, before[:number]), there).outcome in DONE
    written = len(there.writes)
    ended = drive(report(told, there.target, before), there)
    if ended.outcome is Outcome.NOTHING or ended.outcome not in DONE:
        assert len(there.writes) == written
        return str(ended.outcome)
    return there.summary()


@pytest.mark.parametrize(("row", "name"), CELLS)
def test_a_cell_is_what_comes_of_it(row: dict[str, str], name: str) -> None:
    told = shaped(Ending(row["ending"]), row["result"])
    before = [earlier()] if row["result"] == "after a result" else []
    assert told_at(name, told, before) == row[name].removesuffix(" ?")


def test_every_ending_has_its_rows() -> None:
    found = [(row["ending"], row["result"]) for row in ROWS]
    assert len(set(found)) == len(found)
    assert {ending for ending, _ in found} == {str(each) for each in Ending}
    for ending in Ending:
        shapes = {shape for name, shape in found if name == ending}
        if ending in WITHOUT_RESULT:
            assert shapes == {"never told", "after a result"}, ending
        else:
            # Where nobody can win nobody is first, or all are, whatever the number of seats.
            alone = ({"nobody first"}, {"first shared"})
            assert {"one first", "three seats"} <= shapes or shapes in alone, ending


def test_every_platform_has_its_column() -> None:
    assert {platform for platform, _ in FAKES.values()} == set(Platform)
    assert all(set(FAKES) <= set(row) for row in ROWS)


@pytest.mark.parametrize("name", FAKES)
def test_a_rewind_takes_back_what_was_told(name: str) -> None:
    void = next(row for row in ROWS if (row["ending"], row["result"]) == ("void", "after a result"))
    assert told_at(name, shaped(None, "after a result"), [earlier()]) == void[name].removesuffix(
        " ?"
    )


def test_every_outcome_is_explained() -> None:
    explained = re.search(r"^\| outcome .*?\n\n", PAGE + "\n", re.M | re.S)
    assert explained is not None
    words = set(re.findall(r"`([a-z_ ]+)`", explained[0]))
    assert {str(each) for each in Outcome} <= words
