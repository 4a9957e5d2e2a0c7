"""Hidden values that can be told from everything else are searched in every byte sent, and logged.

Cards have public names, so they are planted as what only a leak could show: a hand as a whole, and
pairs of cards that fall in the alphabet, as they lie in the deck. No list of options falls.
"""

import io
import logging
from base64 import b64encode
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import AsyncExitStack, redirect_stderr
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace
from sqlalchemy import select

from events import chain
from events.canonical import canonical
from events.tables import SIGNING_KEY
from games.core.game import SPECTATOR, Decision, Viewer
from projections.projection import Encodings
from tests.secrecy import broken
from tests.secrecy.broken import TRUE
from tests.secrecy.channels import Known, at_once, now_and_then, streams
from tests.secrecy.channels import logged as logged_things
from tests.secrecy.door import Asked
from tests.secrecy.following import _id_of
from tests.secrecy.moments import Case, case
from tests.secrecy.planning import Pair, next_step, opening
from tests.secrecy.worlds import KEY, SECRET_KEY, SEED, Opening, Scripted, World, two_worlds

WHISPERED = "whispered-by-another-seat"
STEPS = 6


@pytest.fixture
def logged() -> Iterator[io.StringIO]:
    """Everything the service logs, from debug on."""
    out, root = io.StringIO(), logging.getLogger()
    handler, level = logging.StreamHandler(out), root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    yield out
    root.removeHandler(handler)
    root.setLevel(level)


@pytest.fixture
async def world(
    tmp_path: Path, _sqlite_template: Path, logged: io.StringIO
) -> AsyncIterator[World]:
    async with AsyncExitStack() as stack:
        with redirect_stderr(logged):
            here, _ = await stack.enter_async_context(
                two_worlds(tmp_path, _sqlite_template, "debug")
            )
        yield here


@pytest.mark.parametrize("number", range(12))
async def test_no_viewer_is_sent_a_hidden_value(world: World, number: int) -> None:
    played = await _play(world, _planted(number))
    for viewer in (*range(played.match.seats), SPECTATOR):
        sent = await _sent(world, played, viewer)
        for canary in await _hidden(world, played, viewer):
            assert canary not in sent, (viewer, canary)


@pytest.mark.parametrize("view", broken.VIEWS)
async def test_a_canary_is_found_where_it_sings(world: World, view: str) -> None:
    with broken.rules(view=broken.VIEWS[view]):
        played = await _play(world, _planted(0))
        sent = await _sent(world, played, 0)
        assert any(canary in sent for canary in await _hidden(world, played, 0))


@pytest.mark.parametrize("number", range(4))
async def test_no_hidden_value_is_logged(world: World, logged: io.StringIO, number: int) -> None:
    played = await _play(world, _planted(number))
    for viewer in (*range(played.match.seats), SPECTATOR):
        await _sent(world, played, viewer)
    text = logged.getvalue()
    assert text.count('"event": "request"') > 100
    for word in (*played.case.here.cast, *_secrets(played.match), WHISPERED, "account 0"):
        assert str(word) not in text


