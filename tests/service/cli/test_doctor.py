"""`plyscribe doctor` finds what was broken on purpose, says what to do, and changes nothing."""

import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import psycopg
import pytest
from sqlalchemy.engine import make_url

from events.tables import FEED_STATE, PULSE
from service import migrate
from service.cli import examining
from service.cli.configuration import environment
from service.clock import wall_clock
from service.settings import PREFIX
from service.vault import Vault
from tests.servers import free_port
from tests.service.cli.conftest import KEY, Outcome, Run
from tests.service.cli.test_metrics import serving
from tests.waiting import PATIENCE

ROOT = Path(__file__).parents[3]
CHECKS = ["database", "schema", "clock", "keys", "roles", "matches", "redis", "disk", "files"]
MATCH = "01890a5d-ac96-774b-bcce-b302099a8057"
Json = dict[str, Any]


def by_check(outcome: Outcome) -> dict[str, Json]:
    (report,) = outcome.lines
    found = {each["check"]: each for each in report["checks"]}
    assert list(found) == CHECKS
    failed = any(each["status"] == "failed" for each in found.values())
    assert (report["ok"], outcome.code) == (not failed, int(failed))
    for each in found.values():
        assert bool(each["remedy"]) == (each["status"] in ("warning", "failed"))
    return found


def files_in(folder: Path) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in folder.iterdir() if p.is_file()}


def seal(url: str, key: str) -> None:
    """A seed in the database, encrypted with a key."""
    vault = Vault(bytes.fromhex(key))
    row = (MATCH, vault.seal(MATCH, bytes(32)), vault.key_id)
    with sqlite3.connect(url.removeprefix("sqlite:///")) as connection:
        columns = [each[1] for each in connection.execute("PRAGMA table_info(secret)")]
        assert {"id", "ciphertext", "key_id"} == set(columns)
        connection.execute("INSERT INTO secret (id, ciphertext, key_id) VALUES (?, ?, ?)", row)
    connection.close()


