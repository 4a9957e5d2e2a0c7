"""The draft: what is set aside, who chooses from what, and what is discarded face up."""

from typing import Final, assert_never

from msgspec.structs import replace

from games.ave_cesar.characters import CHARACTERS, Character
from games.ave_cesar.moves import DiscardCharacter, Draft, Pick, ShuffleCharacters
from games.ave_cesar.state import FourPlayerDiscard, Phase, State, put
from games.core.game import Chance, Decision, Seat
from games.core.moves import Choice, offer, one_of

FIRST_READ: Final = 4  # AV-211: a stand-in reads the shuffle from its fifth card on
DISCARDERS: Final = {
    FourPlayerDiscard.FIRST_THREE: 3,
    FourPlayerDiscard.STARTING_PLAYER_ONLY: 1,
}


def turn(state: State) -> Chance | Decision:
    if not state.shuffle:
        order = Choice(CHARACTERS, len(CHARACTERS), len(CHARACTERS), ordered=True)
        label = f"round {state.round} characters"
        return Chance(label, offer(ShuffleCharacters, characters=order))
    seat, options = asked(state), choices(state, asked(state))
    if is_discarding(state):
        left = tuple(each for each in options if each is not state.picks[seat])
        discarding = (offer(DiscardCharacter, character=one_of(left)),)
        return Decision("draft_discard", {seat: discarding})
    return Decision("draft_pick", {seat: (offer(Pick, character=one_of(options)),)})


def apply(state: State, seat: Seat, move: Draft) -> State:
    """After the last pick the phase is that of construction, before the first call."""
    match move:
        case ShuffleCharacters(characters=characters):
            return replace(state, shuffle=characters)
        case Pick(character=character):
            after = replace(state, picks=put(state.picks, seat, character))
            is_closed = None not in after.picks
            return replace(after, phase=Phase.CONSTRUCTION) if is_closed else after
        case DiscardCharacter(character=character):
            return replace(state, face_up=(*state.face_up, character))
    assert_never(move)


def set_aside(state: State) -> tuple[Character, ...]:
    """Rules: AV-22, AV-23, AV-24, AV-25."""
    return state.shuffle[: 2 if state.seats == 5 else 1]


def place(state: State, seat: Seat) -> int:
    """When a seat picks in this round, from 0."""
    return (seat - state.leader) % state.seats


def asked(state: State) -> Seat:
    """Who picks, or discards after picking."""
    return (state.leader + _picked_count(state) - is_discarding(state)) % state.seats


def is_discarding(state: State) -> bool:
    """Rules: AV-25, AV-32."""
    return len(state.face_up) < min(_picked_count(state), discarder_count(state))


def discarder_count(state: State) -> int:
    return DISCARDERS[state.options.four_player_discard] if state.seats == 4 else 0


def has_chosen_from(state: State, seat: Seat) -> bool:
    """Whether the seat has seen this round what it may choose from."""
    if not state.shuffle:
        return False
    return state.phase is not Phase.DRAFT or place(state, seat) <= place(state, asked(state))


def choices(state: State, seat: Seat) -> tuple[Character, ...]:
    """What a seat may or might pick, by number. Rules: AV-21, AV-24, AV-26, AV-27."""
    own = place(state, seat)
    gone = {*state.face_up[:own]}
    gone.update(
        each
        for other, each in enumerate(state.picks)
        if each is not None and place(state, other) < own
    )
    if not is_shown_set_aside(state, seat):
        gone.update(set_aside(state))
    return tuple(each for each in CHARACTERS if each not in gone)


def is_shown_set_aside(state: State, seat: Seat) -> bool:
    """Rules: AV-24, AV-27, AV-28."""
    return state.seats in (4, 7) and place(state, seat) == state.seats - 1


def pool(state: State) -> tuple[Character, ...]:
    """What is neither set aside, face up nor picked: being passed, then left over."""
    gone = {*set_aside(state), *state.face_up, *state.picks}
    return tuple(each for each in CHARACTERS if each not in gone)


def face_down(state: State) -> tuple[Character, ...]:
    """What lies face down once all have picked."""
    gone = {*state.face_up, *state.picks}
    return tuple(each for each in CHARACTERS if each not in gone)


def first_for_stand_in(state: State, options: tuple[Character, ...]) -> Character:
    """Rules: AV-211."""
    order = (*state.shuffle[FIRST_READ:], *state.shuffle[:FIRST_READ])
    return next(each for each in order if each in options)


def _picked_count(state: State) -> int:
    return state.seats - state.picks.count(None)
