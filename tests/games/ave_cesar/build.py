"""Matches from compact text in the rulebook's words: positions, moves, facts.

`given` lists a position, separated by `;`. Defaults: five seats, all options default, nobody has
cards, buildings, points or the token, the SP is P0 and leads the round. `K1` to `K4` are sets of
characters, `picks P0 spy, P1 senator` others; those set aside are the first that nobody holds, or
`aside x, y`; `faceup x` lists discards. `call 7` is the moment before call 7, all earlier calls
done; `assassin senator` and `spy senator` are announcements made. `P2 hand a.1, b.1-3`,
`P2 city a.1, b.1 (c.1, c.2)` with sown cards, `P2 points 3`, `deck`, `discard`, `token P2`,
`SP P3`, `round 4`, `opt name=value`. Cards that are not named lie below the deck in canonical
order, or with `rest P3` are in that hand. Without `call` it is the draft, before its shuffle.

`plays` lists moves, `P2 build a.1; P2 pay b.1, c.1`; a draw is `draw a.1, b.1`. `offers` gives all
single moves of offers, or `steal 2 of a.1, b.1, c.1` for a choice of several cards.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any, cast

import msgspec
from msgspec.structs import replace

from games.ave_cesar import GAME, TABLES, acting
from games.ave_cesar.characters import CHARACTERS, Character
from games.ave_cesar.deck import Deck, load
from games.ave_cesar.moves import Move
from games.ave_cesar.state import (
    Assassin,
    Building,
    Options,
    Phase,
    PlotStatus,
    Spy,
    State,
    put,
)
from games.ave_cesar.view import OwnView, View
from games.core.game import CHANCE, SPECTATOR, Chance, Decision, Game, Over, Seat, Seen, Viewer
from games.core.moves import (
    IllegalMove,
    Offer,
    Wire,
    take,
    tuple_fields,
    wire_move,
    wire_offer,
)

DECK = load(TABLES)
SETS = {
    "K1": "P0 assassin, P1 spy, P2 senator, P3 farmer, P4 architect",
    "K2": "P0 assassin, P1 procurator, P2 senator, P3 farmer, P4 architect",
    "K3": "P0 assassin, P1 senator, P2 philosopher, P3 farmer, P4 architect",
    "K4": "P0 centurion, P1 spy, P2 senator, P3 farmer, P4 architect",
}
FIELDS = {
    "keep": "cards",
    "pick": "character",
    "discard_character": "character",
    "announce_victim": "character",
    "announce_target": "character",
    "steal": "cards",
    "build": "card",
    "pay": "cards",
    "appoint": "seat",
    "give": "card",
    "keep_looked": "cards",
    "take": "card",
    "demand": "seat",
}


class Match:
    """A match that goes on from a position; `steps` are (state before, seat, move)."""

    def __init__(self, state: State, game: Game[State, Move] = GAME, deck: Deck = DECK) -> None:
        self.game = game
        self.deck_of = deck
        self.state = state
        self.steps: list[tuple[State, Seat, Move]] = []
        assert game.invariants(state) is None, game.invariants(state)

    def plays(self, text: str) -> "Match":
        for item in _items(text):
            who, _, rest = item.partition(" ")
            if who == "draw":
                self.draw(*_words(rest))
            else:
                self.move(_seat(who), _wire(rest))
        return self

    def draw(self, *picks: str) -> "Match":
        turn = self.chance()
        (name,) = turn.offer.fields
        kind = wire_offer(turn.offer)["type"]
        return self._apply(
            CHANCE, take((turn.offer,), {"type": kind, name: list(map(_plain, picks))})
        )

    def move(self, seat: Seat, wire: Wire) -> "Match":
        return self._apply(seat, take(self.offers_of(seat), wire))

    def refuses(self, text: str) -> str:
        """The error that a move is refused with."""
        who, _, rest = text.partition(" ")
        try:
            take(self.offers_of(_seat(who)), _wire(rest))
        except IllegalMove as refused:
            return str(refused)
        raise AssertionError(f"{text} is taken")

    def by_fallback(self) -> str:
        """Every seat that is asked is played by a stand-in; what the last one played."""
        said = ""
        for seat in sorted(self.decision().offers):
            move = self.game.fallback(self.state, seat)
            self.move(seat, wire_move(move))
            said = f"P{seat} {_said(wire_move(move))}"
        return said

    def fallback(self, seat: Seat) -> str:
        return _said(wire_move(self.game.fallback(self.state, seat)))

    def decision(self) -> Decision:
        turn = self.game.turn(self.state)
        assert isinstance(turn, Decision), turn
        return turn

    def chance(self) -> Chance:
        turn = self.game.turn(self.state)
        assert isinstance(turn, Chance), turn
        return turn

    def over(self) -> Over:
        turn = self.game.turn(self.state)
        assert isinstance(turn, Over), turn
        return turn

    def asked(self) -> tuple[str, list[Seat]]:
        turn = self.decision()
        return turn.kind, sorted(turn.offers)

    def offers_of(self, seat: Seat) -> tuple[Offer, ...]:
        return self.decision().offers.get(seat, ())

    def offers(self, seat: Seat) -> str:
        """All offers of a seat in their order, separated by commas."""
        return ", ".join(text for each in self.offers_of(seat) for text in _offered(each))

    def hand(self, seat: Seat) -> str:
        return " ".join(self.deck_of.sorted(self.state.hands[seat]))

    def city(self, seat: Seat) -> str:
        return " ".join(
            f"{each.card}({' '.join(each.sown)})" if each.sown else each.card
            for each in self.state.cities[seat]
        )

    def discard(self) -> str:
        return " ".join(self.deck_of.sorted(self.state.discard))

    def deck(self, count: int | None = None) -> str:
        return " ".join(self.state.deck[:count])

    def view(self, viewer: Viewer) -> View:
        return cast(View, self.game.view(self.state, viewer))

    def own(self, seat: Seat) -> OwnView:
        own = self.view(seat).own
        assert own is not None
        return own

    def views(self) -> list[bytes]:
        """Of all seats and a spectator, as bytes."""
        viewers = (*range(self.state.seats), SPECTATOR)
        return [msgspec.json.encode(self.view(viewer)) for viewer in viewers]

    def seen(self, viewer: Viewer, back: int = 1) -> Seen:
        """The last step, or one further back, as a viewer saw it."""
        before, seat, move = self.steps[-back]
        return self.game.redact(before, seat, move, viewer)

    def wire(self, viewer: Viewer, back: int = 1) -> Wire:
        move = self.seen(viewer, back).move
        assert move is not None
        return move

    def fork(self) -> "Match":
        """The same position, to go on differently."""
        other = Match(self.state, self.game, self.deck_of)
        other.steps = list(self.steps)
        return other

    def _apply(self, seat: Seat, move: Any) -> "Match":
        self.steps.append((self.state, seat, move))
        self.state = self.game.apply(self.state, seat, move)
        wrong = self.game.invariants(self.state)
        assert wrong is None, wrong
        return self


def opened(seats: int = 5, **options: Any) -> Match:
    return Match(GAME.new(msgspec.convert(options, Options), seats))


def given(text: str, game: Game[State, Move] = GAME, deck: Deck = DECK) -> Match:
    items = list(_items(text))
    seats = next((int(item[6:]) for item in items if item.startswith("seats ")), 5)
    state = replace(game.new(Options(), seats), phase=Phase.DRAFT, sp=0, leader=0, deck=())
    named: dict[str, str] = {}
    for item in items:
        word, _, rest = item.partition(" ")
        if word in SETS:
            state = _picks(state, SETS[word])
        elif re.fullmatch(r"P\d", word):
            state = _of_seat(state, _seat(word), rest)
        else:
            named[word] = rest
            state = PARTS[word](state, rest) if word in PARTS else state
    filled = _filled(deck, _drafted(state, named), named)
    return Match(_called(deck, filled, named), game, deck)


def drafting(text: str) -> Match:
    """A round before its draft: `seats 6; SP P5; shuffle a, b, …`, the shuffle in number order."""
    first, _, shuffle = text.partition("; shuffle ")
    chosen = [Character(word) for word in _words(shuffle)]
    rest = [each for each in CHARACTERS if each not in chosen]
    return given(first).draw(*chosen, *rest)


def finished(text: str) -> Match:
    """A position whose round ends at once: nobody is called any more."""
    return given(f"{text}; call 9")


def _plain(pick: str) -> str:
    return pick.value if isinstance(pick, Character) else pick


def _items(text: str) -> Iterator[str]:
    yield from (item.strip() for item in text.split(";") if item.strip())


def _words(text: str) -> list[str]:
    """`a.1-3, b.1` as a.1, a.2, a.3, b.1."""
    words: list[str] = []
    for word in re.split(r"[,\s]+", text.strip()):
        if found := re.fullmatch(r"(\w+)\.(\d+)-(\d+)", word):
            words += [f"{found[1]}.{n}" for n in range(int(found[2]), int(found[3]) + 1)]
        elif word:
            words.append(word)
    return words


def _seat(text: str) -> Seat:
    assert re.fullmatch(r"P\d", text), text
    return int(text[1:])


def _wire(text: str) -> Wire:
    kind, *values = text.replace(",", " ").split()
    if kind not in FIELDS:
        assert not values, text
        return {"type": kind}
    field = FIELDS[kind]
    if field == "cards":
        return {"type": kind, "cards": _words(" ".join(values))}
    (value,) = values
    return {"type": kind, field: _seat(value) if field == "seat" else value}


def _said(wire: Wire) -> str:
    values = [value for name, value in wire.items() if name != "type"]
    texts = [_named(value) for value in values]
    return " ".join([wire["type"], *texts])


def _named(value: Any) -> str:
    if isinstance(value, list):
        return " ".join(value)
    return f"P{value}" if isinstance(value, int) else str(value)


def _offered(each: Offer) -> list[str]:
    wire = wire_offer(each)
    if not wire["fields"]:
        return [wire["type"]]
    ((name, field),) = wire["fields"].items()
    options = [_named(option) for option in field["options"]]
    if name in tuple_fields(each.move):
        assert field["least"] == field["most"]
        return [f"{wire['type']} {field['most']} of {' '.join(options)}"]
    return [f"{wire['type']} {option}" for option in options]


def _picks(state: State, text: str) -> State:
    for item in text.split(","):
        seat, character = item.split()
        state = replace(state, picks=put(state.picks, _seat(seat), Character(character)))
    return state


def _of_seat(state: State, seat: Seat, text: str) -> State:
    what, _, rest = text.partition(" ")
    if what == "hand":
        return replace(state, hands=put(state.hands, seat, tuple(_words(rest))))
    if what == "points":
        return replace(state, points=put(state.points, seat, int(rest)))
    assert what == "city", text
    found = re.findall(r"(\w+\.[\d-]+)(?:\s*\(([^)]*)\))?", rest)
    city = [Building(card, tuple(_words(sown))) for cards, sown in found for card in _words(cards)]
    return replace(state, cities=put(state.cities, seat, tuple(city)))


def _option(state: State, text: str) -> State:
    name, _, value = text.partition("=")
    options = msgspec.to_builtins(state.options)
    options[name] = msgspec.json.decode(value) if re.match(r"\d|true|false", value) else value
    return replace(state, options=msgspec.convert(options, Options))


PARTS: dict[str, Callable[[State, str], State]] = {
    "picks": _picks,
    "opt": _option,
    "SP": lambda state, text: replace(state, sp=_seat(text), leader=_seat(text)),
    "token": lambda state, text: replace(state, token=_seat(text)),
    "round": lambda state, text: replace(state, round=int(text)),
    "deck": lambda state, text: replace(state, deck=tuple(_words(text))),
    "discard": lambda state, text: replace(state, discard=tuple(_words(text))),
    "reshuffles": lambda state, text: replace(state, reshuffles=int(text)),
}


def _drafted(state: State, named: dict[str, str]) -> State:
    if "call" not in named or not any(state.picks):
        return state
    face_up = tuple(Character(word) for word in _words(named.get("faceup", "")))
    free = [each for each in CHARACTERS if each not in (*state.picks, *face_up)]
    aside = [Character(word) for word in _words(named.get("aside", ""))]
    count = 2 if state.seats == 5 else 1
    first = [*aside, *(each for each in free if each not in aside)][:count]
    rest = [each for each in CHARACTERS if each not in first]
    return replace(state, shuffle=(*first, *rest), face_up=face_up)


def _filled(deck: Deck, state: State, named: dict[str, str]) -> State:
    """All cards that are not named lie below the deck, or are in a hand."""
    there = {*state.deck, *state.discard}
    for hand in state.hands:
        there.update(hand)
    for city in state.cities:
        there.update(card for each in city for card in (each.card, *each.sown))
    rest = tuple(card for card in deck.cards if card not in there)
    if "rest" in named:
        seat = _seat(named["rest"])
        return replace(state, hands=put(state.hands, seat, (*state.hands[seat], *rest)))
    return replace(state, deck=(*state.deck, *rest))


def _called(deck: Deck, state: State, named: dict[str, str]) -> State:
    if "call" not in named:
        return state
    state = replace(state, phase=Phase.CONSTRUCTION, call=int(named["call"]) - 1)
    if "assassin" in named:
        seat = state.picks.index(Character.ASSASSIN)
        plot = Assassin(seat, PlotStatus.WAITING, Character(named["assassin"]))
        state = replace(state, assassin=plot)
    if "spy" in named:
        spy = Spy(state.picks.index(Character.SPY), Character(named["spy"]))
        state = replace(state, spy=spy)
    return acting.advanced(deck, state)
