"""Powers: what the parts need, how each begins, and the interpreter that carries them out.

A part is done at once, or it leaves a question open (`Power.question`); `answers.py` asks it.
"""

from collections.abc import Callable, Mapping
from typing import Final

from msgspec.structs import replace

from games.ambition_characters import upkeep
from games.ambition_characters.alliances import candidates, pair
from games.ambition_characters.characters import Character, Need, Part, PartName, Roster
from games.ambition_characters.killing import leave_live
from games.ambition_characters.state import (
    NOBODY,
    Acted,
    Payout,
    Power,
    Question,
    Silenced,
    SilenceScope,
    Source,
    State,
    draw_top,
    gain,
    hand_over,
    others,
    pay,
    put,
    supply,
    with_card,
    without,
)
from games.core.game import CHANCE


def is_possible(state: State, seat: int, part: Part) -> bool:
    """Whether `seat` would carry this part out now. Rules: AC-47."""
    if part.gain and supply(state) == 0:
        return False
    return all(NEEDS[need](state, seat) for need in part.needs)


def run(roster: Roster, state: State) -> State:
    """Carries out the parts from left to right, up to the first question. Rules: AC-45, AC-56."""
    while (power := state.power) is not None and power.question is None and not state.ending:
        if not power.todo:
            return replace(state, power=None, asked=NOBODY)
        part = roster.parts[power.owner][power.todo[0]]
        if is_possible(state, power.seat, part):
            state = BEGIN[part.name](state, power, part)
        if not _has_question(state):
            state = part_done(state)
    return state


def part_done(state: State) -> State:
    power = _under_way(state)
    return replace(state, power=replace(power, todo=power.todo[1:], question=None))


def _under_way(state: State) -> Power:
    assert state.power is not None
    return state.power


def _has_question(state: State) -> bool:
    return state.power is not None and state.power.question is not None


def _ask(state: State, question: Question, seat: int) -> State:
    return replace(state, asked=seat, power=replace(_under_way(state), question=question))


def _is_silenced(state: State, seat: int) -> bool:
    """In the act phase a silence is always one of this phase. Rules: AC-80, AC-81."""
    return state.silence is not None and state.silence.seat == seat


def _may_name(state: State, seat: int) -> bool:
    return not _is_silenced(state, seat) or state.options.silence_scope is SilenceScope.FAQ_ONLY


def _is_later_live(state: State, seat: int) -> bool:
    """Rules: AC-122."""
    return any(state.acted[each] is Acted.NOT_YET for each in cursable(state, seat))


NEEDS: Final[Mapping[Need, Callable[[State, int], bool]]] = {
    Need.ALLIANCE: lambda state, seat: bool(state.alliances),
    Need.CANDIDATES: lambda state, seat: len(candidates(state)) >= 2,
    Need.DECK: lambda state, seat: bool(state.deck),
    Need.LATER_LIVE: _is_later_live,
    Need.NAMING: _may_name,
    Need.OTHER_COIN: lambda state, seat: bool(robbable(state, seat)),
    Need.OTHER_LIVE: lambda state, seat: bool(cursable(state, seat)),
    Need.OWN_COIN: lambda state, seat: state.coins[seat] > 0,
    Need.SCARAB: lambda state, seat: state.scarab == seat,
    Need.VOICE: lambda state, seat: not _is_silenced(state, seat),
}


def robbable(state: State, seat: int) -> tuple[int, ...]:
    return tuple(each for each in others(state, seat) if state.coins[each])


def cursable(state: State, seat: int) -> tuple[int, ...]:
    """Rules: AC-231."""
    return tuple(each for each in others(state, seat) if state.live[each] is not None)


def _coins(state: State, power: Power, part: Part) -> State:
    return gain(state, power.seat, part.gain)


def _swap(state: State, power: Power, part: Part) -> State:
    """The activated card is taken up with the drawn one. Rules: AC-101, AC-103."""
    seat, drawn = power.seat, state.deck[0]
    state = draw_top(leave_live(state, seat), seat)
    state = replace(
        state,
        hands=put(state.hands, seat, with_card(state.hands[seat], power.card)),
        power=replace(power, drawn=drawn),
    )
    return _ask(state, Question.KEEP, seat)


def _kill(state: State, power: Power, part: Part) -> State:
    return _ask(state, Question.NAME_VICTIM, power.seat)


