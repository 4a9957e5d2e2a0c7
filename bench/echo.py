"""The least a POST of a move can cost here: Starlette, one route, decode and answer."""

import msgspec
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route


async def play(request: Request) -> Response:
    body = msgspec.json.decode(await request.body())
    match_id = request.path_params["match_id"]
    answer = {"match_id": match_id, "decision": body.get("decision"), "head": "0" * 64}
    return Response(msgspec.json.encode(answer), media_type="application/json")


app = Starlette(routes=[Route("/v1/matches/{match_id}/moves", play, methods=["POST"])])
