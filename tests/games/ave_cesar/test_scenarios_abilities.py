"""Scenarios: the other characters, the deck, sowing, clocks, scoring."""

import pytest

from games.ave_cesar.characters import CHARACTERS
from games.ave_cesar.scoring import scores
from games.core.game import SPECTATOR
from tests.games.ave_cesar.build import DECK, Match, drafting, finished, given, opened

S08 = (
    "K1; call 7; P2 hand statue.1, courthouse.1, port.1; P2 city rostra.1; P1 city statue.2; "
    "P3 city statue.3; deck bridge.1, market.1, mill.1"
)
S24 = (
    "K4; call 6; P0 hand watchtower.2; P0 city barracks.1; P1 hand forum.1, mint.1; "
    "P1 city watchtower.1; P4 hand circus.1; P4 city barracks.2; deck port.1, bridge.1"
)
S26 = (
    "K1; call 8; P3 city orchard.1, farmstead.1, vineyard.1 (baths.1, baths.2), bridge.1; "
    "deck port.1-2, forum.1-2, mint.1, statue.1"
)


def test_av_s20_philosopher_and_the_current_sp() -> None:
    one = given("K3; SP P3; call 3")
    assert one.offers(2).endswith("appoint P0, appoint P1, appoint P2, appoint P4, end_phase")
    before = one.state.hands
    one.plays("P2 appoint P2")
    assert (one.state.sp, one.state.hands) == (2, before)
    assert one.asked() == ("action", [2])
    other = given("K3; SP P2; call 3")
    assert other.offers(2).endswith("appoint P0, appoint P1, appoint P3, appoint P4, end_phase")


def test_av_s21_gift_from_small_hands() -> None:
    empty = given("K3; SP P3; call 3").plays("P2 appoint P4")
    assert (empty.state.sp, len(empty.state.hands[2])) == (4, 2)
    assert empty.asked() == ("action", [2])
    single = given("K3; SP P3; call 3; P4 hand statue.1").plays("P2 appoint P4")
    assert (single.hand(4), single.state.hands[2][2:]) == ("", ("statue.1",))


def test_av_s22_token_timing() -> None:
    match = given("K2; call 4; deck port.1-2, forum.1")
    assert match.asked() == ("action", [1])
    match.plays("P1 claim")
    assert (match.hand(1), match.state.token) == ("forum.1 port.1 port.2", 1)
    later = given("K2; call 4; token P1; round 4")
    assert later.asked() == ("token", [1])
    later.plays("P1 token_draw")
    assert len(later.state.hands[1]) == 3
    later.plays("P1 claim")
    assert len(later.state.hands[1]) == 4


def test_av_s23_survey_with_a_short_deck() -> None:
    match = given("K1; call 5; deck statue.1-2, port.1, forum.1; discard mint.1, circus.1; rest P3")
    assert match.hand(4) == "statue.1 statue.2"
    match.plays("P4 survey")
    assert match.chance().label == "reshuffle 1"
    match.plays("draw mint.1, circus.1")
    assert match.offers(4) == "keep_looked 1 of forum.1 mint.1 port.1 circus.1"
    match.plays("P4 keep_looked forum.1")
    assert (match.discard(), match.deck()) == ("mint.1 port.1 circus.1", "")
    assert match.hand(4) == "statue.1 statue.2 forum.1"


def test_av_s24_centurion() -> None:
    match = given(S24)
    match.plays("P0 build watchtower.2; P0 pay port.1")
    assert match.view(SPECTATOR).seats[0].might == 3
    match.plays("P0 march")
    assert match.offers(0) == "take forum.1, take mint.1, leave"
    match.plays("P0 take forum.1")
    for viewer in (0, 1, 2, SPECTATOR):
        card = "forum.1" if viewer in (0, 1) else None
        assert match.wire(viewer) == {"type": "take", "card": card}
    assert match.offers(0) == "take circus.1, leave"
    match.plays("P0 leave")
    assert match.state.actor != 0
    assert match.hand(0) == "forum.1 bridge.1"
    variant = given(
        "K4; call 6; P0 city barracks.1; P1 city watchtower.1; P4 hand circus.1; "
        "P4 city barracks.2; deck port.1-2"
    )
    assert "march" not in variant.offers(0)


