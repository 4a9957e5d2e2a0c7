"""What holds in every state."""

from collections.abc import Iterator

from games.ave_cesar import drafting
from games.ave_cesar.agenda import Payment
from games.ave_cesar.calling import COMPLETE
from games.ave_cesar.characters import CHARACTERS
from games.ave_cesar.deck import Deck
from games.ave_cesar.setting_up import DEALT, KEPT, is_dealt
from games.ave_cesar.state import NOBODY, Phase, State


def invariants(deck: Deck, state: State) -> str | None:
    """What is wrong with a state, or None."""
    return (
        _cards(deck, state)
        or _setup(state)
        or _cities(deck, state)
        or _round(state)
        or _turn(state)
        or _tokens(state)
    )


def cards(state: State) -> Iterator[str]:
    """Every card of the match, wherever it is."""
    yield from state.deck
    yield from state.discard
    yield from state.looked_at
    for hand in state.hands:
        yield from hand
    for city in state.cities:
        for building in city:
            yield building.card
            yield from building.sown
    if state.project is not None:
        yield state.project.card


def _cards(deck: Deck, state: State) -> str | None:
    found = list(cards(state))
    if len(found) != len(deck.cards) or set(found) != set(deck.cards):
        return "the cards are not those of the deck, each once"
    return None


def _setup(state: State) -> str | None:
    if state.phase is not Phase.SETUP:
        return "an answer of the setup is left" if any(state.kept) else None
    for hand, kept in zip(state.hands, state.kept, strict=True):
        if is_dealt(state) and len(hand) != DEALT:
            return "a seat has not been dealt four cards"
        if kept and (len(set(kept)) != KEPT or not set(kept) <= set(hand)):
            return "a seat keeps other cards than two of its own"
    return None


def _cities(deck: Deck, state: State) -> str | None:
    for city in state.cities:
        ids = [deck.kind_of[each.card].id for each in city]
        twins = {each for each in ids if ids.count(each) > 1}
        if any(not deck.kinds[each].repeatable for each in twins):
            return "a building stands twice in a city"
        if any(len(each.sown) > deck.kind_of[each.card].sowing for each in city):
            return "more cards are sown than a building has symbols"
        # AV-162: seven at the start of a round, two more with the Architect.
        most = COMPLETE - 1 if state.phase in (Phase.SETUP, Phase.DRAFT) else COMPLETE + 1
        if len(city) > most:
            return "a city is too large"
    return None


def _round(state: State) -> str | None:
    picked = [each for each in state.picks if each is not None]
    if not state.shuffle:
        is_clear = not (picked or state.face_up or state.call or state.assassin or state.spy)
        return None if is_clear else "something of a round is left outside of it"
    if sorted(state.shuffle) != sorted(CHARACTERS):
        return "a character is missing"
    own = [*picked, *state.face_up]
    if len(set(own)) != len(own):
        return "a character is in two places"
    for seat, pick in enumerate(state.picks):
        if pick is not None and pick not in drafting.choices(state, seat):
            return "a seat has a character it could not pick"
    if set(state.face_up) & set(drafting.set_aside(state)):
        return "a character was set aside and discarded"
    places = [drafting.place(state, s) for s, each in enumerate(state.picks) if each is not None]
    if sorted(places) != list(range(len(places))):
        return "a seat has picked before its turn"
    return None


def _turn(state: State) -> str | None:
    if state.phase is Phase.CONSTRUCTION:
        if state.call < 1 or not state.steps:
            return "nobody is asked in the construction phase"
        if None in state.picks:
            return "a seat has no character"
    elif state.steps or state.actor != NOBODY or state.call:
        return "a turn outside of the construction phase"
    is_paying = bool(state.steps) and isinstance(state.steps[0], Payment)
    if is_paying is not (state.project is not None):
        return "a building waits for no payment, or a payment has no building"
    return None


def _tokens(state: State) -> str | None:
    is_led = 0 <= state.sp < state.seats
    if not is_led and not (state.sp == NOBODY and state.phase is Phase.SETUP):
        return "nobody is the starting player"
    if not NOBODY <= state.token < state.seats:
        return "the token is with no seat"
    limit = state.options.score_token_limit
    if min(state.points) < 0 or (limit is not None and sum(state.points) > limit):
        return "more points have been earned than there are"
    if (state.ending is None) is (state.phase is Phase.OVER):
        return "an end without a reason, or a reason without an end"
    return None
