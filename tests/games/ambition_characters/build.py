"""Matches from compact text in the rulebook's words: positions, moves, facts.

`given` lists a position, separated by `;`. Defaults: three seats, Strange Allies, all options
default, scarab with seat 0, round 5, no coins, no block, alliance, removed card or silence, the
Sneak token in the supply. `base` is without Strange Allies. `S1 [KING] SPY, ACTOR` is seat 1 with
the face-down live card KING and the reserve SPY, ACTOR; without brackets a plain hand. `down X` is
set aside, `dead X` removed; `dead rest` removes all cards not named, and the deck is empty or what
`deck` lists, top first. Without `deck` the deck is all cards not named, in alphabetical order.
`recruit`, `pass`, `play`, `block`, `act` is the phase, at its first decision or at `turn k` (the
seats before have declined). Further: `allied A+B`, `blocked A`, `sneak pending 1`, `sneak on 0`,
`silence 1->0` (seat 1 is silenced by seat 0), `opt name=value`, `standin A,B` (first in the
stand-in order).

`when` lists moves, `seat move value`. `activate P skip a,b` uses the power of P without these
parts; `~` gives the draw that follows, other draws come out in the order of their options; `not`
marks a move that is refused and changes nothing.

`then` lists facts: `asked k m` (the kind of decision), `offers k {…}` (all options, an activation
as power/skippable/parts), `has`, `lacks` (some options), `sizes` (hand and live card), `hand`
(other than the live card), `fallback k m v`, `boundary x`, `over` (the seats of rank 1), `ranks`.
"""

import re
from collections.abc import Callable
from typing import Any, cast

import msgspec

from games.ambition_characters import GAME
from games.ambition_characters.alliances import ally_of
from games.ambition_characters.characters import Character
from games.ambition_characters.moves import Move
from games.ambition_characters.rules import BEGIN
from games.ambition_characters.state import (
    NOBODY,
    Acted,
    Blocked,
    Options,
    Phase,
    Place,
    Removed,
    Silenced,
    State,
    clockwise,
    supply,
)
from games.ambition_characters.view import View
from games.core.chance import drawn
from games.core.game import CHANCE, Chance, Decision, Over, Seen
from games.core.moves import IllegalMove, Offer, Wire, moves, take, wire_move, wire_offer

FIELDS = {
    "pass_card": "card",
    "choose_live": "card",
    "keep": "card",
    "replace_live": "card",
    "block": "character",
    "name_block": "character",
    "name_victim": "character",
    "steal": "from",
    "gift": "to",
    "curse": "target",
    "silence": "target",
    "break_alliance": "alliance",
    "ally": "characters",
}


def given(text: str) -> "Play":
    return Play(_position(text))


