"""A program that plays one seat by picking uniformly among the moves it is offered."""

from random import Random
from typing import Any

from service.cli.demo.client import Door, Served, Task, tell, told

WAIT_SECONDS = 20
MOST_LISTED = 20_000  # moves beyond this place of a listing are not to be had one by one
ENDED = ("over", "cancelled")
WORDS = ("well played", "let us see", "not yet")


def main() -> None:
    task = told()
    tell(play(Door(task), task))


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
    page = door.get("/decision/moves", limit=1)
    if page["count"] is not None and page["count"] > 1:
        place = rng.randrange(min(page["count"], MOST_LISTED))
        page = door.get("/decision/moves", after=place, limit=1)
    if page["count"] is None:
        listed = rng.choice(door.get("/decision/moves", limit=500)["moves"])
    else:
        (listed,) = page["moves"]
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
    picks = rng.sample(field["options"], field["least"])
    return picks[0] if field["most"] == 1 else picks


if __name__ == "__main__":
    main()
