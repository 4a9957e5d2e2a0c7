"""The worked scenarios, by their ids; the notation is explained in `build.py`."""

from itertools import permutations

import msgspec
import pytest

from games.ambition_tricks import GAME
from games.ambition_tricks.cards import Card
from games.ambition_tricks.moves import Kickoff, Pass, Play
from games.ambition_tricks.scoring import awards
from games.ambition_tricks.state import NilBy, Options, Phase
from games.ambition_tricks.view import Handed
from games.core.game import SPECTATOR
from games.core.moves import take
from tests.games.ambition_tricks.build import (
    SAMPLE_KICKOFF,
    SAMPLE_PASSES,
    SAMPLE_TRICKS,
    SCATTER_PASSES,
    Match,
    by_seat,
    cards,
    finished,
    given,
    kicked_off,
    opened,
    sample,
    taken,
)

VIEWERS = (0, 1, 2, 3, SPECTATOR)


def hands(match: Match) -> list[str]:
    return [match.hand(seat) for seat in range(4)]


def handed(*pairs: tuple[int, str]) -> tuple[Handed, ...]:
    return tuple(Handed(seat, cards(text)) for seat, text in pairs)


def test_at_s01_deal() -> None:
    assert hands(sample()) == [
        "2C 9C TC AC 5D 7D 8D 9D 5H 7H 8H AH 2S",
        "6C 8C KC 2D 4D 6H JH 4S 5S 6S 7S JS QS",
        "3C 5C 7C QC 6D QD KD 3H 4H KH 8S KS AS",
        "4C JC 3D TD JD AD 2H 9H TH QH 3S 9S TS",
    ]


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (3, 1, 0, 2)])
def test_at_s02_pass_right(order: tuple[int, ...]) -> None:
    match, passes = sample(), dict(by_seat(SAMPLE_PASSES))
    for seat in order:
        match.move(seat, Pass(passes[seat]))
    assert hands(match) == [
        "2C 9C AC 2D 4D 5D 7D 8D 9D 5H 7H 8H JH",
        "6C 8C KC 4H 6H KH 4S 5S 6S 7S 8S JS QS",
        "3C 5C 7C JC QC 3D 6D QD KD 3H TH KS AS",
        "4C TC TD JD AD 2H 9H QH AH 2S 3S 9S TS",
    ]
    assert match.own(3).received == handed((0, "TC AH 2S"))
    assert match.own(0).received == handed((1, "2D 4D JH"))
    assert match.own(1).received == handed((2, "4H KH 8S"))
    assert match.own(2).received == handed((3, "JC 3D TH"))


def test_at_s03_pass_left() -> None:
    match = sample(pass_cycle="author").passes()
    assert match.own(1).received == handed((0, "TC AH 2S"))
    assert match.own(2).received == handed((1, "2D 4D JH"))
    assert match.own(3).received == handed((2, "4H KH 8S"))
    assert match.own(0).received == handed((3, "JC 3D TH"))


def test_at_s04_scatter() -> None:
    match = opened(first_dealer=0)
    match.state = msgspec.structs.replace(match.state, hand_no=4)
    match.deal().passes(SCATTER_PASSES)
    assert match.own(0).received == handed((1, "2D"), (2, "8S"), (3, "JC"))
    assert match.own(1).received == handed((0, "2S"), (2, "4H"), (3, "3D"))
    assert match.own(2).received == handed((0, "AH"), (1, "4D"), (3, "TH"))
    assert match.own(3).received == handed((0, "TC"), (1, "JH"), (2, "KH"))
    assert match.own(0).passed == handed((1, "2S"), (2, "AH"), (3, "TC"))


def test_at_s05_what_is_seen_during_the_pass() -> None:
    match = sample()
    offers = match.offers(1)
    passes = dict(by_seat(SAMPLE_PASSES))
    match.move(0, Pass(passes[0])).move(2, Pass(passes[2]))
    assert match.asked() == {1, 3}
    assert match.own(0).choice == cards("TC AH 2S")
    assert match.own(0).hand == cards("2C 9C TC AC 5D 7D 8D 9D 5H 7H 8H AH 2S")
    for viewer in VIEWERS:
        view = match.view(viewer)
        assert view.asked == (1, 3)
        assert [seat.has_committed for seat in view.seats] == [True, False, True, False]
        assert [seat.hand_size for seat in view.seats] == [13] * 4
        if viewer != 0:
            text = msgspec.json.encode(view).decode()
            assert not [card for card in cards(match.hand(0)) if f'"{card}"' in text]
            assert match.wire(viewer, back=2) == {"type": "pass", "cards": [None] * 3}
    assert match.offers(1) == offers
    before = match.state
    assert match.refuses(0, Pass(cards("2C 9C AC")))
    assert match.state is before


