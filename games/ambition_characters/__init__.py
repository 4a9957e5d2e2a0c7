"""Ambition, the character card game, with the Strange Allies expansion."""

from functools import partial
from importlib.resources import files
from typing import Final

from games.ambition_characters import absent, characters, rules, state, view
from games.ambition_characters.imagining import imagine
from games.ambition_characters.invariants import invariants
from games.ambition_characters.moves import Move
from games.ambition_characters.resampling import resample
from games.ambition_characters.state import Options, SilenceScope, State
from games.core.game import Game, Trial, drawn_by_several
from games.core.tables import digest

TRIALS: Final[tuple[Trial, ...]] = (
    (Options(round_limit=200), 4),
    (Options(strange_allies=False, round_limit=200), 3),
    (Options(round_limit=60), 2),
    (Options(strange_allies=False, round_limit=60, removed_cards=2), 2),
    (Options(extended_players=True, round_limit=200), 5),
    (Options(extended_players=True, round_limit=200, removed_cards=3), 6),
    (Options(optional_powers=False, silence_scope=SilenceScope.FAQ_ONLY, round_limit=200), 3),
    (Options(table_talk=False, first_player=2, round_limit=200), 4),
    (Options(strange_allies=False, removed_cards=3, first_player=0, round_limit=2), 4),
)


def make(tables: bytes) -> Game[State, Move]:
    """The game with these component tables. Raises: TableRefused."""
    roster = characters.load(tables)
    return Game(
        slug="ambition_characters",
        name="Ambition: Strange Allies",
        rules_version=1,
        seats=(2, 3, 4, 5, 6),
        options=Options,
        state=State,
        move=Move,
        views=view.View,
        new=partial(state.new, roster),
        turn=partial(rules.turn, roster),
        apply=partial(rules.apply, roster),
        view=view.view,
        redact=view.redact,
        resample=resample,
        fallback=partial(absent.fallback, roster),
        boundary=rules.boundary,
        bound=rules.bound,
        invariants=invariants,
        imagine=imagine,
        trials=TRIALS,
        agreed_draw=drawn_by_several,
        data_digest=digest(tables),
    )


GAME: Final = make(files(__name__).joinpath("characters.json").read_bytes())
