"""Adapters against platforms that refuse, fail, are slow to know, or say so already."""

from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from events.results import Ending
from service.platforms.adapters import ADAPTERS
from service.platforms.told import (
    DONE,
    Call,
    Credentials,
    Ended,
    Outcome,
    Platform,
    Steps,
    Stopped,
    Told,
)
from service.reaching import Reply
from tests.service.platforms.fakes import (
    Challonge,
    Fake,
    Pods,
    Startgg,
    Toornament,
    body_of,
    drive,
    said,
)
from tests.service.platforms.results import told

Make = Callable[..., Fake]
MAKES: dict[Platform, Make] = {
    Platform.CHALLONGE: Challonge,
    Platform.STARTGG: Startgg,
    Platform.TOORNAMENT: Toornament,
    Platform.PODS: Pods,
}
each_platform = pytest.mark.parametrize("platform", Platform)
READING = [each for each in Platform if each is not Platform.PODS]  # they ask what is there first
each_reading = pytest.mark.parametrize("platform", READING)

WON = told(Ending.NORMAL, (1, 2), scores=(5, 3))
LOST = told(Ending.ADJUDICATED, (2, 1), revision=2, version=12)
VOID = told(Ending.VOID, (None, None), revision=2, version=12)


def reported(platform: Platform, there: Fake, one: Told, *ours: Told) -> Ended:
    return drive(ADAPTERS[platform].report(one, there.target, ours), there)


@each_platform
def test_the_first_is_reported_and_a_repetition_changes_nothing(platform: Platform) -> None:
    there = MAKES[platform]()
    assert reported(platform, there, WON).outcome is Outcome.REPORTED
    before = there.summary()
    # As after a process died between telling and noting.
    again = reported(platform, there, WON, WON)
    assert again.outcome in (Outcome.ALREADY, Outcome.REPORTED)
    assert (again.outcome is Outcome.ALREADY) == (platform in READING)
    assert there.summary() == before


@each_reading
def test_one_who_says_the_same_is_told_nothing(platform: Platform) -> None:
    there = MAKES[platform]()
    reported(platform, there, WON)
    written = len(there.writes)
    assert reported(platform, there, WON).outcome is Outcome.ALREADY
    assert len(there.writes) == written


@each_platform
def test_a_correction_is_written_over_what_was_told(platform: Platform) -> None:
    there = MAKES[platform]()
    reported(platform, there, WON)
    assert reported(platform, there, LOST, WON).outcome is Outcome.REPORTED
    assert there.first == "b"
    assert reported(platform, there, LOST, WON, LOST).outcome in (
        Outcome.ALREADY,
        Outcome.REPORTED,
    )


@each_platform
def test_what_was_told_is_taken_back_once(platform: Platform) -> None:
    there = MAKES[platform]()
    reported(platform, there, WON)
    assert reported(platform, there, VOID, WON).outcome is Outcome.REPORTED
    written = len(there.writes)
    again = reported(platform, there, VOID, WON, VOID).outcome
    assert again is (Outcome.NOTHING if platform in READING else Outcome.REPORTED)
    assert len(there.writes) == written + (platform not in READING)
    assert reported(platform, there, LOST, WON, VOID).outcome is Outcome.REPORTED


@each_reading
@pytest.mark.parametrize("later", [LOST, VOID])
def test_what_somebody_else_put_there_stays(platform: Platform, later: Told) -> None:
    there = MAKES[platform]()
    reported(platform, there, WON)  # as by hand
    before = there.summary()
    written = len(there.writes)
    assert reported(platform, there, later).outcome is Outcome.OTHER_RESULT
    assert (there.summary(), len(there.writes)) == (before, written)


def by_hand(there: Fake) -> None:
    """An organiser puts other scores there; the winner is the same."""
    match there:
        case Challonge():
            there.scores = {"a": [7], "b": [3]}
        case Startgg():
            there.games = [{"gameNum": n, "winnerId": "a"} for n in (1, 2)]
        case Toornament():
            there.sides[1]["score"] = 7


AGAIN = told(Ending.ADJUDICATED, (1, 2), scores=(6, 3), revision=2, version=12)


