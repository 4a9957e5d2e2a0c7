"""What must not slip: imports of the rules, names, sizes, and a test for every rule."""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import FIRST

ROOT = Path(__file__).parent.parent
PACKAGES = ("games", "events", "projections", "service", "openapi")
BANNED_NAMES = {"utils", "helpers", "common", "base", "manager"}
MOST_LINES, MOST_FUNCTION_LINES = 400, 50

# Path, or path:function, and the reason why it may be larger.
LARGE: dict[str, str] = {"events/tables.py": "one list: every table and nothing else"}
LISTS = "service/migrations/versions/"  # a migration is one list of tables, never touched again

GAME_TESTS = ROOT / "tests" / "games"
RULEBOOKS = [*sorted(ROOT.glob("games/*/RULES.md")), GAME_TESTS / "high_card" / "RULES.md"]


def sources(*folders: str) -> Iterator[Path]:
    for folder in folders:
        yield from sorted((ROOT / folder).rglob("*.py"))


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def imports_of(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name_of(path)}: a relative import"
            yield node.module or ""


def test_files_that_are_begun_first_are_there() -> None:
    assert [name for name in FIRST if not (ROOT / "tests" / name).is_file()] == []


def test_the_games_import_the_standard_library_and_msgspec_alone() -> None:
    allowed = {*sys.stdlib_module_names, "msgspec", "games"}
    foreign = {
        f"{name_of(path)}: {name}"
        for path in sources("games")
        for name in imports_of(path)
        if name.split(".")[0] not in allowed
    }
    assert not foreign


def test_games_do_not_import_each_other_and_only_the_registry_imports_one() -> None:
    wrong = set()
    for path in sources(*PACKAGES):
        own = path.relative_to(ROOT).parts[1] if path.is_relative_to(ROOT / "games") else ""
        for name in imports_of(path):
            parts = name.split(".")
            names_a_game = (
                parts[0] == "games" and parts[1:] and parts[1] not in ("core", "registry")
            )
            if names_a_game and own not in ("registry.py", parts[1]):
                wrong.add(f"{name_of(path)}: {name}")
    assert not wrong


CLOCKS_AND_DOORS = {"time", "datetime", "secrets", "socket", "asyncio", "threading", "os", "uuid"}
CONFORMANCE = {"games/core/laws.py"}  # starts a process with another order of hashes


def test_the_rules_have_no_clock_no_secret_and_no_door() -> None:
    wrong = {
        f"{name_of(path)}: {name}"
        for path in sources("games")
        for name in imports_of(path)
        if name.split(".")[0] in CLOCKS_AND_DOORS and name_of(path) not in CONFORMANCE
    }
    assert not wrong


def test_no_module_has_a_name_that_says_nothing() -> None:
    paths = [path.relative_to(ROOT) for path in sources(*PACKAGES, "tests", "bench")]
    wrong = [str(path) for path in paths if BANNED_NAMES & {*path.parts, path.stem}]
    assert not wrong


def test_files_and_functions_hold_one_room_each() -> None:
    large = set()
    for path in sources(*PACKAGES):
        text = path.read_text(encoding="utf-8")
        if len(text.splitlines()) > MOST_LINES:
            large.add(name_of(path))
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lines = (node.end_lineno or node.lineno) - node.lineno + 1
                if lines > MOST_FUNCTION_LINES and not name_of(path).startswith(LISTS):
                    large.add(f"{name_of(path)}:{node.name}")
    assert large == set(LARGE), "split them, or list them with a reason"


@pytest.mark.parametrize("rules", RULEBOOKS, ids=lambda path: str(path.parent.name))
def test_every_rule_has_a_test_and_every_id_in_a_test_exists(rules: Path) -> None:
    ids = re.findall(r"\b([A-Z]{2,3}-\d{2,3})\b", rules.read_text(encoding="utf-8"))
    prefix = ids[0].split("-")[0]
    written = {each.replace("-", "_").lower() for each in ids if each.startswith(f"{prefix}-")}
    tested = set()
    for path in (GAME_TESTS / rules.parent.name).glob("test_*.py"):
        names = re.findall(r"^ *(?:async )?def (test_\w+)", path.read_text("utf-8"), re.MULTILINE)
        for name in names:
            tested.update(re.findall(rf"(?<![a-z]){prefix.lower()}_\d+", name))
    assert sorted(written - tested) == [], "rules without a test"
    assert sorted(tested - written) == [], "tests of rules that do not exist"


def test_no_pattern_lets_a_line_end_follow() -> None:
    """Python's `$` does, and msgspec searches with it."""
    found = [
        f"{path}:{number}"
        for package in ("events", "projections", "service")
        for path in (ROOT / package).rglob("*.py")
        for number, line in enumerate(path.read_text("utf-8").split("\n"), 1)
        if re.search(r"""(pattern=|re\.compile\()r?["'][^"']*\$["']""", line)
    ]
    assert found == []


def test_every_crash_point_is_explained() -> None:
    page = (ROOT / "docs" / "faults.md").read_text("utf-8")
    explained = set(re.findall(r"`([a-z_]+)`", page.partition("## Crash points")[2]))
    code = "".join(path.read_text("utf-8") for path in sources("events", "service"))
    points = set(re.findall(r'crash_at\("([a-z_]+)"', code))
    assert len(points) > 15
    assert points - explained == set()


TEXTS = ("*.py", "*.md", "*.toml", "*.json", "*.yaml", "*.yml", "*.txt", "Makefile", "Dockerfile")
ONE_MACHINE = re.compile(r"(?<![\w.:/-])/(?:work|root|home|Users)/\w")


def test_no_text_names_a_place_on_somebodys_machine() -> None:
    folders = (*PACKAGES, "tests", "bench", "docs", "helm", ".github")
    paths = [path for folder in folders for kind in TEXTS for path in (ROOT / folder).rglob(kind)]
    paths += [path for kind in TEXTS for path in ROOT.glob(kind)]
    wrong = [
        name_of(path)
        for path in paths
        if path.name != "test_house.py" and ONE_MACHINE.search(path.read_text(encoding="utf-8"))
    ]
    assert not wrong
