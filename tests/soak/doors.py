"""A match opened, played and given up through REST or through GraphQL, at two addresses in turn."""

from abc import ABC, abstractmethod
from itertools import cycle
from typing import Any
from urllib.parse import urlsplit

import msgspec

from bench.connections import Connection, asking, request
from service.graphql.ids import MATCH, node_id
from tests.faults.serving import KEY
from tests.service.client import Json, Table

_CREATE = """
mutation($game: String!, $seats: Int!, $options: JSON) {
  done: createMatch(input: {game: $game, seats: $seats, optionsJson: $options}) {
    ... on CreateMatchPayload { match { matchId } } ... on Problem { code }
  }
}"""
_CLAIM = """
mutation($match: MatchRef!, $seat: Int!) {
  done: claimSeat(input: {match: $match, seat: $seat}) {
    ... on ClaimSeatPayload { token } ... on Problem { code }
  }
}"""
_DECISION = """
query($match: MatchRef!) {
  done: decision(match: $match) { asked { seats } decision { id offersJson } }
}"""
_PLAY = """
mutation($match: MatchRef!, $decision: String, $move: JSON) {
  done: playMove(input: {match: $match, decision: $decision, moveJson: $move}) {
    ... on PlayMovePayload { receipt { last } } ... on Problem { code }
  }
}"""
_RESIGN = """
mutation($match: MatchRef!, $seat: Int!) {
  done: resign(input: {match: $match, seat: $seat}) {
    ... on ResignPayload { match { status } } ... on Problem { code }
  }
}"""


class Asked(msgspec.Struct, frozen=True):
    """Whom the match waits for, nobody once it is over; `own` is what the asking seat is asked,
    by the id of the decision.
    """

    seats: tuple[int, ...]
    own: tuple[str, list[Json]] | None


class Unexpected(Exception):
    """An answer that a sound service does not give."""


class Door(ABC):
    """One client with a connection to each address. Everything raises Refused, Unexpected,
    ConnectionError.
    """

    def __init__(self, connections: list[Connection]) -> None:
        self._all = connections
        self._turn = cycle(connections)

    @classmethod
    async def open(cls, urls: list[str]) -> "Door":
        return cls([await Connection.open(url) for url in urls])

    def close(self) -> None:
        for each in self._all:
            each.close()

    async def send(self, message: bytes) -> Any:
        return msgspec.json.decode(await next(self._turn).send(message))

    async def open_table(self, game: str, seats: int, options: Json) -> Table:
        match_id = await self.create(game, seats, options)
        return Table(match_id, tuple([await self.claim(match_id, n) for n in range(seats)]))

    @abstractmethod
    async def create(self, game: str, seats: int, options: Json) -> str: ...

    @abstractmethod
    async def claim(self, match_id: str, seat: int) -> str: ...

    @abstractmethod
    async def asked(self, table: Table, seat: int) -> Asked: ...

    @abstractmethod
    async def play(self, table: Table, seat: int, decision: str, move: Json) -> None: ...

    @abstractmethod
    async def resign(self, table: Table, seat: int) -> None: ...


class Rest(Door):
    async def create(self, game: str, seats: int, options: Json) -> str:
        body = {"game": game, "seats": seats, "options": options}
        return str((await self._post("/v1/matches", KEY, body))["match_id"])

    async def claim(self, match_id: str, seat: int) -> str:
        path = f"/v1/matches/{match_id}/seats/{seat}/claim"
        return str((await self._post(path, KEY, {}))["token"])

    async def asked(self, table: Table, seat: int) -> Asked:
        shown = await self.send(asking(table.path + "/decision", table.tokens[seat]))
        return _asked(shown["asked"], shown["decision"], "offers")

    async def play(self, table: Table, seat: int, decision: str, move: Json) -> None:
        body = {"decision": decision, "move": move}
        await self._post(table.path + "/moves", table.tokens[seat], body)

    async def resign(self, table: Table, seat: int) -> None:
        await self._post(f"{table.path}/seats/{seat}/resign", table.tokens[seat], {})

    async def _post(self, path: str, token: str, body: Json) -> Any:
        return await self.send(request(path, token, msgspec.json.encode(body)))


class Graphql(Door):
    async def create(self, game: str, seats: int, options: Json) -> str:
        made = await self._ask(_CREATE, KEY, game=game, seats=seats, options=options)
        return str(made["match"]["matchId"])

    async def claim(self, match_id: str, seat: int) -> str:
        return str((await self._ask(_CLAIM, KEY, match=reference(match_id), seat=seat))["token"])

    async def asked(self, table: Table, seat: int) -> Asked:
        shown = await self._of(_DECISION, table, seat)
        return _asked(shown["asked"], shown["decision"], "offersJson")

    async def play(self, table: Table, seat: int, decision: str, move: Json) -> None:
        await self._of(_PLAY, table, seat, decision=decision, move=move)

    async def resign(self, table: Table, seat: int) -> None:
        await self._of(_RESIGN, table, seat, seat=seat)

    async def _of(self, query: str, table: Table, by: int, **variables: Any) -> Any:
        return await self._ask(
            query, table.tokens[by], match=reference(table.match_id), **variables
        )

    async def _ask(self, query: str, token: str, **variables: Any) -> Any:
        body = msgspec.json.encode({"query": query, "variables": variables})
        told = await self.send(request("/graphql", token, body))
        done = (told.get("data") or {}).get("done")
        if "errors" in told or done is None or "code" in done:
            raise Unexpected(str(told)[:500])
        return done


DOORS: tuple[type[Door], ...] = (Rest, Graphql)


def reference(match_id: str) -> Json:
    return {"id": node_id(MATCH, match_id)}


def address(url: str) -> tuple[str, int]:
    at = urlsplit(url)
    return str(at.hostname), int(at.port or 80)


def _asked(asked: Json | None, own: Json | None, offers: str) -> Asked:
    is_open = own is not None and own["id"] is not None
    return Asked(
        () if asked is None else tuple(asked["seats"]),
        (own["id"], own[offers]) if own is not None and is_open else None,
    )
