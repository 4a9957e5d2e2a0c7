"""Whoever may not read any more is waited for no longer, whatever it waits for."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

import pytest

from projections.news import News, Watch
from service.callers import Caller
from service.errors import NoCredentials
from service.leases import Lease, Leases
from tests.waiting import PATIENCE

OWN = Caller(org="acme", hash=b"own")
OTHER = Caller(org="acme", hash=b"other")
Wait = Callable[[Lease, Watch], Coroutine[Any, Any, bool]]


def for_news(lease: Lease, watch: Watch) -> Coroutine[Any, Any, bool]:
    return lease.news(watch, PATIENCE)


def for_time(lease: Lease, _: Watch) -> Coroutine[Any, Any, bool]:
    return lease.waiting(asyncio.sleep(PATIENCE, result=False))


async def nobody(_: Sequence[Caller]) -> Sequence[Caller]:
    return ()


@pytest.mark.parametrize("wait", [for_news, for_time])
async def test_an_end_interrupts_the_wait_and_every_later_one(wait: Wait) -> None:
    leases = Leases(nobody, PATIENCE)
    with News().watch("a") as watch, leases.open(OWN) as own:
        asyncio.get_running_loop().call_soon(leases.end_hash, OWN.hash)
        with pytest.raises(NoCredentials):
            await wait(own, watch)
        with pytest.raises(NoCredentials):
            await wait(own, watch)


async def test_who_is_ended_as_news_come_does_not_see_them() -> None:
    news, leases = News(), Leases(nobody, PATIENCE)
    with news.watch("a") as watch, leases.open(OWN) as own, leases.open(OTHER) as other:

        def end() -> None:
            news.announce([("a", 1)])
            leases.end_hash(OWN.hash)

        asyncio.get_running_loop().call_soon(end)
        with pytest.raises(NoCredentials):
            await own.news(watch, PATIENCE)
        news.announce([("a", 2)])
        assert await other.news(watch, PATIENCE)


async def test_who_is_gone_elsewhere_is_interrupted_as_well() -> None:
    async def gone(callers: Sequence[Caller]) -> Sequence[Caller]:
        return [each for each in callers if each == OWN]

    leases = Leases(gone, 0)
    with (
        News().watch("a") as watch,
        leases.open(OTHER),
        leases.open(OWN) as own,
        pytest.raises(NoCredentials),
    ):
        await own.news(watch, PATIENCE)
