"""What is counted by both doors, and what a look at the parts tells."""

from random import Random

import pytest

from events.append import Appended, Conflict, KeyReused
from events.batching import Outcome
from service import signals
from service.errors import NoCredentials
from service.graphql import problems as graphql
from service.sampling import look
from tests.service.client import Json, Table, decision_of, random_move
from tests.service.conftest import GAME, Door


def value(name: str, **labels: str) -> float:
    return signals.REGISTRY.get_sample_value(f"plyscribe_{name}", labels) or 0.0


def moves() -> list[float]:
    outcomes = ("accepted", "replayed", "refused")
    return [value("moves_total", game=GAME, outcome=each) for each in outcomes]


def grown(before: list[float]) -> list[float]:
    return [after - earlier for after, earlier in zip(moves(), before, strict=True)]


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    return sqlite_url


async def test_a_move_is_accepted_once_and_then_replayed(door: Door) -> None:
    table = await door.table(seats=2)
    look(door.app.parts)
    before, spent = moves(), value("decide_seconds_total", game=GAME)
    seat, ask = await turn(door, table)
    answers = [await door.post(table.path + "/moves", table.tokens[seat], json=ask)
               for _ in range(3)]  # fmt: skip
    assert [each.status_code for each in answers] == [200, 200, 200]
    wrong = await door.post(
        table.path + "/moves", table.tokens[seat], json={**ask, "move": {"type": "none"}}
    )
    assert wrong.status_code in (409, 422)
    look(door.app.parts)
    assert grown(before) == [1, 2, 1]
    assert value("decide_seconds_total", game=GAME) > spent


async def turn(door: Door, table: Table) -> tuple[int, Json]:
    """A seat that is asked, and a request that answers."""
    for seat in range(len(table.tokens)):
        own = (await decision_of(door.http, table, seat))["decision"]
        if own is not None and own["id"] is not None:
            return seat, {"decision": own["id"], "move": random_move(own["offers"], Random(1))}
    raise AssertionError("nobody is asked")


async def test_a_problem_is_counted_by_its_code_over_both_doors(door: Door) -> None:
    before = value("problems_total", code="unauthorized")
    assert (await door.http.get("/v1/me")).status_code == 401
    assert value("problems_total", code="unauthorized") == before + 1
    # GraphQL tells one as data of a mutation, or among the errors of an answer.
    graphql.problem(NoCredentials())
    graphql.extensions(NoCredentials())
    assert value("problems_total", code="unauthorized") == before + 3


async def test_requests_are_counted_by_the_pattern_of_their_address(door: Door) -> None:
    table = await door.table(seats=2)
    look(door.app.parts)
    route = {"route": "/v1/matches/{match}", "status": "200"}
    before, nowhere = (
        value("requests_total", **route),
        value("requests_total", route="", status="404"),
    )
    await door.get(table.path)
    await door.http.get("/of/nobody/" + table.match_id)
    look(door.app.parts)
    assert value("requests_total", **route) == before + 1
    assert value("requests_total", route="", status="404") == nowhere + 1


def test_a_commit_is_told_by_its_answers() -> None:
    outcomes = ("appended", "conflict", "refused", "failed")
    before = [value("appends_total", outcome=each) for each in outcomes]
    events, commits = value("events_appended_total"), value("append_seconds_count")
    answers: list[Outcome] = [
        Appended(3, 5, b""),
        Appended(1, 1, b""),
        Conflict(1, b""),
        KeyReused(),
        OSError(),
    ]
    signals.observe_commit(answers, 0.002)
    after = [value("appends_total", outcome=each) for each in outcomes]
    assert [a - b for a, b in zip(after, before, strict=True)] == [2, 1, 1, 1]
    assert value("events_appended_total") == events + 4
    assert value("append_seconds_count") == commits + 1
