"""The log of all matches: checkpoints, tiles and keys for everybody, proofs for some."""

from hashlib import sha256
from typing import Final

import msgspec

from events import tiles
from service import proving
from service.errors import NotFound
from service.http import JSON, Answer, Header, Request, json, tagged
from service.parts import Parts
from service.proving import LogStatement
from service.rest.events import MOST
from service.rest.inputs import caller_of, match_id_of

NOTE: Final = b"text/plain; charset=utf-8"
TILE: Final = b"application/octet-stream"
_BRIEFLY: Final[tuple[Header, ...]] = ((b"cache-control", b"public, max-age=1"),)
_A_WHILE: Final[tuple[Header, ...]] = ((b"cache-control", b"public, max-age=60"),)
_FOR_EVER: Final[tuple[Header, ...]] = ((b"cache-control", b"public, max-age=31536000, immutable"),)
_OWN: Final[tuple[Header, ...]] = ((b"cache-control", b"private, no-cache"),)


class StatementList(msgspec.Struct, frozen=True):
    """`next` is the position to go on after, null where there are no more."""

    statements: tuple[LogStatement, ...]
    next: int | None


async def get_log(parts: Parts, request: Request) -> Answer:
    request.only()
    return json(200, await proving.log_detail(parts), _BRIEFLY)


async def get_checkpoint(parts: Parts, request: Request) -> Answer:
    request.only()
    signed = await proving.newest_checkpoint(parts)
    return Answer(200, signed.note.encode(), NOTE, _BRIEFLY)


async def get_tile(parts: Parts, request: Request) -> Answer:
    request.only()
    level = _decimal(request.path["level"], tiles.LEVELS - 1)
    number, width = _place(request.path["tile"])
    return Answer(200, await proving.tile(parts, level, number, width), TILE, _FOR_EVER)


async def get_entries(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request)
    number, width = _place(request.path["tile"])
    return Answer(200, await proving.entry_bundle(parts, caller, number, width), TILE, _OWN)


async def get_consistency(parts: Parts, request: Request) -> Answer:
    request.only("first", "second")
    first = request.whole("first", 0, 0, MOST)
    second = None if request.query("second") is None else request.whole("second", 0, 0, MOST)
    return json(200, await proving.consistency(parts, first, second), _BRIEFLY)


async def get_statements(parts: Parts, request: Request) -> Answer:
    request.only("after")
    found = await proving.statements(parts, request.whole("after", 0, 0, MOST))
    is_more = len(found) == proving.MOST_STATEMENTS
    shown = StatementList(tuple(found), found[-1].position if is_more else None)
    return json(200, shown, _BRIEFLY)


async def get_jwks(parts: Parts, request: Request) -> Answer:
    request.only()
    body = (await parts.keys.told()).jwks()
    return tagged(request, sha256(body).hexdigest()[:32], body, JSON, _A_WHILE)


async def get_proof(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request)
    text = await proving.match_proof(parts, caller, match_id_of(request))
    return Answer(200, text.encode(), NOTE, _OWN)


def _place(path: str) -> tuple[int, int]:
    """Number and width of a tile as `x001/x234/067` or with `.p/W`. Raises: NotFound."""
    whole, partial, width = path.partition(".p/")
    *upper, last = whole.split("/")
    if any(not each.startswith("x") for each in upper):
        raise NotFound
    digits = [*(each[1:] for each in upper), last]
    if len(digits) > 5 or any(len(each) != 3 or not _is_number(each) for each in digits):
        raise NotFound
    if len(digits) > 1 and digits[0] == "000":
        raise NotFound
    return int("".join(digits)), _decimal(width, tiles.WIDTH - 1) if partial else tiles.WIDTH


def _decimal(text: str, most: int) -> int:
    """Raises: NotFound for another spelling than the one."""
    if not _is_number(text) or len(text) > 3 or str(int(text)) != text or int(text) > most:
        raise NotFound
    return int(text)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit()
