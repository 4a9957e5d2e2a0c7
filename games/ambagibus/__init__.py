"""Ambagibus, the solitaire maze game: tunnels laid edge to edge until no passage is open."""

from functools import partial
from importlib.resources import files
from typing import Final

from games.ambagibus import cards, rules, state, view
from games.ambagibus.imagining import imagine
from games.ambagibus.invariants import invariants
from games.ambagibus.moves import Move
from games.ambagibus.state import Mode, Options, State, Table
from games.core.game import Game, Trial
from games.core.tables import digest

TRIALS: Final[tuple[Trial, ...]] = (
    (Options(), 1),
    (Options(mode=Mode.ADVANCED), 1),
    (Options(table=Table.HARD_EDGE), 1),
    (Options(mode=Mode.ADVANCED, table=Table.HARD_EDGE, table_width=7, table_height=5), 1),
    (Options(table=Table.HARD_EDGE, table_width=3, table_height=3), 1),
    (Options(mode=Mode.ADVANCED, table=Table.HARD_EDGE, table_width=4, table_height=3), 1),
    (Options(bombs=0, cave_ins=0), 1),
    (Options(mode=Mode.ADVANCED, bombs=2, cave_ins=0), 1),
    (Options(mode=Mode.ADVANCED, bombs=1, cave_ins=1), 1),
)


def make(tables: bytes) -> Game[State, Move]:
    """The game with this deck. Raises: DeckRefused."""
    deck = cards.load(tables)
    return Game(
        slug="ambagibus",
        name="Ambagibus",
        rules_version=1,
        seats=(1,),
        options=Options,
        state=State,
        move=Move,
        views=view.View,
        new=partial(state.new, deck),
        turn=partial(rules.turn, deck),
        apply=partial(rules.apply, deck),
        view=partial(view.view, deck),
        redact=view.redact,
        resample=view.resample,
        fallback=partial(rules.fallback, deck),
        boundary=rules.boundary,
        bound=partial(state.bound, deck),
        invariants=partial(invariants, deck),
        imagine=imagine,
        trials=TRIALS,
        complete=partial(state.complete, deck),
        reconstructed=lambda options: deck.reconstructed,
        data_digest=digest(tables),
    )


TABLES: Final = files(__name__).joinpath("cards.json").read_bytes()
GAME: Final = make(TABLES)
