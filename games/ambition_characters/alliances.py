"""Alliances: open pairs of characters, written `A+B` in alphabetical order."""

from games.ambition_characters.characters import Character
from games.ambition_characters.state import State


def pair(one: Character, other: Character) -> str:
    return "+".join(sorted((one, other)))


def members(alliance: str) -> tuple[Character, Character]:
    first, second = alliance.split("+")
    return Character(first), Character(second)


def ally_of(state: State, character: Character) -> Character | None:
    for alliance in state.alliances:
        first, second = members(alliance)
        if character is first:
            return second
        if character is second:
            return first
    return None


def candidates(state: State) -> tuple[Character, ...]:
    """Who may still be allied. Rules: AC-67, AC-141, AC-142."""
    out = [entry.character for entry in state.removed]
    out.append(Character.HIEROPHANT)
    for alliance in state.alliances:
        out.extend(members(alliance))
    return tuple(character for character in state.cast if character not in out)


def without_member(state: State, character: Character) -> tuple[str, ...]:
    """The alliances that stand once `character` is dead. Rules: AC-73."""
    return tuple(each for each in state.alliances if character not in members(each))
