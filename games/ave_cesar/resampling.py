"""Another state that a viewer cannot tell apart from the given one."""

from collections.abc import Sequence
from random import Random

from msgspec.structs import replace

from games.ave_cesar import answers, drafting, setting_up
from games.ave_cesar.characters import CHARACTERS, Character
from games.ave_cesar.deck import Deck
from games.ave_cesar.state import Building, DiscardPile, Phase, State
from games.core.game import Seat, Viewer

DECK_STAYS = 0.25  # in so many of the worlds, so that what is drawn next is the same in both

Picks = tuple[Character | None, ...]


def resample(deck: Deck, state: State, viewer: Viewer, rng: Random) -> State:
    """The cards and characters that the viewer cannot place lie elsewhere.

    Nobody knows the order of any hand, deck or pile, its own hand's neither. Rules: AV-193, AV-213.
    """
    if state.phase is Phase.SETUP and not setting_up.is_dealt(state):
        return state
    other = _cards_mixed(state, viewer, rng)
    if state.phase is Phase.SETUP:
        other = _choices_mixed(deck, other, viewer, rng)
    return _characters_mixed(other, viewer, rng) if state.shuffle else other


def _cards_mixed(state: State, viewer: Viewer, rng: Random) -> State:
    """One random deal of all cards that the viewer has not before its eyes."""
    deck_stays = rng.random() < DECK_STAYS
    known = _known_hands(state, viewer)
    shows_pile = state.options.discard_pile is DiscardPile.FACE_UP
    looks = viewer >= 0 and viewer == state.actor
    hidden: list[str] = []
    for seat, hand in enumerate(state.hands):
        hidden += () if seat in known else hand
    hidden += () if deck_stays else state.deck
    hidden += () if shows_pile else state.discard
    hidden += () if looks else state.looked_at
    hidden += [card for city in state.cities for each in city for card in each.sown]
    rng.shuffle(hidden)

    def dealt(cards: Sequence[str], stays: bool = False) -> tuple[str, ...]:
        if stays:
            return tuple(rng.sample(cards, len(cards)))
        return tuple(hidden.pop() for _ in cards)

    return replace(
        state,
        hands=tuple(dealt(hand, seat in known) for seat, hand in enumerate(state.hands)),
        deck=state.deck if deck_stays else dealt(state.deck),
        discard=dealt(state.discard, shows_pile),
        looked_at=dealt(state.looked_at, looks),
        cities=tuple(
            tuple(Building(each.card, dealt(each.sown)) for each in city) for city in state.cities
        ),
    )


def _known_hands(state: State, viewer: Viewer) -> tuple[Seat, ...]:
    """The seats whose hands the viewer sees."""
    victim = answers.shown_hand(state)
    if viewer >= 0 and victim is not None and answers.asked(state)[1] == viewer:
        return viewer, victim
    return (viewer,) if viewer >= 0 else ()


def _choices_mixed(deck: Deck, state: State, viewer: Viewer, rng: Random) -> State:
    """Sealed answers of others are any of what they now hold. Rules: AV-197."""
    kept = tuple(
        deck.sorted(rng.sample(hand, setting_up.KEPT)) if own and seat != viewer else own
        for seat, (own, hand) in enumerate(zip(state.kept, state.hands, strict=True))
    )
    return replace(state, kept=kept)


def _characters_mixed(state: State, viewer: Viewer, rng: Random) -> State:
    """Characters are set aside and picked anew, as far as AV-213 lets them be anywhere."""
    while True:
        aside = _set_aside(state, viewer, rng)
        picks = _picks(state, viewer, aside, rng)
        if picks is not None:
            break
    rest = [each for each in CHARACTERS if each not in aside]
    order = rng.sample(aside, len(aside)) + rng.sample(rest, len(rest))
    return replace(state, shuffle=tuple(order), picks=picks)


def _knows_choices(state: State, viewer: Viewer) -> bool:
    return viewer >= 0 and drafting.has_chosen_from(state, viewer)


def _set_aside(state: State, viewer: Viewer, rng: Random) -> list[Character]:
    """Characters that may have been set aside, as far as the viewer knows."""
    true = drafting.set_aside(state)
    fixed = _fixed_picks(state, viewer)
    taken = {*state.face_up}
    for seat, pick in enumerate(fixed):
        if pick is not None and not drafting.is_shown_set_aside(state, seat):
            taken.add(pick)
    if _knows_choices(state, viewer):
        if drafting.is_shown_set_aside(state, viewer):
            return list(true)
        taken.update(drafting.choices(state, viewer))
    return rng.sample([each for each in CHARACTERS if each not in taken], len(true))


def _fixed_picks(state: State, viewer: Viewer) -> Picks:
    """The picks the viewer knows: its own and those called."""
    called = CHARACTERS[: state.call]
    return tuple(
        pick if seat == viewer or pick in called else None for seat, pick in enumerate(state.picks)
    )


def _picks(state: State, viewer: Viewer, aside: Sequence[Character], rng: Random) -> Picks | None:
    """Picks that fit what is set aside; None if there are none."""
    fixed = _fixed_picks(state, viewer)
    free = [each for each in CHARACTERS[state.call :] if each not in (*state.face_up, *fixed)]
    unknown = [
        seat for seat, pick in enumerate(state.picks) if pick is not None and fixed[seat] is None
    ]
    domains = {seat: _domain(state, viewer, seat, free, aside) for seat in unknown}
    found = _assigned(unknown, domains, rng)
    if found is None:
        return None
    return tuple(found.get(seat, pick) for seat, pick in enumerate(fixed))


def _domain(
    state: State,
    viewer: Viewer,
    seat: Seat,
    free: Sequence[Character],
    aside: Sequence[Character],
) -> list[Character]:
    """What a seat may have picked. Rules: AV-213."""
    is_shown = drafting.is_shown_set_aside(state, seat)
    able = [each for each in free if is_shown or each not in aside]
    if not _knows_choices(state, viewer):
        return able
    own = drafting.choices(state, viewer)
    if drafting.place(state, seat) < drafting.place(state, viewer):
        return [each for each in able if each not in own]
    return [each for each in able if each in own or each in aside]


def _assigned(
    seats: Sequence[Seat], domains: dict[Seat, list[Character]], rng: Random
) -> dict[Seat, Character] | None:
    """A different character for every seat, out of its domain, or None."""
    if not seats:
        return {}
    seat = min(seats, key=lambda each: len(domains[each]))
    rest = [each for each in seats if each != seat]
    for pick in rng.sample(domains[seat], len(domains[seat])):
        narrowed = {each: [c for c in domains[each] if c is not pick] for each in rest}
        found = _assigned(rest, narrowed, rng)
        if found is not None:
            return {seat: pick, **found}
    return None
