"""Seats, setup and draft."""

from itertools import pairwise

import pytest

from games.ave_cesar import GAME
from games.ave_cesar.characters import CHARACTERS, NUMBER
from games.ave_cesar.drafting import choices, face_down, set_aside
from games.ave_cesar.state import Options, Phase, State, left_of, neighbours
from games.core.game import SPECTATOR, OptionsRefused
from games.core.walk import random_match, seeded
from tests.games.ave_cesar.build import DECK, Match, drafting, given, opened

FIRST = ("farmer", "spy", "senator", "architect", "assassin", "procurator", "centurion")


def dealt(seats: int) -> Match:
    return opened(seats).draw(*FIRST[:seats]).draw(*DECK.cards)


@pytest.mark.parametrize("seats", [0, 1, 3, 8])
def test_av_01_four_to_seven_seats_play(seats: int) -> None:
    assert GAME.seats == (4, 5, 6, 7)
    with pytest.raises(OptionsRefused) as refused:
        GAME.new(Options(), seats)
    assert refused.value.pointer == "/seats"


@pytest.mark.parametrize(
    ("options", "pointer"),
    [
        (Options(deck="another@1"), "/deck"),
        (Options(score_token_limit=0), "/score_token_limit"),
        (Options(round_limit=1001), "/round_limit"),
        (Options(round_limit=-1), "/round_limit"),
    ],
)
def test_options_are_refused_with_a_pointer(options: Options, pointer: str) -> None:
    with pytest.raises(OptionsRefused) as refused:
        GAME.new(options, 5)
    assert refused.value.pointer == pointer
    for limit in (1, 1000):
        GAME.new(Options(score_token_limit=limit, round_limit=limit), 5)
    assert GAME.new(Options(deck="ave_cesar_reconstructed@1.0.0"), 5).deck == DECK.cards


def test_av_02_eight_characters_are_called_by_number() -> None:
    assert [NUMBER[each] for each in CHARACTERS] == list(range(1, 9))
    assert " ".join(CHARACTERS) == (
        "assassin spy philosopher procurator architect centurion senator farmer"
    )


def test_av_03_av_10_the_lowest_starting_character_makes_the_starting_player() -> None:
    match = opened()
    assert match.view(0).sp is None
    assert match.chance().label == "setup characters"
    match.plays("draw farmer, spy, senator, architect, procurator")
    assert match.view(0).sp == 1
    assert opened(4).plays("draw farmer, senator, centurion, architect").view(0).sp == 3


def test_av_04_av_103_the_token_stays_with_who_has_taken_it() -> None:
    match = given("K2; call 4").plays("P1 claim; P1 end_phase")
    owners = {match.view(0).token}
    while match.state.round == 1:
        match.by_fallback()
        owners.add(match.view(0).token)
    assert owners == {1}
    assert given("K2; call 4").view(0).token is None


def test_av_05_points_are_limited_by_the_supply_if_there_is_one() -> None:
    text = "K1; call 7; P2 city statue.1; P0 points 2"
    assert given(text).plays("P2 address").state.points == (2, 0, 2, 0, 0)
    limited = given(f"{text}; opt score_token_limit=3").plays("P2 address")
    assert limited.state.points == (2, 0, 1, 0, 0)
    empty = given(f"{text}; opt score_token_limit=2").plays("P2 address")
    assert empty.state.points == (2, 0, 0, 0, 0)


@pytest.mark.parametrize("seats", [4, 5, 6, 7])
def test_av_06_the_left_is_the_next_seat_and_both_neighbours_differ(seats: int) -> None:
    state = GAME.new(Options(), seats)
    assert [left_of(state, seat) for seat in range(seats)] == [*range(1, seats), 0]
    assert neighbours(state, 0) == (1, seats - 1)
    assert neighbours(state, seats - 1) == (0, seats - 2)


def test_av_11_starting_characters_are_in_the_first_draft() -> None:
    match = dealt(4)
    for seat in range(4):
        match.plays(f"P{seat} {match.fallback(seat)}")
    assert match.draw(*CHARACTERS).offers(match.state.sp).count("pick") == 7


