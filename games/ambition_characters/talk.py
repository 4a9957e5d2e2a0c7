"""Table talk: words cost a silenced seat one coin, and change nothing else."""

from msgspec.structs import replace

from games.ambition_characters.state import State, hand_over


def apply(state: State, seat: int) -> State:
    """That a seat spoke; what it said is no part of the rules. Rules: AC-92 to AC-94."""
    silence = state.silence
    if silence is None or silence.seat != seat or silence.paid or state.coins[seat] == 0:
        return state
    state = replace(state, silence=replace(silence, paid=True))
    return hand_over(state, seat, silence.creditor)
