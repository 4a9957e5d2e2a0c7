"""Team turns over the real door: whoever moves at the same moment, no move is lost."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from random import Random
from typing import Any

import httpx
import pytest

from events.decide import DecisionClosed, PlayMove
from events.types import Start
from games.star_realms import GAME
from games.star_realms.state import Mode, Options
from service.app import App, build
from service.cli.checking import checked
from service.cli.configuration import configured
from service.cli.rebuilding import read_log
from service.settings import Settings
from tests.events.scripted import Table as EventTable
from tests.games.star_realms.build import given
from tests.service.client import (
    Json,
    Table,
    answer,
    bearer,
    decision_of,
    open_table,
    play_seat,
    random_move,
)
from tests.service.conftest import Clock, Door
from tests.service.graphql.asking import ask, ref

KEY = "pk_tests_" + "c" * 48
PAIR = {"mode": "pirates_coop", "gambits_per_player": 0}


@pytest.fixture
def settings(database_url: str, tmp_path: Path) -> Settings:
    return Settings(
        data_dir=tmp_path,
        database_url=database_url,
        secret_key="5a" * 32,
        admin_key=KEY,
        tick_seconds=0.2,
        long_poll_seconds=2,
    )


@pytest.fixture
async def app(settings: Settings) -> AsyncIterator[App]:
    async with build(settings).running() as running:
        yield running


@pytest.fixture
async def http(app: App) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(app=app)
    async with httpx.AsyncClient(transport=transport, base_url="http://door") as client:
        yield client


async def opened(http: httpx.AsyncClient, seats: int = 2, **options: Any) -> Table:
    return await open_table(http, KEY, "star_realms", seats, options={**PAIR, **options})


async def asked(http: httpx.AsyncClient, table: Table, seat: int) -> Json:
    """The seat's own decision."""
    own: Json = (await decision_of(http, table, seat))["decision"]
    return own


def options(decision: Json, kind: str, field: str = "card") -> list[Any]:
    for offer in decision["offers"]:
        if offer["type"] == kind:
            found: list[Any] = offer["fields"][field]["options"]
            return found
    return []


async def view_of(http: httpx.AsyncClient, table: Table, seat: int) -> Json:
    got = await http.get(table.path + "/view", headers=bearer(table.tokens[seat]))
    view: Json = got.json()["view"]
    return view


async def moves_of(http: httpx.AsyncClient, table: Table) -> list[Json]:
    got = await http.get(table.path + "/events?after=0", headers=bearer(table.tokens[0]))
    return [event for event in got.json()["events"] if event["kind"] == "move_played"]


async def with_trade(http: httpx.AsyncClient) -> tuple[Table, str]:
    """Both have played all their cards; a card of the row that the pool pays for just once."""
    for _ in range(40):
        table = await opened(http)
        for seat in (0, 1):
            while cards := options(own := await asked(http, table, seat), "play_card"):
                move = {"type": "play_card", "card": cards[0]}
                assert (await answer(http, table, seat, own["id"], move)).status_code == 200
        cards = options(await asked(http, table, 0), "acquire")
        if len(cards) > 2:
            return table, next(card for card in cards if card != "explorer")
    raise AssertionError("no row that anybody can buy from")


async def test_two_who_move_at_the_same_moment_both_succeed(http: httpx.AsyncClient) -> None:
    table = await opened(http)
    for round_ in range(1, 6):
        ids, cards = [], []
        for seat in (0, 1):
            own = await asked(http, table, seat)
            assert own["mode"] == "open"
            ids.append(own["id"])
            cards.append(options(own, "play_card")[0])
        sent = [
            answer(http, table, seat, ids[seat], {"type": "play_card", "card": cards[seat]})
            for seat in (0, 1)
        ]
        done = await asyncio.gather(*sent)
        assert [each.status_code for each in done] == [200, 200], [each.text for each in done]
        assert len({each.json()["first"] for each in done}) == 2
        shown = await view_of(http, table, 0)
        assert [len(seat["in_play"]) for seat in shown["seats"]] == [round_, round_]


async def test_the_second_to_take_an_option_is_told_and_offered_anew(
    http: httpx.AsyncClient,
) -> None:
    table, card = await with_trade(http)
    ids = [(await asked(http, table, seat))["id"] for seat in (0, 1)]
    before = await view_of(http, table, 0)
    move = {"type": "acquire", "card": card}
    done = await asyncio.gather(*(answer(http, table, s, ids[s], move) for s in (0, 1)))
    assert sorted(each.status_code for each in done) == [200, 409]
    lost = 0 if done[0].status_code == 409 else 1
    problem = done[lost].json()
    assert problem["code"] == "offer-gone"
    fresh = problem["decision"]
    assert fresh == await asked(http, table, lost)
    assert fresh["id"] == ids[lost]
    assert card not in options(fresh, "acquire")
    after = await view_of(http, table, 0)
    slot = before["trade_row"].index(card)
    assert after["trade_row"][slot] is not None
    assert [len(seat["discard"]) for seat in after["seats"]] == [lost, 1 - lost]
    assert after["trade"] < before["trade"]
    retry = await answer(http, table, lost, fresh["id"], {"type": "end_turn"})
    assert retry.status_code == 200, retry.text


