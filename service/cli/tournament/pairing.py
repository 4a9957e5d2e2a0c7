"""Who meets whom: pods of a Swiss by points, a bracket by seeds. The service knows of neither."""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import TypeAlias

Met: TypeAlias = set[frozenset[str]]


def pods(
    players: Sequence[str], points: Mapping[str, int], met: Met, size: int
) -> list[tuple[str, ...]]:
    """Pods of `size` players of like points who have met as rarely as can be.

    `players` are in the order of their seeds, as many as fill all pods.
    """
    assert len(players) % size == 0
    left = sorted(players, key=lambda each: (-points.get(each, 0), players.index(each)))
    found = []
    while left:
        pod = [left.pop(0)]
        while len(pod) < size:
            best = min(left, key=lambda each: (_meetings(met, pod, each), left.index(each)))
            left.remove(best)
            pod.append(best)
        found.append(tuple(pod))
    return found


def note(met: Met, pod: Sequence[str]) -> None:
    """They have met."""
    met.update(frozenset(pair) for pair in combinations(pod, 2))


def pairs(players: Sequence[str]) -> list[tuple[str, str]]:
    """The first against the last, the second against the last but one, and so on."""
    half = len(players) // 2
    return list(zip(players[:half], reversed(players[half:]), strict=True))


def _meetings(met: Met, pod: Sequence[str], other: str) -> int:
    return sum(frozenset((each, other)) in met for each in pod)
