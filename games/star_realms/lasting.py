"""What works for as long as it lies before a seat: statics and triggers of bases and gambits."""

from collections.abc import Iterable, Iterator

from games.star_realms.box import Box
from games.star_realms.effects import Static
from games.star_realms.gains import tasks
from games.star_realms.rows import Card, Gambit
from games.star_realms.state import Seat, Task


def in_force(box: Box, own: Seat) -> Iterator[tuple[str, Card | Gambit]]:
    """Cards in play as they came into it, then revealed gambits; these without a copy."""
    for each in own.in_play:
        yield each.card, box.of[each.card]
    for gambit in own.gambits_up:
        yield "", box.gambit_of[gambit]


def shield(box: Box, own: Seat) -> int:
    """What each attack on the seat deals less. Rules: SR-74."""
    return sum(
        static.n
        for _, kind in in_force(box, own)
        for static in kind.static
        if static.op == Static.ATTACK_MINUS
    )


def counts_as_all(kind: Card | Gambit) -> bool:
    """Rules: SR-34."""
    return any(static.op == Static.ALLY_FOR_ALL for static in kind.static)


def triggered(on: str, seat: int, kinds: Iterable[tuple[str, Card | Gambit]]) -> tuple[Task, ...]:
    """What those among them do at an occasion. Rules: SR-38, SR-75."""
    return tuple(
        task
        for copy, kind in kinds
        for trigger in kind.triggers
        if trigger.on == on
        for task in tasks(trigger.do, seat, copy)
    )
