"""Who knows what: the view of a viewer and the steps it saw; `resampling.py` has the rest."""

import msgspec

from games.core.game import CHANCE, Seen
from games.core.moves import Wire, wire_move
from games.star_realms import moves, scoring
from games.star_realms.boss import is_last_discard
from games.star_realms.box import Box
from games.star_realms.effects import AllDiscard
from games.star_realms.opening import is_last_reveal
from games.star_realms.state import (
    NOBODY,
    TEAM,
    Ending,
    InPlay,
    Options,
    Played,
    Redirects,
    Seat,
    State,
    may_see,
)


class KnownCard(msgspec.Struct, frozen=True):
    """A card in a deck that the viewer knows; place 0 is the top."""

    place: int
    card: str


class SeatView(msgspec.Struct, frozen=True):
    """Hand and face-down gambits are null for those who may not see them.

    `hand_seen` are cards of the hand that all have seen on top of the deck. `answer` is what one
    has answered oneself while others are still asked. `authority` is null where a team shares it.
    """

    authority: int | None
    alive: bool
    done: bool
    hand_count: int
    hand: tuple[str, ...] | None
    hand_seen: tuple[str, ...]
    deck_count: int
    deck_known: tuple[KnownCard, ...]
    discard: tuple[str, ...]
    in_play: tuple[InPlay, ...]
    played: tuple[Played, ...]
    topdeck: Redirects
    gambits_down_count: int
    gambits_down: tuple[str, ...] | None
    gambits_up: tuple[str, ...]
    answer: tuple[str, ...] | None


class BossView(msgspec.Struct, frozen=True):
    """`facedown` are those that came from the row; the first `unknown` were never seen."""

    authority: int
    combat: int
    facedown_count: int
    unknown: int
    facedown: tuple[str, ...]
    acting: bool


class OutcomeView(msgspec.Struct, frozen=True):
    reason: Ending
    winners: tuple[int, ...]
    ranking: tuple[tuple[int, ...], ...]
    authority: tuple[int, ...]


class View(msgspec.Struct, frozen=True):
    """All a viewer may know of the present.

    `turn` is 0 before the first one; `active` is the seat whose turn it is, null for a team.
    `looked` are unclaimed gambits that the viewer has looked at.
    """

    options: Options
    turn: int
    first: int | None
    active: int | None
    trade: int
    combat: int
    seats: tuple[SeatView, ...]
    team_authority: int | None
    boss: BossView | None
    trade_row: tuple[str | None, ...]
    trade_deck_count: int
    explorer_count: int
    scrap_heap: tuple[str, ...]
    unclaimed_count: int
    looked: tuple[str, ...]
    gambit_scrap: tuple[str, ...]
    outcome: OutcomeView | None


def view(state: State, viewer: int) -> View:
    """Rules: SR-09, SR-16; section 7."""
    looks = state.looker != NOBODY and may_see(state, viewer, state.looker)
    return View(
        options=state.options,
        turn=state.turn,
        first=None if state.first == NOBODY or state.boss is not None else state.first,
        active=state.active if state.active > TEAM else None,
        trade=state.trade,
        combat=state.combat,
        seats=tuple([_seat(state, seat, viewer) for seat in range(len(state.seats))]),
        team_authority=state.team_authority,
        boss=_boss(state),
        trade_row=state.trade_row,
        trade_deck_count=len(state.trade_deck),
        explorer_count=len(state.explorers),
        scrap_heap=state.scrap_heap,
        unclaimed_count=len(state.unclaimed),
        looked=state.looked if looks else (),
        gambit_scrap=state.gambit_scrap,
        outcome=_outcome(state),
    )


def _seat(state: State, seat: int, viewer: int) -> SeatView:
    own, sees = state.seats[seat], may_see(state, viewer, seat)
    return SeatView(
        authority=own.authority if state.team_authority is None else None,
        alive=not own.out,
        done=own.done,
        hand_count=len(own.hand),
        hand=own.hand if sees else None,
        hand_seen=tuple(copy for copy in own.hand if copy in own.seen) if own.seen else (),
        deck_count=len(own.deck),
        deck_known=_known(own, sees),
        discard=own.discard,
        in_play=own.in_play,
        played=own.played,
        topdeck=own.topdeck,
        gambits_down_count=len(own.gambits_down),
        gambits_down=own.gambits_down if sees else None,
        gambits_up=own.gambits_up,
        answer=state.answers[seat] if state.answers and viewer == seat else None,
    )


def _known(own: Seat, sees: bool) -> tuple[KnownCard, ...]:
    if not own.seen and not own.placed:
        return ()
    known = own.seen + own.placed if sees else own.seen
    return tuple(KnownCard(place, copy) for place, copy in enumerate(own.deck) if copy in known)


def _boss(state: State) -> BossView | None:
    if state.boss is None:
        return None
    boss = state.boss
    count = len(boss.hidden) + len(boss.taken)
    return BossView(boss.authority, boss.combat, count, len(boss.hidden), boss.taken, boss.acting)


def _outcome(state: State) -> OutcomeView | None:
    if state.ending is None:
        return None
    ranks = scoring.ranks(state)
    return OutcomeView(
        reason=state.ending,
        winners=tuple(seat for seat, rank in enumerate(ranks) if rank == 1),
        ranking=scoring.ranking(state),
        authority=scoring.authority(state),
    )


def redact(box: Box, before: State, seat: int, move: moves.Move, viewer: int) -> Seen:
    """Section 7, steps as others see them."""
    if seat == CHANCE:
        return _drawn(before, move, viewer)
    top = before.stack[0].do if before.stack else None
    match move:
        case moves.KeepGambit() if not may_see(before, viewer, seat):
            return Seen({**wire_move(move), "gambit": None})
        case moves.RevealOpening() if not is_last_reveal(before):
            return Seen(wire_move(move) if viewer == seat else None)
        case moves.Discard() if isinstance(top, AllDiscard):
            if not is_last_discard(before, top.n):
                return Seen(wire_move(move) if viewer == seat else None)
            return Seen(wire_move(move), _sealed(before, moves.Discard))
        case moves.RevealOpening():
            return Seen(wire_move(move), _sealed(before, moves.RevealOpening))
    return Seen(wire_move(move))


def _drawn(before: State, move: moves.Move, viewer: int) -> Seen:
    match move:
        case moves.FirstPlayer():
            return Seen(wire_move(move))
        case moves.RandomHandCard():
            if may_see(before, viewer, before.stack[0].seat):
                return Seen(wire_move(move))
            return Seen({**wire_move(move), "card": None})
    return Seen(None)


def _sealed(
    before: State, kind: type[moves.RevealOpening] | type[moves.Discard]
) -> tuple[tuple[int, Wire], ...]:
    """The answers that others have given before the last one."""
    given = enumerate(before.answers)
    return tuple((seat, wire_move(kind(answer))) for seat, answer in given if answer is not None)
