"""Interleaved rounds: what is compared is measured in the same minutes."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from statistics import median
from typing import Any, TypeAlias, TypeVar

import uvloop

Contender: TypeAlias = Callable[[int], Mapping[str, float]]  # of a round by number: its figures
Tell: TypeAlias = Callable[[str, float], None]  # what is measured now, and the share that is done
Series: TypeAlias = dict[str, list[float]]  # by name, a value a round
Ratios: TypeAlias = Mapping[str, tuple[str, str]]  # by name: the figures above and below the line
Part: TypeAlias = Callable[[int, float, Tell], dict[str, Any]]  # rounds, seconds of one run, tell

T = TypeVar("T")


def runs(work: Coroutine[Any, Any, T]) -> T:
    """In an event loop of its own, of the kind the service has."""
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(work)


def quiet(what: str, share: float) -> None:
    """Tells nobody."""


def interleaved(contenders: Mapping[str, Contender], rounds: int, tell: Tell = quiet) -> Series:
    """All contenders one after the other, so many times. Figures are named after contenders."""
    found: Series = {}
    total = rounds * len(contenders)
    for number in range(rounds):
        for place, (name, contender) in enumerate(contenders.items()):
            done = number * len(contenders) + place
            tell(f"round {number + 1} of {rounds}: {name}", done / total)
            for what, value in contender(number).items():
                found.setdefault(f"{name}_{what}", []).append(value)
    return found


def summary(found: Series, ratios: Ratios | None = None, **more: Any) -> dict[str, Any]:
    """Medians and rounds of figures, and of ratios, each taken within a round.

    A ratio to something that could not be measured is left out.
    """
    taken = {
        name: [a / b for a, b in zip(found[over], found[under], strict=True)]
        for name, (over, under) in (ratios or {}).items()
        if over in found and under in found and all(found[under])
    }
    return {
        "figures": {name: told(each) for name, each in found.items()},
        "ratios": {name: told(each) for name, each in taken.items()},
        **more,
    }


def told(values: Sequence[float]) -> dict[str, Any]:
    """The median, and what it is of."""
    return {"median": _rounded(median(values)), "rounds": [_rounded(each) for each in values]}


def _rounded(value: float) -> float:
    return round(value) if abs(value) >= 1_000 else float(f"{value:.3g}")