def test_at_s06_kickoff_offers() -> None:
    match = sample().passes()
    assert match.offered(0) == "2D 4D 5D 7D 8D 9D"
    assert match.offered(2) == "3D 6D QD KD"
    assert match.offered(3) == "TD JD AD"
    assert match.offered(1) == match.hand(1)
    assert match.refuses(2, Kickoff(Card("KS")))


def test_at_s07_kickoff_result() -> None:
    match = sample().passes()
    for seat, (card,) in by_seat(SAMPLE_KICKOFF)[:3]:
        match.move(seat, Kickoff(card))
        assert match.own(seat).choice == (card,)
        for viewer in {*VIEWERS} - {seat}:
            assert match.wire(viewer) == {"type": "kickoff", "card": None}
    for viewer in VIEWERS:
        view = match.view(viewer)
        assert [seat.hand_size for seat in view.seats] == [13] * 4
        assert [seat.has_committed for seat in view.seats] == [True, True, True, False]
    spectated = msgspec.json.encode(match.view(SPECTATOR)).decode()
    assert not [code for code in ("9D", "6H", "KD", "AD") if f'"{code}"' in spectated]
    match.move(3, Kickoff(Card("AD")))
    for viewer in VIEWERS:
        assert match.wire(viewer) == {"type": "kickoff", "card": "AD"}
        assert match.seen(viewer).reveals == (
            (0, {"type": "kickoff", "card": "9D"}),
            (1, {"type": "kickoff", "card": "6H"}),
            (2, {"type": "kickoff", "card": "KD"}),
        )
        view = match.view(viewer)
        assert view.tricks[0].cards == cards("9D 6H KD AD")
        assert [seat.points for seat in view.seats] == [0, 0, 0, 10]
        assert view.pool == 70
    assert (match.last().winner, match.last().points) == (3, 10)
    assert match.asked() == {3}


RESULTS = """
    2 5 0,0,5,10
    0 0 0,0,5,10
    3 8 0,0,5,18
    3 8 0,0,5,26
    0 13 13,0,5,26
    3 7 13,0,5,33
    3 4 13,0,5,37
    3 6 13,0,5,43
    0 3 16,0,5,43
    0 9 25,0,5,43
    0 3 28,0,5,43
"""


def test_at_s08_the_whole_sample_hand() -> None:
    match = sample().passes().kickoff()
    results = [line.split() for line in RESULTS.split("\n") if line.strip()]
    tricks = [line for line in SAMPLE_TRICKS.split("\n") if line.strip()]
    for (winner, worth, after), plays in zip(results[:-1], tricks[:-1], strict=True):
        match.plays(plays)
        assert (match.last().winner, match.last().points) == (int(winner), int(worth))
        points = [seat.points for seat in match.view(SPECTATOR).seats]
        assert points == [int(each) for each in after.split(",")]
    match.plays(tricks[-1])
    (hand,) = match.state.history
    assert hand.last_trick == msgspec.structs.replace(
        hand.last_trick, leader=0, cards=cards("JH 4S QC 9H"), winner=0, points=4
    )
    assert hand.tricks_won == (6, 0, 1, 6)
    assert hand.points == (32, 0, 5, 43)
    assert hand.awards == hand.totals == match.state.scores == (32, 20, 0, 0)
    assert hand.labels == ("scored", "nil", "understrike", "strike")
    assert match.label() == "hand 2 deal"
    view = match.view(SPECTATOR)
    assert (view.dealer, view.hand_no, view.direction, view.pool) == (1, 2, "right", 80)


@pytest.mark.parametrize(
    ("plays", "winner", "points"),
    [
        pytest.param("0:5S 1:KS 2:2S 3:AS", 2, 10, id="at_s09_two_beats_the_ace"),
        pytest.param("0:2H 1:9H 2:JH 3:7C", 0, 4, id="at_s10_two_led"),
        pytest.param("0:5C 1:2C 2:KH 3:9C", 3, 3, id="at_s11_off_suit_honor"),
        pytest.param("0:KD 1:2S 2:3D 3:7D", 0, 4, id="at_s12_off_suit_two"),
        pytest.param("0:KC 1:2C 2:AC 3:5C", 1, 13, id="at_s13_king_of_clubs_is_an_honor"),
        pytest.param("0:4S 1:2S 2:3S 3:6S", 3, 0, id="at_s14_all_low_spots"),
        pytest.param("3:2D 0:KC 1:AS 2:TH", 3, 19, id="at_s15_two_led_nobody_follows"),
    ],
)
def test_at_s09_to_s15_tricks(plays: str, winner: int, points: int) -> None:
    trick = taken(plays)
    assert (trick.winner, trick.points) == (winner, points)


