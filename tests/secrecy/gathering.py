"""Real matches over the doors of a service, and all that anybody but one seat can get of them."""

from collections.abc import Iterator
from contextlib import suppress
from random import Random
from typing import Any, Final

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from sqlalchemy import select

from events.canonical import canonical
from events.consumers import Overtaken
from events.match import Match
from events.seat_keys import coded, sign_move
from games.core.game import AnyGame, Decision, Seat
from games.core.moves import Text, sample, wire_move
from service.app import App
from service.graphql.ids import MATCH, node_id
from service.webhooks.tables import DELIVERY
from tests.secrecy.addresses import below_match
from tests.secrecy.channels import NDJSON, PLAYED, SSE, WATCHED
from tests.secrecy.door import Asked, Door
from tests.secrecy.published import Published

ADMIN: Final = "pk_guesses_" + "g" * 48
WATCHING: Final = ("observe", "matches:read", "audit:read", "webhooks:manage")
OWN: Final = Ed25519PrivateKey.generate()
WEEK: Final = 604_800  # so that nothing is revealed though a match may end
REFUSED: Final = 3  # one in so many moves of the hiding seat is refused first
EVENTS: Final = ["advanced", "created", "started", "ended"]


class Played(msgspec.Struct):
    """A match that is not revealed. `seat` hides; it plays with a key of its own, and `told` are
    the documents it was given for what it did, which it may show to anybody. `refused` are moves
    it tried before it played them, with the decision they answered then.
    """

    app: App
    door: Door
    match_id: str
    seat: Seat
    tokens: tuple[str, ...]
    watching: str
    behind: str
    told: list[Any]
    refused: list[tuple[str, Any]]

    @property
    def path(self) -> str:
        return f"/v1/matches/{self.match_id}"

    async def current(self) -> Match:
        found = await self.app.parts.cache.load(self.match_id)
        assert found is not None
        return found

    async def post(self, path: str, token: str, body: Any = None) -> Any:
        return await self.door.json_of(Asked("POST", path, token, body))


async def played(app: App, game: AnyGame, trial: int, moves: int) -> Played:
    """A match of random moves, stopped where the seat has just moved, or over and not revealed."""
    options, seats = game.trials[trial % len(game.trials)]
    rng = Random(f"{game.slug} {trial}")
    match = await _seated(app, game, options, seats, trial % seats)
    for number in range(moves * 4):
        current = await match.current()
        turn = current.turn
        if not isinstance(turn, Decision):
            break
        seat = rng.choice(sorted(turn.offers))
        move = wire_move(_without_text(turn, seat, rng))
        if seat == match.seat and number % REFUSED == 0:
            await _refused(match, current, move)
        await _moved(match, current, seat, move)
        if number >= moves and seat == match.seat:
            break
    assert not (await match.current()).is_revealed
    return match


async def _seated(app: App, game: AnyGame, options: Any, seats: int, hiding: Seat) -> Played:
    door = Door(app)
    match = Played(app, door, "", hiding, (), "", "", [], [])
    key = await match.post("/v1/keys", ADMIN, {"name": "watch", "scopes": WATCHING})
    match.watching = key["secret"]
    types = [f"match.{each}" for each in EVENTS]
    hook = {"url": "https://play.example.org/", "types": types}
    assert "id" in await match.post("/v1/webhooks", match.watching, hook)
    wanted = {"game": game.slug, "seats": seats, "options": msgspec.to_builtins(options)}
    wanted["reveal_after_seconds"] = WEEK
    match.match_id = (await match.post("/v1/matches", ADMIN, wanted))["match_id"]
    behind = await match.post(f"{match.path}/spectators", ADMIN, {"delay_versions": 1})
    match.behind = behind["token"]
    key_of_own = {"key": coded(OWN.public_key().public_bytes_raw())}
    for seat in range(seats):
        body = key_of_own if seat == hiding else {}
        claimed = await match.post(f"{match.path}/seats/{seat}/claim", ADMIN, body)
        match.tokens += (claimed["token"],)
    return match


