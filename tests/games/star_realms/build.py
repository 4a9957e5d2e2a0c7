"""Positions, moves and facts of Star Realms in compact text.

`given` takes zones by name: `hand0`, `deck0`, `discard0`, `play0`, `down0` and `up0` (gambits) of
seat 0 and so on, `row`, `trade_deck`, `heap`, `unclaimed`, each a text of cards (decks top first,
`-` for an empty slot), and numbers: `authority0`, `team`, `boss`, `facedown`, `explorers`, `trade`,
`combat`, `active`. What is not given is empty; authority is 50, seat 0 is in its main phase of turn
2. `row=5` fills the row with any cards. All other cards of the match count as removed.

A card is a kind, `scout`, or one certain copy, `scout#1` or `scout#a`; `scout*3` are three. Numbers
of copies that a match has not got stand for other copies. In facts a kind stands for any copy.

`do` takes moves separated by `;`, `0 play scout`, in the words of WORDS; `~ scout#1 viper` is a
draw that gives these cards, the rest in order. `then` compares zones and numbers by these names.
"""

import re
from collections.abc import Iterable
from typing import Any

import msgspec
from msgspec.structs import replace

from games.core.chance import drawn
from games.core.game import CHANCE, SPECTATOR, AnyGame, Chance, Decision, Over, Seen
from games.core.moves import Choice, IllegalMove, Number, Wire, moves, take, wire_move
from games.star_realms import GAME, TABLES, box, make
from games.star_realms.effects import BossTurn
from games.star_realms.opening import new
from games.star_realms.resolving import settled
from games.star_realms.rows import Kind
from games.star_realms.state import (
    EVERYONE,
    TEAM,
    Ability,
    InPlay,
    Mode,
    Options,
    Played,
    Seat,
    State,
    Task,
)
from games.star_realms.view import View

BOX = box.load(TABLES)

# Word: type of move, and the field that is filled.
WORDS = {
    "open": ("reveal_opening", "gambits"),
    "play": ("play_card", "card"),
    "use": ("use_ability", "ability"),
    "acquire": ("acquire", "card"),
    "attack": ("attack", "target"),
    "base": ("attack_base", "base"),
    "reveal": ("reveal_gambit", "gambit"),
    "gambit": ("use_gambit", "gambit"),
    "pay": ("pay_for_gambit", "gambit"),
    "end": ("end_turn", ""),
    "option": ("choose_option", "option"),
    "opponent": ("choose_opponent", "seat"),
    "discard": ("discard", "cards"),
    "scrap": ("scrap", "cards"),
    "destroy": ("destroy_base", "base"),
    "free": ("acquire_free", "card"),
    "top": ("to_deck_top", "accept"),
    "copy": ("copy_ship", "card"),
    "faction": ("choose_faction", "faction"),
    "put": ("put_on_top", "card"),
    "keep": ("keep_gambit", "gambit"),
    "lose": ("lose_base", "base"),
}
LISTS = ("open", "discard", "scrap")
NUMBERED = {"attack": "amount", "pay": "x"}
SEAT_ZONES = {"hand": "hand", "deck": "deck", "discard": "discard"}
SEAT_GAMBITS = {"down": "gambits_down", "up": "gambits_up"}


def tokens(text: str) -> list[str]:
    found = []
    for word in text.replace(",", " ").split():
        kind, _, times = word.partition("*")
        found += [kind] * int(times or 1)
    return found


class Names:
    """Which copy a name of a scenario stands for."""

    def __init__(self, options: Options, seats: int, gambits: bool) -> None:
        decks = options.trade_decks
        self.free = [*BOX.trade_deck(decks, options.mercenary_cruisers), *BOX.explorers(decks)]
        for seat in range(seats):
            self.free += BOX.start_of(seat)
        self.free_gambits = list(BOX.all_gambits()) if gambits else []
        self.by_name: dict[str, str] = {}

    def reserve(self, names: Iterable[str]) -> None:
        """Copies that are named by a number they have."""
        for name in names:
            for free in (self.free, self.free_gambits):
                if name in free and name not in self.by_name:
                    free.remove(name)
                    self.by_name[name] = name

    def copy(self, name: str) -> str:
        if name in self.by_name:
            return self.by_name[name]
        kind = name.partition("#")[0]
        free = self.free_gambits if kind in BOX.gambit_kinds else self.free
        found = next(copy for copy in free if copy.partition("#")[0] == kind)
        free.remove(found)
        if "#" in name:
            self.by_name[name] = found
        return found

    def some(self, count: int) -> tuple[str, ...]:
        """Any trade cards."""
        found = [c for c in self.free if BOX.of[c].set == "core"][-count:] if count else []
        for each in found:
            self.free.remove(each)
        return tuple(found)


