"""A program that plays one seat by picking uniformly among the moves it is offered."""

from random import Random
from typing import Any

from service.cli.demo.client import Door, Served, Task, tell, told

WAIT_SECONDS = 20
LISTED = 1000  # moves asked for at once
ENDED = ("over", "cancelled", "void")
WORDS = ("well played", "let us see", "not yet")


def main() -> None:
    task = told()
    with Door(task) as door:
        tell(play(door, task))


def play(door: Door, task: Task) -> Served:
    """Play to the end, then fetch what the server shows of it."""
    rng = Random(f"{task.seed}/{task.seat}")  # noqa: S311 - a demonstration's choices
    moves = refused = 0
    while (now := door.get("/decision"))["status"] not in ENDED:
        own = now["decision"]
        if own is None or own["id"] is None:
            door.get("/events", after=now["version"], wait=WAIT_SECONDS, limit=1)
            continue
        body = {"decision": own["id"], "move": pick(door, rng)}
        answer = door.post("/moves", body)
        if answer.status_code == 409:
            # Somebody moved in between; what is offered now may be something else.
            refused += 1
            continue
        answer.raise_for_status()
        moves += 1
    events = door.events(proof="true")
    return Served(task.seat, moves, refused, door.get("/view"), events)


def pick(door: Door, rng: Random) -> Any:
    """One of the moves on offer, every one as likely; free text is filled with a few words."""
    page = door.get("/decision/moves", limit=LISTED)
    place = rng.randrange(page["count"] or len(page["moves"]))
    while place >= len(page["moves"]) and page["next"]:
        place -= len(page["moves"])
        page = door.get("/decision/moves", limit=LISTED, cursor=page["next"])
    listed = page["moves"][min(place, len(page["moves"]) - 1)]
    return listed["move"] or filled(listed["offer"], rng)


def filled(offer: Any, rng: Random) -> Any:
    """A move that fills an offer with free text in it."""
    fields = {name: _value(field, rng) for name, field in offer["fields"].items()}
    return {"type": offer["type"], **fields}


def _value(field: Any, rng: Random) -> Any:
    if "text" in field:
        return rng.choice(WORDS)[: field["text"]["most"]]
    if "low" in field:
        return rng.randint(field["low"], field["high"])
    options, least, most = field["options"], field["least"], field["most"]
    count = rng.randint(least, most if field["repeats"] else min(most, len(options)))
    picks = rng.choices(options, k=count) if field["repeats"] else rng.sample(options, count)
    if field["list"]:
        return picks
    return picks[0] if picks else None


if __name__ == "__main__":
    main()
