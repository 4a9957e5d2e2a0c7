"""Disputes and rulings: their stages, what each ruling does, and what it may not do."""

from random import Random

import pytest

from events.canonical import decoded
from events.decide import CancelMatch, PlayMove, Resign, overdue
from events.disputes import Stage, is_provisional
from events.disputing import IssueSeatToken, RevokeSeatTokens, StartReview, TakeLook
from events.match import fold
from events.refusals import (
    AlreadyResigned,
    DecisionClosed,
    DisputeNotFound,
    DisputeOpenAlready,
    DisputesExhausted,
    MatchNotRunning,
    MatchRevealedAlready,
    MatchUnderReview,
    RulingImpossible,
    WrongStage,
)
from events.rulings import (
    ForceMove,
    Forfeit,
    Note,
    Redraw,
    ReplaceSeat,
    Replay,
    Rewind,
    Ruling,
    SetResult,
    Void,
)
from events.texts import digest_of
from events.types import By, DisputeOpened, MovePlayed, Status, Terminal
from events.verify import OVERDUE_MS, verify_log
from events.verify_view import verify_view
from games import registry
from games.core.game import ALL, SPECTATOR
from games.core.moves import IllegalMove
from tests.events.disputed import (
    ARBITER,
    appealed,
    boundary_of,
    closed,
    line_of,
    opened,
    reviewed,
    ruled,
    to_boundary,
)
from tests.events.scripted import MATCH_ID, OTHER_ID, Table, changed, entries, where
from tests.events.test_decide import GAME, arranged, chosen, kinds, table, unseated


def windowed(seats: int = 2) -> Table:
    """Over, with a minute for disputes before the reveal."""
    return Table(GAME, seats, window=60_000).play_on(Random(3))


def stage(at: Table, dispute: int) -> Stage:
    return next(each.stage for each in at.current.disputes if each.id == dispute)


# Stages


def test_a_dispute_goes_from_open_through_review_and_ruling_to_its_end() -> None:
    at = arranged(table(2))
    dispute = opened(at)
    assert stage(at, dispute) is Stage.OPEN
    at.do(StartReview(dispute, ARBITER, True))
    assert (stage(at, dispute), at.current.status) == (Stage.UNDER_REVIEW, Status.UNDER_REVIEW)
    ruled(at, Note(), dispute)
    assert (stage(at, dispute), at.current.status) == (Stage.RULED, Status.RUNNING)
    appealed(at, dispute, seat=1)
    at.do(StartReview(dispute, ARBITER, False))
    ruled(at, Note(), dispute)
    assert stage(at, dispute) is Stage.CLOSED
    with pytest.raises(WrongStage):
        appealed(at, dispute, seat=1)
    verdict = verify_log(at.records, texts=at.texts)
    assert verdict.fault is None
    assert fold(at.records) == at.current


def test_a_ruled_dispute_can_be_closed_and_then_not_appealed() -> None:
    at = table(2)
    dispute = reviewed(at)
    ruled(at, Note(), dispute)
    closed(at, dispute)
    with pytest.raises(WrongStage):
        appealed(at, dispute)


def test_a_seat_withdraws_its_own_open_dispute_alone() -> None:
    at = table(2)
    dispute = opened(at, 0)
    with pytest.raises(WrongStage):
        closed(at, dispute, seat=1)
    with pytest.raises(WrongStage):
        closed(at, dispute)  # An arbiter rules first.
    closed(at, dispute, seat=0)
    assert stage(at, dispute) is Stage.CLOSED


def test_one_dispute_at_a_time_is_under_review_and_of_one_party_open() -> None:
    at = table(3)
    reviewed(at, 0)
    with pytest.raises(DisputeOpenAlready):
        opened(at, 0)
    other = opened(at, 1)
    with pytest.raises(WrongStage):
        at.do(StartReview(other, ARBITER, False))
    with pytest.raises(DisputeNotFound):
        at.do(StartReview(999, ARBITER, False))


def test_disputes_are_bounded() -> None:
    at = table(2)
    for _ in range(32):
        closed(at, opened(at), seat=0)
    with pytest.raises(DisputesExhausted):
        opened(at)


def test_there_is_nothing_to_dispute_before_the_start_and_of_a_cancelled_match() -> None:
    at = unseated()
    with pytest.raises(MatchNotRunning):
        opened(at)
    at.do(CancelMatch())
    with pytest.raises(MatchNotRunning):
        opened(at)


