"""Scenarios: the setup, the drafts, and what stays secret before a call."""

import msgspec
import pytest

from games.ave_cesar.characters import CHARACTERS
from games.ave_cesar.drafting import face_down
from games.core.game import SPECTATOR
from tests.games.ave_cesar.build import DECK, Match, drafting, given, opened

KEPT = {
    0: "keep city_wall.3, gladiator_school.2",
    1: "keep palisade.3, watchtower.1",
    2: "keep watchtower.2, barracks.1",
    3: "keep armoury.1, stables.1",
    4: "keep stables.3, city_wall.1",
}
BOTTOM = (
    "palisade.1 palisade.2 watchtower.3 barracks.2 barracks.3 armoury.2 stables.2 city_wall.2 "
    "city_wall.4 gladiator_school.1"
)


def dealt() -> Match:
    match = opened().plays("draw centurion, philosopher, farmer, procurator, senator")
    assert match.chance().label == "setup deck"
    return match.draw(*DECK.cards)


@pytest.mark.parametrize("order", [(0, 1, 2, 3, 4), (4, 2, 0, 3, 1)])
def test_av_s01_setup(order: tuple[int, ...]) -> None:
    match = dealt()
    assert match.state.sp == 1
    assert match.asked() == ("setup_keep", [0, 1, 2, 3, 4])
    assert [match.hand(seat) for seat in range(5)] == [
        "city_wall.3 city_wall.4 gladiator_school.1 gladiator_school.2",
        "palisade.1 palisade.2 palisade.3 watchtower.1",
        "watchtower.2 watchtower.3 barracks.1 barracks.2",
        "barracks.3 armoury.1 armoury.2 stables.1",
        "stables.2 stables.3 city_wall.1 city_wall.2",
    ]
    for done, seat in enumerate(order, start=1):
        match.plays(f"P{seat} {KEPT[seat]}")
        if done < 5:
            pending = match.view(SPECTATOR).pending
            assert pending is not None
            assert set(pending.seats) == set(order[done:])
            for viewer in (*order[done:], SPECTATOR):
                assert match.wire(viewer) == {"type": "keep", "cards": [None, None]}
                assert all(seat.hand_count == 4 for seat in match.view(viewer).seats)
    assert [match.hand(seat) for seat in range(5)] == [
        KEPT[seat].removeprefix("keep ").replace(",", "") for seat in range(5)
    ]
    assert len(match.state.deck) == 103
    assert match.deck(1) == "training_field.1"
    assert " ".join(match.state.deck[-10:]) == BOTTOM


def test_av_s02_draft_of_five() -> None:
    match = drafting("SP P1; shuffle spy, farmer")
    for seat, choices, pick in (
        (1, "assassin philosopher procurator architect centurion senator", "architect"),
        (2, "assassin philosopher procurator centurion senator", "assassin"),
        (3, "philosopher procurator centurion senator", "senator"),
        (4, "philosopher procurator centurion", "procurator"),
        (0, "philosopher centurion", "centurion"),
    ):
        assert match.asked() == ("draft_pick", [seat])
        assert match.offers(seat) == ", ".join(f"pick {each}" for each in choices.split())
        before = match.fork()
        match.plays(f"P{seat} pick {pick}")
        for viewer in (*range(5), SPECTATOR):
            shown = pick if viewer == seat else None
            assert match.wire(viewer) == {"type": "pick", "character": shown}
    match = before
    draft = match.view(SPECTATOR).draft
    assert draft is not None
    assert (draft.set_aside_count, draft.pool_count, draft.face_up) == (2, 2, ())
    assert (draft.face_down_count, draft.on_turn) == (0, 0)
    assert [seat.has_picked for seat in match.view(3).seats] == [False, True, True, True, True]
    own = match.own(2)
    assert own.character == "assassin"
    assert own.choices == ("assassin", "philosopher", "procurator", "centurion", "senator")
    assert own.set_aside == ()
    for viewer in (*range(5), SPECTATOR):
        assert not {"spy", "farmer"} & _characters(match, viewer)
    assert not _characters(match, SPECTATOR)


def test_av_s02_three_lie_face_down_and_nobody_is_shown_them() -> None:
    match = drafting("SP P1; shuffle spy, farmer").plays(
        "P1 pick architect; P2 pick assassin; P3 pick senator; P4 pick procurator; "
        "P0 pick centurion"
    )
    draft = match.view(SPECTATOR).draft
    assert draft is not None
    assert (draft.face_down_count, draft.pool_count, draft.on_turn) == (3, 0, None)
    assert set(face_down(match.state)) == {"spy", "farmer", "philosopher"}
    assert match.asked() == ("assassin", [2])
    assert match.own(0).choices == ("philosopher", "centurion")


def test_av_s03_draft_of_six() -> None:
    match = drafting("seats 6; SP P5; shuffle senator")
    counts = []
    picks = ("assassin", "architect", "spy", "farmer", "philosopher", "centurion")
    for seat, pick in enumerate(picks, 5):
        counts.append(len(match.offers(seat % 6).split(",")))
        if pick == "farmer":
            assert match.offers(2) == (
                "pick philosopher, pick procurator, pick centurion, pick farmer"
            )
        if pick == "centurion":
            assert match.offers(4) == "pick procurator, pick centurion"
        match.plays(f"P{seat % 6} pick {pick}")
    assert counts == [7, 6, 5, 4, 3, 2]
    assert {"senator", "procurator"} == set(CHARACTERS) - set(match.state.picks)
    draft = match.view(0).draft
    assert draft is not None
    assert draft.face_down_count == 2


