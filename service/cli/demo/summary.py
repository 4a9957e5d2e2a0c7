"""The outcome of a demonstration as a table, or as JSON."""

from typing import Any

import msgspec

from service.cli.demo.client import Served
from service.cli.demo.rebuild import Rebuilt
from service.cli.terminal import plain_table, say, show


class Played(msgspec.Struct, frozen=True):
    """A match that was played to its end; `served` has the spectator first, then the seats."""

    game: str
    match_id: str
    seats: int
    seed: int
    seconds: float
    served: list[Served]

    @property
    def moves(self) -> int:
        return sum(each.moves for each in self.served)


def as_json(played: Played, rebuilt: Rebuilt) -> dict[str, Any]:
    return {
        "ok": rebuilt.ok,
        "game": played.game,
        "match_id": played.match_id,
        "seats": played.seats,
        "seed": played.seed,
        "moves": played.moves,
        "seconds": round(played.seconds, 3),
        **msgspec.to_builtins(rebuilt),
    }


def show_summary(played: Played, rebuilt: Rebuilt) -> None:
    _show_facts(played, rebuilt)
    _show_seats(played, rebuilt)
    table = plain_table(None, "served = rebuilt from the log", "", "")
    for each in rebuilt.checks:
        table.add_row(each.name, "same" if each.ok else "DIFFERS", "" if each.ok else each.detail)
    show(table)
    say("everything served is what the log gives" if rebuilt.ok else "something differs")


def _show_facts(played: Played, rebuilt: Rebuilt) -> None:
    table = plain_table(None, "match", played.match_id)
    kinds = ", ".join(f"{n} {kind.replace('_', ' ')}" for kind, n in rebuilt.events.items())
    table.add_row("game", f"{played.game}, {played.seats} seats, seed {played.seed}")
    table.add_row("moves", f"{played.moves} over HTTP in {played.seconds:.1f} s")
    table.add_row("events", f"{sum(rebuilt.events.values())}: {kinds}")
    table.add_row("winner", _winner(rebuilt))
    table.add_row("state", f"{rebuilt.state[:16]} after head {rebuilt.head[:16]}")
    show(table)


def _show_seats(played: Played, rebuilt: Rebuilt) -> None:
    outcome = rebuilt.outcome
    table = plain_table(None, "seat", "moves", "refused", "score", "rank")
    for each in played.served:
        if each.seat is not None:
            score = outcome.scores[each.seat] if outcome and outcome.scores else "-"
            rank = outcome.ranks[each.seat] if outcome else "-"
            table.add_row(*map(str, (each.seat, each.moves, each.refused, score, rank)))
    show(table)


def _winner(rebuilt: Rebuilt) -> str:
    ranks = rebuilt.outcome.ranks if rebuilt.outcome else ()
    first = [f"seat {seat}" for seat, rank in enumerate(ranks) if rank == 1]
    return " and ".join(first) or "nobody"
