"""What must hold in every state."""

from collections.abc import Iterator
from itertools import chain

from games.star_realms.box import Box
from games.star_realms.effects import OpeningReveal, ShuffleTrade
from games.star_realms.piles import is_explorer
from games.star_realms.rows import GAMBITS
from games.star_realms.state import NO_REDIRECTS, Ability, Seat, State, is_base, living


def invariants(box: Box, state: State) -> str | None:
    """The first thing wrong with a state, or None. Section 12."""
    return next(_faults(box, state), None)


def _faults(box: Box, state: State) -> Iterator[str]:
    yield from _card_faults(box, state)
    yield from _gambit_faults(box, state)
    yield from _place_faults(box, state)
    yield from _mark_faults(state)
    yield from _count_faults(state)
    for own in state.seats:
        yield from _play_faults(box, own)
    yield from _turn_faults(state)


def _card_faults(box: Box, state: State) -> Iterator[str]:
    """Every copy is in exactly one zone."""
    lying = [*(copy for copy in state.trade_row if copy is not None), *state.trade_deck]
    lying += state.explorers + state.scrap_heap + state.removed
    if state.boss is not None:
        lying += state.boss.hidden + state.boss.taken
    for own in state.seats:
        lying += own.deck + own.hand + own.discard
        lying += [each.card for each in own.in_play]
    decks = state.options.trade_decks
    whole = {*box.trade_deck(decks, state.options.mercenary_cruisers), *box.explorers(decks)}
    whole.update(chain.from_iterable(box.start_of(seat) for seat in range(len(state.seats))))
    if len(lying) != len(whole) or set(lying) != whole:
        yield "a card is missing or in two places"


def _gambit_faults(box: Box, state: State) -> Iterator[str]:
    lying = [*state.unclaimed, *state.gambit_scrap, *state.gambits_removed]
    for own in state.seats:
        lying += own.gambits_down + own.gambits_up
        if sorted(own.gambits_held) != sorted(own.gambits_down + own.gambits_up):
            yield "a seat has other gambits than it received"
        if not set(own.gambits_lost) <= set(state.gambits_removed):
            yield "a lost gambit was not removed"
    if sorted(lying) != (sorted(box.gambit_of) if state.gambits else []):
        yield f"not each of the {GAMBITS} gambits in one place"
    if not set(state.looked) <= set(state.unclaimed):
        yield "a gambit looked at is not unclaimed"


def _place_faults(box: Box, state: State) -> Iterator[str]:
    is_dealt = not any(isinstance(task.do, ShuffleTrade) for task in state.stack)
    if is_dealt and None in state.trade_row and state.trade_deck:
        yield "a slot of the row is empty"
    if any(is_explorer(box, copy) for copy in state.scrap_heap):
        yield "an Explorer is scrapped"
    boss = () if state.boss is None else state.boss.hidden + state.boss.taken
    on_sale = (*state.trade_deck, *(copy for copy in state.trade_row if copy is not None), *boss)
    if any(box.of[copy].set in ("starter", "explorer") for copy in on_sale):
        yield "a basic card lies among the trade cards"
    if list(state.explorers) != list(box.sorted(state.explorers)):
        yield "the explorers are out of order"


def _mark_faults(state: State) -> Iterator[str]:
    for own in state.seats:
        held = {*own.deck, *own.hand}
        if not {*own.seen, *own.counted} <= held or not set(own.placed) <= set(own.deck):
            yield "a mark on a card that is not there"
    if state.answers and not state.stack:
        yield "sealed answers to no question"
    for own, given in zip(state.seats, state.answers, strict=False):
        options = (*own.hand, *own.gambits_down)
        if given is not None and not set(given) <= set(options):
            yield "a sealed answer names what is not there"


def _count_faults(state: State) -> Iterator[str]:
    if state.trade < 0 or state.combat < 0 or (state.turn == 0 and state.trade + state.combat):
        yield "a pool is out of range"
    over = state.ending is not None
    if state.team_authority is not None and state.team_authority <= 0 and not over:
        yield "a team without authority plays on"
    for own in state.seats:
        if state.team_authority is None and (own.authority > 0) == bool(own.out):
            yield "a living player has no authority, or an eliminated one has"
        if own.out and (own.deck or own.hand or own.discard or own.in_play):
            yield "an eliminated player has cards"
    if sorted(each.out for each in state.seats if each.out) != list(
        range(1, 1 + sum(bool(each.out) for each in state.seats))
    ):
        yield "the order of elimination has a gap"


def _play_faults(box: Box, own: Seat) -> Iterator[str]:
    played = {each.card: each for each in own.played}
    for each in own.in_play:
        if len(set(each.used)) < len(each.used) or Ability.SCRAP in each.used:
            yield "an ability is used twice"
        if each.card not in played:
            if not is_base(box, each.card):
                yield "a ship is in play that was not played this turn"
            if each.copied is not None or each.chosen_faction is not None:
                yield "a base is something else"
        elif (each.copied, each.chosen_faction) != (
            played[each.card].copied,
            played[each.card].chosen_faction,
        ):
            yield "a card in play is not what it was played as"
    if min(own.topdeck.mandatory, own.topdeck.optional) < 0:
        yield "a redirect is out of range"


def _has_begun(own: Seat) -> bool:
    return bool(own.played) or own.topdeck != NO_REDIRECTS or any(e.used for e in own.in_play)


def _turn_faults(state: State) -> Iterator[str]:
    if state.boss is not None and state.boss.combat and not state.boss.acting:
        yield "a boss has combat outside its turn"
    if state.boss is not None and state.boss.combat < 0:
        yield "a boss's combat is out of range"
    if state.boss is not None and state.boss.acting and (state.trade or state.combat):
        yield "a pool has outlived its turn"
    idle = () if state.boss is not None else enumerate(state.seats)
    if any(_has_begun(own) for seat, own in idle if seat != state.active):
        yield "a seat has played, used or armed something outside its turn"
    if state.ending is not None:
        if state.stack:
            yield "something is to be done after the end"
        return
    if not living(state):
        yield "nobody is left and the match goes on"
    if not state.stack and all(each.done or each.out for each in state.seats):
        yield "all are done and the turn goes on"
    waits_for_reveal = bool(state.stack) and isinstance(state.stack[0].do, OpeningReveal)
    if state.turn == 0 and not state.stack and not waits_for_reveal:
        yield "a main phase before the first turn"
