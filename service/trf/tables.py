"""Rounds of tables of any number of seats, with standings, as plain JSON.

Rounds, tables and standings have the names that TopDeck.gg's public API tells them by.
"""

from collections.abc import Mapping
from typing import Any

from events.results import Result, SeatOutcome
from service.platforms import pods
from service.platforms.told import Told
from service.trf.event import Bye, Event, EventRefused, Game, Results, Round, rank_of
from service.trf.report import SCORED_AS, Scoring
from service.trf.writing import points

Json = dict[str, Any]
_KINDS = {SeatOutcome.WIN: "win", SeatOutcome.DRAW: "draw", SeatOutcome.LOSS: "loss"}


def document(event: Event, results: Results) -> Json:
    """Raises: EventRefused."""
    names = {each.id: each.name for each in event.players}
    tallies: dict[str, list[str]] = {each.id: [] for each in event.players}
    rounds = [
        _round(number, played, results, names, tallies)
        for number, played in enumerate(event.rounds, 1)
    ]
    return {
        "name": event.name,
        "rounds": rounds,
        "standings": _standings(names, tallies, event.scoring),
    }


def _round(
    number: int,
    played: Round,
    results: Results,
    names: Mapping[str, str],
    tallies: Mapping[str, list[str]],
) -> Json:
    tables = []
    for place, game in enumerate(played.games, 1):
        result = results[game]
        if len(result.seats) != len(game.players):
            raise EventRefused(f"round {number}: a match has another number of seats")
        tables.append(_table(game, result, game.table or str(place), names))
        for who, seat in zip(game.players, result.seats, strict=True):
            if seat.outcome is not None:
                tallies[who].append(_KINDS[seat.outcome])
    for bye in played.byes:
        tallies[bye.player].append(SCORED_AS[bye.kind])
    return {"round": number, "tables": [*tables, *(_bye(each, names) for each in played.byes)]}


def _table(game: Game, result: Result, name: str, names: Mapping[str, str]) -> Json:
    told = Told(game.match or "", "", result, game.players)
    table = pods.table(told, name)
    players = [{"name": names[each["id"]], **each} for each in table["players"]]
    winner = table["winner"] if told.winner is None else names[told.winner]
    own = {"table": name, "status": table["status"], "winner": winner}
    kept = {key: table[key] for key in ("winner_id", "final", "revision", "terminal")}
    source = {"match": game.match, "external_id": game.external_id}
    return {**own, **kept, **source, "players": players}


def _bye(bye: Bye, names: Mapping[str, str]) -> Json:
    player = {"id": bye.player, "name": names[bye.player]}
    return {"table": "Byes", "status": "Bye", "kind": bye.kind, "players": [player]}


def _standings(
    names: Mapping[str, str], tallies: Mapping[str, list[str]], scoring: Scoring
) -> list[Json]:
    """Best first; who is alike shares a rank, in the order of the players."""
    scored = {who: sum(getattr(scoring, kind) for kind in own) for who, own in tallies.items()}
    rows = [
        {
            "standing": rank_of(who, scored),
            "id": who,
            "name": names[who],
            "points": float(points(scored[who])),
            "wins": own.count("win"),
            "draws": own.count("draw"),
            "losses": own.count("loss"),
            "byes": own.count("pairing_bye"),
        }
        for who, own in tallies.items()
    ]
    return sorted(rows, key=lambda row: int(str(row["standing"])))
