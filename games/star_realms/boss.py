"""The boss's turn: the Beast of Retribution and the Dark Star Pirates."""

from collections.abc import Mapping
from typing import Any, Final

from msgspec.structs import replace

from games.core.game import SEALED, Chance, Decision, Turn
from games.core.moves import Choice, Offer, offer, one_of
from games.star_realms import moves
from games.star_realms.attacking import destroyed, has_outpost, hit, shields, targetable
from games.star_realms.box import Box
from games.star_realms.effects import (
    AllDiscard,
    AttackTarget,
    BaseOrBossCombat,
    BossAttack,
    BossAuthority,
    BossAuthorityPerPlayer,
    BossTurn,
    EachPlayerDiscards,
    EachPlayerRandomHandCardToDeckTop,
    Faction,
    LoseBase,
    Measure,
    MustDiscard,
    NextTurn,
    Omen,
    OmenFaction,
    PerPlayerDestroyBaseOrBossCombat,
    TargetDiscards,
    TopRandomCard,
)
from games.star_realms.piles import discarded, filled, heaped
from games.star_realms.state import (
    EVERYONE,
    Boss,
    State,
    Task,
    living,
    pushed,
    put,
    with_seat,
    without,
)


def boss_turn(box: Box, state: State, task: Task) -> State:
    state = _with_boss(state, acting=True)
    return _beast(box, state) if state.team_authority is not None else _pirates(box, state)


def _beast(box: Box, state: State) -> State:
    """Rules: SR-81 to SR-83, SR-89."""
    state, taken = _taken_from_row(state, 1)
    boss = _boss(state)
    boss = replace(boss, taken=boss.taken + taken)
    boss = replace(boss, combat=len(boss.hidden) + len(boss.taken))
    state, turned_up = filled(replace(state, boss=boss))
    omen = tuple(Task(Omen(), EVERYONE, copy) for copy in turned_up[-1:])
    return pushed(state, *omen, Task(BossAttack(), EVERYONE), Task(NextTurn(), EVERYONE))


def _pirates(box: Box, state: State) -> State:
    """Rules: SR-92, SR-93, SR-95."""
    players = living(state)
    state, taken = _taken_from_row(state, len(players))
    state, turned_up = filled(heaped(box, state, taken))
    omens = tuple(Task(Omen(), *each) for each in zip(players, turned_up, strict=False))
    return pushed(state, *omens, Task(NextTurn(), EVERYONE))


def _taken_from_row(state: State, count: int) -> tuple[State, tuple[str, ...]]:
    """The cards furthest from the trade deck; the others move up."""
    cards = tuple(copy for copy in state.trade_row if copy is not None)
    left = cards[count:]
    free = (None,) * (len(state.trade_row) - len(left))
    return replace(state, trade_row=left + free), cards[:count]


def omen(box: Box, state: State, task: Task) -> State:
    """Rules: SR-82, SR-93."""
    faction = box.of[task.card].faction
    if faction is Faction.UNALIGNED:
        return pushed(state, Task(OmenFaction(task.seat), EVERYONE, task.card))
    return _line(box, state, faction, task.seat, task.card)


def omen_offer(box: Box, state: State, task: Task) -> Offer | None:
    return offer(moves.ChooseFaction, faction=one_of(box.factions))


def omen_chosen(box: Box, state: State, task: Task, seat: int, move: Any) -> State:
    assert isinstance(task.do, OmenFaction)
    return _line(box, state, move.faction, task.do.target, task.card)


def _line(box: Box, state: State, faction: Faction, target: int, card: str) -> State:
    table = box.tables[box.scenarios[state.options.mode].table]
    return pushed(state, *(Task(effect, target, card) for effect in table[faction]))


def each_discards(box: Box, state: State, task: Task) -> State:
    """Those with more cards than they must discard are asked, all at once. Rules: SR-84."""
    assert isinstance(task.do, EachPlayerDiscards)
    step = Task(AllDiscard(task.do.n), EVERYONE)
    if not _discarding(state, task.do.n):
        return _all_discarded(state, task.do.n, (None,) * len(state.seats))
    return pushed(state, step)


