"""The options, the state of a match, and the small steps that lead to the next state."""

from collections.abc import Iterable
from enum import StrEnum
from typing import Annotated, Any, Final, Literal, TypeVar

import msgspec
from msgspec.structs import replace

from games.star_realms.box import Box
from games.star_realms.effects import AnyEffect, Faction
from games.star_realms.rows import ROW, Card, Kind

T = TypeVar("T")

EVERYONE: Final = -1  # the seat of a question that all living players may answer
NOBODY: Final = -2
TEAM: Final = -1  # the active side of a scenario


class Mode(StrEnum):
    DUEL = "duel"
    FREE_FOR_ALL = "free_for_all"
    BEAST_SOLO = "beast_solo"
    BEAST_COOP = "beast_coop"
    PIRATES_SOLO = "pirates_solo"
    PIRATES_COOP = "pirates_coop"


class FirstPlayerBy(StrEnum):
    RANDOM = "random"
    SEAT_0 = "seat_0"


class AllyTiming(StrEnum):
    AT_USE = "at_use"
    STICKY = "sticky"


class Ability(StrEnum):
    PRIMARY = "primary"
    ALLY = "ally"
    SCRAP = "scrap"


class Ending(StrEnum):
    ELIMINATION = "elimination"
    BOSS_DEFEATED = "boss_defeated"
    TEAM_DEFEATED = "team_defeated"
    TURN_LIMIT = "turn_limit"


def _range(low: int, high: int) -> msgspec.Meta:
    """Shown in the schema; `new` refuses, with a pointer."""
    return msgspec.Meta(extra_json_schema={"minimum": low, "maximum": high})


