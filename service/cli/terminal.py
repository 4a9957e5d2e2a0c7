"""How commands talk: results on stdout, all else on stderr, colours only on a terminal."""

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import msgspec
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

WIDE = 120  # columns where there is no terminal to ask
# A mistyped option is repeated in what is said about it, with a key or a token that it was given.
_CREDENTIAL = re.compile(r"\b((?:pk|st|sp|sl|tk)_)[a-z0-9_]{8,}")


class CannotDo(Exception):
    """A command that can't do what it was asked; the text is one sentence for whoever asked."""


def write(text: str) -> None:
    """A line of the result."""
    sys.stdout.write(text + "\n")


def write_json(value: object) -> None:
    """A line of JSON."""
    write(msgspec.json.encode(value).decode())


def show(table: Table) -> None:
    _console(stderr=False).print(table)


def say(text: str) -> None:
    """A word about what is going on."""
    _console(stderr=True).print(text, markup=False)


def complain(text: str) -> None:
    console = _console(stderr=True)
    console.print("[bold red]plyscribe:[/] ", end="")
    console.print(_CREDENTIAL.sub(r"\1…", text), markup=False)


def plain_table(title: str | None, *columns: str) -> Table:
    table = Table(title=title, title_justify="left", box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for column in columns:
        table.add_column(column, overflow="fold")
    return table


@contextmanager
def progress(what: str, total: int | None) -> Iterator[Callable[[int], None]]:
    """A bar; call what it gives with how much is done. Without a terminal nothing is drawn."""
    console = _console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    bar = Progress(
        *columns, TimeElapsedColumn(), console=console, transient=True, disable=not _watched()
    )
    with bar:
        task = bar.add_task(what, total=total)
        yield lambda done: bar.update(task, completed=done)


def first_line(error: BaseException) -> str:
    lines = (line.strip(" │╭╮╰╯─") for line in str(error).splitlines())
    return next((line for line in lines if line), type(error).__name__)


def _watched() -> bool:
    return sys.stderr.isatty()


def _console(*, stderr: bool) -> Console:
    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() else WIDE
    return Console(file=stream, width=width, highlight=False, soft_wrap=stderr)
