"""What --help tells: of each command a line where it is listed, and all where it is asked for."""

import inspect
import re
import subprocess
import sys
from collections.abc import Iterator

import pytest
from cyclopts import App

from service.cli import app, main
from tests.service.cli.conftest import ROOT, Run


def commands(of: App, *path: str) -> Iterator[tuple[tuple[str, ...], App]]:
    for name in of:
        if not name.startswith("-"):
            yield from commands(of[name], *path, name)
    if of.default_command is not None:
        yield path, of


COMMANDS = {" ".join(path): each for path, each in commands(app)}


@pytest.mark.parametrize("name", COMMANDS)
def test_the_line_in_lists_is_the_first_of_the_help(name: str, run: Run) -> None:
    command = COMMANDS[name].default_command
    whole = " ".join(str(inspect.getdoc(command)).split("Parameters\n---")[0].split())
    line = str(inspect.getdoc(command)).splitlines()[0]
    *group, last = name.split()
    assert f" {last} {line}" in plain(run(*group, "--help").out)
    told = run(*name.split(), "--help")
    assert whole in plain(told.out)
    assert told.code == 0


@pytest.mark.parametrize("name", COMMANDS)
def test_every_parameter_has_a_text(name: str) -> None:
    bare = [
        each.name
        for each in COMMANDS[name].assemble_argument_collection(parse_docstring=True)
        if each.show and not each.parameter.help
    ]
    assert bare == []


def plain(text: str) -> str:
    return " ".join(text.replace("│", " ").split())


def test_a_list_of_commands_imports_none_of_them() -> None:
    script = (
        "import sys; from service.cli import main; main(['--help'])\n"
        "assert not [n for n in sys.modules if n in ('service.cli.serving', 'service.app')]"
    )
    subprocess.run([sys.executable, "-c", script], cwd=ROOT, check=True, capture_output=True)


def test_a_command_that_is_not_there_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["keys", "lost"]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_the_readme_lists_every_command() -> None:
    rows = [
        line.split(" | ")[0]
        for line in (ROOT / "README.md").read_text("utf-8").splitlines()
        if line.startswith("| `plyscribe ")
    ]
    told = {
        " ".join([*path, each])
        for words in re.findall(r"`plyscribe ([a-z -]+(?:\\\|[a-z]+)*)", " ".join(rows))
        for *path, last in [words.split()]
        for each in last.split("\\|")
    }
    assert told >= COMMANDS.keys()
