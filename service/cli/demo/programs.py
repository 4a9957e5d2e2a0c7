"""Programs of a demonstration: told their task as JSON on stdin, answering as JSON on stdout."""

import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import Any, NoReturn, TypeVar

import msgspec

from service.cli.terminal import CannotDo

T = TypeVar("T")


class _Started:
    """The processes of a block of `ended_by_sigterm`, and a SIGTERM that waits for one to be."""

    def __init__(self) -> None:
        self.processes: list[subprocess.Popen[bytes]] = []
        self.is_starting = False
        self.asked: int | None = None


_blocks: list[_Started] = []


@contextmanager
def ended_by_sigterm() -> Iterator[None]:
    """SIGTERM leaves the block as an error does; whatever `start` started in it is ended after."""
    own = _Started()

    def leave(number: int, frame: object) -> None:
        if own.is_starting:
            own.asked = number
            return
        _leave(number)

    before = signal.signal(signal.SIGTERM, leave)
    _blocks.append(own)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        _blocks.remove(own)
        for process in own.processes:
            process.kill()
            process.wait()
        signal.signal(signal.SIGTERM, before)


def start(words: Sequence[str], **more: Any) -> "subprocess.Popen[bytes]":
    """A process that the block of `ended_by_sigterm` ends, if nobody did before.

    A SIGTERM in the middle of it waits: between the fork and the name for it nobody could end it.
    """
    if not _blocks:
        return subprocess.Popen(words, **more)  # noqa: S603 - this interpreter, our own modules
    block = _blocks[-1]
    block.is_starting = True
    try:
        process = subprocess.Popen(words, **more)  # noqa: S603
        block.processes.append(process)
    finally:
        block.is_starting = False
    if block.asked is not None:
        _leave(block.asked)
    return process


def _leave(number: int) -> NoReturn:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # A second one must not disturb the tidying up.
    raise SystemExit(128 + number)


class Program:
    """`python -m service.cli.demo.<name>` as a process of its own; ended with the block."""

    def __init__(self, name: str, task: msgspec.Struct) -> None:
        self._name = name
        self._out = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the block
        self._err = tempfile.TemporaryFile()  # noqa: SIM115
        with tempfile.TemporaryFile() as told:
            told.write(msgspec.json.encode(task))
            told.seek(0)
            self._process = start(
                [sys.executable, "-m", f"service.cli.demo.{name}"],
                stdin=told,
                stdout=self._out,
                stderr=self._err,
            )

    @property
    def is_running(self) -> bool:
        return self._process.poll() is None

    @property
    def has_failed(self) -> bool:
        return self._process.poll() not in (None, 0)

    def answer(self, kind: type[T]) -> T:
        """What it answered, once it is done. Raises: CannotDo if it failed."""
        if self._process.wait() != 0:
            self._err.seek(0)
            said = self._err.read().decode(errors="replace").strip().splitlines()
            raise CannotDo(f"a program failed ({self._name}): {said[-1] if said else 'no word'}")
        self._out.seek(0)
        return msgspec.json.decode(self._out.read(), type=kind)

    def __enter__(self) -> "Program":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._process.kill()
        self._process.wait()
        self._out.close()
        self._err.close()
