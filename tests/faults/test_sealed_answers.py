"""kill -9 between and during sealed answers: none lost, none told early, nothing asked anew."""

from random import Random
from typing import Any

import httpx
import msgspec
import pytest

from tests.faults import builds
from tests.faults.history import faults
from tests.faults.players import (
    REPLAYED,
    SEATS,
    Ask,
    give,
    insisting_client,
    next_answers,
    open_table,
    play_out,
)
from tests.faults.serving import KEY, Service, plain_client
from tests.faults.stored import answers_in, assert_continues, assert_sound, final_of, records_of
from tests.service.client import Table, bearer, decision_of

Shown = dict[tuple[int | None, str], Any]  # by viewer and address
POINTS = ("before_commit", "after_commit", "after_hint")


async def all_asked(http: httpx.AsyncClient, table: Table, rng: Random) -> list[Ask]:
    """Play until every seat is asked at once; what each will answer, in a random order."""
    while len(asks := await next_answers(http, table, rng)) < SEATS:
        for ask in asks:
            assert (await give(http, table, ask)).status_code == 200
    rng.shuffle(asks)
    return asks


async def shown_to_all(http: httpx.AsyncClient, table: Table) -> Shown:
    """Every byte that each seat and a spectator are shown."""
    found: Shown = {}
    for viewer, token in ((None, KEY), *enumerate(table.tokens)):
        for address in ("/view", "/events", "/decision"):
            if address == "/decision" and viewer is None:
                continue
            params = {"limit": 500} if address == "/events" else {}
            got = await http.get(table.path + address, params=params, headers=bearer(token))
            assert got.status_code == 200, got.text
            found[viewer, address] = (got.headers["etag"], got.content)
    return found


def assert_hidden(shown: Shown, given: list[Ask]) -> None:
    """Nobody but the seat itself knows what it has answered; that it has, all know."""
    for (viewer, address), (_, content) in shown.items():
        body = msgspec.json.decode(content)
        for ask in given:
            if viewer == ask.seat:
                continue
            if address == "/view":
                seat = body["view"]["seats"][ask.seat]
                known = (seat["has_chosen"], seat["choice"], seat["hand"])
                assert known == (True, None, None), "a view tells of a sealed answer"
            elif address == "/events":
                assert_hidden_event(body["events"], ask)


def assert_hidden_event(events: list[Any], ask: Ask) -> None:
    (event,) = [each for each in events if each.get("decision") == ask.decision]
    hidden = {"type": ask.move["type"], "card": None}
    assert event["move"] == hidden, "an event tells a sealed answer"
    opened = [reveal.get("decision") for each in events for reveal in each.get("reveals", ())]
    assert ask.decision not in opened


async def assert_unmoved(http: httpx.AsyncClient, table: Table, asks: list[Ask]) -> None:
    """Those still asked are asked by the same ids."""
    for ask in asks:
        shown = await decision_of(http, table, ask.seat)
        assert shown["decision"]["id"] == ask.decision


async def test_killed_between_any_two_sealed_answers(
    served: Service, http: httpx.AsyncClient
) -> None:
    await _killed_between(served, http)


async def test_answers_that_are_kept_in_memory_are_missed(on_sqlite: Service) -> None:
    on_sqlite.build = builds.keeping_sealed_answers_in_memory
    async with insisting_client(on_sqlite.url) as http:
        with pytest.raises(AssertionError, match="is shown otherwise"):
            await _killed_between(on_sqlite, http)


async def _killed_between(served: Service, http: httpx.AsyncClient) -> None:
    await served.start()
    table = await open_table(http)
    asks = await all_asked(http, table, Random(1))
    receipts: list[bytes] = []
    for place, ask in enumerate(asks, 1):
        receipts.append((await give(http, table, ask)).content)
        before, stored = await shown_to_all(http, table), await records_of(served, table.match_id)
        await served.kill()
        await served.start()
        assert await shown_to_all(http, table) == before, "what was answered is shown otherwise"
        await assert_unmoved(http, table, asks[place:])
        if place < SEATS:
            assert_hidden(before, asks[:place])
        for earlier, receipt in zip(asks[:place], receipts, strict=True):
            again = await give(http, table, earlier)
            assert (again.headers[REPLAYED], again.content) == ("true", receipt)
        assert await records_of(served, table.match_id) == stored
    other = Ask(asks[0].seat, asks[0].decision, {"type": asks[0].move["type"], "card": "nobody"})
    assert (await give(http, table, other)).json()["code"] == "decision-answered"
    await play_out(http, table)
    log = await assert_sound(served, table.match_id)
    assert_continues(log.records, stored)


async def test_killed_while_sealed_answers_are_taken(on_sqlite: Service) -> None:
    await _killed_at_each_answer(on_sqlite, 0)


async def test_answers_that_are_told_early_are_noticed(on_sqlite: Service) -> None:
    on_sqlite.build = builds.telling_sealed_answers
    with pytest.raises(AssertionError, match="an event tells a sealed answer"):
        await _killed_at_each_answer(on_sqlite, 0)


@pytest.mark.soak
@pytest.mark.parametrize("first", range(len(POINTS)))
async def test_killed_while_sealed_answers_are_taken_at_every_point(
    served: Service, first: int
) -> None:
    await _killed_at_each_answer(served, first)


async def _killed_at_each_answer(served: Service, first: int) -> None:
    """Each answer dies at another point, then is sent again."""
    async with insisting_client(served.url) as http, plain_client(served.url) as once:
        await served.start()
        table = await open_table(http)
        asks = await all_asked(http, table, Random(first))
        await served.kill()
        owed: list[Ask] = []
        for place, ask in enumerate(asks):
            point = POINTS[(first + place) % len(POINTS)]
            await served.start(f"{point}:{1 + len(owed)}")
            await _settle(http, table, asks, place, owed)
            with pytest.raises(httpx.TransportError):
                await give(once, table, ask)
            await served.has_died()
            owed = [ask] if point == "before_commit" else []
            stored = answers_in(await records_of(served, table.match_id))
            assert [stored[each.decision] for each in asks[: place + 1]] == [1] * place + [
                1 - len(owed)
            ]
        await served.start()
        await _settle(http, table, asks, SEATS, owed)
        history = await play_out(http, table)
    log = await assert_sound(served, table.match_id)
    known = {each.decision for each in history.answers}
    assert {ask.decision for ask in asks}.isdisjoint(known)
    assert [answers_in(log.records)[each.decision] for each in asks] == [1] * SEATS
    assert [each for each in faults(history, final_of(log)) if "nobody was told" not in each] == []


async def _settle(
    http: httpx.AsyncClient, table: Table, asks: list[Ask], place: int, owed: list[Ask]
) -> None:
    """Every answer so far is sent again; one that was not stored is taken now."""
    for earlier in asks[:place]:
        again = await give(http, table, earlier)
        assert (again.status_code, REPLAYED in again.headers) == (200, earlier not in owed)
    await assert_unmoved(http, table, asks[place:])
    if 0 < place < SEATS:
        assert_hidden(await shown_to_all(http, table), asks[:place])