class Play:
    """A match that goes on from a position; `steps` are (state before, seat, move)."""

    def __init__(self, state: State) -> None:
        check(state)
        self.state = state
        self.steps: list[tuple[State, int, Move]] = []

    def when(self, text: str) -> "Play":
        for item in _items(text):
            move, _, draw = item.partition("~")
            words = move.split()
            if words[0] == "deal":
                self._draw(draw)
            elif words[0] == "not":
                self._is_refused(int(words[1]), words[2:])
            else:
                self._move(int(words[0]), _wire(words[1:]))
                self._draw(draw)
        return self

    def then(self, text: str) -> "Play":
        for item in _items(text):
            name, _, rest = item.partition(" ")
            FACTS[name](self, rest.strip())
        return self

    def decision(self) -> Decision:
        turn = GAME.turn(self.state)
        assert isinstance(turn, Decision)
        return turn

    def view(self, viewer: int) -> View:
        view = GAME.view(self.state, viewer)
        assert isinstance(view, View)
        return view

    def seen(self, viewer: int, back: int = 1) -> Seen:
        """The last step, or one further back, as a viewer saw it."""
        before, seat, move = self.steps[-back]
        return GAME.redact(before, seat, move, viewer)

    def wire(self, viewer: int, back: int = 1) -> Wire:
        move = self.seen(viewer, back).move
        assert move is not None
        return move

    def told(self, viewer: int) -> tuple[str, list[int], tuple[Offer, ...]]:
        """What a viewer is told of the open decision: its kind, who is asked, its own offers."""
        turn = self.decision()
        return turn.kind, sorted(turn.offers), turn.offers.get(viewer, ())

    def fork(self) -> "Play":
        """The same position, to go on differently."""
        other = Play(self.state)
        other.steps = list(self.steps)
        return other

    def options(self, seat: int) -> list[str]:
        """The open options of a seat, in the order of its offers."""
        offers = self.decision().offers.get(seat, ())
        return [text for each in offers for text in _option_texts(each)]

    def _move(self, seat: int, wire: Wire) -> None:
        turn = self.decision()
        offers = (*turn.offers.get(seat, ()), *turn.asides.get(seat, ()))
        self._apply(seat, cast(Move, take(offers, wire)))

    def _draw(self, order: str) -> None:
        """The draw that is due comes out in the given order, all further ones as listed."""
        while isinstance(turn := GAME.turn(self.state), Chance):
            ((_, choice),) = wire_offer(turn.offer)["fields"].items()
            listed = list(choice["options"])
            picks = _names(order) if order else listed[: choice["most"]]
            order = ""
            places = tuple(listed.index(pick) for pick in picks)
            self._apply(CHANCE, cast(Move, drawn(turn.offer, places)))
        assert not order

    def _apply(self, seat: int, move: Move) -> None:
        self.steps.append((self.state, seat, move))
        self.state = GAME.apply(self.state, seat, move)
        check(self.state)

    def _is_refused(self, seat: int, words: list[str]) -> None:
        turn = self.decision()
        offers = (*turn.offers.get(seat, ()), *turn.asides.get(seat, ()))
        try:
            taken = take(offers, _wire(words))
        except IllegalMove:
            return
        raise AssertionError(f"{taken} is offered to seat {seat}")


def check(state: State) -> None:
    """What every scenario asserts at every step: sound states, and offers that give nothing away.

    Options stand in alphabetical order, seats ascending; the offers of a turn in the act phase are
    to decline, the activated card's own power, its ally's.
    """
    assert GAME.invariants(state) is None
    turn = GAME.turn(state)
    if isinstance(turn, Chance):
        _check_options(turn.offer)
    elif isinstance(turn, Decision):
        assert turn.offers
        for seat, own in turn.offers.items():
            assert next(iter(moves(own)), None)
            for each in own:
                _check_options(each)
            _check_order(state, seat, turn.kind, own)


def _check_options(each: Offer) -> None:
    for field in wire_offer(each)["fields"].values():
        assert field["options"] == sorted(field["options"])


def _check_order(state: State, seat: int, kind: str, offers: tuple[Offer, ...]) -> None:
    """That the order of a seat's offers follows from their kinds."""
    wires = [wire_offer(each) for each in offers]
    names = [wire["type"] for wire in wires]
    if kind != "act":
        assert names in ([kind], ["accept", "refuse"], ["recruit", "no_recruit"], ["no_recruit"])
        return
    assert names == ["decline"] + ["activate"] * (len(names) - 1)
    card = state.live[seat]
    assert card is not None
    ally = ally_of(state, card)
    powers = [wire["fields"]["power"]["options"] for wire in wires[1:]]
    assert powers in ([], [[card]] if ally is None else [[card], [ally]])


def cards_in(view: View) -> list[Character]:
    """The cards that a view shows in seats and among the removed, and those of powers in use.

    Names that are public without a card (the set, blocks, alliances) are left out.
    """
    cards = [each.character for each in view.removed]
    cards += [each.card for each in view.payouts]
    cards += [] if view.power is None else [view.power.card]
    for seat in view.seats:
        cards += seat.hand or ()
        shown = (seat.choice, None if seat.live is None else seat.live.card)
        cards += [card for card in shown if card is not None]
    return sorted(set(cards))


def _items(text: str) -> list[str]:
    return [item.strip() for item in text.split(";") if item.strip()]


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip() and name.strip() != "none"]


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(number) for number in text.split(","))


def _cards(text: str) -> tuple[Character, ...]:
    return tuple(Character(name) for name in _names(text))


def _pairs(text: str) -> list[str]:
    return sorted("+".join(sorted(name.split("+"))) for name in _names(text))


