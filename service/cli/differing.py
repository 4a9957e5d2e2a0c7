"""`plyscribe diff`: two positions of a match, or two viewers' sights of one, held together."""

from pathlib import Path
from typing import Annotated

import msgspec
from cyclopts import Parameter

from events.match import Match
from games.core.game import ALL, Viewer
from projections.differences import compared
from service.cli.bundled import read_bundle
from service.cli.configuration import DataDir, Flag, configured
from service.cli.rebuilding import Log, steps
from service.cli.replaying import assert_may_look, log_of, sight, viewer_named
from service.cli.telling import tell_changes
from service.cli.terminal import CannotDo, say, write_json

_OWN = ("head", "version", "viewer")  # what says which view it is


def diff(
    match: str,
    /,
    *,
    since: Annotated[int | None, Parameter(name="--from")] = None,
    to: int | None = None,
    viewer: Annotated[str, Parameter(name=["--viewer", "-v"])] = "spectator",
    against: str | None = None,
    operator: Annotated[bool, Parameter(negative="")] = False,
    json: Flag = False,
    database_url: str | None = None,
    data_dir: DataDir = None,
) -> int:
    """Show what is different between two positions of a match, or between two viewers.

    Every leaf that is not the same in both: + where nothing was, - where nothing is any more.

    Parameters
    ----------
    match
        The id of the match, or the file of a full bundle.
    since
        The earlier version; that of --to if it is left out.
    to
        The later version; the newest if it is left out.
    viewer
        Whose sight: "spectator", a seat number, or "all".
    against
        The other viewer, of the later version; the same one if it is left out.
    operator
        Look at hidden things of a match that is not revealed yet.
    json
        One JSON object.
    database_url
        Where the log is; the service's own database if left out.
    data_dir
        Where the key file of the service is.
    """
    settings = configured(database_url=database_url, data_dir=data_dir)
    log = _bundled(Path(match)) if Path(match).is_file() else log_of(settings, match)
    made, seats = steps(log), log.row.seats
    one, other = viewer_named(viewer, seats), viewer_named(against or viewer, seats)
    for each in (one, other):
        assert_may_look(made, each, operator)
    earlier, later = _versions(since, to, len(made))
    if (earlier, one) == (later, other):
        raise CannotDo("the two are the same: --from or --against says what is held against it")
    _tell(made[earlier - 1].after, one, made[later - 1].after, other, json)
    return 0


def _versions(since: int | None, to: int | None, newest: int) -> tuple[int, int]:
    """Raises: CannotDo."""
    later = newest if to is None else to
    earlier = later if since is None else since
    for version in (earlier, later):
        if not 1 <= version <= newest:
            raise CannotDo(f"the match has {newest} events; versions are 1 to {newest}")
    return earlier, later


def _bundled(path: Path) -> Log:
    """Raises: CannotDo."""
    given = read_bundle(path)
    if given.bundle.viewer != ALL:
        raise CannotDo(f"{path}: positions need the full bundle")
    return given.log


def _tell(before: Match, one: Viewer, after: Match, other: Viewer, as_json: bool) -> None:
    shown = [sight(before, one), sight(after, other)]
    sides = [{"version": each["version"], "viewer": each["viewer"]} for each in shown]
    plain = [{n: v for n, v in each.items() if n not in _OWN} for each in shown]
    found = compared(*plain)
    if as_json:
        told = msgspec.to_builtins(found)
        match_id = before.match_id
        write_json({"match_id": match_id, "before": sides[0], "after": sides[1], "changes": told})
        return
    tell_changes(found)
    say(f"{len(found)} differences")
