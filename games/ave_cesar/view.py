"""Who knows what: the view of a viewer, and the steps it saw. `resampling.py` has the rest."""

import msgspec

from games.ave_cesar import acting, answers, drafting, scoring, setting_up
from games.ave_cesar.characters import CHARACTERS, Character
from games.ave_cesar.deck import Deck
from games.ave_cesar.moves import (
    Give,
    Keep,
    KeepLooked,
    Move,
    Pay,
    Pick,
    Reshuffle,
    ShuffleCharacters,
    ShuffleDeck,
    Steal,
    Take,
)
from games.ave_cesar.scoring import SeatScore
from games.ave_cesar.state import (
    NOBODY,
    Assassin,
    DiscardPile,
    Ending,
    Options,
    Phase,
    Project,
    Spy,
    State,
    holder,
    influence,
    might,
    revealed,
    sowing,
)
from games.core.game import Seat, Seen, Viewer
from games.core.moves import wire_move


class DeckView(msgspec.Struct, frozen=True):
    """Which deck is used; the record of the match names its digest."""

    deck_id: str
    version: str
    reconstructed: bool


class BuildingView(msgspec.Struct, frozen=True):
    card: str
    sown_count: int


class SeatView(msgspec.Struct, frozen=True):
    """What all know of a seat; `character` once it has been called."""

    hand_count: int
    city: tuple[BuildingView, ...]
    points: int
    might: int
    influence: int
    sowing: int
    has_picked: bool
    character: Character | None


class DraftView(msgspec.Struct, frozen=True):
    """What all know of the characters of a round.

    `pool_count` are those being passed on; when all have picked, they and those set aside that
    nobody took are the `face_down_count`.
    """

    set_aside_count: int
    pool_count: int
    face_down_count: int
    face_up: tuple[Character, ...]
    on_turn: Seat | None


class CallView(msgspec.Struct, frozen=True):
    """A character that has been called; `seat` is None if nobody holds it."""

    character: Character
    seat: Seat | None


class TurnView(msgspec.Struct, frozen=True):
    actor: Seat
    ability: Character | None
    ability_used: bool
    builds_left: int
    project: Project | None  # the building that is being paid for
    looked_at_count: int


class PendingView(msgspec.Struct, frozen=True):
    """The open decision: what kind of thing is asked, and of whom."""

    kind: str
    seats: tuple[Seat, ...]


class ShownHand(msgspec.Struct, frozen=True):
    """Another's hand, while a card may be taken from it."""

    seat: Seat
    cards: tuple[str, ...]


class OwnView(msgspec.Struct, frozen=True):
    """What a seat knows besides. Cards stand in canonical order, characters by number.

    `hand` are in the setup the four cards dealt and `kept` those chosen, until all have chosen.
    `choices` is what the seat could pick from in this round; `set_aside` those of them that had
    been set aside, where it was shown that.
    """

    hand: tuple[str, ...]
    kept: tuple[str, ...] | None
    character: Character | None
    choices: tuple[Character, ...]
    set_aside: tuple[Character, ...]
    looked_at: tuple[str, ...]
    shown_hand: ShownHand | None


class OutcomeView(msgspec.Struct, frozen=True):
    end_reason: Ending
    winners: tuple[Seat, ...]
    table: tuple[SeatScore, ...]


class View(msgspec.Struct, frozen=True):
    """`discard` is None while the pile is face down."""

    options: Options
    deck: DeckView
    round: int
    phase: Phase
    sp: Seat | None
    token: Seat | None
    deck_count: int
    discard_count: int
    discard: tuple[str, ...] | None
    reshuffles: int
    seats: tuple[SeatView, ...]
    draft: DraftView | None
    calls: tuple[CallView, ...]
    assassin: Assassin | None
    spy: Spy | None
    turn: TurnView | None
    pending: PendingView | None
    outcome: OutcomeView | None
    own: OwnView | None  # None for spectators


def view(deck: Deck, state: State, viewer: Viewer) -> View:
    """Rules: AV-190, AV-191, AV-192, AV-193, AV-196, AV-197."""
    return View(
        options=state.options,
        deck=DeckView(deck.deck_id, deck.version, deck.reconstructed),
        round=state.round,
        phase=state.phase,
        sp=_seat_or_none(state.sp),
        token=_seat_or_none(state.token),
        deck_count=len(state.deck),
        discard_count=len(state.discard),
        discard=deck.sorted(state.discard) if _is_pile_shown(state) else None,
        reshuffles=state.reshuffles,
        seats=tuple(_seat(deck, state, seat) for seat in range(state.seats)),
        draft=_draft(state),
        calls=_calls(state),
        assassin=state.assassin,
        spy=state.spy,
        turn=_turn(state),
        pending=_pending(state),
        outcome=_outcome(deck, state),
        own=_own(deck, state, viewer) if viewer >= 0 else None,
    )


