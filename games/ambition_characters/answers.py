"""Questions inside a power: what is offered, and what an answer does."""

from typing import assert_never

from msgspec.structs import replace

from games.ambition_characters import powers, upkeep
from games.ambition_characters.alliances import candidates, pair
from games.ambition_characters.asking import ask
from games.ambition_characters.blocking import unblocked
from games.ambition_characters.characters import Character
from games.ambition_characters.killing import kill
from games.ambition_characters.moves import (
    Accept,
    Ally,
    BreakAlliance,
    Curse,
    Gift,
    Keep,
    Move,
    NameBlock,
    NameVictim,
    Redeal,
    Refuse,
    ReplaceLive,
    Silence,
    Steal,
    Swap,
)
from games.ambition_characters.setting_up import shuffled
from games.ambition_characters.state import (
    Blocked,
    Power,
    Question,
    Source,
    State,
    gain,
    others,
    put,
    without,
)
from games.core.game import CHANCE, Chance, Decision
from games.core.moves import Choice, Offer, offer


def turn(state: State, power: Power) -> Chance | Decision:
    assert power.question is not None
    match power.question:
        case Question.SWAP:
            label = f"round {state.round} swap {power.seat}"
            return Chance(label, offer(Swap, order=shuffled(tuple(sorted(state.deck)))))
        case Question.REDEAL:
            cards = shuffled(upkeep.gathered(state))
            return Chance(f"round {state.round} redeal", offer(Redeal, order=cards))
    return ask(state, power.question.value, state.asked, *_offers(state, power))


def _offers(state: State, power: Power) -> tuple[Offer, ...]:
    """From public facts and the activated card alone, but for one's own cards."""
    seat = power.seat
    match power.question:
        case Question.NAME_VICTIM:
            named = tuple(each for each in state.cast if each is not power.card)
            return (offer(NameVictim, character=Choice(named)),)
        case Question.NAME_BLOCK:
            named = tuple(each for each in unblocked(state) if each is not power.card)
            return (offer(NameBlock, character=Choice(named)),)
        case Question.KEEP:
            assert power.drawn is not None
            cards = tuple(sorted((power.card, power.drawn)))
            return (offer(Keep, card=Choice(cards)),)
        case Question.STEAL:
            return (Offer(Steal, {"from": Choice(powers.robbable(state, seat))}),)
        case Question.BREAK_ALLIANCE:
            return (offer(BreakAlliance, alliance=Choice(state.alliances)),)
        case Question.ALLY:
            return (offer(Ally, characters=Choice(candidates(state), 2, 2)),)
        case Question.GIFT:
            return (offer(Gift, to=Choice(others(state, seat))),)
        case Question.ACCEPT:
            return (offer(Accept), offer(Refuse))
        case Question.CURSE:
            return (offer(Curse, target=Choice(powers.cursable(state, seat))),)
        case Question.REPLACE_LIVE:
            return (offer(ReplaceLive, card=Choice(state.hands[state.asked])),)
        case Question.SILENCE:
            return (offer(Silence, target=Choice(others(state, seat))),)
        case Question.SWAP | Question.REDEAL | None:
            raise AssertionError(power.question)
        case never:
            assert_never(never)


def apply(state: State, seat: int, move: Move) -> State:
    """The answer takes effect; a further question may follow at once."""
    power = state.power
    assert power is not None
    match move:
        case Steal():
            state = powers.steal_on(powers.rob(state, move.victim))
            return _done(state, Question.STEAL)
        case Gift(to=guest):
            return powers.invite(state, guest)
        case Curse(target=target):
            return _done(powers.curse(state, target), Question.REPLACE_LIVE)
        case Keep(card=card):
            return _kept(state, power, card)
        case Redeal(order=order):
            return upkeep.redealt(state, power.seat, order)
    return powers.part_done(_answered(state, power, seat, move))


def _done(state: State, further: Question) -> State:
    """The part is over unless `further` is asked now."""
    assert state.power is not None
    return state if state.power.question is further else powers.part_done(state)


def _answered(state: State, power: Power, seat: int, move: Move) -> State:
    """Answers that end their part."""
    match move:
        case NameVictim(character=character):
            return kill(state, seat, character)
        case NameBlock(character=character):
            return replace(state, blocked=(*state.blocked, Blocked(character, seat)))
        case BreakAlliance(alliance=alliance):
            kept = tuple(each for each in state.alliances if each != alliance)
            return replace(state, alliances=kept)
        case Ally(characters=characters):
            allied = (*state.alliances, pair(*characters))
            return replace(state, alliances=tuple(sorted(allied)))
        case Accept():
            return gain(state, seat, 1)
        case Refuse():
            return state
        case ReplaceLive(card=card):
            return powers.exchange(state, seat, card, Source.REPLACED)
        case Silence(target=target):
            return powers.silence(state, target)
        case Swap(order=order):
            return replace(state, deck=order)
    raise AssertionError(move)


def _kept(state: State, power: Power, card: Character) -> State:
    """The other card goes to the deck at once; the draw that follows orders it. Rules: AC-101."""
    assert power.drawn is not None
    back = power.drawn if card is power.card else power.card
    return replace(
        state,
        asked=CHANCE,
        hands=put(state.hands, power.seat, without(state.hands[power.seat], back)),
        deck=(*state.deck, back),
        power=replace(power, drawn=None, question=Question.SWAP),
    )
