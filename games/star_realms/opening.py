"""Setting up: the first state, the shuffles, the starting hands and the opening reveal."""

from collections.abc import Mapping
from typing import Any, Final

from msgspec.structs import replace

from games.core.game import SEALED, Chance, Decision, OptionsRefused, Turn
from games.core.moves import Choice, Offer, offer, one_of
from games.star_realms import moves
from games.star_realms.box import Box
from games.star_realms.drawing import drawn, shuffle
from games.star_realms.effects import (
    DrawStartingHands,
    FindFirstPlayer,
    NextTurn,
    OpeningReveal,
    ShuffleAllGambits,
    ShuffleStart,
    ShuffleTrade,
)
from games.star_realms.rows import GAMBITS, MOST_DECKS, ROW
from games.star_realms.state import (
    EVERYONE,
    NOBODY,
    AllyTiming,
    Boss,
    FirstPlayerBy,
    Mode,
    Options,
    Seat,
    State,
    Task,
    pushed,
    put,
    with_seat,
)

SEATS: Final[Mapping[Mode, tuple[int, int]]] = {Mode.DUEL: (2, 2), Mode.FREE_FOR_ALL: (3, 6)}
AUTHORITY: Final = 50
USUAL_GAMBITS: Final = 2
FULL_HAND: Final = 5
TURN_LIMIT_MOST: Final = 1000


def new(box: Box, options: Options, seats: int) -> State:
    """Raises: OptionsRefused. Rules: SR-01, SR-02, SR-64, SR-80, SR-91."""
    gambits = _checked(box, options, seats)
    scenario = box.scenarios.get(options.mode)
    decks, authority = options.trade_decks, AUTHORITY
    boss, team_authority, first = None, None, NOBODY
    if scenario is not None:
        total = scenario.boss_authority_base + scenario.boss_authority_per_player * seats
        boss, first = Boss(total), 0
        authority = scenario.player_authority
        if scenario.authority_shared:
            authority, team_authority = 0, scenario.player_authority
    elif options.first_player is FirstPlayerBy.SEAT_0:
        first = 0
    return State(
        options=options,
        gambits=gambits,
        seats=tuple(Seat(authority, deck=box.start_of(seat)) for seat in range(seats)),
        stack=_steps(seats, first, gambits),
        trade_deck=box.trade_deck(decks, options.mercenary_cruisers),
        explorers=box.explorers(decks),
        unclaimed=box.all_gambits() if gambits else (),
        boss=boss,
        team_authority=team_authority,
        first=first,
    )


def reconstructed(box: Box, options: Options) -> bool:
    """Whether a card, or a line of the scenario's table, is no printed one. Rules: R-13."""
    scenario = box.scenarios.get(options.mode)
    return "" in box.reconstructed or (scenario is not None and scenario.table in box.reconstructed)


def _steps(seats: int, first: int, gambits: int) -> tuple[Task, ...]:
    steps = [Task(ShuffleTrade(), EVERYONE)]
    if first == NOBODY:
        steps.append(Task(FindFirstPlayer(), EVERYONE))
    if gambits:
        steps.append(Task(ShuffleAllGambits(), EVERYONE))
    steps += [Task(ShuffleStart(), seat) for seat in range(seats)]
    steps.append(Task(DrawStartingHands(), EVERYONE))
    if gambits:
        steps.append(Task(OpeningReveal(), EVERYONE))
    return (*steps, Task(NextTurn(), EVERYONE))


