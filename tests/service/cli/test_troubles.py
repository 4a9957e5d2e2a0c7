"""What an operator gets wrong is one line that names the place, and changes nothing."""

import os
import re
import subprocess
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest
from asyncpg.exceptions import InvalidPasswordError
from sqlalchemy.engine import make_url

from events import engines
from events.faults import DatabaseUnreachable, fault_of
from events.tables import SECRET
from service import migrate
from service.settings import sqlite_url
from service.vault import Vault
from tests import servers
from tests.service.cli.conftest import KEY, ROOT, Outcome, Run, damage

MATCH = "00000000-0000-0000-0000-000000000000"
COMMANDS = (("serve", "--port", "0"), ("migrate",), ("migrate", "--check"), ("replay", MATCH))
OPENING = tuple(words for words in COMMANDS if "--check" not in words)
ODD_NAMES = ("with space", "a?b=c", "a#b", "100%41", "a&b", "żółw", "it's")

Played = tuple[str, str]


@pytest.fixture(autouse=True)
def _without_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in os.environ:
        if name.startswith("PLYSCRIBE_") and not name.startswith("PLYSCRIBE_TEST"):
            monkeypatch.delenv(name)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A data directory with a migrated file."""
    made = tmp_path / "kept"
    made.mkdir()
    migrate.upgrade(sqlite_url(made / "plyscribe.db"))
    return made


def assert_one_line(refused: Outcome, *parts: object) -> None:
    assert (refused.code, refused.out) == (2, ""), refused.err
    (line,) = refused.err.splitlines()
    assert line.startswith("plyscribe: ")
    for part in parts:
        assert str(part) in line


def content(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("words", OPENING, ids=" ".join)
def test_a_data_directory_that_is_a_file(run: Run, tmp_path: Path, words: tuple[str, ...]) -> None:
    (tmp_path / "file").touch()
    assert_one_line(run(*words, "--data-dir", "file"), "file")
    assert_one_line(run(*words, "--data-dir", "file/below"), "file")


@pytest.mark.parametrize("words", OPENING, ids=" ".join)
def test_a_data_directory_that_can_not_be_made(run: Run, words: tuple[str, ...]) -> None:
    assert_one_line(run(*words, "--data-dir", "/proc/none"), "/proc/none")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
@pytest.mark.parametrize("words", OPENING[:2], ids=" ".join)
def test_folders_that_are_not_ours(run: Run, tmp_path: Path, words: tuple[str, ...]) -> None:
    (tmp_path / "theirs").mkdir(mode=0o500)
    for name in ("theirs", "theirs/below"):
        assert_one_line(run(*words, "--data-dir", name), name, "Permission denied")


def test_a_key_that_can_not_be_read(run: Run, folder: Path) -> None:
    (folder / "secret.key").mkdir()
    assert_one_line(run("serve", "--port", 0, "--data-dir", folder), folder / "secret.key")


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_a_file_that_is_no_database(run: Run, folder: Path, words: tuple[str, ...]) -> None:
    (folder / "plyscribe.db").write_bytes(b"a text and no database, " * 500)
    refused = run(*words, "--data-dir", folder)
    assert_one_line(refused, folder / "plyscribe.db", "not a database")


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_a_truncated_database(run: Run, folder: Path, words: tuple[str, ...]) -> None:
    with (folder / "plyscribe.db").open("r+b") as file:
        file.truncate(6000)
    assert_one_line(run(*words, "--data-dir", folder), folder / "plyscribe.db")


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE alembic_version SET version_num = '0000'",
        "UPDATE alembic_version SET version_num = 'beef'",
        "UPDATE alembic_version SET version_num = 'c0ffee123456'",
        "DELETE FROM alembic_version",
        "DROP TABLE alembic_version",
    ],
)
def test_an_odd_revision(run: Run, folder: Path, words: tuple[str, ...], statement: str) -> None:
    damage(f"sqlite:///{folder}/plyscribe.db", statement)
    refused = run(*words, "--data-dir", folder)
    assert_one_line(refused, folder / "plyscribe.db")


def test_a_renamed_column(run: Run, played: Played) -> None:
    url, match_id = played
    damage(url, "ALTER TABLE event RENAME COLUMN body TO bodies")
    path = url.removeprefix("sqlite:///")
    assert_one_line(run("replay", match_id, "--database-url", url), path, "no such column")
    damage(url, "ALTER TABLE secret RENAME COLUMN key_id TO keys")
    assert_one_line(run("serve", "--port", 0, "--database-url", url), path, "no such column")


def test_a_record_that_is_no_event_is_told_without_a_trace(run: Run, played: Played) -> None:
    url, match_id = played
    damage(url, "UPDATE event SET body = x'00'")
    for viewer in ("spectator", "all"):
        told = run("replay", match_id, "--viewer", viewer, "--database-url", url)
        assert told.code in (1, 2)
        assert "Traceback" not in told.err


def test_a_newer_schema_stays_and_is_no_trouble(run: Run, folder: Path) -> None:
    damage(f"sqlite:///{folder}/plyscribe.db", "UPDATE alembic_version SET version_num = '9999'")
    before = content(folder)
    for more in ((), ("--check",)):
        told = run("migrate", "--data-dir", folder, *more)
        assert (told.code, "newer than this program" in told.err) == (0, True)
    assert content(folder) == before


def test_a_check_makes_nothing(run: Run, tmp_path: Path, folder: Path) -> None:
    before = set(tmp_path.iterdir()), content(folder)
    assert run("migrate", "--check", "--data-dir", tmp_path / "none").code == 1
    assert run("migrate", "--check", "--data-dir", folder).code == 0
    assert (set(tmp_path.iterdir()), content(folder)) == before


@pytest.mark.parametrize("name", ODD_NAMES)
def test_a_data_directory_of_any_name(run: Run, tmp_path: Path, name: str) -> None:
    assert run("migrate", "--data-dir", name).code == 0
    assert run("migrate", "--check", "--data-dir", tmp_path / name).code == 0
    assert (tmp_path / name / "plyscribe.db").exists()
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert_one_line(run("replay", MATCH, "--data-dir", name), "no match")


def test_what_is_empty_is_not_a_name(run: Run, tmp_path: Path) -> None:
    for words in COMMANDS:
        assert_one_line(run(*words, "--data-dir", ""), "--data-dir")
        assert_one_line(run(*words, "--database-url", ""), "--database-url")
    assert_one_line(run("replay", ""), "MATCH")
    assert list(tmp_path.iterdir()) == []


def test_workers_are_an_environment_variable_too(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLYSCRIBE_WORKERS", "2")
    assert_one_line(run("serve"), "--workers above 1 needs PostgreSQL")


# The key -----------------------------------------------------------------------------------------


def test_no_key_is_made_beside_seeds(run: Run, running: Played, tmp_path: Path) -> None:
    url, _ = running
    keys = tmp_path / "keys"
    refused = run("serve", "--port", 0, "--database-url", url, "--data-dir", keys)
    assert_one_line(refused, "PLYSCRIBE_SECRET_KEY", keys / "secret.key", "seeds")
    assert not (keys / "secret.key").exists()


def test_another_key_is_refused(
    run: Run, database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seal_two(database_url)
    words = ("serve", "--port", 0, "--database-url", database_url, "--data-dir", tmp_path)
    (tmp_path / "secret.key").write_text("11" * 32)
    assert_one_line(run(*words), tmp_path / "secret.key", "does not open the seeds")
    # Not even the key of one of the two: the other one's matches could not go on.
    monkeypatch.setenv("PLYSCRIBE_SECRET_KEY", KEY)
    assert_one_line(run(*words), "PLYSCRIBE_SECRET_KEY", "does not open the seeds")
    assert KEY not in run(*words).err


def seal_two(url: str) -> None:
    """A seed under KEY and one under another."""
    engine = migrate._engine(url)
    with engine.begin() as connection:
        for key in (bytes.fromhex(KEY), b"o" * 32):
            vault, match_id = Vault(key), str(uuid4())
            row = (match_id, vault.seal(match_id, b"s" * 32), vault.key_id)
            connection.execute(SECRET.insert().values(row))
    engine.dispose()


def test_replay_says_that_the_key_does_not_fit(
    run: Run, running: Played, monkeypatch: pytest.MonkeyPatch
) -> None:
    url, match_id = running
    assert "the seed is not revealed" in run("replay", match_id, "--database-url", url).out
    monkeypatch.setenv("PLYSCRIBE_SECRET_KEY", "11" * 32)
    told = run("replay", match_id, "--database-url", url).out
    assert "the key does not fit" in told
    assert "not revealed" not in told


# A place that can't be written to ----------------------------------------------------------------


@pytest.fixture
def read_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Root may write to any folder, so the question is answered for it."""
    monkeypatch.setattr(os, "access", lambda *_: False)


