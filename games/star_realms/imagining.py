"""A state that looks to a viewer as the true one does, made from the view alone.

A view says how many cards lie hidden in hand and deck of a seat, not which: that is history. So a
seat is taken to have what it started with, as far as that lies nowhere else, and then anything.
"""

from collections.abc import Iterable
from random import Random

from msgspec.structs import replace

from games.core.game import Asked
from games.star_realms.box import Box
from games.star_realms.opening import USUAL_GAMBITS
from games.star_realms.playing import MAIN_PHASE
from games.star_realms.resampling import resample
from games.star_realms.state import NOBODY, TEAM, Boss, Options, Seat, State
from games.star_realms.view import SeatView, View


def imagine(box: Box, options: Options, view: View, viewer: int, asked: Asked) -> State | None:
    """None while something is to be done first: what else waits behind it is in no view."""
    if asked.kind != MAIN_PHASE:
        return None
    hidden = _Hidden(box, options, view)
    seats = [_seat(hidden, seat, own) for seat, own in enumerate(view.seats)]
    boss = None
    if view.boss is not None:
        unknown = hidden.trade_cards(view.boss.unknown)
        taken = view.boss.facedown
        boss = Boss(view.boss.authority, view.boss.combat, unknown, taken, view.boss.acting)
    trade_deck = hidden.trade_cards(view.trade_deck_count)
    unclaimed = view.looked + hidden.gambits(view.unclaimed_count - len(view.looked))
    state = State(
        options=options,
        gambits=_gambits(options, view),
        seats=tuple(_numbered(seats)),
        stack=(),
        trade_deck=trade_deck,
        explorers=box.sorted(hidden.explorers),
        unclaimed=unclaimed,
        boss=boss,
        team_authority=view.team_authority,
        first=(NOBODY if boss is None else 0) if view.first is None else view.first,
        active=TEAM if view.active is None else view.active,
        turn=view.turn,
        trade=view.trade,
        combat=view.combat,
        trade_row=view.trade_row,
        scrap_heap=view.scrap_heap,
        removed=box.sorted(hidden.surplus),
        gambit_scrap=view.gambit_scrap,
        gambits_removed=box.sorted(hidden.gambits(len(hidden.gambits_left))),
        looker=viewer if view.looked else NOBODY,
        looked=view.looked,
    )
    return resample(box, state, viewer, Random(0))  # noqa: S311 - always the same world


class _Hidden:
    """The copies that the view does not place, to be taken from; in any order, but always the same.

    `explorers` and as many trade cards as lie in the deck and with a boss are not in `surplus`.
    """

    def __init__(self, box: Box, options: Options, view: View) -> None:
        shown, rng = set(_shown(view)), Random(0)  # noqa: S311
        decks = options.trade_decks
        self._own = [
            [copy for copy in box.start_of(seat) if copy not in shown]
            for seat in range(len(view.seats))
        ]
        trade = [c for c in box.trade_deck(decks, options.mercenary_cruisers) if c not in shown]
        rng.shuffle(trade)
        explorers = [copy for copy in box.explorers(decks) if copy not in shown]
        kept = view.trade_deck_count + (view.boss.unknown if view.boss else 0)
        self._trade = trade[:kept]
        self.explorers = explorers[: view.explorer_count]
        self.surplus = trade[kept:] + explorers[view.explorer_count :]
        rng.shuffle(self.surplus)
        for own, line in zip(self._own, view.seats, strict=True):
            if not line.alive:
                self.surplus[:0] = own  # Taken last of all: they were removed.
        self.gambits_left = _hidden_gambits(box, options, view)

    def of_seat(self, seat: int, count: int) -> list[str]:
        own = self._own[seat]
        taken = [own.pop() for _ in range(min(count, len(own)))]
        return taken + [self.surplus.pop() for _ in range(count - len(taken))]

    def trade_cards(self, count: int) -> tuple[str, ...]:
        return tuple(self._trade.pop() for _ in range(count))

    def gambits(self, count: int) -> tuple[str, ...]:
        return tuple(self.gambits_left.pop() for _ in range(count))


def _shown(view: View) -> Iterable[str]:
    yield from (copy for copy in view.trade_row if copy is not None)
    yield from view.scrap_heap
    yield from view.boss.facedown if view.boss is not None else ()
    for own in view.seats:
        yield from own.hand_seen if own.hand is None else own.hand
        yield from (each.card for each in own.deck_known)
        yield from own.discard
        yield from (each.card for each in own.in_play)


def _hidden_gambits(box: Box, options: Options, view: View) -> list[str]:
    if not _gambits(options, view):
        return []
    shown = {*view.gambit_scrap, *view.looked}
    for own in view.seats:
        shown.update(own.gambits_up + (own.gambits_down or ()))
    return [each for each in box.all_gambits() if each not in shown]


def _gambits(options: Options, view: View) -> int:
    """Rules: SR-08."""
    if options.gambits_per_player is not None:
        return options.gambits_per_player
    return USUAL_GAMBITS if view.boss is None else 0


def _seat(hidden: _Hidden, seat: int, own: SeatView) -> Seat:
    known = {each.place: each.card for each in own.deck_known}
    hand = own.hand_seen if own.hand is None else own.hand
    missing = own.hand_count - len(hand) if own.hand is None else 0
    fresh = hidden.of_seat(seat, missing + own.deck_count - len(known))
    hand += tuple(fresh.pop() for _ in range(missing))
    deck = tuple(known[p] if p in known else fresh.pop() for p in range(own.deck_count))
    down = own.gambits_down
    if down is None:
        down = hidden.gambits(own.gambits_down_count)
    return Seat(
        authority=own.authority or 0,
        out=int(not own.alive),
        done=own.done,
        deck=deck,
        hand=hand,
        discard=own.discard,
        in_play=own.in_play,
        played=own.played,
        topdeck=own.topdeck,
        shuffles=1,
        gambits_held=down + own.gambits_up,
        gambits_down=down,
        gambits_up=own.gambits_up,
        seen=own.hand_seen + tuple(known.values()),
    )


def _numbered(seats: list[Seat]) -> Iterable[Seat]:
    """With an order of elimination, which no view tells before the end."""
    out = 0
    for own in seats:
        out += own.out
        yield replace(own, out=out) if own.out else own