def test_a_claim_is_about_an_event_that_is_there() -> None:
    for about in (0, 99):
        with pytest.raises(RulingImpossible):
            opened(table(2), about=about)


def test_nobody_moves_while_a_review_holds_the_play() -> None:
    at = arranged(table(2))
    decision = at.current.decision_of(1)
    dispute = reviewed(at)
    assert at.current.decision_of(1) == decision
    with pytest.raises(MatchUnderReview):
        chosen(at, 1)
    with pytest.raises(MatchUnderReview):
        at.say(1, {"type": "speak", "text": "Well"})
    with pytest.raises(MatchUnderReview):
        at.do(Resign(1))
    ruled(at, Note(), dispute)
    assert at.current.decision_of(1) == decision  # It was open all the time.
    chosen(at, 1)


def test_a_review_without_a_pause_lets_the_play_go_on() -> None:
    at = arranged(table(2))
    reviewed(at, pause=False)
    chosen(at, 1)
    assert verify_log(at.records).fault is None


def test_a_ruling_on_what_is_not_under_review_is_refused() -> None:
    at = table(2)
    dispute = opened(at)
    with pytest.raises(WrongStage):
        ruled(at, Note(), dispute)


def test_claims_and_reasons_lie_beside_the_log() -> None:
    at = table(2)
    dispute = opened(at)
    event = at.events[dispute - 1]
    assert isinstance(event, DisputeOpened)
    (row,) = (row for row in at.texts if row.version == dispute)
    assert (row.field, row.text, event.claim) == ("claim", "It was not so", digest_of(row))
    assert b"It was not so" not in at.records[dispute - 1].body
    assert verify_log(at.records, texts=()).fault is None  # Erased texts leave the log sound.
    other = [type(row)(row.version, row.field, row.salt, "Else") for row in at.texts]
    assert where(verify_log(at.records, texts=other)) == (dispute, "text")


# Rulings


def test_a_seat_is_replaced() -> None:
    at = arranged(table(2))
    ruled(at, ReplaceSeat(seat=1, holder="another"))
    assert at.current.holders == ("player 0", "another")
    assert verify_log(at.records).fault is None


def test_a_forced_move_is_an_offer_taken_by_the_arbiter() -> None:
    at = arranged(table(2))
    decision = at.current.decision_of(1)
    assert decision is not None
    force = ForceMove(seat=1, decision=decision)
    steps = ruled(at, force, move={"type": "choose", "card": 8})
    assert kinds(at)[-2:] == ["dispute_ruled", "move_played"]
    played = steps[-1].event
    assert isinstance(played, MovePlayed)
    assert (played.seat, played.by, played.decision) == (1, By.ARBITER, decision)
    assert at.current.due is None
    assert verify_log(at.records).fault is None


def test_a_forced_move_shows_no_more_than_the_same_move_of_the_seat() -> None:
    at = arranged(table(2))
    decision = at.current.decision_of(1)
    assert decision is not None
    force = ForceMove(seat=1, decision=decision)
    ruled(at, force, move={"type": "choose", "card": 8})
    for shown, _ in (*entries(at, SPECTATOR)[-2:], *entries(at, 0)[-2:]):
        assert b'"card":8' not in shown
    assert b'"card":8' in entries(at, 1)[-1][0]


def test_a_forced_move_that_is_not_offered_leaves_no_trace() -> None:
    at = arranged(table(2))
    decision = at.current.decision_of(1)
    assert decision is not None
    dispute = reviewed(at)
    before = at.current
    with pytest.raises(IllegalMove):
        ruled(at, ForceMove(seat=1, decision=decision), dispute, {"type": "choose", "card": 9})
    with pytest.raises(DecisionClosed):
        ruled(at, ForceMove(seat=1, decision="1.1"), dispute, {"type": "choose", "card": 8})
    assert at.current is before


def test_a_forfeited_seat_is_out_and_ranks_last() -> None:
    at = arranged(table(3))
    ruled(at, Forfeit(seat=1))
    with pytest.raises(AlreadyResigned):
        ruled(at, Forfeit(seat=1))
    other = arranged(table(2))
    ruled(other, Forfeit(seat=0))
    assert other.current.outcome is not None
    assert other.current.outcome.terminal is Terminal.FORFEITED
    assert other.current.outcome.ranks == (2, 1)