@pytest.mark.parametrize(
    ("left", "right", "points"),
    [
        ("statue.1", "rostra.2", 1),
        ("statue.1", "statue.2", 2),
        ("rostra.3", "bridge.1", 1),
    ],
)
def test_av_s25_senator(left: str, right: str, points: int) -> None:
    match = given(f"K1; call 7; P2 city rostra.1; P3 city {left}; P1 city {right}")
    match.plays("P2 address")
    assert match.state.points == (0, 0, points, 0, 0)


def test_av_s26_sow_and_harvest() -> None:
    match = given(S26)
    assert match.state.hands[3] == ("port.1", "port.2", "baths.1")
    match.plays("P3 sow")
    assert match.city(3) == (
        "orchard.1(forum.1 forum.2) farmstead.1(mint.1) vineyard.1(baths.2) bridge.1"
    )
    assert "sow" not in match.offers(3)
    for viewer in (*range(5), SPECTATOR):
        text = match.views()[viewer].decode()
        assert not [card for card in ("forum.1", "forum.2", "mint.1", "baths.2") if card in text]
        assert [each.sown_count for each in match.view(viewer).seats[3].city] == [2, 1, 1, 0]
    held = set(match.state.hands[3])
    while match.state.round == 1:
        match.by_fallback()
    match.draw(*CHARACTERS)
    while match.state.actor != 3:
        match.by_fallback()
    got = match.state.hands[3][len(held) + 2 :]
    assert got == ("forum.1", "mint.1", "baths.2")
    assert match.city(3) == "orchard.1(forum.2) farmstead.1 vineyard.1 bridge.1"


def test_av_s27_empty_deck() -> None:
    match = given("K1; call 7; deck port.1; discard forum.1, mint.1, circus.1; rest P3")
    assert match.chance().label == "reshuffle 1"
    assert match.state.hands[2] == ("port.1",)
    match.plays("draw circus.1, forum.1, mint.1")
    assert (match.hand(2), match.deck(), match.discard()) == (
        "port.1 circus.1",
        "forum.1 mint.1",
        "",
    )
    short = given("K1; call 7; deck port.1; rest P3")
    assert (short.hand(2), short.asked()) == ("port.1", ("action", [2]))


def test_av_s28_nine_buildings_and_the_round_goes_on() -> None:
    match = given(
        "K1; call 5; P4 city palisade.1, watchtower.1, barracks.1, armoury.1, statue.1, "
        "courthouse.1, mill.1; P4 hand shrine.1, tenement.1, circus.1; "
        "deck port.1-2, bridge.1-2, mint.1-2"
    )
    match.plays("P4 build shrine.1")
    assert len(match.state.cities[4]) == 8
    match.plays("P4 build tenement.1; P4 pay port.1")
    assert len(match.state.cities[4]) == 9
    match.plays("P4 end_phase")
    assert match.hand(2) == "bridge.1 bridge.2"
    match.plays("P2 end_phase")
    assert match.hand(3) == "mint.1 mint.2"
    match.plays("P3 end_phase")
    assert match.over().note == "city_complete"
    table = scores(DECK, match.state)
    assert [each.completion for each in table] == [0, 0, 0, 0, 3]
    assert table[4].building_count == 9


