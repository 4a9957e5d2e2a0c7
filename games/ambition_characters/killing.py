"""An assassination, from the name called to the Seeress's coin."""

from msgspec.structs import replace

from games.ambition_characters.alliances import without_member
from games.ambition_characters.characters import Character
from games.ambition_characters.passing import is_seeress
from games.ambition_characters.state import (
    NOBODY,
    Place,
    Removed,
    State,
    draw_top,
    hand_over,
    is_late,
    put,
    without,
)


def victim(state: State, character: Character) -> Removed | None:
    """The card that dies if `character` is named now, or None. Rules: AC-61, AC-112, AC-113."""
    for seat, (hand, live) in enumerate(zip(state.hands, state.live, strict=True)):
        if live is not character and character not in hand:
            continue
        if is_late(state) and len(hand) + (live is not None) <= 2:
            return None
        return Removed(character, seat, Place.LIVE if live is character else Place.HAND)
    return None


def kill(state: State, seat: int, character: Character) -> State:
    """`seat` names `character`. Rules: AC-112 to AC-118."""
    dead = victim(state, character)
    if dead is None:
        return state
    pays = dead.seat != seat and is_seeress(state, character)
    state = draw_top(_removed(state, dead), dead.seat)
    return hand_over(state, dead.seat, seat) if pays else state


def _removed(state: State, dead: Removed) -> State:
    """Rules: AC-73, AC-86, AC-115, AC-183."""
    holder, character = dead.seat, dead.character
    state = replace(
        state,
        removed=(*state.removed, dead),
        alliances=without_member(state, character),
        payouts=tuple(each for each in state.payouts if each.card is not character),
    )
    if dead.place is Place.HAND:
        return replace(
            state, hands=put(state.hands, holder, without(state.hands[holder], character))
        )
    return leave_live(state, holder)


def leave_live(state: State, seat: int) -> State:
    """The live card of `seat` is taken away, and a Sneak token on it goes home. Rules: AC-86."""
    state = replace(
        state,
        live=put(state.live, seat, None),
        face_up=put(state.face_up, seat, False),
    )
    return sneak_home(state, seat)


def sneak_home(state: State, seat: int) -> State:
    if state.sneak_placed and state.sneak == seat:
        return replace(state, sneak=NOBODY, sneak_placed=False)
    return state