@each_reading
@pytest.mark.parametrize("later", [WON, AGAIN, LOST, VOID])
@pytest.mark.parametrize("ours", [(), (WON,)])
def test_scores_that_somebody_else_put_there_stay(
    platform: Platform, ours: tuple[Told, ...], later: Told
) -> None:
    there = MAKES[platform]()
    reported(platform, there, WON)
    by_hand(there)
    before, written = msgspec.json.encode(there.standing), len(there.writes)
    assert reported(platform, there, later, *ours).outcome is Outcome.OTHER_RESULT
    assert (msgspec.json.encode(there.standing), len(there.writes)) == (before, written)


def test_a_set_that_somebody_else_forfeited_stays_so() -> None:
    there = Startgg()
    reported(Platform.STARTGG, there, WON)
    there.is_dq, there.games = True, []
    assert reported(Platform.STARTGG, there, AGAIN, WON).outcome is Outcome.OTHER_RESULT
    assert there.is_dq


@each_reading
def test_what_was_told_of_others_is_not_ours(platform: Platform) -> None:
    """A link was given other participants."""
    there = MAKES[platform]()
    reported(platform, there, WON)  # as by hand
    others = msgspec.structs.replace(WON, participants=("x", "y"))
    assert reported(platform, there, LOST, others).outcome is Outcome.OTHER_RESULT


ANSWERS: list[tuple[Reply, Outcome]] = [
    (said(429), Outcome.BUSY),
    (said(429, {"message": "slow down"}, 30), Outcome.BUSY),
    (said(500), Outcome.UNAVAILABLE),
    (said(503, {"errors": {"detail": "later", "status": 503}}), Outcome.UNAVAILABLE),
    (said(401), Outcome.UNAUTHORIZED),
    (said(403, {"errors": [{"message": "no scope"}]}), Outcome.UNAUTHORIZED),
    (said(404), Outcome.UNKNOWN_TARGET),
    (said(422), Outcome.REJECTED),
    (said(301), Outcome.REJECTED),
]


@each_platform
@pytest.mark.parametrize(("answer", "outcome"), ANSWERS)
def test_a_refusal_has_its_word(platform: Platform, answer: Reply, outcome: Outcome) -> None:
    for before in range(len(_asked(platform))):
        there = MAKES[platform]()
        there.ahead = [*(there.own(call) for call in _asked(platform)[:before]), answer]
        assert reported(platform, there, WON).outcome is outcome
        assert len(there.calls) == before + 1


GARBAGE = [b"", b"<html>", b"[]", b"[1]", b'{"data": 5}', b'{"data": null}', b"\xff", b"{" * 10_000]


@each_reading
@pytest.mark.parametrize("body", GARBAGE)
def test_an_answer_that_makes_no_sense_is_asked_for_again(platform: Platform, body: bytes) -> None:
    for before in range(len(_asked(platform))):
        there = MAKES[platform]()
        there.ahead = [*(there.own(call) for call in _asked(platform)[:before]), Reply(200, body)]
        ended = reported(platform, there, WON).outcome
        is_last = before + 1 == len(_asked(platform))
        wanted = {Outcome.UNAVAILABLE, Outcome.UNKNOWN_TARGET, Outcome.NOT_READY}
        # Of the last one nothing but its status counts, where that says all.
        assert ended in wanted or (is_last and ended is Outcome.REPORTED)


CAME = (
    WON,
    LOST,
    VOID,
    told(None, (None, None), revision=2, version=13),
    told(Ending.ADJUDICATED, (1, 2), scores=(9, 0), revision=3, version=14),
    told(Ending.FORFEITED, (1, 2), revision=3, version=15),
)


@each_platform
@given(
    came=st.lists(
        st.tuples(st.sampled_from(CAME), st.lists(st.integers(0, 4), max_size=2)),
        min_size=1,
        max_size=5,
    )
)
def test_whatever_breaks_off_the_last_result_is_what_stands(
    platform: Platform, came: list[tuple[Told, list[int]]]
) -> None:
    """Each result is begun some times and breaks off after so many requests, then it is told."""
    report = ADAPTERS[platform].report
    there = MAKES[platform]()
    ours: tuple[Told, ...] = ()
    for given_one, breaks in came:
        for after in breaks:
            cut(report(given_one, there.target, ours), there, after)
            ours = (*(each for each in ours if each != given_one), given_one)
        ended = drive(report(given_one, there.target, ours), there)
        assert ended.outcome in DONE
        ours = (*(each for each in ours if each != given_one), given_one)
    last = came[-1][0]
    fresh = MAKES[platform]()
    drive(report(last, fresh.target, ()), fresh)
    if last.has_result:
        assert there.standing == fresh.standing
    elif platform in READING:
        assert there.standing == MAKES[platform]().standing