async def test_a_failure_says_nothing_of_its_cause(
    world: World, logged: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    played = await _play(world, _planted(1))

    def failing(*_: Any) -> bytes:
        raise RuntimeError(WHISPERED)

    monkeypatch.setattr(Encodings, "view", failing)
    token = played.match.token(0)
    got = await world.door.ask(Asked("GET", f"{played.match.path}/view", token))
    assert got.status == 500
    assert WHISPERED.encode() not in got.body
    assert "RuntimeError" in logged.getvalue()
    assert WHISPERED not in logged.getvalue()


class _Played(msgspec.Struct):
    case: Case
    match: Opening
    pair: Pair


def _planted(number: int) -> Case:
    """A moment in the middle of a match, the cards nobody sees in an order that falls."""
    for attempt in range(100):
        one = case(TRUE, f"canary {number}", attempt, _is_telling)
        if one is not None:
            break
    else:
        raise AssertionError("no such moment")
    deck = tuple(sorted(one.here.deck, reverse=True))
    standin = tuple(sorted(one.here.standin, reverse=True))
    return msgspec.structs.replace(one, here=replace(one.here, deck=deck, standin=standin))


def _is_telling(state: Any) -> bool:
    return isinstance(TRUE.turn(state), Decision) and len(state.deck) > 2


async def _play(world: World, one: Case) -> _Played:
    """A few steps in one world: the same is planned for both, so that nothing is disclosed."""
    one = msgspec.structs.replace(one, there=one.here)
    match = Opening(_id_of(one), one.game, one.options, one.seats)
    rng = Random(one.name)
    planned = opening(one, rng)
    assert planned is not None
    world.begin(one.name, planned.scripts[0])
    await world.open(match, one.here)
    pair = planned.after
    for number in range(STEPS):
        step = next_step(one, pair, rng)
        if step is None or step.kind not in ("play", "aside") or _shows(step.moves[0]):
            continue
        world.begin(f"{one.name}/{number}", step.scripts[0])
        await _say(world, match, step.seat, step.moves[0], step.kind)
        pair = step.after
        if pair.is_closed:
            break
    return _Played(one, match, pair)


def _shows(wire: Any) -> bool:
    """Steps that tell more seats than their own something hidden, by the rules."""
    return wire["type"] in ("activate", "name_victim", "recruit")


async def _say(world: World, match: Opening, seat: int, wire: Any, kind: str) -> None:
    current = world.parts.cache.peek(match.match_id)
    assert current is not None
    decision = current.decision_of(seat) if kind == "play" else None
    body = {"decision": decision, "move": wire}
    key = ((b"idempotency-key", f"{WHISPERED}-{world.at}".encode()),)
    got = await world.door.ask(Asked("POST", f"{match.path}/moves", match.token(seat), body, key))
    assert got.status == 200, got


async def _sent(world: World, played: _Played, viewer: Viewer) -> bytes:
    """Every byte that the viewer can get, hashes not blanked."""
    match, known = played.match, Known(decision="4.0", closed="3.0")
    one = msgspec.structs.replace(played.case, viewer=viewer)
    whole = bytearray()
    for other in range(match.seats):
        if other != viewer:
            wrong = {"decision": f"9.{other}", "move": {"type": f"{WHISPERED}-of-{other}"}}
            await world.door.ask(Asked("POST", f"{match.path}/moves", match.token(other), wrong))
    for asked in _all_asked(match, one, played.pair, known):
        if asked.token in (match.token(viewer), KEY, None):
            told = await world.door.bytes_of(asked)
            # With a result the organisation's key, and nobody else, is told who sat where.
            is_its_own = asked.token == KEY and asked.path.endswith("/result")
            whole += told.replace(b"account ", b"") if is_its_own else told
    known.positions = (0, await world.caught_up())
    for asked in logged_things(match, viewer, known):
        if asked.token in (match.token(viewer), KEY, None):
            whole += await world.door.bytes_of(asked)
    for asked in streams(match, viewer):
        heard = world.door.stream(asked)
        current = world.parts.cache.peek(match.match_id)
        assert current is not None
        await heard.until(current.version)
        await heard.close()
        whole += heard.said()
    return bytes(whole)


def _all_asked(match: Opening, one: Case, pair: Pair, known: Known) -> Iterable[Asked]:
    yield from at_once(match, one.viewer, known)
    for asked in now_and_then(one, match, pair, known, Random(1)):
        if asked.body is None:  # What one sends oneself comes back in errors.
            yield asked


async def _hidden(world: World, played: _Played, viewer: Viewer) -> list[bytes]:
    state = played.pair.here
    found = [b'"hand":' + _listed(h) for s, h in enumerate(state.hands) if s != viewer and h]
    found += [_listed(pair)[1:-1] for pair in pairwise(state.deck) if pair[0] > pair[1]]
    found += [_listed(pair)[1:-1] for pair in pairwise(state.standin) if pair[0] > pair[1]]
    found += [text.encode() for text in _secrets(played.match)]
    found += [f"account {seat}".encode() for seat in range(len(state.hands))]
    found += [b"standin", b'set_aside"', b"first_passed", f"{WHISPERED}-1".encode()]
    # A seat reads again what it was refused itself.
    found += [f"{WHISPERED}-of-{s}".encode() for s in range(len(state.hands)) if s != viewer]
    found += [seed for row in await _sealed_seeds(world) for seed in row]
    salts = await _salts(world, played.match, viewer)
    # As text, and as the bytes that stand in bundles.
    return [*found, SEED, *salts, *(bytes.fromhex(each.decode()) for each in salts)]


async def _sealed_seeds(world: World) -> list[tuple[bytes, bytes]]:
    """Of the keys that sign."""
    rows = await world.parts.database.read(lambda c: c.execute(select(SIGNING_KEY)).all())
    seeds = [world.parts.vault.open_signing(row.id, row.ciphertext) for row in rows]
    return [(seed.hex().encode(), b64encode(seed).rstrip(b"=")) for seed in seeds]


async def _salts(world: World, match: Opening, viewer: Viewer) -> list[bytes]:
    """Of events, of the facets of others, and of sealed answers that nothing has opened."""
    found: list[bytes] = []
    own = {chain.PUBLIC, *((viewer + 1,) if viewer >= 0 else ())}
    dealer = Scripted({})
    for record in await world.parts.store.records(match.match_id):
        found.append(record.salt.hex().encode())
        others = set(range(match.seats + 2)) - own
        found += [chain.facet_salt(record.salt, index).hex().encode() for index in others]
        body = msgspec.json.decode(record.body)
        if body.get("sealed"):
            salt = dealer.answer_salt(match.match_id, body["decision"])
            found.append(salt.hex().encode())
    return found


def _secrets(match: Opening) -> list[str]:
    tokens = [match.token(seat) for seat in (*range(match.seats), SPECTATOR)]
    return [*tokens, SEED.hex(), SECRET_KEY]


def _listed(cards: Iterable[Any]) -> bytes:
    return canonical(list(cards))
