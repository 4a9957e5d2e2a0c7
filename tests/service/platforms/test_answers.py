"""Answers of platforms in every shape: what a platform says is foreign, whatever it should be."""

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from service.platforms.adapters import ADAPTERS
from service.platforms.told import DONE, HELD, Outcome, Platform, Told
from service.reaching import Reply
from tests.service.platforms.fakes import Fake, drive, said
from tests.service.platforms.test_adapters import LOST, MAKES, VOID, WON

ODD: tuple[Any, ...] = (
    *(None, True, 0, -1, 5, 1.5, 10**40, "", "x", "\u0000"),
    *([], [None], [[]], {}, [{}], {"id": None}, {"a": {}}),
)
each_platform = pytest.mark.parametrize("platform", Platform)


def places(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield at
    if isinstance(value, dict | list):
        for name in value if isinstance(value, dict) else range(len(value)):
            yield from places(value[name], (*at, name))


def changed(value: Any, at: tuple[Any, ...], to: Any) -> Any:
    if not at:
        return to
    copy = value.copy()
    copy[at[0]] = changed(value[at[0]], at[1:], to)
    return copy


def answers(make: Any, told: Told, ours: tuple[Told, ...]) -> list[Reply]:
    """Those of a report that goes well, after `ours` were told."""
    there = standing(make, ours)
    heard: list[Reply] = []
    own = there.own

    def kept(call: Any) -> Reply:
        heard.append(own(call))
        return heard[-1]

    there.own = kept  # type: ignore[method-assign]
    report = ADAPTERS[platform_of(make)].report
    assert drive(report(told, there.target, ours), there).outcome in DONE
    return heard


def standing(make: Any, ours: tuple[Told, ...]) -> Fake:
    there: Fake = make()
    for number, each in enumerate(ours):
        drive(ADAPTERS[platform_of(make)].report(each, there.target, ours[:number]), there)
    return there


def platform_of(make: Any) -> Platform:
    return next(platform for platform, own in MAKES.items() if own is make)


@each_platform
@pytest.mark.parametrize(
    ("told", "ours"), [(WON, ()), (LOST, (WON,)), (VOID, (WON,))], ids=["first", "other", "back"]
)
def test_an_answer_of_any_shape_is_an_outcome(
    platform: Platform, told: Told, ours: tuple[Told, ...]
) -> None:
    make = MAKES[platform]
    report = ADAPTERS[platform].report
    heard = answers(make, told, ours)
    for number, reply in enumerate(heard):
        body = msgspec.json.decode(reply.body) if reply.body else {}
        for at in places(body):
            for odd in ODD:
                there = standing(make, ours)
                own = msgspec.json.encode(changed(body, at, odd))
                there.ahead = [*heard[:number], Reply(reply.status, own)]
                ended = drive(report(told, there.target, ours), there)
                assert isinstance(ended.outcome, Outcome), (at, odd)


REFUSALS: tuple[Any, ...] = (
    {"errors": {"detail": "no", "status": 422}},
    {"errors": [{"detail": "no", "message": "no"}]},
    {"detail": "no", "message": "no", "error_description": "no", "success": False},
)


@each_platform
@pytest.mark.parametrize("status", [200, 400, 401, 404, 422, 429, 500])
def test_a_refusal_of_any_shape_is_an_outcome(platform: Platform, status: int) -> None:
    report = ADAPTERS[platform].report
    for body in REFUSALS:
        for at in places(body):
            for odd in ODD:
                there = MAKES[platform]()
                there.ahead = [said(status, changed(body, at, odd))]
                ended = drive(report(WON, there.target, ()), there)
                assert isinstance(ended.detail, str)
                if status != 200:
                    assert ended.outcome not in DONE
                if status == 401 and odd is not False:
                    assert ended.outcome in HELD or platform is Platform.STARTGG
