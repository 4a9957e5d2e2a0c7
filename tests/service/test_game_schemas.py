"""The schemas a game publishes are what its views, moves and options look like on the wire."""

from random import Random
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.service.client import answer, bearer, decision_of, moves_page, play_out, random_move
from tests.service.conftest import GAME, Door

Json = dict[str, Any]

GAMES = [(GAME, 3, {}), ("ambition_characters", 4, {"round_limit": 1})]


async def schemas_of(door: Door, game: str) -> dict[str, Draft202012Validator]:
    shown = (await door.get(f"/v1/games/{game}")).json()
    found = {name: shown[name] for name in ("options", "moves", "view")}
    for schema in found.values():
        Draft202012Validator.check_schema(schema)
    return {name: Draft202012Validator(schema) for name, schema in found.items()}


@pytest.mark.parametrize(("game", "seats", "options"), GAMES, ids=[each[0] for each in GAMES])
async def test_what_is_served_fits_the_schemas_of_the_game(
    door: Door, game: str, seats: int, options: Json
) -> None:
    schemas = await schemas_of(door, game)
    table = await door.table(game, seats, options=options)
    schemas["options"].validate((await door.get(table.path)).json()["options"])
    rng = Random(3)
    for _ in range(40):
        for seat in range(seats):
            view = await door.http.get(table.path + "/view", headers=bearer(table.tokens[seat]))
            schemas["view"].validate(view.json()["view"])
            own = (await decision_of(door.http, table, seat))["decision"]
            if own is None or own["id"] is None:
                continue
            listed = (await moves_page(door.http, table, seat))["moves"]
            moves = [each["move"] for each in listed if each["move"] is not None]
            for move in moves:
                schemas["moves"].validate(move)
            move = rng.choice(moves) if moves else random_move(own["offers"], rng)
            await answer(door.http, table, seat, own["id"], move)
    await play_out(door.http, table, 3)
    log = (await door.get(table.path + "/events?perspective=full")).json()
    played = [each["move"] for each in log["events"] if each["kind"] == "move_played"]
    assert played
    for move in played:
        schemas["moves"].validate(move)
