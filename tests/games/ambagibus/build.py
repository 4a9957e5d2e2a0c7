"""Matches from compact text in the rulebook's words: piles, boards, moves, facts.

`given` takes a pile, top first, and maybe a board: `(0,0) C41 r0, (1,0) cave1 over X1234 r2`. Only
these cards are in the match. Without a board the pile is what the shuffle gives. `played` opens
the whole deck.

`when` plays the current card: `(0,-1) r2` for a tunnel, `(0,-1)` for a special; several moves are
separated by `;`. `refused` says that a move is not offered and changes nothing.

`then` compares facts: `current`, `pile`, `known` (the known tail), `unseen`, `removed`, `board`,
`drawing`, `sum` (of the open priorities), `mazes`, `decisions`, `boundary`; `open` as
`(0,0).N II, (0,0).E III`; `fallback` like a move; `over` as `closed 0` (result and figure),
`left`, `score`, `rank`. `offers` compares all offers: `(0,-1): 0, 2; (1,0): 1` or, of a special,
`(0,-1), (0,0)`. A minus sign may be a hyphen.
"""

import re
from collections import Counter
from typing import Any

import msgspec

from games.ambagibus import TABLES, cards, make, rules
from games.ambagibus.drawing import drawn as drawn_maze
from games.ambagibus.moves import Move
from games.ambagibus.state import Mode, Options, State, Status, Table, Tile
from games.ambagibus.view import AdvancedOutcome, BasicOutcome, View
from games.core.game import CHANCE, Chance, Decision, Game, Over
from games.core.moves import IllegalMove, Wire, take, wire_move, wire_offer

FULL = msgspec.json.decode(TABLES)
ROMAN = ("", "I", "II", "III", "IV")
LAID = re.compile(r"\((-?\d+),(-?\d+)\) (?:(\w+) over )?(\w+) r(\d)")
CELL = re.compile(r"\((-?\d+,-?\d+)\)(?: r(\d))?")


class Play:
    """A match under way. Every state it reaches is held against the invariants."""

    def __init__(self, game: Game[State, Move], deck: cards.Deck, state: State) -> None:
        self.game = game
        self.deck = deck
        self.states = [state]
        assert game.invariants(state) is None

    @property
    def state(self) -> State:
        return self.states[-1]

    @property
    def view(self) -> View:
        shown = self.game.view(self.state, 0)
        assert isinstance(shown, View)
        return shown

    def when(self, moves: str) -> "Play":
        for each in moves.replace("−", "-").split(";"):
            self._apply(0, take(self._offers(), self._wire(each)))
        return self

    def first_offers(self) -> "Play":
        """Always the first offer, to the end."""
        while not self.state.is_over:
            self._apply(0, self.game.fallback(self.state, 0))
        return self

    def deal(self, pile: str) -> "Play":
        turn = self.game.turn(self.state)
        assert isinstance(turn, Chance)
        self._apply(CHANCE, take((turn.offer,), {"type": "shuffle", "order": pile.split()}))
        return self

    def refused(self, move: str) -> None:
        try:
            take(self._offers(), self._wire(move.replace("−", "-")))
        except IllegalMove:
            return
        raise AssertionError(f"{move} is taken")

    def then(self, **facts: Any) -> "Play":
        found = {name: getattr(self, f"_{name}")() for name in facts}
        wanted = {
            name: value.replace("−", "-").strip("\n") if isinstance(value, str) else value
            for name, value in facts.items()
        }
        assert found == wanted
        return self

    def _apply(self, seat: int, move: Move | Any) -> None:
        self.states.append(self.game.apply(self.state, seat, move))
        wrong = self.game.invariants(self.state)
        assert wrong is None, wrong

    def _offers(self) -> Any:
        turn = self.game.turn(self.state)
        assert isinstance(turn, Decision)
        return turn.offers[0]

    def _wire(self, move: str) -> Wire:
        found = CELL.fullmatch(move.strip())
        turn = self.game.turn(self.state)
        assert found is not None
        assert isinstance(turn, Decision)
        wire: Wire = {"type": turn.kind, "cell": found[1]}
        if found[2] is not None:
            wire["rotation"] = int(found[2])
        return wire

    def _current(self) -> str | None:
        return self.view.current.card if self.view.current else None

    def _pile(self) -> str:
        return " ".join(self.state.deck)

    def _known(self) -> str:
        return " ".join(self.view.known_tail)

    def _unseen(self) -> str:
        return " ".join(self.view.unseen)

    def _removed(self) -> str:
        return " ".join(self.view.removed)

    def _board(self) -> str:
        return ", ".join(
            f"({t.x},{t.y}) {f'{t.cave_in} over ' if t.cave_in else ''}{t.card} r{t.rotation}"
            for t in self.state.maze
        )

    def _drawing(self) -> str:
        assert self.view.drawing == drawn_maze(self.deck, self.state.maze)
        return "\n".join(self.view.drawing)

    def _sum(self) -> int:
        return self.view.open_sum

    def _mazes(self) -> int:
        return self.view.mazes

    def _decisions(self) -> int:
        return self.view.decisions

    def _boundary(self) -> str:
        return self.game.boundary(self.state)

    def _offers_by_cell(self) -> list[tuple[str, tuple[int, ...]]]:
        wires = [wire_offer(each)["fields"] for each in self._offers()]
        return [
            (cell, tuple(wire["rotation"]["options"]) if "rotation" in wire else ())
            for wire in wires
            for cell in wire["cell"]["options"]
        ]

    def _open(self) -> str:
        return ", ".join(
            f"({p.cell}).{p.edge} {ROMAN[p.priority]}" for p in self.view.open_passages
        )

    def _fallback(self) -> str:
        wire = wire_move(self.game.fallback(self.state, 0))
        rotation = f" r{wire['rotation']}" if "rotation" in wire else ""
        return f"({wire['cell']}){rotation}"

    def _outcome(self) -> BasicOutcome | AdvancedOutcome:
        assert self.view.outcome is not None
        return self.view.outcome

    def _over(self) -> str:
        outcome = self._outcome()
        figure = outcome.score if isinstance(outcome, BasicOutcome) else outcome.final_score
        assert outcome.decisions == self.state.decision_count
        assert self._end().note == outcome.result
        return f"{outcome.result.value} {figure}"

    def _left(self) -> int:
        assert self._outcome().cards_left == len(self.state.deck)
        return self._outcome().cards_left

    def _end(self) -> Over:
        turn = self.game.turn(self.state)
        assert isinstance(turn, Over)
        return turn

    def _score(self) -> int:
        return self._end().scores[0]

    def _rank(self) -> int:
        return self._end().ranks[0]

    def offers(self, text: str) -> "Play":
        """All offers: cells and, of a tunnel, their rotations."""
        shown = self._offers_by_cell()
        separator = ";" if any(rotations for _, rotations in shown) else ", "
        wanted = []
        for part in text.replace("−", "-").replace("), (", ")" + separator + "(").split(separator):
            cell, _, rotations = part.strip().partition(":")
            wanted.append((cell.strip("()"), tuple(map(int, filter(None, rotations.split(","))))))
        assert shown == wanted
        return self


