"""Scenarios: turns, buildings, the Assassin and the Spy."""

import pytest
from msgspec.structs import replace

from games.ave_cesar.state import PlotStatus, Project
from games.core.game import SPECTATOR
from tests.games.ave_cesar.build import Match, given

S08 = (
    "K1; call 7; P2 hand statue.1, courthouse.1, port.1; P2 city rostra.1; P1 city statue.2; "
    "P3 city statue.3; deck bridge.1, market.1, mill.1"
)
S14 = (
    "K1; call 7; assassin senator; spy senator; P0 hand shrine.1; P1 hand mint.1; "
    "P2 hand baths.1, statue.1, circus.1; deck rostra.1-3, courthouse.1"
)


def test_av_s08_a_normal_turn() -> None:
    match = given(S08)
    assert match.hand(2) == "statue.1 courthouse.1 market.1 bridge.1 port.1"
    assert match.offers(2) == (
        "build statue.1, build courthouse.1, build market.1, build bridge.1, address, end_phase"
    )
    match.plays("P2 address")
    assert match.state.points == (0, 0, 2, 0, 0)
    match.plays("P2 build market.1")
    for viewer in (*range(5), SPECTATOR):
        turn = match.view(viewer).turn
        assert turn is not None
        assert turn.project == Project(seat=2, card="market.1", cost=2)
    match.plays("P2 pay statue.1, port.1")
    for viewer in (0, 1, 3, 4, SPECTATOR):
        assert match.wire(viewer) == {"type": "pay", "cards": [None, None]}
        assert match.wire(viewer, back=2) == {"type": "build", "card": "market.1"}
        assert match.view(viewer).seats[2].hand_count == 3
    assert match.wire(2) == {"type": "pay", "cards": ["statue.1", "port.1"]}
    assert match.city(2) == "rostra.1 market.1"
    assert match.hand(2) == "courthouse.1 mill.1 bridge.1"
    assert match.discard() == "statue.1 port.1"
    assert match.asked() == ("action", [3])


def test_av_s09_stables_and_mint() -> None:
    match = given(
        "K1; call 5; P4 hand port.1, fortress.1; P4 city stables.1, mint.1; deck fortress.2, "
        "temple_of_jupiter.1, archive.1, treasury.1, bridge.1, baths.1, circus.1, forum.1"
    )
    assert match.offers(4) == "build port.1, survey, end_phase"
    match.plays("P4 build port.1")
    assert match.city(4) == "stables.1 mint.1 port.1"
    assert match.hand(4) == "archive.1"
    match.plays("P4 survey")
    assert match.asked() == ("look", [4])
    assert match.offers(4) == ("keep_looked 1 of forum.1 bridge.1 treasury.1 baths.1 circus.1")
    match.plays("P4 keep_looked bridge.1")
    assert match.hand(4) == "archive.1 bridge.1"
    assert set(match.discard().split()) == {
        *("fortress.1", "fortress.2", "temple_of_jupiter.1"),
        *("treasury.1", "baths.1", "circus.1", "forum.1"),
    }
    assert match.offers(4) == "end_phase"


def test_av_s10_identical_buildings() -> None:
    match = given(
        "K1; call 7; P2 hand barracks.2, watchtower.2; "
        "P2 city barracks.1, watchtower.1, port.1, mint.1; deck port.2, mint.2"
    )
    assert match.offers(2) == "build watchtower.2, address, end_phase"
    match.plays("P2 build watchtower.2; P2 pay barracks.2")
    assert match.city(2) == "barracks.1 watchtower.1 port.1 mint.1 watchtower.2"
    match.plays("P2 address")
    assert match.state.points[2] == 2
    assert match.asked() == ("action", [3])


def test_av_s11_the_assassin_plays_normally() -> None:
    match = given("K1; call 1; P0 hand shrine.1; deck bridge.1, tenement.1")
    assert match.offers(0) == (
        "announce_victim spy, announce_victim philosopher, announce_victim procurator, "
        "announce_victim architect, announce_victim centurion, announce_victim senator, "
        "announce_victim farmer, play_normally"
    )
    assert match.refuses("P0 announce_victim assassin") == "move not offered: announce_victim"
    match.plays("P0 play_normally")
    assert match.offers(0) == "build shrine.1, build tenement.1, build bridge.1, end_phase"
    match.plays("P0 build shrine.1")
    assert (match.hand(0), match.city(0)) == ("tenement.1 bridge.1", "shrine.1")
    assert match.asked() == ("spy_target", [1])


def test_av_s12_the_victim_is_not_there() -> None:
    match = given(
        "K1; call 1; P0 hand shrine.1, bridge.1; P0 city orchard.1 (port.1, port.2); token P0; "
        "deck mill.1, mill.2"
    )
    match.plays("P0 announce_victim procurator; P1 no_target")
    assert match.hand(1) == "mill.1 mill.2"
    match.plays("P1 end_phase")
    assert match.asked() == ("action", [4])
    shown = match.view(SPECTATOR)
    assert [(call.character, call.seat) for call in shown.calls[2:4]] == [
        ("philosopher", None),
        ("procurator", None),
    ]
    assert shown.assassin is not None
    assert shown.assassin.status is PlotStatus.LOST
    assert match.hand(0) == "shrine.1 bridge.1"
    assert match.city(0) == "orchard.1(port.1 port.2)"
    assert match.state.token == 0
    assert not any(move[1] == 0 for move in match.steps[1:])