def test_a_match_is_replayed_from_read_only_media(
    run: Run, played: Played, read_only: None
) -> None:
    url, match_id = played
    folder = Path(url.removeprefix("sqlite:///")).parent
    before = set(folder.iterdir())
    told = run("replay", match_id, "--database-url", url)
    assert told.code == 0, told.err
    assert set(folder.iterdir()) == before


def test_commits_beside_the_file_can_not_be_read_there(
    run: Run, played: Played, read_only: None
) -> None:
    url, match_id = played
    path = url.removeprefix("sqlite:///")
    Path(f"{path}-wal").write_bytes(b"some")
    assert_one_line(run("replay", match_id, "--database-url", url), path, "copy")


# PostgreSQL --------------------------------------------------------------------------------------


@pytest.fixture
def told_of(run: Run, postgres_server: str) -> dict[str, str]:
    """What commands say of each wrong URL."""
    server = make_url(postgres_server).set(password="hush")
    wrong = {
        "database": server.set(database="no_such_place"),
        "user": server.set(username="no_such_user"),
        "port": server.set(port=servers.free_port()),
        "host": server.set(host="no.such.host.invalid"),
    }
    said = {}
    for name, url in wrong.items():
        for words in COMMANDS:
            refused = run(*words, "--database-url", url.render_as_string(False))
            assert_one_line(refused, f"on {url.host}, port {url.port}, database {url.database}")
            assert "hush" not in refused.err
            said[f"{name} {words[0]}"] = refused.err
    return said


