"""A table of any number of seats as plain JSON, put to an address of the organiser's own.

The names of a table are those that TopDeck.gg gives its tables: `table`, `players`, `winner`,
`winner_id`, `status`.
"""

from collections.abc import Sequence
from typing import Final

import msgspec

from events.results import ResultStatus
from service.platforms.told import (
    Ended,
    Json,
    Outcome,
    Steps,
    Target,
    Told,
    json_call,
    place_of,
    read,
    require_done,
)

DRAW: Final = "Draw"


class _Refused(msgspec.Struct, frozen=True):
    detail: str | None = None
    message: str | None = None


def report(told: Told, to: Target, ours: Sequence[Told]) -> Steps:
    """The address is told all of it every time, so nothing has to be asked or taken back.

    Raises: Stopped.
    """
    result = told.result
    headers = {"idempotency-key": f"{told.match_id}:{result.version}:{result.status}"}
    if to.credentials.access_token:
        headers["authorization"] = f"Bearer {to.credentials.access_token}"
    place = place_of(to, *(each for each in (to.tournament, to.match) if each))
    reply = yield json_call("PUT", place, headers, table(told, to.match))
    refused = read(reply, _Refused) or _Refused()
    require_done(reply, refused.detail or refused.message or "")
    return Ended(Outcome.REPORTED)


def table(told: Told, name: str) -> Json:
    """A table with its standings, best first; without a result in the order of the seats."""
    result = told.result
    players = [
        {
            "id": who,
            "seat": seat.seat,
            "rank": seat.rank,
            "score": seat.score,
            "outcome": seat.outcome,
            "resigned": seat.resigned,
            "forfeit": seat.forfeit,
            "penalties": len(seat.penalties),
        }
        for who, seat in sorted(told.sides, key=lambda side: (side[1].rank or 0, side[1].seat))
    ]
    return {
        "table": name,
        "match_id": told.match_id,
        "game": told.game,
        "status": "Completed" if told.has_result else "Pending",
        "winner": DRAW if told.is_draw else told.winner,
        "winner_id": told.winner,
        "final": result.status is ResultStatus.FINAL,
        "revision": result.revision,
        "terminal": result.terminal,
        "players": players,
    }