def test_a_result_is_set_and_revised() -> None:
    at = windowed()
    assert (at.current.revision, is_provisional(at.current)) == (1, True)
    dispute = reviewed(at, pause=False)
    ruled(at, SetResult(ranks=(1, 1), scores=(3, 3)), dispute)
    outcome = at.current.outcome
    assert outcome is not None
    assert (outcome.ranks, outcome.terminal) == ((1, 1), Terminal.ADJUDICATED)
    assert at.current.revision == 2
    assert verify_log(at.records).fault is None


@pytest.mark.parametrize(
    "ruling",
    [
        SetResult(ranks=(1,), scores=None),
        SetResult(ranks=(0, 1), scores=None),
        SetResult(ranks=(1, 3), scores=None),
        SetResult(ranks=(1, 2), scores=(1,)),
        ReplaceSeat(seat=2, holder="x"),
        ReplaceSeat(seat=-1, holder="x"),
        ReplaceSeat(seat=0, holder=""),
        Forfeit(seat=2),
        ForceMove(seat=7, decision="1.7"),
        Rewind(to=5, boundary="no such boundary"),
        Redraw(label="no such draw", to=5),
        Redraw(label="round 1 deal", to=5),
        Replay(match_id=OTHER_ID.upper()),
        Replay(match_id="another"),
    ],
)
def test_impossible_rulings_are_refused_and_a_fault_in_a_log(ruling: Ruling) -> None:
    at = arranged(table(2))
    dispute = reviewed(at)
    with pytest.raises(RulingImpossible):
        ruled(at, ruling, dispute)
    (note, *_) = ruled(at, Note(), dispute)
    forged = changed(at, note.event.version, ruling=ruling)
    assert where(verify_log(forged)) == (note.event.version, "beside_play")


def test_a_void_match_has_no_result_and_is_revealed() -> None:
    at = arranged(table(2))
    ruled(at, Void())
    assert (at.current.status, at.current.outcome) == (Status.VOID, None)
    assert at.current.is_revealed
    with pytest.raises(MatchNotRunning):
        chosen(at, 1)


@pytest.mark.parametrize("ruling", [Void(), Forfeit(seat=0), Replay(match_id=OTHER_ID)])
def test_a_match_that_a_ruling_ended_is_sound(ruling: Ruling) -> None:
    at = Table(GAME, 2).play_on(Random(1), most=3)
    ruled(at, ruling)
    assert at.current.is_revealed
    verdict = verify_log(at.records)
    assert (verdict.fault, verdict.unchecked) == (None, ())


def test_a_replay_voids_this_match_and_names_the_other() -> None:
    at = windowed()
    ruled(at, Replay(match_id=OTHER_ID))
    assert (at.current.status, at.current.outcome) == (Status.VOID, None)
    assert decoded(at.records[-1].body)["ruling"] == {"match_id": OTHER_ID, "type": "replay"}


# The reveal and its window


def test_after_the_reveal_only_the_result_can_still_be_ruled_on() -> None:
    at = Table(GAME, 2).play_on(Random(3))
    assert at.current.is_revealed
    assert not is_provisional(at.current)
    dispute = reviewed(at, pause=False)
    assert is_provisional(at.current)
    with pytest.raises(MatchRevealedAlready):
        ruled(at, Rewind(to=6, boundary=None), dispute)
    ruled(at, SetResult(ranks=(2, 1), scores=None), dispute)
    assert (at.current.status, at.current.revision) == (Status.OVER, 2)
    verdict = verify_log(at.records)
    assert (verdict.fault, verdict.unchecked) == (None, ())
    assert verify_view(entries(at, ALL), MATCH_ID, 2, ALL).fault is None


def test_disputes_alone_extend_the_window() -> None:
    at = windowed()
    end = at.current.reveal_at
    assert end == at.at + 60_000
    opened(at)
    assert at.current.reveal_at == end + 1000
    at.do(TakeLook(ARBITER, 0, 5))
    assert at.current.reveal_at == end + 1000


def test_the_reveal_comes_when_the_window_is_over() -> None:
    at = windowed()
    end = at.current.reveal_at
    assert end is not None
    assert overdue(at.current, at.dealer, end - 1) == ()
    (reveal,) = overdue(at.current, at.dealer, end)
    at._log((reveal,))
    assert at.current.is_revealed
    assert verify_log(at.records).fault is None


def test_a_command_after_the_window_finds_the_match_revealed() -> None:
    at = windowed()
    at.at += 60_000
    dispute = opened(at)
    assert kinds(at)[-2:] == ["match_revealed", "dispute_opened"]
    at.do(StartReview(dispute + 1, ARBITER, False))
    with pytest.raises(MatchRevealedAlready):
        ruled(at, Rewind(to=6, boundary=None), dispute + 1)