class Play:
    """A match that goes on from a position; every state is held against the invariants."""

    game: AnyGame = GAME

    def __init__(self, state: State, names: Names | None = None) -> None:
        self.names = names or Names(state.options, len(state.seats), gambits=True)
        self.states: list[State] = []
        self.steps: list[tuple[State, int, Any]] = []
        self._reached(state)

    def with_cards(self, tables: bytes) -> "Play":
        """From now on by the cards of another file."""
        self.game = make(tables)
        return self

    @property
    def state(self) -> State:
        return self.states[-1]

    @property
    def turn(self) -> Any:
        return self.game.turn(self.state)

    def boss_turn(self) -> "Play":
        """The boss turn of a position that waits for it."""
        self._reached(settled(BOX, self.state))
        return self

    def do(self, text: str) -> "Play":
        for each in text.split(";"):
            seat, move = self._taken(each.split())
            self.steps.append((self.state, seat, move))
            self._reached(self.game.apply(self.state, seat, move))
        return self

    def refused(self, text: str) -> None:
        """The move is not offered; nothing changes."""
        try:
            self._taken(text.split())
        except IllegalMove:
            return
        raise AssertionError(f"{text} is taken")

    def offered(self, seat: int, word: str) -> list[Any]:
        """The options of a kind of move, in their order, as written in a scenario."""
        kind, field = WORDS[word]
        for each in self._offers(seat):
            if each.move.__struct_config__.tag == kind:
                choice = each.fields[field] if field else None
                options = choice.options if isinstance(choice, Choice) else ("yes",)
                return [self.shown(option) for option in options]
        return []

    def numbers(self, seat: int, word: str) -> tuple[int, int]:
        kind, _ = WORDS[word]
        found = next(o for o in self._offers(seat) if o.move.__struct_config__.tag == kind)
        number = found.fields[NUMBERED[word]]
        assert isinstance(number, Number)
        return number.low, number.high

    def count(self, seat: int) -> int:
        """How many answers a seat has."""
        return len(list(moves(self._offers(seat))))

    def asked(self) -> tuple[str, tuple[int, ...]]:
        turn = self.turn
        assert isinstance(turn, Decision)
        return turn.kind, tuple(sorted(turn.offers))

    def fallback(self, seat: int) -> str:
        move = GAME.fallback(self.state, seat)
        wire = wire_move(move)
        word = next(w for w, (kind, _) in WORDS.items() if kind == wire["type"])
        picked = wire.get(WORDS[word][1], ())
        picks = picked if isinstance(picked, list | tuple) else [picked]
        names = [self.shown("none" if pick is None else pick) for pick in picks]
        return " ".join([word, *map(str, names)])

    def over(self) -> Over:
        turn = self.turn
        assert isinstance(turn, Over)
        return turn

    def view(self, viewer: int = SPECTATOR) -> View:
        shown = GAME.view(self.state, viewer)
        assert isinstance(shown, View)
        return shown

    def seen(self, viewer: int) -> Seen:
        """The last step as a viewer saw it."""
        return self.game.redact(*self.steps[-1], viewer)

    def then(self, **facts: Any) -> "Play":
        wrong = {}
        for name, wanted in facts.items():
            found = self._fact(name)
            if isinstance(found, tuple):
                if not self._is(found, tokens(wanted)):
                    wrong[name] = (" ".join(map(self.shown, found)), wanted)
            elif found != wanted:
                wrong[name] = (found, wanted)
        assert not wrong, wrong
        return self

    def shown(self, copy: Any) -> Any:
        """A copy by its name in the scenario, or by its kind."""
        if not isinstance(copy, str):
            return copy
        copy, slash, ability = copy.partition("/")
        back = {real: name for name, real in self.names.by_name.items()}
        name = back.get(copy, copy.partition("#")[0])
        return name + slash + ability

    def _is(self, found: tuple[str, ...], wanted: list[str]) -> bool:
        if len(found) != len(wanted):
            return False
        return all(
            copy == self.names.by_name.get(name) if "#" in name else copy.partition("#")[0] == name
            for copy, name in zip(found, wanted, strict=True)
        )

    def _fact(self, name: str) -> Any:
        state = self.state
        simple = {
            "row": tuple(copy or "-" for copy in state.trade_row),
            "trade_deck": state.trade_deck,
            "heap": state.scrap_heap,
            "heap_count": len(state.scrap_heap),
            "unclaimed": state.unclaimed,
            "gambit_scrap": state.gambit_scrap,
            "explorers": len(state.explorers),
            "trade": state.trade,
            "combat": state.combat,
            "team": state.team_authority,
            "turn": state.turn,
            "active": state.active,
            "boundary": self.game.boundary(state),
        }
        if name in simple:
            return simple[name]
        if state.boss is not None and name in ("boss", "boss_combat", "facedown"):
            boss = state.boss
            count = len(boss.hidden) + len(boss.taken)
            return {"boss": boss.authority, "boss_combat": boss.combat, "facedown": count}[name]
        found = re.fullmatch(r"([a-z_]+?)(\d)", name)
        assert found is not None, name
        zone, own = found[1], state.seats[int(found[2])]
        if zone == "play":
            return tuple(each.card for each in own.in_play)
        if zone == "played":
            return tuple(each.card for each in own.played)
        return getattr(own, {**SEAT_ZONES, **SEAT_GAMBITS}.get(zone, zone))

    def _reached(self, state: State) -> None:
        wrong = GAME.invariants(state)
        assert wrong is None, wrong
        self.states.append(state)

    def _offers(self, seat: int) -> Any:
        turn = self.turn
        return turn.offers.get(seat, ()) if isinstance(turn, Decision) else ()

    def _taken(self, words: list[str]) -> tuple[int, Any]:
        if words[0] == "~":
            return CHANCE, self._drawn(words[1:])
        seat, word, picks = int(words[0]), words[1], words[2:]
        return seat, take(self._offers(seat), self._wire(seat, word, picks))

    def _wire(self, seat: int, word: str, picks: list[str]) -> Wire:
        kind, field = WORDS[word]
        wire: Wire = {"type": kind}
        if not field:
            return wire
        if word in NUMBERED:
            wire[NUMBERED[word]] = int(picks.pop())
        found = [self._pick(seat, word, each) for each in picks if each != "none"]
        wire[field] = found if word in LISTS else (found[0] if found else None)
        return wire

    def _pick(self, seat: int, word: str, name: str) -> Any:
        if name.isdigit():
            return int(name)
        if name.startswith("row:"):
            return self.state.trade_row[int(name[4:])]
        name, slash, ability = name.partition("/")
        kind = name.partition("#")[0]
        if name == "explorer" and word in ("acquire", "free"):
            return name
        if kind not in BOX.kinds and kind not in BOX.gambit_kinds:
            return name
        return self._copy(seat, name) + slash + ability

    def _options(self, seat: int) -> list[str]:
        return [
            str(option)
            for each in self._offers(seat)
            for field in each.fields.values()
            if isinstance(field, Choice)
            for option in field.options
        ]

    def _copy(self, seat: int, name: str) -> str:
        """The named copy; of a kind, the first one that can be picked."""
        if name in self.names.by_name:
            return self.names.by_name[name]
        kind = name.partition("#")[0]
        options = [option.partition("/")[0] for option in self._options(seat)]
        if name in options:
            return name
        found = [each for each in options if each.partition("#")[0] == kind]
        return found[0] if found else name

    def _drawn(self, names: list[str]) -> Any:
        turn = self.turn
        assert isinstance(turn, Chance)
        ((_, choice),) = turn.offer.fields.items()
        assert isinstance(choice, Choice)
        rest, first = list(choice.options), []
        for name in names:
            real: Any = int(name) if name.isdigit() else self.names.by_name.get(name)
            if name in rest:
                real = name
            if real is None:
                real = next(o for o in rest if str(o).partition("#")[0] == name)
            rest.remove(real)
            first.append(real)
        places = [choice.options.index(each) for each in (*first, *rest)][: choice.most]
        return drawn(turn.offer, tuple(places))


