"""A shell in which `plyscribe` is ours, forked from a process that has imported everything."""

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Client, Listener
from pathlib import Path

from tests import installing, servers
from tests.forking import forked

# What `plyscribe` is there: it hands everything to `_serve` and ends as the command ended.
_PROGRAM = """#!{python} -I
import os, sys
from multiprocessing.connection import Client
with Client({address!r}) as asked:
    asked.send((sys.argv[1:], os.getcwd(), dict(os.environ)))
    code, out, err = asked.recv()
sys.stdout.write(out)
sys.stderr.write(err)
sys.exit(code)
"""


class Shell:
    """One script after the other in a folder; what one exports the next one has.

    `user` is whose shell it is, if not our own.
    """

    def __init__(self, folder: Path, environ: dict[str, str], user: str | None = None) -> None:
        self.folder = folder
        self.environ = environ
        self._user = user

    def run(self, text: str) -> "subprocess.CompletedProcess[str]":
        """Up to the first command that fails."""
        exported = self.folder / "exported"
        done = subprocess.run(
            ["sh", "-c", f"set -e\n{text}\nenv -0 > {exported}\n"],
            cwd=self.folder,
            env=self.environ,
            user=self._user,
            capture_output=True,
            text=True,
        )
        if done.returncode == 0:
            lines = exported.read_text().split("\0")
            self.environ = dict(line.split("=", 1) for line in lines if line)
        return done


@contextmanager
def shell(folder: Path, **environ: str) -> Iterator[Shell]:
    """With PostgreSQL's programs at hand, and no setting of the service but those given."""
    tools, address = folder / "bin", str(folder / "cli.socket")
    tools.mkdir()
    program = tools / "plyscribe"
    program.write_text(_PROGRAM.format(python=sys.executable, address=address))
    program.chmod(0o755)
    own = {name: v for name, v in os.environ.items() if not name.startswith("PLYSCRIBE_")}
    path = f"{tools}:{servers.postgres_binaries()}:{own['PATH']}"
    with Listener(address) as listener:
        thread = threading.Thread(target=_serve, args=(listener, folder / "output"))
        thread.start()
        try:
            yield Shell(folder, own | {"PATH": path} | environ)
        finally:
            with Client(address) as last:
                last.send(None)
            thread.join()


def _serve(listener: Listener, outputs: Path) -> None:
    while True:
        with listener.accept() as asked:
            told = asked.recv()
            if told is None:
                return
            shutil.rmtree(outputs, ignore_errors=True)
            outputs.mkdir()
            process = forked(_run, *told, str(outputs))
            process.join()
            code = process.exitcode
            out, err = ((outputs / name).read_text() for name in ("out", "err"))
            asked.send((1 if code is None or code < 0 else code, out, err))


def _run(words: list[str], folder: str, environ: dict[str, str], outputs: str) -> None:
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environ)
    for stream, name in ((1, "out"), (2, "err")):
        os.dup2(os.open(f"{outputs}/{name}", os.O_WRONLY | os.O_CREAT, 0o600), stream)
    from service.cli import main

    installing.install()
    sys.exit(main(words))