def test_av_s29_scoring() -> None:
    match = finished(
        "P0 city shrine.1, barracks.1, statue.1, rostra.1, tenement.1, bridge.1, mill.1, "
        "farmstead.1; P0 points 2; P0 hand port.1; "
        "P1 city watchtower.1, rostra.2, statue.2, courthouse.1, market.1; P1 points 3; "
        "P2 city statue.3, basilica.1, barracks.2, granary.1; "
        "P3 city fortress.1, theatre.1; P3 points 1; P4 city palisade.1, courthouse.2, circus.1"
    )
    view = match.view(SPECTATOR)
    assert [seat.might for seat in view.seats] == [2, 1, 2, 4, 1]
    assert [seat.influence for seat in view.seats] == [3, 4, 3, 0, 1]
    assert view.outcome is not None
    assert [
        (e.buildings, e.earned, e.might, e.influence, e.completion, e.total, e.rank)
        for e in view.outcome.table
    ] == [
        (11, 2, 4, 4, 3, 24, 1),
        (7, 3, 0, 6, 0, 16, 2),
        (5, 0, 2, 4, 0, 11, 4),
        (7, 1, 4, 0, 0, 12, 3),
        (11, 0, 0, 0, 0, 11, 4),
    ]
    assert view.outcome.winners == (0,)
    assert match.over().scores == (24, 16, 11, 12, 11)
    assert match.over().ranks == (1, 2, 4, 3, 4)


def test_av_s30_two_first_in_influence() -> None:
    match = finished(
        "seats 4; opt round_limit=1; P0 city rostra.1; P1 city rostra.2; P2 city statue.1"
    )
    assert [each.influence for each in scores(DECK, match.state)] == [6, 6, 2, 0]


def _tied(last: int, **options: str) -> Match:
    opts = "".join(f"opt {name}={value}; " for name, value in options.items())
    hand = ", ".join(["forum.1", "forum.2", "port.1"][:last])
    return finished(
        f"seats 4; opt round_limit=1; {opts}P0 city bridge.1; P0 hand mint.1, mint.2; "
        "P1 city bridge.2; P1 hand circus.1; P2 city tenement.1; P2 hand baths.1; "
        f"P3 city shrine.1, tenement.2; P3 hand {hand}"
    )


def test_av_s31_tie_break() -> None:
    over = _tied(3).over()
    assert (over.scores, over.ranks) == ((9, 9, 8, 9), (2, 3, 4, 1))
    assert over.note == "round_limit"
    over = _tied(3, influence_zero_scores="false").over()
    assert (over.scores, over.ranks) == ((3, 3, 2, 3), (2, 3, 4, 1))
    assert _tied(2).over().ranks == (1, 3, 4, 1)


def test_av_s32_nothing_to_build_is_not_shown() -> None:
    match = given("K1; call 7; P2 hand circus.1; deck fortress.1-2")
    match.plays("P2 address")
    assert match.state.points[2] == 1
    assert match.offers(2) == "end_phase"
    able = given("K1; call 7; P2 hand shrine.1; deck fortress.1-2").plays("P2 address")
    for viewer in (0, 1, 3, 4, SPECTATOR):
        assert match.views()[viewer] == able.views()[viewer]
        pending = match.view(viewer).pending
        assert pending is not None
        assert (pending.kind, pending.seats) == ("action", (2,))


def test_av_s34_harvest_options() -> None:
    text = (
        "K1; call 7; P2 city great_estate.1 (port.1, port.2), orchard.1 (forum.1, forum.2); "
        "deck mint.1-2"
    )
    match = given(text)
    assert set(match.state.hands[2]) == {"mint.1", "mint.2", "port.1", "forum.1"}
    assert match.city(2) == "great_estate.1(port.2) orchard.1(forum.2)"
    match = given(f"{text}; opt harvest=all")
    assert match.state.hands[2] == (
        *("mint.1", "mint.2", "port.1", "port.2", "forum.1", "forum.2"),
    )
    assert match.city(2) == "great_estate.1 orchard.1"


