"""Everything a viewer can ask of the service, as lists of requests with their reasons for being.

Nothing here changes a match: what is posted is refused, repeated, or only validated.
"""

from collections.abc import Iterator
from random import Random
from typing import Any

import msgspec

from games.core.game import SPECTATOR, Decision, Viewer
from games.core.moves import IllegalMove, Wire, sample, take, wire_move
from service.graphql.ids import MATCH, node_id
from tests.secrecy.door import Asked, Headers
from tests.secrecy.moments import Case
from tests.secrecy.planning import Pair
from tests.secrecy.worlds import KEY, Opening

# Over GraphQL: what anybody may ask for, and what the holder of a seat may ask besides.
WATCHED = """
query($match: MatchRef!) {
  match(match: $match) {
    status version head result { note ranks } asked { seats kind } seats { seat asked resigned }
    view { json evidence { tag payload kid signature } }
    events(first: 100) {
      evidence { payload signature } version edges { cursor node { json move { type } } }
    }
  }
}
"""
PLAYED = """
query($match: MatchRef!) {
  match(match: $match) {
    version view { json viewer } decision { version decision { id offersJson asidesJson } }
    moves(first: 4) { count exact edges { node { moveJson } } }
  }
}
"""
THEN = """
query($match: MatchRef!, $at: Int!) {
  view(match: $match, at: $at) { json version viewer viewJson decision { id offersJson } }
  match(match: $match) { view(at: $at) { head boundary asked { seats kind } } }
}
"""

SSE: Headers = ((b"accept", b"text/event-stream"),)
NDJSON: Headers = ((b"accept", b"application/x-ndjson"),)
WRONG: tuple[Any, ...] = (
    {},
    {"type": "no_such_move"},
    {"type": 7},
    {"type": ["pass_card"]},
    {"type": "pass_card"},
    {"type": "pass_card", "card": None},
    {"type": "pass_card", "card": ["KING"]},
    {"type": "choose_live", "card": "no such card"},
    {"type": "speak", "text": " "},
    {"type": "block", "character": "KING", "more": {"deep": [1, 2]}},
    {"type": "pass_card", "card": 1.5},
    {"type": "pass_card", "card": 2**60},
    {"type": "pass_card", "c\u00e4rd": "KING"},
    {"type": "speak", "text": "x" * 300},
)


class Known(msgspec.Struct):
    """What a viewer has come to know: versions, its decisions, its answers, an ETag.

    `positions` are how far the feed was at the last look at it, and is now.
    """

    version: int = 0
    decision: str | None = None
    closed: str | None = None  # an earlier decision of its own
    answered: Wire | None = None  # what it answered to that
    said: tuple[Wire, str] | None = None  # an aside and its Idempotency-Key
    tag: bytes = b'"1.1.public"'
    positions: tuple[int, int] = (0, 0)


def at_once(match: Opening, viewer: Viewer, known: Known) -> Iterator[Asked]:
    """After every step: what clients ask all the time, with the state or the news in it."""
    yield from _state(match, match.token(viewer))
    yield from _news(match, match.token(viewer), known.version)
    if viewer != SPECTATOR:  # Whoever plays may have a friend who watches.
        yield from _state(match, KEY)
        yield from _news(match, KEY, known.version)
    yield Asked("GET", f"{match.path}/view", match.behind)
    yield Asked("GET", match.path, match.behind)
    yield _graphql(match, match.behind, WATCHED)
    yield from _news(match, match.behind, max(0, known.version - 3))


def now_and_then(
    case: Case, match: Opening, pair: Pair, known: Known, rng: Random
) -> Iterator[Asked]:
    """What is worth less often: lists, pages, errors of every kind, repetitions."""
    token = match.token(case.viewer)
    yield from _errors(match, token)
    yield from _validations(case, match, pair, known, rng)
    yield from _repetitions(match, case.viewer, known)
    yield Asked("GET", f"{match.path}/events?proof=true&limit=500", token)
    yield Asked("GET", f"{match.path}/events?after=2&limit=3", token)
    yield Asked("GET", f"{match.path}/view", token, headers=((b"if-none-match", known.tag),))
    yield Asked("GET", f"{match.path}/view", token, headers=((b"if-none-match", b"*"),))
    for query in ("limit=3", "status=running&limit=2", "status=over", "external_id=x"):
        yield Asked("GET", f"/v1/matches?{query}", KEY)
    for own in dict.fromkeys((token, match.behind)):  # For whoever plays its own; for others none.
        yield Asked("GET", f"{match.path}/refusals?limit=200", own)
    yield Asked("GET", "/v1/matches", token if case.viewer != SPECTATOR else None)
    for own in (token, match.behind):
        yield Asked("GET", "/v1/me", own)
    for path in ("/v1/keys", "/v1/issuers", "/v1/orgs", f"{match.path}/spectators"):
        yield Asked("GET", path, token if case.viewer != SPECTATOR else match.behind)