def _wire(words: list[str]) -> Wire:
    """`activate KING skip coins`, `steal 2`, `decline`, `speak`."""
    name, *rest = words
    if name == "speak":
        return {"type": name, "text": " ".join(rest) or "words"}
    if name == "activate":
        skip = rest[2].split(",") if rest[1:2] == ["skip"] else []
        return {"type": name, "power": rest[0], "skip": skip}
    if name not in FIELDS:
        return {"type": name}
    (value,) = rest
    if name == "ally":
        return {"type": name, "characters": value.split("+")}
    return {"type": name, FIELDS[name]: int(value) if value.isdigit() else value}


def _option_texts(each: Offer) -> list[str]:
    wire = wire_offer(each)
    fields = wire["fields"]
    if not fields:
        return [wire["type"]]
    if wire["type"] == "activate":
        return ["/".join([*fields["power"]["options"], *fields["skip"]["options"]])]
    ((_, field),) = fields.items()
    return [str(option) for option in field["options"]]


# ---- positions


def _position(text: str) -> State:
    items = [tuple(item.partition(" ")[::2]) for item in _items(text)]
    seats = next((int(name[1:]) for name, _ in items if re.fullmatch(r"N\d", name)), 3)
    options = _options(items)
    state: State = GAME.new(options, seats)
    if ("setup", "") in items:
        return state
    values: dict[str, Any] = {
        "round": 5,
        "scarab": 0,
        "hands": [()] * seats,
        "live": [None] * seats,
        "turn": None,
    }
    for name, rest in items:
        _read(values, name, rest)
    return _placed(state, values)


def _options(items: list[tuple[str, ...]]) -> Options:
    wire: dict[str, Any] = {}
    for name, rest in items:
        if name == "base":
            wire["strange_allies"] = False
        elif name == "first":
            wire["first_player"] = int(rest)
        elif name == "opt":
            key, _, value = rest.partition("=")
            is_json = value[0].isdigit() or value in ("true", "false")
            wire[key] = msgspec.json.decode(value) if is_json else value
    return msgspec.convert(wire, Options)


def _read(values: dict[str, Any], name: str, rest: str) -> None:
    if re.fullmatch(r"S\d", name):
        found = re.fullmatch(r"(?:\[(\w+)\])?\s*(.*)", rest)
        assert found
        seat = int(name[1:])
        values["live"][seat] = Character(found[1]) if found[1] else None
        values["hands"][seat] = tuple(sorted(_cards(found[2])))
    elif name in list(Phase):
        values["phase"] = Phase(name)
    elif name in ("scarab", "round", "turn"):
        values[name] = int(rest)
    elif name == "coins":
        values["coins"] = _numbers(rest)
    elif name == "down":
        values["set_aside"] = _cards(rest)
    elif name == "dead" and rest == "rest":
        values["dead_rest"] = True
    elif name in ("dead", "deck", "blocked", "standin"):
        values[name] = _cards(rest)
    elif name == "allied":
        values["alliances"] = tuple(_pairs(rest))
    elif name == "sneak":
        kind, seat_text = rest.split()
        values["sneak"], values["sneak_placed"] = int(seat_text), kind == "on"
    elif name == "silence":
        seat, creditor = (int(each) for each in rest.split("->"))
        values["silence"] = Silenced(seat, creditor)
    else:
        assert name in ("base", "opt", "first") or re.fullmatch(r"N\d", name), name


def _placed(state: State, values: dict[str, Any]) -> State:
    seats, scarab = len(state.coins), values["scarab"]
    fields = {key: values[key] for key in state.__struct_fields__ if key in values}
    named = [*values.get("set_aside", ()), *values.get("dead", ()), *values.get("deck", ())]
    named += [card for hand in values["hands"] for card in hand]
    named += [card for card in values["live"] if card is not None]
    rest = tuple(card for card in state.cast if card not in named)
    dead = values.get("dead", ()) + (rest if "dead_rest" in values else ())
    fields["deck"] = values.get("deck", () if "dead_rest" in values else rest)
    fields["removed"] = tuple(Removed(card, 0, Place.HAND) for card in dead)
    fields["blocked"] = tuple(
        Blocked(card, (scarab - 1 - i) % seats) for i, card in enumerate(values.get("blocked", ()))
    )
    fields["hands"], fields["live"] = tuple(values["hands"]), tuple(values["live"])
    first = values.get("standin", ())
    fields["standin"] = first + tuple(card for card in state.cast if card not in first)
    acted = [Acted.NOT_YET] * seats
    for seat in clockwise(state, scarab):
        if values["turn"] is None or seat == values["turn"]:
            break
        acted[seat] = Acted.DECLINED
    placed = msgspec.structs.replace(state, **fields, acted=tuple(acted), asked=NOBODY)
    return BEGIN[placed.phase](placed)


