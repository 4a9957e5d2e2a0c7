"""Who knows what, what a stand-in plays, and where a rewind may aim."""

import msgspec
import pytest

from games.ave_cesar import GAME
from games.ave_cesar.characters import CHARACTERS
from games.ave_cesar.invariants import cards
from games.ave_cesar.state import Options, Phase, State
from games.core.game import SPECTATOR, Decision
from games.core.moves import wire_move
from games.core.walk import random_match, seeded
from tests.games.ave_cesar.build import DECK, Match, drafting, given, opened

VIEWERS = (0, 1, 2, 3, 4, SPECTATOR)


def named(match: Match, viewer: int) -> set[str]:
    """The cards a view mentions."""
    text = msgspec.json.encode(match.view(viewer)).decode()
    return {card for card in DECK.cards if f'"{card}"' in text}


def test_av_190_others_are_told_the_kind_of_decision_and_the_seat_alone() -> None:
    match = given("K1; call 7; P2 hand statue.1; P1 hand mint.1")
    for viewer in VIEWERS:
        pending = match.view(viewer).pending
        assert pending is not None
        assert (pending.kind, pending.seats) == ("action", (2,))
    assert set(match.decision().offers) == {2}


KINDS = {
    *("setup_keep", "draft_pick", "draft_discard", "assassin", "spy_target", "spy_steal", "token"),
    *("action", "pay", "gift", "look", "raid", "demand_from", "demand_give"),
}


def test_av_190_pending_is_what_is_asked_and_all_kinds_occur() -> None:
    kinds = set()
    for number in range(24):
        play = random_match(GAME, Options(), 4 + number % 4, seeded(f"kinds {number}"))
        for step in play:
            turn = GAME.turn(step.before)
            pending = GAME.view(step.before, SPECTATOR).pending  # type: ignore[attr-defined]
            if isinstance(turn, Decision):
                kinds.add(turn.kind)
                assert (pending.kind, pending.seats) == (turn.kind, tuple(sorted(turn.offers)))
            else:
                assert pending is None
    assert kinds == KINDS


def test_av_191_before_a_call_nothing_tells_whether_anybody_holds_the_character() -> None:
    shuffles = ("philosopher, procurator", "philosopher, senator")
    held, absent = (
        drafting(f"SP P0; shuffle {shuffle}").plays(
            f"P0 pick assassin; P1 pick spy; P2 pick {second}; P3 pick farmer; P4 pick architect; "
            "P0 announce_victim senator; P1 announce_target senator; P1 end_phase"
        )
        for shuffle, second in zip(shuffles, ("senator", "procurator"), strict=True)
    )
    assert absent.asked() == ("action", [2])
    absent.plays("P2 end_phase")
    assert held.asked() == absent.asked() == ("action", [4])
    kinds = [[type(move).__name__ for _, _, move in match.steps] for match in (held, absent)]
    assert kinds[0] == [*kinds[1][:-1]]


def test_av_192_the_discard_pile_is_public_by_option_alone() -> None:
    text = "K1; call 7; discard forum.1; P2 hand market.1, mint.1, port.1; deck mill.1-2, bridge.1"
    hidden = given(text).plays("P2 build market.1; P2 pay mint.1, port.1")
    assert hidden.view(2).discard is None
    assert hidden.view(0).discard_count == 3
    assert hidden.wire(0)["cards"] == [None, None]
    shown = given(f"{text}; opt discard_pile=face_up").plays(
        "P2 build market.1; P2 pay mint.1, port.1"
    )
    for viewer in VIEWERS:
        assert shown.view(viewer).discard == ("forum.1", "mint.1", "port.1")
        assert shown.wire(viewer)["cards"] == ["mint.1", "port.1"]


@pytest.mark.parametrize("option", ["face_down", "face_up"])
def test_av_192_a_kept_card_is_seen_by_nobody_else(option: str) -> None:
    match = given(
        f"K1; call 5; opt discard_pile={option}; deck mint.1-2, port.1-2, forum.1-2, baths.1"
    ).plays("P4 survey; P4 keep_looked port.1")
    for viewer in (0, 1, 2, 3, SPECTATOR):
        assert match.wire(viewer) == {"type": "keep_looked", "cards": [None]}
        assert "port.1" not in named(match, viewer)


