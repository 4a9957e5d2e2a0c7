"""Challonge, API v2.1: a match is read, then its scores and winner are put or it is reopened."""

from collections.abc import Mapping, Sequence
from typing import Final, Literal

import msgspec

from service.platforms.told import (
    Call,
    Credentials,
    Ended,
    Id,
    Json,
    Outcome,
    Steps,
    Stopped,
    Target,
    Told,
    json_call,
    place_of,
    read,
    require_done,
    require_ours,
    require_two,
    required,
    scores_of,
)
from service.reaching import Reply

ADDRESS: Final = "https://api.challonge.com/v2.1"
_MEDIA: Final = "application/vnd.api+json"


class _Side(msgspec.Struct, frozen=True):
    participant_id: Id
    scores: tuple[int, ...] | None = None


class _Match(msgspec.Struct, frozen=True):
    state: Literal["pending", "open", "complete"]
    winner_id: Id | None = None
    points_by_participant: tuple[_Side, ...] | None = None

    @property
    def winner(self) -> str | None:
        return None if self.winner_id is None else str(self.winner_id)

    @property
    def scores(self) -> Mapping[str, tuple[int, ...]]:
        listed = self.points_by_participant or ()
        return {str(each.participant_id): each.scores or () for each in listed}

    def says(self, told: Told) -> bool:
        own = {who: (n,) for who, n in zip(told.participants, scores_of(told), strict=True)}
        return (self.winner, self.scores) == (told.winner, own)


class _Data(msgspec.Struct, frozen=True):
    attributes: _Match


class _Found(msgspec.Struct, frozen=True):
    data: _Data


class _Error(msgspec.Struct, frozen=True):
    detail: str = ""


class _Refused(msgspec.Struct, frozen=True):
    errors: tuple[_Error, ...] | _Error = ()

    @property
    def detail(self) -> str:
        errors = (self.errors,) if isinstance(self.errors, _Error) else self.errors
        return errors[0].detail if errors else ""


def report(told: Told, to: Target, ours: Sequence[Told]) -> Steps:
    """Raises: Stopped."""
    place = place_of(to, "tournaments", to.tournament, "matches", to.match)
    headers = _headers(to.credentials)
    reply = yield json_call("GET", f"{place}.json", headers)
    _require_done(reply)
    found = required(reply, _Found).data.attributes
    is_complete = found.state == "complete"
    if not told.has_result:
        if not is_complete:
            return Ended(Outcome.NOTHING)
        require_ours(ours, found.says)
        body = {"data": {"type": "MatchState", "attributes": {"state": "reopen"}}}
        _require_done((yield _put(f"{place}/change_state.json", headers, body)))
        return Ended(Outcome.REPORTED)
    require_two(told)
    if told.winner is None and not told.is_draw:
        raise Stopped(Outcome.NO_WINNER)
    _require_players(found, told)
    if is_complete:
        if found.says(told):
            return Ended(Outcome.ALREADY)
        require_ours(ours, found.says)
    _require_done((yield _put(f"{place}.json", headers, _result(told))))
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


def _require_done(reply: Reply) -> None:
    """Raises: Stopped."""
    refused = read(reply, _Refused)
    require_done(reply, "" if refused is None else refused.detail)


def _require_players(found: _Match, told: Told) -> None:
    """Raises: Stopped."""
    if found.state == "pending":
        raise Stopped(Outcome.NOT_READY)
    if set(found.scores) != set(told.participants):
        raise Stopped(Outcome.UNKNOWN_PARTICIPANT)
