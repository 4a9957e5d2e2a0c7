"""`plyscribe keys` and `plyscribe orgs`, beside a service and without one."""

import asyncio
import re
from pathlib import Path

import httpx
import pytest

from service.app import build
from service.settings import Settings
from tests.service.cli.conftest import Outcome, Run, damage
from tests.service.cli.test_serve import said, serving
from tests.service.client import bearer
from tests.waiting import PATIENCE, until

ID = r"[0-9a-f]{16}"
SECRET = r"pk_[a-z2-7]+_[a-z2-7]{48}"


@pytest.fixture
def stopped(run: Run, tmp_path: Path) -> str:
    """The first key of a service that has run on SQLite here once."""
    return asyncio.run(_started_once(tmp_path / "data"))


async def _started_once(folder: Path) -> str:
    at = f"sqlite:///{folder / 'plyscribe.db'}"
    async with build(Settings(data_dir=folder, database_url=at)).running() as app:
        assert app.first_key is not None
        return app.first_key


def status_of(folder: Path, *secrets: str) -> list[int]:
    """What a service in the folder says to callers with these keys."""
    with serving("--port", 0, folder=folder) as process:
        address = said(process)["address"]
        return [answered(address, each) for each in secrets]


def answered(address: str, secret: str) -> int:
    got = httpx.get(f"{address}/v1/me", headers=bearer(secret), timeout=PATIENCE)
    return got.status_code


def line_of(refused: Outcome) -> str:
    assert (refused.code, refused.out) == (2, ""), refused
    (line,) = refused.err.splitlines()
    return line


def test_a_key_is_created_rotated_and_revoked(run: Run, stopped: str, tmp_path: Path) -> None:
    made = run("keys", "create", "lobby", "--scope", "observe", "--scope", "matches:create")
    told = re.fullmatch(rf"id +({ID})\nscopes +matches:create observe\nkey +({SECRET})\n", made.out)
    assert told, made
    (shown,) = run("keys", "list", "--org", "main", "--json").lines[:1]
    assert (shown["id"], shown["name"], shown["org"]) == (told[1], "lobby", "main")
    assert "secret" not in shown
    (new,) = run("keys", "rotate", shown["prefix"], "--overlap-seconds", 600, "--json").lines
    assert (new["name"], new["scopes"], new["expires_at"]) == ("lobby", shown["scopes"], None)
    (other,) = run("keys", "rotate", new["id"], "--json").lines
    assert run("keys", "revoke", stopped.rpartition("_")[0]).code == 0
    assert status_of(tmp_path, told[2], new["secret"], other["secret"], stopped) == [
        *(200, 401, 200, 401)
    ]
    table = run("keys", "list").out.splitlines()
    assert len(table) == 1 + 4
    assert sum("revoked" in line for line in table) == 1
    assert sum("expired" in line for line in table) == 1
    assert sum("works until" in line for line in table) == 1


def test_a_key_ends_when_it_was_said_to(run: Run, stopped: str) -> None:
    made = run("keys", "create", "x", "--scope", "admin", "--expires-at", "2090-01-02", "--json")
    (key,) = made.lines
    assert key["expires_at"] == 3_786_998_400_000
    assert "orgs:manage" in key["scopes"]
    past = run("keys", "create", "x", "--scope", "admin", "--expires-at", "2020-01-02T03:00:00")
    assert line_of(past) == "plyscribe: --expires-at: 2020-01-02T03:00:00+00:00 is past"


def test_an_organisation_is_created_with_a_key(run: Run, stopped: str, tmp_path: Path) -> None:
    made = run("orgs", "create", "club", "--name", "The club")
    told = re.fullmatch(rf"org +club\nkey +({SECRET})\n", made.out)
    assert told, made
    assert [each["id"] for each in run("orgs", "list", "--json").lines] == ["club", "main"]
    assert "The club" in run("orgs", "list").out
    assert line_of(run("orgs", "create", "club")).endswith("there is an organisation club already")
    (own,) = run("keys", "create", "x", "--scope", "admin", "--org", "club", "--json").lines
    assert (own["org"], "orgs:manage" in own["scopes"]) == ("club", False)
    wide = run("keys", "create", "x", "--scope", "orgs:manage", "--org", "club")
    assert "the scope orgs:manage is for keys of main alone" in line_of(wide)
    assert status_of(tmp_path, told[1], own["secret"]) == [200, 200]


def test_a_service_on_sqlite_is_read_beside_and_not_written(
    run: Run, stopped: str, tmp_path: Path
) -> None:
    prefix = stopped.rpartition("_")[0]
    with serving("--port", 0, folder=tmp_path) as process:
        said(process)
        assert prefix in run("keys", "list").out
        assert "main" in run("orgs", "list").out
        for words in (
            "keys create x --scope observe",
            f"keys rotate {prefix}",
            f"keys revoke {prefix}",
            "orgs create club",
        ):
            line = line_of(run(*words.split()))
            assert "another process serves plyscribe.db" in line
            assert line.endswith("stop it first, or ask it (/v1/keys and /v1/orgs do the same)")
        assert len(run("keys", "list", "--json").lines) == 1


