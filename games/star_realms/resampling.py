"""Another state that a viewer cannot tell apart from the given one.

Copies are exchanged inside each set whose content is public and whose division is not: hand and
deck of a seat, trade deck and unseen boss cards, face-down and unclaimed gambits.
"""

from collections.abc import Iterable, Mapping
from random import Random

from msgspec.structs import replace

from games.star_realms.box import Box
from games.star_realms.effects import AllDiscard, ShuffleAllGambits, ShuffleTrade
from games.star_realms.state import NOBODY, Seat, State, may_see, put

Names = Mapping[str, str]


def resample(box: Box, state: State, viewer: int, rng: Random) -> State:
    """What is still to be shuffled has no order yet and stays."""
    due = {type(task.do) for task in state.stack}
    if ShuffleTrade not in due:
        state = _with_trade_deck(state, rng)
    if ShuffleAllGambits not in due:
        state = _with_gambits(box, state, viewer, rng)
    for seat, own in enumerate(state.seats):
        if own.shuffles:
            dealt = _dealt_anew(own, may_see(state, viewer, seat), rng)
            state = replace(state, seats=put(state.seats, seat, dealt))
    return _with_answers(state, viewer, rng) if state.answers else state


def _with_trade_deck(state: State, rng: Random) -> State:
    hidden = () if state.boss is None else state.boss.hidden
    names = _mixed((*hidden, *state.trade_deck), rng)
    state = replace(state, trade_deck=_named(state.trade_deck, names))
    if state.boss is None or not hidden:
        return state
    return replace(state, boss=replace(state.boss, hidden=_named(hidden, names)))


def _with_gambits(box: Box, state: State, viewer: int, rng: Random) -> State:
    hidden = [*state.unclaimed]
    for seat, own in enumerate(state.seats):
        if not may_see(state, viewer, seat):
            hidden += own.gambits_down + own.gambits_lost
    if state.looker != NOBODY and may_see(state, viewer, state.looker):
        hidden = [each for each in hidden if each not in state.looked]
    names = _mixed(hidden, rng)
    return replace(
        state,
        unclaimed=_named(state.unclaimed, names),
        looked=_named(state.looked, names),
        gambits_removed=box.sorted(_named(state.gambits_removed, names)),
        seats=tuple(
            replace(
                own,
                gambits_held=_named(own.gambits_held, names),
                gambits_down=_named(own.gambits_down, names),
                gambits_lost=_named(own.gambits_lost, names),
            )
            for own in state.seats
        ),
    )


def _dealt_anew(own: Seat, sees: bool, rng: Random) -> Seat:
    """Marked cards stay: all know where those lie, but for `placed`, which few do."""
    fixed = {*own.seen, *own.counted, *(own.hand + own.placed if sees else ())}
    names = _mixed([copy for copy in own.hand + own.deck if copy not in fixed], rng)
    return replace(
        own,
        hand=_named(own.hand, names),
        deck=_named(own.deck, names),
        placed=_named(own.placed, names),
    )


def _with_answers(state: State, viewer: int, rng: Random) -> State:
    """Sealed answers of others are chosen anew among the same offers."""
    top = state.stack[0].do
    answers = state.answers
    for seat, given in enumerate(answers):
        if given is None or seat == viewer:
            continue
        own = state.seats[seat]
        options = own.hand if isinstance(top, AllDiscard) else own.gambits_down
        size = top.n if isinstance(top, AllDiscard) else rng.randint(0, len(options))
        chosen = set(rng.sample(options, size))
        answers = put(answers, seat, tuple(each for each in options if each in chosen))
    return replace(state, answers=answers)


def _mixed(copies: Iterable[str], rng: Random) -> Names:
    """A random renaming of the copies among themselves."""
    listed = list(copies)
    return dict(zip(listed, rng.sample(listed, len(listed)), strict=True))


def _named(copies: tuple[str, ...], names: Names) -> tuple[str, ...]:
    return tuple([names.get(copy, copy) for copy in copies])