async def test_a_slow_team_mates_move_is_still_taken(http: httpx.AsyncClient) -> None:
    table = await opened(http)
    slow = await asked(http, table, 1)
    for _ in range(5):
        own = await asked(http, table, 0)
        move = {"type": "play_card", "card": options(own, "play_card")[0]}
        assert (await answer(http, table, 0, own["id"], move)).status_code == 200
    own = await asked(http, table, 0)
    assert (await answer(http, table, 0, own["id"], {"type": "end_turn"})).status_code == 200
    move = {"type": "play_card", "card": options(slow, "play_card")[0]}
    done = await answer(http, table, 1, slow["id"], move)
    assert done.status_code == 200, done.text
    again = await answer(http, table, 1, slow["id"], move)
    assert (again.status_code, again.content) == (200, done.content)
    assert len(await moves_of(http, table)) == 7


async def test_all_who_end_the_turn_at_once_end_it_once(http: httpx.AsyncClient) -> None:
    table = await opened(http, seats=5)
    for turn in (1, 2):
        ids = [(await asked(http, table, seat))["id"] for seat in range(5)]
        move = {"type": "end_turn"}
        done = await asyncio.gather(*(answer(http, table, s, ids[s], move) for s in range(5)))
        assert [each.status_code for each in done] == [200] * 5, [each.text for each in done]
        shown = await view_of(http, table, 0)
        assert shown["turn"] == turn + (not shown["boss"]["acting"])
        if shown["boss"]["acting"]:
            return
        assert all(not seat["done"] for seat in shown["seats"] if seat["alive"])
        if not all(seat["alive"] for seat in shown["seats"]):
            return


async def test_a_move_never_offered_is_told_apart_from_one_that_is_gone(
    http: httpx.AsyncClient,
) -> None:
    table = await opened(http)
    ids = [(await asked(http, table, seat))["id"] for seat in (0, 1)]
    stranger = {"type": "play_card", "card": "scout#99"}
    refused = await answer(http, table, 1, ids[1], stranger)
    assert (refused.status_code, refused.json()["code"]) == (422, "move-not-offered")
    own = await asked(http, table, 0)
    move = {"type": "play_card", "card": options(own, "play_card")[0]}
    assert (await answer(http, table, 0, ids[0], move)).status_code == 200
    gone = await answer(http, table, 1, ids[1], stranger)
    assert (gone.status_code, gone.json()["code"]) == (409, "offer-gone")


def test_a_question_to_one_closes_the_decision_of_the_other_until_it_is_answered() -> None:
    """Nobody has main-phase offers while it waits; then all are asked anew, and none is stuck."""
    log = EventTable(GAME, 2, Options(mode=Mode.PIRATES_COOP), is_seated=True, start=Start.MANUAL)
    log.set_position(given("pirates_coop", hand0="patrol_mech", hand1="scout viper").state)
    old = log.current.decision_of(1)
    assert old is not None
    log.play(0, {"type": "play_card", "card": "patrol_mech#1"})
    assert log.current.decision_of(1) is None
    move = {"type": "play_card", "card": given(hand1="scout").state.seats[1].hand[0]}
    with pytest.raises(DecisionClosed):
        log.do(PlayMove(1, old, move, bytes(32)))
    log.play(0, {"type": "choose_option", "option": "trade"})
    fresh = log.current.decision_of(1)
    assert fresh not in (None, old)
    with pytest.raises(DecisionClosed):
        log.do(PlayMove(1, old, move, bytes(32)))
    log.play(1, move)
    assert log.current.state.trade == 4


async def test_a_match_is_played_with_typed_moves_over_graphql(
    http: httpx.AsyncClient, app: App
) -> None:
    more = {"mode": "beast_coop", "gambits_per_player": 3, "turn_limit": 4}
    table, rng, kinds = await opened(http, 3, **more), Random(5), set()
    door = Door(http, app, Clock())
    query = """mutation($match: MatchRef!, $decision: String!, $move: MoveInput!) {
      playMove(input: {match: $match, decision: $decision, move: $move}) {
        __typename ... on PlayMovePayload { match { status } } ... on Problem { code } } }"""
    status = "RUNNING"
    while status == "RUNNING":
        seats = [s for s in range(3) if (await asked(http, table, s))["id"]]
        seat = rng.choice(seats)
        own = await asked(http, table, seat)
        move = random_move(own["offers"], rng)
        kinds.add(move["type"])
        given_to = {"match": ref(table.match_id), "decision": own["id"], "move": typed(move)}
        told = (await ask(door, query, table.tokens[seat], **given_to))["playMove"]
        assert "match" in told, (move, told)
        status = told["match"]["status"]
    assert {"reveal_opening", "play_card", "attack", "end_turn"} <= kinds


def typed(move: Json) -> Json:
    """A move as the input of its own type."""
    fields = {_camel(name): value for name, value in move.items() if name != "type"}
    if "faction" in fields:
        fields["faction"] = fields["faction"].upper()
    return {"starRealms": {_camel(move["type"]): fields}}


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(map(str.capitalize, rest))


@pytest.mark.parametrize(
    ("mode", "seats"), [("pirates_coop", 4), ("beast_coop", 3), ("free_for_all", 3), ("duel", 2)]
)
async def test_clients_that_all_play_at_once_reach_the_end(
    http: httpx.AsyncClient, settings: Settings, mode: str, seats: int
) -> None:
    more = {"mode": mode, "gambits_per_player": 2, "turn_limit": 3}
    table = await opened(http, seats, **more)
    made = await asyncio.gather(
        *(play_seat(http, table, s, Random(s), wait=2) for s in range(seats))
    )
    log = await read_log(
        configured(data_dir=settings.data_dir, database_url=settings.database_url), table.match_id
    )
    verdict = checked(log)
    assert verdict.ok, verdict.faults
    assert sum(record.kind == "move_played" for record in log.records) == sum(made)
