"""Views and decisions made again from a full log: they have to be what was signed."""

from collections.abc import Iterable

import msgspec

from events.contradictions import Contradiction, Document
from events.evidence import DECISION, ShownOf, body_digest, viewer_name
from events.known_log import KnownLog
from events.match import Match
from games.core.game import ALL, SPECTATOR
from games.registry import UnknownGame
from projections.projection import Encodings
from service import queries
from service.notary import FORM


def shown_otherwise(
    documents: Iterable[Document], log: KnownLog
) -> tuple[list[Contradiction], list[str]]:
    """The documents that are not what the log says had to be shown, and what can't be told.

    They have to be of versions the log has.
    """
    own = [(d, d.payload) for d in documents if isinstance(d.payload, ShownOf)]
    own = [each for each in own if each[1].match_id == log.match_id]
    own = [each for each in own if log.heads.get(each[1].version) == each[1].head]
    if not own:
        return [], []
    if log.viewer != ALL:
        return [], ["views and decisions: only a full log says what they had to be"]
    try:
        then = log.after({payload.version for _, payload in own})
    except UnknownGame as unknown:
        return [], [f"views and decisions: the game is not here ({unknown})"]
    found, unchecked = [], []
    for each, payload in own:
        if payload.form != FORM:
            unchecked.append(f"{each.place}: written in form {payload.form}")
        elif _digest(each.evidence.tag, then[payload.version], payload.viewer) != payload.body:
            what = "asked" if each.evidence.tag == DECISION else "shown"
            reason = f"{payload.viewer} was {what} something else at version {payload.version}"
            found.append(Contradiction(log.match_id, "shown", reason, (each.place, log.place)))
    return found, unchecked


def _digest(tag: str, current: Match, name: str) -> str | None:
    """None for a viewer the match does not have."""
    named = {viewer_name(viewer): viewer for viewer in (SPECTATOR, *range(current.seats))}
    viewer = named.get(name)
    if viewer is None:
        return None
    if tag == DECISION:
        return body_digest(msgspec.json.encode(queries.decision_of(current, viewer)))
    return body_digest(Encodings().view(current, viewer))
