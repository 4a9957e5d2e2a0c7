"""Platforms that answer as their public documentation says: shapes, statuses, refusals.

What they are asked is held against what they take: an adapter that sends anything else is refused.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

import msgspec

from service.platforms.told import Call, Credentials, Ended, Steps, Stopped, Target
from service.reaching import Reply

Json = dict[str, Any]
SECRETS = Credentials(
    api_key="key-1", access_token="", client_id="client-1", client_secret="very-secret-1"
)


def said(status: int, body: Any = None, retry_after: int | None = None) -> Reply:
    return Reply(status, b"" if body is None else msgspec.json.encode(body), retry_after)


@dataclass
class Fake(ABC):
    """One match of a platform. `ahead` is answered first, one after the other."""

    players: Sequence[str] = ("a", "b")
    ahead: list[Reply] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)

    target: Target = field(init=False)

    def answer(self, call: Call) -> Reply:
        self.calls.append(call)
        return self.ahead.pop(0) if self.ahead else self.own(call)

    @abstractmethod
    def own(self, call: Call) -> Reply:
        """What the platform says to it."""

    @abstractmethod
    def summary(self) -> str:
        """What is there, in a word or two, as docs/tournaments.md has it."""

    @property
    @abstractmethod
    def first(self) -> object:
        """Whom the platform has as the winner."""

    @property
    def standing(self) -> Json:
        """All that is there."""
        beside = ("calls", "ahead", "target")
        return {name: value for name, value in vars(self).items() if name not in beside}

    @property
    def writes(self) -> list[Call]:
        return [each for each in self.calls if self.is_write(each)]

    def is_write(self, call: Call) -> bool:
        return call.method in ("PUT", "PATCH")


def body_of(call: Call) -> Any:
    assert call.body is not None
    return msgspec.json.decode(call.body)


@dataclass
class Challonge(Fake):
    state: str = "open"
    winner: str | None = None
    tie: bool = False
    scores: dict[str, list[int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.target = Target(
            "https://api.challonge.com/v2.1", "cup", "77", Credentials(api_key="key-1")
        )

    def own(self, call: Call) -> Reply:
        known = {("v1", "key-1"), ("v2", "Bearer token-1")}
        if (call.headers.get("authorization-type"), call.headers["authorization"]) not in known:
            return self._refused(401, "Unauthorized")
        if call.headers["accept"] != "application/json":
            return self._refused(406, "Not acceptable")
        path = urlsplit(call.url).path
        if call.method == "PUT" and call.headers["content-type"] != "application/vnd.api+json":
            return self._refused(415, "Unsupported media type")
        match call.method, path:
            case "GET", "/v2.1/tournaments/cup/matches/77.json":
                return said(200, {"data": self._shown()})
            case "PUT", "/v2.1/tournaments/cup/matches/77.json":
                return self._put(body_of(call)["data"])
            case "PUT", "/v2.1/tournaments/cup/matches/77/change_state.json":
                return self._changed(body_of(call)["data"])
        return self._refused(404, "Requested match not found")

    def _put(self, data: Json) -> Reply:
        own = data["attributes"]
        sides = {each["participant_id"]: each for each in own["match"]}
        if data["type"] != "Match" or set(sides) != set(self.players):
            return self._refused(422, "Participant is not in this match")
        if not all(re.fullmatch(r"-?\d+(,-?\d+)*", each["score_set"]) for each in sides.values()):
            return self._refused(422, "Scores are required")
        advancing = [who for who, each in sides.items() if each["advancing"]]
        if len(advancing) != (0 if own["tie"] else 1):
            return self._refused(422, "One participant has to advance")
        self.state, self.tie = "complete", own["tie"]
        self.winner = advancing[0] if advancing else None
        self.scores = {who: [int(each["score_set"])] for who, each in sides.items()}
        return said(200, {"data": self._shown()})

    def _changed(self, data: Json) -> Reply:
        if data != {"type": "MatchState", "attributes": {"state": "reopen"}}:
            return self._refused(422, "State is not valid")
        if self.state != "complete":
            return self._refused(422, "Match is not complete")
        self.state, self.winner, self.tie, self.scores = "open", None, False, {}
        return said(200, {"data": self._shown()})

    def _shown(self) -> Json:
        sides = [
            {"participant_id": each, "scores": self.scores.get(each, [])} for each in self.players
        ]
        own = {"state": self.state, "winner_id": self.winner, "points_by_participant": sides}
        return {"id": "77", "type": "match", "attributes": {**own, "round": 1, "tie": self.tie}}

    def _refused(self, status: int, detail: str) -> Reply:
        pointer = {"pointer": "/data/attributes"}
        return said(status, {"errors": {"detail": detail, "status": status, "source": pointer}})

    @property
    def first(self) -> object:
        return self.winner

    def summary(self) -> str:
        if self.state != "complete":
            return "reopened"
        return "tie" if self.tie else "winner"


@dataclass
class Startgg(Fake):
    state: int = 1
    winner: int | str | None = None
    is_dq: bool = False
    games: list[Json] = field(default_factory=list)

    def __post_init__(self) -> None:
        known = Credentials(access_token="token-1")
        self.target = Target("https://api.start.gg/gql/alpha", "", "65089253", known)

    def own(self, call: Call) -> Reply:
        assert (call.method, call.url) == ("POST", "https://api.start.gg/gql/alpha")
        if call.headers["authorization"] != "Bearer token-1":
            return said(400, {"success": False, "message": "Invalid authentication token"})
        asked = body_of(call)
        query, own = asked["query"], asked["variables"]
        if "reportBracketSet(" in query:
            if self.state == 3:
                return self._failed("Cannot report completed set via API.")
            return self._told("reportBracketSet", own)
        if "updateBracketSet(" in query:
            if self.state != 3 or own["winnerId"] != self.winner:
                return self._failed("An unknown error has occurred")
            return self._told("updateBracketSet", own)
        if own["setId"] != "65089253":
            return said(200, {"data": {"set": None}})
        if "resetSet(" in query:
            self.state, self.winner, self.is_dq, self.games = 1, None, False, []
            return said(200, {"data": {"resetSet": {"id": own["setId"], "state": 1}}})
        slots = [{"entrant": {"id": each} if each else None} for each in self.players]
        found = {"id": own["setId"], "state": self.state, "winnerId": self.winner, "slots": slots}
        return said(200, {"data": {"set": {**found, **self._score()}}})

    def _score(self) -> Json:
        names = ("winnerId", "entrant1Score", "entrant2Score")
        games = [{name: each.get(name) for name in names} for each in self.games]
        shown = None if self.state != 3 else "DQ" if self.is_dq else "a 1 - b 0"
        return {"games": games or None, "displayScore": shown}

    def _told(self, name: str, own: Json) -> Reply:
        if own["winnerId"] not in self.players or set(own) - {
            *("setId", "winnerId", "isDQ", "gameData")
        }:
            return self._failed("An unknown error has occurred")
        for game in own["gameData"] or []:
            assert set(game) <= {"gameNum", "winnerId", "entrant1Score", "entrant2Score"}
            assert game["winnerId"] in self.players
        self.state, self.winner, self.is_dq = 3, own["winnerId"], own["isDQ"]
        self.games = own["gameData"] or []
        return said(200, {"data": {name: [{"id": own["setId"], "state": 3}]}})

    def _failed(self, message: str) -> Reply:
        return said(200, {"data": None, "errors": [{"message": message}]})

    @property
    def first(self) -> object:
        return self.winner

    def summary(self) -> str:
        if self.state != 3:
            return "reset"
        return "winner, isDQ" if self.is_dq else "winner"

    def is_write(self, call: Call) -> bool:
        return "mutation" in body_of(call)["query"]


@dataclass
class Toornament(Fake):
    status: str = "pending"
    sides: dict[int, Json] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.target = Target("https://api.toornament.com", "", "5618", SECRETS)
        empty = {"result": None, "rank": None, "score": None, "forfeit": False}
        self.sides = {number: dict(empty) for number in range(1, len(self.players) + 1)}

    def own(self, call: Call) -> Reply:
        path = urlsplit(call.url).path
        if path == "/oauth/v2/token":
            return self._token(call)
        if (call.headers["x-api-key"], call.headers["authorization"]) != ("key-1", "Bearer fresh"):
            return said(401, {"errors": [{"scope": "header", "message": "Invalid token"}]})
        if path != "/organizer/v2/matches/5618":
            return said(404, {"errors": [{"scope": "url", "message": "Match not found"}]})
        return said(200, self._shown()) if call.method == "GET" else self._patched(body_of(call))

    def _token(self, call: Call) -> Reply:
        assert call.headers["content-type"] == "application/x-www-form-urlencoded"
        form = {name: value[0] for name, value in parse_qs((call.body or b"").decode()).items()}
        wanted = {
            "grant_type": "client_credentials",
            "client_id": "client-1",
            "client_secret": "very-secret-1",
            "scope": "organizer:result",
        }
        if form != wanted:
            return said(400, {"error": "invalid_client", "error_description": "Unknown client"})
        return said(200, {"access_token": "fresh", "expires_in": 86400, "token_type": "bearer"})

    def _patched(self, own: Json) -> Reply:
        kind = "result" if len(self.players) == 2 else "rank"
        for each in own["opponents"]:
            number = each.pop("number")
            taken_back = each.get("result", 0) is None and each.get("rank", 0) is None
            if number not in self.sides or not (taken_back or kind in each):
                return said(400, {"errors": [{"scope": "body", "message": "Invalid opponent"}]})
            if each.get("result") not in (None, "win", "draw", "loss"):
                return said(400, {"errors": [{"scope": "body", "message": "Invalid result"}]})
            self.sides[number] |= each
        is_done = all(each[kind] is not None for each in self.sides.values())
        self.status = "completed" if is_done else "pending"
        return said(200, self._shown())

    def _shown(self) -> Json:
        listed = [
            {"number": number, "participant": {"id": who} if who else None, **self.sides[number]}
            for number, who in enumerate(self.players, 1)
        ]
        return {"id": "5618", "status": self.status, "opponents": listed}

    @property
    def first(self) -> object:
        own = enumerate(self.players, 1)
        return next(who for n, who in own if self.sides[n]["result"] == "win")

    def summary(self) -> str:
        if self.status != "completed":
            return "taken back"
        kind = "result" if len(self.players) == 2 else "rank"
        sides = self.sides.values()
        words = [f"{each[kind]}{' forfeit' if each['forfeit'] else ''}" for each in sides]
        return ", ".join(words) if kind == "result" else f"ranks {', '.join(words)}"


@dataclass
class Pods(Fake):
    table: Json | None = None

    def __post_init__(self) -> None:
        known = Credentials(access_token="token-1")
        self.target = Target("https://cup.example.org/tables/", "round 1", "12", known)

    def own(self, call: Call) -> Reply:
        if call.headers["authorization"] != "Bearer token-1":
            return said(403, {"detail": "not you"})
        if (call.method, call.url) != ("PUT", "https://cup.example.org/tables/round%201/12"):
            return said(404)
        self.table = body_of(call)
        return said(204)

    @property
    def first(self) -> object:
        return self.table and self.table["winner_id"]

    def summary(self) -> str:
        assert self.table is not None
        told = "winner" if self.table["winner_id"] else self.table["winner"] or "no winner"
        return f"{self.table['status']}, {told}"


def drive(steps: Steps, fake: Fake) -> Ended:
    """An adapter against a platform, as the service does it."""
    try:
        call = next(steps)
        while True:
            call = steps.send(fake.answer(call))
    except StopIteration as stop:
        ended: Ended = stop.value
        return ended
    except Stopped as stopped:
        return stopped.ended