def _discarding(state: State, count: int) -> tuple[int, ...]:
    """The seats that still have to answer."""
    return tuple(
        seat
        for seat in living(state)
        if len(state.seats[seat].hand) > count
        and (not state.answers or state.answers[seat] is None)
    )


def is_last_discard(state: State, count: int) -> bool:
    return len(_discarding(state, count)) == 1


def discard_turn(box: Box, state: State, task: Task) -> Turn:
    count = task.do.n  # type: ignore[union-attr]
    offers = {
        seat: (offer(moves.Discard, cards=Choice(state.seats[seat].hand, count, count)),)
        for seat in _discarding(state, count)
    }
    return Decision("discard", offers, SEALED)


def discard_answered(box: Box, state: State, task: Task, seat: int, move: Any) -> State:
    count = task.do.n  # type: ignore[union-attr]
    answers = put(state.answers or (None,) * len(state.seats), seat, move.cards)
    state = replace(state, answers=answers)
    if _discarding(state, count):
        return pushed(state, task)
    return _all_discarded(replace(state, answers=()), count, answers)


def _all_discarded(state: State, count: int, answers: tuple[tuple[str, ...] | None, ...]) -> State:
    """In seat order; whoever was not asked discards the whole hand."""
    for seat in living(state):
        chosen = answers[seat]
        state = discarded(state, seat, state.seats[seat].hand if chosen is None else chosen)
    return state


def each_loses_base(box: Box, state: State, task: Task) -> State:
    """Once per player. Rules: SR-84."""
    assert isinstance(task.do, PerPlayerDestroyBaseOrBossCombat)
    once = Task(BaseOrBossCombat(task.do.combat), EVERYONE)
    return pushed(state, *(once,) * len(living(state)))


def base_or_combat(box: Box, state: State, task: Task) -> State:
    assert isinstance(task.do, BaseOrBossCombat)
    if targetable(box, state, living(state)):
        return pushed(state, Task(LoseBase(None, pays=False), EVERYONE))
    return _with_boss(state, combat=_boss(state).combat + task.do.combat)


def base_offer(box: Box, state: State, task: Task) -> Offer | None:
    """Those of the highest defense among the targetable ones. Rules: SR-84, SR-85, SR-94."""
    assert isinstance(task.do, LoseBase)
    best = _best(box, state, _defenders(state, task.seat), task.do.most)
    return offer(moves.LoseBase, base=one_of(best)) if best else None


def _best(box: Box, state: State, seats: tuple[int, ...], most: int | None) -> tuple[str, ...]:
    found = targetable(box, state, seats)
    if most is not None:
        found = tuple(base for base in found if box.of[base].defense <= most)
    highest = max((box.of[base].defense for base in found), default=0)
    return tuple(base for base in found if box.of[base].defense == highest)


def base_lost(box: Box, state: State, task: Task, seat: int, move: Any) -> State:
    assert isinstance(task.do, LoseBase)
    if task.do.pays:
        state = _with_boss(state, combat=_boss(state).combat - box.of[move.base].defense)
    return destroyed(box, state, move.base)


def each_tops_card(box: Box, state: State, task: Task) -> State:
    seats = (seat for seat in living(state) if state.seats[seat].hand)
    return pushed(state, *(Task(TopRandomCard(), seat) for seat in seats))


def random_card_turn(box: Box, state: State, task: Task) -> Chance:
    hand = box.sorted(state.seats[task.seat].hand)
    label = f"turn {state.turn}, card of seat {task.seat}"
    return Chance(label, offer(moves.RandomHandCard, card=one_of(hand)))