def _block(state: State, power: Power, part: Part) -> State:
    return _ask(state, Question.NAME_BLOCK, power.seat)


def _steal(state: State, power: Power, part: Part) -> State:
    return steal_on(replace(state, power=replace(power, times=part.times)))


def steal_on(state: State) -> State:
    """Coins are stolen one by one while there is a choice of one. Rules: AC-220 to AC-222."""
    while (power := _under_way(state)).times and not state.ending:
        victims = robbable(state, power.seat)
        if len(victims) > 1:
            return _ask(state, Question.STEAL, power.seat)
        state = rob(state, victims[0]) if victims else _stolen(state, 0)
    return state


def rob(state: State, victim: int) -> State:
    power = _under_way(state)
    return _stolen(hand_over(state, victim, power.seat), power.times - 1)


def _stolen(state: State, times: int) -> State:
    return replace(state, power=replace(_under_way(state), times=times, question=None))


def _break(state: State, power: Power, part: Part) -> State:
    if len(state.alliances) > 1:
        return _ask(state, Question.BREAK_ALLIANCE, power.seat)
    return replace(state, alliances=())


def _ally(state: State, power: Power, part: Part) -> State:
    open_to = candidates(state)
    if len(open_to) > 2:
        return _ask(state, Question.ALLY, power.seat)
    return replace(state, alliances=tuple(sorted((*state.alliances, pair(*open_to)))))


def _gift(state: State, power: Power, part: Part) -> State:
    guests = others(state, power.seat)
    if len(guests) > 1:
        return _ask(state, Question.GIFT, power.seat)
    return invite(state, guests[0])


def invite(state: State, guest: int) -> State:
    return _ask(state, Question.ACCEPT, guest)


def _curse(state: State, power: Power, part: Part) -> State:
    targets = cursable(state, power.seat)
    if len(targets) > 1:
        return _ask(state, Question.CURSE, power.seat)
    return curse(state, targets[0])


def curse(state: State, target: int) -> State:
    """An exchange for the only reserve card is not asked for. Rules: AC-56, AC-232."""
    reserve = state.hands[target]
    if len(reserve) > 1:
        return _ask(state, Question.REPLACE_LIVE, target)
    return exchange(state, target, reserve[0], Source.FORCED)


def exchange(state: State, seat: int, card: Character, source: Source) -> State:
    """The new live card lies face down, the old one goes to the reserve. Rules: AC-86, AC-232."""
    old = state.live[seat]
    assert old is not None
    state = leave_live(state, seat)
    return replace(
        state,
        hands=put(state.hands, seat, with_card(without(state.hands[seat], card), old)),
        live=put(state.live, seat, card),
        sources=put(state.sources, seat, source),
    )


def _silence(state: State, power: Power, part: Part) -> State:
    targets = others(state, power.seat)
    if len(targets) > 1:
        return _ask(state, Question.SILENCE, power.seat)
    return silence(state, targets[0])


def silence(state: State, target: int) -> State:
    """Rules: AC-76."""
    return replace(state, silence=Silenced(target, _under_way(state).seat))


def _hire(state: State, power: Power, part: Part) -> State:
    return draw_top(pay(state, power.seat, 1), power.seat)


def _end_round(state: State, power: Power, part: Part) -> State:
    """Rules: AC-08, AC-171."""
    if upkeep.is_last_round(state):
        return upkeep.out_of_rounds(state)
    return _ask(state, Question.REDEAL, CHANCE)


def _payout(state: State, power: Power, part: Part) -> State:
    return replace(state, payouts=(*state.payouts, Payout(power.seat, power.card)))


def _sneak(state: State, power: Power, part: Part) -> State:
    """Rules: AC-83, AC-211."""
    return replace(state, sneak=power.seat, sneak_placed=False)


BEGIN: Final[Mapping[PartName, Callable[[State, Power, Part], State]]] = {
    PartName.ALLY: _ally,
    PartName.BLOCK: _block,
    PartName.BREAK: _break,
    PartName.COIN: _coins,
    PartName.COINS: _coins,
    PartName.CURSE: _curse,
    PartName.END_ROUND: _end_round,
    PartName.GIFT: _gift,
    PartName.HIRE: _hire,
    PartName.KILL: _kill,
    PartName.PAYOUT: _payout,
    PartName.SILENCE: _silence,
    PartName.SNEAK: _sneak,
    PartName.STEAL: _steal,
    PartName.SWAP: _swap,
}
