"""What linked platforms shall be told: taken from the feed, noted together with its position."""

from collections.abc import Callable, Sequence
from typing import Final

from sqlalchemy import Connection

from events.feed import Entry
from events.results import Result, ResultStatus
from events.types import DONE
from service import result_rows
from service.platforms import links
from service.platforms.links import Link

CONSUMER: Final = "platforms"  # the name of the position in the feed


def taking(clock: Callable[[], int]) -> Callable[[Connection, Sequence[Entry]], None]:
    """What takes rows of the feed: linked matches' newest results become wanted."""

    def take(connection: Connection, entries: Sequence[Entry]) -> None:
        over = {each.match_id for each in entries if each.match_id and each.status in DONE}
        others = {each.match_id for each in entries if each.match_id} - over
        want(connection, links.of_matches(connection, over, others), clock())

    return take


def want(connection: Connection, linked: Sequence[tuple[Link, bool]], now: int) -> None:
    """What the results are by now shall be told. With each link, whether provisional ones are.

    Of a match of a deal group there is nothing to tell before its reveal.
    """
    logs = result_rows.logs_of(connection, {link.match_id for link, _ in linked})
    for link, with_provisional in linked:
        told = logs[link.match_id].told if link.match_id in logs else []
        if told and _is_told(told[-1], with_provisional):
            links.want(connection, link, told[-1], now)


def _is_told(result: Result, with_provisional: bool) -> bool:
    """One that was taken back has a revision, like all that were ever told."""
    if result.status is ResultStatus.FINAL:
        return True
    return with_provisional and result.revision > 0
