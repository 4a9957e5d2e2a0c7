"""Hints reach whoever watches; lost ones are made up for by the tick."""

import asyncio

from events.database import DatabaseUnreachable
from projections.news import News
from tests.waiting import PATIENCE


async def test_a_hint_reaches_every_watcher_of_its_match_and_no_other() -> None:
    news = News()
    with news.watch("a") as first, news.watch("a") as second, news.watch("b") as other:
        news.announce([("a", 3)])
        assert await first.wait(PATIENCE)
        assert await second.wait(PATIENCE)
        assert not await other.wait(0.01)
        assert (first.version, second.version, other.version) == (3, 3, 0)


async def test_old_and_doubled_hints_wake_nobody() -> None:
    news = News()
    with news.watch("a") as watch:
        news.announce([("a", 3)])
        assert await watch.wait(PATIENCE)
        news.announce([("a", 3), ("a", 2)])
        assert not await watch.wait(0.01)
        assert watch.version == 3


async def test_news_before_the_wait_is_not_missed() -> None:
    news = News()
    with news.watch("a") as watch:
        news.announce([("a", 1)])
        news.announce([("a", 2)])
        assert await watch.wait(0)
        assert watch.version == 2


async def test_who_leaves_is_forgotten() -> None:
    news = News()
    with news.watch("a"), news.watch("a"):
        assert news.watched() == ["a"]
    assert news.watched() == []
    news.announce([("a", 1)])


async def test_the_tick_tells_what_no_hint_told_and_outlives_an_outage() -> None:
    news = News()
    answers: list[dict[str, int] | Exception] = [DatabaseUnreachable("away"), {"a": 7}]

    async def heads(ids: list[str]) -> dict[str, int]:
        answer = answers.pop(0) if answers else {"a": 7}
        if isinstance(answer, Exception):
            raise answer
        return answer

    async with news.ticking(heads, 0.01):
        with news.watch("a") as watch:
            assert await watch.wait(PATIENCE)
            assert watch.version == 7


async def test_the_tick_asks_for_watched_matches_alone_and_in_pieces() -> None:
    news, asked = News(), asyncio.Queue[list[str]]()

    async def heads(ids: list[str]) -> dict[str, int]:
        asked.put_nowait(ids)
        return {}

    names = [f"match {number}" for number in range(700)]
    watches = [news.watch(name) for name in names]
    for watch in watches:
        watch.__enter__()
    async with news.ticking(heads, 0.01):
        pieces = [await asked.get(), await asked.get()]
    for watch in watches:
        watch.__exit__(None, None, None)
    assert [len(piece) for piece in pieces] == [500, 200]
    assert sorted(pieces[0] + pieces[1]) == sorted(names)


async def test_a_wait_lasts_its_time_however_long_those_before_it_would_have() -> None:
    news, loop = News(), asyncio.get_running_loop()
    with news.watch("a") as watch:
        loop.call_soon(news.announce, [("a", 1)])
        assert await watch.wait(0.02)
        loop.call_later(0.1, news.announce, [("a", 2)])
        assert await watch.wait(3600)  # The alarm of the one before rings meanwhile.
        assert not await asyncio.wait_for(watch.wait(0.02), PATIENCE)
        loop.call_later(0.1, news.announce, [("a", 3)])
        assert await watch.wait(3600)


async def test_a_wait_can_be_ended_without_news() -> None:
    news = News()
    with news.watch("a") as watch:
        watch.wake()  # Nobody waits yet.
        asyncio.get_running_loop().call_soon(watch.wake)
        assert not await watch.wait(PATIENCE)
        news.announce([("a", 1)])
        assert await watch.wait(PATIENCE)
