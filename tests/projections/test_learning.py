"""Information reports: what each seat learnt by what a rewind skips, in cases made by hand."""

from collections.abc import Sequence
from random import Random
from typing import Any

from events.canonical import decoded
from events.rewinding import rewinds_of, skipped
from events.rulings import Rewind
from events.types import MatchRewound, MovePlayed
from games import registry
from games.core.game import SPECTATOR, Viewer
from projections.learning import Learnt, Skipped, learnt
from tests.events.disputed import ruled, to_boundary
from tests.events.scripted import Table
from tests.events.test_decide import arranged, chosen, table


def report(at: Table, viewer: Viewer) -> tuple[Learnt, ...]:
    """What the latest rewind can't take back from a viewer."""
    rewind = next(e for e in reversed(at.events) if isinstance(e, MatchRewound))
    return learnt(steps(at, skipped(rewinds_of(at.records), rewind.version)), viewer, at.dealer)


def steps(at: Table, versions: Sequence[int]) -> list[Skipped]:
    return [Skipped(at.after(v - 1), at.events[v - 1], at.after(v)) for v in versions if v > 1]


def told(lines: Sequence[Learnt]) -> list[tuple[int | None, bytes]]:
    return [(each.seat, bytes(each.move or b"null")) for each in lines]


def test_a_hidden_choice_teaches_nobody_but_the_last_one_teaches_all() -> None:
    at = arranged(table(2))  # The order of cards shows nothing.
    before = at.current.version
    chosen(at, 0)
    ruled(at, Rewind(to=before, boundary=None))
    # Seat 1 saw that a card was chosen, not which; seat 0 knows its own.
    assert report(at, 1) == ()
    assert report(at, SPECTATOR) == ()
    assert told(report(at, 0)) == [(0, b'{"card":9,"type":"choose"}')]

    again = chosen(arranged(table(2)), 0, 1)
    ruled(again, Rewind(to=before, boundary=None))
    for viewer in (0, 1, SPECTATOR):
        last = report(again, viewer)[-1]
        assert (last.seat, bytes(last.move or b"")) == (1, b'{"card":8,"type":"choose"}')
        assert [(each.seat, bytes(each.move)) for each in last.reveals] == [
            (0, b'{"card":9,"type":"choose"}')
        ]


def test_a_deal_taught_each_seat_its_own_cards() -> None:
    at = table(2)
    ruled(at, to_boundary(at, "round 1"))
    deal = [None] * 10
    for viewer in range(2):
        own: list[int | None] = [*deal]
        own[2 * viewer : 2 * viewer + 2] = [(9, 1), (8, 2)][viewer]
        shown = str(own).replace("None", "null").replace(" ", "").encode()
        assert told(report(at, viewer)) == [(None, b'{"cards":' + shown + b',"type":"deal"}')]
    assert report(at, SPECTATOR) == ()


def test_words_were_heard_and_waiving_was_seen() -> None:
    at = chosen(arranged(table(2)), 0, 1)
    before = at.current.version
    at.say(1, {"type": "speak", "text": "Mine"})
    at.play(0, {"type": "waive"})
    ruled(at, Rewind(to=before, boundary=None))
    kinds = [(each.seat, each.kind) for each in report(at, SPECTATOR)]
    assert kinds == [(1, "move_played"), (0, "move_played")]  # The deal of round 2 shows nothing.
    assert [each.kind for each in report(at, 0)][-1] == "chance_drawn"


def test_what_an_earlier_rewind_skipped_is_not_reported_twice() -> None:
    at = chosen(arranged(table(2)), 0)
    ruled(at, to_boundary(at, "round 1"))
    first = report(at, 0)
    assert len(first) == 2  # Its cards, its choice.
    ruled(at, to_boundary(at, "round 1"))
    assert [each.kind for each in report(at, 0)] == ["chance_drawn"]


def test_in_ambition_each_seat_learnt_its_cards_and_what_was_passed_to_it() -> None:
    at = Table(registry.game("ambition_tricks"), 4)
    at.play_on(Random(2), most=4)  # Four pass in secret; the last of them ends the passing.
    state, game = at.current.state, at.current.game
    views: list[Any] = [game.view(state, seat) for seat in range(4)]
    passers = [e.seat for e in at.events if isinstance(e, MovePlayed)]
    ruled(at, to_boundary(at, "hand 1"))
    for seat in range(4):
        dealer, dealt, *passing = report(at, seat)
        assert bytes(dealer.move or b"").startswith(b'{"dealer":')
        news = decoded(dealt.news or b"{}")
        assert set(news["own.hand"]) == {str(card) for card in views[seat].own.dealt}
        # Its own pass, and the one by which everybody got what was passed to it.
        assert [each.seat for each in passing] == [s for s in passers if s in (seat, passers[-1])]
        got = decoded(passing[-1].news or b"{}")
        received = [card for handed in views[seat].own.received for card in handed.cards]
        assert got["own.received[0].cards"] == received
    assert [each.seat for each in report(at, SPECTATOR)] == [None]  # Who deals is public.
