"""The parts of the simulated platform by themselves: its clients, its receiver, its arithmetic."""

import ast
import hmac
import os
import signal
import subprocess
import sys
import time
from base64 import b64encode
from collections import Counter
from collections.abc import Callable
from hashlib import sha256
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any

import httpx
import msgspec
import pytest

from service.cli import tournament
from service.cli.tournament.api import Api, Unexpected
from service.cli.tournament.duplicate import ranking
from service.cli.tournament.flags import Fallen, NotCounted, Outage, flags_in, is_explained
from service.cli.tournament.hooks import Receiver, receiving
from service.cli.tournament.ledger import Kept, Ledger
from service.cli.tournament.logs import result_by, said_by
from service.cli.tournament.pairing import Met, note, pairs, pods
from service.cli.tournament.platform import Fixture
from service.cli.tournament.presence import wrongly_out
from service.cli.tournament.swiss import totals
from tests.service.cli.conftest import ROOT, Run
from tests.service.process import session_of
from tests.waiting import PATIENCE, until

FOLDER = Path(tournament.__file__).parent
BESIDE = ("audit", "command", "gathering", "keeper", "report", "stage", "__init__")
SECRET = "whsec_" + b64encode(bytes(24)).decode()


def test_who_plays_and_keeps_standings_knows_nothing_of_the_service() -> None:
    """Its processes, its settings and its checks are for those who start and audit an event."""
    foreign = set()
    for path in FOLDER.glob("*.py"):
        if path.stem in BESIDE:
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [each.name for each in node.names] if isinstance(node, ast.Import) else []
            foreign |= {
                f"{path.stem}: {name}"
                for name in names
                if name.split(".")[0] in ("service", "events", "projections", "games")
                and not name.startswith("service.cli.tournament.")
            }
    assert foreign == {"bots: service.cli.demo.player"}  # which picks among what is offered


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--players", "16"), "--players: not for a single match: add --tournament"),
        (("--tournament", "--seats", "4"), "--seats: not for a tournament"),
        (("--tournament", "--players", "13"), "--players: has to be a multiple of 4, 16 at least"),
        (("--tournament", "--quick", "--players", "8"), "multiple of 4, 12 at least"),
        (("--tournament", "--rounds", "0"), "--rounds: has to be 1 at least"),
        (("--tournament", "--kill-every", "0.1"), "--kill-every: has to be 1 seconds at least"),
    ],
)
def test_an_event_that_cannot_be_is_one_line(run: Run, words: tuple[str, ...], said: str) -> None:
    refused = run("demo", *words)
    assert refused.code == 2
    assert said in refused.err.splitlines()[-1]


