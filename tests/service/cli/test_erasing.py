"""`plyscribe erase`: texts, accounts, the list of it, and all of it again after a restore."""

import asyncio
import shlex
import shutil
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import msgspec
import pytest

from events.verify_bundle import verify_bundle
from service.app import build
from service.clock import wall_clock
from service.settings import Settings
from tests.events.bundled import members
from tests.service.cli.conftest import KEY, ROOT, Run, damage
from tests.service.cli.test_moving import ORGANISATION
from tests.service.client import bearer

ADMIN = "pk_tests_" + "e" * 48
WORDS = ("said-by-ada", "said-by-bob", "claimed-by-ada")

Json = dict[str, Any]


class Said(msgspec.Struct, frozen=True):
    """A revealed match; `events` are the versions of what was said, `url` its database."""

    url: str
    match_id: str
    events: tuple[int, ...]

    @property
    def file(self) -> Path:
        return Path(self.url.removeprefix("sqlite:///"))

    @property
    def database(self) -> tuple[str, str]:
        return "--database-url", self.url

    def holds(self) -> list[str]:
        """Which of the words are in the file, or in what lies beside it."""
        places = self.file.parent.glob(self.file.name + "*")
        data = b"".join(place.read_bytes() for place in places)
        return [word for word in (*WORDS, "account-ada") if word.encode() in data]


@pytest.fixture
def empty(tmp_path: Path, _sqlite_template: Path) -> str:
    """Another database, with the organisation and nothing else."""
    url = f"sqlite:///{tmp_path / 'other.db'}"
    shutil.copy(_sqlite_template, tmp_path / "other.db")
    damage(url, ORGANISATION)
    return url


@pytest.fixture
def said(sqlite_url: str, tmp_path: Path, high_card_game: None, monkeypatch: Any) -> Said:
    monkeypatch.setenv("PLYSCRIBE_SECRET_KEY", KEY)
    return asyncio.run(_said(sqlite_url, tmp_path))


async def _said(url: str, folder: Path) -> Said:
    settings = Settings(data_dir=folder, database_url=url, secret_key=KEY, admin_key=ADMIN)
    async with (
        build(settings).running() as app,
        httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://door") as http,
    ):

        async def post(path: str, token: str = ADMIN, **body: Any) -> Json:
            headers = {**bearer(token), "idempotency-key": uuid4().hex}
            got = await http.post(f"/v1/matches{path}", json=body, headers=headers)
            assert got.status_code in (200, 201), got.text
            found: Json = got.json()
            return found

        made = (await post("", game="high_card", seats=2))["match_id"]
        tokens = [
            (await post(f"/{made}/seats/{seat}/claim", account=account))["token"]
            for seat, account in enumerate(("account-ada", "account-bob"))
        ]
        spoken = [
            await post(f"/{made}/moves", token, decision=None, move={"type": "speak", "text": word})
            for token, word in zip(tokens, WORDS, strict=False)
        ]
        claim = await post(f"/{made}/disputes", tokens[0], about=1, claim=WORDS[2])
        await post(f"/{made}/seats/1/resign", tokens[1])
        return Said(url, made, (*(each["first"] for each in spoken), claim["id"]))


def exported(run: Run, said: Said, place: Path) -> bytes:
    told = run("export", place, *said.database)
    assert told.code == 0, told.err
    data = (place / f"{said.match_id}.zip").read_bytes()
    assert verify_bundle(data).is_sound
    return b"".join(members(data).values()) + (place / "index.json").read_bytes()


def test_one_text_and_a_seat_are_erased_once(run: Run, said: Said) -> None:
    assert said.holds() == [*WORDS, "account-ada"]
    asked = ("erase", said.match_id, "--event", said.events[0], "--field", "text", *said.database)
    first, again = run(*asked), run(*asked)
    assert first.code == 0, first.err
    assert (first.out.split()[1], again.out.split()[1:4]) == (
        "erased:",
        ["was", "erased", "before:"],
    )
    assert first.out.split()[-1] == again.out.split()[-1]
    assert said.holds() == [*WORDS[1:], "account-ada"]
    assert run("erase", said.match_id, "--seat", 1, *said.database).code == 0
    assert said.holds() == [WORDS[2], "account-ada"]
    replayed = run("replay", said.match_id, "--viewer", "all", "--json", *said.database)
    assert (replayed.code, replayed.lines[-1]["ok"]) == (0, True)


