"""Takebacks and disputes: what callers may do about what was played."""

from typing import Any, Final

import msgspec

from events.canonical import prefixed
from events.decide import Command
from events.disputes import Dispute, Stage, Takeback, found, open_takeback, owed_consents
from events.disputing import (
    AnswerTakeback,
    AppealDispute,
    AskTakeback,
    CloseDispute,
    OpenDispute,
    StartReview,
)
from events.match import Match, decode
from events.refusals import DisputeNotFound
from events.rulings import (
    Ruling,
)
from events.types import DisputeOpened, DisputeRuled, TakebackAsked
from service.arbitration import arbiter_of
from service.auth import Caller
from service.callers import ARBITERS
from service.changing import change
from service.committing import Done
from service.parts import Parts
from service.spectating import shown

SALT_BYTES: Final = 32


class DisputeLine(msgspec.Struct, frozen=True):
    """A dispute as everybody who sees the match does; texts are null once they are erased.

    `ruling` is the latest, made by event `ruled_at`.
    """

    match_id: str
    id: int
    seat: int | None
    about: int
    stage: Stage
    pause: bool
    appealed: bool
    claim: str | None
    ruled_at: int | None
    ruling: Ruling | None
    reason: str | None


class TakebackLine(msgspec.Struct, frozen=True):
    """The takeback that was last asked for; `owed` are the seats it waits for, if it is `open`."""

    id: int
    seat: int
    move: int
    open: bool
    refused: bool
    owed: tuple[int, ...]


async def ask_takeback(
    parts: Parts, caller: Caller, match_id: str, key: str | None
) -> tuple[Done, int]:
    """The seat's last move back; the id of the takeback.

    Raises: MatchNotFound, SeatTokenRequired, MatchNotRunning, MatchUnderReview, AlreadyResigned,
    TakebackImpossible, TakebackClosed.
    """
    seat = await parts.doorkeeper.seat_of(caller, match_id)

    async def make(current: Match) -> Command:
        last = current.last
        target = None if last is None else await parts.past.at(current, last.version - 1)
        return AskTakeback(seat, target)

    body = prefixed(seat)
    done = await change(parts, caller, match_id, "AskTakeback", make, key, body)
    return done, await version_of(parts, match_id, done, TakebackAsked)


async def answer_takeback(
    parts: Parts, caller: Caller, match_id: str, takeback: int, key: str | None, *, consents: bool
) -> Done:
    """The last consent rewinds the match, a refusal ends the takeback.

    Raises: MatchNotFound, SeatTokenRequired, MatchNotRunning, MatchUnderReview, TakebackClosed.
    """
    seat = await parts.doorkeeper.seat_of(caller, match_id)

    async def make(current: Match) -> Command:
        asked = open_takeback(current)
        target = None if asked is None else await parts.past.at(current, asked.move - 1)
        return AnswerTakeback(seat, takeback, consents, target)

    body = prefixed(seat, takeback, int(consents))
    return await change(parts, caller, match_id, "AnswerTakeback", make, key, body)


async def open_dispute(
    parts: Parts,
    caller: Caller,
    match_id: str,
    about: int,
    claim: str,
    account: str | None,
    key: str | None,
) -> tuple[Done, int]:
    """By whoever plays a seat, or by an arbiter; the id of the dispute.

    Raises: MatchNotFound, ApiKeyRequired, ScopeMissing, ArbiterIsParty, MatchNotRunning,
    DisputeOpenAlready, DisputesExhausted, RulingImpossible.
    """
    seat, arbiter = await _party(parts, caller, match_id, account)

    async def make(current: Match) -> Command:
        return OpenDispute(seat, arbiter, about, claim, parts.entropy(SALT_BYTES))

    body = prefixed(str(seat), arbiter or "", about, claim)
    done = await change(parts, caller, match_id, "OpenDispute", make, key, body)
    return done, await version_of(parts, match_id, done, DisputeOpened)


async def review_dispute(
    parts: Parts,
    caller: Caller,
    match_id: str,
    dispute: int,
    account: str | None,
    key: str | None,
    *,
    pause: bool,
) -> Done:
    """Raises: MatchNotFound, ApiKeyRequired, ScopeMissing, ArbiterIsParty, DisputeNotFound,
    WrongStage, MatchNotRunning."""
    arbiter = await arbiter_of(parts, caller, match_id, account)

    async def make(current: Match) -> Command:
        return StartReview(dispute, arbiter, pause)

    body = prefixed(dispute, arbiter, int(pause))
    return await change(parts, caller, match_id, "StartReview", make, key, body)


