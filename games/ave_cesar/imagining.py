"""A state that looks to a viewer as the true one does, made from the view alone."""

from collections.abc import Sequence
from random import Random
from typing import Final

from msgspec.structs import replace

from games.ave_cesar.agenda import Actions, AnyStep, TurnOf
from games.ave_cesar.characters import CHARACTERS, Character
from games.ave_cesar.deck import Deck
from games.ave_cesar.drafting import discarder_count
from games.ave_cesar.resampling import resample
from games.ave_cesar.setting_up import KEPT
from games.ave_cesar.state import NOBODY, Building, Options, Phase, PlotStatus, State
from games.ave_cesar.view import OwnView, View
from games.core.game import Asked, Viewer

_KINDS: Final = ("setup_keep", "draft_pick", "draft_discard", "action")


def imagine(deck: Deck, options: Options, view: View, viewer: Viewer, asked: Asked) -> State | None:
    """None while a step of a turn is under way: what follows it is in no view."""
    if asked.kind not in _KINDS:
        return None
    hidden = _hidden_cards(deck, view)

    def dealt(count: int) -> tuple[str, ...]:
        return tuple(hidden.pop() for _ in range(count))

    hands = tuple(
        view.own.hand if view.own is not None and seat == viewer else dealt(line.hand_count)
        for seat, line in enumerate(view.seats)
    )
    turn = view.turn
    state = State(
        options=options,
        phase=view.phase,
        deck=dealt(view.deck_count),
        discard=dealt(view.discard_count) if view.discard is None else view.discard,
        hands=hands,
        cities=tuple(
            tuple(Building(each.card, dealt(each.sown_count)) for each in line.city)
            for line in view.seats
        ),
        points=tuple(line.points for line in view.seats),
        kept=_kept(view, viewer, asked, hands),
        picks=(None,) * len(view.seats),
        sp=NOBODY if view.sp is None else view.sp,
        token=NOBODY if view.token is None else view.token,
        round=view.round,
        reshuffles=view.reshuffles,
        steps=_steps(view),
        face_up=view.draft.face_up if view.draft is not None else (),
        call=len(view.calls),
        assassin=view.assassin,
        spy=view.spy,
        actor=NOBODY if turn is None else turn.actor,
        ability=None if turn is None else turn.ability,
        ability_used=turn is not None and turn.ability_used,
        builds_left=0 if turn is None else turn.builds_left,
    )
    drafted = _drafted(state, view, viewer)
    return resample(deck, drafted, viewer, Random(0))  # noqa: S311 - always the same world


def _hidden_cards(deck: Deck, view: View) -> list[str]:
    """The cards that the view does not place."""
    shown = {each.card for line in view.seats for each in line.city}
    shown.update(view.discard or ())
    if view.own is not None:
        shown.update(view.own.hand)
    return [card for card in deck.cards if card not in shown]


def _kept(
    view: View, viewer: Viewer, asked: Asked, hands: Sequence[tuple[str, ...]]
) -> tuple[tuple[str, ...], ...]:
    if view.phase is not Phase.SETUP:
        return ((),) * len(hands)
    kept = [() if seat in asked.seats else hand[:KEPT] for seat, hand in enumerate(hands)]
    if view.own is not None:
        kept[viewer] = view.own.kept or ()
    return tuple(kept)


def _steps(view: View) -> tuple[AnyStep, ...]:
    """The actions of a turn, and the victim's own turn behind that of its Assassin."""
    turn, plot = view.turn, view.assassin
    if turn is None:
        return ()
    if plot is None or plot.status is not PlotStatus.PLAYED or turn.ability is not plot.victim:
        return (Actions(),)
    (victim,) = (call.seat for call in view.calls if call.character is plot.victim)
    assert victim is not None
    is_now = view.calls[-1].character is plot.victim and turn.actor == plot.seat
    return (Actions(), TurnOf(victim, None)) if is_now else (Actions(),)


def _drafted(state: State, view: View, viewer: Viewer) -> State:
    """With a draft in which the viewer chose from what it did; the rest is for `resample`."""
    if view.draft is None:
        return state
    own, count = view.own, view.draft.set_aside_count
    picks = [line.character for line in view.seats]
    leader, place, gone = state.sp, 0, list[Character]()
    aside: tuple[Character, ...] = ()
    if own is not None and own.choices:
        place = _place(state, own, count)
        leader = (viewer - place) % state.seats
        earlier = [picks[(leader + step) % state.seats] for step in range(place)]
        known = (*own.choices, *state.face_up[:place], *earlier)
        # What was gone when the viewer chose went to those before it, or was set aside.
        gone, aside = [each for each in CHARACTERS if each not in known], own.set_aside
    if own is not None:
        picks[viewer] = own.character
    # A character that was called and is nobody's was picked by nobody.
    free = [each for each in CHARACTERS[state.call :] if each not in (*picks, *state.face_up)]
    for step in range(state.seats):
        seat = (leader + step) % state.seats
        if view.seats[seat].has_picked and picks[seat] is None:
            fits = [each for each in free if (each in gone) is (step < place)]
            pick = (fits or free)[0]  # The last one may take what was set aside.
            picks[seat] = pick
            free.remove(pick)
    left = [each for each in CHARACTERS if each not in (*picks, *state.face_up)]
    if gone and not aside:
        earlier = [picks[(leader + step) % state.seats] for step in range(place)]
        left = [each for each in gone if each not in earlier]
    aside = aside or tuple(sorted(left, key=lambda each: each in free)[:count])
    rest = tuple(each for each in CHARACTERS if each not in aside)
    return replace(state, leader=leader, picks=tuple(picks), shuffle=aside + rest)


def _place(state: State, own: OwnView, aside_count: int) -> int:
    """When the viewer picked, by how many it could choose from. Rules: AV-24, AV-27, AV-28."""
    for place in range(state.seats):
        is_shown = bool(own.set_aside)
        gone = place + min(place, discarder_count(state)) + (0 if is_shown else aside_count)
        if len(own.choices) == len(CHARACTERS) - gone and (
            not is_shown or place == state.seats - 1
        ):
            return place
    raise AssertionError(own.choices)