def test_av_12_av_13_two_of_four_cards_are_kept_and_the_others_go_under_the_deck() -> None:
    match = dealt(4)
    assert match.state.sp == 1
    assert match.offers(1) == "keep 2 of palisade.1 palisade.2 palisade.3 watchtower.1"
    assert match.refuses("P1 keep palisade.1") == "move not offered: keep"
    assert match.refuses("P1 keep palisade.1, palisade.2, palisade.3")
    kept = {1: "palisade.3, palisade.1", 2: "barracks.1-2", 3: "barracks.3, stables.1"}
    kept[0] = "stables.2, city_wall.2"
    for seat in (3, 1, 0, 2):
        match.plays(f"P{seat} keep {kept[seat]}")
    assert match.state.hands[1] == ("palisade.1", "palisade.3")
    assert match.state.deck[-8:] == (
        *("palisade.2", "watchtower.1", "watchtower.2", "watchtower.3"),
        *("armoury.1", "armoury.2", "stables.3", "city_wall.1"),
    )


def test_av_13_av_211_cards_are_returned_in_canonical_order_and_kept_as_they_were_dealt() -> None:
    match = opened(4).draw(*FIRST[:4]).draw(*reversed(DECK.cards))
    assert list(match.state.hands[1]) == ["circus.1", "amphitheatre.2", "amphitheatre.1", "port.2"]
    assert match.fallback(1) == "keep amphitheatre.2 circus.1"
    match.plays("P1 keep amphitheatre.2, circus.1")
    for seat in (0, 2, 3):
        match.plays(f"P{seat} {match.fallback(seat)}")
    assert list(match.state.hands[1]) == ["circus.1", "amphitheatre.2"]
    assert match.state.deck[-8:] == (
        *("port.2", "amphitheatre.1", "treasury.1", "baths.1"),
        *("aqueduct.1", "aqueduct.2", "library.1", "library.2"),
    )


def test_av_14_at_the_start_nobody_has_anything() -> None:
    view = opened(6).view(SPECTATOR)
    assert view.token is None
    assert all((seat.points, seat.city, seat.hand_count) == (0, (), 0) for seat in view.seats)


def test_av_20_av_40_a_round_is_a_draft_and_the_calls_in_order() -> None:
    for step in random_match(GAME, Options(round_limit=3), 5, seeded("flow")):
        before, after = step.before, step.after
        assert isinstance(before, State)
        assert isinstance(after, State)
        if before.round == after.round and before.shuffle and after.shuffle:
            assert after.call >= before.call
            assert not (before.phase is Phase.CONSTRUCTION and after.phase is Phase.DRAFT)
        elif before.phase is Phase.CONSTRUCTION:
            assert after.phase in (Phase.DRAFT, Phase.OVER)
            assert after.shuffle == ()


@pytest.mark.parametrize(
    ("seats", "counts", "left"),
    [(5, [6, 5, 4, 3, 2], 3), (6, [7, 6, 5, 4, 3, 2], 2), (7, [7, 6, 5, 4, 3, 2, 2], 1)],
)
def test_av_21_av_22_av_23_av_24_what_each_seat_chooses_from(
    seats: int, counts: list[int], left: int
) -> None:
    match = drafting(f"seats {seats}; SP P2; shuffle farmer, spy")
    found, seen = [], []
    for step in range(seats):
        seat = (2 + step) % seats
        assert match.asked() == ("draft_pick", [seat])
        seen.append(set(match.offers(seat).split(", ")))
        found.append(len(seen[-1]))
        match.plays(f"P{seat} {match.offers(seat).split(', ')[0]}")
    assert found == counts
    aside = {f"pick {each}" for each in set_aside(match.state)}
    for earlier, later in pairwise(seen):
        assert later - aside < earlier
    assert len(face_down(match.state)) == left
    for step in range(seats):
        offered = tuple(f"pick {each}" for each in match.own((2 + step) % seats).choices)
        assert set(offered) == seen[step]
    assert len(set(match.state.picks)) == seats


def test_av_24_av_27_the_last_of_seven_may_leave_what_was_set_aside() -> None:
    match = drafting("seats 7; SP P0; shuffle spy").plays(
        "P0 pick assassin; P1 pick farmer; P2 pick philosopher; P3 pick procurator; "
        "P4 pick centurion; P5 pick senator; P6 pick architect"
    )
    assert face_down(match.state) == ("spy",)
    assert match.own(6).set_aside == ("spy",)
    assert all(match.own(seat).set_aside == () for seat in range(6))