def redact(before: State, seat: Seat, move: Move, viewer: Viewer) -> Seen:
    """Rules: AV-192, AV-194, AV-196, AV-197."""
    wire = wire_move(move)
    match move:
        case ShuffleDeck(cards=picks) | Reshuffle(cards=picks):
            return Seen({**wire, "cards": [None] * len(picks)})
        case ShuffleCharacters(characters=order):
            return Seen({**wire, "characters": [None] * len(order)})
        case Pick() if viewer != seat:
            return Seen({**wire, "character": None})
        case Keep(cards=picks) | KeepLooked(cards=picks) if viewer != seat:
            return Seen({**wire, "cards": [None] * len(picks)})
        case Pay(cards=picks) if (
            viewer != seat and before.options.discard_pile is DiscardPile.FACE_DOWN
        ):
            return Seen({**wire, "cards": [None] * len(picks)})
        case Steal(cards=picks) if viewer not in (seat, answers.shown_hand(before)):
            return Seen({**wire, "cards": [None] * len(picks)})
        case Take() if viewer not in (seat, answers.shown_hand(before)):
            return Seen({**wire, "card": None})
        case Give() if viewer not in (seat, before.actor):
            return Seen({**wire, "card": None})
    return Seen(wire)


def _is_pile_shown(state: State) -> bool:
    return state.options.discard_pile is DiscardPile.FACE_UP


def _seat_or_none(seat: Seat) -> Seat | None:
    return None if seat == NOBODY else seat


def _seat(deck: Deck, state: State, seat: Seat) -> SeatView:
    return SeatView(
        hand_count=len(state.hands[seat]),
        city=tuple(BuildingView(each.card, len(each.sown)) for each in state.cities[seat]),
        points=state.points[seat],
        might=might(deck, state, seat),
        influence=influence(deck, state, seat),
        sowing=sowing(deck, state, seat),
        has_picked=state.picks[seat] is not None,
        character=revealed(state, seat),
    )


def _draft(state: State) -> DraftView | None:
    if not state.shuffle:
        return None
    is_open = state.phase is Phase.DRAFT
    return DraftView(
        set_aside_count=len(drafting.set_aside(state)),
        pool_count=len(CHARACTERS)
        - len(drafting.set_aside(state))
        - len(state.face_up)
        - (state.seats - state.picks.count(None))
        if is_open
        else 0,
        face_down_count=0 if is_open else len(drafting.face_down(state)),
        face_up=state.face_up,
        on_turn=drafting.asked(state) if is_open else None,
    )


def _calls(state: State) -> tuple[CallView, ...]:
    return tuple(
        CallView(each, _seat_or_none(holder(state, each))) for each in CHARACTERS[: state.call]
    )


def _turn(state: State) -> TurnView | None:
    if state.actor == NOBODY:
        return None
    return TurnView(
        actor=state.actor,
        ability=state.ability,
        ability_used=state.ability_used,
        builds_left=state.builds_left,
        project=state.project,
        looked_at_count=len(state.looked_at),
    )


def _pending(state: State) -> PendingView | None:
    match state.phase:
        case Phase.SETUP if setting_up.is_dealt(state):
            return PendingView("setup_keep", setting_up.asked(state))
        case Phase.DRAFT if state.shuffle:
            kind = "draft_discard" if drafting.is_discarding(state) else "draft_pick"
            return PendingView(kind, (drafting.asked(state),))
        case Phase.CONSTRUCTION if asked := acting.asked(state):
            return PendingView(asked[0], (asked[1],))
    return None


def _outcome(deck: Deck, state: State) -> OutcomeView | None:
    if state.ending is None:
        return None
    table = scoring.scores(deck, state)
    winners = tuple(seat for seat, each in enumerate(table) if each.rank == 1)
    return OutcomeView(state.ending, winners, table)


def _own(deck: Deck, state: State, seat: Seat) -> OwnView:
    has_seen = drafting.has_chosen_from(state, seat)
    is_shown = has_seen and drafting.is_shown_set_aside(state, seat)
    return OwnView(
        hand=deck.sorted(state.hands[seat]),
        kept=state.kept[seat] or None,
        character=state.picks[seat],
        choices=drafting.choices(state, seat) if has_seen else (),
        set_aside=drafting.set_aside(state) if is_shown else (),
        looked_at=deck.sorted(state.looked_at) if seat == state.actor else (),
        shown_hand=_shown_hand(deck, state, seat),
    )


def _shown_hand(deck: Deck, state: State, seat: Seat) -> ShownHand | None:
    victim = answers.shown_hand(state)
    if victim is None or answers.asked(state)[1] != seat:
        return None
    return ShownHand(victim, deck.sorted(state.hands[victim]))