def _checked(box: Box, options: Options, seats: int) -> int:
    """How many gambits each seat is dealt. Raises: OptionsRefused. Rules: SR-08."""
    for name, kind in (
        ("mode", Mode),
        ("first_player", FirstPlayerBy),
        ("ally_timing", AllyTiming),
    ):
        if not isinstance(getattr(options, name), kind):
            raise OptionsRefused(f"/{name}", "one of " + ", ".join(kind))
    scenario = box.scenarios.get(options.mode)
    low, high = SEATS[options.mode] if scenario is None else scenario.players
    if not low <= seats <= high:
        wanted = str(low) if low == high else f"{low} to {high}"
        raise OptionsRefused("/seats", f"{options.mode} is for {wanted} seats")
    for name in ("mercenary_cruisers", "share_hands"):
        if type(getattr(options, name)) is not bool:
            raise OptionsRefused(f"/{name}", "true or false")
    if not _is_whole(options.trade_decks, 1, MOST_DECKS):
        raise OptionsRefused("/trade_decks", f"1 to {MOST_DECKS}")
    if not _is_whole(options.turn_limit, 0, TURN_LIMIT_MOST):
        raise OptionsRefused("/turn_limit", f"0 for none, or 1 to {TURN_LIMIT_MOST}")
    hand: object = options.beast_start_hand
    if type(hand) is not int or hand not in (3, 5):
        raise OptionsRefused("/beast_start_hand", "3 or 5")
    if options.gambits_per_player is None:
        return USUAL_GAMBITS if scenario is None else 0
    if not _is_whole(options.gambits_per_player, 0, GAMBITS // seats):
        raise OptionsRefused("/gambits_per_player", f"0 to {GAMBITS // seats} with {seats} seats")
    return options.gambits_per_player


def _is_whole(value: object, low: int, high: int) -> bool:
    return type(value) is int and low <= value <= high


def trade_deck_turn(box: Box, state: State, task: Task) -> Chance:
    return Chance("trade deck", shuffle(moves.ShuffleTradeDeck, box, state.trade_deck))


def trade_deck_shuffled(box: Box, state: State, task: Task, seat: int, move: Any) -> State:
    """Rules: SR-04; 5.4 for the Beast's first cards."""
    order, row = move.order, move.order[:ROW]
    scenario = box.scenarios.get(state.options.mode)
    hidden = 0 if scenario is None else scenario.facedown_start_per_player * len(state.seats)
    state = replace(state, trade_row=row, trade_deck=order[ROW + hidden :])
    if state.boss is None or not hidden:
        return state
    return replace(state, boss=replace(state.boss, hidden=order[ROW : ROW + hidden]))


def first_player_turn(box: Box, state: State, task: Task) -> Chance:
    """Rules: SR-06."""
    return Chance("first player", offer(moves.FirstPlayer, seat=one_of(range(len(state.seats)))))


def first_player_found(box: Box, state: State, task: Task, seat: int, move: Any) -> State:
    return replace(state, first=move.seat)


def gambits_turn(box: Box, state: State, task: Task) -> Chance:
    return Chance("gambits", shuffle(moves.ShuffleGambits, box, state.unclaimed))


def gambits_shuffled(box: Box, state: State, task: Task, seat: int, move: Any) -> State:
    """Rules: SR-08."""
    count, dealt = len(state.seats), state.gambits * len(state.seats)
    dealt_to = [move.order[place:dealt:count] for place in range(count)]
    seats = tuple(
        replace(own, gambits_held=its, gambits_down=its)
        for own, its in zip(state.seats, dealt_to, strict=True)
    )
    return replace(state, seats=seats, unclaimed=move.order[dealt:])


def deck_turn(box: Box, state: State, task: Task) -> Chance:
    label = f"deck of seat {task.seat}, shuffle 1"
    return Chance(label, shuffle(moves.ShuffleDeck, box, state.seats[task.seat].deck))


def deck_shuffled(box: Box, state: State, task: Task, seat: int, move: Any) -> State:
    return with_seat(state, task.seat, deck=move.order, shuffles=1)


def hands_drawn(box: Box, state: State, task: Task) -> State:
    for seat in range(len(state.seats)):
        state = drawn(state, seat, starting_hand(box, state, seat))
    return state


def starting_hand(box: Box, state: State, seat: int) -> int:
    """Rules: SR-06, SR-07."""
    scenario = box.scenarios.get(state.options.mode)
    if scenario is not None:
        is_beast = scenario.authority_shared
        return state.options.beast_start_hand if is_beast else scenario.starting_hand
    place = (seat - state.first) % len(state.seats)
    if place == 0:
        return 3
    return 4 if place == 1 and state.options.mode is Mode.FREE_FOR_ALL else FULL_HAND


def reveal_turn(box: Box, state: State, task: Task) -> Turn:
    """Every seat is asked, always. Rules: SR-10."""
    offers = {
        seat: (_reveal(own.gambits_down),)
        for seat, own in enumerate(state.seats)
        if not state.answers or state.answers[seat] is None
    }
    return Decision("reveal_opening", offers, SEALED)


def is_last_reveal(state: State) -> bool:
    return sum(each is not None for each in state.answers) == len(state.seats) - 1


def _reveal(gambits: tuple[str, ...]) -> Offer:
    return offer(moves.RevealOpening, gambits=Choice(gambits, 0, len(gambits)))


def revealed(box: Box, state: State, task: Task, seat: int, move: Any) -> State:
    """Seals an answer; with the last one the gambits are turned up."""
    answers = put(state.answers or (None,) * len(state.seats), seat, move.gambits)
    if None in answers:
        return pushed(replace(state, answers=answers), task)
    seats = tuple(
        replace(
            own,
            gambits_down=tuple(each for each in own.gambits_down if each not in shown),
            gambits_up=shown,
        )
        for own, shown in zip(state.seats, answers, strict=True)
        if shown is not None
    )
    return replace(state, answers=(), seats=seats)


DO: Final[Mapping[type, Any]] = {DrawStartingHands: hands_drawn}

WAITS: Final[Mapping[type, Any]] = {
    ShuffleTrade: trade_deck_turn,
    FindFirstPlayer: first_player_turn,
    ShuffleAllGambits: gambits_turn,
    ShuffleStart: deck_turn,
    OpeningReveal: reveal_turn,
}

ANSWER: Final[Mapping[type, Any]] = {
    ShuffleTrade: trade_deck_shuffled,
    FindFirstPlayer: first_player_found,
    ShuffleAllGambits: gambits_shuffled,
    ShuffleStart: deck_shuffled,
    OpeningReveal: revealed,
}
