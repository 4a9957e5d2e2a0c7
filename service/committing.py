"""From decided steps to a stored append: seal, append, then make it known."""

from collections.abc import Sequence
from typing import Final

import msgspec

from events.append import (
    Appended,
    Conflict,
    KeyReused,
    NewMatch,
    NotFound,
    Replayed,
    SeatRow,
)
from events.canonical import canonical, prefixed
from events.chain import genesis
from events.dealer import Dealer
from events.decide import Step, overdue, waits_for_time
from events.firing import credited, next_due, reveal_due_at
from events.flags import credit
from events.match import Match
from events.presence import is_awaited, scheduled_moment
from events.sealing import Sealed, seal
from events.store import Append
from events.timed import TimeCredited
from events.types import DONE, Outcome, Record, TextRow
from games.registry import UnknownGame
from service import traces
from service.errors import (
    IdempotencyKeyReused,
    MatchNotFound,
    OtherRelease,
)
from service.parts import Parts
from service.receipts import Receipt as Receipt
from service.signals import CREATED, CREDITED, ENDED

ATTEMPTS: Final = 8  # of deciding again after a conflict


class Done(msgspec.Struct, frozen=True):
    """`replayed`: it was done before, and nothing was written now.

    `event` is the first that was written.
    """

    receipt: Receipt
    replayed: bool = False
    event: Record | None = None


async def loaded(parts: Parts, match_id: str) -> Match:
    """The match as it is stored now.

    Raises: MatchNotFound; OtherRelease or UnknownSchema if it can't be read here.
    """
    try:
        current = await parts.cache.load(match_id)
    except UnknownGame as missing:
        raise OtherRelease from missing
    if current is None:
        raise MatchNotFound
    if await is_owed(parts, current):
        current = await _credited(parts, current)
    moment = reveal_due_at(current)
    if moment is None and waits_for_time(current):
        moment = scheduled_moment(current)
    return current if moment is None else await _caught_up(parts, current, moment)


async def is_owed(parts: Parts, current: Match) -> bool:
    """Whether clocks have to be given back an outage before anything else happens.

    Raises: DatabaseFault.
    """
    if current.clocks is None:
        return False
    await parts.pulse.catch_up()
    return credit(current, parts.pulse.outages, parts.clock()) is not None


async def _credited(parts: Parts, current: Match) -> Match:
    """Whoever looks first after an outage gives back what clocks ran in it."""
    for _ in range(ATTEMPTS):
        dealer = await parts.dealers.of(current.match_id)
        steps = credited(current, dealer, parts.clock(), parts.pulse.outages)
        if not steps:
            return current
        key = f"credit:{current.version}"
        done = await commit(parts, steps, dealer, key, parts.vault.request_hash(prefixed(key)))
        parts.crash_at("after_credit")
        if done is not None and not done.replayed:
            events = [each.event for each in steps if isinstance(each.event, TimeCredited)]
            CREDITED.inc(sum(each.until - each.since for each in events) / 1000)
        found = await parts.cache.load(current.match_id)
        assert found is not None
        current = found
    return current


async def _caught_up(parts: Parts, current: Match, moment: int) -> Match:
    """Whoever looks first finds what follows by the time alone: the reveal after the window for
    disputes, or what the schedule says. Nothing does before `moment` (ms)."""
    for _ in range(ATTEMPTS):
        if parts.clock() < moment:
            return current
        dealer = await parts.dealers.of(current.match_id)
        steps = overdue(current, dealer, parts.clock())
        if not steps:
            return current
        key = "reveal" if current.status in DONE else f"due:{current.version}"
        await commit(parts, steps, dealer, key, parts.vault.request_hash(key.encode()))
        found = await parts.cache.load(current.match_id)
        assert found is not None
        current = found
    return current


async def commit(
    parts: Parts,
    steps: Sequence[Step],
    dealer: Dealer,
    key: str,
    request: bytes,
    *,
    seats: tuple[SeatRow, ...] = (),
    created: NewMatch | None = None,
) -> Done | None:
    """Store the steps under a key; None if the match moved on meanwhile: decide again.

    Raises: IdempotencyKeyReused, MatchNotFound, DatabaseFault.
    """
    sealed = seal(steps, dealer, parts.entropy)
    append = append_of(steps, sealed, key, request, seats=seats, created=created)
    with traces.span("append", append.match_id) as span:
        answer = await parts.store.append(append)
        span.set_attribute(traces.OUTCOME, type(answer).__name__.lower())
    match answer:
        case Appended():
            traces.stored(append.match_id, answer.first, answer.last)
            make_known(parts, steps[-1].after, sealed, append.texts)
            count_turns(steps[0].before, steps[-1].after)
            if is_awaited(steps[0].before) and not is_awaited(steps[-1].after):
                await parts.presence.forget(append.match_id)
            return Done(_receipt(answer), event=sealed[0].record)
        case Replayed():
            # It may have been stored by an attempt whose answer was lost, and nobody was told yet.
            parts.news.announce(((append.match_id, answer.last),))
            return Done(_receipt(answer), replayed=True)
        case Conflict():
            return None
        case KeyReused():
            raise IdempotencyKeyReused
        case NotFound():
            raise MatchNotFound


def count_turns(before: Match | None, after: Match) -> None:
    """That a match began, or came to its end, is counted."""
    if before is None:
        CREATED.labels(after.game.slug).inc()
    elif after.status in DONE and before.status not in DONE:
        ENDED.labels(after.game.slug).inc()


def append_of(
    steps: Sequence[Step],
    sealed: Sequence[Sealed],
    key: str,
    request: bytes,
    *,
    seats: tuple[SeatRow, ...] = (),
    created: NewMatch | None = None,
) -> Append:
    """What is stored of sealed steps."""
    before, after = steps[0].before, steps[-1].after
    first = after.created
    return Append(
        match_id=after.match_id,
        key=key,
        request=request,
        expected_version=before.version if before else 0,
        expected_hash=before.head if before else genesis(first.match_id, first.seats, first.format),
        records=tuple(each.record for each in sealed),
        status=after.status,
        result=result_bytes(after.outcome),
        texts=tuple(row for step in steps for row in step.texts),
        seats=seats,
        created=created,
        due_at=next_due(after),
    )


def result_bytes(outcome: Outcome | None) -> bytes | None:
    return None if outcome is None else canonical(outcome)


def make_known(
    parts: Parts, after: Match, sealed: Sequence[Sealed], texts: Sequence[TextRow]
) -> None:
    """After the commit only: what is announced is stored."""
    parts.cache.put(after)
    parts.history.remember(after.match_id, sealed, texts)
    with traces.span("hint", after.match_id):
        parts.news.announce(((after.match_id, after.version),))
    parts.flags.notice(next_due(after))
    if after.created.deal_group is not None and after.status in DONE:
        parts.closer.stir(after.created.deal_group)
    parts.crash_at("after_hint")


def _receipt(answer: Appended | Replayed) -> Receipt:
    return Receipt(answer.first, answer.last, answer.head.hex())
