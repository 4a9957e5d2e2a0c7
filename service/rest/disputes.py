"""Takebacks, disputes and rulings."""

from collections.abc import Callable

import msgspec

from events.refusals import DisputeNotFound, TakebackClosed
from service import disputes, looking, ruling
from service.committing import Done
from service.http import Answer, Request, json
from service.parts import Parts
from service.repeating import REPLAYED
from service.rest.dispute_bodies import (
    ACCOUNT,
    APPEAL,
    DISPUTE,
    REVIEW,
    RULING,
    AccountBody,
    ReviewBody,
    wanted_of,
)
from service.rest.inputs import SEAT, account_of, caller_of, idempotency_key, match_id_of
from service.rest.play import done

_MOST = 2**53 - 1


async def get_takeback(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request)
    match_id = match_id_of(request)
    line = await disputes.takeback_of(parts, caller, match_id)
    return json(200, {"match_id": match_id, "takeback": line})


async def post_takeback(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request, SEAT)
    await request.nothing(parts.settings.body_limit)
    match_id, key = match_id_of(request), idempotency_key(request)
    outcome, takeback = await disputes.ask_takeback(parts, caller, match_id, key)
    return made(match_id, "takebacks", takeback, outcome)


async def post_consent(parts: Parts, request: Request) -> Answer:
    return await _answered(parts, request, consents=True)


async def post_refusal(parts: Parts, request: Request) -> Answer:
    return await _answered(parts, request, consents=False)


async def get_disputes(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request)
    match_id = match_id_of(request)
    found = await disputes.disputes_of(parts, caller, match_id)
    return json(200, {"match_id": match_id, "disputes": found})


async def post_dispute(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request, SEAT)
    body = await request.decoded(DISPUTE, parts.settings.body_limit)
    match_id, key = match_id_of(request), idempotency_key(request)
    outcome, dispute = await disputes.open_dispute(
        parts, caller, match_id, body.about, body.claim, body.account, key
    )
    return made(match_id, f"disputes/{dispute}", dispute, outcome)


async def get_dispute(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request)
    found = await disputes.dispute_of(parts, caller, match_id_of(request), _dispute(request))
    return json(200, found)


async def post_review(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request)
    body = await request.optional(REVIEW, ReviewBody(), parts.settings.body_limit)
    match_id, dispute, key = match_id_of(request), _dispute(request), idempotency_key(request)
    return done(
        await disputes.review_dispute(
            parts, caller, match_id, dispute, body.account, key, pause=body.pause
        )
    )


async def post_ruling(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request)
    body = await request.decoded(RULING, parts.settings.body_limit)
    match_id, dispute, key = match_id_of(request), _dispute(request), idempotency_key(request)
    wanted = wanted_of(body.ruling)
    ruled = await ruling.rule(
        parts, caller, match_id, dispute, wanted, body.reason, body.account, key
    )
    receipt = msgspec.structs.asdict(ruled.done.receipt)
    shown = {"dispute": dispute, "token": ruled.token, "replacement": ruled.match_id, **receipt}
    return json(200, {"match_id": match_id, **shown}, _replayed(ruled.done))


async def post_appeal(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request, SEAT)
    body = await request.decoded(APPEAL, parts.settings.body_limit)
    match_id, dispute, key = match_id_of(request), _dispute(request), idempotency_key(request)
    return done(await disputes.appeal_dispute(parts, caller, match_id, dispute, body.reason, key))


async def post_close(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request, SEAT)
    body = await account_in(parts, request)
    match_id, dispute, key = match_id_of(request), _dispute(request), idempotency_key(request)
    return done(await disputes.close_dispute(parts, caller, match_id, dispute, body.account, key))


async def get_report(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request, "to", "account")
    to = None if request.query("to") is None else request.whole("to", 1, 1, _MOST)
    match_id, dispute = match_id_of(request), _dispute(request)
    account = account_of(request)
    found = await looking.information_report(parts, caller, match_id, dispute, to, account)
    return json(200, found)


async def _answered(parts: Parts, request: Request, *, consents: bool) -> Answer:
    caller = await caller_of(parts, request, SEAT)
    await request.nothing(parts.settings.body_limit)
    match_id, key = match_id_of(request), idempotency_key(request)
    takeback = number(request, "takeback", TakebackClosed)
    return done(
        await disputes.answer_takeback(parts, caller, match_id, takeback, key, consents=consents)
    )


def made(match_id: str, place: str, identity: int, outcome: Done) -> Answer:
    location = (b"location", f"/v1/matches/{match_id}/{place}".encode())
    receipt = msgspec.structs.asdict(outcome.receipt)
    body = {"match_id": match_id, "id": identity, **receipt}
    return json(201, body, (location, *_replayed(outcome)))


def _replayed(outcome: Done) -> tuple[tuple[bytes, bytes], ...]:
    return (REPLAYED,) if outcome.replayed else ()


def _dispute(request: Request) -> int:
    """Raises: DisputeNotFound."""
    return number(request, "dispute", DisputeNotFound)


def number(request: Request, name: str, missing: Callable[[], Exception]) -> int:
    given = request.path[name]
    if not (given.isascii() and given.isdigit() and len(given) < 16):
        raise missing()
    return int(given)


async def account_in(parts: Parts, request: Request) -> AccountBody:
    """A body that may be left out."""
    return await request.optional(ACCOUNT, AccountBody(), parts.settings.body_limit)