class Options(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`gambits_per_player` None: two in duel and free-for-all, none in a scenario."""

    mode: Mode = Mode.DUEL
    gambits_per_player: Annotated[int, _range(0, 13)] | None = None
    mercenary_cruisers: bool = True
    trade_decks: Annotated[int, _range(1, 3)] = 1
    first_player: FirstPlayerBy = FirstPlayerBy.RANDOM
    ally_timing: AllyTiming = AllyTiming.AT_USE
    beast_start_hand: Literal[3, 5] = 3
    share_hands: bool = True
    turn_limit: Annotated[int, _range(0, 1000)] = 0


class InPlay(msgspec.Struct, frozen=True):
    """A card in play; `copied` is the kind of ship it copies.

    `ally_met`: its ally condition has held in this turn, kept where that is enough (SR-31).
    """

    card: str
    used: tuple[Ability, ...] = ()
    copied: str | None = None
    chosen_faction: Faction | None = None
    ally_met: bool = False


class Played(msgspec.Struct, frozen=True):
    """A card played this turn, with what it was in play, also after it has left."""

    card: str
    copied: str | None = None
    chosen_faction: Faction | None = None


class Redirects(msgspec.Struct, frozen=True):
    """Ships still to go on top of the deck: must, and may. Rules: SR-43."""

    mandatory: int = 0
    optional: int = 0


NO_REDIRECTS: Final = Redirects()


class Seat(msgspec.Struct, frozen=True):
    """What a seat has. The deck lies top first, hand and discard pile oldest first.

    `out` is 0, or 1 for the first seat eliminated, and so on. Marks on cards of deck and hand:
    `seen` were put openly on the deck, `counted` are known by counting, `placed` lie in the deck
    where the Beast put them. `gambits_held` are all before the seat, as received;
    `gambits_lost` lay face down when it was eliminated.
    """

    authority: int
    out: int = 0
    done: bool = False
    deck: tuple[str, ...] = ()
    hand: tuple[str, ...] = ()
    discard: tuple[str, ...] = ()
    in_play: tuple[InPlay, ...] = ()
    played: tuple[Played, ...] = ()
    topdeck: Redirects = NO_REDIRECTS
    shuffles: int = 0
    gambits_held: tuple[str, ...] = ()
    gambits_down: tuple[str, ...] = ()
    gambits_up: tuple[str, ...] = ()
    gambits_lost: tuple[str, ...] = ()
    seen: tuple[str, ...] = ()
    counted: tuple[str, ...] = ()
    placed: tuple[str, ...] = ()


class Boss(msgspec.Struct, frozen=True):
    """`hidden` were put face down unseen, `taken` come from the row. `acting`: it is its turn."""

    authority: int
    combat: int = 0
    hidden: tuple[str, ...] = ()
    taken: tuple[str, ...] = ()
    acting: bool = False


class Task(msgspec.Struct, frozen=True):
    """Something to be done for a seat; `card` is the card it comes from, "" if that is gone."""

    do: AnyEffect
    seat: int
    card: str = ""


class State(msgspec.Struct, frozen=True):
    """`stack` is what is still to be done, the next first; what waits for somebody stays on top.

    `trade_row` by slot, `seats` by seat; `answers` by seat while several are asked at once;
    `looker` has looked at the unclaimed gambits `looked`; each seat was dealt `gambits`.
    """

    options: Options
    gambits: int
    seats: tuple[Seat, ...]
    stack: tuple[Task, ...]
    trade_deck: tuple[str, ...]
    explorers: tuple[str, ...]
    unclaimed: tuple[str, ...]
    boss: Boss | None = None
    team_authority: int | None = None
    first: int = NOBODY
    active: int = NOBODY
    turn: int = 0
    trade: int = 0
    combat: int = 0
    trade_row: tuple[str | None, ...] = (None,) * ROW
    scrap_heap: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    gambit_scrap: tuple[str, ...] = ()
    gambits_removed: tuple[str, ...] = ()
    looker: int = NOBODY
    looked: tuple[str, ...] = ()
    answers: tuple[tuple[str, ...] | None, ...] = ()
    ending: Ending | None = None


def put(values: tuple[T, ...], place: int, value: T) -> tuple[T, ...]:
    changed = list(values)
    changed[place] = value
    return tuple(changed)


def without(values: tuple[T, ...], value: T) -> tuple[T, ...]:
    place = values.index(value)
    return values[:place] + values[place + 1 :]


def with_seat(state: State, seat: int, **changes: Any) -> State:
    changed = list(state.seats)
    changed[seat] = replace(changed[seat], **changes)
    return replace(state, seats=tuple(changed))


def pushed(state: State, *tasks: Task) -> State:
    """The tasks are done next, in their order."""
    return replace(state, stack=tasks + state.stack)


def living(state: State) -> tuple[int, ...]:
    return tuple(place for place, each in enumerate(state.seats) if not each.out)


def out_of_game(state: State) -> tuple[int, ...]:
    """The seats that have been eliminated. Rules: SR-96."""
    return tuple(place for place, each in enumerate(state.seats) if each.out)


def side(state: State) -> tuple[int, ...]:
    """The living seats whose turn it is."""
    return (state.active,) if state.boss is None else living(state)


def clockwise(state: State, seat: int) -> tuple[int, ...]:
    """All seats, from `seat` on."""
    return (*range(seat, len(state.seats)), *range(seat))


def opponents(state: State, seat: int) -> tuple[int, ...]:
    """The living ones, clockwise; in a scenario there are none. Rules: SR-53, SR-61."""
    if state.boss is not None:
        return ()
    return tuple(s for s in clockwise(state, seat)[1:] if not state.seats[s].out)


def is_base(box: Box, copy: str) -> bool:
    return box.of[copy].type is Kind.BASE


def in_play_of(own: Seat, copy: str) -> InPlay | None:
    return next((each for each in own.in_play if each.card == copy), None)


def with_in_play(own: Seat, changed: InPlay) -> tuple[InPlay, ...]:
    return tuple(changed if each.card == changed.card else each for each in own.in_play)


def face(box: Box, each: InPlay | Played) -> Card:
    """The card whose abilities it has: its own, or the one it copies. Rules: SR-35."""
    return box.of[each.card] if each.copied is None else box.kinds[each.copied]


def has_faction(box: Box, each: InPlay | Played, faction: Faction) -> bool:
    """Rules: SR-35, SR-39."""
    if box.of[each.card].faction is faction or each.chosen_faction is faction:
        return True
    return each.copied is not None and box.kinds[each.copied].faction is faction


def marks_kept(own: Seat, gone: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """The marks without those of cards that leave hand and deck."""
    if not own.seen and not own.counted:
        return {}
    left = set(gone)
    return {
        "seen": tuple(copy for copy in own.seen if copy not in left),
        "counted": tuple(copy for copy in own.counted if copy not in left),
    }


def may_see(state: State, viewer: int, seat: int) -> bool:
    """Whether a viewer sees the hand and the gambits of a seat. Rules: SR-09, R-19."""
    if viewer == seat:
        return True
    return viewer >= 0 and state.boss is not None and state.options.share_hands