def given(pile: str, board: str = "", **options: Any) -> Play:
    tiles = [_tile(*found) for found in LAID.findall(board.replace("−", "-"))]
    lying = [card for tile in tiles for card in (tile.card, tile.cave_in) if card]
    tables = deck_of([*pile.split(), *lying])
    deck, game = cards.load(tables), make(tables)
    chosen = _options(deck, options)
    play = Play(game, deck, game.new(chosen, 1))
    if not board:
        return play.deal(pile)
    state = State(
        options=chosen,
        status=Status.RUNNING,
        deck=tuple(pile.split()),
        maze=tuple(sorted(tiles, key=lambda tile: (tile.x, tile.y))),
    )
    return Play(game, deck, rules.advance(deck, state))


def played(pile: str, **options: Any) -> Play:
    """A match with the whole deck, shuffled into `pile`."""
    deck, game = cards.load(TABLES), make(TABLES)
    return Play(game, deck, game.new(_options(deck, options), 1)).deal(pile)


def deck_of(ids: list[str], **changes: Any) -> bytes:
    """A deck file of these cards of the house's deck."""
    rows = [card for card in FULL["cards"] if card["id"] in ids]
    assert len(rows) == len(ids)
    counts = Counter(card["kind"] for card in rows)
    whole = {**FULL, "deck_id": "scenario", "counts": counts, "cards": rows, **changes}
    return msgspec.json.encode(whole)


def _options(deck: cards.Deck, options: dict[str, Any]) -> Options:
    specials = {
        "bombs": deck.count(cards.Kind.BOMB),
        "cave_ins": deck.count(cards.Kind.CAVE_IN),
    }
    return Options(**{**specials, **options})


def _tile(x: str, y: str, cave_in: str, card: str, rotation: str) -> Tile:
    return Tile(int(x), int(y), card, int(rotation), cave_in or None)


ADVANCED = {"mode": Mode.ADVANCED}


def hard_edge(width: int, height: int) -> dict[str, Any]:
    return {"table": Table.HARD_EDGE, "table_width": width, "table_height": height}
