"""Ratios of figures that were measured in the same rounds."""

from collections.abc import Iterable, Mapping, Sequence
from statistics import median
from typing import Any, TypeAlias

Bound: TypeAlias = tuple[str, str, str, float | None, float | None]  # name, over, under, must, goal


def ratios(bounds: Iterable[Bound], rates: Mapping[str, Sequence[float]]) -> list[dict[str, Any]]:
    """Each taken within a round, the median reported, beside its goals; none where one is missing.

    `rates` are by name, one a round.
    """
    return [
        {"name": name, "ratio": _ratio(rates[over], rates[under]), "must": must, "goal": goal}
        for name, over, under, must, goal in bounds
        if rates.get(over) and rates.get(under)
    ]


def _ratio(over: Sequence[float], under: Sequence[float]) -> float:
    return round(median(a / b for a, b in zip(over, under, strict=True)), 3)
