"""Server processes forked from one that has imported everything: a start costs little.

Each runs `plyscribe serve` itself and shares nothing with the others or with the tests.
"""

import multiprocessing
import os
import sys
from multiprocessing.process import BaseProcess
from pathlib import Path

_FORKING = multiprocessing.get_context("forkserver")
_FORKING.set_forkserver_preload(["service.cli.serving", "service.cli"])


def started(environ: dict[str, str], log: Path) -> BaseProcess:
    """A server that writes to `log` what it has to say."""
    process = _FORKING.Process(target=_serve, args=(environ, str(log)), daemon=True)
    process.start()
    return process


def _serve(environ: dict[str, str], log: str) -> None:
    os.environ.clear()
    os.environ.update(environ)
    written = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    for stream in (1, 2):
        os.dup2(written, stream)
    from service.cli import main

    sys.exit(main(["serve"]))
