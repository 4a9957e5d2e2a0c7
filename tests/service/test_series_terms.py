"""What follows of the results of a series: pure, so also what is long or odd."""

import pytest

from events.results import Ending, Result, ResultStatus, SeatOutcome, SeatResult
from service.batches.points import ByOutcome, ByRank, ByScore, Scoring
from service.series.terms import (
    Adopt,
    Game,
    Length,
    Open,
    OpensOn,
    Rotation,
    SeriesState,
    Terms,
    follows,
    seating,
)

FINAL, PROVISIONAL = ResultStatus.FINAL, ResultStatus.PROVISIONAL


def terms(games: int = 3, scoring: Scoring | None = None, **more: object) -> Terms:
    fields: dict[str, object] = {
        "length": Length.BEST_OF,
        "rotation": Rotation.ROTATE,
        "seatings": (),
        "opens_on": OpensOn.PROVISIONAL,
        **more,
    }
    return Terms(games=games, scoring=scoring or ByOutcome(), game="x", match={}, **fields)  # type: ignore[arg-type]


def result(*ranks: int, status: ResultStatus = FINAL, scores: tuple[int, ...] = ()) -> Result:
    seats = tuple(
        SeatResult(
            seat,
            rank,
            scores[seat] if scores else None,
            SeatOutcome.LOSS if rank != 1
            else SeatOutcome.WIN if ranks.count(1) == 1 else SeatOutcome.DRAW,
            False,
            False,
            False,
            (),
        )
        for seat, rank in enumerate(ranks)
    )  # fmt: skip
    return Result(status, 1, 9, Ending.NORMAL, None, seats)


def void(replaced_by: str | None = None) -> Result:
    ending = Ending.VOID if replaced_by is None else Ending.REPLAYED
    return Result(FINAL, 1, 9, ending, replaced_by, ())


def game(number: int, found: Result | None, attempt: int = 0, entrants: int = 2) -> Game:
    own = seating(terms(), number, entrants)
    return Game(number, attempt, f"m{number}.{attempt}", own, found)


def won(number: int, winner: int) -> Game:
    """By an entrant, wherever it sat."""
    own = seating(terms(), number, 2)
    return game(number, result(*(1 if entrant == winner else 2 for entrant in own)))


def test_it_begins_with_the_first_match() -> None:
    tally, following = follows(terms(), 2, [])
    assert (tally.state, following) == (SeriesState.RUNNING, Open(0, 0))


@pytest.mark.parametrize(
    ("winners", "state", "following"),
    [
        ((0,), "running", Open(1, 0)),
        ((0, 0), "decided", None),
        ((0, 1), "running", Open(2, 0)),
        ((0, 1, 1), "decided", None),
    ],
)
def test_best_of_three(winners: tuple[int, ...], state: str, following: Open | None) -> None:
    games = [won(number, winner) for number, winner in enumerate(winners)]
    tally, found = follows(terms(), 2, games)
    assert (tally.state, found) == (state, following)
    if state == "decided":
        assert tally.winner == winners[-1]


def test_what_was_played_after_the_decision_does_not_count() -> None:
    games = [won(0, 0), won(1, 0), won(2, 1)]
    tally, _ = follows(terms(), 2, games)
    assert (tally.points, tally.played, tally.winner) == ((4, 0), 2, 0)


def test_a_draw_can_keep_it_open_and_a_lead_that_holds_closes_it() -> None:
    drawn = game(1, result(1, 1))
    tally, found = follows(terms(5), 2, [won(0, 0), drawn, won(2, 0)])
    assert (tally.points, found) == ((5, 1), Open(3, 0))  # Two wins more would be level.
    tally, found = follows(terms(5), 2, [won(0, 0), drawn, won(2, 0), won(3, 0)])
    assert (tally.state, found) == ("decided", None)