# ---- facts


def _asked(play: Play, rest: str) -> None:
    who, kind = rest.split()
    turn = play.decision()
    seats = set(range(len(play.state.coins))) if who == "all" else {int(who)}
    assert (set(turn.offers), turn.kind) == (seats, kind)


def _offers(play: Play, rest: str) -> None:
    seat, _, options = rest.partition(" ")
    assert sorted(play.options(int(seat))) == sorted(_names(options.strip("{}")))


def _has(play: Play, rest: str) -> None:
    seat, _, options = rest.partition(" ")
    assert set(_names(options)) <= set(play.options(int(seat)))


def _lacks(play: Play, rest: str) -> None:
    seat, _, options = rest.partition(" ")
    assert not set(_names(options)) & set(play.options(int(seat)))


def _hand(play: Play, rest: str) -> None:
    seat, _, cards = rest.partition(" ")
    assert play.state.hands[int(seat)] == tuple(sorted(_cards(cards)))


def _live(play: Play, rest: str) -> None:
    seat, card = rest.split()
    assert play.state.live[int(seat)] == (None if card == "none" else card)


def _deck(play: Play, rest: str) -> None:
    if rest.startswith("size"):
        assert len(play.state.deck) == int(rest.split()[1])
    else:
        assert play.state.deck == _cards(rest)


def _sizes(play: Play, rest: str) -> None:
    state = play.state
    both = zip(state.hands, state.live, strict=True)
    assert tuple(len(hand) + (live is not None) for hand, live in both) == _numbers(rest)


def _sneak(play: Play, rest: str) -> None:
    kind, _, seat = rest.partition(" ")
    expected = (NOBODY, False) if kind == "supply" else (int(seat), kind == "on")
    assert (play.state.sneak, play.state.sneak_placed) == expected


def _silence(play: Play, rest: str) -> None:
    silence = play.state.silence
    if rest == "none":
        assert silence is None
        return
    assert silence is not None
    who, _, paid = rest.partition(" ")
    assert f"{silence.seat}->{silence.creditor}" == who
    assert not paid or silence.paid == (paid == "paid")


def _over(play: Play, rest: str) -> None:
    turn = GAME.turn(play.state)
    assert isinstance(turn, Over)
    winners = tuple(seat for seat, rank in enumerate(turn.ranks) if rank == 1)
    assert (winners, turn.scores) == (_numbers(rest), play.state.coins)


def _ranks(play: Play, rest: str) -> None:
    turn = GAME.turn(play.state)
    assert isinstance(turn, Over)
    assert turn.ranks == _numbers(rest)


def _fallback(play: Play, rest: str) -> None:
    seat, *words = rest.split()
    assert wire_move(GAME.fallback(play.state, int(seat))) == _wire(words)


def _equals(read: Callable[[State], object], parse: Callable[[str], object]) -> Any:
    def fact(play: Play, rest: str) -> None:
        assert read(play.state) == parse(rest)

    return fact


FACTS: dict[str, Callable[[Play, str], None]] = {
    "asked": _asked,
    "offers": _offers,
    "has": _has,
    "lacks": _lacks,
    "hand": _hand,
    "live": _live,
    "deck": _deck,
    "sizes": _sizes,
    "sneak": _sneak,
    "silence": _silence,
    "over": _over,
    "ranks": _ranks,
    "fallback": _fallback,
    "coins": _equals(lambda state: state.coins, _numbers),
    "supply": _equals(supply, int),
    "scarab": _equals(lambda state: state.scarab, int),
    "round": _equals(lambda state: state.round, int),
    "down": _equals(lambda state: state.set_aside, _cards),
    "dead": _equals(
        lambda state: sorted(each.character for each in state.removed), lambda t: sorted(_cards(t))
    ),
    "blocked": _equals(lambda state: [each.character for each in state.blocked], _names),
    "alliances": _equals(lambda state: list(state.alliances), _pairs),
    "boundary": _equals(GAME.boundary, str),
    "running": _equals(lambda state: state.ending, lambda text: None),
}