def test_a_reveal_within_the_window_or_long_after_it_is_a_fault() -> None:
    at = windowed()
    end = at.current.reveal_at
    assert end is not None
    (reveal,) = overdue(at.current, at.dealer, end)
    at._log((reveal,))
    version = at.current.version
    assert where(verify_log(changed(at, version, at=end - 1))) == (version, "unexplained")
    late = changed(at, version, at=end + OVERDUE_MS + 1)
    assert where(verify_log(late)) == (version, "overdue")


def test_a_reveal_that_never_comes_is_overdue() -> None:
    at = windowed()
    end = at.current.reveal_at
    assert end is not None
    assert verify_log(at.records, now=end + OVERDUE_MS - 1).fault is None
    found = verify_log(at.records, now=end + OVERDUE_MS)
    assert where(found) == (at.current.version + 1, "missing")


# Looks and tokens


def test_looks_and_tokens_are_told_to_everybody_until_the_reveal() -> None:
    at = arranged(table(2))
    at.do(TakeLook(ARBITER, 1, 6))
    at.do(IssueSeatToken(1))
    at.do(RevokeSeatTokens(1))
    assert kinds(at)[-3:] == ["look_taken", "seat_token_issued", "seat_tokens_revoked"]
    shown = [decoded(each) for each, _ in entries(at, SPECTATOR)[-3:]]
    assert [each["seat"] for each in shown] == [1, 1, 1]
    assert shown[0]["data"] == {"arbiter": ARBITER, "through": 6}
    assert verify_log(at.records).fault is None
    over = Table(GAME, 2).play_on(Random(3))
    for command in (TakeLook(ARBITER, 1, 6), IssueSeatToken(1), RevokeSeatTokens(1)):
        with pytest.raises(MatchRevealedAlready):
            over.do(command)


def test_a_look_is_at_something_that_was() -> None:
    at = arranged(table(2))
    for look in (TakeLook(ARBITER, 1, 0), TakeLook(ARBITER, 1, 99)):
        with pytest.raises(RulingImpossible):
            at.do(look)


# Every game


def disputed(slug: str, seats: int, number: int) -> Table:
    """Played on, rewound to where a boundary began, played to the end, adjudicated."""
    game = registry.game(slug)
    options = next((o for o, n in game.trials if n == seats), None)
    at = Table(game, seats, options, window=60_000).play_on(Random(number), most=25 + 9 * number)
    if at.current.decision is not None:
        at.do(TakeLook(ARBITER, None, at.current.version))
    boundaries = list(dict.fromkeys(boundary_of(at.after(v)) for v in line_of(at)))
    chosen_one = [each for each in boundaries if each is not None][-1]
    dispute = reviewed(at, pause=at.current.status is Status.RUNNING)
    ruled(at, to_boundary(at, chosen_one), dispute)
    at.play_on(Random(number + 100))
    appealed(at, dispute)
    at.do(StartReview(dispute, ARBITER, False))
    ranks = tuple(range(1, seats + 1))
    ruled(at, SetResult(ranks=ranks, scores=None), dispute)
    at._log(overdue(at.current, at.dealer, at.at + 60_000))
    return at


TRIALS = [(g.slug, seats) for g in registry.games() for _, seats in g.trials[:2]]


@pytest.mark.parametrize("number", [0, 1, 2])
@pytest.mark.parametrize(("slug", "seats"), TRIALS)
def test_a_disputed_match_of_every_game_is_sound_for_everybody(
    slug: str, seats: int, number: int
) -> None:
    at = disputed(slug, seats, number)
    assert at.current.is_revealed
    verdict = verify_log(at.records, texts=at.texts)
    assert (verdict.fault, verdict.unchecked) == (None, ())
    assert fold(at.records) == at.current
    for viewer in (ALL, SPECTATOR, *range(seats)):
        own = verify_view(entries(at, viewer), MATCH_ID, seats, viewer)
        assert own.fault is None, viewer


def test_play_goes_on_after_everything() -> None:
    at = table(2)
    ruled(at, to_boundary(at, "round 1"))
    decision = at.current.decision_of(0)
    at.do(PlayMove(0, decision, {"type": "arrange", "cards": [1, 9]}, bytes(32)))
    assert "match_rewound" in kinds(at)
