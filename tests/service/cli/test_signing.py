"""`plyscribe signing-keys` and `plyscribe log`: keys listed and rotated, a break declared."""

import asyncio
from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from events import merkle
from events.canonical import canonical
from events.notes import opened, opened_verifier_key
from events.signing import KeySet, Purpose, Signature
from events.statements import TAG
from service import proving
from service.app import App, build
from service.settings import SettingRefused, Settings, sqlite_url
from tests.service.cli.conftest import KEY, Run

ORIGIN = "log.example/first"


def settings(folder: Path, **more: Any) -> Settings:
    url = sqlite_url(folder / "plyscribe.db")
    return Settings(data_dir=folder, database_url=url, secret_key=KEY, **more)


@pytest.fixture
async def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The data directory of a service that has signed and is stopped."""
    monkeypatch.setenv("PLYSCRIBE_SECRET_KEY", KEY)
    monkeypatch.setenv("PLYSCRIBE_DATA_DIR", str(tmp_path))
    async with build(settings(tmp_path, log_origin=ORIGIN)).running() as app:
        await app.parts.feeding.catch_up()
    return tmp_path


async def signed(app: App) -> Any:
    await app.parts.feeding.catch_up()
    return await app.parts.feeding.checkpoint()


async def statements(app: App) -> list[Any]:
    return list(await proving.statements(app.parts, 0))


def rotated(run: Run, purpose: str) -> str:
    return run("signing-keys", "rotate", purpose).out.strip()


def listed(run: Run) -> list[Any]:
    return run("signing-keys", "list", "--json").lines


def test_keys_are_listed(folder: Path, run: Run) -> None:
    keys = listed(run)
    assert {each["purpose"] for each in keys} == set(Purpose)
    (own,) = (each for each in keys if each["purpose"] == "checkpoints")
    assert opened_verifier_key(own["verifier_key"])[0] == ORIGIN
    shown = run("signing-keys", "list")
    assert shown.code == 0
    assert all(each["kid"] in shown.out for each in keys)


async def test_a_rotation_is_told_in_the_log(folder: Path, run: Run) -> None:
    before = await asyncio.to_thread(listed, run)
    made = await asyncio.to_thread(rotated, run, "receipts")
    after = await asyncio.to_thread(listed, run)
    assert made not in {each["kid"] for each in before}
    assert sum(each["retired_at"] is None for each in after) == len(Purpose)
    async with build(settings(folder)).running() as app:
        await signed(app)
        keys = await app.parts.keys.told()
        kinds = [(each.kid, bytes(each.statement)) for each in await statements(app)]
        assert app.parts.keys.active(Purpose.RECEIPTS)[0].public.kid == made
    assert {each.kid for each in keys} == {each["kid"] for each in after}
    assert all(each.is_placed for each in keys)
    assert sum(b"key_retired" in told for _, told in kinds) == 1


async def test_a_break_is_declared_under_the_new_name(folder: Path, run: Run) -> None:
    async with build(settings(folder)).running() as app:
        before = await signed(app)
    note = folder / "last"
    note.write_text(before.note)
    words = ("log", "new-origin", "log.example/second", "--reason", "disk lost", "--last", note)
    done = await asyncio.to_thread(lambda: run(*words))
    assert (done.code, done.out.strip()) == (0, "log.example/second"), done.err
    async with build(settings(folder)).running() as app:
        after = await signed(app)
        keys = await app.parts.keys.told()
        told = (await statements(app))[-1]
    public = next(each.public for each in keys if each.purpose is Purpose.CHECKPOINTS)
    assert opened(after.note, "log.example/second", public).size == before.checkpoint.size + 1
    root = b64encode(before.checkpoint.root).decode()
    leaf = bytes(told.statement)
    previous = {"origin": ORIGIN, "root": root, "size": before.checkpoint.size}
    assert b'"previous":' + canonical(previous) in leaf
    assert b'"reason":"disk lost"' in leaf
    assert keys.verify(Purpose.CHECKPOINTS, TAG, leaf, Signature(told.kid, told.signature))
    assert told.position == after.checkpoint.size
    assert merkle.leaf_hash(leaf) != after.checkpoint.root
    with pytest.raises(SettingRefused, match="signed as log"):
        async with build(settings(folder, log_origin=ORIGIN)).running():
            pass


def test_what_can_not_be_done_is_said(folder: Path, run: Run) -> None:
    other = folder / "other"
    other.write_text("log.example/first\n1\n" + b64encode(bytes(32)).decode() + "\n\n— x AAAA\n")
    for words, said in (
        (("signing-keys", "rotate", "everything"), "there are no keys for everything"),
        (("log", "new-origin", "a b", "--reason", "x"), "no name for a log"),
        (("log", "new-origin", ORIGIN, "--reason", "x"), "already"),
        (("log", "new-origin", "new", "--reason", "x", "--last", other), "no key of this service"),
        (("log", "new-origin", "new", "--reason", "x", "--last", folder / "no"), "no such file"),
    ):
        refused = run(*words)
        assert refused.code == 2, words
        assert said in refused.err.lower(), refused.err
    assert len(listed(run)) == len(Purpose)


def test_another_secret_key_opens_no_keys(
    folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLYSCRIBE_SECRET_KEY", "00" * 32)
    refused = run("signing-keys", "list")
    assert refused.code == 2
    assert "PLYSCRIBE_SECRET_KEY" in refused.err


async def test_a_service_with_another_secret_key_does_not_start(folder: Path) -> None:
    other = replace(settings(folder), secret_key="00" * 32)
    with pytest.raises(SettingRefused, match="signing keys"):
        async with build(other).running():
            pass
    none = replace(settings(folder), secret_key=None)
    with pytest.raises(SettingRefused):
        async with build(none).running():
            pass
    assert not (folder / "secret.key").exists(), "no key is made beside sealed ones"


async def test_keys_of_a_set_stay_the_same_over_restarts(folder: Path) -> None:
    sets = []
    for _ in range(2):
        async with build(settings(folder)).running() as app:
            sets.append(app.parts.keys.public.jwks())
    assert sets[0] == sets[1]
    assert len(list(KeySet.of_jwks(sets[0]))) == len(Purpose)


def test_before_the_first_start_there_are_none(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLYSCRIBE_DATA_DIR", str(tmp_path))
    assert run("migrate").code == 0
    refused = run("signing-keys", "list")
    assert (refused.code, "first start" in refused.err) == (2, True)
    assert not (tmp_path / "secret.key").exists()