def logged(match: Opening, viewer: Viewer, known: Known) -> Iterator[Asked]:
    """The feed and the log of all matches. The feed has to have come to the same place in both."""
    before, size = known.positions
    token = match.token(viewer)
    yield Asked("GET", f"/v1/feed?after={before}&limit=500", KEY)
    yield Asked("GET", f"/v1/feed?after={max(0, size - 3)}&limit=2", KEY)
    yield Asked("GET", f"/v1/feed?after={size + 1}", KEY)
    yield Asked("GET", "/v1/feed", token if viewer != SPECTATOR else match.behind)
    for own in dict.fromkeys((token, KEY, match.behind)):
        yield Asked("GET", f"{match.path}/proof", own)
        yield Asked("GET", f"{match.path}/bundle", own)
    # The key is an arbiter's, who has them all.
    for own in (match.behind, *((token,) if viewer != SPECTATOR else ())):
        for whose in ("full", *(f"seat:{seat}" for seat in range(match.seats + 1))):
            yield Asked("GET", f"{match.path}/bundle?perspective={whose}", own)
    for path in ("", "/checkpoint", f"/consistency?first={before}", "/statements"):
        yield Asked("GET", f"/v1/log{path}", None)
    if size % 256:
        place = f"{size // 256:03}.p/{size % 256}"
        yield Asked("GET", f"/v1/log/tile/0/{place}", None)
        yield Asked("GET", f"/v1/log/tile/entries/{place}", KEY)
    yield Asked("GET", "/.well-known/jwks.json", None)


def streams(match: Opening, viewer: Viewer) -> Iterator[Asked]:
    """Feeds that are open while the worlds are played."""
    for token in dict.fromkeys((match.token(viewer), KEY)):
        yield Asked("GET", f"{match.path}/events", token, headers=SSE)
        yield Asked("GET", f"{match.path}/events?after=1&proof=true", token, headers=NDJSON)


def _state(match: Opening, token: str) -> Iterator[Asked]:
    yield Asked("GET", f"{match.path}/view", token)
    yield Asked("GET", match.path, token)
    yield _graphql(match, token, WATCHED if token == KEY else PLAYED)
    if token != KEY:
        yield Asked("GET", f"{match.path}/decision", token)
        yield Asked("GET", f"{match.path}/decision/moves?limit=4", token)


def _graphql(match: Opening, token: str, query: str, **more: int) -> Asked:
    variables = {"match": {"id": node_id(MATCH, match.match_id)}, **more}
    return Asked("POST", "/graphql", token, {"query": query, "variables": variables})


def _news(match: Opening, token: str, version: int) -> Iterator[Asked]:
    yield Asked("GET", f"{match.path}/events?after={version}", token)
    yield Asked("GET", f"{match.path}/events?after={version}&proof=true", token)


def _errors(match: Opening, token: str) -> Iterator[Asked]:
    yield Asked("GET", f"{match.path}/decision", KEY)
    yield Asked("GET", f"{match.path}/decision/moves", KEY)
    yield Asked("GET", f"{match.path}/seats", token)
    for seat in range(match.seats + 1):
        yield Asked("GET", f"{match.path}/seats/{seat}", token)
    yield Asked("GET", f"{match.path}/events?perspective=full", token)
    yield Asked("GET", f"{match.path}/events?after=9999", token)
    for version in (1, 3, 9999):
        yield Asked("GET", f"{match.path}/view?at={version}", token)
        yield Asked("GET", f"{match.path}/view?at={version}", match.behind)
        yield _graphql(match, token, THEN, at=version)
        yield _graphql(match, match.behind, THEN, at=version)
    for own in (token, match.behind):
        for address in ("takebacks", "disputes", "disputes/2", "disputes/2/report?to=2"):
            yield Asked("GET", f"{match.path}/{address}", own)
        yield Asked("GET", f"{match.path}/replay?after=3&limit=12", own)
        yield Asked("GET", f"{match.path}/diff?from=3", own)
        yield Asked("GET", f"{match.path}/diff?from=5&against=public", own)
        for seat in range(match.seats if own != KEY else 0):  # A key may arbitrate, and look.
            yield Asked("GET", f"{match.path}/view?as={seat}&at=3", own)
            yield Asked("GET", f"{match.path}/replay?as={seat}&at=3", own)
    # With a key, or a request that one world alone hears would use up entropy of its own.
    own_key = ((b"idempotency-key", b"consent"),)
    yield Asked("POST", f"{match.path}/takebacks/3/consent", token, headers=own_key)
    yield Asked("GET", f"{match.path}/view", None)
    yield Asked("GET", f"{match.path}/nothing", token)
    for method in ("HEAD", "OPTIONS", "DELETE"):
        for address in ("view", "events", "decision", "moves", ""):
            yield Asked(method, f"{match.path}/{address}".rstrip("/"), token)
    yield Asked("POST", f"{match.path}/start", token, {})
    for seat in range(match.seats):
        yield Asked("POST", f"{match.path}/seats/{seat}/claim", token)
        if token != match.token(seat):
            yield Asked("POST", f"{match.path}/seats/{seat}/resign", token)


