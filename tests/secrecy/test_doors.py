"""What a cheater tries at the doors: positions, other seats' keys, cursors, ids; nothing tells."""

import asyncio
import re
from pathlib import Path
from typing import Any, get_args

import httpx
import msgspec

import service
from events import decide, disputing
from games.core.game import SPECTATOR, Decision
from games.core.moves import moves, wire_move
from tests.secrecy.broken import TRUE, rules
from tests.secrecy.door import Asked, Got, Headers, blanked
from tests.secrecy.following import Worlds, _id_of
from tests.secrecy.moments import Wanted, case, kind_of
from tests.secrecy.worlds import KEY, Opening, World

GHOST = "018bcfe5-6800-7000-8000-000000000000"


class Table(msgspec.Struct):
    """A match opened in one world, and its state."""

    world: World
    match: Opening
    state: Any

    async def ask(
        self, method: str, path: str, viewer: int, body: Any = None, headers: Headers = ()
    ) -> Got:
        address = path if path.startswith("/v1") else self.match.path + path
        token = self.match.token(viewer)
        return await self.world.door.ask(Asked(method, address, token, body, headers))

    @property
    def asked(self) -> int:
        turn = TRUE.turn(self.state)
        assert isinstance(turn, Decision)
        return min(turn.offers)


async def opened(world: World, wanted: Wanted, seed: str = "doors", number: int = 0) -> Table:
    for attempt in range(number, 100):
        one = case(TRUE, seed, attempt, wanted)
        if one is not None:
            break
    else:
        raise AssertionError("no such moment")
    match = Opening(_id_of(one), one.game, one.options, one.seats)
    world.begin(one.name, {})
    await world.open(match, one.here)
    return Table(world, match, one.here)


def at(*kinds: str) -> Wanted:
    return lambda state: kind_of(TRUE, state) in kinds


def key(text: str) -> Headers:
    return ((b"idempotency-key", text.encode()),)


async def test_no_door_sets_a_position(worlds: Worlds) -> None:
    table = await opened(worlds[0], at("act"))
    state = msgspec.to_builtins(table.state)
    made = {"game": TRUE.slug, "seats": 4}
    for more in ({"state": state}, {"position": state}, {"options": {"state": state}}):
        got = await table.ask("POST", "/v1/matches", SPECTATOR, {**made, **more})
        assert got.status == 422
    for method in ("POST", "PUT", "PATCH"):
        for path in ("", "/events", "/view", "/decision", "/position"):
            body = {"kind": "position_set", "state": state}
            assert (await table.ask(method, path, SPECTATOR, body)).status in (404, 405)
    move = {"decision": None, "move": {"type": "position_set", "state": state}}
    got = await table.ask("POST", "/moves", table.asked, move, key("position"))
    assert got.status == 422


def test_no_command_and_no_code_of_the_service_makes_a_position() -> None:
    names = {each.__name__ for each in get_args(decide.Command)}
    beside_play = {each.__name__ for each in get_args(disputing.Disputing)}
    playing = {
        *("ClaimSeat", "ReleaseSeat", "StartMatch", "PlayMove", "Resign", "CancelMatch"),
        *("CommitEntropy", "OpenEntropy", "CloseMatch", "RevealMatch"),
        *("AddTime", "PauseMatch", "ResumeMatch", "CheckPresence", "SeatStandIn"),
        *("OfferDraw", "AnswerDraw"),
    }
    assert names - beside_play == playing
    assert not any("state" in each.__struct_fields__ for each in get_args(decide.Command))
    for path in Path(str(service.__file__)).parent.rglob("*.py"):
        assert not re.search(r"PositionSet\(|position_set", path.read_text("utf-8")), path


_APART = (b"ratelimit", b"plyscribe-evidence")  # the second is blanked in one of them


async def test_httpx_is_told_the_same(worlds: Worlds) -> None:
    """The doors of the suite are the ones that any client over ASGI finds."""
    table = await opened(worlds[0], at("act"))
    transport = httpx.ASGITransport(worlds[0].app)
    async with httpx.AsyncClient(transport=transport, base_url="http://test") as http:
        for path in ("/view", "/decision", "/events", "/decision/moves"):
            token = table.match.token(table.asked)
            headers = {"Authorization": f"Bearer {token}", "X-Request-Id": "request"}
            got = await http.get(table.match.path + path, headers=headers)
            own = await table.ask("GET", path, table.asked)
            assert blanked(got.content) == own.body
            # One request more is one less that is left; nothing else differs.
            told = [each for each in got.headers.raw if each[0] not in _APART]
            assert told == [each for each in own.headers if each[0] not in _APART]


async def test_what_is_left_of_a_limit_counts_own_requests_alone(worlds: Worlds) -> None:
    """Asked one by one, and whatever others do meanwhile: each request is one."""
    table = await opened(worlds[0], at("choose_live"))
    token = table.match.token(0)
    move = {"decision": "1.0", "move": {"type": "no_such_move"}}
    left = []
    for method, path, body in (("GET", "/view", None), ("POST", "/moves", move)) * 3:
        await table.ask("GET", "/view", 1)
        sent = await table.world.door.bytes_of(Asked(method, table.match.path + path, token, body))
        found = re.search(rb'ratelimit: "requests";r=(\d+)', sent)
        assert found is not None
        left.append(int(found.group(1)))
    assert left == list(range(left[0], left[0] - 6, -1))


