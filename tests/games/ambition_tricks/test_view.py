"""Who knows what."""

import msgspec

from games.ambition_tricks import GAME
from games.ambition_tricks.cards import DECK
from games.ambition_tricks.state import Phase
from games.ambition_tricks.view import Handed
from games.core.game import SPECTATOR
from tests.games.ambition_tricks.build import (
    SAMPLE_PASSES,
    SAMPLE_TRICKS,
    cards,
    opened,
    sample,
)

VIEWERS = (0, 1, 2, 3, SPECTATOR)


def test_nobody_sees_the_order_of_the_deal() -> None:
    match = sample()
    for viewer in VIEWERS:
        assert match.wire(viewer) == {"type": "deal", "cards": [None] * 52}
    assert match.own(0).dealt == match.own(0).hand == cards(match.hand(0))
    assert match.view(SPECTATOR).own is None


def test_a_hand_and_what_was_dealt_are_seen_by_their_owner_alone() -> None:
    match = sample()
    for viewer in VIEWERS:
        text = msgspec.json.encode(match.view(viewer)).decode()
        shown = {card for card in DECK if f'"{card}"' in text}
        assert shown == (set(cards(match.hand(viewer))) if viewer >= 0 else set())


def test_the_owner_of_a_pass_sees_it_whole() -> None:
    match = sample().passes("0:2S AH TC")
    assert match.wire(0) == {"type": "pass", "cards": ["TC", "AH", "2S"]}


def test_passed_cards_are_known_to_passer_and_receiver() -> None:
    match = sample().passes(SAMPLE_PASSES)
    assert match.own(0).passed == (Handed(3, cards("TC AH 2S")),)
    assert match.own(3).received == (Handed(0, cards("TC AH 2S")),)
    for viewer in (1, 2, SPECTATOR):
        text = msgspec.json.encode(match.view(viewer)).decode()
        assert not [code for code in ("TC", "AH", "2S") if f'"{code}"' in text]
    for viewer in (0, 1, 2, SPECTATOR):
        assert match.wire(viewer) == {"type": "pass", "cards": [None] * 3}
        assert match.seen(viewer).reveals == ()


def test_finished_tricks_stay_in_the_view_until_the_hand_is_over() -> None:
    match = sample(max_hands=2).passes().kickoff().plays(SAMPLE_TRICKS)
    view = match.view(SPECTATOR)
    assert view.tricks == ()
    assert view.history[0].last_trick.cards == cards("JH 4S QC 9H")


def test_at_the_end_a_view_gains_the_outcome_and_nothing_hidden() -> None:
    match = sample(max_hands=1).passes().kickoff().plays(SAMPLE_TRICKS)
    assert match.state.phase is Phase.OVER
    view = match.view(SPECTATOR)
    assert view.outcome is not None
    assert view.outcome.winners == (0,)
    assert view.outcome.ended_by == "max_hands"
    assert len(view.tricks) == 13
    assert view.own is None
    assert match.own(1).received == (Handed(2, cards("4H KH 8S")),)
    assert match.own(1).hand == ()


def test_a_wire_view_speaks_in_codes() -> None:
    match = sample().passes().kickoff().plays("3:3S 0:4D")
    wire = msgspec.json.decode(msgspec.json.encode(match.view(1)))
    assert wire["phase"] == "play"
    assert wire["direction"] == "right"
    assert wire["trick"] == {"number": 2, "leader": 3, "suit": "S", "cards": ["3S", "4D"]}
    assert wire["tricks"] == [
        {"leader": None, "cards": ["9D", "6H", "KD", "AD"], "winner": 3, "points": 10}
    ]
    assert wire["seats"][3] == {
        "hand_size": 11,
        "has_committed": False,
        "tricks_won": 1,
        "points": 10,
    }
    assert wire["asked"] == [1]
    assert wire["own"]["passed"] == [{"seat": 0, "cards": ["2D", "4D", "JH"]}]


def test_the_game_names_its_views() -> None:
    assert isinstance(opened().view(SPECTATOR), GAME.views)
