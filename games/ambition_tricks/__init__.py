"""Ambition, the trick-taking game: thirteen tricks for eighty card points, and not too many."""

from typing import Final

from games.ambition_tricks import rules, state, view
from games.ambition_tricks.imagining import imagine
from games.ambition_tricks.invariants import invariants
from games.ambition_tricks.moves import Move
from games.ambition_tricks.resampling import resample
from games.ambition_tricks.state import SEATS, NilBy, Options, PassCycle, State, Ties
from games.core.game import Game, Trial, drawn_by_several
from games.core.tables import digest

TABLES: Final = b""  # an ordinary deck

TRIALS: Final[tuple[Trial, ...]] = (
    (Options(), SEATS),
    (
        Options(
            pass_cycle=PassCycle.AUTHOR,
            nil_by=NilBy.POINTS,
            target_score=1000,
            max_hands=4,
            first_dealer=3,
        ),
        SEATS,
    ),
    (Options(ties=Ties.PLAY_ON, target_score=40, first_dealer=0), SEATS),
    (Options(ties=Ties.PLAY_ON, target_score=1, max_hands=1), SEATS),
)


def make(tables: bytes) -> Game[State, Move]:
    """The game; it has no component tables. Raises: ValueError if some are given."""
    if tables:
        raise ValueError("the game has no component tables")
    return Game(
        slug="ambition_tricks",
        name="Ambition (the trick-taking game)",
        rules_version=1,
        seats=(SEATS,),
        options=Options,
        state=State,
        move=Move,
        views=view.View,
        new=state.new,
        turn=rules.turn,
        apply=rules.apply,
        view=view.view,
        redact=view.redact,
        resample=resample,
        fallback=rules.fallback,
        boundary=rules.boundary,
        bound=rules.bound,
        invariants=invariants,
        imagine=imagine,
        trials=TRIALS,
        agreed_draw=drawn_by_several,
        data_digest=digest(tables),
    )


GAME: Final = make(TABLES)