async def _moved(match: Played, current: Match, seat: Seat, move: Any) -> None:
    decision = current.decision_of(seat)
    body = {"decision": decision, "move": move}
    if seat == match.seat:
        nonce = match.app.parts.entropy(32)
        what, at = canonical(move), (current.version, current.head)
        signed = sign_move(OWN, match.match_id, decision, what, nonce, *at)
        body["signed"] = msgspec.to_builtins(signed)
    done = await match.post(f"{match.path}/moves", match.tokens[seat], body)
    assert "evidence" in done, done
    if seat == match.seat:
        match.told.append(done["evidence"])


async def _refused(match: Played, current: Match, move: Any) -> None:
    """What the seat is about to play, tried for a decision that is none."""
    body = {"decision": f"1.{match.seat}", "move": move}
    done = await match.post(f"{match.path}/moves", match.tokens[match.seat], body)
    match.told.append(done["evidence"]["document"])
    match.refused.append((current.decision_of(match.seat) or "", move))


def _without_text(turn: Decision, seat: Seat, rng: Random) -> Any:
    offers = turn.offers[seat]
    plain = [e for e in offers if not any(isinstance(f, Text) for f in e.fields.values())]
    return sample(plain or offers, rng)


async def gathered(match: Played) -> Published:
    """All that the other seats together, whoever watches, and strangers are sent."""
    found = Published()
    for document in match.told:
        found.add(canonical(document))
    await match.app.parts.feeding.catch_up()
    version = (await match.current()).version
    for asked in _asked(match, await match.app.parts.feeding.size()):
        binary = "/tile/" in asked.path and "/entries/" not in asked.path
        found.add(await match.door.bytes_of(asked), is_binary=binary)
    for token in (*_others(match), match.watching):
        for accept in (SSE, NDJSON):
            heard = match.door.stream(
                Asked("GET", f"{match.path}/events?proof=true", token, headers=accept)
            )
            await heard.until(version)
            await heard.close()
            found.add(heard.said())
    query = select(DELIVERY.c.body)
    while True:
        with suppress(Overtaken):
            if not await match.app.parts.webhooks._follower._consumer.step():
                break
    for body in await match.app.parts.database.read(lambda c: list(c.scalars(query))):
        found.add(bytes(body))
    return found


def _others(match: Played) -> list[str]:
    return [token for seat, token in enumerate(match.tokens) if seat != match.seat]


def _asked(match: Played, size: int) -> Iterator[Asked]:
    for token in (*_others(match), match.watching, match.behind, None):
        for below in below_match(9):
            yield Asked("GET", match.path + below, token)
        for seat in range(len(match.tokens) + 1):
            yield Asked("GET", f"{match.path}/bundle?perspective=seat:{seat}", token)
            yield Asked("GET", f"{match.path}/seats/{seat}", token)
        yield Asked("GET", f"{match.path}/events?proof=true&limit=500", token)
        yield Asked("GET", "/v1/matches", token)
        yield Asked("GET", "/v1/me", token)
        yield Asked("GET", "/v1/feed?limit=500", token)
        # Never the move itself: what one submits oneself is told back, with the salt.
        for decision in (None, f"1.{match.seat}", f"9.{match.seat}"):
            wrong = {"decision": decision, "move": {"type": "no_such_move"}}
            yield Asked("POST", f"{match.path}/moves", token, wrong)
            yield Asked("POST", f"{match.path}/moves/validate", token, wrong)
        variables = {"match": {"id": node_id(MATCH, match.match_id)}}
        for query in (WATCHED, PLAYED):
            yield Asked("POST", "/graphql", token, {"query": query, "variables": variables})
    for path in ("", "/checkpoint", "/consistency?first=1", "/statements"):
        yield Asked("GET", f"/v1/log{path}", None)
    yield Asked("GET", f"/v1/log/tile/0/000.p/{size}", None)
    yield Asked("GET", f"/v1/log/tile/entries/000.p/{size}", match.watching)
    yield Asked("GET", "/.well-known/jwks.json", None)
