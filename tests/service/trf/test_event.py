"""An event and what its matches came to, as a file."""

from typing import Any

import msgspec
import pytest

from events.results import Ending, Result, ResultStatus
from service.trf import tables
from service.trf.event import EVENT, Event, EventRefused, checked, codes, report_of
from service.trf.report import NOTHING, Cell
from service.trf.writing import written
from tests.service.platforms.results import result, shaped
from tests.service.platforms.test_mapping import ROWS
from tests.service.trf.reading import read

Json = dict[str, Any]
PLAYERS = [{"id": each, "name": each.upper()} for each in "abcde"]


def event(*rounds: Json, **more: Any) -> Event:
    body = {"name": "Cup", "players": PLAYERS, "rounds": rounds, **more}
    return checked(EVENT.decode(msgspec.json.encode(body)))


def game(*players: str, match: str = "m") -> Json:
    return {"players": players, "match": match}


def came(given: Event, *results: Result) -> dict[Any, Result]:
    return dict(zip(given.games, results, strict=True))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['ending']}-{row['result']}")
def test_a_cell_of_the_table_is_what_is_written(row: dict[str, str]) -> None:
    told = shaped(Ending(row["ending"]), row["result"]).result
    wanted = row["TRF"].removesuffix(" ?")
    if wanted == "wrong_seats":
        with pytest.raises(EventRefused):
            codes(told)
        return
    given = event({"games": [game("a", "b")]})
    report = report_of(given, came(given, told))
    first, second = (each.cells[0] for each in report.players[:2])
    if wanted == "blank":
        assert (first, second) == (NOTHING, NOTHING)
    else:
        one, other = wanted.split(" ")
        assert (first, second) == (Cell(2, "w", one), Cell(1, "b", other))


def test_rounds_byes_points_and_ranks() -> None:
    given = event(
        {
            "date": "2026-03-07",
            "games": [game("a", "b"), game("c", "d", match="n")],
            "byes": [{"player": "e", "kind": "U"}],
        },
        {
            "games": [game("b", "c"), game("e", "a", match="n")],
            "byes": [{"player": "d", "kind": "H"}],
        },
    )
    drawn = result(Ending.NORMAL, (1, 1))
    won = result(Ending.NORMAL, (1, 2))
    report = report_of(given, came(given, won, result(Ending.FORFEITED, (1, 2)), drawn, won))
    assert [(each.points, each.rank) for each in report.players] == [
        (10, 3),
        (5, 4),
        (15, 2),
        (5, 4),
        (20, 1),
    ]
    assert [each.cells[0].code for each in report.players] == list("10+-U")
    assert report.dates == ("26/03/07", "")
    assert read(written(report)) == report


def test_a_game_that_is_not_over_has_no_result_yet() -> None:
    given = event({"games": [game("a", "b")]})
    report = report_of(given, came(given, result(None, (None, None), status=ResultStatus.PENDING)))
    assert [each.cells for each in report.players[:2]] == [
        (Cell(2, "w", " "),),
        (Cell(1, "b", " "),),
    ]
    assert read(written(report)) == report


@pytest.mark.parametrize(
    "rounds",
    [
        [{"games": [game("a", "x")]}],
        [{"games": [game("a", "b"), game("b", "c", match="n")]}],
        [{"games": [game("a", "a")]}],
        [{"games": [game("a", "b")], "byes": [{"player": "b", "kind": "Z"}]}],
        [{"games": [{"players": ["a", "b"]}]}],
        [{"games": [{"players": ["a", "b"], "match": "m", "external_id": "x"}]}],
    ],
)
def test_an_event_that_does_not_agree_with_itself_is_refused(rounds: list[Json]) -> None:
    with pytest.raises(EventRefused):
        event(*rounds)


def test_a_match_of_other_seats_is_refused() -> None:
    given = event({"games": [game("a", "b", "c")]})
    with pytest.raises(EventRefused):
        report_of(given, came(given, result(Ending.NORMAL, (1, 2, 3))))
    with pytest.raises(EventRefused):
        tables.document(given, came(given, result(Ending.NORMAL, (1, 2))))


def test_pods_have_tables_and_standings() -> None:
    given = event(
        {"games": [game("a", "b", "c", "d")], "byes": [{"player": "e", "kind": "U"}]},
        {"games": [{**game("e", "d", "c"), "table": "top"}]},
        scoring={"win": 50, "draw": 10, "pairing_bye": 50},
    )
    first = result(Ending.NORMAL, (2, 1, 3, 4), scores=(7, 9, 5, 1))
    second = result(Ending.NORMAL, (1, 1, 3))
    told = tables.document(given, came(given, first, second))
    (one, bye), (top,) = (each["tables"] for each in told["rounds"])
    assert (one["table"], one["status"], one["winner"], one["winner_id"]) == (
        "1",
        "Completed",
        "B",
        "b",
    )
    assert [each["id"] for each in one["players"]] == ["b", "a", "c", "d"]
    assert (bye["status"], bye["players"]) == ("Bye", [{"id": "e", "name": "E"}])
    assert (top["table"], top["winner"], top["winner_id"]) == ("top", "Draw", None)
    standings = [(e["standing"], e["id"], e["points"], e["wins"]) for e in told["standings"]]
    assert standings == [
        (1, "e", 6.0, 0),
        (2, "b", 5.0, 1),
        (3, "d", 1.0, 0),
        (4, "a", 0.0, 0),
        (4, "c", 0.0, 0),
    ]
