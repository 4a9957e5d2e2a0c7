"""Settings say which variable is wrong and never repeat its value."""

import stat
from pathlib import Path

import pytest

from events.append import Secret
from events.database import parsed_url
from service.crashing import crash_point
from service.roles import Role
from service.settings import SettingRefused, Settings, from_environment
from service.vault import Vault, VaultLocked, unlocked

ONE = "01890a5d-ac96-774b-bcce-b302099a8057"
OTHER = "01890a5d-ac96-774b-bcce-b302099a8058"
GOOD_KEY = "pk_abc_" + "s" * 30


def test_nothing_set_is_sqlite_in_data() -> None:
    settings = from_environment({"HOME": "/root"})
    assert settings == Settings()
    assert settings.database_url == "sqlite:///data/plyscribe.db"


def test_the_database_lies_in_the_data_directory() -> None:
    settings = from_environment({"PLYSCRIBE_DATA_DIR": "/var/lib/plyscribe"})
    assert settings.database_url == "sqlite:////var/lib/plyscribe/plyscribe.db"


def test_what_is_set_counts() -> None:
    settings = from_environment(
        {"PLYSCRIBE_PORT": "0", "PLYSCRIBE_TICK_SECONDS": "0.5", "PLYSCRIBE_ADMIN_KEY": GOOD_KEY}
    )
    assert (settings.port, settings.tick_seconds, settings.admin_key) == (0, 0.5, GOOD_KEY)


def test_an_empty_value_is_not_set() -> None:
    assert from_environment({"PLYSCRIBE_SECRET_KEY": ""}) == Settings()


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("PLYSCRIBE_PORT", "eight"),
        ("PLYSCRIBE_PORT", "65536"),
        ("PLYSCRIBE_SECRET_KEY", "c0ffee-and-more"),
        ("PLYSCRIBE_ADMIN_KEY", "hunter2hunter2"),
        ("PLYSCRIBE_ADMIN_KEY", "pk_abc_tooshort"),
        ("PLYSCRIBE_LOG_LEVEL", "loud"),
        ("PLYSCRIBE_TICK_SECONDS", "soonish"),
        ("PLYSCRIBE_TICK_SECONDS", "nan"),
        ("PLYSCRIBE_TOKEN_SECONDS", "2"),
        ("PLYSCRIBE_PROT", "8000"),
        ("PLYSCRIBE_ROLE", "door"),
        ("PLYSCRIBE_TEST_CRASH_AT", "somewhere"),
    ],
)
def test_a_wrong_value_names_its_variable(variable: str, value: str) -> None:
    with pytest.raises(SettingRefused) as refused:
        from_environment({variable: value, "PLYSCRIBE_TEST": "1"})
    assert refused.value.variable == variable
    assert value not in str(refused.value)


def test_on_sqlite_there_is_one_role() -> None:
    with pytest.raises(SettingRefused, match="SQLite") as refused:
        from_environment({"PLYSCRIBE_ROLE": "worker"})
    assert refused.value.variable == "PLYSCRIBE_ROLE"
    assert from_environment({"PLYSCRIBE_ROLE": "all"}).role is Role.ALL
    elsewhere = {"PLYSCRIBE_ROLE": "web", "PLYSCRIBE_DATABASE_URL": "postgresql://user@host/name"}
    assert from_environment(elsewhere).role is Role.WEB


def test_crash_points_are_for_tests_alone() -> None:
    with pytest.raises(SettingRefused, match="PLYSCRIBE_TEST=1"):
        from_environment({"PLYSCRIBE_TEST_CRASH_AT": "after_commit"})
    named = {"PLYSCRIBE_TEST_CRASH_AT": "after_commit:3", "PLYSCRIBE_TEST": "1"}
    assert from_environment(named).crash_at == "after_commit:3"


def test_without_a_named_point_nothing_crashes() -> None:
    crash_point(Settings())("before_commit")
    crash_point(Settings(crash_at="after_commit"))("before_commit")
    crash_point(Settings(crash_at="after_commit:2"))("after_commit")


def test_the_key_file_is_made_once_and_private(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path / "data")
    first, second = unlocked(settings), unlocked(settings)
    assert first.key_id == second.key_id
    file = tmp_path / "data" / "secret.key"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_damaged_key_file_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "secret.key").write_text("zz")
    with pytest.raises(SettingRefused, match="damaged"):
        unlocked(Settings(data_dir=tmp_path))
    assert (tmp_path / "secret.key").read_text() == "zz"


def test_a_set_key_makes_no_file(tmp_path: Path) -> None:
    unlocked(Settings(data_dir=tmp_path, secret_key="5a" * 32))
    assert list(tmp_path.iterdir()) == []


def test_a_sealed_seed_opens_for_its_match_and_key_alone() -> None:
    vault, seed = Vault(b"k" * 32), bytes(range(32))
    sealed = vault.seal(ONE, seed)
    assert seed not in sealed
    assert sealed != vault.seal(ONE, seed)
    assert vault.open(ONE, sealed) == seed
    for keeper, match_id, data in (
        (vault, OTHER, sealed),
        (Vault(b"j" * 32), ONE, sealed),
        (vault, ONE, sealed[:-1]),
        (vault, ONE, b""),
        (vault, ONE, bytes([sealed[0] ^ 1]) + sealed[1:]),
    ):
        with pytest.raises(VaultLocked):
            keeper.open(match_id, data)


def test_a_cursor_works_in_its_place_alone() -> None:
    vault = Vault(b"k" * 32)
    signed = vault.signed(b"cursor", b"here")
    assert vault.unsigned(signed, b"here") == b"cursor"
    assert vault.unsigned(signed, b"there") is None
    assert vault.unsigned(signed[:-1], b"here") is None
    assert vault.unsigned(b"", b"here") is None


@pytest.mark.parametrize("name", ["TESTOSTERONE", "TEST_CRASH", "TESTS"])
def test_only_the_variables_of_tests_are_let_through(name: str) -> None:
    known = {
        "PLYSCRIBE_TEST": "1",
        "PLYSCRIBE_TEST_DATABASE_URL": "u",
        "PLYSCRIBE_TEST_REDIS_URL": "",
    }
    assert from_environment(known) == Settings()
    with pytest.raises(SettingRefused, match=name):
        from_environment({f"PLYSCRIBE_{name}": "1"})


@pytest.mark.parametrize("name", ["a b", "a?b=c", "a#b", "100%41", "żółw", "a:b@c"])
def test_the_database_lies_in_a_directory_of_any_name(name: str) -> None:
    url = from_environment({"PLYSCRIBE_DATA_DIR": f"/var/{name}"}).database_url
    assert parsed_url(url).database == f"/var/{name}/plyscribe.db"


def test_a_key_has_to_open_every_seed_and_is_not_made_beside_one(tmp_path: Path) -> None:
    own, other = (Secret(ONE, Vault(k * 32).seal(ONE, b"s"), "id") for k in (b"k", b"j"))
    settings = Settings(data_dir=tmp_path, secret_key=(b"k" * 32).hex())
    assert unlocked(settings, [own]).opens(own)
    with pytest.raises(SettingRefused, match="does not open"):
        unlocked(settings, [own, other])
    with pytest.raises(SettingRefused, match="holds seeds"):
        unlocked(Settings(data_dir=tmp_path), [own])
    assert list(tmp_path.iterdir()) == []


def test_all_that_is_kept_of_matches_is_in_proportion_to_their_number() -> None:
    assert Settings().room(20_000) == 20_000
    assert Settings(cached_matches=2_500).room(20_000) == 5_000
    assert Settings(cached_matches=1).room(20_000) == 256
