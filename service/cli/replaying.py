"""`plyscribe replay`: a match step by step, as the viewer of your choice saw it."""

import asyncio
from pathlib import Path
from typing import Annotated, Any

import msgspec
from cyclopts import Parameter

from events.bundle import perspective_of
from events.canonical import canonical, decoded
from events.dealer import Dealer
from events.match import Match
from events.observe import observe
from events.texts import places
from games.core.game import ALL, SPECTATOR, Viewer
from projections.differences import Changes, changes
from projections.projection import project
from service.cli.bundled import GivenBundle, read_bundle
from service.cli.checking import Verdict, checked
from service.cli.configuration import DataDir, configured
from service.cli.rebuilding import Log, Step, dealer_of, read_log, steps
from service.cli.telling import tell, tell_position, tell_verdict
from service.cli.terminal import CannotDo, write_json
from service.cli.troubles import naming_the_database
from service.settings import Settings

BROKEN = 1


def replay(
    match: str,
    /,
    *,
    viewer: Annotated[str, Parameter(name=["--viewer", "-v"])] = "spectator",
    at: int | None = None,
    operator: Annotated[bool, Parameter(negative="")] = False,
    json: Annotated[bool, Parameter(negative="")] = False,
    database_url: str | None = None,
    data_dir: DataDir = None,
) -> int:
    """Rebuild a match from its log or its bundle and show it step by step.

    The database is opened read-only; the service may run meanwhile. A bundle that is not full shows
    its own viewer's sight, without positions, which need what others saw. At the end the log is
    checked: its chain, its commitments, its draws, and that it folds. Exits with 1 if that fails.

    Parameters
    ----------
    match
        The id of the match, or the file of a bundle.
    viewer
        "spectator", a seat number, or "all" (everything, hidden things too).
    at
        Show the position after this many events instead of the steps.
    operator
        Look at hidden things of a match that is not revealed yet. Whoever may watch over the
        match should know that you did.
    json
        NDJSON: a line for each step, then one with the verdict.
    database_url
        Where the log is; the service's own database if left out.
    data_dir
        Where the key file of the service is; it is needed to check the draws of an unrevealed
        match.
    """
    path = Path(match)
    if path.is_file():
        given = read_bundle(path)
        if given.bundle.viewer != ALL:
            return _show_sight(given, viewer, at, json)
        return _replayed(given.log, given.verdict, viewer, at, operator, json)
    log = log_of(configured(database_url=database_url, data_dir=data_dir), match)
    return _replayed(log, checked(log), viewer, at, operator, json)


def position(current: Match, viewer: Viewer) -> Any:
    """What the viewer knows of the position; for ALL it is the state."""
    if current.state is None:
        return None
    seen = current.state if viewer == ALL else current.game.view(current.state, viewer)
    return msgspec.to_builtins(seen)


def sight(current: Match, viewer: Viewer) -> dict[str, Any]:
    """All that the viewer sees of a match."""
    shown: dict[str, Any] = msgspec.to_builtins(
        project(current, SPECTATOR if viewer == ALL else viewer)
    )
    shown["view"] = position(current, viewer)
    if viewer == ALL:
        shown["viewer"] = "all"
    return shown


def _replayed(
    log: Log, verdict: Verdict, viewer: str, at: int | None, operator: bool, as_json: bool
) -> int:
    """Shown as asked, with the verdict behind it. Raises: CannotDo."""
    made = steps(log)
    chosen = viewer_named(viewer, log.row.seats)
    assert_may_look(made, chosen, operator)
    if at is not None:
        _show_position(made, at, chosen, as_json)
    else:
        _show_steps(log, made, chosen, as_json)
    return _told(verdict, as_json)


def _told(verdict: Verdict, as_json: bool) -> int:
    if as_json:
        write_json(verdict)
    else:
        tell_verdict(verdict)
    return 0 if verdict.ok else BROKEN


def _show_sight(given: GivenBundle, viewer: str, at: int | None, as_json: bool) -> int:
    """The steps of a bundle that is one viewer's own. Raises: CannotDo."""
    own = given.bundle.viewer
    if at is not None:
        raise CannotDo("--at: a position needs the full bundle")
    if viewer != "spectator" and viewer_named(viewer, given.bundle.created.seats) != own:
        raise CannotDo(f"--viewer {viewer}: the bundle shows {perspective_of(own)} alone")
    for seen, texts in given.sight():
        if as_json:
            write_json({"event": seen, "texts": texts, "changes": {}, "gone": []})
        else:
            tell(seen, texts, Changes({}, ()))
    return _told(given.verdict, as_json)


def log_of(settings: Settings, match: str) -> Log:
    with naming_the_database(settings):
        return asyncio.run(read_log(settings, match))


def viewer_named(name: str, seats: int) -> Viewer:
    match name:
        case "spectator":
            return SPECTATOR
        case "all":
            return ALL
    if not name.isdecimal() or int(name) >= seats:
        raise CannotDo(f"no viewer {name}: use spectator, all, or a seat from 0 to {seats - 1}")
    return int(name)


def assert_may_look(made: tuple[Step, ...], viewer: Viewer, operator: bool) -> None:
    if operator or (made and made[-1].after.is_revealed):
        return
    if made and made[0].after.created.deal_group is not None:
        raise CannotDo(
            "the match shares its draws with others of a deal group that is not revealed yet: "
            "an operator who has to look says --operator"
        )
    if viewer == SPECTATOR:
        return
    raise CannotDo(
        "the match is not revealed yet: only --viewer spectator shows nothing hidden; "
        "an operator who has to look says --operator"
    )


def _show_steps(log: Log, made: tuple[Step, ...], viewer: Viewer, as_json: bool) -> None:
    dealer = dealer_of(log)
    known: Any = None
    for step in made:
        seen = _seen(step, viewer, dealer)
        now = position(step.after, viewer)
        changed = changes(known, now)
        known = now
        texts = {row.field: row.text for row in log.texts if row.version == step.event.version}
        said = places(seen)
        shown = {name: text for name, text in texts.items() if said.get(name)}
        if as_json:
            line = {"event": seen, "texts": shown}
            write_json({**line, "changes": changed.leaves, "gone": changed.gone})
        else:
            tell(seen, shown, changed)


def _seen(step: Step, viewer: Viewer, dealer: Dealer) -> dict[str, Any]:
    whole = step.event if viewer == ALL else observe(step.before, step.event, viewer, dealer)
    seen: dict[str, Any] = decoded(canonical(whole))
    return seen


def _show_position(made: tuple[Step, ...], at: int, viewer: Viewer, as_json: bool) -> None:
    if not 1 <= at <= len(made):
        raise CannotDo(f"the match has {len(made)} events; --at takes 1 to {len(made)}")
    shown = sight(made[at - 1].after, viewer)
    if as_json:
        write_json(shown)
    else:
        tell_position(shown)
