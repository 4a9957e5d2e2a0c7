"""`plyscribe receipt check`: each lie of an operator is found from what players keep."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random
from typing import Any

import httpx
import msgspec
import pytest

from events import chain
from events.canonical import canonical
from events.evidence import VIEW, ShownOf, body_digest
from events.proof import proof_for
from events.types import Record
from games.core.game import ALL
from service.app import build
from service.settings import Settings, sqlite_url
from tests.service.cli.conftest import KEY, Run
from tests.service.client import (
    Table,
    answer,
    bearer,
    decision_of,
    open_table,
    play_seat,
    random_move,
)

ADMIN = "pk_tests_" + "a" * 48


class Kept(msgspec.Struct):
    """What a player keeps of a match, and the log that the operator shows afterwards."""

    folder: Path
    log: list[Any]
    keys: Path
    receipts: Path
    views: tuple[Path, ...]

    def shown(self, log: list[Any]) -> Path:
        path = self.folder / "log.ndjson"
        path.write_bytes(b"\n".join(msgspec.json.encode(each) for each in log))
        return path


@pytest.fixture
def kept(tmp_path: Path, high_card_game: None) -> Kept:
    return asyncio.run(_kept(tmp_path))


async def _kept(folder: Path) -> Kept:
    async with _http(folder) as http:
        table = await open_table(http, ADMIN, "high_card", 2)
        headers = [bearer(token) for token in table.tokens]
        (folder / "receipts.ndjson").write_bytes(await _receipts(http, table))
        views = []
        for seat, own in enumerate(headers):
            for address in ("view", "decision"):
                got = await http.get(f"{table.path}/{address}", headers=own)
                path = folder / f"{address}-{seat}.http"
                path.write_bytes(_as_curl_saves(got))
                views.append(path)
        await asyncio.gather(*(play_seat(http, table, s, Random(s), wait=1) for s in range(2)))
        keys = await http.get("/.well-known/jwks.json")
        (folder / "jwks.json").write_bytes(keys.content)
        query = "?perspective=full&proof=true&limit=500"
        log = (await http.get(table.path + "/events" + query, headers=headers[0])).json()
        return Kept(
            folder, log["events"], folder / "jwks.json", folder / "receipts.ndjson", tuple(views)
        )


async def _receipts(http: httpx.AsyncClient, table: Table) -> bytes:
    """Of a few moves, with a refusal and a page of events among them."""
    lines, rng = [], Random(3)
    for _ in range(4):
        for seat in range(2):
            own = (await decision_of(http, table, seat))["decision"]
            if own is None or own["id"] is None:
                continue
            wrong = await answer(http, table, seat, own["id"], {"type": "nothing"})
            done = await answer(http, table, seat, own["id"], random_move(own["offers"], rng))
            lines += [wrong.content, done.content]
    page = await http.get(table.path + "/events", headers=bearer(table.tokens[0]))
    return b"\n".join([*lines, page.content])


def _as_curl_saves(got: httpx.Response) -> bytes:
    head = [f"HTTP/1.1 {got.status_code} OK", *(f"{k}: {v}" for k, v in got.headers.items())]
    return "\r\n".join([*head, "", ""]).encode() + got.content


@asynccontextmanager
async def _http(folder: Path) -> AsyncIterator[httpx.AsyncClient]:
    async with build(_settings(folder)).running() as app:
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url="http://door") as http:
            yield http


def _settings(folder: Path) -> Settings:
    url = sqlite_url(folder / "plyscribe.db")
    return Settings(data_dir=folder, database_url=url, secret_key=KEY, admin_key=ADMIN)


def report(run: Run, *words: object) -> tuple[int, Any]:
    done = run("receipt", "check", *words, "--json")
    (line,) = done.lines
    return done.code, line


def faults(told: Any) -> list[str]:
    """What is wrong in each file, with its place."""
    found = [fault for each in told["files"] for fault in each["faults"]]
    return [f"{each['place']}: {each['reason']} ({each['code']})" for each in found]


def test_all_that_is_true_is_found_true(kept: Kept, run: Run) -> None:
    log = kept.shown(kept.log)
    code, told = report(run, kept.receipts, *kept.views, "--keys", kept.keys, "--log", log)
    assert (code, faults(told), told["contradictions"]) == (0, [], [])
    assert sum(each["documents"] for each in told["files"]) >= 10
    assert [each for each in told["unchecked"] if "the move is not there" not in each] == []
    plain = run("receipt", "check", kept.receipts)
    assert plain.code == 0
    assert "not checked: signatures" in plain.out


def test_a_forged_document_is_found(kept: Kept, run: Run) -> None:
    text = kept.receipts.read_bytes().replace(b'"seat":0', b'"seat":1', 1)
    forged = kept.folder / "forged.ndjson"
    forged.write_bytes(text)
    code, told = report(run, forged, "--keys", kept.keys)
    assert code == 1
    assert "the signature is wrong" in faults(told)[0]


def test_a_body_that_was_not_signed_is_found(kept: Kept, run: Run) -> None:
    path = kept.views[0]
    path.write_bytes(path.read_bytes().replace(b'"rules_version":1', b'"rules_version":2'))
    code, told = report(run, path, "--keys", kept.keys)
    assert (code, "the body is not" in faults(told)[0]) == (1, True)


def resealed(kept: Kept, version: int, change: Any) -> list[Any]:
    """The log with one event altered and everything made again as honestly as possible."""
    salts = [bytes.fromhex(each["proof"]["salts"]["event"]) for each in kept.log]
    bodies = [{k: v for k, v in e.items() if k not in ("proof", "texts")} for e in kept.log]
    change(bodies[version - 1])
    told, prev = [], None
    match_id, seats = kept.log[0]["match_id"], kept.log[0]["seats"]
    before = chain.genesis(match_id, seats)
    for body, salt, old in zip(bodies, salts, kept.log, strict=True):
        data = canonical(body)
        index, bound = seats + 1, chain.id_bytes(match_id)
        joined = [bytes.fromhex(each) for each in old["proof"]["commitments"]]
        joined[-1] = chain.commit(
            chain.facet_salt(salt, index), bound, body["version"], index, data
        )
        facets = b"".join(joined)
        linked = chain.link(before, body["version"], facets)
        record = Record(
            body["version"], body["kind"], body["schema"], body["at"], data, salt, facets, linked
        )
        proof = proof_for(record, prev, ALL, seats)
        told.append({**body, "proof": msgspec.to_builtins(proof)})
        prev = before = linked
    return told


def first(kept: Kept, kind: str) -> int:
    return next(int(each["version"]) for each in kept.log if each["kind"] == kind)


def codes(told: Any) -> set[str]:
    return {each["code"] for each in told["contradictions"]}


def test_another_card_dealt_than_committed_is_found(kept: Kept, run: Run) -> None:
    def swap(body: Any) -> None:
        body["picks"][0], body["picks"][1] = body["picks"][1], body["picks"][0]

    version = first(kept, "chance_drawn")
    log = kept.shown(resealed(kept, version, swap))
    code, told = report(run, kept.receipts, "--keys", kept.keys, "--log", log)
    assert code == 1
    assert faults(told) == [f"event {version}: picks is not what follows (draw)"]
    assert "head" in codes(told)


def test_a_swapped_answer_is_found(kept: Kept, run: Run) -> None:
    def swap(body: Any) -> None:
        body["move"]["cards"] = body["move"]["cards"][::-1]

    version = first(kept, "move_played")
    code, told = report(
        run,
        kept.receipts,
        "--keys",
        kept.keys,
        "--log",
        kept.shown(resealed(kept, version, swap)),
    )
    assert code == 1
    assert faults(told)
    assert "head" in codes(told)


def test_a_log_cut_short_before_the_last_receipt_is_found(kept: Kept, run: Run) -> None:
    log = kept.shown(kept.log[:6])
    code, told = report(run, kept.receipts, "--keys", kept.keys, "--log", log)
    assert code == 1
    assert any("is not in the log" in each["reason"] for each in told["contradictions"])


def test_a_withheld_reveal_is_found(kept: Kept, run: Run) -> None:
    log = kept.shown(kept.log[:-1])
    code, told = report(run, kept.receipts, "--keys", kept.keys, "--log", log)
    assert code == 1
    assert faults(told) == [f"event {len(kept.log)}: match_revealed is due (missing)"]


def test_a_view_that_was_not_what_the_log_says_is_found(kept: Kept, run: Run) -> None:
    """The service signs a view with another's hand in it; the log is right."""
    asyncio.run(_sign_a_lie(kept))
    log = kept.shown(kept.log)
    code, told = report(run, kept.folder / "lie.http", "--keys", kept.keys, "--log", log)
    assert code == 1
    assert codes(told) == {"shown"}