def cut(steps: Steps, there: Fake, after: int) -> None:
    """As a process does that dies after so many requests, before it hears of the last one."""
    try:
        call = next(steps)
        for _ in range(after):
            call = steps.send(there.answer(call))
    except (StopIteration, Stopped):
        return
    finally:
        steps.close()


def _asked(platform: Platform) -> list[Call]:
    """The requests of a report that goes well."""
    there = MAKES[platform]()
    reported(platform, there, WON)
    return there.calls


@each_platform
def test_no_request_holds_more_than_it_needs(platform: Platform) -> None:
    there = MAKES[platform]()
    known = {each for each in msgspec.structs.astuple(there.target.credentials) if each}
    for call in _asked(platform):
        assert call.url.startswith("https://")
        assert not any(secret in call.url for secret in known)
        if platform is not Platform.TOORNAMENT or "/oauth/" not in call.url:
            assert not any(secret.encode() in (call.body or b"") for secret in known)


@pytest.mark.parametrize("platform", READING)
def test_players_who_are_not_known_yet_are_waited_for(platform: Platform) -> None:
    there = MAKES[platform]()
    there.players = ("a", "")
    if isinstance(there, Challonge):
        there.state = "pending"
    assert reported(platform, there, WON).outcome is Outcome.NOT_READY


@each_reading
def test_other_players_than_the_platforms_are_refused(platform: Platform) -> None:
    there = MAKES[platform](("a", "x"))
    assert reported(platform, there, WON).outcome is Outcome.UNKNOWN_PARTICIPANT
    assert there.writes == []


@each_platform
def test_a_match_the_platform_does_not_know_is_refused(platform: Platform) -> None:
    there = MAKES[platform]()
    there.target = msgspec.structs.replace(there.target, match="../1?x#")
    assert reported(platform, there, WON).outcome is Outcome.UNKNOWN_TARGET
    assert not any("?x" in call.url or "#" in call.url for call in there.calls)


@each_platform
@pytest.mark.parametrize("part", [".", ".."])
def test_no_id_leads_out_of_its_place(platform: Platform, part: str) -> None:
    there = MAKES[platform]()
    there.target = msgspec.structs.replace(there.target, match=part)
    assert reported(platform, there, WON).outcome is Outcome.UNKNOWN_TARGET
    if platform is not Platform.STARTGG:  # which has no ids in addresses
        assert there.calls == []


def test_an_address_may_end_with_a_slash() -> None:
    for there, platform in ((Challonge(), Platform.CHALLONGE), (Toornament(), Platform.TOORNAMENT)):
        to = there.target
        there.target = msgspec.structs.replace(to, address=f"{to.address}/")
        assert reported(platform, there, WON).outcome is Outcome.REPORTED


@each_platform
def test_credentials_that_are_not_known_are_refused(platform: Platform) -> None:
    there = MAKES[platform]()
    wrong = Credentials(api_key="x", access_token="x", client_id="x", client_secret="x")
    there.target = msgspec.structs.replace(there.target, credentials=wrong)
    assert reported(platform, there, WON).outcome is Outcome.UNAUTHORIZED
    assert there.writes == [] or platform is Platform.PODS


def test_challonge_takes_oauth_as_well_as_keys() -> None:
    there = Challonge()
    known = Credentials(access_token="token-1")
    there.target = msgspec.structs.replace(there.target, credentials=known)
    assert reported(Platform.CHALLONGE, there, WON).outcome is Outcome.REPORTED


def test_challonge_is_told_scores_and_who_advances() -> None:
    there = Challonge()
    reported(Platform.CHALLONGE, there, WON)
    (call,) = there.writes
    assert body_of(call) == {
        "data": {
            "type": "Match",
            "attributes": {
                "match": [
                    {"participant_id": "a", "score_set": "5", "rank": 1, "advancing": True},
                    {"participant_id": "b", "score_set": "3", "rank": 2, "advancing": False},
                ],
                "tie": False,
            },
        }
    }


