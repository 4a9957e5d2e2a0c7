"""What a seat does all the time: view, decision, moves."""

import msgspec

from events.evidence import DECISION, VIEW
from games.core.game import SPECTATOR
from service import commands, queries
from service.auth import Caller
from service.commands import Play
from service.committing import Done
from service.comparing import difference
from service.http import PRIVATE, Answer, Request, json, parsed, tagged
from service.looking import MOST_STEPS, Wish, looked_at, replay
from service.notary import FORM as FORM
from service.notary import header
from service.parts import Parts
from service.repeating import REPLAYED
from service.rest import lists
from service.rest.inputs import (
    MOVE,
    SEAT,
    account_of,
    caller_of,
    idempotency_key,
    match_id_of,
)

_LISTED_AT_ONCE = 200
_LISTED_MOST = 1000
_MOST = 2**53 - 1


async def post_move(parts: Parts, request: Request) -> Answer:
    play, caller = await _play(parts, request)
    return done(await commands.play_move(parts, caller, play))


async def post_validate(parts: Parts, request: Request) -> Answer:
    play, caller = await _play(parts, request)
    move = await commands.validate_move(parts, caller, play)
    return Answer(200, b'{"valid":true,"move":' + move + b"}")


async def get_view(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request, "at", "as", "account", SEAT)
    current, viewer = await looked_at(parts, caller, match_id_of(request), wish_of(request))
    tag = viewer_tag(current.version, viewer)
    body = parts.encodings.view(current, viewer)
    signed = header(parts.notary.shown(VIEW, current, viewer, body))
    return tagged(request, tag, body, more=(*PRIVATE, signed))


async def get_replay(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request, "at", "as", "account", "after", "limit", SEAT)
    after = request.whole("after", 0, 0, _MOST)
    limit = request.whole("limit", MOST_STEPS, 1, MOST_STEPS)
    match_id = match_id_of(request)
    return json(200, await replay(parts, caller, match_id, wish_of(request), after, limit))


async def get_diff(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request, "from", "to", "as", "against", "account", SEAT)
    before = wish_of(request, "from")
    against = "as" if request.query("against") is None else "against"
    after = wish_of(request, "to", against)
    found = await difference(parts, caller, match_id_of(request), before, after)
    return json(200, found, PRIVATE)


def wish_of(request: Request, at: str = "at", viewer: str = "as") -> Wish:
    """Whose sight, at which version, by the names of the parameters. Raises: ParameterInvalid."""
    version = None if request.query(at) is None else request.whole(at, 0, 1, _MOST)
    given, account = request.query(viewer), account_of(request)
    if given is None:
        return Wish(None, version, account)
    whose = SPECTATOR if given == "public" else request.whole(viewer, 0, 0, 999)
    return Wish(whose, version, account)


async def get_decision(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request, SEAT)
    current, seat = await queries.own_match(parts, caller, match_id_of(request))
    body = msgspec.json.encode(queries.decision_of(current, seat))
    signed = header(parts.notary.shown(DECISION, current, seat, body))
    return tagged(request, viewer_tag(current.version, seat), body, more=(*PRIVATE, signed))


async def get_decision_moves(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request, *lists.PAGING, SEAT)
    match_id = match_id_of(request)
    current, seat = await queries.own_match(parts, caller, match_id)
    bound = queries.moves_list(match_id, seat)
    asked = lists.wanted(parts, request, bound, _LISTED_AT_ONCE, _LISTED_MOST)
    page = queries.moves_page(current, seat, asked.place, asked.limit)
    place = None if page.after is None else page.place(page.after)
    following, link = lists.next_page(parts, request, asked, place)
    body = {**msgspec.structs.asdict(page), "next": following}
    del body["start"], body["after"]
    return json(200, body, link)


def done(outcome: Done) -> Answer:
    """The same bytes whether it was done now or before; a header tells."""
    headers = (REPLAYED,) if outcome.replayed else ()
    return Answer(200, msgspec.json.encode(outcome.receipt), headers=headers)


def viewer_tag(version: int, viewer: int) -> str:
    """Of public values alone, so it is equal wherever the viewer can't tell matches apart."""
    return f"{FORM}.{version}.{'public' if viewer == SPECTATOR else viewer}"


async def _play(parts: Parts, request: Request) -> tuple[Play, Caller]:
    """It has arrived when all of it is there: until then the seat can still think about it. Who
    sent it is looked for after that, for that is none of the seat's time.
    """
    data = await request.body(parts.settings.body_limit)
    arrived = parts.clock()
    caller = await caller_of(parts, request, SEAT)
    request.refuse_other_media()
    body = parsed(data, MOVE)
    key = idempotency_key(request) if body.decision is None else None
    signed = None if body.signed is msgspec.UNSET else body.signed
    return Play(match_id_of(request), body.decision, body.move, key, signed, arrived), caller