def started(seats: int = 2, **options: Any) -> Play:
    """A match before its first draw."""
    return Play(new(BOX, msgspec.convert(options, Options), seats))


def given(mode: str = "duel", seats: int = 0, **parts: Any) -> Play:
    options, rest = _options_of(mode, parts)
    count = seats or _seats(options.mode, rest)
    texts = [text for text in rest.values() if isinstance(text, str)]
    all_names = [name for text in texts for name in tokens(text)]
    uses_gambits = any(name.partition("#")[0] in BOX.gambit_kinds for name in all_names)
    names = Names(options, count, uses_gambits)
    names.reserve(all_names)
    state = new(BOX, options, count)
    state = replace(
        state,
        gambits=1 if uses_gambits else 0,
        first=0,
        turn=2,
        stack=(),
        active=TEAM if state.boss else 0,
    )
    state = _with_zones(state, names, rest)
    is_boss_turn = rest.pop("boss_turn", False)
    assert not rest, rest
    if is_boss_turn:
        state = replace(state, stack=(Task(BossTurn(), EVERYONE),))
    return Play(state, names)


def _options_of(mode: str, parts: dict[str, Any]) -> tuple[Options, dict[str, Any]]:
    chosen = {name: parts[name] for name in Options.__struct_fields__ if name in parts}
    rest = {name: value for name, value in parts.items() if name not in chosen}
    return msgspec.convert({**chosen, "mode": mode}, Options), rest


