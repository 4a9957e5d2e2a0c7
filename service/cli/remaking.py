"""Views, decisions and results made again from a full log: they have to be what was signed."""

from collections.abc import Iterable
from typing import Final

import msgspec

from events.contradictions import Contradiction, Document, why_open
from events.evidence import DECISION, ResultOf, ShownOf, body_digest, viewer_name
from events.known_log import KnownLog
from events.match import Match, decode
from events.results import RESULT_FORM, Result, result_in
from games.core.game import ALL, SPECTATOR
from games.registry import UnknownGame
from projections.projection import Encodings
from service import queries
from service.notary import FORM

# A group's result is signed with the version of the reveal, which may not have changed it.
_SAID: Final = tuple(name for name in Result.__struct_fields__ if name != "version")


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
        elif payload.version not in then:
            unchecked.append(f"{each.place}: {why_open(log)}")
        elif _digest(each.evidence.tag, then[payload.version], payload.viewer) != payload.body:
            what = "asked" if each.evidence.tag == DECISION else "shown"
            reason = f"{payload.viewer} was {what} something else at version {payload.version}"
            found.append(Contradiction(log.match_id, "shown", reason, (each.place, log.place)))
    return found, unchecked


def result_otherwise(
    documents: Iterable[Document], log: KnownLog
) -> tuple[list[Contradiction], list[str]]:
    """The results that do not follow from the log, and what can't be told.

    They have to be of versions the log has.
    """
    own = [(d, d.payload) for d in documents if isinstance(d.payload, ResultOf)]
    own = [each for each in own if each[1].match_id == log.match_id]
    own = [each for each in own if log.heads.get(each[1].version) == each[1].head]
    if own and log.viewer != ALL:
        return [], ["results: only a full log says what they had to be"]
    found, unchecked = [], []
    events = [decode(record) for record in log.readable] if own else []
    for each, payload in own:
        if payload.form != RESULT_FORM:
            unchecked.append(f"{each.place}: written in form {payload.form}")
        elif payload.version > len(events):
            unchecked.append(f"{each.place}: {why_open(log)}")
        elif _is_other(payload, result_in(events[: payload.version])):
            reason = f"the result was said to be another at version {payload.version}"
            found.append(Contradiction(log.match_id, "result", reason, (each.place, log.place)))
    return found, unchecked


def _is_other(payload: ResultOf, wanted: Result) -> bool:
    return any(getattr(wanted, name) != getattr(payload, name) for name in _SAID)


def _digest(tag: str, current: Match, name: str) -> str | None:
    """None for a viewer the match does not have."""
    named = {viewer_name(viewer): viewer for viewer in (SPECTATOR, *range(current.seats))}
    viewer = named.get(name)
    if viewer is None:
        return None
    if tag == DECISION:
        return body_digest(msgspec.json.encode(queries.decision_of(current, viewer)))
    return body_digest(Encodings().view(current, viewer))
