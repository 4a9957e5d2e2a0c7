"""The pool of random bytes: every byte once, in every process other ones."""

import os
import sys
from threading import Thread

import pytest

from service.entropy import Pool


def test_the_bytes_are_those_of_the_system_each_given_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given: list[bytes] = []

    def urandom(length: int) -> bytes:
        given.append(os.getrandom(length))
        return given[-1]

    monkeypatch.setattr("os.urandom", urandom)
    pool = Pool()
    taken = [pool(32) for _ in range(600)]
    assert all(len(each) == 32 for each in taken)
    assert b"".join(taken) == b"".join(given)[: 600 * 32]
    assert len(pool(10_000)) == 10_000
    assert len(pool(5)) == 5


def test_a_forked_process_draws_other_bytes() -> None:
    pool = Pool()
    pool(1)
    reading, writing = os.pipe()
    if (child := os.fork()) == 0:
        os.write(writing, pool(32))
        os._exit(0)
    os.waitpid(child, 0)
    assert os.read(reading, 32) != pool(32)


def test_threads_never_share_a_byte() -> None:
    pool, taken = Pool(), list[bytes]()

    def draw() -> None:
        own = [pool(16) for _ in range(5000)]
        taken.extend(own)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [Thread(target=draw) for _ in range(4)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
    finally:
        sys.setswitchinterval(interval)
    assert len(set(taken)) == 20_000
