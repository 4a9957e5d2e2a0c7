"""The end of a match."""

from games.ambition_characters.state import Ending, State
from games.core.game import Over


def over(state: State, ending: Ending) -> Over:
    """Ten coins: the winner and the rest; round limit: by coins. Rules: AC-03, AC-08, R-34."""
    coins = state.coins
    if ending is Ending.TEN_COINS:
        ranks = tuple(1 if own == max(coins) else 2 for own in coins)
    else:
        ranks = tuple(1 + sum(each > own for each in coins) for own in coins)
    return Over(coins, ranks, ending.value)
