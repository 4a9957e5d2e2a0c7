"""What holds in every state."""

from games.ambition_tricks.cards import DECK, EVERYTHING, set_of
from games.ambition_tricks.passing import PASSED
from games.ambition_tricks.scoring import SLAM_AWARD
from games.ambition_tricks.state import (
    POOL,
    SEATS,
    TRICKS,
    Label,
    Phase,
    ScoredHand,
    State,
    actor,
    dealt,
    direction,
    has_exchanged,
    played,
    receivers,
    voids,
)
from games.ambition_tricks.tricks import kickoff_cards


def invariants(state: State) -> str | None:
    """What is wrong with a state, or None."""
    if wrong := _history(state):
        return wrong
    if state.phase in (Phase.FIRST_DEALER, Phase.DEAL):
        is_clear = not (state.deck or any(state.hands) or state.trick or state.tricks)
        return None if is_clear else "cards lie about before the deal"
    wrong = _cards(state) or _commits(state) or _exchange(state)
    return wrong or (_play(state) if state.tricks else None)


def _history(state: State) -> str | None:
    totals: tuple[int, ...] = (0,) * SEATS
    for hand in state.history:
        totals = tuple(old + award for old, award in zip(totals, hand.awards, strict=True))
        if hand.totals != totals or sum(hand.points) != POOL or sum(hand.tricks_won) != TRICKS:
            return "a finished hand does not add up"
        if wrong := _labels(hand):
            return wrong
    finished = state.hand_no if state.phase is Phase.OVER else state.hand_no - 1
    if state.history and (state.scores != totals or len(state.history) != finished):
        return "the totals are not those of the history"
    return None


def _labels(hand: ScoredHand) -> str | None:
    slams, strikes = (hand.labels.count(label) for label in (Label.SLAM, Label.STRIKE))
    if (slams, strikes > 0) not in ((1, False), (0, True)):
        return "a hand has one slam or at least one strike"
    fits = all(
        award in (0, 10, 20, SLAM_AWARD) or (award == own and 10 <= own < SLAM_AWARD)
        for award, own in zip(hand.awards, hand.points, strict=True)
    )
    return None if fits else "an award that no rule gives"


def _cards(state: State) -> str | None:
    turned = [card for trick in state.tricks for card in trick.cards] + [*state.trick]
    parts = [*state.hands, *(card.bit for card in turned)]
    everything = 0
    for part in parts:
        if everything & part:
            return "a card twice"
        everything |= part
    if everything != EVERYTHING or set_of(state.deck) != EVERYTHING:
        return "a card is lost"
    return None if len(state.deck) == len(DECK) else "the deck has cards twice"


def _commits(state: State) -> str | None:
    if state.phase in (Phase.PASS, Phase.KICKOFF):
        if any(hand.bit_count() != TRICKS for hand in state.hands):
            return "a hand has not thirteen cards"
        if state.tricks or state.trick:
            return "a trick before the kickoff"
    for seat, card in enumerate(state.kickoff):
        if card is None:
            continue
        if state.phase is not Phase.KICKOFF or not card.bit & kickoff_cards(state.hands[seat]):
            return "a kickoff card that may not be played"
    return None


def _exchange(state: State) -> str | None:
    """The cards dealt, less those passed, with those received, are those held or played."""
    if has_exchanged(state) is (state.phase is Phase.PASS):
        return "the cards change hands with the fourth pass"
    start = [set_of(dealt(state, seat)) for seat in range(SEATS)]
    for giver, cards in enumerate(state.passed):
        if cards and (len(set(cards)) != PASSED or set_of(cards) & ~start[giver]):
            return "a pass of other cards than were dealt"
    held = [*start]
    if has_exchanged(state):
        for giver, cards in enumerate(state.passed):
            for receiver, card in zip(receivers(direction(state), giver), cards, strict=True):
                held[giver] ^= card.bit
                held[receiver] ^= card.bit
    now = [state.hands[seat] | played(state, seat) for seat in range(SEATS)]
    return None if held == now else "the deal and the pass do not lead to the cards held"


def _play(state: State) -> str | None:
    """Rules: AT-16, AT-22."""
    in_trick = [(actor(state) - back) % SEATS for back in range(1, len(state.trick) + 1)]
    for seat, hand in enumerate(state.hands):
        if hand.bit_count() != TRICKS - len(state.tricks) - (seat in in_trick):
            return "a hand of the wrong size"
        if hand & voids(state, seat):
            return "a seat holds a suit it did not follow"
    return None
