"""Which texts an `erased` event names: the same answer for who deletes and for who checks."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, TypeAlias

Line: TypeAlias = Mapping[str, Any]  # the body of an event, or an observation of it
Holders: TypeAlias = Mapping[int, str]  # by seat
Place: TypeAlias = tuple[int, str]  # the version of an event, and a field of it

ERASED: Final = "erased"
SPEAKING: Final = frozenset({"move_played", "dispute_opened", "dispute_appealed"})


def holders(lines: Iterable[Line]) -> list[Holders]:
    """Who held which seat after each event, from event 1 on."""
    found: list[Holders] = []
    held: dict[int, str] = {}
    for line in lines:
        told = content(line)
        match told["kind"], told.get("ruling"):
            case "seat_claimed" | "stand_in_seated", _:
                held = {**held, told["seat"]: told["holder"]}
            case "seat_released", _:
                held = {seat: holder for seat, holder in held.items() if seat != told["seat"]}
            case "dispute_ruled", {"type": "replace_seat", "seat": seat, "holder": holder}:
                held = {**held, seat: holder}
        found.append(held)
    return found


def names(target: Line, line: Line, held: Holders) -> bool:
    """Whether the seat or the holder that is meant says something in that event.

    `target` has `seat` and `holder`, `held` is who holds the seats.
    """
    seat, holder = target.get("seat"), target.get("holder")
    if seat is None or line["kind"] not in SPEAKING or line.get("seat") != seat:
        return False
    return holder is None or held.get(seat) == holder


def erased(lines: Sequence[Line], places: Iterable[Place]) -> dict[Place, int]:
    """Those of the places that an event after them names, with the version of that event."""
    targets = [told for line in lines if (told := content(line))["kind"] == ERASED]
    if not targets:
        return {}
    held = holders(lines)
    found: dict[Place, int] = {}
    for version, field in places:
        for each in targets:
            if version < each["version"] and (
                (each.get("of"), each.get("field")) == (version, field)
                or names(each, lines[version - 1], held[version - 1])
            ):
                found[version, field] = each["version"]
    return found


def content(line: Line) -> Line:
    """What an event says, out of its body or out of an observation."""
    data = line.get("data")
    return {**line, **data} if data else line