def test_wrong_servers_are_sentences(told_of: dict[str, str]) -> None:
    for command in ("serve", "migrate", "replay"):
        assert '"no_such_place" does not exist' in told_of[f"database {command}"]
        assert '"no_such_user" does not exist' in told_of[f"user {command}"]
    assert not any(re.search(r"3D000|28000", said) for said in told_of.values())


def test_a_wrong_password_is_said_and_not_repeated() -> None:
    fault = fault_of(InvalidPasswordError('password authentication failed for user "u"'))
    assert isinstance(fault, DatabaseUnreachable)
    assert str(fault) == 'password authentication failed for user "u"'


def test_what_a_server_refuses_is_not_called_damage(run: Run, postgres_server: str) -> None:
    name = f"empty_{uuid4().hex}"
    own = make_url(servers.create_database(postgres_server, name))
    with psycopg.connect(postgres_server, autocommit=True) as connection:
        connection.execute("CREATE ROLE newcomer LOGIN")
        try:
            for url, said in (
                (own.set(username="newcomer"), "permission denied"),
                (own.update_query_dict({"sslmod": "require"}), "invalid connection option"),
            ):
                refused = run("migrate", "--database-url", url.render_as_string(False))
                assert_one_line(refused, said)
                assert "damaged" not in refused.err
        finally:
            connection.execute("DROP ROLE newcomer")
            servers.drop_database(postgres_server, name)


# One file under two names ------------------------------------------------------------------------


def test_a_file_under_another_name_is_the_same_file(run: Run, folder: Path) -> None:
    other = folder.parent / "other"
    other.mkdir()
    (other / "plyscribe.db").symlink_to(folder / "plyscribe.db")
    lock = engines.FileLock(folder / "plyscribe.db")
    try:
        refused = run("serve", "--port", 0, "--data-dir", other)
        assert_one_line(refused, "another process serves", folder)
    finally:
        lock.release()
    assert not (other / "plyscribe.db.lock").exists()


# The Makefile ------------------------------------------------------------------------------------


def made(*words: str, folder: Path) -> str:
    done = subprocess.run(["make", *words], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_makefile_from_elsewhere_and_with_any_data(tmp_path: Path) -> None:
    assert "make serve" in made("-f", str(ROOT / "Makefile"), "help", folder=tmp_path)
    told = made("-n", "-o", ".venv/stamps/runtime", "serve", "DATA=da ta's", folder=ROOT)
    (line,) = [line for line in told.splitlines() if "plyscribe serve" in line]
    words = subprocess.run(
        ["sh", "-c", line.replace("@", "").replace(".venv/bin/plyscribe", "printf '%s\\n'")],
        capture_output=True,
        text=True,
    )
    assert "da ta's" in words.stdout.splitlines()
