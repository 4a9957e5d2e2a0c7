"""Refused moves of a match: a seat's own, or for an arbiter all."""

from typing import Final

import msgspec

from service.http import Answer, Request, json
from service.parts import Parts
from service.refusing import KeptRefusal, refusals
from service.rest.inputs import (
    SEAT,
    caller_of,
    match_id_of,
    opened_cursor,
    sealed_cursor,
)

_LISTED_MOST: Final = 200


class RefusalList(msgspec.Struct, frozen=True):
    """`next` is the cursor to go on from, null where there are no more."""

    match_id: str
    refusals: tuple[KeptRefusal, ...]
    next: str | None


async def get_refusals(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request, "cursor", "limit", SEAT)
    match_id = match_id_of(request)
    limit = request.whole("limit", 50, 1, _LISTED_MOST)
    bound = f"refusals {match_id} {caller.seat}".encode()
    cursor = opened_cursor(parts, request, bound)
    seat, number = (-1, 0) if cursor is None else map(int, cursor.split())
    found = await refusals(parts, caller, match_id, (seat, number), limit + 1)
    shown, following = found[:limit], None
    if len(found) > limit:
        place = f"{shown[-1].seat} {shown[-1].number}".encode()
        following = sealed_cursor(parts, place, bound)
    return json(200, RefusalList(match_id, tuple(shown), following))
