"""What webhooks are told tells no two worlds apart: bodies, ids, order and number of messages."""

from contextlib import suppress
from typing import Any

import msgspec
import pytest
from sqlalchemy import Connection, select

from events.consumers import Overtaken
from events.tables import EVENT
from games.core.game import AnyGame
from games.registry import HOUSE
from service.webhooks.tables import DELIVERY
from tests.games import high_card
from tests.secrecy.door import Asked
from tests.secrecy.following import Worlds, follow
from tests.secrecy.moments import case
from tests.secrecy.worlds import KEY, World

CASES = 12
MOST_CASES = 80  # until the worlds have differed in something
KINDS = ("created", "started", "ended", "cancelled", "revealed", "advanced")

GAMES = [*(package.GAME for package in HOUSE), high_card.GAME]
by_game = pytest.mark.parametrize("game", GAMES, ids=lambda game: str(game.slug))


@pytest.fixture(autouse=True)
def _names_lead_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    async def nowhere(host: str, port: int) -> list[str]:
        return []

    monkeypatch.setattr("service.reaching.addresses_of", nowhere)


async def told(worlds: Worlds, game: AnyGame) -> tuple[list[Any], list[Any]]:
    """What a webhook of everything is sent in each world while cases are played in step."""
    for world in worlds:
        types = [f"match.{kind}" for kind in KINDS]
        body = {"url": "https://play.example.org/", "types": types}
        made = await world.door.ask(Asked("POST", "/v1/webhooks", KEY, body))
        assert made.status == 201
    differing, alone = 0, max(game.seats) == 1  # there nobody's choice is hidden from another
    for number in range(MOST_CASES):
        if number >= CASES and (differing or alone):
            break
        one = case(game, "webhooks", number)
        assert one is not None
        differing += (await follow(worlds, one)).differing
        for world in worlds:
            await world.caught_up()
    assert differing or alone
    return await _sent(worlds[0]), await _sent(worlds[1])


async def _sent(world: World) -> list[Any]:
    """The messages in the order in which they were queued."""
    while True:
        with suppress(Overtaken):
            if not await world.parts.webhooks._follower._consumer.step():
                break
    columns = (DELIVERY.c.message_id, DELIVERY.c.type, DELIVERY.c.match_id, DELIVERY.c.body)
    query = select(*columns).order_by(DELIVERY.c.id)
    return await world.parts.database.read(lambda c: [tuple(row) for row in c.execute(query)])


@by_game
async def test_no_webhook_tells_two_worlds_apart(worlds: Worlds, game: AnyGame) -> None:
    here, there = await told(worlds, game)
    assert len(here) >= CASES
    assert here == there
    for _, kind, match_id, body in here:
        event = msgspec.json.decode(body)
        assert (event["type"], event["subject"]) == (kind, match_id)
        assert set(event["data"]) == {
            *("match_id", "external_id", "game", "deal_group", "version", "status", "test")
        }


async def test_the_probe_sees_a_leak(worlds: Worlds, monkeypatch: pytest.MonkeyPatch) -> None:
    def leaking(connection: Connection, ids: list[str]) -> dict[str, str]:
        query = select(EVENT.c.match_id, EVENT.c.body).where(EVENT.c.match_id.in_(set(ids)))
        return {match_id: str(bytes(body)) for match_id, body in connection.execute(query)}

    monkeypatch.setattr("service.result_rows.games", leaking)
    here, there = await told(worlds, high_card.GAME)
    assert here != there
