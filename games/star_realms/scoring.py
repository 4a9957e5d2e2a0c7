"""The end of the match: who is placed where."""

from games.core.game import Over
from games.star_realms.state import Ending, State


def over(state: State) -> Over:
    """Rules: SR-90, SR-96 to SR-99; section 10."""
    assert state.ending is not None
    return Over(authority(state), ranks(state), state.ending.value)


def authority(state: State) -> tuple[int, ...]:
    """As it stands, by seat; a team's is every seat's."""
    if state.team_authority is not None:
        return (state.team_authority,) * len(state.seats)
    return tuple(each.authority for each in state.seats)


def ranks(state: State) -> tuple[int, ...]:
    """One more than the seats placed before; in a scenario nobody is first in a loss."""
    if state.boss is not None:
        rank = 1 if state.ending is Ending.BOSS_DEFEATED else 2
        return (rank,) * len(state.seats)
    # Those still in the game by authority, above the others by how late they went out.
    places = [(not each.out, each.out or each.authority) for each in state.seats]
    return tuple(1 + sum(other > own for other in places) for own in places)


def ranking(state: State) -> tuple[tuple[int, ...], ...]:
    """Groups of seats, the best first."""
    by_rank = ranks(state)
    return tuple(
        tuple(seat for seat, own in enumerate(by_rank) if own == rank)
        for rank in sorted(set(by_rank))
    )
