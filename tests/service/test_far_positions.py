"""A feed beyond 2^31 positions is read by every door, and by all that follows it."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from events import merkle, notes
from service.app import App, build
from service.graphql.ids import BATCH, node_id
from service.settings import Settings
from tests.service.batching import BATCHES, batched, finished
from tests.service.client import Table
from tests.service.conftest import Clock, Door, settings_of
from tests.service.contract_checks import _serve, checked_call
from tests.service.far import FAR, NAME, placed
from tests.service.graphql.asking import ask, codes
from tests.service.hooking import hooked
from tests.service.receiving import receiver
from tests.service.test_feed import lines_of
from tests.service.test_log import checkpoint, public
from tests.service.test_results import kept, listed
from tests.service.test_series import current, made, shown, won
from tests.verifier import node
from tests.waiting import eventually

Json = dict[str, Any]

RESULTS = """
query($after: WholeNumber!) { results(first: 50, after: $after) { after results { position } } }
"""
OF_BATCH = """
query($batch: BatchRef!, $after: WholeNumber!) { batch(batch: $batch) {
  results(first: 50, after: $after) { after results { position } }
} }
"""


@pytest.fixture
def database_url(postgres_url: str) -> str:
    """Where a column and a parameter have a width; SQLite has one for all."""
    return postgres_url


@pytest.fixture
def settings(database_url: str, tmp_path: Path) -> Settings:
    own = settings_of(database_url, tmp_path)
    return msgspec.structs.replace(own, private_webhooks=True, log_origin=NAME)


@pytest.fixture
async def app(settings: Settings, clock: Clock) -> AsyncIterator[App]:
    await placed(settings.database_url)
    async with build(settings, clock=clock).running() as running:
        yield running


@pytest.fixture(autouse=True)
def _every_answer_is_documented(monkeypatch: pytest.MonkeyPatch) -> None:
    """REST by its document; GraphQL by its own schema."""

    async def called(app: App, scope: Any, receive: Any, send: Any) -> None:
        serve = _serve if scope["path"] == "/graphql" else checked_call
        await serve(app, scope, receive, send)

    monkeypatch.setattr(App, "__call__", called)


async def over(door: Door) -> tuple[Json, Table]:
    """A batch of one match that is over, and everything about it kept."""
    await kept(door)
    batch = await batched(door, ["ada", "bob"])
    table = await finished(door, batch["matches"][0])
    await kept(door)
    return batch, table


async def test_both_doors_tell_results_and_go_on_after_them(door: Door) -> None:
    batch, table = await over(door)
    every = {each["match_id"]: each["position"] for each in await listed(door, 0)}
    last = every[table.match_id]
    assert min(every.values()) > FAR
    own = {"id": node_id(BATCH, batch["id"])}
    for after, positions in ((0, [*every.values()]), (last - 1, [last]), (last, [])):
        page = (await door.get(f"/v1/results?after={after}")).json()
        assert [each["position"] for each in page["results"]] == positions
        told = {"after": page["after"], "results": [{"position": each} for each in positions]}
        assert (await ask(door, RESULTS, after=after))["results"] == told
        written = f"{{ results(first: 50, after: {after}) {{ after results {{ position }} }} }}"
        assert (await ask(door, written))["results"] == told
        page = (await door.get(f"{BATCHES}/{batch['id']}/results?after={after}")).json()
        assert [each["position"] for each in page["results"]] == positions[-1:]
        found = (await ask(door, OF_BATCH, after=after, batch=own))["batch"]["results"]
        assert found == {**told, "after": page["after"], "results": told["results"][-1:]}


async def test_places_that_there_are_not_are_refused_alike(door: Door) -> None:
    for after, rest, code in (
        (2**31, 200, None),
        (FAR + 1000, 404, "POSITION_NOT_FOUND"),
        (2**53 - 1, 404, "POSITION_NOT_FOUND"),
        (2**53, 400, "INVALID_PARAMETER"),
        (2**63, 400, "INVALID_PARAMETER"),
        (10**30, 400, "INVALID_PARAMETER"),
        (-1, 400, "INVALID_PARAMETER"),
        ("1", None, "GRAPHQL_INVALID"),
        (True, None, "GRAPHQL_INVALID"),
        (0.5, None, "GRAPHQL_INVALID"),
        (1e30, None, "GRAPHQL_INVALID"),
        (None, None, "GRAPHQL_INVALID"),
    ):
        assert await codes(door, RESULTS, after=after) == ([code] if code else []), after
        if rest is not None:
            assert (await door.get(f"/v1/results?after={after}")).status_code == rest, after
    # A number that some languages write with a point is whole, as in a body of REST.
    assert await ask(door, RESULTS, after=float(FAR)) == await ask(door, RESULTS, after=FAR)


async def test_the_feed_is_told_in_pages_and_in_streams(door: Door) -> None:
    _, table = await over(door)
    page = (await door.get(f"/v1/feed?after={FAR}&limit=50")).json()
    own = [each for each in page["entries"] if each["match_id"] == table.match_id]
    assert own
    assert all(FAR < each["position"] <= page["size"] for each in own)
    after = own[-1]["position"] - 1
    resumed = {"Last-Event-ID": str(after)}
    (line,) = await lines_of(door, "text/event-stream", 1, **resumed)
    assert line == own[-1]


async def test_the_log_is_signed_and_proofs_lead_to_it(door: Door, tmp_path: Path) -> None:
    _, table = await over(door)

    async def proved() -> str:
        return (await door.get(table.path + "/proof")).text

    text = await eventually(proved, lambda told: told.startswith("c2sp.org/"))
    found, proof = await checkpoint(door), notes.proof_in(text)
    assert (found.size > FAR, proof.index >= FAR) == (True, True)
    signed = notes.checkpoint_in(proof.checkpoint.rpartition("\n\n")[0] + "\n")
    leaf = merkle.leaf_hash(proof.extra)
    assert merkle.is_included(leaf, proof.index, signed.size, proof.path, signed.root)
    told = (await public(door, "/v1/log/consistency", first=FAR, second=found.size)).json()
    assert (told["first"], told["second"]) == (FAR, found.size)
    statements = (await public(door, "/v1/log/statements", after=FAR)).json()["statements"]
    assert all(each["position"] > FAR for each in statements)
    width = found.size - FAR
    tile = await public(door, f"/v1/log/tile/0/x016/x777/216.p/{width}")
    assert len(tile.content) == 32 * width
    if node.IS_THERE:
        bundle, keys = await door.get(table.path + "/bundle"), tmp_path / "keys"
        assert bundle.status_code == 200, bundle.text
        keys.write_text((await public(door, "/v1/log")).text)
        (verdict,) = node.said([bundle.content], keys)
        assert verdict.ok, verdict
        assert "proof" in " ".join(verdict.checked)


async def test_webhooks_and_series_go_on(door: Door) -> None:
    async with receiver() as got:
        await hooked(door, got.url)
        series = await made(door)
        table = await won(door, series, 0)
        await kept(door)

        async def next_match() -> Any:
            return (await current(door, series))["match_id"]

        assert await eventually(next_match, lambda found: found != table.match_id)
        assert (await shown(door, series))["played"] == 1

        async def told() -> bool:
            return any(table.match_id in each.body.decode() for each in got.got)

        await eventually(told)
