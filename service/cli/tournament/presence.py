"""Who was out for not coming: each that never came, and nobody who had its seat in time.

It holds what the logs say of who was there against when the players themselves came.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

CHECKED: Final = "presence_checked"
_NO_SHOW: Final = "no_show"

Came = Mapping[tuple[str, int], int]  # by match and seat, when its player had the seat (ms)


def wrongly_out(match_id: str, events: Sequence[Any], came: Came) -> Iterator[str]:
    """What is wrong about who was there in a match, by its log."""
    schedule = events[0].get("schedule") or {}
    join_by = schedule.get("join_by")
    checks = [event for event in events if event["kind"] == CHECKED]
    ends = {e["outcome"]["terminal"] for e in events if e["kind"] == "match_ended"}
    if join_by is None:
        if checks or _NO_SHOW in ends:
            yield "nobody was to look who is there"
        return
    if not checks:
        yield "nobody looked who is there"
        return
    check = checks[0]
    if len(checks) > 1 or check["at"] < join_by:
        yield "it was looked who is there more than once, or before the time was over"
    for seat, seen in enumerate(check["seen"]):
        moment = came.get((match_id, seat))
        if moment is None and seen is not None:
            yield f"seat {seat} never came and was seen"
        if moment is not None and moment <= join_by and seen is None:
            early = join_by - moment
            yield f"seat {seat} came {early} ms before the time was over, and was not seen"
    is_alone = sum(seen is not None for seen in check["seen"]) <= 1
    if is_alone != (_NO_SHOW in ends):
        yield f"it ended as {sorted(ends)}"
