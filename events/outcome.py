"""How a match ends: who has given up, and what that makes of the ranks the game gives."""

from msgspec.structs import replace

from events.agreeing import still_playing
from events.match import Match
from events.types import Outcome, Terminal
from games.core.game import Over, Seat


def is_given_up(current: Match) -> bool:
    """At most one seat has not resigned, in a solitaire game none; or those that have not are out.

    Else the fallbacks of the resigned might play on for ever.
    """
    left = [seat for seat in range(current.seats) if seat not in current.resigned]
    if len(left) <= (1 if current.seats > 1 else 0):
        return True
    return set(left) <= set(current.game.out(current.state))


def nobody_won(current: Match, terminal: Terminal) -> Outcome:
    """Nobody has rank 1; who resigned before ranks below, an earlier resignation lower.

    Ranks are 1 to seats: there is nobody whose rank would be above those that share rank 2.
    """
    resigned = current.resigned
    playing = current.seats - len(resigned)
    below = {seat: max(2, 1 + playing) + place for place, seat in enumerate(reversed(resigned))}
    ranks = tuple(below.get(seat, 2) for seat in range(current.seats))
    return Outcome(terminal, ranks, None, "")


def as_ranked_before(current: Match, outcome: Outcome) -> Outcome:
    """As logs have it that an earlier version wrote: where nobody had rank 1, it left out a rank
    above those that had resigned."""
    if 1 in outcome.ranks:
        return outcome
    ranks = (rank + (seat in current.resigned) for seat, rank in enumerate(outcome.ranks))
    return replace(outcome, ranks=tuple(ranks))


def drawn(current: Match) -> Outcome:
    """All that still play share rank 1, above those the game says are out and those that went."""
    playing = still_playing(current)
    out = current.seats - len(playing) - len(current.resigned)
    ranks = dict.fromkeys(range(current.seats), 1 + len(playing))
    ranks.update(dict.fromkeys(playing, 1))
    counted = len(playing) + out
    for gone in _gone_together(current):
        ranks.update(dict.fromkeys(gone, 1 + counted))
        counted += len(gone)
    by_seat = tuple(ranks[seat] for seat in range(current.seats))
    return Outcome(Terminal.AGREED, by_seat, None, "")


def outcome_of(current: Match, over: Over | None) -> Outcome:
    """Resigned seats rank below all others, an earlier resignation lower.

    Those whose flags fell at the same moment share a rank. The ranks of the others close up; where
    the game gave no rank 1, nobody gets it.
    """
    resigned = current.resigned
    if over and not resigned:
        return Outcome(Terminal.NORMAL, over.ranks, over.scores, over.note)
    played = [seat for seat in range(current.seats) if seat not in resigned]
    own = {seat: over.ranks[seat] if over else 1 for seat in played}
    best = min(over.ranks) if over else 1
    ranks = {seat: best + sum(own[other] < own[seat] for other in played) for seat in played}
    # Without a rank 1, those that share one leave room above for it.
    unshared = max(0, max(ranks.values(), default=0) - len(played))
    for gone in _gone_together(current):
        rank = max(2, 1 + unshared + len(ranks))
        ranks.update(dict.fromkeys(gone, rank))
    by_seat = tuple(ranks[seat] for seat in range(current.seats))
    if over:
        return Outcome(Terminal.NORMAL, by_seat, over.scores, over.note)
    return Outcome(_terminal(current, resigned[-1]), by_seat, None, "")


def _terminal(current: Match, last: Seat) -> Terminal:
    if last in current.forfeited:
        return Terminal.FORFEITED
    if current.presence is not None and last in current.presence.missed:
        return Terminal.NO_SHOW
    out = () if current.clocks is None else current.clocks.out
    return Terminal.TIMED_OUT if any(seat == last for seat, _ in out) else Terminal.RESIGNED


def _gone_together(current: Match) -> list[list[Seat]]:
    """Seats that are out, who went last first; several may have been put out at once."""
    moments = {} if current.clocks is None else dict(current.clocks.out)
    if current.presence is not None:
        moments.update(dict.fromkeys(current.presence.missed, -1))
    groups: list[list[Seat]] = []
    for seat in reversed(current.resigned):
        moment = moments.get(seat)
        if groups and moment is not None and moments.get(groups[-1][0]) == moment:
            groups[-1].append(seat)
        else:
            groups.append([seat])
    return groups