def test_scores_that_change_are_written_for_the_same_winner() -> None:
    there = Challonge()
    more = told(Ending.ADJUDICATED, (1, 2), scores=(6, 3), revision=2, version=12)
    reported(Platform.CHALLONGE, there, WON)
    assert reported(Platform.CHALLONGE, there, more, WON).outcome is Outcome.REPORTED
    assert there.scores == {"a": [6], "b": [3]}


def test_startgg_has_scores_in_the_order_of_its_slots() -> None:
    there = Startgg(("b", "a"))
    reported(Platform.STARTGG, there, WON)
    assert there.games == [{"gameNum": 1, "winnerId": "a", "entrant1Score": 3, "entrant2Score": 5}]
    unscored = Startgg()
    reported(Platform.STARTGG, unscored, told(Ending.NORMAL, (1, 2)))
    assert unscored.games == [{"gameNum": 1, "winnerId": "a"}]


def test_startgg_has_ids_that_are_numbers() -> None:
    there = Startgg(("a", "b"), state=3, winner="a")
    numbered = Startgg(("7", "8"))
    seven = msgspec.structs.replace(WON, participants=("7", "8"))
    assert reported(Platform.STARTGG, numbered, seven).outcome is Outcome.REPORTED
    numbered.winner = 7
    assert reported(Platform.STARTGG, numbered, seven).outcome is Outcome.ALREADY
    assert reported(Platform.STARTGG, there, WON).outcome is Outcome.ALREADY


STARTGG: list[tuple[int, dict[str, Any], Outcome]] = [
    *(
        (status, {"success": False, "message": said_no}, outcome)
        for status in (200, 400, 429)
        for said_no, outcome in (
            ("Rate limit exceeded - api-token", Outcome.BUSY),
            ("Invalid authentication token", Outcome.UNAUTHORIZED),
            ("Query complexity too high", Outcome.REJECTED),
        )
    ),
    (200, {"errors": [{"message": "Cannot report completed set via API."}]}, Outcome.NOT_READY),
    (200, {"errors": [{"message": "You do not have permission"}]}, Outcome.REJECTED),
    (400, {"errors": [{"message": "You do not have permission"}]}, Outcome.REJECTED),
    (429, {"errors": [{"message": "You do not have permission"}]}, Outcome.BUSY),
    (500, {"errors": [{"message": "Cannot report completed set via API."}]}, Outcome.UNAVAILABLE),
]


@pytest.mark.parametrize(("status", "body", "outcome"), STARTGG)
def test_startgg_says_no_in_an_envelope(status: int, body: Any, outcome: Outcome) -> None:
    there = Startgg(ahead=[said(status, body)])
    ended = reported(Platform.STARTGG, there, WON)
    assert ended.outcome is outcome
    assert ended.detail == body.get("message", "") or ended.detail == body["errors"][0]["message"]
    assert there.writes == []


def test_toornament_has_numbers_where_we_have_seats() -> None:
    there = Toornament(("b", "a"))
    reported(Platform.TOORNAMENT, there, WON)
    (call,) = there.writes
    assert body_of(call) == {
        "opponents": [
            {"number": 1, "result": "loss", "score": 3, "forfeit": False},
            {"number": 2, "result": "win", "score": 5, "forfeit": False},
        ]
    }


def test_a_pod_has_its_standings_best_first() -> None:
    there = Pods(("a", "b", "c"))
    one = told(Ending.NORMAL, (2, 1, 3), scores=(4, 9, 1), revision=3)
    reported(Platform.PODS, there, one)
    assert there.table is not None
    assert [(each["id"], each["rank"], each["score"]) for each in there.table["players"]] == [
        ("b", 1, 9),
        ("a", 2, 4),
        ("c", 3, 1),
    ]
    head = {name: there.table[name] for name in ("table", "winner", "status", "revision", "final")}
    assert head == {
        "table": "12",
        "winner": "b",
        "status": "Completed",
        "revision": 3,
        "final": True,
    }
    (call,) = there.calls
    assert call.headers["idempotency-key"] == f"{one.match_id}:9:final"