def test_av_25_av_26_three_of_four_seats_discard_what_nobody_can_pick() -> None:
    match = drafting("seats 4; SP P0; shuffle spy")
    counts = [len(match.offers(0).split(", "))]
    match.plays("P0 pick farmer; P0 discard_character assassin")
    assert match.refuses("P1 pick assassin") == "move not offered: pick"
    counts.append(len(match.offers(1).split(", ")))
    match.plays("P1 pick senator; P1 discard_character centurion")
    counts.append(len(match.offers(2).split(", ")))
    match.plays("P2 pick architect")
    assert match.offers(2) == "discard_character philosopher, discard_character procurator"
    match.plays("P2 discard_character procurator")
    assert counts == [7, 5, 3]
    assert match.offers(3) == "pick spy, pick philosopher"
    match.plays("P3 pick spy")
    assert match.state.phase is Phase.CONSTRUCTION
    assert face_down(match.state) == ("philosopher",)


def test_av_28_av_29_who_has_seen_which_characters() -> None:
    match = drafting("SP P0; shuffle spy, farmer").plays(
        "P0 pick senator; P1 pick architect; P2 pick assassin; P3 pick centurion"
    )
    assert match.own(4).choices == ("philosopher", "procurator")
    assert match.own(0).choices == choices(match.state, 0)
    match.plays("P4 pick procurator")
    for viewer in range(5):
        shown = match.view(viewer)
        assert [seat.character for seat in shown.seats] == [None, None, "assassin", None, None]
        assert match.own(viewer).character == match.state.picks[viewer]
    assert match.view(SPECTATOR).own is None


def test_av_25_a_seat_keeps_seeing_what_it_chose_from_and_discarded() -> None:
    match = drafting("seats 4; SP P0; shuffle spy")
    assert all(match.own(seat).choices == () for seat in (1, 2, 3))
    match.plays("P0 pick farmer; P0 discard_character assassin")
    first = tuple(each for each in CHARACTERS if each != "spy")
    second = tuple(each for each in first if each not in ("farmer", "assassin"))
    draft = match.view(SPECTATOR).draft
    assert draft is not None
    assert (draft.pool_count, draft.on_turn, draft.face_down_count) == (5, 1, 0)
    match.plays("P1 pick senator; P1 discard_character centurion")
    while match.state.phase is Phase.DRAFT:
        match.by_fallback()
    assert (match.own(0).choices, match.own(1).choices) == (first, second)


def test_av_28_before_the_shuffle_nobody_has_choices() -> None:
    match = given("SP P3")
    assert match.chance().label == "round 1 characters"
    assert all(match.own(seat).choices == () for seat in range(5))


def test_av_28_another_starting_player_changes_nothing_in_what_was_chosen_from() -> None:
    match = drafting("SP P1; shuffle spy, farmer").plays(
        "P1 pick philosopher; P2 pick assassin; P3 pick senator; P4 pick procurator; "
        "P0 pick centurion; P2 play_normally; P2 end_phase"
    )
    before = [match.own(seat).choices for seat in range(5)]
    match.plays("P1 appoint P3")
    assert match.state.sp == 3
    assert [match.own(seat).choices for seat in range(5)] == before


@pytest.mark.parametrize("face_up", [True, False])
def test_av_30_av_31_a_philosopher_face_up_passes_the_token_to_the_right(face_up: bool) -> None:
    discards = "philosopher, farmer, spy" if face_up else "procurator, farmer, spy"
    match = given(
        "seats 4; SP P0; picks P0 assassin, P1 senator, P2 architect, P3 centurion; "
        f"faceup {discards}; call 1"
    )
    before = match.state.sp
    while match.state.round == 1:
        assert match.state.sp == before
        match.by_fallback()
    assert match.state.sp == (3 if face_up else 0)


def test_av_32_with_the_other_reading_only_the_starting_player_discards() -> None:
    match = given("seats 4; SP P0; opt four_player_discard=starting_player_only")
    match.draw(*CHARACTERS)
    kinds, counts = [], []
    while match.state.phase is Phase.DRAFT:
        kind, (seat,) = match.asked()
        kinds.append((kind, seat))
        counts.append(len(match.offers(seat).split(", ")))
        match.by_fallback()
    assert kinds == [
        ("draft_pick", 0),
        ("draft_discard", 0),
        ("draft_pick", 1),
        ("draft_pick", 2),
        ("draft_pick", 3),
    ]
    assert counts == [7, 6, 5, 4, 4]
    assert len(face_down(match.state)) == 3