def _seats(mode: Mode, parts: dict[str, Any]) -> int:
    usual = {Mode.DUEL: 2, Mode.FREE_FOR_ALL: 3, Mode.BEAST_SOLO: 1, Mode.PIRATES_SOLO: 1}
    return usual.get(mode, 2)


def _with_zones(state: State, names: Names, parts: dict[str, Any]) -> State:
    def zone(name: str) -> tuple[str, ...]:
        return tuple(names.copy(each) for each in tokens(parts.pop(name, "")))

    own_seats = tuple(_seat(old, seat, zone, parts) for seat, old in enumerate(state.seats))
    row = parts.pop("row", "")
    slots = (
        names.some(row)
        if isinstance(row, int)
        else tuple(None if each == "-" else names.copy(each) for each in tokens(row))
    )
    deck, heap, unclaimed = zone("trade_deck"), zone("heap"), zone("unclaimed")
    boss = state.boss
    if boss is not None:
        facedown = names.some(parts.pop("facedown", 0))
        boss = replace(boss, authority=parts.pop("boss", boss.authority), taken=facedown)
    explorers = [copy for copy in names.free if copy.startswith("explorer#")]
    explorers = explorers[: parts.pop("explorers", len(explorers))]
    gone = [copy for copy in names.free if copy not in explorers]
    return replace(
        state,
        seats=own_seats,
        trade_row=slots + (None,) * (5 - len(slots)),
        trade_deck=deck,
        scrap_heap=heap,
        unclaimed=unclaimed,
        gambits_removed=BOX.sorted(names.free_gambits),
        explorers=BOX.sorted(explorers),
        removed=BOX.sorted(gone),
        boss=boss,
        team_authority=parts.pop("team", state.team_authority),
        trade=parts.pop("trade", 0),
        combat=parts.pop("combat", 0),
        active=parts.pop("active", state.active),
    )


def _seat(old: Seat, seat: int, zone: Any, parts: dict[str, Any]) -> Seat:
    cards = zone(f"play{seat}")
    ships = [copy for copy in cards if BOX.of[copy].type is Kind.SHIP]
    gambits = {field: zone(f"{name}{seat}") for name, field in SEAT_GAMBITS.items()}
    return replace(
        old,
        authority=parts.pop(f"authority{seat}", old.authority),
        **{field: zone(f"{name}{seat}") for name, field in SEAT_ZONES.items()},
        **gambits,
        gambits_held=gambits["gambits_down"] + gambits["gambits_up"],
        in_play=tuple(InPlay(copy, (Ability.PRIMARY,) if copy in ships else ()) for copy in cards),
        played=tuple(map(Played, ships)),
        shuffles=1,
    )