def _validations(
    case: Case, match: Opening, pair: Pair, known: Known, rng: Random
) -> Iterator[Asked]:
    """Moves legal for the viewer, for others in one world or in both, and for nobody."""
    token, path = match.token(case.viewer), match.path
    made_up = f"1.{max(0, case.viewer)}"
    for move in _some_moves(case, pair, rng):
        own = _answer(known.decision or made_up, move)
        yield Asked("POST", f"{path}/moves/validate", token, own)
        yield Asked("POST", f"{path}/moves/validate", token, _answer(known.closed or made_up, move))
        if not _is_own(case, pair, move):
            yield Asked("POST", f"{path}/moves", token, own)
    move = {"type": "no_such_move"}
    for seat in range(match.seats):
        for version in (known.version, 1):
            asked = _answer(f"{version}.{seat}", move)
            yield Asked("POST", f"{path}/moves", token, asked)
    talk = {"decision": None, "move": {"type": "speak", "text": "hush"}}
    yield Asked("POST", f"{path}/moves/validate", token, talk)
    yield Asked("POST", f"{path}/moves", token, talk)


def _repetitions(match: Opening, viewer: Viewer, known: Known) -> Iterator[Asked]:
    """The viewer's own answers once more, changed, and under the keys of others."""
    path, token = f"{match.path}/moves", match.token(viewer)
    if known.closed is not None and known.answered is not None:
        yield Asked("POST", path, token, _answer(known.closed, known.answered))
        for wire in WRONG:
            yield Asked("POST", path, token, _answer(known.closed, wire))
        for seat in range(match.seats):
            of = known.closed.partition(".")[0] + f".{seat}"
            yield Asked("POST", path, token, _answer(of, {"type": "no_such_move"}))
    if known.said is not None:
        move, key = known.said
        for wire in (move, {"type": "no_such_move"}):
            asked = {"decision": None, "move": wire}
            yield Asked("POST", path, token, asked, ((b"idempotency-key", key.encode()),))


def _answer(decision: str, move: Any) -> Any:
    return {"decision": decision, "move": move}


def _some_moves(case: Case, pair: Pair, rng: Random) -> list[Wire]:
    """From the offers of every seat in both worlds, and of wrong shape."""
    found = list(rng.sample(WRONG, 4))
    for state in (pair.here, pair.there):
        turn = case.game.turn(state)
        if isinstance(turn, Decision):
            offers = [*turn.offers.values(), *list(turn.asides.values())[:1]]
            found += [wire_move(sample(each, rng)) for each in offers]
    if found and pair.here != pair.there:
        found += [_altered(wire, rng) for wire in found[-2:]]
    return found


def _altered(wire: Wire, rng: Random) -> Wire:
    """Another card of the same game in the move's place for one."""
    names = ("KING", "SPY", "THIEF", "SAGE", "ACTOR", "KNIGHT", "SEERESS")
    return {
        name: rng.choice(names) if name != "type" and isinstance(value, str) else value
        for name, value in wire.items()
    }


def _is_own(case: Case, pair: Pair, wire: Wire) -> bool:
    """Whether playing it would be accepted in either world."""
    for state in (pair.here, pair.there):
        turn = case.game.turn(state)
        own = turn.offers.get(case.viewer, ()) if isinstance(turn, Decision) else ()
        try:
            take(own, wire)
        except IllegalMove:
            continue
        return True
    return False
