"""Takebacks by consent: the last move alone, and only if nobody can have learnt anything by it."""

import dataclasses

import pytest
from msgspec.structs import replace

from events.decide import Resign
from events.disputes import owed_consents
from events.disputing import AnswerTakeback, AskTakeback
from events.following import following
from events.match import Match
from events.refusals import (
    MatchNotRunning,
    MatchUnderReview,
    TakebackClosed,
    TakebackImpossible,
)
from events.rulings import ForceMove, Forfeit, Rewind
from events.types import By, MatchRewound, MovePlayed, TakebackAsked
from events.verify import verify_log
from games.core.game import Seen
from tests.events.disputed import answer, ask_back, reviewed, ruled
from tests.events.scripted import Table, changed, finished, where
from tests.events.test_decide import arranged, chosen, kinds, table


def test_a_takeback_needs_the_consent_of_every_other_seat() -> None:
    at = arranged(table(3))
    before = at.after(at.current.version - 1)
    ask_back(at, 0)
    answer(at, 1)
    assert kinds(at)[-1] == "takeback_answered"
    answer(at, 2)
    assert kinds(at)[-2:] == ["takeback_answered", "match_rewound"]
    assert at.current.state == before.state
    assert at.current.decision_of(0) == f"{at.current.version}.0"
    at.play(0, {"type": "arrange", "cards": [1, 9]})
    assert verify_log(at.records).fault is None


def test_one_refusal_ends_it_and_the_move_is_not_asked_for_again() -> None:
    at = arranged(table(3))
    ask_back(at, 0)
    answer(at, 1, consents=False)
    with pytest.raises(TakebackClosed):
        answer(at, 2)
    with pytest.raises(TakebackClosed):
        ask_back(at, 0)


def test_who_asked_does_not_consent_and_nobody_does_twice() -> None:
    at = arranged(table(3))
    ask_back(at, 0)
    with pytest.raises(TakebackClosed):
        answer(at, 0)
    answer(at, 1)
    with pytest.raises(TakebackClosed):
        answer(at, 1)
    with pytest.raises(TakebackClosed):
        at.do(AnswerTakeback(2, 999, True, None))


def test_another_answer_ends_a_takeback_that_waits() -> None:
    at = arranged(table(2))
    ask_back(at, 0)
    chosen(at, 1)
    with pytest.raises(TakebackClosed):
        answer(at, 1)


def test_only_the_own_last_move_is_taken_back() -> None:
    at = arranged(table(2))
    with pytest.raises(TakebackImpossible):
        ask_back(at, 1)
    chosen(at, 1)
    with pytest.raises(TakebackImpossible):
        ask_back(at, 0)


def test_a_move_that_shows_something_is_not_taken_back() -> None:
    at = chosen(arranged(table(2)), 1)  # `choose` declares nothing: it may show something
    with pytest.raises(TakebackImpossible):
        ask_back(at, 1)


def test_nothing_is_taken_back_after_a_draw() -> None:
    at = table(2)
    assert kinds(at)[-1] == "chance_drawn"
    for seat in range(2):
        with pytest.raises(TakebackImpossible):
            ask_back(at, seat)


def test_nothing_is_taken_back_after_a_word() -> None:
    at = arranged(table(2))
    at.say(1, {"type": "speak", "text": "Oh"})
    with pytest.raises(TakebackImpossible):
        ask_back(at, 0)


def test_nothing_is_taken_back_after_the_reveal() -> None:
    at = finished("high_card", 2)
    assert at.current.is_revealed
    for seat in range(2):
        with pytest.raises(MatchNotRunning):
            ask_back(at, seat)


def test_what_an_arbiter_played_is_not_taken_back() -> None:
    at = table(2)
    decision = at.current.decision_of(0)
    assert decision is not None
    ruled(at, ForceMove(seat=0, decision=decision), move={"type": "arrange", "cards": [9, 1]})
    last = at.current.last
    assert isinstance(last, MovePlayed)
    assert last.by is By.ARBITER
    with pytest.raises(TakebackImpossible):
        ask_back(at, 0)


def test_a_takeback_does_not_bring_a_resigned_seat_back() -> None:
    at = arranged(table(3))
    at.do(Resign(1))
    with pytest.raises(TakebackImpossible):
        ask_back(at, 0)
    other = arranged(table(3))
    ask_back(other, 0)
    other.do(Resign(1))
    with pytest.raises(AssertionError):  # Nothing is asked for any more.
        answer(other, 2)
    third = arranged(table(3))
    ruled(third, Forfeit(seat=2))
    with pytest.raises(TakebackImpossible):
        ask_back(third, 0)


def test_a_seat_that_gave_up_owes_no_consent_and_a_solitaire_game_has_nobody_to_ask() -> None:
    at = arranged(table(3))
    ask_back(at, 0)
    asked = at.current.takeback
    assert asked is not None
    assert owed_consents(at.current, asked) == (1, 2)
    assert owed_consents(replace(at.current, resigned=(2,)), asked) == (1,)
    alone = replace(at.current, created=replace(at.current.created, seats=1))
    due = following(alone, at.dealer, at.at)
    assert isinstance(due, MatchRewound)
    assert (due.to, due.cause) == (asked.move - 1, asked.asked)


def test_a_review_that_pauses_holds_takebacks_as_well() -> None:
    at = arranged(table(2))
    reviewed(at, 1)
    with pytest.raises(MatchUnderReview):
        ask_back(at, 0)


def test_a_rewind_withdraws_a_takeback() -> None:
    at = arranged(table(2))
    ask_back(at, 0)
    ruled(at, Rewind(to=at.current.version, boundary=None))
    with pytest.raises(AssertionError):
        answer(at, 1)
    ask_back(at, 0)  # A new line of play: it may be asked for again.


def test_a_takeback_of_a_move_of_hidden_type_is_refused() -> None:
    at = arranged(table(2))
    with pytest.raises(TakebackImpossible):
        at.do(AskTakeback(0, hidden(at)))


def hidden(at: Table) -> Match:
    """The match before the last move, in a game that hides even the types of moves."""
    last = at.current.last
    assert last is not None
    target = at.after(last.version - 1)
    game = dataclasses.replace(target.game, redact=lambda *_: Seen(None))
    return replace(target, game=game)


def test_a_granted_takeback_that_was_not_possible_is_a_fault() -> None:
    at = arranged(table(2))
    ask_back(at, 0)
    asked = at.events[-1]
    assert isinstance(asked, TakebackAsked)
    answer(at, 1)
    forged = changed(at, asked.version, seat=1)
    assert where(verify_log(forged)) == (asked.version, "beside_play")
    forged = changed(at, asked.version + 1, seat=0)
    assert where(verify_log(forged)) == (asked.version + 1, "beside_play")
    forged = changed(at, asked.version + 1, consents=False)
    assert where(verify_log(forged)) == (asked.version + 2, "unexplained")
