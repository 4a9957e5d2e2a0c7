"""What is counted by both doors, and what a look at the parts tells."""

from random import Random

import pytest
from msgspec.structs import replace

from events.append import Appended, Conflict, KeyReused
from events.batching import Outcome
from events.snapshots import save
from service import open_times, signals
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


async def test_a_decision_is_measured_from_the_event_that_asked_it(door: Door) -> None:
    """The last answer comes to a decision that an earlier event than the last one opened."""
    table = await door.table(seats=2)
    parts = door.app.parts
    parts.answers.taken()
    count, total = (f"decision_open_seconds_{each}" for each in ("count", "sum"))
    before = [value(each, game=GAME) for each in (count, total)]
    for seat, seconds in ((0, 3), (1, 4), (0, 5)):
        door.clock.now += 1000 * seconds
        own = (await decision_of(door.http, table, seat))["decision"]
        ask = {"decision": own["id"], "move": random_move(own["offers"], Random(1))}
        for _ in range(2):
            await door.post(table.path + "/moves", table.tokens[seat], json=ask)
    await open_times.tell(parts.store, parts.answers)
    after = [value(each, game=GAME) for each in (count, total)]
    measured = [b - a for a, b in zip(before, after, strict=True)]
    assert measured == [3, pytest.approx(3 + 4 + (4 + 5))]
    await open_times.tell(parts.store, parts.answers)
    assert value(count, game=GAME) == after[0]


def test_of_many_answers_some_are_kept_each_as_likely() -> None:
    answers, seen = open_times.Answers(most=10), [0] * 40
    for _ in range(400):
        for number in range(40):
            answers.note(open_times.Answer(GAME, "", number, 0))
        taken = answers.taken()
        assert len({each.version for each in taken}) == len(taken) == 10
        for each in taken:
            seen[each.version] += 1
    assert min(seen) > 50  # of 100 to be expected: with a chance of one in a billion it is not
    assert not answers.taken()


async def test_what_does_not_agree_with_a_log_is_counted_and_told(
    door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines: list[tuple[str, str]] = []
    monkeypatch.setattr(door.app, "_log", Lines(lines))
    kinds = ("snapshot", "lost")
    before = [value("replay_mismatch_total", kind=each) for each in kinds]
    table = await door.table(seats=2)
    parts = door.app.parts
    current = await parts.cache.load(table.match_id)
    assert current is not None
    monkeypatch.setattr(parts.cache, "_every", 1)
    for wrong in (replace(current, at=current.at + 1), replace(current, head=b"another")):
        parts.cache._kept.drop(table.match_id)
        parts.cache._restored = 0
        await save(parts.store, wrong)
        assert await parts.cache.load(table.match_id) == current
        await parts.cache.close()
    after = [value("replay_mismatch_total", kind=each) for each in kinds]
    assert [b - a for a, b in zip(before, after, strict=True)] == [1, 1]
    named = ("snapshot_is_wrong", "events_that_were_read_are_lost")
    assert lines == [(each, table.match_id) for each in named]


class Lines:
    """A logger that keeps names and matches."""

    def __init__(self, lines: list[tuple[str, str]]) -> None:
        self._lines = lines

    def error(self, name: str, match_id: str) -> None:
        self._lines.append((name, match_id))

    warning = error
