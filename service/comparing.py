"""What is different between two versions of a match, or between two viewers' sights of it."""

from typing import Any, Final

import msgspec

from events.match import Match
from games.core.game import SPECTATOR, Viewer
from projections.differences import DiffChange, compared
from service.auth import Caller
from service.errors import Fault, ParameterInvalid
from service.looking import Right, Wish, exercise, right_to
from service.parts import Parts

# Of a view, what says which view it is.
_OWN: Final = ("head", "version", "viewer")


class DiffSide(msgspec.Struct, frozen=True):
    """One of two views: of which version, and whose; `viewer` is null for the public's."""

    version: int
    viewer: int | None


class Diff(msgspec.Struct, frozen=True):
    """Every leaf in which two views differ, by its path into them."""

    match_id: str
    before: DiffSide
    after: DiffSide
    changes: tuple[DiffChange, ...]


async def difference(
    parts: Parts, caller: Caller, match_id: str, before: Wish, after: Wish
) -> Diff:
    """Two views held against each other. Both have to be open to the caller as `view` is.

    Without a version it is the newest for `after`, and for `before` that of `after`. The log is
    told of looks once it is clear that both are allowed.
    Raises: as `looked_at`, ParameterInvalid where the two are the same.
    """
    later = await right_to(parts, caller, match_id, after)
    newest = _version(later)
    wish = before if before.at is not None else msgspec.structs.replace(before, at=newest)
    earlier = await right_to(parts, caller, match_id, wish)
    if (earlier.at, earlier.viewer) == (newest, later.viewer):
        reason = "or another viewer has to be given: the two are the same view"
        raise ParameterInvalid(Fault("from", "missing", reason))
    for right in (earlier, later):
        await exercise(parts, caller, right)
    one = await parts.past.at(earlier.current, _version(earlier))
    other = await parts.past.at(later.current, newest)
    return Diff(
        match_id,
        _side(one, earlier.viewer),
        _side(other, later.viewer),
        compared(_shown(parts, one, earlier.viewer), _shown(parts, other, later.viewer)),
    )


def _version(right: Right) -> int:
    return right.current.version if right.at is None else right.at


def _side(current: Match, viewer: Viewer) -> DiffSide:
    return DiffSide(current.version, None if viewer == SPECTATOR else viewer)


def _shown(parts: Parts, current: Match, viewer: Viewer) -> Any:
    told = msgspec.json.decode(parts.encodings.view(current, viewer))
    return {name: value for name, value in told.items() if name not in _OWN}