def test_a_service_on_postgresql_follows_at_once(
    run: Run, postgres_url: str, tmp_path: Path
) -> None:
    at = ("--database-url", postgres_url)
    with serving("--port", 0, *at, folder=tmp_path) as process:
        address = said(process)["address"]
        (key,) = run("keys", "create", "x", "--scope", "observe", "--json", *at).lines

        def status() -> int:
            return answered(address, key["secret"])

        assert status() == 200
        assert run("keys", "revoke", key["id"], *at).code == 0
        until(status, lambda found: found == 401)
        assert "revoked" in run("keys", "list", *at).out


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("keys", "create", "x", "--scope", "fly"), "there is no scope 'fly': use matches:create,"),
        (("keys", "create", "x"), "--scope"),
        (("keys", "create", "", "--scope", "admin"), "a name has 1 to 200 printable characters"),
        (("keys", "create", "a\nb", "--scope", "admin"), "a name has 1 to 200 printable"),
        (("keys", "create", "x", "--scope", "admin", "--org", "no"), "no organisation 'no'"),
        (("keys", "create", "x", "--scope", "admin", "--expires-at", "soon"), "--expires-at"),
        (("keys", "list", "--org", "no"), "there is no organisation 'no'"),
        (("keys", "rotate", "pk_none"), "there is no key 'pk_none'"),
        (("keys", "rotate", "pk_none", "--overlap-seconds", "-1"), "--overlap-seconds"),
        (("keys", "revoke", "0" * 16), "there is no key"),
        (("orgs", "create", "A club"), "'A club' is no id"),
        (("orgs", "create", "x" * 64), "is no id"),
    ],
    ids=lambda each: " ".join(each[:4])[:40] if isinstance(each, tuple) else "",
)
def test_what_can_not_be_is_one_line(
    run: Run, stopped: str, words: tuple[str, ...], reason: str
) -> None:
    assert reason in line_of(run(*words))
    assert len(run("keys", "list", "--json").lines) == 1


def test_a_visible_part_that_several_keys_have_names_none(run: Run, stopped: str) -> None:
    run("keys", "create", "x", "--scope", "observe")
    damage("sqlite:///data/plyscribe.db", "UPDATE api_key SET prefix = 'pk_same'")
    line = line_of(run("keys", "revoke", "pk_same"))
    assert "pk_same is the visible part of several keys: name one by id" in line
    ids = [each["id"] for each in run("keys", "list", "--json").lines]
    assert all(each in line for each in ids)
    assert run("keys", "revoke", ids[0]).code == 0
    assert "there is no key" in line_of(run("keys", "revoke", ids[0]))


def test_names_have_no_effect_on_a_terminal(run: Run, stopped: str) -> None:
    name = "[red]\x1b[31m\u202e"
    damage("sqlite:///data/plyscribe.db", f"UPDATE api_key SET name = '{name}'")
    shown = run("keys", "list").out
    assert "[red]\ufffd[31m\ufffd" in shown


def test_without_a_database_nothing_is_made(run: Run, tmp_path: Path) -> None:
    for words in ("keys create x --scope admin", "orgs create club"):
        assert "there is no database in" in line_of(run(*words.split()))
    assert "data/plyscribe.db" in line_of(run("keys", "list"))
    assert not (tmp_path / "data").exists()
    run("migrate")
    line = line_of(run("keys", "create", "x", "--scope", "admin"))
    assert line.endswith("there is no organisation 'main' yet: the first start makes it")
    damage("sqlite:///data/plyscribe.db", "UPDATE alembic_version SET version_num = '0001'")
    for words in ("keys list", "keys create x --scope admin"):
        assert line_of(run(*words.split())).endswith("run plyscribe migrate")


def test_a_key_of_the_sandbox_is_made_listed_and_rotated(run: Run, stopped: str) -> None:
    (made,) = run("keys", "create", "lobby", "--scope", "admin", "--test", "--json").lines
    assert (made["org"], made["test"], made["secret"][:3]) == ("main", True, "pt_")
    assert "orgs:manage" not in made["scopes"]
    assert [line["test"] for line in run("keys", "list", "--org", "main/test", "--json").lines] == [
        True
    ]
    assert {line["test"] for line in run("keys", "list", "--org", "main", "--json").lines} == {
        True,
        False,
    }
    assert "main/test" in run("keys", "list").out
    (turned,) = run("keys", "rotate", made["prefix"], "--json").lines
    assert (turned["test"], turned["secret"][:3]) == (True, "pt_")
    refused = run("keys", "create", "x", "--scope", "orgs:manage", "--test")
    assert "orgs:manage" in line_of(refused)
    assert "no organisation" in line_of(run("keys", "list", "--org", "club/test"))
