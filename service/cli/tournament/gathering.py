"""Everything the audit needs, asked of the service when the event is over."""

import asyncio
from collections.abc import Sequence
from typing import Final

import msgspec

from service.cli.tournament.audit import Evidence
from service.cli.tournament.bracket import Bracket
from service.cli.tournament.duplicate import Duplicate
from service.cli.tournament.keeper import Keeper
from service.cli.tournament.logs import events_in
from service.cli.tournament.platform import Platform
from service.cli.tournament.swiss import Swiss

_DONE: Final = ("over", "cancelled", "void")
_LOOK_SECONDS: Final = 0.5


async def settled(platform: Platform, seconds: float) -> None:
    """Until both ways have told the final result of every match and nothing waits; or so long."""
    try:
        async with asyncio.timeout(seconds):
            while _unsettled(platform) or await platform.nudged():
                await platform.told.changed(_LOOK_SECONDS)
    except TimeoutError:
        return  # What was not told is what the audit finds.


async def gathered(
    platform: Platform,
    events: tuple[Swiss, Bracket, Duplicate],
    keeper: Keeper,
    players: Sequence[str],
) -> Evidence:
    swiss, bracket, duplicate = events
    bundles = await _bundles(platform)
    keys = await platform.api.get("/.well-known/jwks.json", platform.director)
    return Evidence(
        players=tuple(players),
        swiss=tuple(each for tables in swiss.tables for each in tables),
        ties=tuple(bracket.ties),
        duplicate=tuple(duplicate.fixtures),
        told=platform.told.newest,
        listed=platform.listed.newest,
        messages=tuple(platform.messages),
        bundles=bundles,
        keys=msgspec.json.encode(keys),
        logs={match_id: events_in(bundle) for match_id, bundle in bundles.items()},
        points=await _points(platform, swiss),
        winners=await _winners(platform, bracket),
        ranks=await _ranks(platform, duplicate),
        open=await _open(platform),
        outages=tuple(keeper.outages),
        came=platform.came,
        faults=(*platform.faults, *platform.receiver.count.wrong),
    )


def _unsettled(platform: Platform) -> list[str]:
    """The matches whose final result was not told by both."""
    found = []
    for match_id in platform.fixtures:
        told, listed = (each.newest.get(match_id) for each in (platform.told, platform.listed))
        is_told = told is not None and listed is not None and told.version == listed.version
        if not is_told or told is None or told.status != "final":
            found.append(match_id)
    return found


async def _bundles(platform: Platform) -> dict[str, bytes]:
    found = {}
    for match_id in platform.fixtures:
        path = f"/v1/matches/{match_id}/bundle"
        found[match_id] = await platform.api.get(path, platform.director, perspective="full")
    return found


async def _points(platform: Platform, swiss: Swiss) -> dict[str, int]:
    """The sums of the service's own standings over all rounds."""
    found: dict[str, int] = {}
    for batch in swiss.batches:
        said = await platform.api.get(f"/v1/batches/{batch}/standings", platform.director)
        for line in said["standings"]:
            name = line["external_id"]
            found[name] = found.get(name, 0) + line["points"]
    return found


async def _winners(platform: Platform, bracket: Bracket) -> dict[str, str | None]:
    found = {}
    for tie in bracket.ties:
        said = await platform.api.get(f"/v1/series/{tie.series_id}", platform.director)
        found[tie.series_id] = said["winner"]
    return found


async def _ranks(platform: Platform, duplicate: Duplicate) -> dict[str, int | None]:
    path = f"/v1/deal-groups/{duplicate.group_id}/standings"
    said = await platform.api.get(path, platform.director)
    return {line["entrant"]: line["rank"] for line in said["standings"]}


async def _open(platform: Platform) -> tuple[str, ...]:
    matches = await platform.everything("/v1/matches", "matches")
    return tuple(
        f"match {each['match_id']} is {each['status']}"
        for each in matches
        if each["status"] not in _DONE
    )