async def appeal_dispute(
    parts: Parts, caller: Caller, match_id: str, dispute: int, reason: str, key: str | None
) -> Done:
    """Raises: MatchNotFound, SeatTokenRequired, DisputeNotFound, WrongStage."""
    seat = await parts.doorkeeper.seat_of(caller, match_id)

    async def make(current: Match) -> Command:
        return AppealDispute(dispute, seat, reason, parts.entropy(SALT_BYTES))

    body = prefixed(dispute, seat, reason)
    return await change(parts, caller, match_id, "AppealDispute", make, key, body)


async def close_dispute(
    parts: Parts, caller: Caller, match_id: str, dispute: int, account: str | None, key: str | None
) -> Done:
    """By an arbiter once it is ruled, or by the seat that withdraws it.

    Raises: MatchNotFound, SeatTokenRequired, ScopeMissing, ArbiterIsParty, DisputeNotFound,
    WrongStage.
    """
    seat, arbiter = await _party(parts, caller, match_id, account)

    async def make(current: Match) -> Command:
        return CloseDispute(dispute, seat, arbiter)

    body = prefixed(dispute, str(seat), arbiter or "")
    return await change(parts, caller, match_id, "CloseDispute", make, key, body)


async def disputes_of(parts: Parts, caller: Caller, match_id: str) -> list[DisputeLine]:
    """Raises: MatchNotFound, ScopeMissing."""
    await parts.doorkeeper.viewer_of(caller, match_id)
    current = await shown(parts, caller, match_id)
    return [await _told(parts, current, each) for each in current.disputes]


async def dispute_of(parts: Parts, caller: Caller, match_id: str, dispute: int) -> DisputeLine:
    """Raises: MatchNotFound, ScopeMissing, DisputeNotFound."""
    await parts.doorkeeper.viewer_of(caller, match_id)
    current = await shown(parts, caller, match_id)
    own = found(current, dispute)
    if own is None:
        raise DisputeNotFound
    return await _told(parts, current, own)


async def takeback_of(parts: Parts, caller: Caller, match_id: str) -> TakebackLine | None:
    """Raises: MatchNotFound, ScopeMissing."""
    await parts.doorkeeper.viewer_of(caller, match_id)
    current = await shown(parts, caller, match_id)
    return None if current.takeback is None else _line(current, current.takeback)


async def _party(
    parts: Parts, caller: Caller, match_id: str, account: str | None
) -> tuple[int | None, str | None]:
    """A seat for who plays one, else an arbiter."""
    if caller.kind in ARBITERS:
        return None, await arbiter_of(parts, caller, match_id, account)
    return await parts.doorkeeper.seat_of(caller, match_id), None


async def version_of(parts: Parts, match_id: str, done: Done, kind: type[Any]) -> int:
    """The version of the event of that kind in what was done; a due reveal may stand before it."""
    first, last = done.receipt.first, done.receipt.last
    records = await parts.store.records(match_id, first - 1, last - first + 1)
    name = str(kind.__struct_config__.tag)
    return next(record.version for record in records if record.kind == name)


async def _told(parts: Parts, current: Match, own: Dispute) -> DisputeLine:
    texts = await parts.store.texts(current.match_id, own.id - 1, own.ruling or own.id)
    said = {(row.version, row.field): row.text for row in texts}
    ruling = None
    if own.ruling is not None:
        (record,) = await parts.store.records(current.match_id, own.ruling - 1, 1)
        event = decode(record)
        assert isinstance(event, DisputeRuled)
        ruling = event.ruling
    return DisputeLine(
        match_id=current.match_id,
        id=own.id,
        seat=own.seat,
        about=own.about,
        stage=own.stage,
        pause=own.paused,
        appealed=own.appealed,
        claim=said.get((own.id, "claim")),
        ruled_at=own.ruling,
        ruling=ruling,
        reason=None if own.ruling is None else said.get((own.ruling, "reason")),
    )


def _line(current: Match, asked: Takeback) -> TakebackLine:
    is_open = open_takeback(current) is not None
    owed = owed_consents(current, asked) if is_open else ()
    return TakebackLine(asked.asked, asked.seat, asked.move, is_open, asked.refused, owed)