def test_av_192_a_public_pile_does_not_tell_in_which_order_cards_came_to_a_hand() -> None:
    shown = given(
        "K1; call 7; opt discard_pile=face_up; P2 hand market.1; deck port.1, mint.1"
    ).plays("P2 build market.1")
    assert set(shown.state.discard) == {"port.1", "mint.1"}
    for viewer in VIEWERS:
        assert shown.view(viewer).discard == ("mint.1", "port.1")


def test_cards_that_are_looked_at_are_shown_to_the_seat_that_looks_alone() -> None:
    match = given("K1; call 5; deck mint.1-2, port.2, forum.2, shrine.1, circus.1, mill.1")
    match.plays("P4 survey")
    for viewer in (0, 1, 2, 3, SPECTATOR):
        assert not named(match, viewer)
        turn = match.view(viewer).turn
        assert turn is not None
        assert turn.looked_at_count == 5
    assert {"port.2", "forum.2", "shrine.1", "circus.1", "mill.1"} <= named(match, 4)


def test_a_view_adds_up_the_three_symbols_of_each_city() -> None:
    view = given("K1; call 7; P1 city great_estate.1, orchard.1, fortress.1, rostra.1").view(0)
    assert (view.seats[1].might, view.seats[1].influence, view.seats[1].sowing) == (4, 2, 5)


def test_av_193_hands_and_looked_at_cards_are_listed_in_canonical_order() -> None:
    match = given("K1; call 7; spy senator; P2 hand port.1, mint.1, shrine.1; P1 hand circus.1")
    assert match.own(2).hand == ("shrine.1", "mint.1", "port.1")
    shown = match.own(1).shown_hand
    assert shown is not None
    assert shown.cards == ("shrine.1", "mint.1", "port.1")
    looking = given("K1; call 5; deck mint.1-2, port.2, forum.2, shrine.1, circus.1, mill.1")
    looking.plays("P4 survey")
    assert looking.own(4).looked_at == ("forum.2", "shrine.1", "mill.1", "port.2", "circus.1")


def test_av_194_a_refusal_is_the_same_wherever_the_card_is() -> None:
    match = given("K1; call 7; P2 hand statue.1; P1 hand mint.1; discard forum.1")
    texts = {
        match.refuses(f"P2 build {card}") for card in ("mint.1", "forum.1", "circus.1", "no.1")
    }
    assert texts == {"move not offered: build"}
    assert match.refuses("P3 build statue.1") == "move not offered: build"


def test_av_195_that_a_seat_can_do_nothing_is_not_shown() -> None:
    poor, rich = (
        given(f"K1; call 7; P2 hand {card}; deck fortress.1-2").plays("P2 address")
        for card in ("circus.1", "shrine.1")
    )
    assert poor.asked() == rich.asked() == ("action", [2])
    assert poor.offers(2) == "end_phase"
    for viewer in (0, 1, 3, 4, SPECTATOR):
        assert poor.views()[viewer] == rich.views()[viewer]


def test_av_196_no_view_shows_the_deck_sown_cards_or_what_was_set_aside() -> None:
    match = given("K1; call 7; P2 city orchard.1 (baths.1, port.1); P2 hand circus.1")
    hidden = {*match.state.deck, "port.1"}
    for viewer in VIEWERS:
        assert not named(match, viewer) & hidden
    match = drafting("seats 7; SP P0; shuffle architect")
    while match.state.phase is Phase.DRAFT:
        match.by_fallback()
    for viewer in (*range(7), SPECTATOR):
        own = match.view(viewer).own
        assert (own is not None and own.set_aside == ("architect",)) == (viewer == 6)


def test_av_196_the_end_shows_the_score_and_opens_no_hand() -> None:
    match = given("K1; call 8; opt round_limit=1; P1 hand mint.1").plays("P3 end_phase")
    assert match.state.phase is Phase.OVER
    assert "mint.1" not in named(match, 0)
    assert "mint.1" in named(match, 1)


