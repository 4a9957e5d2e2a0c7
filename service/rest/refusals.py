"""Refused moves of a match: a seat's own, or for an arbiter all."""

import msgspec

from service.http import Answer, Request
from service.parts import Parts
from service.refusing import KeptRefusal, refusals
from service.rest import lists
from service.rest.inputs import SEAT, caller_of, match_id_of


class RefusalList(msgspec.Struct, frozen=True):
    """`next` is the cursor to go on from, null where there are no more."""

    match_id: str
    refusals: tuple[KeptRefusal, ...]
    next: str | None


async def get_refusals(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request, *lists.PAGING, SEAT)
    match_id = match_id_of(request)
    asked = lists.wanted(parts, request, f"refusals {match_id} {caller.seat}".encode())
    seat, number = (-1, 0) if asked.place is None else map(int, asked.place.split())
    found = await refusals(parts, caller, match_id, (seat, number), asked.one_more)
    return lists.page(parts, request, asked, "refusals", found, _place, match_id=match_id)


def _place(kept: KeptRefusal) -> str:
    return f"{kept.seat} {kept.number}"
