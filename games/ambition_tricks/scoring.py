"""The end of a hand and of the match: awards, labels, ranks."""

from typing import Final, NamedTuple

from msgspec.structs import replace

from games.ambition_tricks.state import (
    NO_CARDS,
    NO_PASSES,
    SEATS,
    Label,
    NilBy,
    Options,
    Phase,
    ScoredHand,
    State,
    Ties,
    points,
    tricks_won,
)
from games.core.game import Over

SLAM: Final = 51  # card points
SLAM_AWARD: Final = 40
NIL_AWARD: Final = 20  # shared by two nils
UNDERSTRIKE: Final = 10  # card points below it pay nothing


class Award(NamedTuple):
    label: Label
    points: int


def hand_scored(state: State) -> State:
    """The state after a finished hand: over, or waiting for the next deal.

    Rules: AT-08, AT-37, AT-38, AT-41, AT-42, AT-45.
    """
    won, taken = tricks_won(state), points(state)
    given = awards(state.options, won, taken)
    totals = tuple(old + award.points for old, award in zip(state.scores, given, strict=True))
    hand = ScoredHand(
        tricks_won=won,
        points=taken,
        labels=tuple(award.label for award in given),
        awards=tuple(award.points for award in given),
        totals=totals,
        last_trick=state.tricks[-1],
    )
    after = replace(state, scores=totals, history=(*state.history, hand))
    if ended_by(after) is not None:
        return replace(after, phase=Phase.OVER)
    assert state.dealer is not None
    return replace(
        after,
        phase=Phase.DEAL,
        hand_no=state.hand_no + 1,
        dealer=(state.dealer + 1) % SEATS,
        deck=(),
        passed=NO_PASSES,
        hands=NO_CARDS,
        tricks=(),
    )


def awards(options: Options, won: tuple[int, ...], taken: tuple[int, ...]) -> tuple[Award, ...]:
    """Rules: AT-31, AT-32, AT-33, AT-34, AT-35, AT-36."""
    most = max(taken)
    if most >= SLAM:
        slam, shut_out = Award(Label.SLAM, SLAM_AWARD), Award(Label.SHUT_OUT, 0)
        return tuple(slam if own == most else shut_out for own in taken)
    counted = won if options.nil_by is NilBy.TRICKS else taken
    nil = Award(Label.NIL, NIL_AWARD // max(1, counted.count(0)))
    return tuple(
        nil if count == 0 else _award(own, most) for own, count in zip(taken, counted, strict=True)
    )


def _award(own: int, most: int) -> Award:
    if own == most:
        return Award(Label.STRIKE, 0)
    if own < UNDERSTRIKE:
        return Award(Label.UNDERSTRIKE, 0)
    return Award(Label.SCORED, own)


def ended_by(state: State) -> str | None:
    """Why the match is over after its last scored hand, or None if it is not.

    Rules: AT-38, AT-40, AT-42.
    """
    options, top = state.options, max(state.scores)
    is_tied = state.scores.count(top) > 1
    if top >= options.target_score and not (is_tied and options.ties is Ties.PLAY_ON):
        return "target"
    return "max_hands" if state.hand_no == options.max_hands else None


def outcome(state: State) -> Over:
    """Rules: AT-39, AT-40."""
    assert state.phase is Phase.OVER
    ranks = tuple(1 + sum(other > own for other in state.scores) for own in state.scores)
    return Over(state.scores, ranks, ended_by(state) or "")
