"""The options, the state of a match, its opening, and the small steps that change coins and cards.

Characters in a hand, in the cast and in every option stand in alphabetical order, so that no
place tells when a card arrived.
"""

from collections.abc import Iterable
from enum import StrEnum
from typing import Annotated, Final, Literal, TypeVar

import msgspec
from msgspec.structs import replace

from games.ambition_characters.characters import Character, PartName, Roster
from games.core.game import CHANCE, OptionsRefused

COINS: Final = 45
GOAL: Final = 10  # coins that win
ROUNDS_MOST: Final = 500

# Values of `State.asked` besides a seat and CHANCE.
NOBODY: Final = -2  # a phase, or a turn in it, is to begin
EVERYBODY: Final = -3

T = TypeVar("T")


class SilenceScope(StrEnum):
    ALL_NAMING = "all_naming"
    FAQ_ONLY = "faq_only"


def _range(low: int, high: int) -> msgspec.Meta:
    """Shown in the schema; `new` refuses, with a pointer."""
    return msgspec.Meta(extra_json_schema={"minimum": low, "maximum": high})


class Options(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    strange_allies: bool = True
    extended_players: bool = False
    removed_cards: Annotated[int, _range(1, 3)] = 1
    first_player: int | Literal["random"] = "random"
    optional_powers: bool = True
    silence_scope: SilenceScope = SilenceScope.ALL_NAMING
    table_talk: bool = True
    round_limit: Annotated[int, _range(1, ROUNDS_MOST)] | None = None


class Phase(StrEnum):
    SET_UP = "set_up"
    RECRUIT = "recruit"
    PASS = "pass"  # noqa: S105 - a phase
    PLAY = "play"
    BLOCK = "block"
    ACT = "act"


class Acted(StrEnum):
    NOT_YET = "not_yet"
    ACTIVATED = "activated"
    DECLINED = "declined"
    NO_LIVE_CARD = "no_live_card"


class Source(StrEnum):
    """The answer by which a seat committed its live card; which of them is public."""

    CHOSEN = "chosen"  # a `choose_live`
    REPLACED = "replaced"  # an asked `replace_live`
    FORCED = "forced"  # the only reserve card, exchanged without asking


class Place(StrEnum):
    HAND = "hand"
    LIVE = "live"


class Ending(StrEnum):
    TEN_COINS = "ten_coins"
    ROUND_LIMIT = "round_limit"


class Question(StrEnum):
    """What a power under way waits for; the values are kinds of decisions, and the draws."""

    NAME_VICTIM = "name_victim"
    NAME_BLOCK = "name_block"
    KEEP = "keep"
    STEAL = "steal"
    BREAK_ALLIANCE = "break_alliance"
    ALLY = "ally"
    GIFT = "gift"
    ACCEPT = "accept"
    CURSE = "curse"
    REPLACE_LIVE = "replace_live"
    SILENCE = "silence"
    SWAP = "swap"
    REDEAL = "redeal"


class Removed(msgspec.Struct, frozen=True):
    character: Character
    seat: int  # that lost it
    place: Place


class Blocked(msgspec.Struct, frozen=True):
    character: Character
    seat: int  # that named it


class Silenced(msgspec.Struct, frozen=True):
    seat: int
    creditor: int
    paid: bool = False


class Payout(msgspec.Struct, frozen=True):
    seat: int
    card: Character  # the activated card that carries it


class Power(msgspec.Struct, frozen=True):
    """A power under way."""

    seat: int
    card: Character  # the activated card
    owner: Character  # whose power it is: the card's own character or its ally
    skipped: tuple[PartName, ...]
    todo: tuple[PartName, ...]  # the part being carried out comes first
    question: Question | None = None
    drawn: Character | None = None  # the Actor's drawn card, while `keep` is open
    times: int = 0  # coins still to steal


class State(msgspec.Struct, frozen=True):
    """Tuples are by seat where a seat can have one; `asked` is whom the match waits for."""

    options: Options
    cast: tuple[Character, ...]
    phase: Phase
    asked: int
    round: int
    scarab: int  # NOBODY until drawn
    coins: tuple[int, ...]
    hands: tuple[tuple[Character, ...], ...]  # without the live card
    live: tuple[Character | None, ...]
    face_up: tuple[bool, ...]
    sources: tuple[Source, ...]
    acted: tuple[Acted, ...]
    chosen: tuple[Character | None, ...]  # sealed, still in the hand
    deck: tuple[Character, ...]  # the top first; the whole cast until dealt
    set_aside: tuple[Character, ...] = ()
    standin: tuple[Character, ...] = ()  # AC-16, read by the fallback alone
    removed: tuple[Removed, ...] = ()
    blocked: tuple[Blocked, ...] = ()
    alliances: tuple[str, ...] = ()  # "A+B", sorted
    sneak: int = NOBODY  # the seat that has the Sneak token
    sneak_placed: bool = False  # it lies on the live card
    silence: Silenced | None = None
    payouts: tuple[Payout, ...] = ()
    activated_count: int = 0
    first_passed: Character | None = None
    power: Power | None = None
    ending: Ending | None = None


def new(roster: Roster, options: Options, seats: int) -> State:
    """Raises: OptionsRefused. Rules: AC-01, AC-02, AC-14."""
    _check(options, seats)
    cast = roster.cast(options.strange_allies, seats)
    first = options.first_player
    return State(
        options=options,
        cast=cast,
        phase=Phase.SET_UP,
        asked=CHANCE,
        round=1,
        scarab=first if isinstance(first, int) else NOBODY,
        coins=(0,) * seats,
        hands=((),) * seats,
        live=(None,) * seats,
        face_up=(False,) * seats,
        sources=(Source.CHOSEN,) * seats,
        acted=(Acted.NOT_YET,) * seats,
        chosen=(None,) * seats,
        deck=cast,
    )


def _check(options: Options, seats: int) -> None:
    most = 6 if options.extended_players else 4
    if not 2 <= seats <= most:
        raise OptionsRefused("/seats", f"2 to {most} seats")
    if seats > 4 and not options.strange_allies:
        raise OptionsRefused("/strange_allies", "more than 4 seats need the Strange Allies")
    if not _is_whole(options.removed_cards, 1, 3):
        raise OptionsRefused("/removed_cards", "1, 2 or 3")
    if options.first_player != "random" and not _is_whole(options.first_player, 0, seats - 1):
        raise OptionsRefused("/first_player", f'"random" or a seat from 0 to {seats - 1}')
    if options.round_limit is not None and not _is_whole(options.round_limit, 1, ROUNDS_MOST):
        raise OptionsRefused("/round_limit", f"none, or 1 to {ROUNDS_MOST}")
    for name in ("strange_allies", "extended_players", "optional_powers", "table_talk"):
        if type(getattr(options, name)) is not bool:
            raise OptionsRefused(f"/{name}", "true or false")
    if not isinstance(options.silence_scope, SilenceScope):
        raise OptionsRefused("/silence_scope", '"all_naming" or "faq_only"')


def _is_whole(value: object, low: int, high: int) -> bool:
    return type(value) is int and low <= value <= high


def put(row: tuple[T, ...], seat: int, value: T) -> tuple[T, ...]:
    """`row` with `value` at the place of `seat`."""
    return (*row[:seat], value, *row[seat + 1 :])


def with_card(hand: Iterable[Character], card: Character) -> tuple[Character, ...]:
    return tuple(sorted((*hand, card)))


def without(hand: tuple[Character, ...], card: Character) -> tuple[Character, ...]:
    place = hand.index(card)
    return hand[:place] + hand[place + 1 :]


def supply(state: State) -> int:
    return COINS - sum(state.coins)


def clockwise(state: State, seat: int) -> tuple[int, ...]:
    """All seats from `seat` on."""
    count = len(state.coins)
    return (*range(seat, count), *range(seat))


def others(state: State, seat: int) -> tuple[int, ...]:
    return tuple(each for each in range(len(state.coins)) if each != seat)


def left_of(state: State, seat: int) -> int:
    return (seat + 1) % len(state.coins)


def is_late(state: State) -> bool:
    """Rules: AC-63."""
    return not state.deck


def gain(state: State, seat: int, amount: int) -> State:
    """Coins from the supply, as far as it goes; ten end the match. Rules: AC-03 to AC-05."""
    total = state.coins[seat] + min(amount, supply(state))
    ending = Ending.TEN_COINS if total >= GOAL else state.ending
    return replace(state, coins=put(state.coins, seat, total), ending=ending)


def pay(state: State, seat: int, amount: int) -> State:
    """Coins to the supply; the seat must own them."""
    return replace(state, coins=put(state.coins, seat, state.coins[seat] - amount))


def hand_over(state: State, giver: int, taker: int) -> State:
    """One coin from seat to seat, if the giver owns one. Rules: AC-03, AC-06."""
    if state.coins[giver] == 0:
        return state
    return gain(pay(state, giver, 1), taker, 1)


def draw_top(state: State, seat: int) -> State:
    """The top card goes to the hand; nothing with an empty deck. Rules: AC-19, AC-114, AC-165."""
    if not state.deck:
        return state
    hand = with_card(state.hands[seat], state.deck[0])
    return replace(state, hands=put(state.hands, seat, hand), deck=state.deck[1:])
