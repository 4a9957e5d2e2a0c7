"""The message behind `view` and `decision`: all a viewer may know, nothing others are offered."""

from random import Random

import msgspec
import pytest

from events.decide import CancelMatch, Resign
from games import registry
from games.core.game import SPECTATOR
from projections.projection import Encodings, project
from tests.events.scripted import Table


@pytest.fixture
def table() -> Table:
    return Table(registry.game("ambition_characters"), 4)


def test_before_the_start_there_is_no_view_and_nobody_is_asked() -> None:
    waiting = Table(registry.game("ambition_characters"), 4, is_seated=False)
    shown = project(waiting.current, 0)
    assert (shown.status, shown.view, shown.asked, shown.decision) == ("seating", None, None, None)
    assert [line.holder for line in shown.seats] == [None] * 4


def test_a_seat_that_is_asked_sees_its_decision_and_its_offers(table: Table) -> None:
    asked = table.current.decision
    assert asked is not None
    (seat,) = asked.offers
    shown = project(table.current, seat)
    assert shown.decision is not None
    assert shown.decision.id == f"{table.current.version}.{seat}"
    assert shown.decision.kind == asked.kind
    assert [offer["type"] for offer in shown.decision.offers] == ["pass_card"]
    assert [offer["type"] for offer in shown.decision.asides] == ["speak"]


def test_a_seat_that_is_not_asked_sees_who_is_and_of_what_kind_alone(table: Table) -> None:
    asked = table.current.decision
    assert asked is not None
    (seat,) = asked.offers
    shown = project(table.current, (seat + 1) % 4)
    assert shown.asked is not None
    assert (shown.asked.kind, shown.asked.seats) == (asked.kind, (seat,))
    assert shown.decision is not None
    assert (shown.decision.id, shown.decision.kind, shown.decision.offers) == (None, None, ())
    assert [line.asked for line in shown.seats] == [each == seat for each in range(4)]


def test_a_spectator_has_no_decision_and_the_view_of_the_public(table: Table) -> None:
    shown = project(table.current, SPECTATOR)
    assert shown.viewer is None
    assert shown.decision is None
    assert shown.view == table.game.view(table.current.state, SPECTATOR)


def test_an_aside_stays_open_to_a_seat_that_has_answered(table: Table) -> None:
    asked = table.current.decision
    assert asked is not None
    other = next(seat for seat in range(4) if seat not in asked.offers)
    shown = project(table.current, other)
    assert shown.decision is not None
    assert [offer["type"] for offer in shown.decision.asides] == ["speak"]


def test_a_resigned_seat_shows_as_such_and_a_cancelled_match_asks_nobody(table: Table) -> None:
    table.do(Resign(2))
    assert [line.resigned for line in project(table.current, 0).seats] == [
        False,
        False,
        True,
        False,
    ]
    own = project(table.current, 2).decision
    assert own is not None
    assert (own.id, own.offers, own.asides) == (None, (), ())
    table.do(CancelMatch())
    shown = project(table.current, 0)
    assert (shown.status, shown.asked, shown.decision, shown.result) == (
        "cancelled",
        None,
        None,
        None,
    )
    assert not any(line.asked for line in shown.seats)


def test_the_result_shows_when_the_match_is_over(table: Table) -> None:
    assert project(table.current, 0).result is None
    table.play_on(Random(1))
    shown = project(table.current, 0)
    assert shown.status == "over"
    assert shown.result == table.current.outcome


def test_all_spectators_share_one_encoding_and_seats_have_their_own(table: Table) -> None:
    encodings = Encodings(most=2)
    # What is looked at once is not kept.
    once = encodings.view(table.current, SPECTATOR)
    public = encodings.view(table.current, SPECTATOR)
    assert public is not once
    assert public == once
    assert encodings.view(table.current, SPECTATOR) is public
    for seat in (0, 0, 1, 1):
        assert encodings.view(table.current, seat) != public
    # The oldest of more than two is forgotten, and made again alike.
    assert encodings.view(table.current, SPECTATOR) is not public
    assert encodings.view(table.current, SPECTATOR) == public
    assert msgspec.json.decode(public)["viewer"] is None
