"""The line before the database: who is served together, and in which order."""

import asyncio
from collections.abc import Sequence

import pytest

from events.batching import Line


class Served:
    """Answers every number with its double, and remembers the batches."""

    def __init__(self) -> None:
        self.batches: list[list[int]] = []
        self.gate = asyncio.Event()
        self.gate.set()

    async def serve(self, numbers: Sequence[int]) -> Sequence[int | Exception]:
        self.batches.append(list(numbers))
        await self.gate.wait()
        return [number * 2 if number >= 0 else ValueError(number) for number in numbers]


def _parity(number: int) -> object:
    return number % 2


async def test_those_who_come_together_are_served_together() -> None:
    served = Served()
    line: Line[int, int] = Line(served.serve, None)
    assert await asyncio.gather(*map(line.ask, range(5))) == [0, 2, 4, 6, 8]
    assert served.batches == [[0, 1, 2, 3, 4]]


async def test_whoever_comes_meanwhile_is_the_next_batch() -> None:
    served = Served()
    line: Line[int, int] = Line(served.serve, None, most=2)
    served.gate.clear()
    asking = [asyncio.ensure_future(line.ask(number)) for number in range(4)]
    await asyncio.sleep(0.01)
    asking.append(asyncio.ensure_future(line.ask(4)))
    assert served.batches == [[0, 1]]
    served.gate.set()
    await asyncio.gather(*asking)
    assert served.batches == [[0, 1], [2, 3], [4]]


async def test_one_of_a_lane_at_a_time_in_the_order_they_came() -> None:
    served = Served()
    line: Line[int, int] = Line(served.serve, _parity)
    await asyncio.gather(*map(line.ask, (1, 3, 2, 5, 4)))
    assert served.batches == [[1, 2], [3, 4], [5]]


async def test_an_answer_that_is_an_exception_is_that_askers_alone() -> None:
    line: Line[int, int] = Line(Served().serve, None)
    answers = await asyncio.gather(*map(line.ask, (1, -1, 2)), return_exceptions=True)
    assert [answers[0], answers[2]] == [2, 4]
    assert isinstance(answers[1], ValueError)


async def test_a_server_that_fails_fails_its_batch_and_goes_on() -> None:
    failing = True

    async def serve(numbers: Sequence[int]) -> Sequence[int | Exception]:
        if failing:
            raise KeyError
        return list(numbers)

    line: Line[int, int] = Line(serve, None)
    answers = await asyncio.gather(line.ask(1), line.ask(2), return_exceptions=True)
    assert [type(answer) for answer in answers] == [KeyError, KeyError]
    failing = False
    assert await line.ask(3) == 3


async def test_who_leaves_the_line_is_not_served() -> None:
    served = Served()
    line: Line[int, int] = Line(served.serve, None)
    leaving = asyncio.ensure_future(line.ask(1))
    staying = asyncio.ensure_future(line.ask(2))
    await asyncio.sleep(0)
    leaving.cancel()
    assert await staying == 4
    assert served.batches in ([[2]], [[1, 2]])
    with pytest.raises(asyncio.CancelledError):
        await leaving


async def test_drained_waits_for_all() -> None:
    served = Served()
    line: Line[int, int] = Line(served.serve, None, most=1)
    asking = [asyncio.ensure_future(line.ask(number)) for number in range(3)]
    await asyncio.sleep(0)
    await line.drained()
    assert all(each.done() for each in asking)