def test_av_197_others_see_only_who_has_chosen() -> None:
    start = opened(4).draw("farmer", "spy", "senator", "architect").draw(*DECK.cards)
    first = start.fork().plays("P1 keep palisade.1, palisade.2")
    other = start.fork().plays("P1 keep palisade.3, watchtower.1")
    for viewer in (0, 2, 3, SPECTATOR):
        assert first.wire(viewer) == other.wire(viewer) == {"type": "keep", "cards": [None, None]}
        assert msgspec.json.encode(first.view(viewer)) == msgspec.json.encode(other.view(viewer))
    assert first.own(1).kept == ("palisade.1", "palisade.2")
    pending = first.view(SPECTATOR).pending
    assert pending is not None
    assert pending.seats == (0, 2, 3)


def test_draws_are_hidden_but_for_the_starting_characters() -> None:
    match = opened(4).draw("farmer", "spy", "senator", "architect")
    assert match.wire(SPECTATOR)["characters"] == ["farmer", "spy", "senator", "architect"]
    match.draw(*DECK.cards)
    assert match.wire(0) == {"type": "shuffle_deck", "cards": [None] * 113}
    for seat in range(4):
        match.plays(f"P{seat} {match.fallback(seat)}")
    match.draw(*CHARACTERS)
    assert match.wire(0) == {"type": "shuffle_characters", "characters": [None] * 8}
    again = given("K1; call 7; discard forum.1; rest P3").draw("forum.1")
    assert again.wire(2) == {"type": "reshuffle", "cards": [None]}


def test_av_210_av_211_a_stand_in_declines_and_takes_what_came_first() -> None:
    paying = given("K1; call 7; P2 hand market.1, port.1, mint.1; deck forum.1, shrine.1")
    assert paying.fallback(2) == "end_phase"
    assert paying.plays("P2 build market.1").fallback(2) == "pay mint.1 port.1"
    asking = given("K1; call 7; P2 hand customs_house.1; P1 hand mint.1; P3 hand forum.1, bridge.1")
    asking.plays("P2 build customs_house.1")
    assert asking.fallback(2) == "demand P3"
    assert asking.plays("P2 demand P3").fallback(3) == "give forum.1"
    for number in range(6):
        for step in random_match(GAME, Options(), 4 + number % 4, seeded(f"absent {number}")):
            turn = GAME.turn(step.before)
            if isinstance(turn, Decision) and turn.kind in ("draft_pick", "draft_discard"):
                (seat,) = turn.offers
                wire = wire_move(GAME.fallback(step.before, seat))
                (choice,) = turn.offers[seat][0].fields.values()
                order = (*step.before.shuffle[4:], *step.before.shuffle[:4])
                first = next(each for each in order if each in choice.options)  # type: ignore[union-attr]
                assert wire["character"] == first


def test_av_212_boundaries_are_setup_and_rounds() -> None:
    labels: list[str] = []
    for step in random_match(GAME, Options(round_limit=3), 4, seeded("labels")):
        labels.append(GAME.boundary(step.before))
        last = step.after
    assert list(dict.fromkeys(labels)) == ["setup", "round 1", "round 2", "round 3"]
    assert GAME.boundary(last) == "round 3"


def _worlds(match: Match, viewer: int, count: int = 200) -> list[State]:
    rng = seeded(f"worlds {viewer}")
    return [GAME.resample(match.state, viewer, rng) for _ in range(count)]


def test_av_213_before_its_choice_a_seat_knows_nothing_and_afterwards_what_it_saw() -> None:
    match = drafting("SP P0; shuffle spy, farmer").plays(
        "P0 pick senator; P1 pick architect; P2 pick assassin"
    )
    early = _worlds(match, 4)
    assert {world.picks[0] for world in early} == set(CHARACTERS)
    seen = {"philosopher", "procurator", "centurion", "assassin"}
    for world in _worlds(match, 2):
        assert not {*world.shuffle[:2], *world.picks[:2]} & seen
        assert world.picks[2] == "assassin"
    match.plays("P3 pick centurion; P4 pick procurator")
    later = _worlds(match, 2)
    assert {world.picks[3] for world in later} == {"philosopher", "procurator", "centurion"}
    assert {world.picks[0] for world in later} == {"spy", "architect", "senator", "farmer"}


