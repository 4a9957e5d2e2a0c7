"""start.gg, GraphQL: a set is asked for, then reported, or updated, or reset and reported again."""

from collections.abc import Generator, Sequence
from typing import Final

import msgspec

from service.platforms.told import (
    Call,
    Ended,
    Id,
    Json,
    Outcome,
    Steps,
    Stopped,
    Target,
    Told,
    json_call,
    read,
    require_done,
    require_ours,
    require_two,
)
from service.reaching import Reply

ADDRESS: Final = "https://api.start.gg/gql/alpha"
COMPLETED: Final = 3  # the state of a set
_FORFEITED: Final = "DQ"  # as the score of a set is shown

SET: Final = (
    "query Found($setId: ID!) { set(id: $setId) { id state winnerId displayScore "
    "slots { entrant { id } } games { winnerId entrant1Score entrant2Score } } }"
)
RESET: Final = "mutation Reset($setId: ID!) { resetSet(setId: $setId) { id state } }"
_TOLD: Final = (
    "($setId: ID!, $winnerId: ID!, $isDQ: Boolean, $gameData: [BracketSetGameDataInput])",
    "(setId: $setId, winnerId: $winnerId, isDQ: $isDQ, gameData: $gameData) { id state }",
)
REPORT: Final = f"mutation Report{_TOLD[0]} {{ reportBracketSet{_TOLD[1]} }}"
UPDATE: Final = f"mutation Update{_TOLD[0]} {{ updateBracketSet{_TOLD[1]} }}"


class _Entrant(msgspec.Struct, frozen=True):
    id: Id


class _Slot(msgspec.Struct, frozen=True):
    entrant: _Entrant | None = None


class _Game(msgspec.Struct, frozen=True, rename="camel"):
    winner_id: Id | None = None
    entrant1_score: int | None = msgspec.field(default=None, name="entrant1Score")
    entrant2_score: int | None = msgspec.field(default=None, name="entrant2Score")


class _Set(msgspec.Struct, frozen=True, rename="camel"):
    state: int | None = None
    winner_id: Id | None = None
    display_score: str | None = None
    slots: tuple[_Slot, ...] | None = None
    games: tuple[_Game, ...] | None = None

    @property
    def winner(self) -> str | None:
        return _text(self.winner_id)

    @property
    def is_complete(self) -> bool:
        return self.state == COMPLETED or self.winner_id is not None

    @property
    def entrants(self) -> list[str]:
        return [str(each.entrant.id) for each in self.slots or () if each.entrant is not None]

    def says(self, told: Told) -> bool:
        if self.winner is None or self.winner != told.winner:
            return False
        if len(self.entrants) != 2 or sorted(self.entrants) != sorted(told.participants):
            return False
        is_dq = self.display_score == _FORFEITED
        if is_dq or _is_forfeited(told):
            return is_dq and _is_forfeited(told)
        if not self.games:
            return True  # A winner and no more.
        games = [
            (_text(each.winner_id), each.entrant1_score, each.entrant2_score) for each in self.games
        ]
        return games == [(told.winner, *_scores(told, self.entrants))]


class _Error(msgspec.Struct, frozen=True):
    message: str = ""


class _Data(msgspec.Struct, frozen=True):
    set: _Set | None = None


class _Answer(msgspec.Struct, frozen=True):
    data: _Data | None = None
    errors: tuple[_Error, ...] | None = None
    success: bool | None = None
    message: str | None = None


def report(told: Told, to: Target, ours: Sequence[Told]) -> Steps:
    """Raises: Stopped."""
    if told.has_result:
        require_two(told)
        if told.winner is None:
            raise Stopped(Outcome.NO_DRAWS if told.is_draw else Outcome.NO_WINNER)
    found = (yield from _asked(to, SET, {"setId": to.match})).set
    if found is None:
        raise Stopped(Outcome.UNKNOWN_TARGET)
    if told.has_result:
        _require_entrants(found.entrants, told)
    if found.is_complete:
        if told.has_result and found.says(told):
            return Ended(Outcome.ALREADY)
        require_ours(ours, found.says)
        if told.has_result and found.winner == told.winner:
            # Not reset: that would reset the sets that follow, though the same entrant won.
            yield from _asked(to, UPDATE, _result(told, to, found.entrants))
            return Ended(Outcome.REPORTED)
        yield from _asked(to, RESET, {"setId": to.match})
        if not told.has_result:
            return Ended(Outcome.REPORTED)
    elif not told.has_result:
        return Ended(Outcome.NOTHING)
    yield from _asked(to, REPORT, _result(told, to, found.entrants))
    return Ended(Outcome.REPORTED)


def _result(told: Told, to: Target, entrants: list[str]) -> Json:
    """A set that was forfeited has no games."""
    is_dq = _is_forfeited(told)
    return {
        "setId": to.match,
        "winnerId": told.winner,
        "isDQ": is_dq,
        "gameData": None if is_dq else [_game(told, entrants)],
    }


def _game(told: Told, entrants: list[str]) -> Json:
    first, second = _scores(told, entrants)
    given = {} if first is None else {"entrant1Score": first, "entrant2Score": second}
    return {"gameNum": 1, "winnerId": told.winner, **given}


def _scores(told: Told, entrants: list[str]) -> tuple[int | None, int | None]:
    """In the order of the set's entrants; of both, or of none where the game gave none."""
    scores = {who: seat.score for who, seat in told.sides}
    first, second = (scores.get(each) for each in entrants)
    return (None, None) if first is None or second is None else (first, second)


def _is_forfeited(told: Told) -> bool:
    return any(seat.forfeit for _, seat in told.sides)


def _asked(to: Target, query: str, variables: Json) -> Generator[Call, Reply, _Data]:
    """Raises: Stopped."""
    headers = {"authorization": f"Bearer {to.credentials.access_token}"}
    body = {"query": query, "variables": variables}
    reply = yield json_call("POST", to.address, headers, body)
    answer = read(reply, _Answer) or _Answer()
    if answer.success is False:
        raise Stopped(*_failed(answer.message or ""))
    detail = answer.errors[0].message if answer.errors else ""
    require_done(reply, detail)
    if answer.errors:
        # A set that was reported in between is found so the next time.
        is_late = "completed set" in detail
        raise Stopped(Outcome.NOT_READY if is_late else Outcome.REJECTED, detail)
    if answer.data is None:
        raise Stopped(Outcome.UNAVAILABLE)
    return answer.data


def _failed(message: str) -> tuple[Outcome, str]:
    said = message.lower()
    if "rate limit" in said:
        return Outcome.BUSY, message
    if "authentication" in said or "token" in said:
        return Outcome.UNAUTHORIZED, message
    return Outcome.REJECTED, message


def _require_entrants(entrants: list[str], told: Told) -> None:
    """Raises: Stopped."""
    if len(entrants) < 2:
        raise Stopped(Outcome.NOT_READY)
    if sorted(entrants) != sorted(told.participants):
        raise Stopped(Outcome.UNKNOWN_PARTICIPANT)


def _text(identity: Id | None) -> str | None:
    return None if identity is None else str(identity)
