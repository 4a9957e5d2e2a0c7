"""Buildings: what may be built, what it costs, and how it is paid and placed."""

from msgspec.structs import replace

from games.ave_cesar.deck import Deck
from games.ave_cesar.state import Building, Project, State, put, without
from games.core.game import Seat


def buildable(deck: Deck, state: State, seat: Seat) -> tuple[str, ...]:
    """The cards a seat may build now, in canonical order. Rules: AV-60, AV-61, AV-62, AV-65."""
    hand = state.hands[seat]
    most = len(hand) - 1
    standing = {deck.kind_of[each.card].id for each in state.cities[seat]}
    fitting = []
    for card in hand:
        kind = deck.kind_of[card]
        if kind.id in standing and not kind.repeatable:
            continue
        if kind.cost <= most or cost(deck, state, seat, card) <= most:
            fitting.append(card)
    return deck.sorted(fitting)


def cost(deck: Deck, state: State, seat: Seat, card: str) -> int:
    """Rules: AV-66."""
    kind = deck.kind_of[card]
    off = deck.discounts.get(kind.id)
    if off is None:
        return kind.cost
    city = state.cities[seat]
    return max(0, kind.cost - sum(off.get(deck.kind_of[each.card].id, 0) for each in city))


def announced(deck: Deck, state: State, seat: Seat, card: str) -> State:
    """The card leaves the hand; the payment is owed."""
    return replace(
        state,
        hands=put(state.hands, seat, without(state.hands[seat], (card,))),
        project=Project(seat, card, cost(deck, state, seat, card)),
    )


def paid(deck: Deck, state: State, cards: tuple[str, ...]) -> State:
    """The building is placed; its effects are owed before all else. Rules: AV-63, AV-64, AV-67."""
    project = state.project
    assert project is not None
    seat = project.seat
    hand = without(state.hands[seat], cards) if cards else state.hands[seat]
    return replace(
        state,
        hands=put(state.hands, seat, hand),
        discard=(*state.discard, *cards),
        cities=put(state.cities, seat, (*state.cities[seat], Building(project.card))),
        builds_left=state.builds_left - 1,
        project=None,
        steps=(*deck.effects[project.card], *state.steps),
    )
