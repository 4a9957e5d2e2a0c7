"""The results of an event's matches, out of the database."""

from collections.abc import Collection, Mapping
from typing import Any, Final

from sqlalchemy import Connection, select

from events.results import Ending, Result, ResultStatus
from events.tables import MATCH
from service import result_rows
from service.ids import match_id_in
from service.trf.event import Event, EventRefused, Game

_MOST_REPLAYS: Final = 20  # of one match


def results_of(connection: Connection, org: str, event: Event) -> dict[Game, Result]:
    """By game; of a match that is replayed, what the one in its place came to.

    A match of a deal group has no result before its reveal. Raises: EventRefused.
    """
    ids = _ids(connection, org, event)
    found = dict(_newest(connection, set(ids.values())))
    replaced = {match_id: match_id for match_id in found}
    for _ in range(_MOST_REPLAYS):
        wanted = {found[each].replaced_by for each in replaced.values()} - {None, *found}
        if not wanted:
            break
        found |= _newest(connection, {each for each in wanted if each is not None})
        replaced = {each: _follow(found, last) for each, last in replaced.items()}
    played = {game: _follow(found, match_id) for game, match_id in ids.items()}
    _check_seats(connection, event, played)
    return {game: found[match_id] for game, match_id in played.items()}


def unfinished(results: Mapping[Game, Result]) -> list[Game]:
    return [game for game, each in results.items() if each.status is ResultStatus.PENDING]


def provisional(results: Mapping[Game, Result]) -> list[Game]:
    return [game for game, each in results.items() if each.status is ResultStatus.PROVISIONAL]


def _follow(found: Mapping[str, Result], match_id: str) -> str:
    while (after := found[match_id]).terminal is Ending.REPLAYED and after.replaced_by in found:
        assert after.replaced_by is not None
        match_id = after.replaced_by
    return match_id


def _check_seats(connection: Connection, event: Event, played: Mapping[Game, str]) -> None:
    """Nobody of the event stands where another of them sat; who has other accounts may be anybody.

    Raises: EventRefused.
    """
    known = {each.id for each in event.players}
    accounts = result_rows.accounts(connection, set(played.values()))
    for game, match_id in played.items():
        for seat, player in enumerate(game.players):
            account = accounts.get((match_id, seat), player)
            if account != player and account in known:
                raise EventRefused(
                    f"seat {seat} of match {match_id} is {account}'s, not {player}'s"
                )


def _newest(connection: Connection, ids: Collection[str]) -> dict[str, Result]:
    logs = result_rows.logs_of(connection, ids)
    return {match_id: _told(log) for match_id, log in logs.items()}


def _told(log: result_rows.ResultLog) -> Result:
    told = log.told
    return told[-1] if told else result_rows.ResultLog(log.events[:1], log.hashes[:1]).newest


def _ids(connection: Connection, org: str, event: Event) -> dict[Game, str]:
    """Raises: EventRefused."""
    named = {match_id_in(each.match) for each in event.games if each.match is not None}
    outside = {each.external_id for each in event.games if each.external_id is not None}
    query = select(MATCH.c.match_id, MATCH.c.external_id).where(MATCH.c.org == org)
    own: dict[str, list[str]] = {}
    for wanted in (
        MATCH.c.match_id.in_(named - {None}),
        MATCH.c.external_id.in_(outside),
    ):
        for row in connection.execute(query.where(wanted)):
            own.setdefault(row.match_id, [row.match_id])
            own.setdefault(f"external {row.external_id}", []).append(row.match_id)
    return {each: _one(own, each) for each in event.games}


def _one(own: Mapping[str, list[Any]], game: Game) -> str:
    """Raises: EventRefused."""
    if game.match is not None:
        found, name = own.get(match_id_in(game.match) or "", []), game.match
    else:
        found, name = own.get(f"external {game.external_id}", []), str(game.external_id)
    if not found:
        raise EventRefused(f"the organisation has no match {name}")
    if len(set(found)) > 1:
        raise EventRefused(f"several matches have the external id {name}: name one by its id")
    return str(found[0])