def test_an_account_is_erased_and_again_after_a_restore(
    run: Run, said: Said, tmp_path: Path
) -> None:
    backup, listed = tmp_path / "backup.db", tmp_path / "erased.ndjson"
    shutil.copy(said.file, backup)
    told = run("erase", "--account", "account-ada", "--reason", "ticket 7", *said.database)
    assert (told.code, told.err.strip()) == (0, "1 matches erased, 0 not")
    run("erase", said.match_id, "--event", said.events[1], "--field", "text", *said.database)
    assert said.holds() == []
    lines = run("erase", "--list", *said.database)
    assert [each["erased"] for each in lines.lines] == ["match", "match", "account"]
    assert {each["reason"] for each in lines.lines} == {"ticket 7", None}
    assert "account-ada" not in lines.out
    listed.write_text(lines.out)

    shutil.copy(backup, said.file)
    assert said.holds() == [*WORDS, "account-ada"]
    for word in ("2 erased, 0 was erased before", "0 erased, 2 was erased before"):
        told = run("erase", "--again", listed, *said.database)
        assert (told.code, said.holds()) == (0, []), told.err
        assert f"2 lines of matches: {word}, 0 is not there, 0 not erased" in told.err
        again = run("erase", "--list", *said.database)
        assert again.lines[-1] == lines.lines[-1]  # of the account, as it was
    kinds = run("replay", said.match_id, "--viewer", "all", "--json", *said.database).out
    assert kinds.count('"kind":"erased"') == 2


async def _named_elsewhere(said: Said, folder: Path) -> None:
    """In a connection, a series that is not played, and a deal group."""
    settings = Settings(data_dir=folder, database_url=said.url, secret_key=KEY, admin_key=ADMIN)
    tables = [["account-cyd", "account-bob"], ["account-fay", "account-gus"]]
    group = {"game": "high_card", "seats": 2, "tables": tables, "closing": "forfeit"}
    group |= {"closes_at": wall_clock() + 60_000}
    entrants = [{"external_id": "account-dan"}, {"external_id": "account-bob"}]
    series = {"entrants": entrants, "games": 1, "match": {"game": "high_card"}}
    platform: Json = {"platform": "startgg", "credentials": {"access_token": "x"}}
    platform |= {"participants": {"account-ada": "7", "account-eve": "8"}, "enabled": False}
    async with (
        build(settings).running() as app,
        httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://door") as http,
    ):
        for path, body in (("deal-groups", group), ("series", series), ("connections", platform)):
            headers = {**bearer(ADMIN), "idempotency-key": path}
            made = await http.post(f"/v1/{path}", json=body, headers=headers)
            assert made.status_code == 201, made.text


def test_accounts_that_are_named_outside_of_matches_are_erased_again(
    run: Run, said: Said, tmp_path: Path
) -> None:
    asyncio.run(_named_elsewhere(said, tmp_path))
    backup, listed = tmp_path / "backup.db", tmp_path / "erased.ndjson"
    shutil.copy(said.file, backup)
    names = [f"account-{each}" for each in ("ada", "cyd", "dan", "eve")]
    assert [each for each in names if each.encode() in said.file.read_bytes()] == names
    for each in names:
        assert run("erase", "--account", each, *said.database).code == 0
    assert not any(each.encode() in said.file.read_bytes() for each in names)
    listed.write_text(run("erase", "--list", *said.database).out)
    shutil.copy(backup, said.file)
    told = run("erase", "--again", listed, *said.database)
    assert told.code == 0, told.err
    assert not any(each.encode() in said.file.read_bytes() for each in names)