def test_av_s13_the_assassin_takes_the_architect() -> None:
    match = given(
        "K1; call 5; assassin architect; P0 hand barracks.1, statue.1, circus.1, "
        "imperial_palace.1; P4 hand bridge.2; deck tenement.1, watchtower.1, tenement.2, tenement.3"
    )
    assert match.offers(0) == (
        "build watchtower.1, build barracks.1, build statue.1, build tenement.1, survey, end_phase"
    )
    match.plays("P0 build barracks.1; P0 pay circus.1, imperial_palace.1")
    match.plays("P0 build statue.1; P0 pay watchtower.1")
    assert match.offers(0) == "survey, end_phase"
    match.plays("P0 end_phase")
    assert match.hand(4) == "tenement.2 tenement.3 bridge.2"
    assert match.offers(4) == "build tenement.2, build tenement.3, build bridge.2, end_phase"
    match.plays("P4 build bridge.2")
    assert match.state.actor != 4
    assert (match.hand(0), match.city(0)) == ("tenement.1", "barracks.1 statue.1")
    assert (match.hand(4), match.city(4)) == ("", "bridge.2")


def test_av_s14_assassin_and_spy_on_the_same_character() -> None:
    match = given(S14)
    assert match.view(3).seats[2].character == "senator"
    assert match.offers(1) == "steal 2 of statue.1 baths.1 circus.1, leave"
    shown = match.own(1).shown_hand
    assert shown is not None
    assert (shown.seat, shown.cards) == (2, ("statue.1", "baths.1", "circus.1"))
    for refused in ("P1 steal baths.1", "P1 steal statue.1, baths.1, circus.1"):
        assert match.refuses(refused) == "move not offered: steal"
    match.plays("P1 steal baths.1, circus.1")
    for viewer in range(5):
        cards = ["baths.1", "circus.1"] if viewer in (1, 2) else [None, None]
        assert match.wire(viewer) == {"type": "steal", "cards": cards}
    assert match.asked() == ("action", [0])
    assert match.hand(0) == "rostra.1 rostra.2 shrine.1"
    match.plays("P0 address; P0 end_phase")
    assert match.state.points == (1, 0, 0, 0, 0)
    assert match.hand(2) == "statue.1 rostra.3 courthouse.1"
    assert match.offers(2) == "build statue.1, build rostra.3, build courthouse.1, end_phase"
    assert match.hand(1) == "mint.1 baths.1 circus.1"


def test_av_s15_the_assassin_takes_the_spy() -> None:
    match = given(
        "K1; call 1; P0 hand shrine.1; P1 hand theatre.1; P3 hand forum.1, forum.2, port.1, "
        "port.2; deck mill.1-3, orchard.1-2, vineyard.1-3, mint.1-2"
    )
    match.plays("P0 announce_victim spy")
    assert match.asked() == ("spy_target", [0])
    assert match.offers(0) == (
        "announce_target philosopher, announce_target procurator, announce_target architect, "
        "announce_target centurion, announce_target senator, announce_target farmer, no_target"
    )
    for refused in ("spy", "assassin"):
        match.refuses(f"P0 announce_target {refused}")
    match.plays("P0 announce_target farmer")
    assert match.hand(0) == "shrine.1 mill.1 mill.2"
    match.plays("P0 end_phase")
    assert match.asked() == ("action", [1])
    assert match.hand(1) == "mill.3 orchard.1 theatre.1"
    match.plays("P1 end_phase")
    assert match.hand(4) == "orchard.2 vineyard.1"
    match.plays("P4 end_phase")
    assert match.hand(2) == "vineyard.2 vineyard.3"
    match.plays("P2 end_phase")
    assert match.asked() == ("spy_steal", [0])
    match.plays("P0 steal port.1, port.2")
    assert match.hand(0) == "shrine.1 mill.1 mill.2 port.1 port.2"
    assert match.hand(3) == "forum.1 forum.2 mint.1 mint.2"


def test_av_s16_the_assassin_takes_the_procurator() -> None:
    match = given("K2; call 4; assassin procurator; token P1; deck port.1-2, forum.1, fortress.1-2")
    assert match.asked() == ("action", [0])
    assert match.hand(0) == "port.1 port.2"
    match.plays("P0 claim")
    assert (match.hand(0), match.state.token) == ("forum.1 port.1 port.2", 0)
    match.plays("P0 end_phase")
    assert match.asked() == ("action", [1])
    assert match.hand(1) == "fortress.1 fortress.2"
    assert "claim" not in match.offers(1)


