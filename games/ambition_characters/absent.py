"""What a clock or a stand-in plays for an absent seat."""

from games.ambition_characters.characters import Roster
from games.ambition_characters.moves import (
    Ally,
    Block,
    BreakAlliance,
    ChooseLive,
    Curse,
    Decline,
    Gift,
    Keep,
    Move,
    NameBlock,
    NameVictim,
    NoRecruit,
    PassCard,
    Refuse,
    ReplaceLive,
    Silence,
    Steal,
)
from games.ambition_characters.rules import turn
from games.ambition_characters.state import State, clockwise, left_of
from games.core.game import Decision
from games.core.moves import Choice, Pick
from games.core.moves import Move as CoreMove


def fallback(roster: Roster, state: State, seat: int) -> Move:
    """Hidden cards by the stand-in order, all else by public facts. Rules: AC-59."""
    decision = turn(roster, state)
    assert isinstance(decision, Decision)
    offers = {each.move: each for each in decision.offers[seat]}
    for plain in (NoRecruit, Decline, Refuse):
        if plain in offers:
            return plain()
    ((move, each),) = offers.items()
    ((name, choice),) = each.fields.items()
    assert isinstance(choice, Choice)
    filled: Move = move(**{name: _pick(state, seat, move, choice)})  # type: ignore[assignment]
    return filled


def _pick(state: State, seat: int, move: type[CoreMove], choice: Choice) -> Pick | tuple[Pick, ...]:
    if move in (PassCard, ChooseLive, Keep, ReplaceLive):
        return next(card for card in state.standin if card in choice.options)
    if move in (Block, NameBlock, NameVictim):
        return _dead_first(state, choice)
    if move in (Steal, Gift, Curse, Silence):
        return _seat(state, seat, move, choice)
    if move is Ally:
        return choice.options[:2]
    assert move is BreakAlliance
    return choice.options[0]


def _dead_first(state: State, choice: Choice) -> Pick:
    dead = [entry.character for entry in state.removed]
    return next((each for each in choice.options if each in dead), choice.options[0])


def _seat(state: State, seat: int, move: type[CoreMove], choice: Choice) -> int:
    order = [other for other in clockwise(state, left_of(state, seat)) if other in choice.options]
    if move is Steal:
        return max(order, key=state.coins.__getitem__)
    if move is Gift:
        return min(order, key=state.coins.__getitem__)
    return order[0]
