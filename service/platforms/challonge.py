"""Challonge, API v2.1: a match is read, then its scores and winner are put or it is reopened."""

from collections.abc import Sequence
from typing import Final

from service.platforms.told import (
    Call,
    Credentials,
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
    path_part,
    require_done,
    require_two,
    scores_of,
)
from service.reaching import Reply

ADDRESS: Final = "https://api.challonge.com/v2.1"
_MEDIA: Final = "application/vnd.api+json"


def report(told: Told, to: Target, ours: Sequence[Told]) -> Steps:
    """Raises: Stopped."""
    place = f"{to.address}/tournaments/{path_part(to.tournament)}/matches/{path_part(to.match)}"
    headers = _headers(to.credentials)
    found = _match(_taken((yield json_call("GET", f"{place}.json", headers))))
    is_complete = found.get("state") == "complete"
    if not told.has_result:
        if not is_complete:
            return Ended(Outcome.NOTHING)
        _require_ours(found, ours)
        body = {"data": {"type": "MatchState", "attributes": {"state": "reopen"}}}
        _taken((yield _put(f"{place}/change_state.json", headers, body)))
        return Ended(Outcome.REPORTED)
    require_two(told)
    if told.winner is None and not told.is_draw:
        raise Stopped(Outcome.NO_WINNER)
    _require_players(found, told)
    if is_complete:
        is_same = _winner(found) == told.winner
        if is_same and (not ours or _scores(found) == _scores_of(told)):
            return Ended(Outcome.ALREADY)
        if not is_same:
            _require_ours(found, ours)
    _taken((yield _put(f"{place}.json", headers, _result(told))))
    return Ended(Outcome.REPORTED)


def _result(told: Told) -> Json:
    sides = [
        {
            "participant_id": participant,
            "score_set": str(score),
            "rank": seat.rank,
            "advancing": participant == told.winner,
        }
        for (participant, seat), score in zip(told.sides, scores_of(told), strict=True)
    ]
    return {"data": {"type": "Match", "attributes": {"match": sides, "tie": told.is_draw}}}


def _headers(known: Credentials) -> dict[str, str]:
    if known.api_key:
        return {"authorization-type": "v1", "authorization": known.api_key}
    return {"authorization-type": "v2", "authorization": f"Bearer {known.access_token}"}


def _put(url: str, headers: dict[str, str], body: Json) -> Call:
    return json_call("PUT", url, {**headers, "content-type": _MEDIA}, body)


def _taken(reply: Reply) -> Json:
    """Raises: Stopped."""
    body = decoded(reply)
    errors = body.get("errors")
    first = errors if isinstance(errors, dict) else next(iter(items_of(errors)), {})
    require_done(reply, str(first.get("detail", "")))
    return body


def _match(body: Json) -> Json:
    """Raises: Stopped for an answer that is no match."""
    attributes = fields_of(fields_of(body.get("data")).get("attributes"))
    if attributes.get("state") not in ("pending", "open", "complete"):
        raise Stopped(Outcome.UNAVAILABLE)
    return attributes


def _require_players(found: Json, told: Told) -> None:
    """Raises: Stopped."""
    if found["state"] == "pending":
        raise Stopped(Outcome.NOT_READY)
    if set(_scores(found)) != set(told.participants):
        raise Stopped(Outcome.UNKNOWN_PARTICIPANT)


def _require_ours(found: Json, ours: Sequence[Told]) -> None:
    """What an organiser put there by hand is left there. Raises: Stopped."""
    if _winner(found) not in {each.winner for each in ours if each.has_result}:
        raise Stopped(Outcome.OTHER_RESULT)


def _winner(found: Json) -> str | None:
    winner = found.get("winner_id")
    return None if winner is None else str(winner)


def _scores(found: Json) -> dict[str, list[int]]:
    listed = items_of(found.get("points_by_participant"))
    return {str(each.get("participant_id")): each.get("scores") or [] for each in listed}


def _scores_of(told: Told) -> dict[str, list[int]]:
    return {who: [n] for who, n in zip(told.participants, scores_of(told), strict=True)}
