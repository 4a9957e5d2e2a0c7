"""The games this service knows."""

from games import registry
from service import queries
from service.http import Answer, Request, json
from service.parts import Parts
from service.rest.inputs import caller_of


async def get_games(parts: Parts, request: Request) -> Answer:
    await caller_of(parts, request)
    return json(200, {"games": queries.games()})


async def get_game(parts: Parts, request: Request) -> Answer:
    await caller_of(parts, request, "rules_version")
    version = request.whole("rules_version", 0, 1, 1_000_000)
    return json(200, queries.game_detail(registry.game(request.path["game"], version or None)))
