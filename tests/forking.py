"""Processes forked from one that has imported everything: a start costs little.

Each runs `plyscribe` itself and shares nothing with the others or with the tests.
"""

import multiprocessing
import os
import sys
from collections.abc import Callable
from contextlib import chdir
from multiprocessing.process import BaseProcess
from pathlib import Path

ROOT = Path(__file__).parents[1]
_FORKING = multiprocessing.get_context("forkserver")
_FORKING.set_forkserver_preload(
    ["service.cli.serving", "service.cli", "tests.installing", "tests.frozen"]
)


def nothing() -> None: ...


def started(
    environ: dict[str, str], log: Path, *words: str, first: Callable[[], None] = nothing
) -> BaseProcess:
    """A server, with `words` as the options of the command, as by `typed`."""
    return typed(environ, log, "serve", *words, first=first)


def typed(
    environ: dict[str, str], log: Path, *words: str, first: Callable[[], None] = nothing
) -> BaseProcess:
    """A command that adds to `log` what it has to say; `first`, a function of a module, is called
    before it.
    """
    return forked(_run, environ, str(log), words, first)


def forked(target: Callable[..., None], *arguments: object) -> BaseProcess:
    """A process that runs a function of a module."""
    process = _FORKING.Process(target=target, args=arguments, daemon=True)
    with chdir(ROOT):  # The first start imports everything, whatever folder its test is in.
        process.start()
    return process


def _run(
    environ: dict[str, str], log: str, words: tuple[str, ...], first: Callable[[], None]
) -> None:
    os.environ.clear()
    os.environ.update(environ)
    written = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    for stream in (1, 2):
        os.dup2(written, stream)
    from service.cli import main

    first()
    sys.exit(main(words))
