"""The line of play of a stored match: where boundaries began, which draw came last."""

from events.match import Match, decode
from events.refusals import RulingImpossible
from events.rewinding import line, rewinds_of
from events.types import ChanceDrawn
from service.parts import Parts


async def line_of(parts: Parts, current: Match) -> tuple[int, ...]:
    """The versions the match rests on, ascending."""
    rewinds = await parts.store.rewinds(current.match_id, current.version)
    return line(rewinds_of(rewinds), current.version)


async def boundary_start(parts: Parts, current: Match, boundary: str) -> int:
    """The first version in the line of play at which the boundary runs.

    Raises: RulingImpossible if there is none.
    """
    played = set(await line_of(parts, current))
    for each in await parts.past.each(current.match_id, 0, current.version):
        if each.version not in played or each.state is None:
            continue
        if each.game.boundary(each.state) == boundary:
            return each.version
    raise RulingImpossible("/ruling/boundary", "did not begin in this match, as it is played now")


async def last_draw(parts: Parts, current: Match, label: str) -> int:
    """The version of the latest draw of that label in the line of play.

    Raises: RulingImpossible if there is none.
    """
    played = set(await line_of(parts, current))
    records = await parts.store.records(current.match_id, 0, current.version)
    for record in reversed(records):
        if record.version in played and record.kind == "chance_drawn":
            event = decode(record)
            if isinstance(event, ChanceDrawn) and event.label == label:
                return record.version
    raise RulingImpossible("/ruling/label", "was not drawn in this match, as it is played now")