def test_at_s14_a_worthless_trick_is_a_trick() -> None:
    match = given("0:4S 1:2S 2:3S 3:6S", leader=0).plays("0:4S 1:2S 2:3S 3:6S")
    assert match.view(SPECTATOR).seats[3].tricks_won == 1


@pytest.mark.parametrize(
    ("plays", "winner", "points"),
    [
        pytest.param("0:7D 1:JD 2:2D 3:AC", 2, 7, id="at_s16_two_with_honor"),
        pytest.param("0:TD 1:2D 2:5D 3:7D", 0, 5, id="at_s17_two_without_honor"),
        pytest.param("0:KC 1:2D 2:AS 3:TH", 1, 22, id="at_s18_one_seat_has_all_diamonds"),
    ],
)
def test_at_s16_to_s18_kickoffs(plays: str, winner: int, points: int) -> None:
    trick = kicked_off(plays)
    assert (trick.winner, trick.points) == (winner, points)


@pytest.mark.parametrize(
    ("hand", "offered"), [("KH 2S 3S", "2S 3S"), ("4C KH", "4C KH"), ("KH 2S", "2S")]
)
def test_at_s19_following(hand: str, offered: str) -> None:
    match = given(f"0:9S 1:{hand}", leader=0).plays("0:9S")
    assert match.asked() == {1}
    assert match.offered(1) == offered
    others = {viewer: match.view(viewer) for viewer in (0, 2, 3, SPECTATOR)}
    assert all(view.asked == (1,) for view in others.values())


CASES = """
    a 3,4,3,3   22,34,20,4   22,0,20,0   scored strike scored understrike
    b 4,4,3,2   30,30,12,8   0,0,12,0    strike strike scored understrike
    c 6,3,3,1   50,13,10,7   0,13,10,0   strike scored scored understrike
    d 6,3,3,1   51,13,10,6   40,0,0,0    slam shut_out shut_out shut_out
    e 11,2,0,0  68,12,0,0    40,0,0,0    slam shut_out shut_out shut_out
    f 5,4,4,0   34,26,20,0   0,26,20,20  strike scored scored nil
    g 7,6,0,0   41,39,0,0    0,39,10,10  strike scored nil nil
    h 7,6,0,0   40,40,0,0    0,0,10,10   strike strike nil nil
    i 2,5,3,3   0,30,28,22   0,0,28,22   understrike strike scored scored
    j 2,2,4,5   9,10,25,36   0,10,25,0   understrike scored scored strike
    k 3,3,3,4   20,20,20,20  0,0,0,0     strike strike strike strike
    l 13,0,0,0  80,0,0,0     40,0,0,0    slam shut_out shut_out shut_out
"""


def numbers(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split(",")))


@pytest.mark.parametrize("line", [each for each in CASES.split("\n") if each.strip()])
def test_at_s20_scoring_table(line: str) -> None:
    _, won, points, given_awards, *labels = line.split()
    result = awards(Options(), numbers(won), numbers(points))
    assert tuple(each.points for each in result) == numbers(given_awards)
    assert [each.label for each in result] == labels


@pytest.mark.parametrize(
    ("nil_by", "won", "points", "expected", "labels"),
    [
        (NilBy.POINTS, "2,5,3,3", "0,30,28,22", "20,0,28,22", "nil strike scored scored"),
        (NilBy.POINTS, "2,0,6,5", "0,0,44,36", "10,10,0,36", "nil nil strike scored"),
        (NilBy.TRICKS, "2,0,6,5", "0,0,44,36", "0,20,0,36", "understrike nil strike scored"),
    ],
)
def test_at_s21_nil_by_points(
    nil_by: NilBy, won: str, points: str, expected: str, labels: str
) -> None:
    result = awards(Options(nil_by=nil_by), numbers(won), numbers(points))
    assert tuple(each.points for each in result) == numbers(expected)
    assert [each.label for each in result] == labels.split()


def test_at_s22_end_of_the_game() -> None:
    match = finished((22, 34, 20, 4), (3, 4, 3, 3), scores=(90, 70, 60, 61))
    over = match.over()
    assert (over.scores, over.ranks, over.note) == ((112, 70, 80, 61), (1, 3, 2, 4), "target")
    outcome = match.view(SPECTATOR).outcome
    assert outcome is not None
    assert (outcome.winners, outcome.ended_by, outcome.hands_played) == ((0,), "target", 1)