def test_av_s04_draft_of_seven() -> None:
    match = drafting("seats 7; SP P0; shuffle architect")
    for seat, pick in enumerate(("assassin", "spy", "philosopher", "procurator", "centurion")):
        assert "architect" not in match.offers(seat)
        match.plays(f"P{seat} pick {pick}")
    assert match.offers(5) == "pick senator, pick farmer"
    match.plays("P5 pick senator")
    assert match.offers(6) == "pick architect, pick farmer"
    assert match.own(6).choices == ("architect", "farmer")
    assert match.own(6).set_aside == ("architect",)
    match.plays("P6 pick architect")
    for viewer in (*range(6), SPECTATOR):
        assert "architect" not in msgspec.json.encode(match.view(viewer)).decode()
    assert match.own(6).set_aside == ("architect",)
    assert face_down(match.state) == ("farmer",)
    draft = match.view(0).draft
    assert draft is not None
    assert draft.face_down_count == 1
    match.plays("P0 play_normally")
    while match.state.call < 5:
        for viewer in (*range(6), SPECTATOR):
            assert "architect" not in _characters(match, viewer)
        match.by_fallback()
    assert match.view(0).seats[6].character == "architect"


def test_av_s05_draft_of_four_with_the_philosopher_face_up() -> None:
    match = drafting("seats 4; SP P2; shuffle centurion")
    assert match.offers(2).count("pick") == 7
    match.plays("P2 pick architect")
    assert match.asked() == ("draft_discard", [2])
    assert match.offers(2) == (
        "discard_character assassin, discard_character spy, discard_character philosopher, "
        "discard_character procurator, discard_character senator, discard_character farmer"
    )
    match.plays("P2 discard_character philosopher")
    assert match.wire(SPECTATOR) == {"type": "discard_character", "character": "philosopher"}
    assert match.offers(3) == (
        "pick assassin, pick spy, pick procurator, pick senator, pick farmer"
    )
    match.plays("P3 pick assassin; P3 discard_character farmer")
    assert match.offers(0) == "pick spy, pick procurator, pick senator"
    match.plays("P0 pick senator")
    assert match.offers(0) == "discard_character spy, discard_character procurator"
    match.plays("P0 discard_character spy")
    assert match.offers(1) == "pick procurator, pick centurion"
    assert match.own(1).set_aside == ("centurion",)
    match.plays("P1 pick centurion")
    draft = match.view(SPECTATOR).draft
    assert draft is not None
    assert draft.face_up == ("philosopher", "farmer", "spy")
    assert face_down(match.state) == ("procurator",)
    assert (draft.face_down_count, match.state.sp) == (1, 2)
    assert match.asked() == ("assassin", [3])
    while match.state.round == 1:
        assert match.state.sp == 2
        match.by_fallback()
    assert match.state.sp == match.state.leader == 1
    match.draw(*CHARACTERS)
    assert match.asked() == ("draft_pick", [1])


def test_av_s06_only_the_starting_player_discards() -> None:
    match = given("seats 4; SP P2; opt four_player_discard=starting_player_only")
    rest = [each for each in CHARACTERS if each != "centurion"]
    match.draw("centurion", *rest).plays("P2 pick architect; P2 discard_character philosopher")
    assert match.offers(3) == (
        "pick assassin, pick spy, pick procurator, pick senator, pick farmer"
    )
    match.plays("P3 pick assassin")
    assert match.offers(0) == "pick spy, pick procurator, pick senator, pick farmer"
    match.plays("P0 pick senator")
    assert match.offers(1) == "pick spy, pick procurator, pick centurion, pick farmer"
    assert match.own(1).set_aside == ("centurion",)
    match.plays("P1 pick farmer")
    draft = match.view(SPECTATOR).draft
    assert draft is not None
    assert (draft.face_up, draft.face_down_count) == (("philosopher",), 3)
    assert face_down(match.state) == ("spy", "procurator", "centurion")
    while match.state.round == 1:
        match.by_fallback()
    assert match.state.sp == 1


def _secret(second: str, third: str) -> Match:
    """K1 in play, but for what P2 and P3 have picked."""
    match = drafting("P1 hand mint.1; P2 hand baths.1, circus.1; shuffle philosopher, procurator")
    return match.plays(
        f"P0 pick assassin; P1 pick spy; P2 pick {second}; P3 pick {third}; P4 pick architect; "
        "P0 announce_victim senator; P1 announce_target senator; P1 end_phase"
    )


def test_av_s07_a_secret_stays_secret() -> None:
    one, other = _secret("senator", "farmer"), _secret("farmer", "senator")
    assert len(one.steps) == len(other.steps)
    assert one.asked() == other.asked() == ("action", [4])
    for (here, _, _), (there, _, _) in zip(one.steps[6:], other.steps[6:], strict=True):
        for viewer in (1, 4, SPECTATOR):
            assert Match(here).views()[viewer] == Match(there).views()[viewer]
    for viewer in (1, 4, SPECTATOR):
        assert one.views()[viewer] == other.views()[viewer]
        shown = one.view(viewer)
        assert shown.assassin is not None
        assert shown.assassin.victim == "senator"
        for back in range(1, 10):
            assert one.seen(viewer, back) == other.seen(viewer, back)
    for match in (one, other):
        match.plays("P4 end_phase")
    assert other.asked() == ("action", [0])
    assert one.asked() == ("spy_steal", [1])
    assert not any(seat == 2 for _, seat, _ in one.steps[6:])


def _characters(match: Match, viewer: int) -> set[str]:
    """The characters a view mentions as values."""
    text = msgspec.json.encode(match.view(viewer)).decode()
    return {each for each in CHARACTERS if f'"{each}"' in text.replace(f'"{each}":', "")}
