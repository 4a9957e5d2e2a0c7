"""What viewers see of events: nothing hidden, the same in worlds they cannot tell apart."""

import re
from dataclasses import replace
from hmac import digest as hmac
from random import Random
from typing import Any

import msgspec
import pytest

from events import observe
from events.canonical import canonical, decoded, raw
from events.match import Match
from events.observe import facets, shown_facets
from events.types import Start
from games import registry
from games.core.game import ALL, SPECTATOR, Decision, Seen, Viewer
from games.core.moves import Choice, Move, Wire, offer
from tests.events.scripted import MATCH_ID, ScriptedDealer, Table, finished, shown_to
from tests.games.high_card import make
from tests.games.high_card.game import Options

GAME = registry.game("high_card")
MANY = registry.install("high_card", b'{"cards":99}')
TALK = Options(rounds=1)
HANDS = (31, 32, 41, 42, 51, 52)  # of seats 0, 1, 2
REST = tuple(card for card in range(1, 100) if card not in HANDS)


def played(deck: tuple[int, ...], game: Any = MANY) -> Table:
    """One round in which everybody chooses the second card dealt."""
    at = Table(game, 3, TALK, dealer=ScriptedDealer({"round 1 deal": deck}))
    at.play(0, {"type": "arrange", "cards": [deck[1], deck[0]]})
    for seat in (2, 0, 1):
        at.play(seat, {"type": "choose", "card": deck[2 * seat + 1]})
    at.say(0, {"type": "speak", "text": "so"})
    at.play(0, {"type": "ring", "stake": 1})
    return at


def seen(at: Table, viewer: Viewer) -> list[dict[str, Any]]:
    return [decoded(shown_to(each, viewer)) for each in at.sealed]


def numbers(shown: bytes) -> set[int]:
    """The numbers in JSON that are no part of a string."""
    plain = re.sub(rb'"[^"]*"', b"", shown)
    return {int(each) for each in re.findall(rb"\d+", plain)}


# Secrecy


@pytest.mark.parametrize("viewer", [SPECTATOR, 0, 1, 2])
def test_planted_cards_show_to_nobody_who_may_not_know_them(viewer: Viewer) -> None:
    at = played((*HANDS, *REST))
    own = set(HANDS[2 * viewer : 2 * viewer + 2]) if viewer >= 0 else set()
    for each in at.sealed[:-2]:
        record = each.record
        is_last_choice = b'"reveals"' in each.facets[0]
        shown = numbers(shown_to(each, viewer)) & {*HANDS, *REST} - {record.version, 3, 99}
        open_to_all = {32, 42, 52} if is_last_choice else set()
        if record.kind in ("chance_drawn", "move_played"):
            assert shown <= own | open_to_all | {0, 1, 2}, (record.version, shown)


@pytest.mark.parametrize("viewer", [SPECTATOR, 0, 1, 2])
def test_two_worlds_a_viewer_cannot_tell_apart_give_the_same_bytes(viewer: Viewer) -> None:
    """The other deck differs in what is hidden from the viewer until the choices show."""
    deck = [*HANDS, *REST]
    twin = list(deck)
    for seat in range(3):
        if seat != viewer:
            twin[2 * seat], twin[20 + seat] = twin[20 + seat], twin[2 * seat]
    twin[50], twin[60] = twin[60], twin[50]
    one, other = played(tuple(deck)), played(tuple(twin))
    assert one.records != other.records
    for mine, theirs in zip(one.sealed[:-1], other.sealed[:-1], strict=True):
        assert blanked(shown_to(mine, viewer)) == blanked(shown_to(theirs, viewer))


def blanked(shown: bytes) -> bytes:
    """Without commitments and salts, which tell nothing without the seed."""
    return re.sub(rb"[0-9a-f]{64}", b"-", shown)


def test_a_draw_shows_neither_offer_nor_size_nor_places() -> None:
    for viewer in (SPECTATOR, 0, 1, 2):
        (draw,) = (each for each in seen(played((*HANDS, *REST)), viewer) if "label" in each)
        assert set(draw) == {"version", "kind", "at", "asks", "label", "redraw", "move"}


def test_a_set_position_shows_nothing() -> None:
    at = Table(GAME, 2, start=Start.MANUAL)
    at.set_position(GAME.new(Options(), 2))
    for viewer in (SPECTATOR, 0, 1):
        assert set(seen(at, viewer)[3]) == {"version", "kind", "at"}


# The content


def test_a_lifecycle_event_shows_its_content_to_all() -> None:
    at = played((*HANDS, *REST))
    created, claimed = seen(at, SPECTATOR)[:2]
    assert claimed == {
        "version": 2,
        "kind": "seat_claimed",
        "at": at.sealed[1].record.at,
        "seat": 0,
        "data": {"holder": "player 0"},
    }
    assert created["data"]["match_id"] == MATCH_ID
    assert "seed_commitment" in created["data"]
    assert seen(at, 1)[-1]["data"] == {"seed": at.dealer.seed().hex()}