def test_erasing_again_leaves_what_was_said_since(run: Run, said: Said, tmp_path: Path) -> None:
    run("erase", said.match_id, "--seat", 1, *said.database)
    listed = tmp_path / "erased.ndjson"
    listed.write_text(run("erase", "--list", *said.database).out)
    before = said.holds()
    told = run("erase", "--again", listed, *said.database)
    assert (told.code, said.holds()) == (0, before)


def test_a_match_that_can_not_be_read_is_named_when_it_is_erased_again(
    run: Run, said: Said, tmp_path: Path
) -> None:
    run("erase", said.match_id, "--seat", 1, *said.database)
    listed = tmp_path / "erased.ndjson"
    listed.write_text(run("erase", "--list", *said.database).out)
    damage(said.url, "UPDATE event SET body = x'7b' WHERE version = 2")
    told = run("erase", "--again", listed, *said.database)
    assert (told.code, f"{said.match_id}  not erased: it can't be read" in told.out) == (1, True)
    assert "1 lines of matches" in told.err + told.out


def test_what_was_erased_is_in_no_export_and_comes_back_by_none(
    run: Run, said: Said, tmp_path: Path, empty: str
) -> None:
    assert WORDS[0].encode() in exported(run, said, tmp_path / "before")
    assert run("erase", "--account", "account-ada", *said.database).code == 0
    after = exported(run, said, tmp_path / "after")
    assert [word for word in (*WORDS, "account-ada") if word.encode() in after] == [WORDS[1]]
    told = run("import", tmp_path / "before", *said.database)
    assert ("taken in" in told.out, said.holds()) == (False, [WORDS[1]])
    assert run("import", tmp_path / "after", "--database-url", empty).code == 0
    replayed = run("replay", said.match_id, "--viewer", "all", "--json", "--database-url", empty)
    assert replayed.out.count('"kind":"erased"') == 1
    assert replayed.lines[-1]["ok"] is True


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ((), "name one of"),
        (("--list", "--account", "x"), "name one of"),
        (("none", "--seat", "1"), "is no match id"),
        (("MATCH",), "say what to erase"),
        (("MATCH", "--event", "1"), "say what to erase"),
        (("MATCH", "--event", "1", "--field", "text", "--seat", "0"), "say what to erase"),
        (("MATCH", "--event", "1", "--field", "text"), "no text at that place"),
        (("MATCH", "--seat", "9"), "no such seat"),
        (("--account", "x", "--org", "none"), "no organisation 'none'"),
        (("--again", "FILE"), "line 1 is none of"),
    ],
)
def test_what_can_not_be_done_is_said(
    run: Run, said: Said, tmp_path: Path, words: tuple[str, ...], reason: str
) -> None:
    (tmp_path / "file").write_text("{}\n")
    places = {"MATCH": said.match_id, "FILE": str(tmp_path / "file")}
    told = run("erase", *(places.get(each, each) for each in words), *said.database)
    assert (told.code, reason in told.err) == (2, True), told.err


def test_an_account_nobody_has_is_no_fault(run: Run, said: Said) -> None:
    told = run("erase", "--account", "nobody", *said.database)
    assert (told.code, told.err.strip()) == (0, "0 matches erased, 0 not")


def test_the_commands_of_the_manual(
    run: Run, said: Said, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLYSCRIBE_DATABASE_URL", said.url)
    places = {"$MATCH": said.match_id, "$EVENT": str(said.events[0]), "$ACCOUNT": "account-ada"}
    backup = tmp_path / "backup.db"
    shutil.copy(said.file, backup)
    manual = (ROOT / "docs" / "operations.md").read_text("utf-8")

    def block(name: str) -> None:
        (_, _, rest) = manual.partition(f"```sh {name}\n")
        for line in rest.partition("```")[0].splitlines():
            words, _, file = line.partition(" > ")
            told = run(*(places.get(each, each) for each in shlex.split(words)[1:]))
            assert told.code == 0, told.err
            if file:
                (tmp_path / file).write_text(told.out)

    block("erase")
    block("list")
    assert said.holds() == []
    shutil.copy(backup, said.file)
    assert said.holds() == [*WORDS, "account-ada"]
    block("again")
    assert said.holds() == []
