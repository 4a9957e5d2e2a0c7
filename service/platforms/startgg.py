"""start.gg, GraphQL: a set is asked for, then reported, or updated, or reset and reported again."""

from collections.abc import Generator, Sequence
from typing import Final

from service.platforms.told import (
    Call,
    Ended,
    Json,
    Outcome,
    Steps,
    Stopped,
    Target,
    Told,
    decoded,
    fields_of,
    items_of,
    json_call,
    require_done,
    require_two,
)
from service.reaching import Reply

ADDRESS: Final = "https://api.start.gg/gql/alpha"
COMPLETED: Final = 3  # the state of a set

SET: Final = (
    "query Found($setId: ID!) { set(id: $setId) { id state winnerId slots { entrant { id } } } }"
)
RESET: Final = "mutation Reset($setId: ID!) { resetSet(setId: $setId) { id state } }"
_TOLD: Final = (
    "($setId: ID!, $winnerId: ID!, $isDQ: Boolean, $gameData: [BracketSetGameDataInput])",
    "(setId: $setId, winnerId: $winnerId, isDQ: $isDQ, gameData: $gameData) { id state }",
)
REPORT: Final = f"mutation Report{_TOLD[0]} {{ reportBracketSet{_TOLD[1]} }}"
UPDATE: Final = f"mutation Update{_TOLD[0]} {{ updateBracketSet{_TOLD[1]} }}"


def report(told: Told, to: Target, ours: Sequence[Told]) -> Steps:
    """Raises: Stopped."""
    if told.has_result:
        require_two(told)
        if told.winner is None:
            raise Stopped(Outcome.NO_DRAWS if told.is_draw else Outcome.NO_WINNER)
    found = fields_of((yield from _asked(to, SET, {"setId": to.match})).get("set"))
    if not found:
        raise Stopped(Outcome.UNKNOWN_TARGET)
    entrants = _entrants(found)
    if told.has_result:
        _require_entrants(entrants, told)
    if found.get("state") == COMPLETED or found.get("winnerId") is not None:
        winner = str(found.get("winnerId"))
        if winner == told.winner:
            same = _result(told, to, entrants)
            if all(_result(each, to, entrants) == same for each in ours if each.winner):
                return Ended(Outcome.ALREADY)
            # Not reset: that would reset the sets that follow, though the same entrant won.
            yield from _asked(to, UPDATE, same)
            return Ended(Outcome.REPORTED)
        if winner not in {each.winner for each in ours if each.has_result}:
            raise Stopped(Outcome.OTHER_RESULT)
        yield from _asked(to, RESET, {"setId": to.match})
        if not told.has_result:
            return Ended(Outcome.REPORTED)
    elif not told.has_result:
        return Ended(Outcome.NOTHING)
    yield from _asked(to, REPORT, _result(told, to, entrants))
    return Ended(Outcome.REPORTED)


def _result(told: Told, to: Target, entrants: list[str]) -> Json:
    """A set that was forfeited has no games."""
    is_dq = any(seat.forfeit for _, seat in told.sides)
    return {
        "setId": to.match,
        "winnerId": told.winner,
        "isDQ": is_dq,
        "gameData": None if is_dq else [_game(told, entrants)],
    }


def _game(told: Told, entrants: list[str]) -> Json:
    """The scores in the order of the set's entrants, where the game gave any."""
    scores = dict(zip(told.participants, (each.score for each in told.result.seats), strict=True))
    own = [scores.get(each) for each in entrants]
    given = {} if None in own else {"entrant1Score": own[0], "entrant2Score": own[1]}
    return {"gameNum": 1, "winnerId": told.winner, **given}


def _asked(to: Target, query: str, variables: Json) -> Generator[Call, Reply, Json]:
    """What is under `data`. Raises: Stopped."""
    headers = {"authorization": f"Bearer {to.credentials.access_token}"}
    body = {"query": query, "variables": variables}
    reply = yield json_call("POST", to.address, headers, body)
    answer = decoded(reply)
    if answer.get("success") is False:
        raise Stopped(*_failed(str(answer.get("message", ""))))
    errors = items_of(answer.get("errors"))
    detail = str(errors[0].get("message", "")) if errors else ""
    require_done(reply, detail)
    if errors:
        # A set that was reported in between is found so the next time.
        is_late = "completed set" in detail
        raise Stopped(Outcome.NOT_READY if is_late else Outcome.REJECTED, detail)
    data = answer.get("data")
    if not isinstance(data, dict):
        raise Stopped(Outcome.UNAVAILABLE)
    return data


def _failed(message: str) -> tuple[Outcome, str]:
    said = message.lower()
    if "rate limit" in said:
        return Outcome.BUSY, message
    if "authentication" in said or "token" in said:
        return Outcome.UNAUTHORIZED, message
    return Outcome.REJECTED, message


def _entrants(found: Json) -> list[str]:
    slots = (fields_of(each.get("entrant")) for each in items_of(found.get("slots")))
    return [str(each["id"]) for each in slots if "id" in each]


def _require_entrants(entrants: list[str], told: Told) -> None:
    """Raises: Stopped."""
    if len(entrants) < 2:
        raise Stopped(Outcome.NOT_READY)
    if sorted(entrants) != sorted(told.participants):
        raise Stopped(Outcome.UNKNOWN_PARTICIPANT)
