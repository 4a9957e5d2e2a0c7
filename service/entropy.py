"""Random bytes of the operating system, drawn in blocks: one call for many salts."""

import os
from threading import Lock
from typing import Final

_BLOCK: Final = 8192


class Pool:
    """`pool(n)` gives n bytes of `os.urandom`, each once, in whichever thread. A forked process
    draws its own.
    """

    def __init__(self) -> None:
        self._block = b""
        self._place = 0
        self._lock = Lock()
        os.register_at_fork(after_in_child=self.forget)

    def __call__(self, length: int) -> bytes:
        if length > _BLOCK:
            return os.urandom(length)
        with self._lock:
            if length > len(self._block) - self._place:
                self._block, self._place = os.urandom(_BLOCK), 0
            start, self._place = self._place, self._place + length
            return self._block[start : self._place]

    def forget(self) -> None:
        # Whoever held the lock in the parent is not here to give it back.
        self._lock = Lock()
        self._block, self._place = b"", 0


POOL: Final = Pool()
