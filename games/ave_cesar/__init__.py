"""Ave Cesar: characters drafted in secret, cities built from cards that are money as well."""

from functools import partial
from importlib.resources import files
from typing import Final

from games.ave_cesar import absent, rules, state, view
from games.ave_cesar.deck import load
from games.ave_cesar.imagining import imagine
from games.ave_cesar.invariants import invariants
from games.ave_cesar.moves import Move
from games.ave_cesar.resampling import resample
from games.ave_cesar.state import (
    SEATS,
    DiscardPile,
    FourPlayerDiscard,
    HarvestBy,
    Options,
    State,
)
from games.core.game import Game, Trial, drawn_by_several
from games.core.tables import digest

TRIALS: Final[tuple[Trial, ...]] = (
    (Options(), 5),
    (Options(), 4),
    (Options(round_limit=5), 6),
    (Options(), 7),
    (
        Options(
            four_player_discard=FourPlayerDiscard.STARTING_PLAYER_ONLY,
            harvest=HarvestBy.ALL,
            round_limit=5,
        ),
        4,
    ),
    (Options(discard_pile=DiscardPile.FACE_UP, score_token_limit=3, round_limit=7), 5),
    (Options(influence_zero_scores=False, harvest=HarvestBy.ALL, round_limit=2), 7),
)


def make(tables: bytes) -> Game[State, Move]:
    """The game with this deck. Raises: DeckRefused."""
    deck = load(tables)
    return Game(
        slug="ave_cesar",
        name="Ave Cesar",
        rules_version=1,
        seats=SEATS,
        options=Options,
        state=State,
        move=Move,
        views=view.View,
        new=partial(state.new, deck),
        turn=partial(rules.turn, deck),
        apply=partial(rules.apply, deck),
        view=partial(view.view, deck),
        redact=view.redact,
        resample=partial(resample, deck),
        fallback=partial(absent.fallback, deck),
        boundary=rules.boundary,
        bound=partial(rules.bound, deck),
        invariants=partial(invariants, deck),
        imagine=partial(imagine, deck),
        trials=TRIALS,
        agreed_draw=drawn_by_several,
        complete=partial(state.complete, deck),
        reconstructed=lambda options: deck.reconstructed,
        data_digest=digest(tables),
    )


TABLES: Final = files(__name__).joinpath("deck.json").read_bytes()
GAME: Final = make(TABLES)
