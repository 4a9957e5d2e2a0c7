"""What a director does: a dispute settled during play, a result corrected, a match played again."""

import asyncio
from typing import Any, Final

from service.cli.tournament.bots import Seat
from service.cli.tournament.platform import Fixture, Platform

_ACCOUNT: Final = "arbiter"
_LOOK_SECONDS: Final = 0.5


async def dispute_in_play(platform: Platform, fixture: Fixture) -> None:
    """A dispute while the match runs: the play is held, the arbiter rules, and it goes on."""
    while True:
        now = await platform.api.get(_path(fixture), platform.director)
        if now["status"] not in ("seating", "running") or now["version"] > 10:
            break
        await asyncio.sleep(_LOOK_SECONDS)
    path = await _disputed(platform, fixture, "play", now["version"])
    review = {"pause": True, "account": _ACCOUNT}
    # 409: it was over before.
    await platform.api.post(path + "/review", platform.arbiter, review, "review", fine=(409,))
    await _ruled(platform, path, {"type": "note"}, "It was as the rules have it.")


async def correct(platform: Platform, fixture: Fixture) -> None:
    """A result that is found to be wrong once it is final: the last is the first."""
    ranks = await _final(platform, fixture)
    path = await _reviewed(platform, fixture)
    worst = max(ranks)
    ruling = {"type": "set_result", "ranks": [worst + 1 - each for each in ranks]}
    await _ruled(platform, path, ruling, "The sheets were mixed up.")


async def play_again(platform: Platform, fixture: Fixture) -> Fixture:
    """The match that is played in place of one that is over, once it has a result."""
    await _final(platform, fixture)
    path = await _reviewed(platform, fixture)
    ruled = await _ruled(platform, path, {"type": "replay"}, "It was dealt with the wrong deck.")
    name = f"{fixture.name}-again"
    again = Fixture(ruled["replacement"], fixture.event, name, fixture.players)
    platform.add(again)
    async with asyncio.TaskGroup() as tasks:
        for number in range(len(again.players)):
            tasks.create_task(_seat(platform, again, number))
        await platform.results([again.match_id])
    return again


async def _seat(platform: Platform, fixture: Fixture, number: int) -> None:
    """No link leads to a match that is played again: the platform claims for its players."""
    player, path = fixture.players[number], f"{_path(fixture)}/seats/{number}/claim"
    key = f"seat-{fixture.name}-{number}"
    got = await platform.api.post(path, platform.director, {"account": player}, key=key)
    await platform.send(Seat(fixture.match_id, number, player, got.body["token"], is_taken=True))


async def _final(platform: Platform, fixture: Fixture) -> list[int]:
    """The ranks, once webhooks told a final result."""
    while (ranks := _result(platform, fixture)) is None:
        await platform.told.changed(_LOOK_SECONDS)
    return ranks


async def _reviewed(platform: Platform, fixture: Fixture) -> str:
    """The path of a dispute about a match that is over, under review."""
    path = await _disputed(platform, fixture, "result", 1)
    review = {"pause": False, "account": _ACCOUNT}
    await platform.api.post(path + "/review", platform.arbiter, review, "review-result")
    return path


def _result(platform: Platform, fixture: Fixture) -> list[int] | None:
    """The ranks of a final result as webhooks told it."""
    found = platform.told.newest.get(fixture.match_id)
    if found is None or found.status != "final":
        return None
    return [each or 0 for each in found.ranks]


async def _disputed(platform: Platform, fixture: Fixture, name: str, about: int) -> str:
    body = {"about": about, "claim": "It was not so.", "account": _ACCOUNT}
    path = _path(fixture) + "/disputes"
    made = await platform.api.post(path, platform.arbiter, body, key=f"dispute-{name}")
    return f"{path}/{made.body['id']}"


async def _ruled(platform: Platform, path: str, ruling: dict[str, Any], reason: str) -> Any:
    """The answer to the ruling; the dispute is closed then."""
    body = {"ruling": ruling, "reason": reason, "account": _ACCOUNT}
    key = f"ruling-{ruling['type']}"
    ruled = await platform.api.post(path + "/rulings", platform.arbiter, body, key=key)
    close = {"account": _ACCOUNT}
    await platform.api.post(path + "/close", platform.arbiter, close, key=f"close-{key}")
    return ruled.body


def _path(fixture: Fixture) -> str:
    return f"/v1/matches/{fixture.match_id}"
