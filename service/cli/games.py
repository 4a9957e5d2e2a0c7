"""`plyscribe games`: what can be played, and whether a game keeps the laws."""

import secrets
from typing import Annotated, Any

from cyclopts import Parameter

from games import registry
from games.core import laws
from games.core.game import Game
from service.cli.terminal import plain_table, progress, say, show, write_json

BROKEN = 1


def listing(*, json: bool = False) -> None:
    """List the games by slug.

    Parameters
    ----------
    json
        One JSON object a line.
    """
    found = [_facts(each) for each in registry.games()]
    if json:
        for each in found:
            write_json(each)
        return
    table = plain_table(None, "slug", "name", "rules", "seats", "data digest")
    for each in found:
        digest = each["data_digest"][:12] or "-"
        seats = ", ".join(map(str, each["seats"]))
        table.add_row(each["slug"], each["name"], str(each["rules_version"]), seats, digest)
    show(table)


def check(
    slug: str,
    /,
    *,
    matches: Annotated[int, Parameter(validator=lambda _, n: _positive(n))] = 100,
    seed: str | None = None,
    json: bool = False,
) -> int:
    """Hold random matches of a game against the conformance laws.

    Exits with 1 and the seed that finds the failure again if a law is broken.

    Parameters
    ----------
    slug
        The game's.
    matches
        How many matches to play.
    seed
        Play the matches of this seed; another one each time if left out.
    json
        The report as JSON.
    """
    game = registry.game(slug)
    seed = seed or secrets.token_hex(4)
    with progress(f"{slug}, seed {seed}", matches) as done:
        report = laws.check(game, seed, matches, lambda so_far: done(so_far.matches))
    if json:
        write_json(_report(report))
    else:
        _show_report(report)
    return 0 if report.failure is None else BROKEN


def _positive(number: int) -> None:
    if number < 1:
        raise ValueError("must be at least 1")


def _facts(game: Game[Any, Any]) -> dict[str, Any]:
    return {
        "slug": game.slug,
        "name": game.name,
        "rules_version": game.rules_version,
        "seats": game.seats,
        "data_digest": game.data_digest,
    }


def _report(report: laws.Report) -> dict[str, Any]:
    broken = report.failure
    return {
        "game": report.game,
        "seed": report.seed,
        "ok": broken is None,
        "matches": report.matches,
        "steps": report.steps,
        "unended": report.unended,
        "followed_steps": report.followed_steps,
        "dropped": report.dropped,
        "checks": dict(sorted(report.checks.items())),
        "failure": broken and {"law": broken.law, "detail": broken.detail, "match": broken.match},
    }


def _show_report(report: laws.Report) -> None:
    table = plain_table(None, "law", "held")
    for law, times in sorted(report.checks.items()):
        wrong = report.failure is not None and report.failure.law == law
        table.add_row(law.replace("_", " "), "BROKEN" if wrong else str(times))
    show(table)
    broken = report.failure
    say(f"{report.matches} matches, {report.steps} steps, seed {report.seed}")
    if report.unended:
        say(f"{report.unended} matches were cut before they ended; the game has no bound")
    if broken is None:
        say("every law holds")
        return
    say(f"broken: {broken.law.replace('_', ' ')}: {broken.detail}")
    again = broken.match + 1
    say(f"again: plyscribe games check {report.game} --matches {again} --seed {report.seed}")