async def _sign_a_lie(kept: Kept) -> None:
    """As the operator could: with the service's own keys."""
    body = kept.views[0].read_bytes().partition(b"\r\n\r\n")[2]
    shown = msgspec.json.decode(body)
    lie = msgspec.json.encode({**shown, "view": {}})
    async with build(_settings(kept.folder)).running() as app:
        said = ShownOf(
            1, shown["match_id"], "seat:0", shown["version"], shown["head"], body_digest(lie)
        )
        signed = msgspec.json.encode(app.parts.notary.signed(VIEW, said, None))
    (kept.folder / "lie.http").write_bytes(
        b"HTTP/1.1 200 OK\r\nPlyscribe-Evidence: " + signed + b"\r\n\r\n" + lie
    )


def test_two_holders_find_a_fork(kept: Kept, run: Run) -> None:
    """Heads of one version with two hashes, each rightly signed."""
    asyncio.run(_sign_a_fork(kept))
    code, told = report(run, kept.receipts, kept.folder / "fork.json", "--keys", kept.keys)
    assert code == 1
    assert codes(told) == {"fork"}
    assert len(told["contradictions"][0]["places"]) == 2


async def _sign_a_fork(kept: Kept) -> None:
    page = msgspec.json.decode(kept.receipts.read_bytes().splitlines()[-1])
    async with build(_settings(kept.folder)).running() as app:
        head = app.parts.notary.head(page["match_id"], page["version"], "ab" * 32)
    (kept.folder / "fork.json").write_bytes(msgspec.json.encode(head))


def test_what_is_no_file_of_this_kind_is_refused(kept: Kept, run: Run) -> None:
    missing = run("receipt", "check", "nowhere.json")
    assert (missing.code, "nowhere.json" in missing.out) == (2, True)
    (kept.folder / "text").write_text("no json")
    assert run("receipt", "check", kept.folder / "text").code == 2
    assert run("receipt", "check", kept.receipts, "--keys", kept.receipts).code == 2
    assert run("receipt", "check", kept.receipts, "--log", kept.receipts).code == 2
    (kept.folder / "empty.json").write_text("{}")
    assert run("receipt", "check", kept.folder / "empty.json").code == 1