def test_seats_see_their_own_part_and_the_mark_where_it_is_the_public_one() -> None:
    at = played((*HANDS, *REST))
    deal, order = at.sealed[5], at.sealed[6]
    assert [decoded(deal.facets[s + 1])["move"]["cards"][2 * s] for s in range(3)] == [31, 41, 51]
    assert decoded(order.facets[0])["move"] == {"type": "arrange", "cards": [None, None]}
    assert decoded(order.facets[1])["move"] == {"type": "arrange", "cards": [32, 31]}
    assert order.facets[2:4] == (b"=", b"=")
    assert order.facets[4] == order.record.body


def test_observing_is_what_the_facets_say() -> None:
    at = played((*HANDS, *REST))
    for step, each in zip(at.steps, at.sealed, strict=True):
        made = facets(step.before, step.event, 3, at.dealer)
        assert made == each.facets
        assert made[:-1] == shown_facets(step.before, step.event, 3, at.dealer)
        for viewer in (SPECTATOR, 0, 1, 2):
            own = observe.observe(step.before, step.event, viewer, at.dealer)
            assert canonical(own) == shown_to(each, viewer)
        assert shown_to(each, ALL) == each.record.body


# Sealed answers


def test_a_sealed_answer_is_committed_to_and_opened_when_it_shows() -> None:
    at = played((*HANDS, *REST))
    public = seen(at, SPECTATOR)
    sealed = {each["decision"]: each["sealed"] for each in public if "sealed" in each}
    (opening,) = (each for each in public if "reveals" in each)
    assert [each["seat"] for each in opening["reveals"]] == [0, 2]
    assert "sealed" not in opening  # The last choice shows at once.
    for each in opening["reveals"]:
        salt = bytes.fromhex(each["salt"])
        made = hmac(salt, canonical(each["move"]), "sha256").hex()
        assert made == sealed[each["decision"]]


def test_the_same_answer_in_another_decision_has_another_commitment() -> None:
    at = finished("high_card", 4)
    sealed = [each["sealed"] for each in seen(at, SPECTATOR) if "sealed" in each]
    assert len(set(sealed)) == len(sealed) > 4


class Bid(Move, frozen=True):
    card: str | None


class Bids(msgspec.Struct, frozen=True):
    bids: tuple[str | None, ...] = (None, None)
    count: int = 0


BID = offer(Bid, card=Choice(("LOW", "HIGH"), least=0))


def bidding(redact: Any) -> Match:
    """A match of a game in which both seats secretly bid a card, or none."""
    both = Decision("bid", {0: (BID,), 1: (BID,)})
    game = replace(GAME, move=Bid, state=Bids, turn=lambda state: both, redact=redact)
    return msgspec.structs.replace(Table(GAME, 2).current, game=game, state=Bids())


@pytest.mark.parametrize("card", ["LOW", None])
@pytest.mark.parametrize("public", [{"type": "bid", "card": None}, None])
def test_that_nothing_was_picked_does_not_show_by_a_missing_commitment(
    card: str | None, public: Wire | None
) -> None:
    current = bidding(lambda state, seat, move, viewer: Seen(public))
    made = observe.sealed_as(current, 0, "6.0", raw(Bid(card)), ScriptedDealer({}))
    assert made is not None


def test_what_the_public_sees_whole_needs_no_commitment() -> None:
    wire = {"type": "bid", "card": "LOW"}
    current = bidding(lambda state, seat, move, viewer: Seen(wire))
    assert observe.sealed_as(current, 0, "6.0", raw(wire), ScriptedDealer({})) is None
    assert observe.sealed_as(current, 0, None, raw(wire), ScriptedDealer({})) is None


def test_a_salt_comes_with_the_whole_answer_only() -> None:
    """A game that shows a part, or another answer, must not open the rest to guessing."""
    at = Table(MANY, 2, TALK, dealer=ScriptedDealer({"round 1 deal": (*HANDS, *REST)}))
    at.play(0, {"type": "arrange", "cards": [32, 31]})
    at.play(0, {"type": "choose", "card": 32})
    whole = observe._opening(at.current, 0, {"type": "choose", "card": 32}, at.dealer)
    assert whole.salt is not None
    for wire in ({"type": "choose", "card": None}, {"type": "choose", "card": 31}):
        part = observe._opening(at.current, 0, wire, at.dealer)
        assert (part.decision, part.salt) == (None, None)
    never = observe._opening(at.current, 1, {"type": "choose", "card": 41}, at.dealer)
    assert (never.decision, never.salt) == (None, None)


def test_random_matches_show_every_seat_its_own_moves_whole() -> None:
    at = Table(make(b'{"cards":10}'), 4).play_on(Random(5))
    for step, each in zip(at.steps, at.sealed, strict=True):
        seat = getattr(step.event, "seat", None)
        if each.record.kind == "move_played" and seat is not None:
            body = decoded(each.record.body)
            assert decoded(shown_to(each, seat))["move"] == body["move"]
