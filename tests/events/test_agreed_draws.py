"""Draws by agreement: offered, accepted, refused, and ended by whoever plays on."""

from random import Random

import pytest

from events.decide import Resign
from events.offering import AnswerDraw, OfferDraw
from events.refusals import AlreadyResigned, DrawClosed, MatchIsPaused, NoAgreedDraw
from events.results import Ending, SeatOutcome, result_in
from events.timing import PauseMatch
from events.types import Terminal
from events.verify import verify_log
from games import registry
from tests.events.disputed import ARBITER
from tests.events.scripted import Table, changed, where


def table(seats: int = 2, name: str = "high_card", *, agreed_draw: bool = True) -> Table:
    game = registry.game(name)
    return Table(game, seats, agreed_draw=agreed_draw).play_on(Random(1), most=1)


def offered(at: Table, seat: int = 0) -> int:
    at.do(OfferDraw(seat))
    return at.current.version


def is_over(at: Table) -> bool:
    return at.current.outcome is not None


def sound(at: Table) -> None:
    assert verify_log(at.records).fault is None


def test_two_seats_agree_on_a_draw() -> None:
    at = table()
    at.do(AnswerDraw(1, offered(at), accepts=True))
    assert at.current.outcome is not None
    assert at.current.outcome.terminal is Terminal.AGREED
    assert (at.current.outcome.ranks, at.current.outcome.scores) == ((1, 1), None)
    assert at.current.is_revealed
    result = result_in(at.events)
    assert result.terminal is Ending.AGREED
    assert {each.outcome for each in result.seats} == {SeatOutcome.DRAW}
    sound(at)


def test_all_that_still_play_have_to_accept() -> None:
    at = table(4)
    at.do(Resign(3))
    offer = offered(at)
    at.do(AnswerDraw(1, offer, accepts=True))
    assert not is_over(at)
    with pytest.raises(DrawClosed):
        at.do(AnswerDraw(1, offer, accepts=True))
    with pytest.raises(AlreadyResigned):
        at.do(AnswerDraw(3, offer, accepts=True))
    at.do(AnswerDraw(2, offer, accepts=True))
    assert at.current.outcome is not None
    assert at.current.outcome.ranks == (1, 1, 1, 4)
    sound(at)


def test_one_refusal_ends_an_offer_and_it_is_not_made_again_at_once() -> None:
    at = table()
    offer = offered(at)
    at.do(AnswerDraw(1, offer, accepts=False))
    with pytest.raises(DrawClosed):
        at.do(AnswerDraw(1, offer, accepts=True))
    with pytest.raises(DrawClosed):
        at.do(OfferDraw(0))
    offered(at, 1)
    sound(at)


def test_whoever_plays_on_ends_the_offer() -> None:
    at = table()
    offer = offered(at)
    at.play_on(Random(2), most=1)
    with pytest.raises(DrawClosed):
        at.do(AnswerDraw(1, offer, accepts=True))
    offered(at)
    sound(at)


def test_nobody_accepts_its_own_offer_or_offers_over_another() -> None:
    at = table()
    offer = offered(at)
    with pytest.raises(DrawClosed):
        at.do(AnswerDraw(0, offer, accepts=True))
    with pytest.raises(DrawClosed):
        at.do(OfferDraw(1))


def test_a_seat_that_goes_ends_the_offer() -> None:
    at = table(3)
    offer = offered(at)
    at.do(AnswerDraw(1, offer, accepts=True))
    at.do(Resign(2))
    assert not is_over(at)
    with pytest.raises(DrawClosed):
        at.do(AnswerDraw(1, offer, accepts=True))
    sound(at)


def test_nothing_is_agreed_on_while_the_match_is_paused() -> None:
    at = table()
    offer = offered(at)
    at.do(PauseMatch(ARBITER))
    with pytest.raises(MatchIsPaused):
        at.do(AnswerDraw(1, offer, accepts=True))


def test_a_match_whose_seats_may_not_agree_says_so() -> None:
    at = table(agreed_draw=False)
    with pytest.raises(NoAgreedDraw):
        at.do(OfferDraw(0))
    assert b"agreed_draw" not in at.records[0].body


def test_each_game_says_whether_its_seats_may_agree() -> None:
    allowed = {
        (game.slug, seats)
        for game in registry.games()
        for options, seats in game.trials
        if game.agreed_draw(options, seats)
    }
    assert all(seats > 1 for _, seats in allowed)
    realms = registry.game("star_realms")
    coop = [trial for trial in realms.trials if "coop" in str(trial[0].mode)]  # type: ignore[attr-defined]
    assert coop
    assert not any(realms.agreed_draw(options, seats) for options, seats in coop)


def test_a_draw_in_a_game_that_knows_none_is_found() -> None:
    at = Table(registry.game("ambagibus"), 1)
    assert where(verify_log(changed(at, 1, agreed_draw=True))) == (1, "created")