def card_topped(box: Box, state: State, task: Task, seat: int, move: Any) -> State:
    """What others knew of the hand before, they now know of hand and top card together."""
    own = state.seats[task.seat]
    known = {*own.seen, *own.counted}
    counted, seen = own.counted, own.seen
    if any(copy in known for copy in own.hand):
        counted = tuple(dict.fromkeys((*counted, *own.hand)))
        seen = tuple(copy for copy in seen if copy not in own.hand)
    return with_seat(
        state,
        task.seat,
        hand=without(own.hand, move.card),
        deck=(move.card, *own.deck),
        seen=seen,
        counted=counted,
        placed=(*own.placed, move.card),
    )


def authority_per_player(box: Box, state: State, task: Task) -> State:
    gained = task.do.n * len(living(state))  # type: ignore[union-attr]
    return _with_boss(state, authority=_boss(state).authority + gained)


def authority(box: Box, state: State, task: Task) -> State:
    return _with_boss(state, authority=_boss(state).authority + _amount(box, state, task))


def attack_target(box: Box, state: State, task: Task) -> State:
    """Whoever an earlier attack has eliminated is attacked no more. Rules: SR-94."""
    if state.seats[task.seat].out:
        return state
    state = _with_boss(state, combat=_amount(box, state, task))
    return pushed(state, Task(BossAttack(), task.seat))


def _amount(box: Box, state: State, task: Task) -> int:
    """Rules: SR-93, R-13."""
    assert isinstance(task.do, AttackTarget | BossAuthority)
    if task.do.of is Measure.CARD_COST:
        return task.do.times * box.of[task.card].cost
    costs = (box.of[copy].cost for copy in state.trade_row if copy is not None)
    return task.do.times * max(costs, default=0)


def target_discards(box: Box, state: State, task: Task) -> State:
    """Rules: R-22."""
    if state.seats[task.seat].out:
        return state
    return pushed(state, Task(MustDiscard(task.do.n), task.seat))  # type: ignore[union-attr]


def attack(box: Box, state: State, task: Task) -> State:
    """One step of an attack with all the boss's combat. Rules: SR-85, SR-94."""
    combat, seats = _boss(state).combat, _defenders(state, task.seat)
    if combat <= 0:
        return state
    is_open = not any(has_outpost(box, state.seats[seat]) for seat in seats)
    authority = state.team_authority
    if authority is None:
        authority = state.seats[task.seat].authority
    is_deadly = combat - shields(box, state, seats) >= authority
    if not (is_open and is_deadly) and _best(box, state, seats, combat):
        return pushed(state, Task(LoseBase(combat, pays=True), task.seat), task)
    spent = _with_boss(state, combat=0)
    return hit(box, spent, seats, combat) if is_open else spent


def _defenders(state: State, seat: int) -> tuple[int, ...]:
    return living(state) if seat == EVERYONE else (seat,)


def _boss(state: State) -> Boss:
    assert state.boss is not None
    return state.boss


def _with_boss(state: State, **changes: Any) -> State:
    return replace(state, boss=replace(_boss(state), **changes))


DO: Final[Mapping[type, Any]] = {
    BossTurn: boss_turn,
    Omen: omen,
    EachPlayerDiscards: each_discards,
    PerPlayerDestroyBaseOrBossCombat: each_loses_base,
    BaseOrBossCombat: base_or_combat,
    EachPlayerRandomHandCardToDeckTop: each_tops_card,
    BossAuthorityPerPlayer: authority_per_player,
    BossAuthority: authority,
    AttackTarget: attack_target,
    TargetDiscards: target_discards,
    BossAttack: attack,
}

WAITS: Final[Mapping[type, Any]] = {AllDiscard: discard_turn, TopRandomCard: random_card_turn}
ASK: Final[Mapping[type, Any]] = {OmenFaction: omen_offer, LoseBase: base_offer}

ANSWER: Final[Mapping[type, Any]] = {
    AllDiscard: discard_answered,
    TopRandomCard: card_topped,
    OmenFaction: omen_chosen,
    LoseBase: base_lost,
}