def test_at_s23_two_pass_the_target() -> None:
    match = finished((18, 12, 35, 15), scores=(85, 95, 40, 10))
    assert match.state.history[0].awards == (18, 12, 0, 15)
    assert match.over().scores == (103, 107, 40, 25)
    assert match.over().ranks == (2, 1, 3, 4)


def test_at_s24_exactly_100_by_a_slam() -> None:
    over = finished((51, 13, 10, 6), scores=(60, 99, 99, 99)).over()
    assert (over.scores, over.ranks) == ((100, 99, 99, 99), (1, 2, 2, 2))


def test_at_s25_no_end() -> None:
    match = finished((40, 40, 0, 0), (7, 6, 0, 0), scores=(99, 99, 0, 0))
    assert match.state.scores == (99, 99, 10, 10)
    assert match.state.dealer == 1
    assert match.label() == "hand 2 deal"


def test_at_s26_tie() -> None:
    match = finished((12, 10, 40, 18), scores=(88, 90, 0, 0))
    assert match.over().scores == (100, 100, 0, 18)
    assert match.over().ranks == (1, 1, 4, 3)
    outcome = match.view(SPECTATOR).outcome
    assert outcome is not None
    assert outcome.winners == (0, 1)
    on = finished((12, 10, 40, 18), scores=(88, 90, 0, 0), ties="play_on")
    assert on.label() == "hand 2 deal"


@pytest.mark.parametrize(
    ("cycle", "ways"),
    [
        ("seed", "right right across scatter right"),
        ("author", "left right across scatter left"),
    ],
)
def test_at_s27_dealer_and_cycle(cycle: str, ways: str) -> None:
    match, dealers, passes = opened(first_dealer=2, pass_cycle=cycle, target_score=1000), [], []
    for _ in range(5):
        match.deal()
        dealers.append(match.state.dealer)
        passes.append(match.view(SPECTATOR).direction)
        while match.state.phase is not Phase.DEAL:
            match.by_fallback()
    assert dealers == [2, 3, 0, 1, 2]
    assert passes == ways.split()


def test_at_s28_commits_commute() -> None:
    start, passes, cards_ = sample(), dict(by_seat(SAMPLE_PASSES)), dict(by_seat(SAMPLE_KICKOFF))
    passed, kicked = set(), set()
    for order in permutations(range(4)):
        match = start.fork()
        for seat in order:
            match.move(seat, Pass(passes[seat]))
        passed.add(msgspec.json.encode(match.state))
        for seat in order:
            match.move(seat, Kickoff(cards_[seat][0]))
        kicked.add(msgspec.json.encode(match.state))
    assert len(passed) == len(kicked) == 1


def test_at_s29_rejected_moves_leave_no_trace() -> None:
    match = sample().passes().kickoff().plays("3:3S 0:4D")
    before = msgspec.json.encode(match.state)
    views = [match.view(viewer) for viewer in VIEWERS]
    steps = len(match.steps)
    assert match.refuses(1, Play(Card("6C")))
    with pytest.raises(Exception, match=r"^move not offered: play$"):
        take(match.offers(1), {"type": "play", "card": "6C"})
    assert msgspec.json.encode(match.state) == before
    assert [match.view(viewer) for viewer in VIEWERS] == views
    assert len(match.steps) == steps


def test_at_s30_a_hand_played_by_the_clock() -> None:
    match = sample()
    passes = {seat: GAME.fallback(match.state, seat) for seat in range(4)}
    expected = by_seat("0:2C 5H 7H 1:KC 5S 6S 2:7C 6D 8S 3:JD QH 3S")
    assert passes == {seat: Pass(three) for seat, three in expected}
    for seat in range(4):
        match.move(seat, passes[seat])
        if seat < 3:
            assert not match.own(3).received
            assert "2C" not in msgspec.json.encode(match.view(3)).decode()
    match.by_fallback()
    assert match.last().cards == cards("8D 6D JD AD")
    assert (match.last().winner, match.last().points) == (3, 10)
    for plays, winner, points in (
        ("2C KC 7C 5C", 3, 13),
        ("7H AH 6H QH", 0, 7),
    ):
        for _ in range(4):
            match.by_fallback()
        assert match.last().cards == cards(plays)
        assert (match.last().winner, match.last().points) == (winner, points)
    while match.state.phase is Phase.PLAY:
        match.by_fallback()
    (hand,) = match.state.history
    assert hand.tricks_won == (5, 2, 2, 4)
    assert hand.points == (21, 9, 17, 33)
    assert hand.awards == (21, 0, 17, 0)
    assert hand.labels == ("scored", "understrike", "scored", "strike")