def test_av_s36_what_the_clock_plays_in_the_setup() -> None:
    match = opened().plays("draw centurion, philosopher, farmer, procurator, senator")
    match.draw(*DECK.cards)
    assert match.fallback(1) == "keep palisade.1 palisade.2"
    assert match.fallback(4) == "keep stables.2 stables.3"


def test_av_s36_what_the_clock_plays_in_a_draft() -> None:
    five = drafting(
        "SP P1; shuffle spy, farmer, centurion, senator, assassin, philosopher, architect, "
        "procurator"
    )
    picks = [five.by_fallback() for _ in range(5)]
    assert picks == [
        "P1 pick assassin",
        "P2 pick philosopher",
        "P3 pick architect",
        "P4 pick procurator",
        "P0 pick centurion",
    ]
    four = drafting(
        "seats 4; SP P0; shuffle philosopher, spy, farmer, senator, centurion, assassin, "
        "procurator, architect"
    )
    assert [four.by_fallback() for _ in range(7)] == [
        "P0 pick centurion",
        "P0 discard_character assassin",
        "P1 pick procurator",
        "P1 discard_character architect",
        "P2 pick spy",
        "P2 discard_character farmer",
        "P3 pick philosopher",
    ]
    assert four.steps[-1][0].shuffle[:1] == ("philosopher",)


def test_av_s36_what_the_clock_plays_in_a_round() -> None:
    match = given("K1; call 1")
    played = []
    while match.state.round == 1:
        played.append(match.by_fallback())
    assert played == [
        "P0 play_normally",
        "P0 end_phase",
        "P1 no_target",
        "P1 end_phase",
        "P4 end_phase",
        "P2 end_phase",
        "P3 end_phase",
    ]
    assert [len(hand) for hand in match.state.hands] == [2, 2, 2, 2, 2]


def test_av_s36_what_the_clock_answers() -> None:
    assert given(S08).plays("P2 build market.1").fallback(2) == "pay statue.1 courthouse.1"
    stables = given(
        "K1; call 5; P4 hand port.1, fortress.1; P4 city stables.1, mint.1; deck fortress.2, "
        "temple_of_jupiter.1, archive.1, treasury.1, bridge.1, baths.1, circus.1, forum.1"
    ).plays("P4 build port.1; P4 survey")
    assert stables.fallback(4) == "keep_looked treasury.1"
    robbing = given(
        "K1; call 7; assassin senator; spy senator; P0 hand shrine.1; P1 hand mint.1; "
        "P2 hand baths.1, statue.1, circus.1; deck rostra.1-3, courthouse.1"
    )
    assert robbing.fallback(1) == "leave"
    giving = given(
        "K3; SP P3; call 3; assassin philosopher; P2 hand circus.1, statue.1; "
        "deck port.1-2, forum.1, fortress.1"
    ).plays("P0 appoint P2")
    assert giving.fallback(2) == "give circus.1"
    token = given("K1; call 5; token P4; P4 hand port.1")
    assert token.fallback(4) == "token_skip"
    raid = given(S24).plays("P0 build watchtower.2; P0 pay port.1; P0 march")
    assert [raid.by_fallback(), raid.by_fallback()] == ["P0 leave", "P0 leave"]


def test_av_s37_rewind_labels() -> None:
    match = opened(round_limit=2)
    assert match.game.boundary(match.state) == "setup"
    match.plays("draw centurion, philosopher, farmer, procurator, senator").draw(*DECK.cards)
    for _ in range(5):
        assert match.game.boundary(match.state) == "setup"
        (seat, *_) = match.decision().offers
        match.plays(f"P{seat} {match.fallback(seat)}")
    for number in (1, 2):
        assert match.chance().label == f"round {number} characters"
        assert match.game.boundary(match.state) == f"round {number}"
        match.draw(*CHARACTERS)
        while match.state.shuffle:
            assert match.game.boundary(match.state) == f"round {number}"
            match.by_fallback()
    assert match.over().note == "round_limit"
    assert match.game.boundary(match.state) == "round 2"