def test_av_213_with_seven_the_last_seat_may_have_what_was_set_aside() -> None:
    match = drafting("seats 7; SP P0; shuffle architect").plays(
        "P0 pick assassin; P1 pick spy; P2 pick philosopher; P3 pick procurator; "
        "P4 pick centurion; P5 pick senator; P6 pick architect"
    )
    of_sixth = _worlds(match, 5)
    assert {world.picks[6] for world in of_sixth} >= {"architect", "farmer"}
    assert all(world.shuffle[0] == "architect" for world in _worlds(match, 6))
    assert all(world.shuffle[0] == "architect" for world in _worlds(match, 0))


def test_av_213_a_character_called_in_vain_is_with_nobody() -> None:
    match = drafting("SP P0; shuffle spy, procurator").plays(
        "P0 pick assassin; P1 pick centurion; P2 pick senator; P3 pick farmer; P4 pick architect; "
        "P0 play_normally; P0 end_phase"
    )
    assert match.asked() == ("action", [4])
    for viewer in (0, 4, SPECTATOR):
        for world in _worlds(match, viewer):
            assert not {"spy", "philosopher", "procurator"} & set(world.picks)


def test_av_213_a_called_last_seat_may_have_had_what_was_set_aside() -> None:
    match = drafting("seats 7; SP P1; shuffle assassin").plays(
        "P1 pick farmer; P2 pick senator; P3 pick philosopher; P4 pick procurator; "
        "P5 pick centurion; P6 pick architect; P0 pick assassin"
    )
    of_spectator = {world.shuffle[0] for world in _worlds(match, SPECTATOR)}
    assert of_spectator == set(CHARACTERS)
    # The sixth seat has not passed it on.
    assert {world.shuffle[0] for world in _worlds(match, 6)} == {"assassin"}


def test_av_197_sealed_answers_of_others_are_any_two_of_their_cards() -> None:
    match = opened(4).draw("farmer", "spy", "senator", "architect").draw(*DECK.cards)
    match.plays("P1 keep palisade.1, palisade.2; P2 keep watchtower.2, watchtower.3")
    kept = set()
    for world in _worlds(match, 1):
        assert world.kept[1] == ("palisade.1", "palisade.2")
        assert set(world.kept[2]) <= set(world.hands[2])
        kept.add(world.kept[2])
    assert len(kept) > 50


def test_av_213_a_pile_that_is_public_and_cards_being_looked_at_stay_what_they_are() -> None:
    text = "K1; call 5; discard circus.1; deck mint.1-2, port.1-2, forum.1-2, baths.1"
    looking = given(f"{text}; opt discard_pile=face_up").plays("P4 survey")
    for world in _worlds(looking, 4, 40):
        assert set(world.looked_at) == set(looking.state.looked_at)
        assert world.discard == ("circus.1",)
        assert sorted(cards(world)) == sorted(DECK.cards)
    assert len({frozenset(world.looked_at) for world in _worlds(looking, 0, 40)}) > 20
    assert len({world.hands[4] for world in _worlds(looking, 4, 40)}) == 2
    hidden = given(text)
    assert len({world.discard for world in _worlds(hidden, 4, 40)}) > 20


def test_av_213_resampled_cards_are_the_same_cards() -> None:
    match = given(
        "K1; call 7; spy senator; P2 hand port.1, mint.1; P1 hand forum.1; P3 hand mill.1"
    )
    moved = set()
    for world in _worlds(match, 1):
        assert sorted(cards(world)) == sorted(DECK.cards)
        assert set(world.hands[2]) == {"port.1", "mint.1"}
        assert world.hands[1] == ("forum.1",)
        moved.add(world.hands[3])
    assert len(moved) > 20