def test_av_s17_the_assassin_takes_the_philosopher() -> None:
    match = given(
        "K3; SP P3; call 3; assassin philosopher; P2 hand circus.1, statue.1; "
        "deck port.1-2, forum.1, fortress.1"
    )
    assert match.offers(0) == "appoint P0, appoint P1, appoint P2, appoint P4, end_phase"
    match.plays("P0 appoint P2")
    assert match.state.sp == 2
    assert match.asked() == ("gift", [2])
    assert match.offers(2) == "give statue.1, give circus.1"
    match.plays("P2 give statue.1")
    for viewer in (0, 1, 2, 3, 4, SPECTATOR):
        card = "statue.1" if viewer in (0, 2) else None
        assert match.wire(viewer) == {"type": "give", "card": card}
    assert match.hand(0) == "statue.1 port.1 port.2"
    match.plays("P0 end_phase")
    assert match.asked() == ("action", [2])
    assert match.hand(2) == "fortress.1 forum.1 circus.1"
    assert "appoint" not in match.offers(2)


@pytest.mark.parametrize(("held", "taken"), [(1, 1), (2, 1), (3, 2), (5, 3)])
def test_av_s18_how_many_cards_the_spy_takes(held: int, taken: int) -> None:
    hand = ["shrine.1", "shrine.2", "bridge.1", "bridge.2", "circus.1"][:held]
    match = given(f"K1; call 5; spy architect; P4 hand {', '.join(hand)}; deck mint.1, mint.2")
    assert match.offers(1) == f"steal {taken} of {' '.join(hand)}, leave"
    left = match.fork().plays("P1 leave")
    assert (left.hand(1), left.asked()) == ("", ("action", [4]))
    match.plays(f"P1 steal {', '.join(hand[:taken])}")
    assert len(match.state.hands[1]) == taken
    assert len(match.state.hands[4]) == held - taken + 2


def test_av_s18_an_empty_hand_is_not_robbed() -> None:
    assert given("K1; call 5; spy architect").asked() == ("action", [4])


def test_av_s19_theft_before_everything_else() -> None:
    match = given(
        "K1; call 5; spy architect; P1 hand bridge.1; P4 hand port.1, forum.1, mint.1; "
        "P4 city orchard.1 (baths.1, baths.2), vineyard.1 (circus.1); token P4; deck statue.1-3"
    )
    assert match.offers(1) == "steal 2 of forum.1 mint.1 port.1, leave"
    match.plays("P1 steal forum.1, mint.1")
    assert match.asked() == ("token", [4])
    match.plays("P4 token_draw")
    assert match.hand(4) == "statue.1 statue.2 statue.3 baths.1 port.1 circus.1"
    assert match.state.hands[4] == (
        "port.1",
        *("statue.1", "statue.2", "statue.3"),
        "baths.1",
        "circus.1",
    )
    assert match.city(4) == "orchard.1(baths.2) vineyard.1"


def test_av_s35_announcements_that_miss() -> None:
    match = given("K1; call 2").plays("P1 announce_target philosopher")
    assert match.asked() == ("action", [1])
    match.plays("P1 end_phase")
    assert match.asked() == ("action", [4])
    assert match.state.call == 5
    assert match.view(0).spy == match.state.spy
    silent = given("K1; call 2").plays("P1 no_target")
    assert "announce" not in silent.offers(1)
    assert silent.refuses("P1 announce_target farmer") == "move not offered: announce_target"


def _unchanged(match: Match, *refused: str) -> None:
    before, steps = match.state, len(match.steps)
    for text in refused:
        kind = text.split()[1]
        assert match.refuses(text) == f"move not offered: {kind}"
    assert match.state == before
    assert len(match.steps) == steps


def test_av_s33_refused_moves() -> None:
    match = given(S08)
    _unchanged(
        match,
        "P2 build port.1",
        "P2 build shrine.1",
        "P2 build statue.2",
        "P2 build nothing.7",
        "P2 sow",
        "P3 end_phase",
    )
    match.plays("P2 build market.1")
    _unchanged(
        match,
        "P2 pay statue.1",
        "P2 pay statue.1, port.1, bridge.1",
        "P2 pay market.1, port.1",
        "P2 pay port.1, port.1",
        "P2 end_phase",
    )
    _unchanged(given("K1; call 1"), "P0 announce_victim assassin")
    spying = given("K1; call 1").plays("P0 announce_victim spy")
    _unchanged(spying, "P0 announce_target spy", "P0 announce_target assassin")
    _unchanged(given(S14), "P1 steal baths.1", "P1 steal baths.1, statue.1, circus.1")
    _unchanged(given("K3; SP P3; call 3"), "P2 appoint P3")


def test_a_position_is_what_its_text_says() -> None:
    match = given("K1; call 7; SP P3; token P2; opt harvest=all; P0 points 3; reshuffles 2")
    state = match.state
    assert (state.sp, state.leader, state.token, state.points[0], state.reshuffles) == (
        *(3, 3, 2, 3, 2),
    )
    assert replace(state.options, harvest=state.options.harvest) == state.options
