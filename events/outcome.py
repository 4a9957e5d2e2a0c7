"""How a match ends: who has given up, and what that makes of the ranks the game gives."""

from events.match import Match
from events.types import Outcome, Terminal
from games.core.game import Over


def is_given_up(current: Match) -> bool:
    """At most one seat has not resigned, in a solitaire game none; or those that have not are out.

    Else the fallbacks of the resigned might play on for ever.
    """
    left = [seat for seat in range(current.seats) if seat not in current.resigned]
    if len(left) <= (1 if current.seats > 1 else 0):
        return True
    return set(left) <= set(current.game.out(current.state))


def outcome_of(current: Match, over: Over | None) -> Outcome:
    """Resigned seats rank below all others, an earlier resignation lower.

    The ranks of the others close up; where the game gave no rank 1, nobody gets it.
    """
    resigned = current.resigned
    if over and not resigned:
        return Outcome(Terminal.NORMAL, over.ranks, over.scores, over.note)
    played = [seat for seat in range(current.seats) if seat not in resigned]
    own = {seat: over.ranks[seat] if over else 1 for seat in played}
    best = min(over.ranks) if over else 1
    ranks = {seat: best + sum(own[other] < own[seat] for other in played) for seat in played}
    for place, seat in enumerate(reversed(resigned)):
        ranks[seat] = max(2, best + len(played) + place)
    by_seat = tuple(ranks[seat] for seat in range(current.seats))
    if over:
        return Outcome(Terminal.NORMAL, by_seat, over.scores, over.note)
    is_forfeit = resigned[-1] in current.forfeited
    terminal = Terminal.FORFEITED if is_forfeit else Terminal.RESIGNED
    return Outcome(terminal, by_seat, None, "")
