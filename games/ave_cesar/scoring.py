"""The end of a match: what is counted, and who comes before whom."""

from typing import Final

import msgspec

from games.ave_cesar.calling import COMPLETE
from games.ave_cesar.deck import Deck
from games.ave_cesar.state import State, influence, might, neighbours
from games.core.game import Over

BEATEN: Final = 2  # points for a neighbour with less might
BY_RANK: Final = (6, 4, 2)  # points for influence
COMPLETION: Final = 3


class SeatScore(msgspec.Struct, frozen=True):
    """What a seat has in the end; `rank` is by `total`, then by `hand_count`."""

    buildings: int
    earned: int
    might: int
    influence: int
    completion: int
    total: int
    hand_count: int
    building_count: int
    rank: int


def over(deck: Deck, state: State) -> Over:
    assert state.ending is not None
    table = scores(deck, state)
    return Over(
        scores=tuple(each.total for each in table),
        ranks=tuple(each.rank for each in table),
        note=state.ending.value,
    )


def scores(deck: Deck, state: State) -> tuple[SeatScore, ...]:
    """Rules: AV-170, AV-171, AV-172, AV-173, AV-174, AV-180."""
    seats = range(state.seats)
    mights = [might(deck, state, seat) for seat in seats]
    for_influence = _for_influence(deck, state)
    found = []
    for seat, city in enumerate(state.cities):
        beaten = sum(mights[other] < mights[seat] for other in neighbours(state, seat))
        parts = (
            sum(deck.kind_of[each.card].vp for each in city),
            state.points[seat],
            BEATEN * beaten,
            for_influence[seat],
            COMPLETION if len(city) >= COMPLETE else 0,
        )
        found.append(SeatScore(*parts, sum(parts), len(state.hands[seat]), len(city), 0))
    order = [(each.total, each.hand_count) for each in found]
    return tuple(
        msgspec.structs.replace(each, rank=1 + sum(other > own for other in order))
        for each, own in zip(found, order, strict=True)
    )


def _for_influence(deck: Deck, state: State) -> list[int]:
    """Rules: AV-173."""
    all_of = [influence(deck, state, seat) for seat in range(state.seats)]
    points = []
    for own in all_of:
        above = sum(other > own for other in all_of)
        counts = own > 0 or state.options.influence_zero_scores
        points.append(BY_RANK[above] if counts and above < len(BY_RANK) else 0)
    return points
