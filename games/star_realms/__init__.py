"""Star Realms, with the Gambit set and its four scenarios."""

from functools import partial
from importlib.resources import files
from typing import Final

from games.core.game import Game, Trial
from games.core.tables import digest
from games.star_realms import box, opening, resampling, rules, state, view
from games.star_realms.imagining import imagine
from games.star_realms.invariants import invariants
from games.star_realms.moves import Move
from games.star_realms.rows import FILE
from games.star_realms.state import AllyTiming, FirstPlayerBy, Mode, Options, State

TRIALS: Final[tuple[Trial, ...]] = (
    (Options(turn_limit=20), 2),
    (Options(mode=Mode.FREE_FOR_ALL, turn_limit=18), 3),
    (Options(mode=Mode.BEAST_SOLO, turn_limit=10), 1),
    (Options(mode=Mode.BEAST_COOP, gambits_per_player=1, turn_limit=6), 3),
    (Options(mode=Mode.PIRATES_SOLO, gambits_per_player=3, turn_limit=10), 1),
    (Options(mode=Mode.PIRATES_COOP, turn_limit=6), 4),
    (
        Options(mode=Mode.BEAST_COOP, share_hands=False, beast_start_hand=5, turn_limit=8),
        2,
    ),
    (
        Options(mode=Mode.PIRATES_COOP, share_hands=False, gambits_per_player=4, turn_limit=8),
        2,
    ),
    (
        Options(
            ally_timing=AllyTiming.STICKY,
            first_player=FirstPlayerBy.SEAT_0,
            gambits_per_player=6,
            turn_limit=20,
        ),
        2,
    ),
    (
        Options(
            mode=Mode.FREE_FOR_ALL,
            gambits_per_player=0,
            mercenary_cruisers=False,
            trade_decks=2,
            turn_limit=20,
        ),
        6,
    ),
)


def make(tables: bytes) -> Game[State, Move]:
    """The game with these cards. Raises: DataRefused."""
    whole = box.load(tables)
    return Game(
        slug="star_realms",
        name="Star Realms: Gambit",
        rules_version=1,
        seats=(1, 2, 3, 4, 5, 6),
        options=Options,
        state=State,
        move=Move,
        views=view.View,
        new=partial(opening.new, whole),
        turn=partial(rules.turn, whole),
        apply=partial(rules.apply, whole),
        view=view.view,
        redact=partial(view.redact, whole),
        resample=partial(resampling.resample, whole),
        fallback=partial(rules.fallback, whole),
        boundary=rules.boundary,
        bound=rules.bound,
        invariants=partial(invariants, whole),
        imagine=partial(imagine, whole),
        trials=TRIALS,
        out=state.out_of_game,
        agreed_draw=rules.agreed_draw,
        reconstructed=partial(opening.reconstructed, whole),
        data_digest=digest(tables),
    )


TABLES: Final = files(__name__).joinpath(FILE).read_bytes()
GAME: Final = make(TABLES)