def test_all_is_well_with_a_new_database(
    run: Run, sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(PREFIX + "SECRET_KEY", KEY)
    outcome = run("doctor", "--database-url", sqlite_url)
    assert outcome.code == 0
    lines = outcome.out.splitlines()
    assert [line.split()[:2] for line in lines] == [["ok", check] for check in CHECKS]


def test_on_sqlite_it_runs_beside_the_service_and_changes_nothing(tmp_path: Path) -> None:
    with serving(tmp_path, redis_url=None) as served:
        served.until("plyscribe_checkpoints_signed_total", 1)
        # Standing still, it writes nothing itself; whoever waited for its lock would wait for ever.
        served.process.send_signal(signal.SIGSTOP)
        before = files_in(tmp_path)
        done = subprocess.run(
            [sys.executable, "-m", "service.cli", "doctor"],
            cwd=tmp_path,
            env=served.environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )
        after = files_in(tmp_path)
        served.process.send_signal(signal.SIGCONT)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "seeds and signing keys" not in done.stdout
    assert "signing keys" in done.stdout
    unchanged = ("plyscribe.db", "plyscribe.db-wal")
    assert [after[name] for name in unchanged] == [before[name] for name in unchanged]


def test_where_nothing_is_nothing_is_made(run: Run, tmp_path: Path) -> None:
    outcome = run("doctor", "--json")
    found = by_check(outcome)
    assert found["database"]["status"] == "failed"
    assert [found[each]["status"] for each in CHECKS[1:6]] == ["skipped"] * 5
    assert list(tmp_path.iterdir()) == []


def test_a_database_that_is_away_is_named_without_its_password(run: Run) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
        url = f"postgresql://ada:hunter2@127.0.0.1:{port}/games"
        outcome = run("doctor", "--json", "--database-url", url)
    found = by_check(outcome)
    assert found["database"]["status"] == "failed"
    assert f"127.0.0.1, port {port}" in found["database"]["found"]
    assert "hunter2" not in outcome.out + outcome.err


def test_a_schema_that_is_behind_is_to_be_migrated(run: Run, sqlite_url: str) -> None:
    with sqlite3.connect(sqlite_url.removeprefix("sqlite:///")) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '0001'")
    connection.close()
    found = by_check(run("doctor", "--json", "--database-url", sqlite_url))
    assert found["schema"]["status"] == "failed"
    assert found["schema"]["remedy"] == "run plyscribe migrate"
    assert found["keys"]["status"] == "skipped"


def test_a_newer_schema_is_a_warning(run: Run, sqlite_url: str) -> None:
    with sqlite3.connect(sqlite_url.removeprefix("sqlite:///")) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.close()
    found = by_check(run("doctor", "--json", "--database-url", sqlite_url))
    assert found["schema"]["status"] == "warning"


def test_a_key_that_opens_the_seeds_is_well(
    run: Run, sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    seal(sqlite_url, KEY)
    monkeypatch.setenv(PREFIX + "SECRET_KEY", KEY)
    found = by_check(run("doctor", "--json", "--database-url", sqlite_url))
    assert found["keys"]["status"] == "ok"
    assert "seeds" in found["keys"]["found"]


def test_another_key_is_found(run: Run, sqlite_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    seal(sqlite_url, "ab" * 32)
    monkeypatch.setenv(PREFIX + "SECRET_KEY", KEY)
    outcome = run("doctor", "--json", "--database-url", sqlite_url)
    found = by_check(outcome)
    assert found["keys"]["status"] == "failed"
    assert "does not open the seeds" in found["keys"]["found"]
    assert KEY not in outcome.out


def test_a_key_that_does_not_open_the_signing_keys_is_found(tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        served.until("plyscribe_checkpoints_signed_total", 1)
    other = served.environment | {PREFIX + "SECRET_KEY": "ab" * 32}
    done = subprocess.run(
        [sys.executable, "-m", "service.cli", "doctor"],
        cwd=tmp_path,
        env=other,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert any(line.split()[:2] == ["failed", "keys"] for line in done.stdout.splitlines())


def test_a_lost_key_file_is_found_and_none_is_made(
    run: Run, sqlite_url: str, tmp_path: Path
) -> None:
    seal(sqlite_url, KEY)
    found = by_check(run("doctor", "--json", "--data-dir", tmp_path))
    assert found["keys"]["status"] == "failed"
    assert not (tmp_path / "secret.key").exists()


def test_a_key_file_that_others_may_read_is_a_warning(
    run: Run, sqlite_url: str, tmp_path: Path
) -> None:
    seal(sqlite_url, KEY)
    (tmp_path / "secret.key").write_text(KEY)
    (tmp_path / "secret.key").chmod(0o644)
    found = by_check(run("doctor", "--json", "--data-dir", tmp_path))
    assert found["keys"]["status"] == "warning"
    (tmp_path / "secret.key").chmod(0o600)
    assert by_check(run("doctor", "--json", "--data-dir", tmp_path))["keys"]["status"] == "ok"


def test_redis_is_tried_with_what_the_service_does(
    run: Run, sqlite_url: str, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(PREFIX + "REDIS_URL", redis_url)
    found = by_check(run("doctor", "--json", "--database-url", sqlite_url))
    assert (found["redis"]["status"], found["redis"]["found"][:8]) == ("ok", "1 server")


def test_a_redis_that_is_away_is_found(
    run: Run, sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        address = f"redis://ada:hunter2@127.0.0.1:{closed.getsockname()[1]}"
        monkeypatch.setenv(PREFIX + "REDIS_URL", address)
        outcome = run("doctor", "--json", "--database-url", sqlite_url)
    found = by_check(outcome)["redis"]
    assert (found["status"], found["found"]) == ("failed", "it can't be reached there")
    assert "hunter2" not in outcome.out


@pytest.mark.parametrize(
    ("kind", "who", "said"),
    [
        ("redis", "nobody:hunter2@", "it refuses the user or the password"),
        ("redis+cluster", "", "it is a single server, no Cluster"),
        ("redis+sentinel", "", "what the URL names are no Sentinels"),
    ],
)
def test_what_is_wrong_with_redis_is_a_sentence(
    run: Run,
    sqlite_url: str,
    redis_url: str,
    monkeypatch: pytest.MonkeyPatch,
    kind: str,
    who: str,
    said: str,
) -> None:
    place = redis_url.removeprefix("redis://").partition("/")[0]
    monkeypatch.setenv(PREFIX + "REDIS_URL", f"{kind}://{who}{place}/main")
    outcome = run("doctor", "--json", "--database-url", sqlite_url)
    found = by_check(outcome)["redis"]
    assert found["status"] == "failed"
    assert found["found"].startswith(said)
    assert "hunter2" not in outcome.out


def test_a_user_of_redis_that_may_not_publish_is_found(
    run: Run, sqlite_url: str, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    _redis(redis_url, "ACL SETUSER mute on >pass allkeys allchannels +@all -publish")
    named = redis_url.replace("redis://", "redis://mute:pass@")
    monkeypatch.setenv(PREFIX + "REDIS_URL", named)
    try:
        found = by_check(run("doctor", "--json", "--database-url", sqlite_url))
    finally:
        _redis(redis_url, "ACL DELUSER mute")
    assert found["redis"]["status"] == "failed"
    assert "NoPermission" in found["redis"]["found"]


def _redis(url: str, command: str) -> None:
    host, _, port = url.removeprefix("redis://").partition("/")[0].partition(":")
    with socket.create_connection((host, int(port)), 5) as connection:
        connection.sendall(command.encode() + b"\r\n")
        assert connection.recv(100)[:1] in b"+:"


@pytest.mark.parametrize(
    ("ahead", "status"), [(0, "ok"), (-1500, "warning"), (6000, "failed"), (-60_000, "failed")]
)
def test_a_clock_that_differs_from_the_database_is_found(
    run: Run, postgres_url: str, monkeypatch: pytest.MonkeyPatch, ahead: int, status: str
) -> None:
    monkeypatch.setattr(examining, "wall_clock", lambda: wall_clock() + ahead)
    found = by_check(run("doctor", "--json", "--database-url", postgres_url))
    assert found["clock"]["status"] == status


@pytest.mark.parametrize(
    ("ahead", "status"), [(-2_000, "ok"), (2_000, "warning"), (3_600_000, "failed")]
)
def test_a_clock_that_was_set_back_is_found(
    run: Run, database_url: str, ahead: int, status: str
) -> None:
    engine = migrate._engine(database_url)
    with engine.begin() as connection:
        connection.execute(PULSE.delete())
        connection.execute(PULSE.insert(), {"id": 1, "beat_at": wall_clock() + ahead})
    found = by_check(run("doctor", "--json", "--database-url", database_url))
    with engine.begin() as connection:
        connection.execute(PULSE.delete())
    engine.dispose()
    assert found["clock"]["status"] == status
    assert ("set back" in found["clock"]["found"]) is (status != "ok")


@pytest.mark.parametrize(
    ("serves", "works", "status", "said"),
    [
        (True, True, "ok", "the doors are served"),
        (True, False, "failed", "no process does what waits"),
        (False, True, "failed", "no process has the doors"),
        (False, False, "ok", "no process of the service runs"),
    ],
)
def test_a_role_that_nobody_has_is_found(
    run: Run,
    postgres_url: str,
    monkeypatch: pytest.MonkeyPatch,
    serves: bool,
    works: bool,
    status: str,
    said: str,
) -> None:
    monkeypatch.setattr(examining, "ROLES_SECONDS", 0.0)
    engine = migrate._engine(postgres_url)
    with engine.begin() as connection:
        connection.execute(PULSE.delete())
        if serves:
            connection.execute(PULSE.insert(), {"id": 1, "beat_at": wall_clock()})
        lease = wall_clock() + 60_000 if works else 0
        connection.execute(FEED_STATE.update().values(lease_until=lease))
    found = by_check(run("doctor", "--json", "--database-url", postgres_url))["roles"]
    with engine.begin() as connection:
        connection.execute(PULSE.delete())
        connection.execute(FEED_STATE.update().values(lease_until=0))
    engine.dispose()
    assert found["status"] == status
    assert said in found["found"]


def test_matches_that_are_put_aside_are_named(run: Run, sqlite_url: str) -> None:
    with sqlite3.connect(sqlite_url.removeprefix("sqlite:///")) as connection:
        rows = [(f"{name}/{MATCH}", 7) for name in ("results", "webhooks")]
        connection.executemany("INSERT INTO consumer (name, position) VALUES (?, ?)", rows)
    connection.close()
    outcome = run("doctor", "--json", "--database-url", sqlite_url)
    found = by_check(outcome)["matches"]
    assert (found["status"], outcome.code) == ("warning", 0)
    assert f"1 can't be read and wait: {MATCH} (results, webhooks)" in found["found"]


@pytest.mark.parametrize(
    ("free", "status"), [(1 << 40, "ok"), (1 << 29, "warning"), (1 << 20, "failed")]
)
def test_a_disk_that_fills_is_found(
    run: Run, sqlite_url: str, monkeypatch: pytest.MonkeyPatch, free: int, status: str
) -> None:
    usage = shutil.disk_usage("/")._replace(free=free)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    found = by_check(run("doctor", "--json", "--database-url", sqlite_url))
    assert found["disk"]["status"] == status


def test_too_few_open_files_are_a_warning(tmp_path: Path, sqlite_url: str) -> None:
    done = subprocess.run(
        ["sh", "-c", f'ulimit -n 512 && "{sys.executable}" -m service.cli doctor'],
        cwd=tmp_path,
        env=environment(database_url=sqlite_url) | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert any(line.split()[:2] == ["warning", "files"] for line in done.stdout.splitlines())


def test_it_needs_no_right_to_write_on_postgresql(
    run: Run, postgres_url: str, postgres_server: str
) -> None:
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute("CREATE ROLE looker LOGIN")
        connection.execute("GRANT SELECT ON ALL TABLES IN SCHEMA public TO looker")
        try:
            url = postgres_url.replace("postgres@", "looker@")
            found = by_check(run("doctor", "--json", "--database-url", url))
        finally:
            connection.execute("DROP OWNED BY looker")
            connection.execute("DROP ROLE looker")
    assert all(each["status"] == "ok" for each in found.values())


@pytest.mark.parametrize("more", ["", "?pooling=transaction"])
def test_a_database_that_takes_no_writes_is_found(run: Run, postgres_url: str, more: str) -> None:
    name = make_url(postgres_url).database
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute(f'ALTER DATABASE "{name}" SET default_transaction_read_only = on')
        try:
            found = by_check(run("doctor", "--json", "--database-url", postgres_url + more))
        finally:
            connection.execute(f'ALTER DATABASE "{name}" RESET default_transaction_read_only')
    assert found["database"]["status"] == "failed"
    assert "not to who wants to write" in found["database"]["found"]
    assert found["schema"]["status"] == "ok"


def test_the_remedy_is_one_for_what_the_server_said(run: Run, postgres_url: str) -> None:
    own = make_url(postgres_url)
    for url, remedy in (
        (own.set(username="nobody"), "set the user and the password"),
        (own.set(database="nowhere"), "make the database"),
        (own.update_query_dict({"sslmod": "require"}), "see what the database says"),
        (own.set(host="127.0.0.1", port=free_port()), "start it"),
    ):
        outcome = run("doctor", "--json", "--database-url", url.render_as_string(False))
        assert by_check(outcome)["database"]["remedy"].startswith(remedy), url
    found = by_check(run("doctor", "--json", "--database-url", "postgresql://u:p@w@host/name"))
    assert found["database"]["remedy"].startswith("correct")
    assert "made by serve" in by_check(run("doctor", "--json"))["database"]["remedy"]


def test_a_setting_that_can_not_be_used_is_told_as_everywhere(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(PREFIX + "SECRET_KEY", "hunter2")
    outcome = run("doctor")
    assert (outcome.code, outcome.out) == (2, "")
    assert "hunter2" not in outcome.err
    assert os.listdir() == []