def test_scores_have_no_bound_so_all_are_played() -> None:
    far = game(0, result(1, 2, scores=(900, 1)))
    tally, found = follows(terms(2, ByScore()), 2, [far])
    assert (tally.points, found) == ((900, 1), Open(1, 0))
    back = game(1, result(1, 2, scores=(2000, 5)))  # Entrant 1 sits at seat 0.
    tally, found = follows(terms(2, ByScore()), 2, [far, back])
    assert (tally.points, tally.winner, found) == ((905, 2001), 1, None)


@pytest.mark.parametrize(("win", "winner"), [(0, 0), (900, 1)])
def test_a_win_that_gave_no_scores_has_points_of_its_own(win: int, winner: int) -> None:
    first = game(0, result(1, 2, scores=(900, 1)))
    given_up = game(1, result(1, 2))  # Entrant 1 sits at seat 0.
    tally, _ = follows(terms(2, ByScore(win=win)), 2, [first, given_up])
    assert (tally.points, tally.winner) == ((900, 1 + win), winner)


def test_points_by_rank_for_several() -> None:
    scoring = ByRank(points=(4, 2, 1))
    first = Game(0, 0, "a", (0, 1, 2, 3), result(2, 1, 3, 4))
    tally, _ = follows(terms(3, scoring), 4, [first])
    assert tally.points == (2, 4, 1, 0)


def test_a_result_that_may_change_holds_it_up_if_that_is_wanted() -> None:
    open_yet = game(0, result(1, 2, status=PROVISIONAL))
    assert follows(terms(), 2, [open_yet])[1] == Open(1, 0)
    assert follows(terms(opens_on=OpensOn.FINAL), 2, [open_yet])[1] is None


def test_without_a_result_it_is_played_again_until_it_stalls() -> None:
    games = [game(0, void(), attempt) for attempt in range(3)]
    assert follows(terms(), 2, games[:1])[1] == Open(0, 1)
    assert follows(terms(), 2, games[:2])[1] == Open(0, 2)
    tally, found = follows(terms(), 2, games)
    assert (tally.state, found) == (SeriesState.STALLED, None)


def test_what_is_played_elsewhere_is_adopted() -> None:
    old = game(0, void("other"))
    assert follows(terms(), 2, [old])[1] == Adopt(old, "other", 1)
    new = Game(0, 1, "other", old.seating, None)
    assert follows(terms(), 2, [old, new])[1] is None


def test_a_ruling_gives_any_attempt_a_result() -> None:
    games = [game(0, void()), game(0, result(1, 2), 1), game(0, void(), 2)]
    tally, found = follows(terms(), 2, games)
    assert (tally.state, tally.points, found) == (SeriesState.RUNNING, (2, 0), Open(1, 0))


def test_the_newest_attempt_that_may_have_a_result_counts() -> None:
    games = [game(0, result(1, 2)), game(0, None, 1)]
    assert follows(terms(), 2, games)[1] is None
    games[1] = game(0, result(2, 1), 1)
    assert follows(terms(), 2, games)[0].points == (0, 2)


def test_a_replay_of_an_earlier_attempt_is_followed_once() -> None:
    old, new = game(0, void("other")), game(0, None, 1)
    assert follows(terms(), 2, [old, new])[1] == Adopt(old, "other", 2)
    followed = Game(0, 2, "other", old.seating, None)
    assert follows(terms(), 2, [old, new, followed])[1] is None


def test_everybody_sits_everywhere() -> None:
    assert [seating(terms(), n, 3) for n in range(3)] == [(0, 1, 2), (1, 2, 0), (2, 0, 1)]
    alternate = terms(rotation=Rotation.ALTERNATE)
    assert [seating(alternate, n, 3) for n in range(3)] == [(0, 1, 2), (2, 1, 0), (0, 1, 2)]
    given = terms(rotation=Rotation.GIVEN, seatings=((1, 0),))
    assert seating(given, 0, 2) == (1, 0)
