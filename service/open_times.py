"""How long decisions stood open until their seats answered: of a sample, looked up now and then.

A match does not hold when it asked. What would, costs every fold; a look at some events a second
costs nothing that anybody waits for.
"""

import random
from typing import Final

import msgspec

from events import stored
from events.database import DatabaseFault
from events.store import Store
from service.signals import DECISION_OPEN

MOST: Final = 100  # answers looked up at a time


class Answer(msgspec.Struct, frozen=True, gc=False):
    """What event `version` of the match asked was answered at `at` (ms)."""

    game: str
    match_id: str
    version: int
    at: int


class Answers:
    """At most `most` of those that were noted since the last look, each of them as likely."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._noted = 0
        self._kept: list[Answer] = []

    def note(self, answer: Answer) -> None:
        self._noted += 1
        if len(self._kept) < self._most:
            self._kept.append(answer)
        elif (place := random.randrange(self._noted)) < self._most:  # noqa: S311
            self._kept[place] = answer

    def taken(self) -> list[Answer]:
        taken, self._kept, self._noted = self._kept, [], 0
        return taken


async def tell(store: Store, answers: Answers) -> None:
    """How long each stood open, to the metrics. While the database is away, nothing."""
    taken = answers.taken()
    if not taken:
        return
    places = {(each.match_id, each.version) for each in taken}
    try:
        asked = await store.database.read(lambda connection: stored.moments(connection, places))
    except DatabaseFault:
        return
    for each in taken:
        since = asked.get((each.match_id, each.version))
        if since is not None:
            DECISION_OPEN.labels(each.game).observe(max(0, each.at - since) / 1000)
