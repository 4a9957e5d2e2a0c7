"""Forced endings: a test match ends at once in a way that was asked for, to rehearse what follows.

What ends it is what ends any match – resignations, rulings, a cancellation –, in one append.
"""

from enum import StrEnum
from typing import Final

import msgspec

from events.canonical import prefixed
from events.dealer import Dealer
from events.decide import CancelMatch, Command, Resign, Step, decide
from events.disputing import OpenDispute, RuleDispute, StartReview
from events.match import Match
from events.refusals import MatchEndedAlready, RulingImpossible
from events.rulings import Forfeit, Replay, Ruling, SetResult, Void
from events.sandbox import is_test
from events.types import DONE
from games.core.game import Seat
from service.arbitration import arbiter_of
from service.auth import Caller, require
from service.callers import Scope
from service.changing import change_by
from service.committing import Done
from service.errors import Fault, Invalid, SeatNotFound
from service.ids import RANDOM_BYTES, new_match_id
from service.parts import Parts
from service.replacing import replacement
from service.ruling import SALT_BYTES
from service.standing import SandboxOnly

_SAID: Final = "Forced, to rehearse."


class Forced(StrEnum):
    """The ways a test match can be made to end; the others come by playing and by clocks."""

    RESIGNED = "resigned"
    FORFEITED = "forfeited"
    ADJUDICATED = "adjudicated"
    CANCELLED = "cancelled"
    VOID = "void"
    REPLAYED = "replayed"


WON: Final = (Forced.RESIGNED, Forced.FORFEITED, Forced.ADJUDICATED)


class EndedTest(msgspec.Struct, frozen=True):
    """`match_id` is the match that is to be played in place."""

    done: Done
    match_id: str | None


def require_sandbox(caller: Caller) -> None:
    """Raises: ApiKeyRequired, ScopeMissing, SandboxOnly."""
    require(caller, Scope.ARBITRATE)
    if not is_test(caller.org):
        raise SandboxOnly


async def end_test(
    parts: Parts,
    caller: Caller,
    match_id: str,
    way: Forced,
    winner: Seat | None,
    key: str | None,
) -> EndedTest:
    """A test match ends that way, won by `winner` where somebody wins (seat 0 if None).

    A match that is over gets another result by adjudication, or is void or replayed. Whoever comes
    with another key than one of a sandbox is told so before the match is looked for.
    Raises: ApiKeyRequired, ScopeMissing, SandboxOnly, MatchNotFound, SeatNotFound, Refused;
    Invalid for a winner where nobody wins.
    """
    require_sandbox(caller)
    arbiter = await arbiter_of(parts, caller, match_id, None)
    if winner is not None and way not in WON:
        raise Invalid(Fault("/winner", "unexpected", "nobody wins a match that ends so"))
    body = prefixed(way.value, -1 if winner is None else winner)
    own = _bytes_of_id(parts, caller, match_id, key, body)
    new_id = ""

    async def lead(current: Match, dealer: Dealer) -> tuple[Step, ...]:
        nonlocal new_id
        if not 0 <= (winner or 0) < current.seats:
            raise SeatNotFound
        if way is Forced.REPLAYED:
            new_id = new_match_id(current.created.at, own)
        steps = _steps(_Told(parts, current, dealer, arbiter), way, winner or 0, new_id)
        if new_id:
            await replacement(parts, caller.org, current, new_id)
        return steps

    done = await change_by(parts, caller, match_id, "EndTest", lead, key, body)
    return EndedTest(done, new_id or None)


def _steps(told: "_Told", way: Forced, winner: Seat, new_id: str) -> tuple[Step, ...]:
    """All that ends it. Raises: Refused."""
    current = told.current
    gone: list[Seat] = []
    if way in (Forced.RESIGNED, Forced.FORFEITED):
        gone = _gone(current, winner)
    match way:
        case Forced.CANCELLED:
            told.tell(CancelMatch())
        case Forced.ADJUDICATED:
            ranks = tuple(1 if seat == winner else 2 for seat in range(current.seats))
            told.rule(SetResult(ranks=ranks, scores=None))
        case Forced.VOID:
            told.rule(Void())
        case Forced.REPLAYED:
            told.rule(Replay(match_id=new_id))
        case Forced.RESIGNED:
            for seat in gone:
                told.tell(Resign(seat))
        case Forced.FORFEITED:
            for seat in gone:
                told.rule(Forfeit(seat=seat))
    after = told.current
    if after.status not in DONE:
        raise RulingImpossible
    if way in WON and (after.outcome is None or after.outcome.terminal != way.value):
        raise RulingImpossible
    return told.steps


def _gone(current: Match, winner: Seat) -> list[Seat]:
    """Who has to go: all others that are still in, and in a match of one seat this seat itself.

    Raises: MatchEndedAlready; RulingImpossible if who shall win is out.
    """
    if current.status in DONE:
        raise MatchEndedAlready
    if winner in current.resigned:
        raise RulingImpossible
    playing = (seat for seat in range(current.seats) if seat not in current.resigned)
    return [seat for seat in playing if current.seats == 1 or seat != winner]


class _Told:
    """A match and what it is told, one command after the other; stored is nothing of it."""

    def __init__(self, parts: Parts, current: Match, dealer: Dealer, arbiter: str) -> None:
        self.current = current
        self.steps: tuple[Step, ...] = ()
        self._parts = parts
        self._dealer = dealer
        self._arbiter = arbiter

    def tell(self, command: Command) -> None:
        """Raises: Refused."""
        steps = decide(self.current, command, self._dealer, self._parts.clock())
        self.steps, self.current = (*self.steps, *steps), steps[-1].after

    def rule(self, ruling: Ruling) -> None:
        """As an arbiter rules a dispute of its own. Raises: Refused."""
        arbiter, about = self._arbiter, self.current.version
        self.tell(OpenDispute(None, arbiter, about, _SAID, self._salt()))
        dispute = self.current.disputes[-1].id
        self.tell(StartReview(dispute, arbiter, pause=False))
        self.tell(RuleDispute(dispute, arbiter, ruling, _SAID, self._salt()))

    def _salt(self) -> bytes:
        return self._parts.entropy(SALT_BYTES)


def _bytes_of_id(
    parts: Parts, caller: Caller, match_id: str, key: str | None, body: bytes
) -> bytes:
    """Of the match that may be played in place: the same for a repeated request."""
    if key is None:
        return parts.entropy(RANDOM_BYTES)
    purpose = prefixed("end test", match_id, caller.principal, key, body)
    return parts.vault.derived(purpose)[:RANDOM_BYTES]