async def test_a_match_of_others_is_like_one_that_is_not_there(worlds: Worlds) -> None:
    """For a seat's token: the same bytes on every address, whatever is sent."""
    table = await opened(worlds[0], at("act"))
    other = await opened(worlds[0], at("act"), number=1)
    move = {"decision": "8.0", "move": {"type": "decline"}}
    for method, path, body in (
        ("GET", "/view", None),
        ("GET", "/decision", None),
        ("GET", "/decision/moves", None),
        ("GET", "/events", None),
        ("GET", "", None),
        ("GET", "/seats/0", None),
        ("GET", "/seats/7", None),
        ("POST", "/moves", move),
        ("POST", "/moves/validate", move),
        ("POST", "/seats/0/resign", None),
        ("POST", "/seats/0/claim", None),
        ("POST", "/seats/9/tokens", None),
        ("POST", "/cancel", None),
    ):
        there = await table.ask(method, other.match.path + path, 0, body)
        nowhere = await table.ask(method, f"/v1/matches/{GHOST}{path}", 0, body)
        assert there == nowhere
        assert there.status == 404


async def test_a_key_of_another_seat_says_nothing(worlds: Worlds) -> None:
    """The same Idempotency-Key of two seats names two asides; nobody is told of the other's."""
    table = await opened(worlds[0], at("block"))
    for seat in range(table.match.seats):
        body = {"decision": None, "move": {"type": "speak", "text": f"I am {seat}"}}
        got = await table.ask("POST", "/moves", seat, body, key("same"))
        assert got.status == 200
        assert b"plyscribe-replayed" not in dict(got.headers)
        assert (await table.ask("POST", "/moves", seat, body, key("same"))).body == got.body


async def test_cursors_are_bound_to_their_viewer(worlds: Worlds) -> None:
    table = await opened(worlds[0], at("name_victim", "name_block", "block"))
    page = await table.ask("GET", "/decision/moves?limit=1", table.asked)
    cursor = page.json()["next"]
    other = (table.asked + 1) % table.match.seats
    assert cursor is not None
    assert (await table.ask("GET", f"/decision/moves?cursor={cursor}", table.asked)).status == 200
    assert (await table.ask("GET", f"/decision/moves?cursor={cursor}", other)).status == 400
    assert (await table.ask("GET", f"/v1/matches?cursor={cursor}", SPECTATOR)).status == 400


async def test_who_is_not_asked_learns_no_number_of_offers(worlds: Worlds) -> None:
    """Rules: 7.3, a blocked seat is asked like any other."""
    table = await opened(worlds[0], at("act"))
    other = (table.asked + 1) % table.match.seats
    page = (await table.ask("GET", "/decision/moves", other)).json()
    assert (page["decision"], page["moves"], page["count"]) == (None, [], 0)
    shown = (await table.ask("GET", "/decision", other)).json()
    assert shown["decision"]["offers"] == []
    assert set(shown["asked"]) == {"kind", "mode", "seats"}


async def test_a_key_sees_what_a_spectator_sees_and_no_more(worlds: Worlds) -> None:
    table = await opened(worlds[0], at("pass_card"))
    for path in ("/decision", "/decision/moves"):
        assert (await table.ask("GET", path, SPECTATOR)).status == 403
    view = (await table.ask("GET", "/view", SPECTATOR)).json()
    assert view["viewer"] is None
    assert all(seat["hand"] is None for seat in view["view"]["seats"])
    assert (await table.ask("GET", "/events?perspective=full", SPECTATOR)).status == 409


async def test_validation_goes_no_further_than_the_offers(worlds: Worlds) -> None:
    """What a move would lead to must not even be computed before it is made.

    How long it takes differs with what is hidden – whether a named card is held by somebody –, and
    a validation can be repeated until that is known.
    """
    table = await opened(worlds[0], at("name_victim"))
    turn = TRUE.turn(table.state)
    assert isinstance(turn, Decision)
    shown = (await table.ask("GET", "/decision", table.asked)).json()["decision"]

    def applied(*_: Any) -> Any:
        raise AssertionError("the move was applied")

    with rules(apply=applied):
        for move in moves(turn.offers[table.asked]):
            body = {"decision": shown["id"], "move": wire_move(move)}  # type: ignore[arg-type]
            got = await table.ask("POST", "/moves/validate", table.asked, body)
            assert got.status == 200


async def test_nothing_wakes_a_long_poll_but_events(worlds: Worlds) -> None:
    table = await opened(worlds[0], at("block"))
    version = (await table.ask("GET", "/view", 0)).json()["version"]
    polling = asyncio.create_task(table.ask("GET", f"/events?after={version}&wait=60", 0))
    wrong = {"decision": "9.1", "move": {"type": "?"}}
    for path, body in (("/view", None), ("/moves", wrong), ("/moves/validate", wrong)):
        await table.ask("GET" if body is None else "POST", path, 1, body)
    assert await asyncio.wait((polling,), timeout=0.2) == (set(), {polling})
    said = {"decision": None, "move": {"type": "speak", "text": "now"}}
    assert (await table.ask("POST", "/moves", 1, said, key("now"))).status == 200
    assert [each["version"] for each in (await polling).json()["events"]] == [version + 1]


async def test_refused_and_repeated_requests_leave_no_trace(worlds: Worlds) -> None:
    """Whatever is refused changes neither the match nor what any viewer is shown."""
    table = await opened(worlds[0], at("choose_live"))

    async def all_shown() -> list[Got]:
        viewers = (*range(table.match.seats), SPECTATOR)
        paths = ("/view", "/decision", "/events?proof=true", "")
        return [await table.ask("GET", path, viewer) for viewer in viewers for path in paths]

    before = await all_shown()
    for seat in (*range(table.match.seats), SPECTATOR):
        for decision in ("1.0", f"8.{seat % 9}", None):
            for wire in ({"type": "choose_live", "card": "nobody"}, {"type": "?"}, {}):
                body = {"decision": decision, "move": wire}
                got = await table.ask("POST", "/moves", seat, body, key("trace"))
                assert 400 <= got.status < 500
    assert await all_shown() == before
    assert KEY not in repr(before)