@pytest.mark.parametrize(
    ("number", "end"),
    [(signal.SIGINT, os.killpg), (signal.SIGTERM, os.kill)],
    ids=["Ctrl-C", "SIGTERM"],
)
def test_an_event_that_is_ended_leaves_nothing_behind(
    tmp_path: Path, number: int, end: Callable[[int, int], None]
) -> None:
    """Ctrl-C goes to all processes of a terminal, SIGTERM to the one that is named."""
    process = subprocess.Popen(
        [sys.executable, "-m", "service.cli", "demo", "--tournament", "--quick"],
        env={**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(tmp_path)},
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        # A shell that runs these tests in the background has them ignore it.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    try:
        until(lambda: list(tmp_path.glob("*/plyscribe.db")))
        end(process.pid, number)
        assert process.wait(PATIENCE) == 128 + number
        assert session_of(process.pid) == []
        assert list(tmp_path.iterdir()) == []
    finally:
        process.kill()
        process.wait()


# The client


def answering(api: Api, *answers: httpx.Response | None) -> list[httpx.Request]:
    """Makes it so that these are the answers; None is a connection that breaks. What was asked."""
    left, asked = list(answers), []

    def handle(request: httpx.Request) -> httpx.Response:
        asked.append(request)
        answer = left.pop(0)
        if answer is None:
            raise httpx.ReadError("it broke")
        return answer

    api._http = httpx.AsyncClient(base_url="http://x", transport=httpx.MockTransport(handle))
    return asked


def problem(status: int, code: str) -> httpx.Response:
    return httpx.Response(status, json={"code": code})


async def test_a_client_asks_the_same_again_until_it_is_answered() -> None:
    async with Api("http://x") as api:
        await api._http.aclose()
        asked = answering(
            api,
            None,
            problem(503, "try-again"),
            problem(409, "request-running"),
            httpx.Response(201, json={"id": 1}),
        )
        made = await api.post("/v1/batches", "pk_1", {"a": 1}, key="round-1")
        assert (made.status, made.body, api.again) == (201, {"id": 1}, 3)
        assert {each.content for each in asked} == {b'{"a":1}'}
        assert {each.headers["idempotency-key"] for each in asked} == {"round-1"}


async def test_a_client_does_not_pass_over_what_it_does_not_expect() -> None:
    async with Api("http://x") as api:
        await api._http.aclose()
        answering(api, problem(409, "seat-taken"), problem(409, "seat-taken"), problem(500, "x"))
        assert (await api.post("/x", "st_1", fine=(409,))).code == "seat-taken"
        with pytest.raises(Unexpected, match="409 seat-taken"):
            await api.post("/x", "st_1")
        with pytest.raises(Unexpected, match="500"):
            await api.get("/x", "st_1", fine=(409,))


# The receiver


def message(identity: str, body: bytes, secret: str = SECRET, age: int = 0) -> dict[str, str]:
    sent = str(int(time.time()) - age)
    content = f"{identity}.{sent}.".encode() + body
    made = hmac.new(bytes(24) if secret == SECRET else b"no", content, sha256).digest()
    return {
        "webhook-id": identity,
        "webhook-timestamp": sent,
        "webhook-signature": f"v1,AAAA v1,{b64encode(made).decode()}",
    }


def test_a_message_is_handed_on_once_however_often_it_comes() -> None:
    got: list[Any] = []
    receiver = Receiver(Random(1), lambda identity, event: got.append((identity, event)))
    receiver.secret = SECRET
    for _ in range(3):
        receiver.take(message("msg_1", b'{"n":1}'), b'{"n":1}')
    assert got == [("msg_1", {"n": 1})]
    assert (receiver.count.repeated, receiver.count.wrong) == (2, [])
    receiver.take(message("msg_1", b'{"n":2}'), b'{"n":2}')
    assert receiver.count.wrong == ["message msg_1 came again with another body"]
    assert len(got) == 1


def test_a_message_that_is_not_signed_or_old_is_not_taken() -> None:
    got: list[Any] = []
    receiver = Receiver(Random(1), lambda identity, event: got.append(identity))
    receiver.secret = SECRET
    receiver.take(message("msg_1", b"{}"), b"{} ")
    receiver.take(message("msg_2", b"{}", "another"), b"{}")
    receiver.take(message("msg_3", b"{}", age=301), b"{}")
    receiver.take({}, b"{}")
    assert got == []
    assert len(receiver.count.wrong) == 4


async def test_the_receiver_fails_one_delivery_in_three() -> None:
    got: list[str] = []
    receiver = Receiver(Random(3), lambda identity, event: got.append(identity))
    receiver.secret = SECRET
    answers: Counter[int] = Counter()
    async with receiving(receiver), httpx.AsyncClient(trust_env=False) as http:
        for number in range(30):
            name = f"msg_{number}"
            try:
                sent = await http.post(receiver.url, content=b"{}", headers=message(name, b"{}"))
                answers[sent.status_code] += 1
            except httpx.TransportError:
                answers[0] += 1
    assert answers[204] == 20
    assert answers[500] > 0
    assert answers[0] > 0
    assert (receiver.count.deliveries, receiver.count.failed) == (30, 10)
    assert 20 < len(got) < 30  # some that failed were taken all the same


# Who came


def looked(seen: list[int | None], ending: str = "normal", at: int = 1_010) -> list[Any]:
    return [
        {"kind": "match_created", "schedule": {"join_by": 1_000, "no_show": "forfeit"}},
        {"kind": "presence_checked", "at": at, "seen": seen},
        {"kind": "match_ended", "outcome": {"terminal": ending}},
    ]


@pytest.mark.parametrize(
    ("events", "came", "said"),
    [
        (looked([900, 950, None]), {0: 900, 1: 950}, []),
        (looked([900, None, None], "no_show"), {0: 900}, []),
        (looked([900, 950, None]), {0: 900, 1: 950, 2: 1_001}, []),  # late, and missed
        (looked([900, 1_005, 950]), {0: 900, 1: 1_001, 2: 950}, []),  # late, and waited for
        (looked([900, None, 950]), {0: 900, 1: 940, 2: 950}, ["came 60 ms before"]),
        (looked([900, 950, 960]), {0: 900, 1: 950}, ["never came and was seen"]),
        (looked([900, None, None]), {0: 900}, ["ended as ['normal']"]),
        (looked([900, 950, None], "no_show"), {0: 900, 1: 950}, ["ended as ['no_show']"]),
        (looked([900, 950, None], at=999), {0: 900, 1: 950}, ["before the time was over"]),
        ([{"schedule": {"join_by": 1_000}}], {}, ["nobody looked"]),
        ([{}, looked([1])[1]], {}, ["nobody was to look"]),
    ],
)
def test_who_is_out_is_who_did_not_come(events: Any, came: dict[int, int], said: list[str]) -> None:
    events[0] = {"kind": "match_created", **events[0]}
    own = {("m", seat): moment for seat, moment in came.items()}
    found = list(wrongly_out("m", events, own))
    assert len(found) == len(said)
    assert all(part in whole for part, whole in zip(said, found, strict=True))


# Pairing and standings


def test_pods_are_of_like_points_and_meet_as_rarely_as_can_be() -> None:
    players = [f"p{number:02}" for number in range(16)]
    met: Met = set()
    first = pods(players, {}, met, 4)
    assert first == [tuple(players[at : at + 4]) for at in (0, 4, 8, 12)]
    for pod in first:
        note(met, pod)
    second = pods(players, {}, met, 4)
    assert sorted(player for pod in second for player in pod) == players
    assert not any(frozenset(pair) in met for pod in second for pair in combinations(pod, 2))
    ahead = pods(players, {"p15": 9, "p07": 8, "p03": 7, "p11": 6}, met, 4)
    assert ahead[0] == ("p15", "p07", "p03", "p11")


def test_a_bracket_pairs_the_first_with_the_last() -> None:
    assert pairs(["a", "b", "c", "d"]) == [("a", "d"), ("b", "c")]


def result(match_id: str, *ranks: int | None, version: int = 9, **more: Any) -> Kept:
    fields = {
        "revision": 1,
        "status": "final",
        "terminal": "normal",
        "scores": (None,) * len(ranks),
    }
    return Kept(match_id=match_id, version=version, ranks=ranks, **{**fields, **more})


def test_a_ledger_keeps_what_has_the_highest_version() -> None:
    ledger = Ledger()
    for version in (4, 9, 7):
        ledger.take(result("m", 1, version=version))
    assert ledger.newest["m"].version == 9
    ledger.take(result("m", None, version=12, status="pending"))
    assert not ledger.has("m")


def test_points_are_those_of_matches_that_count() -> None:
    tables = [Fixture(name, "swiss", name, ("a", "b", "c", "d")) for name in ("x", "y", "z")]
    results = {"x": result("x", 1, 2, 2, 4), "y": result("y", None, None, None, None)}
    assert totals("abcd", tables, results) == {"a": 4, "b": 3, "c": 3, "d": 1}


def test_ranks_of_a_duplicate_event_are_by_score() -> None:
    tables = [Fixture(name, "duplicate", name, (name,)) for name in "abcde"]
    results = {
        "a": result("a", 1, scores=(5,)),
        "b": result("b", 1, scores=(7,)),
        "c": result("c", 1, scores=(5,)),
        "d": result("d", 2, terminal="closed"),
        "e": result("e", None, terminal="cancelled"),
    }
    assert ranking(tables, results) == {"a": 2, "b": 1, "c": 2, "d": 4, "e": None}


# Logs


def created(**more: Any) -> Any:
    return {"kind": "match_created", "version": 1, "at": 0, "seats": 2, **more}


def ended(terminal: str, ranks: list[int]) -> Any:
    return {"kind": "match_ended", "outcome": {"terminal": terminal, "ranks": ranks}}


def ruled(dispute: int, **ruling: Any) -> Any:
    return {"kind": "dispute_ruled", "dispute": dispute, "ruling": ruling}


OPENED = {"kind": "dispute_opened", "version": 20}
REVEALED = {"kind": "match_revealed"}


def test_a_log_says_how_its_match_ended() -> None:
    said = said_by([created(), ended("normal", [1, 2])])
    assert result_by("m", said).status == "provisional"
    said = said_by([created(), ended("normal", [1, 2]), REVEALED])
    assert msgspec.structs.replace(result_by("m", said), version=9) == result("m", 1, 2)
    assert result_by("m", said_by([created()])).status == "pending"


def test_a_log_says_what_corrected_its_result() -> None:
    log = [created(), ended("normal", [1, 2]), REVEALED, OPENED]
    assert result_by("m", said_by(log)).status == "provisional"
    log += [ruled(20, type="set_result", ranks=[2, 1])]
    found = result_by("m", said_by(log))
    assert (found.status, found.revision, found.ranks) == ("final", 2, (2, 1))
    assert said_by(log).codes == [(1, "normal"), (2, "adjudicated")]
    log += [{"kind": "dispute_appealed", "dispute": 20}, ruled(20, type="void")]
    log += [{"kind": "dispute_closed", "dispute": 20}]
    found = result_by("m", said_by(log))
    assert (found.status, found.terminal, found.ranks) == ("final", "void", (None, None))


def test_a_log_says_what_a_rewind_took_back() -> None:
    log = [created(), ended("normal", [1, 2]), OPENED, ruled(20, type="rewind", to=3)]
    log += [{"kind": "match_rewound", "to": 3}]
    assert result_by("m", said_by(log)).status == "pending"
    log += [ended("resigned", [2, 1]), REVEALED]
    assert said_by(log).codes == [(1, "normal"), (2, "resigned")]


def test_of_a_deal_group_only_what_its_reveal_shows_is_told() -> None:
    log = [created(deal_group="g"), ended("normal", [1, 2]), OPENED]
    log += [ruled(20, type="set_result", ranks=[2, 1]), REVEALED]
    assert said_by(log).codes == [(2, "adjudicated")]


# Flags


def clocked(*times: Any, **more: Any) -> Any:
    return created(clock={"times": list(times), "flag": "fallback", "window": None}, **more)


MOVE = {"type": "per_move", "move": 1000}
FISCHER = {"type": "fischer", "bank": 2000, "increment": 300}


def asked(at: int, *seats: int) -> Any:
    return {"kind": "chance_drawn", "version": 2, "at": at, "asks": list(seats)}


def moved(seat: int, at: int, *asks: int, **more: Any) -> Any:
    return {"kind": "move_played", "seat": seat, "decision": "d", "at": at, "asks": asks, **more}


def fell(seat: int, moment: int) -> Any:
    return {"kind": "flag_fell", "version": 7, "seat": seat, "decision": "d", "fell": moment}


def credited(since: int, until: int) -> Any:
    return {"kind": "time_credited", "since": since, "until": until, "at": until}


def wrong_in(*events: Any) -> list[str]:
    return flags_in(events)[1]


def test_a_flag_falls_when_the_time_on_the_clock_is_over() -> None:
    log = [clocked(MOVE, MOVE), asked(100, 0, 1), moved(0, 900, arrived=500)]
    assert wrong_in(*log, fell(1, 1100)) == []
    assert wrong_in(*log, fell(1, 1099)) == ["event 7: seat 1 had 1000 ms and was charged 999"]
    assert wrong_in(*log, fell(0, 1100)) == ["event 7: the flag of a seat that was not asked"]


def test_a_bank_is_charged_by_arrivals_and_filled_by_answers() -> None:
    log = [clocked(FISCHER, MOVE), asked(0, 0), moved(0, 1900, 0, arrived=1500)]
    assert wrong_in(*log, fell(0, 1900 + 800)) == []  # 2000 - 1500 + 300
    assert wrong_in(*log, fell(0, 1900 + 500)) != []
    again = [*log, fell(0, 2700), moved(0, 3000, 0, by="fallback"), fell(0, 3300)]
    assert wrong_in(*again) == []


def test_time_that_was_given_back_or_held_is_not_charged() -> None:
    log = [clocked(MOVE, MOVE), asked(0, 0, 1), credited(400, 5400)]
    assert wrong_in(*log, fell(0, 6000)) == []
    assert wrong_in(*log, fell(0, 1000)) != []
    held = [{"kind": "match_paused", "at": 5500}, {"kind": "match_resumed", "at": 7500}]
    review = [{"kind": "review_started", "at": 7600, "pause": True}, {**ruled(1, type="note")}]
    review[1]["at"] = 9600
    assert wrong_in(*log, *held, *review, fell(0, 10_000)) == []
    assert wrong_in(*log, *held, *review, fell(0, 8_000)) != []


def test_what_was_answered_before_an_outage_was_known_is_charged_whole() -> None:
    """The last sign of life may be a second older than the last answer."""
    log = [clocked(FISCHER, MOVE), asked(0, 0), moved(0, 900, 0), credited(500, 5500)]
    assert wrong_in(*log, fell(0, 5500 + 1400)) == []  # 2000 - 900 + 300
    assert wrong_in(*log, fell(0, 5500 + 1800)) != []


def test_time_that_an_arbiter_gave_counts() -> None:
    log = [clocked(MOVE, MOVE), asked(0, 0, 1), {"kind": "time_added", "ms": 500}]
    log += [{**ruled(1, type="adjust_clock", seat=1, ms=-200), "at": 900}]
    assert wrong_in(*log, fell(0, 1500), fell(1, 1300)) == []


def test_a_flag_that_was_due_just_before_an_outage_falls_when_it_was() -> None:
    log = [clocked(MOVE, MOVE), asked(0, 0)]
    assert wrong_in(*log, fell(0, 1000), credited(1200, 9000)) == []
    assert wrong_in(*log, credited(1200, 9000), fell(0, 9000)) != []


def test_a_log_whose_clocks_are_not_counted_is_said_to_be_so() -> None:
    for strange in (
        [clocked({"type": "bronstein", "bank": 1, "delay": 1})],
        [created(clock={"times": [MOVE], "window": {"zone": "UTC"}})],
        [clocked(MOVE), {"kind": "match_rewound", "to": 3}],
    ):
        with pytest.raises(NotCounted):
            flags_in(strange)
    assert flags_in([created()]) == ([], [])


def test_a_flag_through_an_outage_is_not_explained() -> None:
    flag = Fallen(seat=0, asked=0, fell=10_000, had=6_000, credited=4_000)
    assert is_explained(flag, [])
    assert is_explained(flag, [Outage(2_000, 7_500)])
    assert not is_explained(flag, [Outage(2_000, 9_000)])
    assert is_explained(flag, [Outage(2_000, 9_000, kills=2)])
    assert is_explained(flag, [Outage(-9_000, 0), Outage(10_000, 90_000)])
    assert not is_explained(msgspec.structs.replace(flag, credited=0), [Outage(2_000, 7_500)])
