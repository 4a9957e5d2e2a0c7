"""The options, the state of a match, its opening, and small steps to the next state."""

from collections.abc import Iterable
from enum import StrEnum
from typing import Annotated, Final, TypeVar

import msgspec
from msgspec.structs import replace

from games.ave_cesar.agenda import AnyStep
from games.ave_cesar.characters import CHARACTERS, Character
from games.ave_cesar.deck import Deck
from games.core.game import OptionsRefused, Seat

SEATS: Final = (4, 5, 6, 7)  # AV-01
NOBODY: Final = -1
LIMITS: Final = range(1, 1001)

T = TypeVar("T")


class FourPlayerDiscard(StrEnum):
    FIRST_THREE = "first_three"
    STARTING_PLAYER_ONLY = "starting_player_only"


class HarvestBy(StrEnum):
    ONE_PER_BUILDING = "one_per_building"
    ALL = "all"


class DiscardPile(StrEnum):
    FACE_DOWN = "face_down"
    FACE_UP = "face_up"


class Phase(StrEnum):
    SETUP = "setup"
    DRAFT = "draft"
    CONSTRUCTION = "construction"
    OVER = "over"


class Ending(StrEnum):
    CITY_COMPLETE = "city_complete"
    ROUND_LIMIT = "round_limit"


class PlotStatus(StrEnum):
    WAITING = "waiting"  # the victim is not called yet
    PLAYED = "played"
    LOST = "lost"  # nobody held the victim
    PLAIN = "plain"  # no victim was named


Limit = Annotated[
    int, msgspec.Meta(extra_json_schema={"minimum": LIMITS[0], "maximum": LIMITS[-1]})
]


class Options(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`deck` names the deck the match insists on, `<deck_id>@<version>`; "" is the one in
    use, which event 1 names.

    The limits are shown in the schema; `new` refuses others, with a pointer.
    """

    deck: str = ""
    four_player_discard: FourPlayerDiscard = FourPlayerDiscard.FIRST_THREE
    harvest: HarvestBy = HarvestBy.ONE_PER_BUILDING
    discard_pile: DiscardPile = DiscardPile.FACE_DOWN
    score_token_limit: Limit | None = None
    influence_zero_scores: bool = True
    round_limit: Limit | None = None


class Building(msgspec.Struct, frozen=True):
    """In a city; the card sown first is the first."""

    card: str
    sown: tuple[str, ...] = ()


class Project(msgspec.Struct, frozen=True):
    """A building that has been announced and is not paid for yet."""

    seat: Seat
    card: str
    cost: int


class Assassin(msgspec.Struct, frozen=True):
    seat: Seat
    status: PlotStatus
    victim: Character | None = None


class Spy(msgspec.Struct, frozen=True):
    seat: Seat
    target: Character


class State(msgspec.Struct, frozen=True):
    """Hands hold cards in the order in which they came; in the setup the four that were dealt.

    `deck` is top first; the order of `discard` has no meaning. `kept` are the sealed answers of the
    setup. `shuffle` are the characters of the round as drawn, the first ones set aside; `leader`
    picks first; the i-th of `face_up` was discarded by the i-th seat to pick. `call` is the number
    of the last character called. NOBODY stands for no seat.
    """

    options: Options
    phase: Phase
    deck: tuple[str, ...]
    discard: tuple[str, ...]
    hands: tuple[tuple[str, ...], ...]
    cities: tuple[tuple[Building, ...], ...]
    points: tuple[int, ...]
    kept: tuple[tuple[str, ...], ...]
    picks: tuple[Character | None, ...]
    sp: Seat = NOBODY
    token: Seat = NOBODY
    round: int = 1
    reshuffles: int = 0
    steps: tuple[AnyStep, ...] = ()
    leader: Seat = NOBODY
    shuffle: tuple[Character, ...] = ()
    face_up: tuple[Character, ...] = ()
    call: int = 0
    assassin: Assassin | None = None
    spy: Spy | None = None
    actor: Seat = NOBODY
    ability: Character | None = None
    ability_used: bool = False
    builds_left: int = 0
    project: Project | None = None
    looked_at: tuple[str, ...] = ()
    ending: Ending | None = None

    @property
    def seats(self) -> int:
        return len(self.hands)


def complete(deck: Deck, options: Options) -> Options:
    """With the deck by its name. Rules: AV-201."""
    return options if options.deck else replace(options, deck=deck.reference)


def new(deck: Deck, options: Options, seats: int) -> State:
    """The deck unshuffled. Raises: OptionsRefused. Rules: AV-01, AV-14."""
    if seats not in SEATS:
        raise OptionsRefused("/seats", f"the game is for {SEATS[0]} to {SEATS[-1]}")
    if options.deck not in ("", deck.reference):
        raise OptionsRefused("/deck", f"the deck in use is {deck.reference}")
    for name in ("score_token_limit", "round_limit"):
        limit = getattr(options, name)
        if limit is not None and limit not in LIMITS:
            raise OptionsRefused(f"/{name}", f"not {LIMITS[0]} to {LIMITS[-1]}")
    nothing: tuple[tuple[str, ...], ...] = ((),) * seats
    return State(
        options=options,
        phase=Phase.SETUP,
        deck=deck.cards,
        discard=(),
        hands=nothing,
        cities=((),) * seats,
        points=(0,) * seats,
        kept=nothing,
        picks=(None,) * seats,
    )


def put(values: tuple[T, ...], seat: Seat, value: T) -> tuple[T, ...]:
    return (*values[:seat], value, *values[seat + 1 :])


def left_of(state: State, seat: Seat) -> Seat:
    """Rules: AV-06."""
    return (seat + 1) % state.seats


def neighbours(state: State, seat: Seat) -> tuple[Seat, Seat]:
    """Left, then right. Rules: AV-06."""
    seats = state.seats
    return (seat + 1) % seats, (seat - 1) % seats


def holder(state: State, character: Character) -> Seat:
    """Who has drafted it, or NOBODY."""
    return state.picks.index(character) if character in state.picks else NOBODY


def revealed(state: State, seat: Seat) -> Character | None:
    """The character of a seat that has been called. Rules: AV-29, AV-41."""
    pick = state.picks[seat]
    return pick if pick in CHARACTERS[: state.call] else None


def has_cards(state: State) -> bool:
    """Whether a card can be had. Rules: AV-150."""
    return bool(state.deck or state.discard)


def without(cards: tuple[str, ...], gone: Iterable[str]) -> tuple[str, ...]:
    lost = set(gone)
    return tuple(card for card in cards if card not in lost)


def with_hand(state: State, seat: Seat, hand: tuple[str, ...]) -> State:
    return replace(state, hands=put(state.hands, seat, hand))


def handed(state: State, giver: Seat, receiver: Seat, cards: tuple[str, ...]) -> State:
    """Cards from one hand into another."""
    hands = put(state.hands, giver, without(state.hands[giver], cards))
    return replace(state, hands=put(hands, receiver, (*hands[receiver], *cards)))


def might(deck: Deck, state: State, seat: Seat) -> int:
    return sum(deck.kind_of[each.card].might for each in state.cities[seat])


def influence(deck: Deck, state: State, seat: Seat) -> int:
    return sum(deck.kind_of[each.card].influence for each in state.cities[seat])


def sowing(deck: Deck, state: State, seat: Seat) -> int:
    return sum(deck.kind_of[each.card].sowing for each in state.cities[seat])
